//===- Lowering/LowerToLinalg.h - kernels to linalg on tensors --*- C++ -*-===//
#pragma once

#include "Kernels/Kernel.h"
#include "Lowering/KernelAttr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

namespace graphc {

/// Names of the attributes of the linalg stage, beside kKernelAttr.
inline constexpr llvm::StringLiteral kSharedAttr = "graphc.shared";
inline constexpr llvm::StringLiteral kSplitAttr = "graphc.split";
inline constexpr llvm::StringLiteral kLongAttr = "graphc.long";
inline constexpr llvm::StringLiteral kDimsAttr = "graphc.dims";
/// On a reduction: its float32 values may be joined in float32, this many at most, before they are
/// joined in the accumulator's type (F-012).
inline constexpr llvm::StringLiteral kPartialAttr = "graphc.partial";

/// Registers the dialects of the linalg stage.
void registerLinalgDialects(mlir::DialectRegistry &registry);

/// The kernel as a function on tensors, with one linalg.generic for each nest:
///
///   func.func @name(%x: tensor<?x8xf32> {graphc.dims = array<i64: 0>}, %n0: index) ->
///   tensor<?xf32>
///       attributes {graphc.kernel, graphc.shared = 1 : i64, graphc.split} {
///
/// Arguments: the inputs, then the sizes that are arguments of the kernel; graphc.dims of an input
/// are the numbers of the sizes that are its dynamic extents. Results: the outputs. graphc.shared
/// is Kernel::numShared; graphc.split says that the outermost of the shared loops may be run in
/// parts, graphc.long is Kernel::hasLongSums.
///
/// Loads whose indices are affine in the loops with constant factors are operands with indexing
/// maps, others tensor.extract in the body (under scf.if where masked). A reduction's init is a
/// linalg.fill with the neutral element, in the accumulator's type; a cast to the result's type is
/// a generic of its own. Loops that appear in no map get an operand made by tensor.empty for their
/// extents alone. Scalars without an op: ScalarCall.h.
///
/// The context must have the dialects loaded. The kernel must be well-formed.
mlir::OwningOpRef<mlir::ModuleOp> lowerToLinalg(const Kernel &kernel, mlir::MLIRContext &context);

} // namespace graphc
