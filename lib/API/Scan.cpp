//===- Scan.cpp - loops as users write them --------------------------------===//
#include "graphc/Scan.h"

#include <algorithm>
#include <limits>

#include "API/StepDraws.h"
#include "Control/Checkpoints.h"
#include "Control/Control.h"
#include "Graph/Branches.h"
#include "Graph/Label.h"
#include "Graph/Nodes.h"
#include "Ops/Build.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Config.h"
#include "graphc/Ops.h"

namespace graphc {

namespace {

/// The type of an element along the first axis.
Type elementType(const Type &type) {
  return type.withShape(std::vector<int64_t>(type.shape().begin() + 1, type.shape().end()));
}

/// An argument of the step, made where the loop is.
Variable argument(const Type &type, std::string_view name, Place place) {
  detail::LeafNode *leaf = detail::makeLeaf(type, name, place);
  Variable made = Variable::fromNode(leaf);
  detail::release(leaf);
  return made;
}

class ScanBuilder {
public:
  ScanBuilder(const ScanFunction &step, const ScanOptions &options, bool keepsLast, Place place,
              LoopCondition condition)
      : step_(step), options_(options), keepsLast_(keepsLast), place_(place),
        condition_(std::move(condition)) {}

  absl::StatusOr<ScanResult> run();

private:
  absl::Status error(ErrorKind kind, const std::string &what) const {
    return makeError(kind, options_.name + ": " + what, place_);
  }
  absl::Status readSteps();
  absl::Status readSequences();
  absl::Status readStates();
  absl::Status callStep();
  absl::Status checkState(size_t output) const;
  absl::Status addCondition();
  void addDraws(const StepDraws &draws);
  void keepInBranches(absl::Span<const Apply> order,
                      absl::flat_hash_set<const detail::VariableNode *> &inside,
                      std::vector<Apply> &depending) const;
  absl::Status capture();
  absl::StatusOr<ScanResult> collect(const Variables &made, const Variables &lasts) const;

