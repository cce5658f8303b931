//===- RandomSeeds.h - what tests of random graphs have in common ----------===//
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "absl/functional/function_ref.h"
#include "graphc/Tensor.h"

namespace graphc::random {

/// How far `a` is from `b`, of one shape, relative to the largest element of b where that is above
/// 1. Rewrites and fusion sum in other orders, and float32 values go through up to some hundred
/// operations.
inline double distance(const Tensor &a, const Tensor &b) {
  Tensor x = a.realView().cast(DType::Float64).contiguous();
  Tensor y = b.realView().cast(DType::Float64).contiguous();
  absl::Span<const double> got = x.flat<double>(), wanted = y.flat<double>();
  double largest = 1, most = 0;
  for (double element : wanted)
    if (std::isfinite(element))
      largest = std::max(largest, std::abs(element));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (got[i] != wanted[i] && !(std::isnan(got[i]) && std::isnan(wanted[i])))
      most = std::max(most, std::isfinite(got[i]) && std::isfinite(wanted[i])
                                ? std::abs(got[i] - wanted[i]) / largest
                                : INFINITY);
  return most;
}

/// Compares seeds 0 to count - 1, of which all have values to compare, or those that the
/// environment variable gives, FIRST:COUNT, with + behind it in every mode, of which most must.
/// `compare` is false for a seed without values.
inline void compareSeeds(const char *variable, uint64_t count,
                         absl::FunctionRef<bool(uint64_t seed, bool everyMode)> compare) {
  uint64_t first = 0;
  bool everyMode = false;
  const char *given = std::getenv(variable);
  if (given) {
    char *end = nullptr;
    first = std::strtoull(given, &end, 10);
    if (*end == ':')
      count = std::strtoull(end + 1, &end, 10);
    everyMode = *end == '+';
  }
  uint64_t compared = 0;
  for (uint64_t seed = first; seed < first + count; ++seed)
    compared += compare(seed, everyMode);
  EXPECT_GE(compared, given ? count * 9 / 10 : count) << "too few of them have values";
}

} // namespace graphc::random
