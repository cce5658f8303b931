//===- NodeFromOperation.h - one operation to one Apply -----------*- C++ -*-===//
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Variable.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace graphc {

/// The user's place that a location tells; unknown where it tells none.
Place placeOf(mlir::Location location);

/// The Apply that `op` (of the graph dialect, not a constant) stands for. Its attributes and the
/// declared result types must agree with the op's definition; a declared type may leave extents
/// open that the type rule knows. `isVerified`: the operands are not those of the graph, so that a
/// declared type may know what the elements of shapes tell there.
absl::StatusOr<Apply> nodeFromOperation(mlir::Operation *op, absl::Span<const Variable> operands,
                                        bool isVerified = false);
/// The same of a `graph.call`, whose function became `called`.
absl::StatusOr<Apply> nodeFromOperation(mlir::Operation *op, const Op &called,
                                        absl::Span<const Variable> operands,
                                        bool isVerified = false);

/// Verifier of the dialect: makes the node on fresh operands.
mlir::LogicalResult verifyNode(mlir::Operation *op);

/// Puts an error on an operation as MLIR's diagnostics do; further lines of the message become
/// notes.
mlir::LogicalResult emitStatus(mlir::Operation *op, const absl::Status &status);

} // namespace graphc
