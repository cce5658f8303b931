//===- JIT/OneLaneStores.h - masked stores of one element -------*- C++ -*-===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace graphc {

/// A store of one lane, and that a known one, becomes that element's:
///
///   store v, p, mask <0, 1, 0, 0>     ->     store v[1], p + 1 element
///
/// LLVM does that itself, but before 23 it takes the element for as wide as it was in front of a
/// conversion, and so writes behind it where mask registers are (llvm/llvm-project #179489).
struct OneLaneStores : llvm::PassInfoMixin<OneLaneStores> {
  llvm::PreservedAnalyses run(llvm::Function &fn, llvm::FunctionAnalysisManager &analyses);
};

} // namespace graphc
