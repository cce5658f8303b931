//===- Resolve.cpp - from a function's parts to a plain graph -------------===//
#include "Resolve.h"

#include "API/CheckGraph.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

using detail::Container;
using detail::containerOf;

/// A number that stands for a value of `type`: it has the dtype of the floats that it stands among
/// (F-031). TypeError.
absl::StatusOr<Tensor> literal(const Operand &number, const Type &type) {
  ValueRules rules{.allowDowncast = isFloat(type.dtype())};
  return convertValue(number.weakValue(), type, rules);
}

class Resolver {
public:
  Resolver(const FunctionOptions &options, Place place) : options_(options), place_(place) {}

  absl::StatusOr<Resolved> run(const std::vector<Param> &inputs, GraphModule module);

private:
  /// A next value: of the slot that is there, or of the shared variable's to be.
  struct Update {
    Variable target;
    Variable value;
    std::string label; // "the update of 's'"
  };

  /// It is about `v`.
  absl::Status fail(ErrorKind kind, const Variable &v, const std::string &what) const {
    return makeError(kind, "function: " + what + madeAt(v), place_);
  }
  absl::Status addInput(size_t position, const Param &param);
  absl::Status checkParam(const std::string &label, const Param &param) const;
  absl::Status giveValue(const std::string &label, const Param &param, Slot &slot) const;
  absl::Status addGivens();
  absl::Status checkGivensApart() const;
  absl::Status addUpdates();
  absl::Status addSharedVariables(const Variables &outputs);
  absl::StatusOr<Variables> replaced(const Variables &outputs) const;
  size_t slotOf(const Variable &shared);
  absl::Status placeUpdates();
  const FunctionOptions &options_;
  Place place_;
  Resolved result_;
  Variables inputVariables_;
  absl::flat_hash_set<Variable> isInput_;
  Replacements givens_;
  std::vector<Update> updates_;
  absl::flat_hash_map<Container *, size_t> updateOf_; // number in updates_
  absl::flat_hash_map<Container *, size_t> sharedSlots_;
  /// Copies of shared variables, which clones of graphs have, and those that stand for them.
  absl::flat_hash_map<Variable, Variable> copies_;
};

//===--- inputs -------------------------------------------------------------===//

/// F-156, F-157.
absl::Status Resolver::checkParam(const std::string &label, const Param &param) const {
  if (param.isMutable() && !param.isBorrowed())
    return fail(ErrorKind::ValueError, param.variable(),
                label + " is mutable and not borrowed: a copy would be "
                        "changed in vain; leave borrow out");
  if (param.isImplicit() && !param.options().value)
    return fail(ErrorKind::TypeError, param.variable(),
                label + " is implicit and has no value; give one");
  if (param.options().update && !param.options().value)
    return fail(ErrorKind::TypeError, param.variable(),
                label + " has an update and no value to begin with; give one");
  return absl::OkStatus();
}

absl::Status Resolver::giveValue(const std::string &label, const Param &param, Slot &slot) const {
  const InitialValue &value = *param.options().value;
  const Type &type = param.variable().type();
  if (value.shared()) {
    slot.container = containerOf(*value.shared());
    if (!slot.container)
      return value.shared()->status();
    if (!type.isSuperOf(slot.container->type))
      return fail(ErrorKind::TypeError, param.variable(),
                  label + " is " + type.brief() + ", its value, " + quoted(*value.shared()) + ", " +
                      slot.container->type.brief());
    slot.shared = value.shared();
    return absl::OkStatus();
  }
  absl::StatusOr<Tensor> initial = convertValue(value.value(), type, slot.rules);
  if (!initial.ok())
    return fail(errorKind(initial.status()), param.variable(),
                "the value of " + label + " " + std::string(initial.status().message()));
  Tensor own = initial->copy();
  if (!own.defined())
    return fail(ErrorKind::OutOfMemory, param.variable(),
                "no memory for " + std::to_string(initial->numBytes()) + " bytes of the value of " +
                    label);
  slot.container = std::make_shared<Container>(type, slot.rules, std::move(own));
  return absl::OkStatus();
}

absl::Status Resolver::addInput(size_t position, const Param &param) {
  const Variable &v = param.variable();
  std::string label = numbered(position, v);
  if (!v.ok())
    return v.status();
  if (SharedVariable::from(v))
    return fail(ErrorKind::TypeError, v,
                label + " is a shared variable, which functions read without "
                        "being told; to replace it, use givens");
  if (absl::Status status = checkParam(label, param); !status.ok())
    return status;
  Slot slot;
  slot.variable = v;
  slot.name = param.name();
  slot.rules = {param.options().strict,
                param.isPlain() ? options_.allowInputDowncast : param.options().allowDowncast};
  slot.takesArgument = !param.isImplicit();
  slot.isMutable = param.isMutable();
  slot.isBorrowed = param.isBorrowed();
  slot.input = int(position);
  if (param.options().value)
    if (absl::Status status = giveValue(label, param, slot); !status.ok())
      return status;
  if (param.options().update) {
    if (!updateOf_.try_emplace(slot.container.get(), updates_.size()).second)
      return fail(ErrorKind::ValueError, v,
                  label + " has an update, as another input of that value has");
    updates_.push_back({v, *param.options().update, "the update of " + label});
  }
  result_.slots.push_back(std::move(slot));
  inputVariables_.push_back(v);
  isInput_.insert(v);
  return absl::OkStatus();
}

