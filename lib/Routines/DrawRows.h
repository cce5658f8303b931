//===- Routines/DrawRows.h - draws row by row ------------------------*- C++ -*-===//
#pragma once

#include <string_view>

#include "graphc/Host.h"

namespace graphc {

/// One draw: an element, or a row of them.
struct DrawnRow {
  uint64_t key;
  /// The position of its first element.
  uint64_t position;
  /// Each parameter's elements for this row, and how many they are along its last axis (1 where no
  /// axis is the row's).
  absl::Span<const double *const> parameters;
  absl::Span<const int64_t> lengths;
  /// To be filled: one of the two, as the distribution draws.
  absl::Span<double> floats;
  absl::Span<int64_t> integers;

  double operator[](size_t parameter) const { return parameters[parameter][0]; }
  absl::Span<const double> row(size_t parameter) const {
    return {parameters[parameter], size_t(lengths[parameter])};
  }
};

struct RowSampler {
  /// Draws it; what is wrong with the parameters, or nothing.
  std::string_view (*draw)(const DrawnRow &row);
  /// Done once with each matrix of the last parameter, in its place, before draws.
  std::string_view (*prepareLast)(absl::Span<double> matrix, int64_t numRows) = nullptr;
};

/// Draws all rows of a call (Draws.h) on several threads.
absl::Status drawRows(const RowSampler &sampler, const RoutineCall &call);

// The samplers, by what they draw.
#define GRAPHC_SAMPLER(NAME) std::string_view NAME(const DrawnRow &row);
namespace draws {
// RowDraws.cpp
GRAPHC_SAMPLER(categorical)
GRAPHC_SAMPLER(multinomial)
GRAPHC_SAMPLER(dirichlet)
GRAPHC_SAMPLER(multivariateNormal)
GRAPHC_SAMPLER(permutation)
GRAPHC_SAMPLER(weightedPermutation)
/// A lower triangular L with L L^T = cov in the place of cov. Pivots that rounding cannot tell from
/// 0 are 0: singular matrices are legal.
std::string_view factor(absl::Span<double> cov, int64_t n);
} // namespace draws
#undef GRAPHC_SAMPLER

} // namespace graphc
