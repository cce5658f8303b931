//===- graphc/Stage.h - compilation, watched --------------------*- C++ -*-===//
#pragma once

#include "graphc/Compiler.h" // first of all

#include <functional>
#include <string>
#include <string_view>

namespace graphc {

/// A stage of compilation begins, or is done.
struct StageReport {
  /// "load" (what was compiled before), "read", "rewritten", "kernels", "code"; the texts that
  /// somebody wants to see are "stages", or the stage that `graphc compile --emit` names.
  std::string_view stage;
  bool isDone = false;
  /// What it took by the clock, once it is done.
  double seconds = 0;
  /// What it made, as a person reads it: "12 nodes".
  std::string size = {};
};

/// Called at the beginning and the end of every stage, from the thread that compiles.
using StageObserver = std::function<void(const StageReport &)>;

} // namespace graphc
