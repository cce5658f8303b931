//===- Transforms/KnownSizes.h - kernels for one shape ------------*- C++ -*-===//
//
// A kernel of the loops stage for calls whose sizes are known:
//
//   func.func @f(%x: memref<f32>, %y: memref<f32>, %n: index, %begin: index, %end: index) -> i32 {
//     scf.for %i = %begin to %main step %16 { ... }
//     scf.for %i = %main to %end step %16 { %mask = vector.create_mask ... }
//   }
// becomes, where %n and %end are 40 and %begin is 0,
//   func.func @f(...) -> i32 {
//     scf.for %i = %0 to %32 step %16 { ... }
//     %mask = vector.constant_mask [8] ...
//   }
//
// What is computed for each element, and the order in which sums are added up, have been decided
// before: results are the same bits. So is the signature.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Puts constants for the sizes of the module's only kernel that are known, in the order of its
/// arguments (with begin and end, if it has them), and simplifies its loops.
void fixSizes(mlir::ModuleOp loops, llvm::ArrayRef<std::optional<int64_t>> sizes);

} // namespace graphc
