//===- Lowering/KernelAttr.h - the mark of a kernel ---------------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace graphc {

/// Marks a function as a kernel, to be called from outside, from linalg down to loops.
inline constexpr llvm::StringLiteral kKernelAttr = "graphc.kernel";

/// Marks an scf.if of the loops stage whose first arm is seldom run: what it needs is kept in
/// memory there, and registers are the other arm's.
inline constexpr llvm::StringLiteral kSeldomAttr = "graphc.seldom";

} // namespace graphc
