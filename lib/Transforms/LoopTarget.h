//===- Transforms/LoopTarget.h - what loops know of the processor ---------*- C++ -*-===//
#pragma once

#include "Lowering/Math/MathBuilder.h"
#include "Support/Optimizations.h"

namespace graphc {

/// What the loops stage depends on. JIT/Target.h's TargetDescription says it for a real processor.
struct LoopTarget {
  int vectorBytes = 16;       ///< of one vector register: 64, 32 or 16
  int vectorRegisters = 16;   ///< 32 with AVX-512 and on aarch64
  bool maskRegisters = false; ///< masks have their own, and loads take them for nothing
  bool bf16Pairs = false;     ///< products of pairs of bfloat16 are added in one instruction, fast
  bool tileRegisters = false; ///< and in tile registers many at a time
  int64_t l2Bytes = 1 << 20;  ///< of a core's L2 cache
  bool isIntel = false;       ///< by its maker, with mask registers: its caches want other copies
  MathTarget math;
  Optimizations optimizations;
};

} // namespace graphc