//===--- givens -------------------------------------------------------------===//

absl::Status Resolver::addGivens() {
  for (const auto &[old, value] : options_.givens.pairs()) {
    Variable replacement = value.variable();
    if (value.isWeak()) { // F-184
      absl::StatusOr<Tensor> number = literal(value, old.type());
      if (!number.ok())
        return fail(ErrorKind::TypeError, old,
                    "givens: " + quoted(old) + " is " + old.type().brief() +
                        ", which has no value " + value.weakValue().str());
      replacement = shared(*number);
    } else if (std::optional<Constant> constant = Constant::from(replacement);
               constant && !old.isConstant()) {
      replacement = shared(constant->data());
    }
    for (const Variable &v : {old, replacement})
      if (!v.ok())
        return v.status();
    if (isInput_.contains(old))
      return fail(ErrorKind::RuntimeError, old,
                  "givens: " + quoted(old) +
                      " is an input; a call gives it, or leave it out of "
                      "the inputs");
    for (const auto &[other, ignored] : givens_)
      if (other == old)
        return fail(ErrorKind::ValueError, old, "givens: " + quoted(old) + " is replaced twice");
    givens_.emplace_back(old, replacement);
  }
  return checkGivensApart();
}

/// F-187: whatever the order of the pairs.
absl::Status Resolver::checkGivensApart() const {
  if (givens_.size() < 2)
    return absl::OkStatus();
  absl::flat_hash_set<Variable> keys;
  for (const auto &[old, ignored] : givens_)
    keys.insert(old);
  for (const auto &[old, replacement] : givens_)
    for (const Variable &v : ancestors({&replacement, 1}))
      if (keys.contains(v) && !(v == old))
        return fail(ErrorKind::RuntimeError, v,
                    "givens: the replacement of " + quoted(old) + " depends on " + quoted(v) +
                        ", which is replaced, too; replacements must be independent");
  return absl::OkStatus();
}

absl::StatusOr<Variables> Resolver::replaced(const Variables &outputs) const {
  if (givens_.empty())
    return outputs;
  absl::StatusOr<Variables> result = cloneReplace(outputs, givens_, options_.rebuildStrict);
  if (!result.ok())
    return prefixError(result.status(), "function: givens");
  return result;
}

//===--- updates --------------------------------------------------------------===//

absl::Status Resolver::addUpdates() {
  for (const auto &[target, value] : options_.updates.pairs()) {
    for (const Variable &v : {target, value.isWeak() ? target : value.variable()})
      if (!v.ok())
        return v.status();
    std::shared_ptr<Container> container = containerOf(target);
    if (!container)
      return fail(ErrorKind::TypeError, target,
                  "updates: " + quoted(target) + " is no shared variable: only these keep a value");
    Variable next = value.variable();
    if (value.isWeak()) {
      absl::StatusOr<Tensor> number = literal(value, target.type());
      if (!number.ok())
        return fail(ErrorKind::TypeError, target,
                    "the update of " + quoted(target) + " " +
                        std::string(number.status().message()));
      next = constant(*number);
    }
    auto [at, isNew] = updateOf_.try_emplace(container.get(), updates_.size());
    if (!isNew)
      return fail(ErrorKind::ValueError, target,
                  "updates: " + quoted(target) + " has two, the first of which is " +
                      updates_[at->second].value.type().brief() + " made at " +
                      updates_[at->second].value.place().str());
    updates_.push_back({target, next, "the update of " + quoted(target)});
  }
  return absl::OkStatus();
}

/// Those that anything reads, also updates, get slots, and their default updates join in, until
/// nothing is added: F-189 to F-194.
absl::Status Resolver::addSharedVariables(const Variables &outputs) {
  const NoDefaultUpdates &no = options_.noDefaultUpdates;
  absl::flat_hash_set<Container *> excluded;
  for (const Variable &v : no.some()) {
    std::shared_ptr<Container> container = containerOf(v);
    if (!container)
      return fail(ErrorKind::TypeError, v,
                  "noDefaultUpdates: " + quoted(v) + " is no shared variable");
    excluded.insert(container.get());
  }
  Variables look = outputs;
  for (const Update &update : updates_)
    look.push_back(update.value);
  while (!look.empty()) {
    absl::StatusOr<Variables> expressions = replaced(look);
    if (!expressions.ok())
      return expressions.status();
    look.clear();
    for (const Variable &v : graphInputs(*expressions, inputVariables_)) {
      std::optional<SharedVariable> s = SharedVariable::from(v);
      if (!s || isInput_.contains(v))
        continue;
      if (const Variable &first = result_.slots[slotOf(v)].variable; !(first == v))
        copies_.emplace(v, first);
      Container *container = containerOf(v).get();
      std::optional<Variable> next = s->defaultUpdate();
      if (no.all() || !next || excluded.contains(container) ||
          !updateOf_.try_emplace(container, updates_.size()).second)
        continue;
      updates_.push_back({v, *next, "the default update of " + quoted(v)});
      look.push_back(*next);
    }
  }
  return absl::OkStatus();
}

