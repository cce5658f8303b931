//===- graphc/Sorting.h - elements in order ----------------------*- C++ -*-===//
//
// Of any dtype. NaNs, which are all equal, stand behind all numbers and -0 equals 0; sorting is
// stable. Derivatives go to the elements that were taken; positions and counts have none. None of
// the functions fails by itself: a mistake is carried by the Variable, at the place of the first
// operand. Axes may be negative: they count from the end (AxisError); without an axis they work on
// the flattened operand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graphc/Indexing.h"

namespace graphc {

struct SortOptions {
  std::optional<int> axis = -1;
  /// The greatest first; equal elements keep their order here, too.
  bool descending = false;
};
/// Radix sort by row (LSD), or comparisons in short ones.
Variable sort(const Operand &x, SortOptions options = {});
/// The positions of the elements in that order: int64.
Variable argsort(const Operand &x, SortOptions options = {});

/// The k greatest elements along an axis, the greatest first, or, for k < 0, the -k smallest, the
/// smallest first. Of equal ones those that stand first. ValueError for k = 0 and more than there
/// are.
Variable topk(const Operand &x, int64_t k, AxisOption options = {});
/// Their positions: int64.
Variable argtopk(const Operand &x, int64_t k, AxisOption options = {});

/// How many elements of the sorted vector are less than each value, or, to the right, not greater:
/// int64. `sorter` are the positions that sort it, where it is not. TypeError for other ranks.
struct SearchOptions {
  bool right = false;
  std::optional<Operand> sorter = std::nullopt;
};
Variable searchsorted(const Operand &sorted, const Operand &values, SearchOptions options = {});

/// The elements of x, or its slices along an axis, each once, in (lexicographic) order.
struct Unique {
  Variable values;
  Variable index;   ///< where each stands first: int64
  Variable inverse; ///< for each element of x, the position of its value; of x's shape, or a vector
  Variable counts;  ///< how often there is each: int64
};
Unique unique(const Operand &x, std::optional<int> axis = std::nullopt);

/// How often each number from 0 on is in a vector of integers, or the sum of their weights: as many
/// as the greatest plus 1, but at least `minLength`. int64, or float64 with weights. ValueError for
/// negative numbers; TypeError for floats.
Variable bincount(const Operand &x, const std::optional<Operand> &weights = std::nullopt,
                  int64_t minLength = 0);

/// The middle element in order, the mean of two where they are even in number; NaN where one is,
/// and of no elements.
Variable median(const Operand &x, std::optional<int> axis = std::nullopt);
/// What stands at position q (n - 1) in order, 0 <= q <= 1 (ValueError), where that lies between
/// two elements: linear between them, one of them, their mean, or the nearest (the even position at
/// ties).
enum class QuantileMethod { Linear, Lower, Higher, Midpoint, Nearest };
Variable quantile(const Operand &x, double q, std::optional<int> axis = std::nullopt,
                  QuantileMethod method = QuantileMethod::Linear);

struct HistogramOptions {
  /// From where to where bins reach: by default the least and the greatest element, half a unit
  /// around where these are one, 0 to 1 where there are none.
  std::optional<std::pair<double, double>> range = std::nullopt;
  /// Of the shape of x: sums of them in the place of counts.
  std::optional<Operand> weights = std::nullopt;
  /// Whether counts are divided by their sum and by the bins' widths.
  bool isDensity = false;
};
/// How many elements lie in each of several bins, [edge, next edge), the last one with its end:
/// int64, float64 with weights and of densities; elements outside and NaNs are in none. Bins of
/// equal width, or between the edges of a sorted vector. ValueError for no bin and for a range that
/// is empty or not finite.
struct Histogram {
  Variable counts, edges;
};
Histogram histogram(const Operand &x, int64_t bins = 10, const HistogramOptions &options = {});
Histogram histogramOf(const Operand &x, const Operand &edges, const HistogramOptions &options = {});

} // namespace graphc
