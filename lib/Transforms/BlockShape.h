//===- Transforms/BlockShape.h - a block of parallel loops ------*- C++ -*-===//
#pragma once

#include "Transforms/KernelEmitter.h"

namespace graphc {

struct KernelEmitter::BlockShape {
  int vectorLoop, rowLoop; ///< rowLoop -1: none
  int rows, vectors, lanes;
  bool isWindow = false; ///< rows are lines of a window's results
  bool isShort = false;  ///< rows are the whole of the last axis, which vectors cross

  /// Columns of a block.
  int64_t width() const { return int64_t(vectors) * lanes; }
};

} // namespace graphc
