//===- LoopDerivatives.cpp - derivatives of loops are loops ----------------===//
//
// Back-propagation through time (F-323): a loop from the last step to the first whose body is the
// pullback of the body. Its states are what steps add to the gradients of earlier states, and sums
// of the gradients of what is the same in all steps; what the body needs of the forward loop are
// its results. A tangent is a loop over values and tangents together.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Control/LoopEdit.h"
#include "Gradient/ComplexDerivatives.h"
#include "Ops/Derivatives.h"
#include "Ops/RowsOfEnd.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "graphc/Traversal.h"

namespace graphc {

namespace {

/// Gradients of the end that are longer, or than half of all steps, are as good as of all rows.
constexpr int64_t kMostBeginning = 1024;

Variable reversed(const Variable &x) { return x[{Slice(kEnd, kEnd, -1)}]; }
Variable rows(const Variable &x, const Operand &first, const Operand &end) {
  return x[{Slice(first, end)}];
}
/// `count` rows of zeros as those of `like`.
Variable zeroRows(const Variable &like, const Operand &count) {
  Variable extents = like.shape();
  std::vector<Operand> list = {count};
  for (int axis = 1; axis < like.rank(); ++axis)
    list.emplace_back(extents[axis]);
  return zeros(stack(list), like.dtype());
}
/// The rows with the extents of the operand's, which they have but where there are none: without a
/// step nobody knows what it would have given.
Variable withRowsOf(const Variable &rows, const Variable &operand) {
  std::vector<Operand> extents = {rows.shape()[0]};
  std::vector<int64_t> known = {rows.type().extent(0)};
  bool isKnown = true;
  for (int axis = 1; axis < rows.rank(); ++axis) {
    isKnown &= rows.type().extent(axis) != kDynamic;
    extents.emplace_back(operand.shape()[axis]);
    known.push_back(operand.type().extent(axis));
  }
  return isKnown ? rows
                 : filterVariable(rows.type().withShape(known), reshape(rows, stack(extents)));
}
/// What the last steps have given, with zeros for those before, `numSteps` in all.
Variable ofAllSteps(const Variable &last, const Variable &numSteps) {
  return concatenate({zeroRows(last, numSteps - last.shape()[0]), last}, 0);
}

/// The parts of a loop's body and operands.
struct Parts {
  const Loop &loop;
  InputsOutputs body; // a copy of its own
  Variables sequences, initials, constants;

  Parts(const Control &control, Inputs in)
      : loop(*control.loop), body(clone(control.bodies[0].inputs(), control.bodies[0].outputs())),
        sequences(in.begin() + ptrdiff_t(loop.firstSequence()),
                  in.begin() + ptrdiff_t(loop.firstState())),
        initials(in.begin() + ptrdiff_t(loop.firstState()),
                 in.begin() + ptrdiff_t(loop.firstConstant())),
        constants(in.begin() + ptrdiff_t(loop.firstConstant()), in.end()) {}
  size_t numStates() const { return initials.size(); }
};

class BackwardLoop {
public:
  BackwardLoop(const Control &control, Inputs in, Outputs out, Gradients g)
      : p_(control, in), in_(in), gradients_(g.begin(), g.end()), results_(out.begin(), out.end()) {
  }

  absl::StatusOr<Variables> run();

private:
  /// Results of which all values are there.
  absl::Status findResults();
  void findEnds();
  absl::StatusOr<Variable> countSteps() const;
  void addSequence(const Variable &all, const Variable &element) {
    sequences_.push_back(all);
    inputs_.push_back(element);
  }
  absl::Status readForward();
  absl::Status keepValues(Variables &pulled);
  /// Where the elements start, of a sequence, that a tap gives in all steps together.
  Variable firstElement(size_t sequence, int64_t offset) const {
    if (!p_.loop.goesBackwards)
      return constant(offset);
    int64_t margin = marginOf(p_.loop.sequences[sequence]);
    return p_.sequences[sequence].shape()[0] - numSteps_ + (offset - margin);
  }
  /// Whether each element of a sequence is read, by one step.
  bool readsAll(size_t sequence) const {
    const Loop &loop = p_.loop;
    if (loop.sequences[sequence].size() > 1 || marginOf(loop.sequences[sequence]) > 0 ||
        loop.truncation >= 0)
      return false;
    const int64_t length = p_.sequences[sequence].type().extent(0);
    return (loop.sequences.size() == 1 && !loop.hasSteps && !loop.hasUntil) ||
           (length != kDynamic && length == results_[0].type().extent(0));
  }
  Variables collect(const Variables &made);

