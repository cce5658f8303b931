//===- SavedFunction.h - functions in files -----------------------*- C++ -*-===//
//
// A zip archive, so that its parts can be looked at with the usual tools:
//
//   function        what calls need: names, types, slots, options; the other parts' checksums
//   graph           MLIR bytecode of the graph, whose inputs are the slots
//   values/N.npy    of container N; bfloat16 as the uint16 of its bits
//   code/program    for processors of one kind and one build of graphc, if any:
//   code/kernels.so the program and its kernels
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

#include "API/FunctionState.h"
#include "Runtime/ProgramFile.h"

namespace graphc {

/// A function as a file has it. Values stand in the slots' containers.
struct SavedFunction {
  /// Mode, threads, target and name.
  FunctionOptions options;
  bool trustInput = false;
  std::vector<Slot> slots;
  std::vector<Type> outputTypes;
  std::vector<std::string> outputNames;
  std::vector<bool> areBorrowed; // by output
  /// Of the graph, which has those for next values, too.
  size_t numResults = 0;
  /// Inputs in the order of Slot::input.
  std::string graph;
  /// Empty where there is none for this processor and this build.
  ProgramImage code;
};

/// Errors: see Function::save.
absl::Status writeSaved(const std::string &path, const SavedFunction &saved);
/// Code is only read with `withCode`. Errors: see loadFunction.
absl::StatusOr<SavedFunction> readSaved(const std::string &path, bool withCode);

/// Whether the file begins as an archive does. False for what cannot be read.
bool isSavedFunction(const std::string &path);

/// Its graph as calls see it: what takes no argument is a constant of its name. NotSupported for a
/// function with updates.
absl::StatusOr<GraphModule> loadSavedGraph(const std::string &path);

} // namespace graphc
