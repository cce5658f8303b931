//===- Measure.h - all sides, interleaved -------------------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>

#include "Case.h"
#include "Machine.h"
#include "Statistics.h"

namespace graphc::bench {

/// Nanoseconds per piece of work.
struct Side {
  Median time;
  double least = 0;
};

/// Somebody else's time.
struct Beside {
  std::string name;
  Side side;
  /// ours / theirs and ours - theirs (nanoseconds), round by round.
  Median ratio, extra;
  bool isPeer = true;
};

struct Measurement {
  std::string name, about;
  const Group *group = nullptr;
  Target target;
  int64_t rounds = 0; // repetitions of all sides
  int64_t count = 0;  // pieces of work in a repetition of ours
  Side ours;
  std::vector<Beside> rivals;
  Cost cost;
  double compileSeconds = 0;
  /// What the machine allows, once that is known; empty where the cost is not known.
  std::optional<Limit> limit;
  /// Nanoseconds per node of each phase.
  Phases perNode;
  int64_t nodes = 0;

  /// The rival that is hardest to reach; null without one.
  const Beside *best() const;
  /// The same among peers.
  const Beside *bestPeer() const;
  /// Whether the target is reached, if there is one: a median or ratio reaches it where some of its
  /// interval does.
  std::optional<bool> reached() const;
};

/// Prepares, checks and measures. Errors: what preparing raises, and results that are wrong.
absl::StatusOr<Measurement> measure(const Case &which, const Settings &settings);

} // namespace graphc::bench
