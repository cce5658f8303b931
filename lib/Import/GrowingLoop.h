//===- Import/GrowingLoop.h - loops whose states change their shape -*- C++ -*-===//
#pragma once

#include "Import/LoopBody.h"

namespace graphc {

/// The outputs of a Loop some of whose states have other extents after a step than before.
OnnxValues growingLoop(const LoopParts &loop);

} // namespace graphc
