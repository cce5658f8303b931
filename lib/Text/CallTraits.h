//===- Text/CallTraits.h - what functions of OpFromGraphs are told -*- C++ -*-===//
//
// A private function that `graph.call` names may have attributes:
//   graph.inline = "yes" | "automatic"                         no by default
//   graph.captured = 1                     so many last inputs are shared variables
//   graph.pullback = {rule = @name, of = ["default", 0, "disconnected", {null = "reason"}]}
//   graph.pushforward                      likewise
//   graph.connection = [[true, false], [true, true]]
//   graph.destroys = [-1, 0]
//   graph.slices = 1                       so many first inputs are slices of what a call gives:
//                                          the function is computed for each; nothing else is said
// `of` has an entry for each input that is not captured, or for each output: a number is that of a
// result of the rule, a function of inputs, outputs and gradients, or of inputs and tangents; then
// of the inputs whose numbers `reads = [2]` lists.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "Graph/InnerGraph.h"
#include "absl/status/statusor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {

/// Sets them. `symbolOf` gives the function of a rule, `name` being what it would be called.
absl::Status writeTraits(mlir::func::FuncOp function, const detail::InnerGraph &inner,
                         const std::function<std::string(const Op &rule)> &symbolOf,
                         std::string_view name);

/// The functions that they name.
std::vector<std::string> rulesOf(mlir::func::FuncOp function);

/// Reads them. `opOf` gives the op of a function. ValueError for what is malformed, or does not fit
/// the function's inputs and outputs.
absl::StatusOr<detail::InnerTraits>
readTraits(mlir::func::FuncOp function, const std::function<const Op *(llvm::StringRef)> &opOf);

} // namespace graphc
