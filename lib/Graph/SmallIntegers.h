//===- Graph/SmallIntegers.h - what may be a shape --------------*- C++ -*-===//
#pragma once

#include "graphc/OpDef.h"

namespace graphc {

/// Whether the elements could be known as sizes, of which result types are made (F-024): a small
/// integer array of known extents.
inline bool isSmallIntegers(const Type &type) {
  return type.isTensor() && !isFloat(type.dtype()) && type.hasStaticShape() &&
         type.numElements() <= Emitter::kMaxKnownElements;
}

} // namespace graphc
