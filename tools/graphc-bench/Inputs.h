//===- Inputs.h - the numbers that cases compute with -------------*- C++ -*-===//
//
// Every input is a stream s' = 6364136223846793005 s + 1442695040888963407 mod 2^64 from a seed;
// u = (s' >> 40) / 2^24 is exact in f32, and an element is low + (high - low) u, computed in double
// precision and rounded to the dtype. So results can be computed anywhere: make_expected.py does.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graphc/Tensor.h"

namespace graphc::bench {

class Stream {
public:
  explicit Stream(uint64_t seed) : state_(seed) {}
  /// In [0, 1).
  double next() {
    state_ = 6364136223846793005u * state_ + 1442695040888963407u;
    return double(state_ >> 40) * 0x1p-24;
  }

private:
  uint64_t state_;
};

/// Float32, Float64, BFloat16 or Int64 (rounded down). There is no error for shapes that fit in the
/// memory.
Tensor makeInput(DType dtype, absl::Span<const int64_t> shape, double low, double high,
                 uint64_t seed);

/// Whether `values` (row-major) agree with what Expected.h has for `name`: the sum, that of
/// absolute values, the greatest of these and the sum weighted by the stream of seed 9999, relative
/// to the sum of absolute values and the greatest one; within 10^-6 (Float32) or 10^-12 (Float64),
/// or 10^-6 and what rounding them adds (BFloat16), times `slack`. ValueError that names `side` if
/// not.
absl::Status checkSums(std::string_view name, std::string_view side, const Tensor &values,
                       double slack = 1);

/// How many times the bound of results that of float32 elements is which are sums of so many terms:
/// the greatest element is no average. K roundings of sums that grow like sqrt(k), each of up to
/// 2^-24 and as good as independent, have a standard deviation of sqrt(K / 6) times 2^-24.
double slackOfSums(double terms);

} // namespace graphc::bench