//===--- the graph ------------------------------------------------------------===//

/// The slot of a shared variable, which is made where there is none.
size_t Resolver::slotOf(const Variable &shared) {
  std::shared_ptr<Container> container = containerOf(shared);
  auto [at, isNew] = sharedSlots_.try_emplace(container.get(), result_.slots.size());
  if (isNew) {
    Slot slot;
    slot.variable = shared;
    slot.name = shared.name();
    slot.rules = container->rules;
    slot.takesArgument = false;
    slot.shared = SharedVariable::from(shared);
    slot.container = std::move(container);
    result_.slots.push_back(std::move(slot));
  }
  return at->second;
}

/// Next values become outputs; those that are the value of another slot need not be computed.
absl::Status Resolver::placeUpdates() {
  absl::flat_hash_map<Variable, int> slots;
  for (size_t i = 0; i < result_.slots.size(); ++i)
    slots.try_emplace(result_.slots[i].variable, int(i));
  for (const Update &update : updates_) {
    Slot &slot = result_.slots[containerOf(update.target) ? slotOf(update.target)
                                                          : size_t(slots.at(update.target))];
    const Type &type = slot.container->type; // of an input's, it may know more extents
    Variable fitting = filterVariable(type, update.value);
    if (!fitting.ok())
      return fail(ErrorKind::TypeError, update.target,
                  update.label + " is " + update.value.type().brief() + ", the variable " +
                      type.brief() + "; cast the update");
    auto source = slots.find(fitting);
    if (source != slots.end() && result_.slots[size_t(source->second)].container) {
      slot.source = source->second;
      continue;
    }
    slot.output = int(result_.module.outputs.size());
    result_.module.outputs.push_back(fitting);
  }
  return absl::OkStatus();
}

absl::StatusOr<Resolved> Resolver::run(const std::vector<Param> &inputs, GraphModule module) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (absl::Status status = addInput(i, inputs[i]); !status.ok())
      return status;
  for (const Variable &v : module.outputs)
    if (!v.ok())
      return v.status();
  if (absl::Status status = addGivens(); !status.ok())
    return status;
  if (absl::Status status = addUpdates(); !status.ok())
    return status;
  if (absl::Status status = addSharedVariables(module.outputs); !status.ok())
    return status;

  // All expressions at once, so that what they share stays shared.
  Variables expressions = module.outputs;
  for (const Update &update : updates_)
    expressions.push_back(update.value);
  absl::StatusOr<Variables> final = replaced(expressions);
  if (!final.ok())
    return final.status();
  if (!copies_.empty())
    final = cloneReplace(*final, {copies_.begin(), copies_.end()}, /*strict=*/false);
  if (!final.ok())
    return final.status();
  result_.numOutputs = module.outputs.size();
  result_.module = std::move(module);
  result_.module.outputs.assign(final->begin(), final->begin() + ptrdiff_t(result_.numOutputs));
  for (size_t i = 0; i < updates_.size(); ++i)
    updates_[i].value = (*final)[result_.numOutputs + i];
  // The slots of what is read are there; the graph has them as inputs.
  result_.module.inputs = inputVariables_;
  for (Slot &slot : result_.slots)
    if (slot.input < 0) {
      slot.input = int(result_.module.inputs.size());
      result_.module.inputs.push_back(slot.variable);
    }
  if (absl::Status status = placeUpdates(); !status.ok())
    return status;
  InputFacts facts;
  facts.mayBeUnused.resize(result_.module.inputs.size(), true);
  for (size_t i = 0; i < result_.slots.size(); ++i) {
    const Slot &slot = result_.slots[i];
    bool isListed = i < inputs.size();
    if (isListed)
      facts.mayBeUnused[i] = slot.isUpdated();
    if (slot.isUpdated() || (isListed && inputs[i].isMutable()))
      facts.areMutable.insert(slot.input);
  }
  if (absl::Status status = checkGraph(result_.module, facts, options_, place_); !status.ok())
    return status;
  return std::move(result_);
}

} // namespace

absl::StatusOr<Resolved> resolve(const std::vector<Param> &inputs, GraphModule module,
                                 const FunctionOptions &options, Place place) {
  return Resolver(options, place).run(inputs, std::move(module));
}

} // namespace graphc
