//===- OpCases.h - calls of every op, for any dtype --------------------------===//
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graphc/Variable.h"

namespace graphc {

/// One way to call an op: shapes of the operands, and the graph on Variables of them.
struct OpCase {
  std::vector<std::vector<int64_t>> shapes;
  std::function<Variable(const Variables &)> call;
  /// Operands whose extents stay known, and those that are int64 positions below `limit`.
  bool isStatic = false;
  int positions = -1; // number of that operand
  int64_t limit = 1;
  /// Extents of 1 are as unknown as the others; operands then do not broadcast.
  bool hasUnknownOnes = false;
};

/// Ways to call the built-in op; empty if there are none for it.
std::vector<OpCase> casesOf(const std::string &op);

} // namespace graphc
