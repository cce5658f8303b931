//===- Control/Checkpoints.h - loops that keep some states -------*- C++ -*-===//
#pragma once

#include "Control/Control.h"

namespace graphc {

struct CheckpointedLoop {
  /// As makeLoop gives them.
  Variables results;
  /// By state: its last value.
  Variables lasts;
};

/// F-328: the loop of makeLoop as a loop over chunks of `every` steps each (below 0: the square
/// root of their number), within which another one runs the steps, and one for the steps that are
/// left. Its gradient reads the states between the chunks, and runs a chunk again when it gets
/// there. For loops without `hasUntil`.
absl::StatusOr<CheckpointedLoop> makeCheckpointedLoop(const Loop &loop, const Variables &inputs,
                                                      const Variables &outputs,
                                                      const Variables &operands, int64_t every,
                                                      Place place);

} // namespace graphc
