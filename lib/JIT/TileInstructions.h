//===- JIT/TileInstructions.h - AMX as kernels use it ------------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace graphc {

/// How many of the first operands of an intrinsic of AMX are numbers of registers; -1: it is none
/// that kernels use.
inline int numTileRegisters(llvm::StringRef intrinsic) {
  return llvm::StringSwitch<int>(intrinsic)
      .Cases({"llvm.x86.ldtilecfg", "llvm.x86.tilerelease"}, 0)
      .Cases({"llvm.x86.tilezero", "llvm.x86.tileloadd64", "llvm.x86.tilestored64"}, 1)
      .Case("llvm.x86.tdpbf16ps", 3)
      .Default(-1);
}

/// The registers' numbers are below this.
inline constexpr int kTileRegisters = 8;

} // namespace graphc
