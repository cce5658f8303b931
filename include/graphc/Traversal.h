//===- graphc/Traversal.h - walks over users' graphs ------------*- C++ -*-===//
//
// None recurses: a chain of a million nodes needs no more stack than one node. Orders depend on
// the graph alone, not on addresses (F-063). Time and memory are linear in what is walked.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Variable.h"

namespace graphc {

/// `of` and everything that they are computed from: depth-first, a Variable before its inputs,
/// inputs left to right, each once. The walk does not go beyond `blockers`.
Variables ancestors(absl::Span<const Variable> of, absl::Span<const Variable> blockers = {});

/// The Variables at which that walk ends, in its order: those without owner, constants included,
/// and blockers.
Variables graphInputs(absl::Span<const Variable> of, absl::Span<const Variable> blockers = {});
/// Those that a function must be given: no constants.
Variables explicitGraphInputs(absl::Span<const Variable> of);

/// The Variables between: `outputs`, what they are computed from up to `inputs` (included where
/// reached), and the other outputs of those nodes.
Variables varsBetween(absl::Span<const Variable> inputs, absl::Span<const Variable> outputs);
/// The nodes between, a consumer before its producers.
std::vector<Apply> applysBetween(absl::Span<const Variable> inputs,
                                 absl::Span<const Variable> outputs);
/// The nodes between, producers before consumers: depth-first from the outputs, left to right.
std::vector<Apply> ioToposort(absl::Span<const Variable> inputs,
                              absl::Span<const Variable> outputs);

/// Whether one of `of` is `candidate` or computed from it.
bool isInAncestors(const Variable &candidate, absl::Span<const Variable> of);

/// F-062: whether as[i] and bs[i] are the same computation, when aInputs[i] stands for bInputs[i]:
/// equal ops and types over equal inputs, constants with identical data, otherwise the very same
/// Variables. Lists of different lengths are not equal.
bool equalComputations(absl::Span<const Variable> as, absl::Span<const Variable> bs,
                       absl::Span<const Variable> aInputs = {},
                       absl::Span<const Variable> bInputs = {});

/// A graph with its interface.
struct InputsOutputs {
  Variables inputs;
  Variables outputs;
};
/// F-059: a copy of the graph between: every node is new and keeps its name and tag. With
/// `copyInputs` every Variable without owner is new too; otherwise they are reused. An input that
/// has an owner is cut: in the copy it has none.
InputsOutputs clone(absl::Span<const Variable> inputs, absl::Span<const Variable> outputs,
                    bool copyInputs = true);

using Replacements = std::vector<std::pair<Variable, Variable>>;
/// F-060: `outputs` with each `first` replaced by its `second`, all at once: a replacement is not
/// itself searched. Nodes that depend on no replaced Variable are shared with the source graph.
/// TypeError where `strict` and a replacement is not convertible to the type of what it replaces
/// (filterVariable); otherwise type rules run again, and their errors are returned.
absl::StatusOr<Variables> cloneReplace(absl::Span<const Variable> outputs,
                                       const Replacements &replacements, bool strict = true);

} // namespace graphc
