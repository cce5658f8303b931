//===- Case.h - what graphc-bench measures ------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace graphc::bench {

struct Settings {
  /// Threads of both sides.
  int threads = 1;
  /// A few repetitions, to see that everything works.
  bool quick = false;
  /// About how long the repetitions of one case last, in seconds.
  double seconds = 1;
  /// Folder with the graphc program.
  std::string programs;
};

/// Does the measured work `count` times.
using Work = std::function<void(int64_t count)>;

/// Seconds of one named part of a longer piece of work.
using Phases = std::vector<std::pair<std::string, double>>;

/// A case that is ready to be measured.
struct Subject {
  Work ours;
  /// The same work by hand; empty for cases that have no peer.
  Work peer;
  /// After both sides have run: whether their results are right.
  std::function<absl::Status()> check;
  /// Instead of all that: work that measures its own parts, for a graph of `nodes` nodes.
  std::function<absl::StatusOr<Phases>()> phases;
  int64_t nodes = 0;
};

/// What is to be reached; the unit is that of the field.
struct Target {
  std::optional<double> ratio = std::nullopt;
  std::optional<double> extraNanoseconds = std::nullopt; // over the peer
  std::optional<double> milliseconds = std::nullopt;
  /// With extraNanoseconds: so much of the peer's time besides.
  double extraOfPeer = 0;
};

struct Case {
  std::string name;
  std::string about;
  Target target;
  std::function<absl::StatusOr<Subject>(const Settings &)> prepare;
};

// Each file adds its cases to the list.
void addElementwise(std::vector<Case> &cases);
void addRows(std::vector<Case> &cases);
void addMath(std::vector<Case> &cases);
void addProducts(std::vector<Case> &cases);
void addCalls(std::vector<Case> &cases);
void addTraining(std::vector<Case> &cases);
void addCompilation(std::vector<Case> &cases);
void addSites(std::vector<Case> &cases);
void addRewriting(std::vector<Case> &cases);
void addGradients(std::vector<Case> &cases);
void addLargeGraphs(std::vector<Case> &cases);

} // namespace graphc::bench
