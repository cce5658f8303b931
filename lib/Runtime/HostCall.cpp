//===- HostCall.cpp - steps of the host ------------------------------------===//
#include <bit>

#include "Runtime/ArrayMemory.h"
#include "Support/Thrown.h"
#include "absl/functional/function_ref.h"
#include "graphc/Host.h"

namespace graphc {
namespace {

/// The slice at `position` along the axes in front that `has` names, one after the other in memory.
absl::StatusOr<Tensor> sliceAt(const Tensor &t, int64_t position, absl::Span<const int64_t> counts,
                               uint32_t has) {
  int64_t index = 0, left = 1;
  for (int64_t count : counts)
    left *= count;
  for (size_t level = 0; level < counts.size(); ++level) {
    left /= counts[level];
    if (has >> level & 1)
      index = index * counts[level] + position / left % counts[level];
  }
  absl::Span<const int64_t> shape = t.shape().subspan(size_t(std::popcount(has)));
  int64_t bytes = byteSize(t.dtype());
  for (int64_t extent : shape)
    bytes *= extent;
  char *data = static_cast<char *>(const_cast<void *>(t.data())) + index * bytes;
  return Tensor::borrow(t.dtype(), data, shape);
}

using Once = absl::FunctionRef<absl::Status(absl::Span<const Tensor> in, absl::Span<Tensor> out)>;

/// Does `once` for each slice along the axes in front.
absl::Status forSlices(const HostCall &call, absl::Span<const Tensor> inputs,
                       absl::Span<Tensor> outputs, Once once) {
  if (outputs.empty())
    return absl::OkStatus();
  const std::vector<int64_t> counts(outputs[0].shape().begin(),
                                    outputs[0].shape().begin() + call.numLevels);
  int64_t total = 1;
  for (int64_t count : counts)
    total *= count;
  const uint32_t all = (uint32_t(1) << call.numLevels) - 1;
  for (int64_t position = 0; position < total; ++position) {
    std::vector<Tensor> in, out;
    for (size_t i = 0; i < inputs.size() + outputs.size(); ++i) {
      bool isInput = i < inputs.size();
      absl::StatusOr<Tensor> part =
          isInput ? sliceAt(inputs[i], position, counts, call.levels[i])
                  : sliceAt(outputs[i - inputs.size()], position, counts, all);
      if (!part.ok())
        return part.status();
      (isInput ? in : out).push_back(*std::move(part));
    }
    if (absl::Status status = once(in, absl::MakeSpan(out)); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

} // namespace

absl::Status HostCall::run(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs,
                           int threads) const {
  auto once = [&](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
    if (!callback)
      return routine->run({parameters, in, out, threads});
    return unlessItThrows("the host's function", [&] { return callback(in, out); });
  };
  // The caller adds the op, its place and the shapes.
  return unlessNoMemory(
      [&] {
        return numLevels == 0 ? once(inputs, outputs) : forSlices(*this, inputs, outputs, once);
      },
      [] {
        return makeError(ErrorKind::OutOfMemory,
                         std::string("no memory for what it needs besides operands and results") +
                             kMemoryRemedy);
      });
}

} // namespace graphc
