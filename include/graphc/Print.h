//===- graphc/Print.h - graphs as text --------------------------*- C++ -*-===//
//
// None recurses, and the text of a graph is linear in its number of nodes however they share.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "graphc/Variable.h"

namespace graphc {

class FunctionGraph;

/// One Variable in few words: its name; a constant's value; "add.0" for a result without name;
/// its type in angle brackets.
std::string str(const Variable &v);

/// How ids are written.
enum class IdType { Letters, Numbers, Addresses, None };

/// Ids that several calls of debugPrint share: what one printed, the next shows by its id alone.
/// Keeps the printed graphs alive.
class DebugPrintMemory {
public:
  DebugPrintMemory();
  ~DebugPrintMemory();
  DebugPrintMemory(DebugPrintMemory &&) noexcept;
  DebugPrintMemory &operator=(DebugPrintMemory &&) noexcept;

  struct State;
  /// One that was moved from begins anew.
  State &state();

private:
  std::unique_ptr<State> state_;
};

struct DebugPrintOptions {
  /// Levels to print; negative: all.
  int depth = -1;
  bool printType = false;
  /// Do not show what a named result is computed from (but for the outputs themselves).
  bool stopOnName = false;
  IdType idType = IdType::Letters;
  /// Attributes that have their default value too.
  bool printOpInfo = false;
  bool printDestroyMap = false;
  bool printViewMap = false;
  /// Of a FunctionGraph: each node's place in its toposort().
  bool printPosition = true;
  DebugPrintMemory *memory = nullptr;
};

/// F-065 to F-070: one node a line, depth-first, operands indented below their user:
///
///   add [id A]
///    ├─ x [id B]
///    └─ mul [id C]
///       ├─ y [id D]
///       └─ z [id E]
///
/// A node that has been printed is shown again as its line and, below it, `···`. From the 41st
/// level on lines keep their indentation and begin with their level.
std::string debugPrint(absl::Span<const Variable> outputs, const DebugPrintOptions &options = {});
std::string debugPrint(const Variable &output, const DebugPrintOptions &options = {});
std::string debugPrint(const FunctionGraph &graph, const DebugPrintOptions &options = {});
/// To a stream, without building the whole text.
void debugPrint(std::ostream &os, absl::Span<const Variable> outputs,
                const DebugPrintOptions &options = {});

/// As a formula with no more parentheses than needed: "x + y * z". A large subexpression that is
/// used several times gets a line of its own before: "t0 = ...".
std::string pp(const Variable &v);
/// Its first bytes, at most `longest`, and " ..." where there is more. Of a graph of more nodes
/// than that it looks but eight levels deep, and writes "..." for the rest: the cost does not grow
/// with the graph.
std::string pp(const Variable &v, size_t longest);

/// Graphviz: operations as ellipses, Variables without owner and outputs as boxes.
std::string toDot(absl::Span<const Variable> outputs);
std::string toDot(const Variable &output);
std::string toDot(const FunctionGraph &graph);

} // namespace graphc
