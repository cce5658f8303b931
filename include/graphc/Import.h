//===- graphc/Import.h - graphs from files ----------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "graphc/Variable.h"

namespace graphc {

/// A value that a file names, `ml_program.global` in graph text: a Constant, whose name it has.
struct Global {
  Variable value;
  /// Whether the file says that it may change. In a graph nothing changes it: what is read is the
  /// initial value.
  bool isMutable = false;
};

/// The name that a file gives an open extent of an input or output: equal names, equal extents.
struct ExtentName {
  int number; // of the input or output
  int axis;
  std::string name;
};

/// A graph with its interface: ordinary Variables, to be compiled, rewritten, differentiated.
struct GraphModule {
  std::string name = "main";
  Variables inputs;
  Variables outputs;
  /// One per output; empty where it has no name.
  std::vector<std::string> outputNames;
  /// Of the whole file, in its order, whether the graph reads them or not. Names are distinct.
  std::vector<Global> globals = {};
  /// In the order of inputs, or outputs, and axes; those without a name are left out.
  std::vector<ExtentName> inputExtents = {}, outputExtents = {};
};

/// Reads graph text, or the bytecode that printGraph writes, of the `graph` dialect;
/// docs/GraphText.md describes it. `entry` names the function; empty means "main", or the only
/// function of the file. Errors name FILE:LINE:COLUMN as their place: Io where the file cannot be
/// read, ValueError where the text cannot be parsed, and the kinds that building the same graph in
/// C++ would give. Thread-safe.
absl::StatusOr<GraphModule> loadGraph(const std::string &path, std::string_view entry = {});
/// The same from memory; `name` stands for the file in places.
absl::StatusOr<GraphModule> parseGraph(std::string_view text, std::string_view name = "<memory>",
                                       std::string_view entry = {});

/// How `printGraph` writes.
struct PrintGraphOptions {
  /// Append the user's places as MLIR locations.
  bool locations = false;
  /// MLIR bytecode instead of text.
  bool bytecode = false;
};
/// Graph text that `parseGraph` reads back to the same graph. Variables keep their names where
/// these are legal and distinct. NotSupported for ops without a definition in the registry;
/// ValueError for globals without a name of their own.
absl::StatusOr<std::string> printGraph(const GraphModule &module,
                                       const PrintGraphOptions &options = {});

/// What a caller knows of the inputs of an ONNX model.
struct OnnxInputs {
  /// The length of an optional value that is not there.
  static constexpr int64_t kNone = -1;
  /// How many elements a sequence has: its elements are inputs NAME[0], NAME[1], and so on of the
  /// graph. 1 of an optional tensor, which is one input NAME; kNone of an optional value that is
  /// not there. Must be given for each input of these kinds.
  std::map<std::string, int64_t> lengths = {};
  /// Shapes of inputs, kDynamic for extents that stay open: where the file states no rank, and to
  /// compile for given extents. Elements of sequences are named NAME[0], and so on.
  std::map<std::string, std::vector<int64_t>> shapes = {};
};

/// Reads an ONNX model; initializers become constants. NotSupported lists every operator (with
/// counts) that has no translation; KeyError for what is said of no input. `inputs` is for models
/// some of whose inputs are sequences, optional values, or of shapes that the file leaves open. A
/// sequence that is an output becomes outputs NAME[0], NAME[1], and so on; an optional value that
/// is not there becomes none. Thread-safe.
absl::StatusOr<GraphModule> loadOnnx(const std::string &path, const OnnxInputs &inputs = {});

} // namespace graphc
