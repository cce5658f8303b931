//===- Progress.h - what graphc is doing ------------------------*- C++ -*-===//
#pragma once

#include <string>

#include "graphc/Stage.h"

namespace graphc {

/// Says on standard error, if that is a terminal, what is being done and for how long, once that is
/// more than a second. One at a time.
class Progress {
public:
  explicit Progress(std::string what);
  /// Takes the line away.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
};

/// For FunctionOptions and CompileOptions: tells Progress, and with `verbose` prints every stage
/// that is done.
StageObserver stageObserver(bool verbose);

} // namespace graphc
