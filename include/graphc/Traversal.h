//===- graphc/Traversal.h - walks over the users' graph ---------*- C++ -*-===//
//
// All walks go depth-first from the outputs in order, inputs left to right, so what they give is
// the same in every run. None recurses. Thread-safe.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "graphc/Variable.h"

namespace graphc {

/// The Applys that compute `outputs` from `inputs`, each once, producers before consumers. What
/// lies above an input is left out.
std::vector<Apply> ioToposort(absl::Span<const Variable> inputs,
                              absl::Span<const Variable> outputs);

/// Variables without owner, and those of `blockers`, on which `outputs` depend, in the order of
/// the first visit; constants included. Nothing above a blocker is visited.
Variables graphInputs(absl::Span<const Variable> outputs,
                      absl::Span<const Variable> blockers = {});

} // namespace graphc
