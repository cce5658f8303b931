//===- JIT/LoopTargetOf.h - a processor as the loops stage sees it --------*- C++ -*-===//
#pragma once

#include "JIT/Target.h"
#include "Transforms/LoopTarget.h"

namespace graphc {

/// What the loops stage is told of a processor.
inline LoopTarget loopTargetOf(const TargetDescription &target) {
  LoopTarget loops;
  loops.vectorBytes = target.vectorBytes;
  loops.vectorRegisters = target.hasAvx512 || target.isAArch64 ? 32 : 16;
  loops.maskRegisters = target.hasAvx512;
  // There vdpbf16ps does its two products in four times the time of an fma.
  loops.bf16Pairs = target.hasAvx512Bf16 && (!target.isIntel || target.hasAmx);
  loops.tileRegisters = target.hasAmx;
  loops.isIntel = target.isIntel && target.hasAvx512;
  loops.l2Bytes = target.l2Bytes;
  loops.math.fma = target.hasFma;
  loops.math.rounding = target.isAArch64 || target.hasAvx2;
  loops.math.avx512 = target.hasAvx512;
  loops.math.x87 = !target.isAArch64;
  loops.math.extrema = target.isAArch64;
  loops.optimizations = target.optimizations;
  return loops;
}

} // namespace graphc
