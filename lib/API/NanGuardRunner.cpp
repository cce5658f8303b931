//===- NanGuardRunner.cpp -------------------------------------------------===//
#include "API/NanGuardRunner.h"

#include <algorithm>
#include <cmath>

#include "API/CheckGraph.h"
#include "Graph/CalledAs.h"

namespace graphc {
namespace {

/// "element 3 is nan, as 2 others are"; nothing where all are well. OutOfMemory.
absl::StatusOr<std::string> findBad(const Tensor &t, const NanGuardOptions &options) {
  if (isComplex(t.dtype())) // by its parts
    return findBad(t.realView(), options);
  if (!isFloat(t.dtype()))
    return "";
  auto isBad = [&](double x) {
    if (std::isnan(x))
      return options.nan;
    return std::isinf(x) ? options.inf : std::fabs(x) > options.big;
  };
  Tensor doubles = t.cast(DType::Float64).contiguous();
  if (!doubles.defined())
    return makeError(ErrorKind::OutOfMemory, "no memory to look for what is not finite in " +
                                                 Type(t.dtype(), t.shape()).brief());
  absl::Span<const double> values = doubles.flat<double>();
  int64_t count = std::count_if(values.begin(), values.end(), isBad);
  if (count == 0)
    return "";
  auto first = std::find_if(values.begin(), values.end(), isBad);
  std::string text = "element " + std::to_string(first - values.begin()) + " of " +
                     Type(t.dtype(), t.shape()).brief() + " is " +
                     toString(Tensor(*first).cast(t.dtype()));
  if (!std::isnan(*first) && !std::isinf(*first))
    text += ", beyond " + toString(Tensor(options.big));
  if (count > 1)
    text += ", and " + std::to_string(count - 1) + " more are no better";
  return text;
}

} // namespace

absl::Status NanGuardRunner::checkBefore(absl::Span<const Tensor> arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StatusOr<std::string> bad = findBad(arguments[i], options_);
    if (!bad.ok())
      return bad.status();
    if (!bad->empty())
      return makeError(ErrorKind::NanGuard, numbered(i, module().inputs[i]) + ": " + *bad,
                       module().inputs[i].place());
  }
  return absl::OkStatus();
}

absl::Status NanGuardRunner::checkNode(const Apply &node, absl::Span<const Tensor> operands,
                                       absl::Span<const Tensor> results) const {
  for (int i = 0; i < node.numOutputs(); ++i) {
    absl::StatusOr<std::string> bad = findBad(results[size_t(i)], options_);
    if (!bad.ok())
      return bad.status();
    if (bad->empty())
      continue;
    std::string from;
    for (const Tensor &operand : operands)
      from += (from.empty() ? "; its operands are " : ", ") +
              Type(operand.dtype(), operand.shape()).brief() +
              (operand.numElements() == 1
                   ? " " + toString(operand, {.precision = -1, .inlineList = true})
                   : "");
    return makeError(ErrorKind::NanGuard,
                     std::string(calledName(node.op())) + ": " + nameOf(node, i) + ": " + *bad +
                         from,
                     node.place());
  }
  return absl::OkStatus();
}

} // namespace graphc
