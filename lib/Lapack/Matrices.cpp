//===- Matrices.cpp -----------------------------------------------------------===//
#include "Matrices.h"

#include <algorithm>
#include <limits>
#include <mutex>

/// In place of LAPACKE's own, which prints to stdout that there was no memory: the call says it.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] void LAPACKE_xerbla(const char *, lapack_int) {}

namespace graphc {

/// LAPACK's work arrays of n^2 and more numbers are counted in 32 bits.
static constexpr int64_t kMostRows = 20'000;

absl::Status checkInfo(lapack_int info) {
  if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
    return makeError(ErrorKind::OutOfMemory, "no memory for LAPACK's work arrays");
  if (info < 0)
    return makeError(ErrorKind::Internal,
                     "LAPACK refuses argument " + std::to_string(-int64_t(info)));
  return absl::OkStatus();
}

void fillWithNaN(const RoutineCall &call, int64_t i) {
  for (const Tensor &result : call.outputs) {
    const int64_t count = result.numElements() / result.shape()[0];
    if (result.dtype() == DType::Float32)
      std::fill_n(matrixOf<float>(result, i), count, NAN);
    else if (result.dtype() == DType::Float64)
      std::fill_n(matrixOf<double>(result, i), count, NAN);
  }
}

absl::Status matrixError(const RoutineCall &call, int64_t i, std::string_view what) {
  int64_t count = call.inputs[0].shape()[0];
  std::string which =
      count == 1 ? "the matrix"
                 : "matrix " + std::to_string(i) + " of " + std::to_string(count) + " (from 0)";
  return makeError(ErrorKind::LinAlgError, which + " " + std::string(what));
}

absl::Status forMatrices(const RoutineCall &call, absl::FunctionRef<absl::Status(int64_t i)> one) {
  int64_t work = 1;
  for (const Tensor &t : call.inputs)
    for (int64_t extent : t.shape().subspan(1)) {
      if (extent > kMostRows)
        return makeError(ErrorKind::ValueError, "a matrix has " + std::to_string(extent) +
                                                    " rows or columns, above the limit of " +
                                                    std::to_string(kMostRows));
      work = std::max(work, extent);
    }
  std::mutex mutex;
  int64_t firstFailed = std::numeric_limits<int64_t>::max();
  absl::Status result;
  int64_t grain = std::max<int64_t>(1, 20'000 / (work * work * work));
  ThreadPool::shared().parallelFor(0, call.inputs[0].shape()[0], grain, call.threads,
                                   [&](int64_t begin, int64_t end, int) {
                                     for (int64_t i = begin; i < end; ++i) {
                                       absl::Status status = one(i);
                                       if (status.ok())
                                         continue;
                                       std::lock_guard lock(mutex);
                                       if (i < firstFailed)
                                         firstFailed = i, result = std::move(status);
                                       return;
                                     }
                                   });
  return result;
}

} // namespace graphc
