//===- Lowering/KernelAttr.h - the mark of a kernel ---------------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace graphc {

/// Marks a function as a kernel, to be called from outside, from linalg down to loops.
inline constexpr llvm::StringLiteral kKernelAttr = "graphc.kernel";

/// Marks an scf.if of the loops stage whose first arm is seldom run: what it needs is kept in
/// memory there, and registers are the other arm's.
inline constexpr llvm::StringLiteral kSeldomAttr = "graphc.seldom";

/// Marks an scf.for of the loops stage, without results, that may be a function of its own: it runs
/// long beside a call, and its code is worth another thread that compiles it.
inline constexpr llvm::StringLiteral kOutlineAttr = "graphc.outline";

} // namespace graphc
