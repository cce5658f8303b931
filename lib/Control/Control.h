//===- Control/Control.h - ops that run graphs ------------------*- C++ -*-===//
//
// An op with bodies: graphs that it runs when, and as often as, what it gets at run time says. To
// the rest of the library it is an op whose emission is a host call that evaluates them; the
// pipeline puts an op in its place that has their code, of which programs have a step with the
// bodies. Graphs that users make, and of which derivatives are taken, have loops; branches are made
// last (Sink.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Emit/ControlStep.h"
#include "Runtime/Levels.h"
#include "Runtime/Taps.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "graphc/FrozenGraph.h"
#include "graphc/OpDef.h"

namespace graphc {

/// How a loop runs its body. Operands: the number of steps, an int64, if `hasSteps`; sequences;
/// initial states; what is the same in all steps. The body's inputs: for each tap of each sequence
/// an element, for each tap of each state its value then, and the last operands. Its outputs: new
/// states, further results, and whether to end, a Bool, if `hasUntil`. Results: all values of each
/// state, the initial ones not, and of each further result, along a new first axis.
struct Loop {
  /// Of each sequence, of each state: element t + tap in step t, where that of the least tap below
  /// 0 is the first one. States' taps are below 0; with another one than -1 alone, the initial
  /// state has a first axis of as many values as the least tap says, the oldest first.
  std::vector<std::vector<int>> sequences = {}, states = {};
  int numMapped = 0;
  bool hasSteps = false, hasUntil = false;
  /// Sequences are read from the last step that they are enough for to the first.
  bool goesBackwards = false;
  /// Further results stand in the opposite order of the steps: where the sequences are read
  /// backwards, beside the elements that they were made of. Not with `hasUntil`.
  bool stacksBackwards = false;
  /// Gradients go back so many steps at most; all where negative.
  int64_t truncation = -1;
  /// By state: of its values the last alone, the initial one after no steps, without the axis.
  std::vector<bool> keepsLast = {};
  /// By state, by further result: of all values so many at most, the last ones; 0: all. Of a state
  /// they are more than its history, so that steps find there what they read. Not of a state that
  /// keeps its last value alone, nor of further results with `stacksBackwards`.
  std::vector<int64_t> stateRows = {}, mappedRows = {};
  /// The body is rewritten (LoopRewrites.h).
  bool isRewritten = false;
  /// As messages call sequences.
  std::vector<std::string> names = {};
  /// As messages call results, by state and by further result: "state 1", "result 3". Their numbers
  /// are those of the loop that was made first, whatever rewriting leaves out.
  std::vector<std::string> stateNames = {}, mappedNames = {};

  bool hasRows() const;
  /// Of the result with this number.
  int64_t rowsOf(size_t result) const {
    return result < states.size() ? stateRows[result] : mappedRows[result - states.size()];
  }
  const std::string &nameOf(size_t result) const {
    return result < states.size() ? stateNames[result] : mappedNames[result - states.size()];
  }
  size_t firstSequence() const { return hasSteps ? 1 : 0; }
  size_t firstState() const { return firstSequence() + sequences.size(); }
  size_t firstConstant() const { return firstState() + states.size(); }
};

/// NotSupported: more bodies than kMostLevels stand in each other.
absl::Status tooManyLevels(Place place = Place());

/// What such an op does.
struct Control {
  /// By number: those of a branch have the same inputs, a loop has one.
  std::vector<FrozenGraph> bodies;
  std::vector<Type> results;
  std::optional<Loop> loop = {};
  /// Of loops: how many stand in each other, this one included.
  int levels = 1;
  /// Null: they are evaluated.
  std::shared_ptr<const BodyCode> code = {};
};

/// A branch: the first body where operand 0, one number, is not 0, else the second one; their
/// inputs are the further operands, their outputs have the dtypes and ranks of the results. Or a
/// loop, with derivatives.
absl::StatusOr<Op> controlOp(Control control);

/// What an op does that `controlOp` made; null of others.
const Control *controlOf(const Op &op);
/// The same op, whose bodies have code.
absl::StatusOr<Op> withCode(const Op &op, std::shared_ptr<const BodyCode> code);

/// The results of a loop whose body gives `outputs` for `inputs`, over `operands`.
absl::StatusOr<Variables> makeLoop(Loop loop, const Variables &inputs, Variables outputs,
                                   const Variables &operands, Place place);
/// How many steps there are, at most, as an int64; `steps`: one number, or nothing.
Variable stepsOf(const Loop &loop, const Variables &steps, const Variables &sequences);
/// Rules of loops.
Variables pullLoop(const Control &control, Inputs in, Outputs out, Gradients g);
Variables pushLoop(const Control &control, Inputs in, Outputs out, Tangents t);

/// What the op's host call is, with what it needs besides.
Arrays emitBranch(const std::shared_ptr<const Control> &control, Emitter &e, const Arrays &in);
Arrays emitLoop(const std::shared_ptr<const Control> &control, Emitter &e, const Arrays &in);
/// What the host call that evaluates the bodies becomes where they have code.
std::shared_ptr<const ControlStep> controlStep(const Control &control, bool givesExtents = false);

/// Results of the nodes, producers first, with extents that elements decide and not shapes alone.
using VariableSet = absl::flat_hash_set<const detail::VariableNode *>;
VariableSet extentsOfElements(absl::Span<const Apply> order);

/// The extents of a graph's results, in an emission where `dimOf` gives those of its inputs; an
/// Extent of no Emitter for one that depends on elements. Nothing is recorded but sizes.
using DimOf = std::function<Extent(size_t input, int axis)>;
std::vector<Extents> shapesOfResults(Emitter &e, const FrozenGraph &graph, const DimOf &dimOf);

} // namespace graphc
