//===- HostCall.cpp - steps of the host ------------------------------------===//
#include "graphc/Host.h"

#include <bit>

namespace graphc {

/// The slice at `position` along the axes in front that `has` names, one after the other in memory.
static absl::StatusOr<Tensor> sliceAt(const Tensor &t, int64_t position,
                                      absl::Span<const int64_t> counts, uint32_t has) {
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

absl::Status HostCall::run(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs,
                           int threads) const {
  auto once = [&](absl::Span<const Tensor> in, absl::Span<Tensor> out) {
    return callback ? callback(in, out) : routine->run({parameters, in, out, threads});
  };
  if (numLevels == 0)
    return once(inputs, outputs);
  if (outputs.empty())
    return absl::OkStatus();
  const std::vector<int64_t> counts(outputs[0].shape().begin(),
                                    outputs[0].shape().begin() + numLevels);
  int64_t total = 1;
  for (int64_t count : counts)
    total *= count;
  const uint32_t all = (uint32_t(1) << numLevels) - 1;
  for (int64_t position = 0; position < total; ++position) {
    std::vector<Tensor> in, out;
    for (size_t i = 0; i < inputs.size() + outputs.size(); ++i) {
      bool isInput = i < inputs.size();
      absl::StatusOr<Tensor> part =
          isInput ? sliceAt(inputs[i], position, counts, levels[i])
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

} // namespace graphc
