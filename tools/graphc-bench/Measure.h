//===- Measure.h - two sides, interleaved -------------------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>

#include "Case.h"
#include "Statistics.h"

namespace graphc::bench {

/// Nanoseconds per piece of work.
struct Side {
  Median time;
  double least = 0;
};

struct Measurement {
  std::string name, about;
  Target target;
  int64_t pairs = 0; // repetitions of both sides
  int64_t count = 0; // pieces of work in a repetition
  Side ours;
  std::optional<Side> peer;
  /// ours / peer and ours - peer (nanoseconds), pair by pair.
  std::optional<Median> ratio, extra;
  /// Nanoseconds per node of each phase.
  Phases perNode;
  int64_t nodes = 0;

  /// Whether the target is reached, if there is one.
  std::optional<bool> reached() const;
};

/// Prepares, checks and measures. Errors: what preparing raises, and results that are wrong.
absl::StatusOr<Measurement> measure(const Case &which, const Settings &settings);

} // namespace graphc::bench
