//===- GradientOfEnd.cpp ----------------------------------------------------===//
#include "Control/GradientOfEnd.h"

#include <algorithm>

#include "Ops/Build.h"
#include "Ops/IndexSpec.h"
#include "graphc/Ops.h"

namespace graphc {

/// The array of whose shape zeros are made, as subtensor's pullback does.
static std::optional<Variable> zerosOf(const Variable &v) {
  const Apply node = v.hasOwner() ? v.owner() : Apply();
  if (!node || node.op().name() != "second")
    return std::nullopt;
  std::optional<Constant> value = Constant::from(node.input(1));
  if (!value)
    return std::nullopt;
  const Tensor &given = value->data();
  const Tensor parts = isComplex(given.dtype()) ? given.realView() : given;
  const Tensor numbers = parts.cast(DType::Float64).contiguous();
  const bool isZero = std::ranges::all_of(numbers.flat<double>(), [](double x) { return x == 0; });
  return isZero ? std::optional(node.input(0)) : std::nullopt;
}

std::optional<Variable> lastRowAlone(const Variable &gradient) {
  const Apply node = gradient.hasOwner() ? gradient.owner() : Apply();
  if (!node || gradient.rank() == 0)
    return std::nullopt;
  const std::string_view op = node.op().name();
  if (op == "add") {
    std::optional<Variable> sum;
    for (const Variable &term : node.inputs()) {
      std::optional<Variable> row =
          term.rank() == gradient.rank() ? lastRowAlone(term) : std::nullopt;
      if (!row)
        return std::nullopt;
      sum = sum ? *sum + *row : *row;
    }
    return sum;
  }
  if (op != "incSubtensor")
    return std::nullopt;
  const std::optional<Variable> all = zerosOf(node.input(0));
  absl::StatusOr<IndexSpec> index =
      parseIndex(std::get<std::string>(*node.op().attributes().find("index")));
  if (!all || !index.ok() || index->empty())
    return std::nullopt;
  const IndexEntry &first = index->front();
  const bool isToEnd = first.kind == IndexEntry::Kind::Slice &&
                       first.stop.kind == IndexTerm::Kind::Absent &&
                       (first.step.kind == IndexTerm::Kind::Absent || first.step.is(1));
  if (first.start.is(-1) && (first.kind == IndexEntry::Kind::Position || isToEnd)) {
    // One row has the same index as the last one of many.
    const Apply zeros = node.input(0).owner();
    std::vector<Operand> operands = {
        build(zeros.op(), {Variable((*all)[{Slice(-1, kEnd)}]), zeros.input(1)})};
    for (int k = 1; k < node.numInputs(); ++k)
      operands.emplace_back(node.input(k));
    return build(node.op(), operands);
  }
  const bool isOfEnd = isToEnd && first.start.kind == IndexTerm::Kind::Number &&
                       first.start.value < 0 && index->size() == 1;
  return isOfEnd && node.input(1).rank() == gradient.rank() ? lastRowAlone(node.input(1))
                                                            : std::nullopt;
}

} // namespace graphc
