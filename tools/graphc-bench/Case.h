//===- Case.h - what graphc-bench measures ------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Groups.h"
#include "absl/status/statusor.h"
#include "graphc/DType.h"

namespace graphc::bench {

class Workers;

struct Settings {
  /// Threads of all sides.
  int threads = 1;
  /// A few repetitions, to see that everything works.
  bool quick = false;
  /// About how long the repetitions of one case last, in seconds.
  double seconds = 1;
  /// Folder with the graphc program.
  std::string programs;
  /// Beside graphc itself, with one optimization switched off each that the case is for, and nobody
  /// else.
  bool switches = false;
  /// The case's, while one is prepared.
  std::string caseName = {};
  /// Other systems in processes of their own; null for none.
  Workers *workers = nullptr;
};

/// Does the measured work `count` times.
using Work = std::function<void(int64_t count)>;

/// Seconds of one named part of a longer piece of work.
using Phases = std::vector<std::pair<std::string, double>>;

/// The same work done by somebody else.
struct Rival {
  std::string name;
  /// Nanoseconds that `count` pieces of work took.
  std::function<absl::StatusOr<double>(int64_t count)> time;
  /// Another system, or a loop that somebody would write instead: not graphc itself, nor the least
  /// that the same can cost. Geometric means are beside peers.
  bool isPeer = true;
};

/// What the hand-written loops are called.
inline constexpr const char *kByHand = "C++";
/// One in this process, by its clock.
Rival rivalOf(std::string name, Work work, bool isPeer = true);

/// What a piece of work costs at least, on any machine: arithmetic operations (an addition and a
/// multiplication are two), and bytes that come from and go to memory, each array once.
struct Cost {
  double flops = 0, read = 0, written = 0;
  /// Of the numbers that the operations are on: Float32, Float64, or BFloat16 for their products,
  /// which are added up in Float32.
  DType dtype = DType::Float32;
};

/// A case that is ready to be measured.
struct Subject {
  Work ours;
  std::vector<Rival> rivals;
  /// After all sides have run: whether their results are right.
  std::function<absl::Status()> check;
  /// Instead of all that: work that measures its own parts, for a graph of `nodes` nodes.
  std::function<absl::StatusOr<Phases>()> phases;
  int64_t nodes = 0;
  Cost cost;
  /// From the finished graph to the first result, in seconds, without a cache; 0 where that is not
  /// known.
  double compileSeconds = 0;
};

/// What is to be reached; the unit is that of the field.
struct Target {
  /// Of the fastest rival's time.
  std::optional<double> ratio = std::nullopt;
  std::optional<double> extraNanoseconds = std::nullopt; // over that rival
  std::optional<double> milliseconds = std::nullopt;
  /// With extraNanoseconds: so much of the rival's time besides.
  double extraOfPeer = 0;
};

struct Case {
  std::string name;
  std::string about;
  Target target;
  std::function<absl::StatusOr<Subject>(const Settings &)> prepare;
  /// Null for what stands beside nobody.
  const Group *group = nullptr;
  /// Of Settings::seconds, where cases are many.
  double share = 1;
};

// Each file adds its cases to the list.
void addElementwise(std::vector<Case> &cases);
void addRows(std::vector<Case> &cases);
void addMath(std::vector<Case> &cases);
void addProducts(std::vector<Case> &cases);
void addBoundProducts(std::vector<Case> &cases);
void addLinear(std::vector<Case> &cases);
void addConvolutions(std::vector<Case> &cases);
void addNetworks(std::vector<Case> &cases);
void addModels(std::vector<Case> &cases);
void addLoops(std::vector<Case> &cases);
void addSwitches(std::vector<Case> &cases);
void addCalls(std::vector<Case> &cases);
void addTraining(std::vector<Case> &cases);
void addCompilation(std::vector<Case> &cases);
void addSites(std::vector<Case> &cases);
void addRewriting(std::vector<Case> &cases);
void addGradients(std::vector<Case> &cases);
void addLargeGraphs(std::vector<Case> &cases);

/// All of them, in the order of the table.
std::vector<Case> allCases();

} // namespace graphc::bench
