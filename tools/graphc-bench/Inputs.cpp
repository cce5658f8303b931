//===- Inputs.cpp ---------------------------------------------------------===//
#include "Inputs.h"

#include <algorithm>
#include <cmath>

#include "Expected.h"
#include "absl/strings/str_format.h"
#include "graphc/Status.h"

namespace graphc::bench {
namespace {

template <class T> void fill(Tensor &tensor, double low, double high, uint64_t seed) {
  Stream stream(seed);
  T *data = static_cast<T *>(tensor.data());
  for (int64_t i = 0, n = tensor.numElements(); i < n; ++i)
    data[i] = T(low + (high - low) * stream.next());
}

template <class T> Expected sumsOf(const T *data, int64_t n) {
  Stream weights(9999);
  Expected sums{"", 0, 0, 0, 0};
  for (int64_t i = 0; i < n; ++i) {
    double value = double(data[i]);
    sums.sum += value;
    sums.sumAbs += std::fabs(value);
    // A NaN must not be lost.
    sums.maxAbs = std::fabs(value) <= sums.maxAbs ? sums.maxAbs : std::fabs(value);
    sums.weighted += value * weights.next();
  }
  return sums;
}

} // namespace

Tensor makeInput(DType dtype, absl::Span<const int64_t> shape, double low, double high,
                 uint64_t seed) {
  absl::StatusOr<Tensor> tensor = Tensor::allocate(dtype, shape);
  if (!tensor.ok())
    return Tensor();
  if (dtype == DType::Int64)
    fill<int64_t>(*tensor, low, high, seed);
  else if (dtype == DType::Float32)
    fill<float>(*tensor, low, high, seed);
  else
    fill<double>(*tensor, low, high, seed);
  return *std::move(tensor);
}

absl::Status checkSums(std::string_view name, std::string_view side, const Tensor &values,
                       double slack) {
  const Expected *expected = std::find_if(std::begin(kExpected), std::end(kExpected),
                                          [&](const Expected &e) { return name == e.name; });
  if (expected == std::end(kExpected))
    return makeError(ErrorKind::KeyError, absl::StrFormat("nothing is expected of %s", name));
  if (!values.defined())
    return makeError(ErrorKind::ValueError, absl::StrFormat("%s: %s has no result", name, side));
  bool isSingle = values.dtype() == DType::Float32;
  Tensor rows = values.contiguous();
  Expected sums = isSingle ? sumsOf(static_cast<const float *>(rows.data()), rows.numElements())
                           : sumsOf(static_cast<const double *>(rows.data()), rows.numElements());
  double error = std::max({std::fabs(sums.sum - expected->sum) / expected->sumAbs,
                           std::fabs(sums.weighted - expected->weighted) / expected->sumAbs,
                           std::fabs(sums.maxAbs - expected->maxAbs) / expected->maxAbs});
  // Elements are off by some units of 2^-24 (2^-53), in either direction; sums of thousands of
  // terms by a few more, which the sums over all elements average out.
  double bound = slack * (isSingle ? 1e-6 : 1e-12);
  if (error <= bound) // not so for NaN
    return absl::OkStatus();
  return makeError(ErrorKind::ValueError,
                   absl::StrFormat("%s: wrong results of %s: sum %.17g instead of %.17g, weighted "
                                   "%.17g instead of %.17g, greatest %.17g instead of %.17g",
                                   name, side, sums.sum, expected->sum, sums.weighted,
                                   expected->weighted, sums.maxAbs, expected->maxAbs));
}

double slackOfSums(double terms) { return std::max(1.0, std::sqrt(terms) * 0x1p-24 / 1e-6); }

} // namespace graphc::bench
