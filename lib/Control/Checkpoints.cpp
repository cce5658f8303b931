//===- Checkpoints.cpp ------------------------------------------------------===//
#include "Control/Checkpoints.h"

#include "Ops/Build.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/Ops.h"

namespace graphc {

namespace {

std::vector<int64_t> without(const Type &type, int axes) {
  return {type.shape().begin() + axes, type.shape().end()};
}

/// `chunks` times `length` rows.
Variable inChunks(const Variable &rows, const Variable &chunks, const Variable &length) {
  std::vector<int64_t> known = without(rows.type(), 1);
  known.insert(known.begin(), 2, kDynamic);
  std::vector<Operand> extents = {expandDims(chunks, Axis(0)), expandDims(length, Axis(0)),
                                  shape(rows)[{Slice(1, kEnd)}]};
  return filterVariable(rows.type().withShape(known), reshape(rows, concatenate(extents, 0)));
}

/// The last row of `all`, or `initial` where there is none.
Variable lastOf(const Variable &all, const Variable &initial) {
  return concatenate({expandDims(initial, Axis(0)), all[{Slice(-1, kEnd)}]}, 0)[-1];
}

class Checkpointing {
public:
  Checkpointing(const Loop &loop, const Variables &inputs, const Variables &outputs,
                const Variables &operands, Place place)
      : loop_(loop), inputs_(inputs), outputs_(outputs), place_(place),
        sequences_(operands.begin() + ptrdiff_t(loop.firstSequence()),
                   operands.begin() + ptrdiff_t(loop.firstState())),
        initials_(operands.begin() + ptrdiff_t(loop.firstState()),
                  operands.begin() + ptrdiff_t(loop.firstConstant())),
        constants_(operands.begin() + ptrdiff_t(loop.firstConstant()), operands.end()) {
    Variables given(operands.begin(), operands.begin() + ptrdiff_t(loop.firstSequence()));
    steps_ = stepsOf(loop, given, sequences_);
  }

  absl::StatusOr<CheckpointedLoop> run(int64_t every);

private:
  void readSequences();
  absl::StatusOr<Variables> runSteps(const Variable &count, const Variables &sequences,
                                     const Variables &initials, const Variables &constants) const;
  absl::StatusOr<Variables> runChunks(const Variable &chunks, const Variable &length) const;
  /// What the steps after these need of a state, whose values in them are `all`.
  Variable next(size_t state, const Variable &before, const Variable &all) const {
    if (!hasHistoryAxis(loop_.states[state]))
      return lastOf(all, before);
    return concatenate({before, all}, 0)[{Slice(-historyOf(loop_.states[state]), kEnd)}];
  }