  Parts p_;
  Inputs in_;
  Variables gradients_, results_;
  /// By state: the gradient of its last value, where that alone has one.
  std::vector<std::optional<Variable>> ends_;
  /// What the first backward steps find, the later ones zeros: by result, the gradient of its last
  /// rows, where these alone have one.
  struct Beginning {
    size_t result;
    int64_t steps;
    Variable rows; // the first one is that of the first backward step; of one step, without an axis
  };
  std::vector<Beginning> beginnings_;
  bool isBeginning(size_t result) const {
    return std::ranges::find(beginnings_, result, &Beginning::result) != beginnings_.end();
  }
  Variable numSteps_;
  Variables sequences_, inputs_; // of the backward loop
  /// Of the body: those whose gradients are wanted.
  struct Wanted {
    Variable input;
    size_t number; // of the sequence, state or constant
    int tap;
    int64_t offset = 0; // of a sequence's first element
  };
  std::vector<Wanted> ofSequences_, ofStates_, ofConstants_;
  /// Of those of its state.
  bool isFirstTap(const Wanted &ofState) const {
    return &ofState == ofStates_.data() || (&ofState)[-1].number != ofState.number;
  }
};

/// How many steps the loop does, by running it.
absl::StatusOr<Variable> BackwardLoop::countSteps() const {
  Loop counting = p_.loop;
  counting.states.push_back({-1});
  counting.keepsLast.push_back(true);
  counting.stateRows.push_back(0);
  Variable before(Type(DType::Int64, {}));
  Variables inputs = p_.body.inputs, outputs = p_.body.outputs, operands(in_.begin(), in_.end());
  inputs.insert(inputs.end() - ptrdiff_t(p_.constants.size()), before);
  outputs.insert(outputs.begin() + ptrdiff_t(p_.numStates()), before + int64_t(1));
  operands.insert(operands.end() - ptrdiff_t(p_.constants.size()), constant(int64_t(0)));
  absl::StatusOr<Variables> made =
      makeLoop(std::move(counting), inputs, std::move(outputs), operands, Place());
  if (!made.ok())
    return made.status();
  return (*made)[p_.numStates()];
}

absl::Status BackwardLoop::findResults() {
  const Loop &loop = p_.loop;
  bool isSome = false, isShort = true; // values alone that are kept: of some results, of all
  for (size_t k = 0; k < results_.size(); ++k) {
    const bool isCut = (k < p_.numStates() && loop.keepsLast[k]) || loop.rowsOf(k) > 0;
    isSome |= isCut;
    isShort &= isCut;
  }
  if (isSome) {
    Loop all = loop;
    for (auto *counts : {&all.stateRows, &all.mappedRows})
      counts->clear();
    all.keepsLast.clear();
    Variables outputs = p_.body.outputs, operands(in_.begin(), in_.end());
    // Without results of all steps there may be no sensible bound of their number, which says how
    // much memory all values get.
    if (loop.hasSteps && loop.hasUntil && isShort) {
      absl::StatusOr<Variable> count = countSteps();
      if (!count.ok())
        return count.status();
      operands[0] = *count;
      outputs.pop_back();
      all.hasUntil = false;
    }
    absl::StatusOr<Variables> made = makeLoop(all, p_.body.inputs, outputs, operands, Place());
    if (!made.ok())
      return made.status();
    results_ = *std::move(made);
  }
  const int64_t known = results_[0].type().extent(0);
  numSteps_ = known == kDynamic ? results_[0].shape()[0] : constant(known);
  return absl::OkStatus();
}

void BackwardLoop::findEnds() {
  ends_.resize(gradients_.size());
  for (size_t k = 0; k < gradients_.size(); ++k) {
    const bool isState = k < p_.numStates();
    if (!isPresent(gradients_[k]) || !isDifferentiable(results_[k].dtype()))
      continue;
    if (isState && p_.loop.keepsLast[k]) {
      ends_[k] = gradients_[k];
      continue;
    }
    if (!isState && p_.loop.stacksBackwards)
      continue;
    const std::optional<GradientOfEnd> end = gradientOfEnd(gradients_[k]);
    if (!end)
      continue;
    // There may be fewer steps, or none.
    const int64_t length = results_[k].type().extent(0), count = end->count;
    if (count == 1) {
      Variable row =
          end->rows.type().extent(0) == 1 ? Variable(end->rows[0]) : sum(end->rows, Axis(0));
      if (isState)
        ends_[k] = row;
      else
        beginnings_.push_back({k, 1, row});
    } else if (count <= kMostBeginning && (length == kDynamic || 2 * count <= length)) {
      Variable missing = zeroRows(end->rows, count - end->rows.shape()[0]);
      beginnings_.push_back({k, count, concatenate({reversed(end->rows), missing}, 0)});
    }
  }
}

/// The sequences that give the body's inputs as they were.
absl::Status BackwardLoop::readForward() {
  const Loop &loop = p_.loop;
  size_t input = 0;
  for (size_t k = 0; k < loop.sequences.size(); ++k) {
    const Variable &sequence = p_.sequences[k];
    const std::vector<int> &taps = loop.sequences[k];
    for (int tap : taps) {
      const int64_t offset = tap + leadOf(taps);
      Variable first = firstElement(k, offset);
      Variable element = p_.body.inputs[input++];
      if (isDifferentiable(element.dtype()))
        ofSequences_.push_back({element, k, tap, offset});
      Variable elements = rows(sequence, first, first + numSteps_);
      addSequence(loop.goesBackwards ? reversed(elements) : elements, element);
    }
  }
  for (size_t k = 0; k < loop.states.size(); ++k) {
    int history = historyOf(loop.states[k]);
    Variable initial = p_.initials[k];
    if (!hasHistoryAxis(loop.states[k]))
      initial = expandDims(initial, Axis(0));
    Variable values = concatenate({initial, results_[k]}, 0);
    for (int tap : loop.states[k]) {
      Variable element = p_.body.inputs[input++];
      if (isDifferentiable(element.dtype()))
        ofStates_.push_back({element, k, tap});
      int64_t first = history + tap;
      addSequence(rows(values, first, numSteps_ + first), element);
    }
  }
  for (size_t k = 0; k < p_.constants.size(); ++k) {
    Variable element = p_.body.inputs[input++];
    if (isDifferentiable(element.dtype()))
      ofConstants_.push_back({element, k, 0});
  }
  return absl::OkStatus();
}

/// Whether the forward loop gives the results of such a node to the backward one: products and
/// functions. Others are computed again, or only move elements.
bool isWorthKeeping(const Op &op) {
  constexpr std::string_view kProducts[] = {"dot", "matmul", "batchedDot", "tensordot"};
  switch (op.def().elements) {
  case Elements::Elementwise:
    return !isCheap(op.name());
  case Elements::Reduced:
  case Elements::Rows:
    return true;
  default:
    return std::ranges::find(kProducts, op.name()) != std::end(kProducts);
  }
}

/// What depends on states, costs something and is read by the pullback comes from a forward loop
/// that gives it: MergeLoops.cpp makes that one and the loop that there is one. The rest of what
/// the pullback reads is computed again: what has extents that elements decide, which steps may
/// have different ones of, too. So is all of it where few steps are gone back, or their number is
/// only known behind them.
absl::Status BackwardLoop::keepValues(Variables &pulled) {
  if (p_.loop.hasUntil || p_.loop.truncation >= 0 || p_.loop.hasRows())
    return absl::OkStatus();
  absl::flat_hash_set<const detail::VariableNode *> forward, ofStates, seen;
  auto input = p_.body.inputs.begin();
  for (const std::vector<int> &taps : p_.loop.sequences)
    input += ptrdiff_t(taps.size());
  for (const std::vector<int> &taps : p_.loop.states)
    for (size_t tap = 0; tap < taps.size(); ++tap)
      ofStates.insert((input++)->node());
  const std::vector<Apply> order = ioToposort(p_.body.inputs, p_.body.outputs);
  const VariableSet unsure = extentsOfElements(order);
  for (const Apply &node : order) {
    const bool depends = std::ranges::any_of(
        node.inputs(), [&](const Variable &v) { return ofStates.contains(v.node()); });
    for (const Variable &output : node.outputs()) {
      forward.insert(output.node());
      if (depends)
        ofStates.insert(output.node());
    }
  }
  Variables kept, pending = pulled;
  while (!pending.empty()) {
    const Variable v = pending.back();
    pending.pop_back();
    if (!v.hasOwner() || !seen.insert(v.node()).second)
      continue;
    const bool isForward = forward.contains(v.node());
    if (isForward && !ofStates.contains(v.node()))
      continue;
    if (isForward && isWorthKeeping(v.owner().op()) && !unsure.contains(v.node()))
      kept.push_back(v);
    else
      for (const Variable &operand : v.owner().inputs())
        pending.push_back(operand);
  }
  if (kept.empty())
    return absl::OkStatus();
  Loop all = p_.loop;
  all.keepsLast.clear();
  Variables outputs = p_.body.outputs;
  std::vector<size_t> numbers;
  for (const Variable &v : kept) {
    auto at = std::ranges::find(outputs, v);
    numbers.push_back(size_t(at - outputs.begin()));
    if (at == outputs.end()) {
      outputs.push_back(v);
      ++all.numMapped;
    }
  }
  absl::StatusOr<Variables> made =
      makeLoop(all, p_.body.inputs, outputs, Variables(in_.begin(), in_.end()), Place());
  if (!made.ok())
    return made.status();
  Replacements replacements;
  for (size_t k = 0; k < kept.size(); ++k) {
    const bool isStackedBackwards = numbers[k] >= p_.numStates() && all.stacksBackwards;
    const Variable &values = (*made)[numbers[k]];
    Variable element(kept[k].type());
    addSequence(isStackedBackwards ? reversed(values) : values, element);
    replacements.emplace_back(kept[k], element);
  }
  absl::StatusOr<Variables> read = cloneReplace(pulled, replacements);
  if (!read.ok())
    return read.status();
  pulled = *std::move(read);
  return absl::OkStatus();
}

absl::StatusOr<Variables> BackwardLoop::run() {
  if (absl::Status s = findResults(); !s.ok())
    return s;
  if (absl::Status s = readForward(); !s.ok())
    return s;
  findEnds();
  const Loop &loop = p_.loop;
  Loop backward;
  backward.hasSteps = backward.goesBackwards = backward.stacksBackwards = true;
  // The gradients of what a step gives: those that the loop's results have, and what later steps
  // add to states.
  Variables given, cotangents, initials, stateInputs, newStates, furtherResults;
  std::vector<Variable> arrived(p_.body.outputs.size());
  std::vector<bool> hasArrived(p_.body.outputs.size());
  auto arrive = [&](size_t output, const Variable &g) {
    arrived[output] = hasArrived[output] ? arrived[output] + g : g;
    hasArrived[output] = true;
  };
  for (size_t k = 0; k < gradients_.size(); ++k) {
    if (!isPresent(gradients_[k]) || ends_[k] || isBeginning(k) ||
        !isDifferentiable(results_[k].dtype()))
      continue;
    Variable g(p_.body.outputs[k].type());
    const bool isStackedBackwards = k >= p_.numStates() && loop.stacksBackwards;
    Variable all = gradients_[k];
    if (loop.rowsOf(k) > 0)
      all = ofAllSteps(all, numSteps_);
    addSequence(isStackedBackwards ? reversed(all) : all, g);
    arrive(k, g);
  }
  for (const Wanted &w : ofStates_) {
    Variable from(p_.body.outputs[w.number].type());
    arrive(w.number, from);
    stateInputs.push_back(from);
    backward.states.push_back({w.tap});
    const bool hasAxis = hasHistoryAxis(loop.states[w.number]);
    const Variable &initial = p_.initials[w.number];
    backward.keepsLast.push_back(!hasAxis);
    Variable start = zerosLike(!hasAxis      ? initial
                               : w.tap == -1 ? initial[0]
                                             : rows(initial, 0, -w.tap));
    // What the first backward step adds to that of the last value; one tap is enough.
    if (const std::optional<Variable> &end = ends_[w.number]; end && isFirstTap(w))
      start =
          w.tap == -1 ? *end : concatenate({expandDims(*end, Axis(0)), rows(start, 1, -w.tap)}, 0);
    initials.push_back(start);
  }
  Variables beginningInputs;
  for (const Beginning &beginning : beginnings_) {
    beginningInputs.emplace_back(p_.body.outputs[beginning.result].type());
    arrive(beginning.result, beginningInputs.back());
  }
  for (size_t k = 0; k < arrived.size(); ++k)
    if (hasArrived[k]) {
      given.push_back(p_.body.outputs[k]);
      cotangents.push_back(arrived[k]);
    }
  Variables wrt;
  for (const auto *list : {&ofSequences_, &ofStates_, &ofConstants_})
    for (const Wanted &w : *list)
      wrt.push_back(w.input);
  Variables pulled(wrt.size(), zeroDerivative());
  if (!given.empty() && !wrt.empty())
    pulled = pullback(given, wrt, cotangents, {.disconnectedInputs = DisconnectedInputs::Ignore});
  for (const Variable &v : pulled)
    if (!v.ok())
      return v.status();
  if (given.empty() || wrt.empty())
    return Variables(in_.size(), zeroDerivative());
  if (absl::Status s = keepValues(pulled); !s.ok())
    return s;
  backward.sequences.assign(sequences_.size(), {0});
  auto next = pulled.begin();
  for (size_t k = 0; k < ofSequences_.size(); ++k)
    furtherResults.push_back(*next++);
  for (size_t k = 0; k < ofStates_.size(); ++k)
    newStates.push_back(*next++);
  for (const Wanted &w : ofConstants_) {
    Variable sum(w.input.type());
    stateInputs.push_back(sum);
    newStates.push_back(sum + *next++);
    backward.states.push_back({-1});
    backward.keepsLast.push_back(true);
    initials.push_back(zerosLike(p_.constants[w.number]));
  }
  for (size_t k = 0; k < beginnings_.size(); ++k) {
    stateInputs.push_back(beginningInputs[k]);
    newStates.push_back(zerosLike(beginningInputs[k]));
    backward.states.push_back({-int(beginnings_[k].steps)});
    backward.keepsLast.push_back(true);
    initials.push_back(beginnings_[k].rows);
  }
  backward.numMapped = int(furtherResults.size());
  Variable steps = numSteps_;
  if (loop.truncation >= 0)
    steps = minimum(steps, loop.truncation);
  Variables operands = {steps}, inputs = inputs_, outputs = newStates;
  for (const Variables *list : {&sequences_, &initials, &p_.constants})
    operands.insert(operands.end(), list->begin(), list->end());
  inputs.insert(inputs.end(), stateInputs.begin(), stateInputs.end());
  inputs.insert(inputs.end(), p_.body.inputs.end() - ptrdiff_t(p_.constants.size()),
                p_.body.inputs.end());
  outputs.insert(outputs.end(), furtherResults.begin(), furtherResults.end());
  absl::StatusOr<Variables> made = makeLoop(backward, inputs, outputs, operands, Place());
  return made.ok() ? collect(*made) : made;
}

/// The gradients of the operands.
Variables BackwardLoop::collect(const Variables &made) {
  const Loop &loop = p_.loop;
  Variables all(in_.size(), zeroDerivative());
  auto add = [&](size_t operand, const Variable &term) {
    all[operand] = isPresent(all[operand]) ? all[operand] + term : term;
  };
  auto next = made.begin();
  for (const Wanted &w : ofStates_) {
    Variable g = *next++;
    size_t operand = loop.firstState() + w.number;
    if (!hasHistoryAxis(loop.states[w.number])) { // of the first step
      if (loop.truncation >= 0)
        g = where(ge(Operand(loop.truncation), numSteps_), g, 0.0);
      add(operand, g);
      continue;
    }
    const Variable &initial = p_.initials[w.number];
    if (loop.keepsLast[w.number] && ends_[w.number] &&
        isFirstTap(w)) // which is the initial one without a step
      add(operand, incSubtensor(zerosLike(initial), {-1},
                                where(eq(numSteps_, int64_t(0)), *ends_[w.number], 0.0)));
    Variable steps = ofAllSteps(withRowsOf(reversed(g), initial), numSteps_);
    Variable first = rows(concatenate({steps, zeroRows(steps, -w.tap)}, 0), 0, -w.tap);
    add(operand,
        concatenate({zeroRows(steps, historyOf(loop.states[w.number]) + w.tap), first}, 0));
  }
  for (const Wanted &w : ofConstants_)
    add(loop.firstConstant() + w.number, *next++);
  next += ptrdiff_t(beginnings_.size());
  for (const Wanted &w : ofSequences_) {
    const Variable &sequence = p_.sequences[w.number];
    Variable steps = withRowsOf(*next++, sequence), first = firstElement(w.number, w.offset);
    if (loop.truncation >= 0)
      steps = ofAllSteps(steps, numSteps_);
    if (readsAll(w.number)) {
      add(loop.firstSequence() + w.number, loop.goesBackwards ? reversed(steps) : steps);
      continue;
    }
    add(loop.firstSequence() + w.number,
        incSubtensor(zerosLike(sequence), {Slice(first, first + numSteps_)},
                     loop.goesBackwards ? reversed(steps) : steps));
  }
  return all;
}

absl::StatusOr<Variables> pushed(const Control &control, Inputs in, Outputs out, Tangents t) {
  Parts p(control, in);
  const Loop &loop = p.loop;
  Loop both = loop;
  Variables operands(in.begin(), in.begin() + ptrdiff_t(loop.firstState()));
  Variables values[3], tangents[3]; // of sequences, states, constants: inputs of the body
  Variables wrt, directions, initials = p.initials, constants = p.constants;
  size_t input = 0;
  auto take = [&](int kind, size_t count, bool hasTangent) {
    for (size_t i = 0; i < count; ++i, ++input) {
      const Variable &value = p.body.inputs[input];
      values[kind].push_back(value);
      if (!hasTangent)
        continue;
      Variable tangent(value.type());
      tangents[kind].push_back(tangent);
      wrt.push_back(value);
      directions.push_back(tangent);
    }
  };
  auto has = [&](size_t operand) {
    return isPresent(t[operand]) && isDifferentiable(in[operand].dtype());
  };
  for (size_t k = 0; k < loop.sequences.size(); ++k) {
    size_t operand = loop.firstSequence() + k;
    take(0, loop.sequences[k].size(), has(operand));
    if (!has(operand))
      continue;
    both.sequences.push_back(loop.sequences[k]);
    both.names.push_back(loop.names[k]);
    operands.push_back(t[operand]);
  }
  std::vector<size_t> floatStates;
  for (size_t k = 0; k < loop.states.size(); ++k) {
    bool isOfFloats = isDifferentiable(p.initials[k].dtype());
    take(1, loop.states[k].size(), isOfFloats);
    if (!isOfFloats)
      continue;
    floatStates.push_back(k);
    both.states.push_back(loop.states[k]);
    both.keepsLast.push_back(loop.keepsLast[k]);
    both.stateRows.push_back(loop.stateRows[k]);
    initials.push_back(tangentOrZeros(t[loop.firstState() + k], p.initials[k]));
  }
  for (size_t k = 0; k < p.constants.size(); ++k) {
    size_t operand = loop.firstConstant() + k;
    take(2, 1, has(operand));
    if (has(operand))
      constants.push_back(t[operand]);
  }
  Variables given;
  std::vector<size_t> numbers; // of the results that have tangents
  for (size_t k = 0; k < out.size(); ++k)
    if (isDifferentiable(out[k].dtype())) {
      given.push_back(p.body.outputs[k]);
      numbers.push_back(k);
    }
  Variables made(out.size(), zeroDerivative());
  if (given.empty() || wrt.empty())
    return made;
  Variables pushedOut =
      pushforward(given, wrt, directions, {.disconnectedInputs = DisconnectedInputs::Ignore});
  Variables outputs(p.body.outputs.begin(), p.body.outputs.begin() + ptrdiff_t(p.numStates())),
      further(p.body.outputs.begin() + ptrdiff_t(p.numStates()),
              p.body.outputs.begin() + ptrdiff_t(out.size()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!pushedOut[i].ok())
      return pushedOut[i].status();
    const bool isState = numbers[i] < p.numStates();
    (isState ? outputs : further).push_back(pushedOut[i]);
    if (!isState)
      both.mappedRows.push_back(loop.rowsOf(numbers[i]));
  }
  both.numMapped = int(further.size());
  outputs.insert(outputs.end(), further.begin(), further.end());
  if (loop.hasUntil)
    outputs.push_back(p.body.outputs.back());
  Variables inputs;
  for (int kind = 0; kind < 3; ++kind)
    for (const Variables *list : {&values[kind], &tangents[kind]})
      inputs.insert(inputs.end(), list->begin(), list->end());
  operands.insert(operands.end(), initials.begin(), initials.end());
  operands.insert(operands.end(), constants.begin(), constants.end());
  absl::StatusOr<Variables> results = makeLoop(both, inputs, outputs, operands, Place());
  if (!results.ok())
    return results.status();
  size_t state = p.numStates(), mapped = both.states.size() + size_t(loop.numMapped);
  for (size_t k : numbers)
    made[k] = (*results)[k < p.numStates() ? state++ : mapped++];
  return made;
}

} // namespace

Variables pullLoop(const Control &control, Inputs in, Outputs out, Gradients g) {
  absl::StatusOr<Variables> terms = BackwardLoop(control, in, out, g).run();
  return terms.ok() ? *std::move(terms) : Variables(in.size(), Variable::invalid(terms.status()));
}

Variables pushLoop(const Control &control, Inputs in, Outputs out, Tangents t) {
  absl::StatusOr<Variables> tangents = pushed(control, in, out, t);
  return tangents.ok() ? *std::move(tangents)
                       : Variables(out.size(), Variable::invalid(tangents.status()));
}

} // namespace graphc
