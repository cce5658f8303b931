//===- OpCases.h - calls of every op, for any dtype --------------------------===//
#pragma once

#include <functional>
#include <string>
#include <string_view>
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

/// Operands of these dtypes, in turn, positions of int64: of unknown extents but where isStatic,
/// and where an extent of 1 must be known to broadcast.
Variables operandsOf(const OpCase &c, const std::vector<DType> &dtypes);

/// A node of an op that has no function in Ops.h, and the attributes of the node that `v` is of; a
/// mistake gives an Invalid Variable, and none.
Variable callBuiltin(std::string_view op, const Attributes &attributes, const Variables &operands);
Attributes attributesOf(const Variable &v);

/// Ways to call the built-in op; empty if there are none for it.
std::vector<OpCase> casesOf(const std::string &op);

} // namespace graphc
