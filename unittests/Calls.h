//===- Calls.h - functions and what they give, for tests --------*- C++ -*-===//
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "graphc/Function.h"

namespace graphc {

/// The function; where there is none, a failure and an empty one.
inline Function made(absl::StatusOr<Function> f) {
  EXPECT_TRUE(f.ok()) << f.status();
  return f.value_or(Function());
}

/// The results; where there are none, a failure and an empty list.
inline Results called(absl::StatusOr<Results> results) {
  EXPECT_TRUE(results.ok()) << results.status();
  return results.value_or(Results());
}

/// All elements of all results, one after the other, as float64.
inline std::vector<double> valuesOf(const absl::StatusOr<Results> &results) {
  EXPECT_TRUE(results.ok()) << results.status();
  std::vector<double> list;
  for (size_t i = 0; results.ok() && i < results->size(); ++i) {
    Tensor t = (*results)[i].cast(DType::Float64).contiguous();
    list.insert(list.end(), t.flat<double>().begin(), t.flat<double>().end());
  }
  return list;
}

} // namespace graphc
