//===- Transforms/LinalgToLoops.h - linalg on tensors to loops on vectors -*- C++ -*-===//
//
// Before (Lowering/LowerToLinalg.h):
//   func.func @f(%x: tensor<?xf32> {graphc.dims = array<i64: 0>}, %n: index) -> tensor<?xf32>
//       attributes {graphc.kernel, graphc.shared = 1 : i64} { linalg.generic ... }
// After:
//   func.func @f(%x: memref<f32>, %y: memref<f32>, %n: index) -> i32 attributes {graphc.kernel} {
//     scf.for ... { vector.load ... vector.store }   masked tail
//     return %status : i32
//   }
// The arguments are the inputs, the outputs, scratch memory, the sizes, and with graphc.split the
// first and the last (exclusive) iteration of the outermost shared loop. Arrays are row-major; a
// Bool is a byte. The status is 0, or 1 + the number of the check that failed.
//
// How nests become loops is said in KernelEmitter.h and the strategies' files.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Support/CopiedOperands.h"
#include "Transforms/LoopTarget.h"
#include "absl/status/status.h"
#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// On a kernel of the loops stage: for each scratch buffer an array<i64: bytes, n...>; its size in
/// bytes is the product of `bytes` and of the sizes (by argument number) n.
inline constexpr llvm::StringLiteral kScratchAttr = "graphc.scratch";
/// For each scratch buffer an array<i64: limit, n...>: it is wanted only where the product of the
/// sizes n is greater than the limit. Empty for one that always is.
inline constexpr llvm::StringLiteral kScratchLimitAttr = "graphc.scratch_limit";
/// For each scratch buffer an array<i64: input, columns, bytes, isTransposed, hasRoom>: a copy of
/// that input, if it is a constant, in that form (Support/CopiedOperands.h), or a null pointer; the
/// size is that of one row in memory. Empty: a buffer.
inline constexpr llvm::StringLiteral kKeptAttr = "graphc.kept";
KeptForm keptFormOf(mlir::Attribute attribute);

/// Loads the dialects of the loops stage: once per context.
void loadLoopDialects(mlir::MLIRContext &context);

/// Replaces every kernel of the linalg stage in the module. Errors: ValueError where the linalg is
/// not as LowerToLinalg.h says.
absl::Status lowerToLoops(mlir::ModuleOp module, const LoopTarget &target);

} // namespace graphc