  const ScanFunction &step_;
  const ScanOptions &options_;
  const bool keepsLast_;
  const Place place_;
  const LoopCondition condition_; // none: there is no question before a step
  Loop loop_;
  Variables steps_, sequences_, initials_, captured_;
  /// Arguments of the step that are new in each one; by output: its state, -1 for none.
  Variables elements_, values_;
  std::vector<int> stateOf_;
  ScanStep made_{Variables()};
  size_t numDraws_ = 0; // the last ones of its updates are generators of streams
  Variables bodyInputs_, bodyOutputs_;
};

absl::Status ScanBuilder::readSteps() {
  if (!options_.numSteps) {
    if (options_.sequences.empty())
      return error(ErrorKind::ValueError,
                   "nothing says how many steps there are: give a sequence, or numSteps");
    return absl::OkStatus();
  }
  Variable steps = asVariable(*options_.numSteps);
  if (!steps.ok())
    return steps.status();
  if (steps.rank() != 0 || !isInteger(steps.dtype()))
    return error(ErrorKind::TypeError,
                 "numSteps is " + steps.type().brief() + ", and must be one integer");
  steps_.push_back(steps.dtype() == DType::Int64 ? steps : cast(steps, DType::Int64));
  loop_.hasSteps = true;
  return absl::OkStatus();
}

absl::Status ScanBuilder::readSequences() {
  for (size_t k = 0; k < options_.sequences.size(); ++k) {
    const ScanSequence &given = options_.sequences[k];
    Variable sequence = asVariable(given.input);
    if (!sequence.ok())
      return sequence.status();
    std::string label = std::to_string(k);
    if (!sequence.name().empty())
      label += " `" + std::string(sequence.name()) + "`";
    if (sequence.rank() == 0 || given.taps.empty())
      return error(ErrorKind::ValueError, "sequence " + label + " is " + sequence.type().brief() +
                                              " with " + counted(given.taps.size(), "tap") +
                                              ": it needs a first axis, and a tap");
    for (size_t tap = 0; tap < given.taps.size(); ++tap)
      elements_.push_back(argument(elementType(sequence.type()), sequence.name(), place_));
    sequences_.push_back(sequence);
    loop_.sequences.push_back(given.taps);
    loop_.names.push_back(label);
  }
  return absl::OkStatus();
}

absl::Status ScanBuilder::readStates() {
  for (size_t k = 0; k < options_.outputs.size(); ++k) {
    const ScanOutput &given = options_.outputs[k];
    stateOf_.push_back(given.initial ? int(loop_.states.size()) : -1);
    if (!given.initial)
      continue;
    const std::string label = "output " + std::to_string(k);
    if (given.taps.empty() || *std::ranges::max_element(given.taps) >= 0)
      return error(ErrorKind::ValueError,
                   label + " has a tap that is not below 0, or none: steps get earlier values");
    Variable initial = asVariable(*given.initial);
    if (!initial.ok())
      return initial.status();
    if (given.initial->isWeak() && isFloat(initial.dtype()))
      initial = Constant::adopt(given.initial->weakValue().cast(floatX()), {}, place_);
    if (hasHistoryAxis(given.taps) && initial.rank() == 0)
      return error(ErrorKind::ValueError,
                   label + " starts as " + initial.type().brief() +
                       ", and needs a first axis for the values that its taps name");
    initials_.push_back(initial);
    loop_.states.push_back(given.taps);
    loop_.keepsLast.push_back(keepsLast_ && !hasHistoryAxis(given.taps));
    Type type = hasHistoryAxis(given.taps) ? elementType(initial.type()) : initial.type();
    for (size_t tap = 0; tap < given.taps.size(); ++tap)
      values_.push_back(argument(type, initial.name(), place_));
  }
  return absl::OkStatus();
}

/// F-317.
absl::Status ScanBuilder::checkState(size_t output) const {
  const size_t state = size_t(stateOf_[output]);
  Type before = initials_[state].type(), after = made_.outputs[output].type();
  if (hasHistoryAxis(loop_.states[state]))
    before = elementType(before);
  std::string what = "output " + std::to_string(output) + " starts as " + before.brief() +
                     ", and the step makes it " + after.brief();
  if (before.dtype() != after.dtype())
    return error(ErrorKind::TypeError, what + ": cast one of them");
  if (before.rank() != after.rank())
    return error(ErrorKind::TypeError, what + ": a state keeps its rank");
  for (int axis = 0; axis < before.rank(); ++axis)
    if (before.extent(axis) != kDynamic && after.extent(axis) != kDynamic &&
        before.extent(axis) != after.extent(axis))
      return error(ErrorKind::ShapeError, what + ": a state keeps its shape");
  return absl::OkStatus();
}

/// What a step draws from streams is drawn anew in each.
void ScanBuilder::addDraws(const StepDraws &draws) {
  for (const auto &[generator, next] : draws.updates()) {
    // A step may give them as well: those of a loop within it, say.
    std::erase_if(made_.updates, [&](const auto &update) { return update.first == generator; });
    made_.updates.emplace_back(generator, next);
  }
  numDraws_ += draws.updates().size();
}

absl::Status ScanBuilder::callStep() {
  auto call = [&] {
    StepDraws draws;
    Variables arguments = elements_;
    arguments.insert(arguments.end(), values_.begin(), values_.end());
    arguments.insert(arguments.end(), options_.nonSequences.begin(), options_.nonSequences.end());
    made_ = step_(arguments);
    numDraws_ = 0;
    addDraws(draws);
  };
  call();
  if (options_.outputs.empty() && !condition_)
    stateOf_.assign(made_.outputs.size(), -1);
  if (made_.outputs.size() != stateOf_.size())
    return error(ErrorKind::ValueError,
                 "the step gives " + counted(made_.outputs.size(), "output") + ", and there are " +
                     counted(stateOf_.size(), "output") + " in the options");
  // Numbers have the dtype that the step gives.
  bool again = false;
  size_t value = 0;
  for (size_t k = 0; k < stateOf_.size(); ++k) {
    if (stateOf_[k] < 0)
      continue;
    Variable &initial = initials_[size_t(stateOf_[k])];
    const size_t taps = loop_.states[size_t(stateOf_[k])].size();
    const Variable &now = made_.outputs[k];
    if (options_.outputs[k].initial->isWeak() && now.ok() && now.dtype() != initial.dtype()) {
      again = true;
      initial =
          Constant::adopt(options_.outputs[k].initial->weakValue().cast(now.dtype()), {}, place_);
      for (size_t tap = 0; tap < taps; ++tap)
        values_[value + tap] = argument(initial.type(), {}, place_);
    }
    value += taps;
  }
  if (again)
    call();
  for (const Variable &output : made_.outputs)
    if (!output.ok())
      return output.status();
  for (size_t k = 0; k < stateOf_.size(); ++k)
    if (stateOf_[k] >= 0)
      if (absl::Status s = checkState(k); !s.ok())
        return s;
  for (const auto &[shared, next] : made_.updates) {
    if (!SharedVariable::from(shared))
      return error(ErrorKind::TypeError,
                   "the step updates " + operandLabel(shared) + ", which is no shared variable");
    if (!next.ok())
      return next.status();
    if (next.dtype() != shared.dtype() || next.rank() != shared.rank())
      return error(ErrorKind::TypeError, "the step updates " + operandLabel(shared) + " by " +
                                             next.type().brief() + ": cast it");
  }
  if (made_.until && made_.until->ok() && made_.until->rank() != 0)
    return error(ErrorKind::TypeError,
                 "until is " + made_.until->type().brief() + ", and must be one number");
  return made_.until ? made_.until->status() : absl::OkStatus();
}

/// The loop ends after the step whose new states do not meet it, and has no step where the first
/// ones do not.
absl::Status ScanBuilder::addCondition() {
  if (!condition_)
    return absl::OkStatus();
  Variable first = condition_(initials_);
  // It sees updates, and states that the step made before them.
  Variables states;
  Replacements values;
  for (const Variable &output : made_.outputs) {
    states.push_back(argument(output.type(), output.name(), place_));
    values.emplace_back(states.back(), output);
  }
  StepDraws draws;
  Variable goesOn = condition_(states);
  addDraws(draws);
  for (const Variable &answer : {first, goesOn}) {
    if (!answer.ok())
      return answer.status();
    if (answer.rank() != 0)
      return error(ErrorKind::TypeError,
                   "the condition is " + answer.type().brief() + ", and must be one number");
  }
  values.insert(values.end(), made_.updates.begin(), made_.updates.end());
  absl::StatusOr<Variables> updated = cloneReplace({goesOn}, values);
  if (!updated.ok())
    return updated.status();
  Variable ends = logicalNot((*updated)[0]);
  made_.until = made_.until ? logicalOr(ends, *made_.until) : ends;
  steps_[0] = where(first, steps_[0], int64_t(0));
  return made_.until->ok() ? steps_[0].status() : made_.until->status();
}

/// Adds to what stands in the step (`inside`; its nodes: `depending`) what only its branches need.
void ScanBuilder::keepInBranches(absl::Span<const Apply> order,
                                 absl::flat_hash_set<const detail::VariableNode *> &inside,
                                 std::vector<Apply> &depending) const {
  Branches branches(order, bodyOutputs_);
  absl::flat_hash_set<const detail::VariableNode *> listed;
  for (const Variable &v : options_.nonSequences)
    listed.insert(v.node());
  for (size_t k = 0; k < depending.size(); ++k) // which grows
    for (const Variable &input : Apply(depending[k]).inputs()) {
      Apply owner = input.owner();
      if (!branches.of(owner) || inside.contains(input.node()) || listed.contains(input.node()))
        continue;
      depending.push_back(owner);
      for (const Variable &output : owner.outputs())
        inside.insert(output.node());
    }
}

/// F-322: the outermost Variables that do not depend on the step are operands of the loop; of what
/// only a branch of an ifElse in the step needs (F-330), those that the author lists.
absl::Status ScanBuilder::capture() {
  for (const auto &[shared, next] : made_.updates) {
    loop_.states.push_back({-1});
    loop_.keepsLast.push_back(true);
    initials_.push_back(shared);
    values_.push_back(shared);
  }
  bodyInputs_ = elements_;
  bodyInputs_.insert(bodyInputs_.end(), values_.begin(), values_.end());
  for (size_t k = 0; k < stateOf_.size(); ++k)
    if (stateOf_[k] >= 0)
      bodyOutputs_.push_back(made_.outputs[k]);
  for (const auto &[shared, next] : made_.updates)
    bodyOutputs_.push_back(next);
  for (size_t k = 0; k < stateOf_.size(); ++k)
    if (stateOf_[k] < 0) {
      bodyOutputs_.push_back(made_.outputs[k]);
      ++loop_.numMapped;
    }
  if (made_.until) {
    bodyOutputs_.push_back(*made_.until);
    loop_.hasUntil = true;
  }
  if (options_.strict) {
    Variables listed = bodyInputs_;
    listed.insert(listed.end(), options_.nonSequences.begin(), options_.nonSequences.end());
    std::string names;
    for (const Variable &leaf : graphInputs(bodyOutputs_, listed))
      if (!leaf.isConstant() && std::ranges::find(listed, leaf) == listed.end())
        names += (names.empty() ? "" : ", ") + operandLabel(leaf);
    if (!names.empty())
      return error(ErrorKind::MissingInput, "the step reads " + names +
                                                ", which is no argument: list it in nonSequences, "
                                                "or let it be captured (strict = false)");
  }
  absl::flat_hash_set<const detail::VariableNode *> inside, seen;
  for (const Variable &input : bodyInputs_)
    inside.insert(input.node());
  auto take = [&](const Variable &v) {
    if (!inside.contains(v.node()) && !v.isConstant() && seen.insert(v.node()).second)
      captured_.push_back(v);
  };
  std::vector<Apply> depending;
  std::vector<Apply> order = ioToposort(bodyInputs_, bodyOutputs_);
  for (const Apply &node : order) {
    if (std::ranges::none_of(node.inputs(),
                             [&](const Variable &v) { return inside.contains(v.node()); }))
      continue;
    depending.push_back(node);
    for (const Variable &output : node.outputs())
      inside.insert(output.node());
  }
  if (std::ranges::any_of(depending, isIfElse))
    keepInBranches(order, inside, depending);
  for (const Apply &node : depending)
    for (const Variable &input : node.inputs())
      take(input);
  for (const Variable &output : bodyOutputs_)
    take(output);
  bodyInputs_.insert(bodyInputs_.end(), captured_.begin(), captured_.end());
  return absl::OkStatus();
}

absl::StatusOr<ScanResult> ScanBuilder::collect(const Variables &made,
                                                const Variables &lasts) const {
  ScanResult result;
  size_t mapped = loop_.states.size();
  for (int state : stateOf_) {
    result.outputs.push_back(made[state >= 0 ? size_t(state) : mapped++]);
    result.last.push_back(state >= 0 ? lasts[size_t(state)] : Variable());
  }
  size_t update = loop_.states.size() - made_.updates.size();
  for (const auto &[shared, next] : made_.updates)
    result.updates.emplace_back(shared, made[update++]);
  for (const auto &[generator, last] : absl::MakeConstSpan(result.updates).last(numDraws_))
    if (absl::Status s = advanceGenerator(*SharedVariable::from(generator), last); !s.ok())
      return s;
  return result;
}

absl::StatusOr<ScanResult> ScanBuilder::run() {
  for (auto part : {&ScanBuilder::readSteps, &ScanBuilder::readSequences, &ScanBuilder::readStates,
                    &ScanBuilder::callStep, &ScanBuilder::addCondition, &ScanBuilder::capture})
    if (absl::Status s = (this->*part)(); !s.ok())
      return s;
  loop_.goesBackwards = options_.goBackwards;
  loop_.truncation = options_.truncateGradient;
  Variables operands = steps_;
  for (const Variables *list : {&sequences_, &initials_, &captured_})
    operands.insert(operands.end(), list->begin(), list->end());
  if (bodyOutputs_.size() == size_t(loop_.hasUntil))
    return error(ErrorKind::ValueError, "the step gives nothing");
  if (options_.checkpointEvery != 0) {
    if (loop_.hasUntil || loop_.truncation >= 0)
      return error(ErrorKind::ValueError,
                   "checkpointEvery is for loops without `until` and truncateGradient: count the "
                   "steps by whileLoop first");
    loop_.names.resize(loop_.sequences.size());
    absl::StatusOr<CheckpointedLoop> made = makeCheckpointedLoop(
        loop_, bodyInputs_, bodyOutputs_, operands, options_.checkpointEvery, place_);
    return made.ok() ? collect(made->results, made->lasts) : made.status();
  }
  absl::StatusOr<Variables> made = makeLoop(loop_, bodyInputs_, bodyOutputs_, operands, place_);
  if (!made.ok())
    return made.status();
  Variables lasts;
  for (size_t k = 0; k < initials_.size(); ++k) {
    Variable initial = hasHistoryAxis(loop_.states[k]) ? Variable(initials_[k][-1]) : initials_[k];
    lasts.push_back(
        loop_.keepsLast[k]
            ? (*made)[k]
            : concatenate({expandDims(initial, Axis(0)), (*made)[k][{Slice(-1, kEnd)}]}, 0)[-1]);
  }
  return collect(*made, lasts);
}

ScanResult failed(const absl::Status &status, const ScanOptions &options) {
  size_t count = std::max<size_t>(1, options.outputs.size());
  Variables outputs(count, Variable::invalid(status));
  return {outputs, {}, outputs};
}

ScanResult build(const ScanFunction &step, const ScanOptions &options, bool keepsLast, Place place,
                 const LoopCondition &condition = {}) {
  absl::StatusOr<ScanResult> made =
      step ? ScanBuilder(step, options, keepsLast, place, condition).run()
           : makeError(ErrorKind::ValueError, options.name + ": the step is no function", place);
  return made.ok() ? *std::move(made) : failed(made.status(), options);
}

Variable fold(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
              const Operand &initial, bool goBackwards, std::string name, Place place) {
  return build(step,
               {.sequences = sequences,
                .outputs = {ScanOutput(initial)},
                .goBackwards = goBackwards,
                .name = std::move(name)},
               /*keepsLast=*/true, place)
      .outputs[0];
}

} // namespace

ScanResult scan(const ScanFunction &step, const ScanOptions &options, std::source_location loc) {
  return build(step, options, /*keepsLast=*/false, loc);
}

ScanResult whileLoop(const LoopCondition &condition, const ScanFunction &step,
                     const std::vector<Operand> &initial, const WhileOptions &options,
                     std::source_location loc) {
  ScanOptions scan{.nonSequences = options.nonSequences,
                   .numSteps = options.maxSteps.value_or(std::numeric_limits<int64_t>::max()),
                   .truncateGradient = options.truncateGradient,
                   .strict = options.strict,
                   .name = options.name};
  for (const Operand &state : initial)
    scan.outputs.emplace_back(state);
  if (!condition)
    return failed(
        makeError(ErrorKind::ValueError, options.name + ": the condition is no function", loc),
        scan);
  return build(step, scan, /*keepsLast=*/true, loc, condition);
}

Variable map(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
             std::source_location loc) {
  return build(step, {.sequences = sequences, .name = "map"}, false, loc).outputs[0];
}

Variable foldl(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
               const Operand &initial, std::source_location loc) {
  return fold(step, sequences, initial, false, "foldl", loc);
}

Variable foldr(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
               const Operand &initial, std::source_location loc) {
  return fold(step, sequences, initial, true, "foldr", loc);
}

Variable reduce(const ScanFunction &step, const std::vector<ScanSequence> &sequences,
                const Operand &initial, std::source_location loc) {
  return fold(step, sequences, initial, false, "reduce", loc);
}

} // namespace graphc
