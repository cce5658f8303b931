//===- Inputs.cpp ---------------------------------------------------------===//
#include "Inputs.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "Expected.h"
#include "absl/strings/str_format.h"
#include "graphc/Status.h"

namespace graphc::bench {
namespace {

/// What rounding a number to bfloat16 changes at most, of it.
constexpr double kBFloat16Unit = 0x1p-8;

/// Of the sum of n absolute values, what rounding each changes in the sum, in units of one: as good
/// as independent and evenly distributed, with a standard deviation of sqrt(n / 3) times the root
/// of the mean square. This is 1.25 times the mean of absolute values where values are normal, and
/// six deviations are not reached by chance.
double slackOfRoundings(int64_t n) { return 6 * 1.25 / std::sqrt(3.0 * double(n)); }

template <class T> void fill(Tensor &tensor, double low, double high, uint64_t seed) {
  Stream stream(seed);
  T *data = static_cast<T *>(tensor.data());
  for (int64_t i = 0, n = tensor.numElements(); i < n; ++i)
    if constexpr (std::is_same_v<T, BFloat16>)
      data[i] = T(float(low + (high - low) * stream.next()));
    else
      data[i] = T(low + (high - low) * stream.next());
}

template <class T> double numberOf(T value) { return double(value); }
double numberOf(BFloat16 value) { return double(float(value)); }

template <class T> Expected sumsOf(const T *data, int64_t n) {
  Stream weights(9999);
  Expected sums{"", 0, 0, 0, 0};
  for (int64_t i = 0; i < n; ++i) {
    double value = numberOf(data[i]);
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
  else if (dtype == DType::BFloat16)
    fill<BFloat16>(*tensor, low, high, seed);
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
  DType dtype = values.dtype();
  bool isBFloat16 = dtype == DType::BFloat16, isDouble = dtype == DType::Float64;
  Tensor rows = values.contiguous();
  int64_t n = rows.numElements();
  Expected sums = isBFloat16 ? sumsOf(static_cast<const BFloat16 *>(rows.data()), n)
                  : isDouble ? sumsOf(static_cast<const double *>(rows.data()), n)
                             : sumsOf(static_cast<const float *>(rows.data()), n);
  double error = std::max({std::fabs(sums.sum - expected->sum),
                           std::fabs(sums.sumAbs - expected->sumAbs),
                           std::fabs(sums.weighted - expected->weighted)}) /
                 expected->sumAbs,
         errorOfMax = std::fabs(sums.maxAbs - expected->maxAbs) / expected->maxAbs;
  // Elements are off by some units of 2^-24 (2^-53), in either direction; sums of thousands of
  // terms by a few more, which the sums over all elements average out.
  double bound = isDouble ? 1e-12 : 1e-6, rounding = isBFloat16 ? kBFloat16Unit : 0;
  if (error <= slack * (bound + rounding * slackOfRoundings(n)) &&
      errorOfMax <= slack * (bound + rounding)) // not so for NaN
    return absl::OkStatus();
  return makeError(
      ErrorKind::ValueError,
      absl::StrFormat("%s: wrong results of %s: sum %.17g instead of %.17g, of absolute "
                      "values %.17g instead of %.17g, weighted %.17g instead of "
                      "%.17g, greatest %.17g instead of %.17g",
                      name, side, sums.sum, expected->sum, sums.sumAbs, expected->sumAbs,
                      sums.weighted, expected->weighted, sums.maxAbs, expected->maxAbs));
}

double slackOfSums(double terms) { return std::max(1.0, std::sqrt(terms) * 0x1p-24 / 1e-6); }

} // namespace graphc::bench
