//===- Ops/CallScope.h - functions that are made of several ops -*- C++ -*-===//
#pragma once

#include "Graph/PlaceScope.h"
#include "graphc/Ops.h"

namespace graphc {

/// While a function that makes several nodes runs, they all stand where it was called: at the place
/// of its first operand; where another such function calls it, at that one's. Not around calls of
/// the user's own functions, whose nodes have places of their own.
class CallScope {
public:
  explicit CallScope(const Operand &first) : scope_(PlaceScope::of(first.place())) {}
  explicit CallScope(absl::Span<const Operand> operands)
      : scope_(PlaceScope::of(operands.empty() ? Place() : operands[0].place())) {}

private:
  PlaceScope scope_;
};

} // namespace graphc