  const Loop &loop_;
  const Variables &inputs_, &outputs_;
  const Place place_;
  const Variables sequences_, initials_, constants_;
  Variable steps_;
  /// By tap of a sequence: the element of each step, in the order of the steps.
  Variables elements_;
  Loop plain_; // over these
};

void Checkpointing::readSequences() {
  for (size_t k = 0; k < sequences_.size(); ++k) {
    const std::vector<int> &taps = loop_.sequences[k];
    const Variable all = sequences_[k], most = all.shape()[0] - marginOf(taps);
    if (loop_.hasSteps)
      steps_ = assertTrue(steps_, le(steps_, maximum(most, int64_t(0))),
                          "there are more steps than sequence " + loop_.names[k] + " is enough for",
                          ErrorKind::ValueError);
    for (int tap : taps) {
      Variable first = loop_.goesBackwards ? most - steps_ : constant(int64_t(0));
      first = first + (tap + leadOf(taps));
      Variable read = all[{Slice(first, first + steps_)}];
      elements_.push_back(loop_.goesBackwards ? flip(read, Axis(0)) : read);
      plain_.sequences.push_back({0});
      plain_.names.push_back(loop_.names[k]);
    }
  }
  plain_.states = loop_.states;
  plain_.numMapped = loop_.numMapped;
  plain_.hasSteps = true;
}

/// All values of the states, and of the further results.
absl::StatusOr<Variables> Checkpointing::runSteps(const Variable &count, const Variables &sequences,
                                                  const Variables &initials,
                                                  const Variables &constants) const {
  Variables operands = {count};
  for (const Variables *list : {&sequences, &initials, &constants})
    operands.insert(operands.end(), list->begin(), list->end());
  return makeLoop(plain_, inputs_, outputs_, operands, place_);
}

/// The states before each chunk but the first one, and after the last; then all values, by chunk.
absl::StatusOr<Variables> Checkpointing::runChunks(const Variable &chunks,
                                                   const Variable &length) const {
  Variables operands = {chunks}, inputs, sequences, initials, constants;
  Loop loop;
  for (const Variable &all : elements_) {
    operands.push_back(inChunks(all[{Slice(0, chunks * length)}], chunks, length));
    sequences.emplace_back(all.type().withShape(without(operands.back().type(), 1)));
    loop.sequences.push_back({0});
  }
  loop.names = plain_.names;
  for (const Variable &initial : initials_) {
    operands.push_back(initial);
    initials.emplace_back(initial.type());
    loop.states.push_back({-1});
  }
  operands.push_back(length);
  operands.insert(operands.end(), constants_.begin(), constants_.end());
  const Variable count(length.type());
  for (const Variable &whole : constants_)
    constants.emplace_back(whole.type());
  for (const Variables *list : {&sequences, &initials})
    inputs.insert(inputs.end(), list->begin(), list->end());
  inputs.push_back(count);
  inputs.insert(inputs.end(), constants.begin(), constants.end());
  absl::StatusOr<Variables> all = runSteps(count, sequences, initials, constants);
  if (!all.ok())
    return all;
  Variables outputs;
  for (size_t k = 0; k < initials.size(); ++k)
    outputs.push_back(filterVariable(initials[k].type(), next(k, initials[k], (*all)[k])));
  outputs.insert(outputs.end(), all->begin(), all->end());
  loop.numMapped = int(all->size());
  loop.hasSteps = true;
  return makeLoop(std::move(loop), inputs, outputs, operands, place_);
}

absl::StatusOr<CheckpointedLoop> Checkpointing::run(int64_t every) {
  readSequences();
  Variable length =
      every < 0 ? maximum(cast(sqrt(cast(steps_, DType::Float64)), DType::Int64), int64_t(1))
                : constant(every);
  Variable chunks = intDiv(steps_, length), done = chunks * length;
  absl::StatusOr<Variables> whole = runChunks(chunks, length);
  if (!whole.ok())
    return whole.status();
  Variables rests, initials;
  for (const Variable &all : elements_)
    rests.push_back(all[{Slice(done, kEnd)}]);
  for (size_t k = 0; k < initials_.size(); ++k)
    initials.push_back(filterVariable(initials_[k].type(), lastOf((*whole)[k], initials_[k])));
  absl::StatusOr<Variables> rest = runSteps(steps_ - done, rests, initials, constants_);
  if (!rest.ok())
    return rest.status();
  CheckpointedLoop made;
  for (size_t k = 0; k < rest->size(); ++k) {
    const bool isState = k < initials.size();
    if (isState) {
      Variable after = next(k, initials[k], (*rest)[k]);
      made.lasts.push_back(hasHistoryAxis(loop_.states[k]) ? Variable(after[-1]) : after);
    }
    made.results.push_back(
        isState && loop_.keepsLast[k]
            ? made.lasts[k]
            : build(builtin("joinChunks"), {(*whole)[initials.size() + k], (*rest)[k]}));
  }
  for (const Variables *list : {&made.results, &made.lasts})
    for (const Variable &v : *list)
      if (!v.ok())
        return v.status();
  return made;
}

} // namespace

absl::StatusOr<CheckpointedLoop> makeCheckpointedLoop(const Loop &loop, const Variables &inputs,
                                                      const Variables &outputs,
                                                      const Variables &operands, int64_t every,
                                                      Place place) {
  return Checkpointing(loop, inputs, outputs, operands, place).run(every);
}

} // namespace graphc
