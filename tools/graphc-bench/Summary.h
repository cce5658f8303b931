//===- Summary.h - geometric means of groups ----------------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Groups.h"
#include "Measure.h"

namespace graphc::bench {

/// Ratios of rows beside one system, or beside the best one of each.
struct Ratios {
  std::string peer;
  int rows = 0;
  /// The geometric mean of the medians of paired ratios.
  double mean = 0;
  /// The greatest median, and whose it is.
  double greatest = 0;
  std::string row;
  /// The greatest low end of an interval.
  double greatestLow = 0;
  /// Rows beyond kBehind with all of their interval.
  int behind = 0;
};

struct Summary {
  const Group *group = nullptr;
  /// Beside the best one of each row.
  Ratios best;
  /// Beside each system that has some of the rows.
  std::vector<Ratios> peers;

  /// Null if it has none of the rows; the best for "".
  const Ratios *beside(std::string_view peer) const;
  /// Whether all bars are; nothing without bars, or without the system that one asks for.
  std::optional<bool> reached() const;
};

/// A summary of each group in the order of its first row, of all of these rows together where there
/// are several groups, and of the rows at the machine's limit, which are in none of the others.
/// Rows without a peer are in none.
std::vector<Summary> summariesOf(const std::vector<Measurement> &measurements);

} // namespace graphc::bench
