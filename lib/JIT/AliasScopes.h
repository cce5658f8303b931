//===- JIT/AliasScopes.h - which buffers do not overlap ---------*- C++ -*-===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace graphc {

/// Tells LLVM, in the way that its inliner does for `noalias` arguments, that the buffers named by
/// kNoAliasAttr do not overlap: every access gets a scope for its buffer. Runs once the pointers
/// are plain values (after sroa, early-cse and instcombine). What is gained are vectorized scalar
/// loops without run-time checks, and hoisted loads.
struct AliasScopesPass : llvm::PassInfoMixin<AliasScopesPass> {
  llvm::PreservedAnalyses run(llvm::Function &fn, llvm::FunctionAnalysisManager &);
};

} // namespace graphc
