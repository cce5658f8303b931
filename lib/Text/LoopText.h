//===- Text/LoopText.h - loops as text ----------------------------*- C++ -*-===//
//
//   %h, %y = graph.scan @step(%n, %x, %h0, %a) {backwards, last = [true], mapped = 1, names =
//   ["0"],
//       sequences = [[0]], states = [[-1]], steps, truncation = 5, until} : (...) -> (...)
//
// @step is a private function: the body. `sequences` and `states` are the taps of each; with
// `steps` operand 0 is their number. What is not given is as in Loop (Control/Control.h) by
// default.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Control/Control.h"
#include "absl/status/statusor.h"
#include "graphc/Variable.h"
#include "mlir/IR/Operation.h"

namespace graphc {

inline constexpr llvm::StringLiteral kLoopOpName = "graph.scan";

/// Adds the attributes.
void writeLoop(const Loop &loop, mlir::OperationState &state);

/// The op that `operation` stands for, on these operands, whose body is a function of the module.
/// ValueError and TypeError for attributes, operands and bodies that do not fit each other.
absl::StatusOr<Op> readLoop(mlir::Operation *operation, const FrozenGraph &body,
                            const Variables &operands);

} // namespace graphc
