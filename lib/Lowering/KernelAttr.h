//===- Lowering/KernelAttr.h - the mark of a kernel ---------------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace graphc {

/// Marks a function as a kernel, to be called from outside, from linalg down to LLVM's dialect.
inline constexpr llvm::StringLiteral kKernelAttr = "graphc.kernel";

} // namespace graphc
