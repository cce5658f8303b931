//===- DrawRows.cpp - draws row by row, on several threads ------------------===//
#include "Routines/DrawRows.h"

#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "Runtime/ThreadPool.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

/// Walks over rows in row-major order and keeps the place of each parameter's elements for it.
class Places {
public:
  /// At row `first` of those of `shape`; `ranks` axes of each parameter belong to one.
  Places(absl::Span<const int64_t> ranks, absl::Span<const int64_t> shape,
         absl::Span<const Tensor> parameters, int64_t first)
      : shape_(shape), index_(shape.size(), 0) {
    for (size_t axis = shape.size(); axis-- > 0; first /= shape[axis])
      index_[axis] = first % shape[axis];
    for (size_t k = 0; k < parameters.size(); ++k) {
      absl::Span<const int64_t> own = parameters[k].shape();
      size_t rank = own.size() - size_t(ranks[k]);
      int64_t stride = 1, offset = 0;
      for (size_t axis = rank; axis < own.size(); ++axis)
        stride *= own[axis];
      std::vector<int64_t> strides(shape.size(), 0);
      for (size_t axis = rank; axis-- > 0; stride *= own[axis]) {
        size_t at = axis + shape.size() - rank;
        strides[at] = own[axis] == 1 ? 0 : stride;
        offset += strides[at] * index_[at];
      }
      strides_.push_back(std::move(strides));
      at_.push_back(parameters[k].flat<double>().data() + offset);
      lengths_.push_back(ranks[k] ? own.back() : 1);
    }
  }

  absl::Span<const double *const> at() const { return at_; }
  absl::Span<const int64_t> lengths() const { return lengths_; }
  void next() {
    for (size_t axis = shape_.size(); axis-- > 0;) {
      bool isLast = ++index_[axis] == shape_[axis];
      for (size_t k = 0; k < at_.size(); ++k)
        at_[k] += isLast ? strides_[k][axis] * (1 - shape_[axis]) : strides_[k][axis];
      if (!isLast)
        return;
      index_[axis] = 0;
    }
  }

private:
  absl::Span<const int64_t> shape_;
  std::vector<int64_t> index_, lengths_;
  std::vector<std::vector<int64_t>> strides_;
  std::vector<const double *> at_;
};

/// Some 10 microseconds: an element takes 100 ns and more.
constexpr int64_t kGrain = 128;

} // namespace

absl::Status drawRows(const RowSampler &sampler, const RoutineCall &call) {
  Tensor &draw = call.outputs[0];
  absl::Span<const int64_t> shape = draw.shape(), state = call.inputs[0].flat<int64_t>();
  const bool hasRows = call.parameters[0];
  const absl::Span<const int64_t> ranks = call.parameters.subspan(1);
  const int64_t length = hasRows ? shape.back() : 1;
  if (draw.numElements() == 0)
    return absl::OkStatus();
  if (hasRows)
    shape.remove_suffix(1);
  const int64_t numRows = draw.numElements() / length;
  std::vector<Tensor> parameters(call.inputs.begin() + 1, call.inputs.end());
  if (sampler.prepareLast) {
    Tensor &last = parameters.back();
    last = last.copy();
    if (!last.defined())
      return makeError(ErrorKind::OutOfMemory, "no memory for a copy of its last parameter");
    int64_t n = last.shape().back();
    absl::Span<double> elements = last.mutableFlat<double>();
    for (; !elements.empty(); elements.remove_prefix(size_t(n * n)))
      if (std::string_view wrong = sampler.prepareLast(elements.first(size_t(n * n)), n);
          !wrong.empty())
        return makeError(ErrorKind::ValueError, std::string(wrong));
  }
  const bool drawsIntegers = draw.dtype() == DType::Int64;
  const absl::Span<double> floats =
      drawsIntegers ? absl::Span<double>() : draw.mutableFlat<double>();
  const absl::Span<int64_t> integers =
      drawsIntegers ? draw.mutableFlat<int64_t>() : absl::Span<int64_t>();
  std::mutex mutex;
  int64_t firstFailed = std::numeric_limits<int64_t>::max();
  absl::Status result;
  ThreadPool::shared().parallelFor(
      0, numRows, std::max<int64_t>(1, kGrain / length), call.threads,
      [&](int64_t begin, int64_t end, int) {
        Places places(ranks, shape, parameters, begin);
        for (int64_t row = begin; row < end; ++row, places.next()) {
          size_t first = size_t(row * length), n = size_t(length);
          std::string_view wrong =
              sampler.draw({uint64_t(state[0]), uint64_t(state[1]) + first, places.at(),
                            places.lengths(), drawsIntegers ? floats : floats.subspan(first, n),
                            drawsIntegers ? integers.subspan(first, n) : integers});
          if (wrong.empty())
            continue;
          std::lock_guard lock(mutex);
          if (row < firstFailed)
            firstFailed = row, result = makeError(ErrorKind::ValueError, std::string(wrong));
          return;
        }
      });
  return result;
}

} // namespace graphc
