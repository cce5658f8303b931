//===- Function.cpp - from a graph to something callable ------------------===//
#include "graphc/Function.h"

#include <algorithm>
#include <iterator>

#include "API/CheckGraph.h"
#include "API/FunctionState.h"
#include "Support/Log.h"
#include "Support/Text.h"

namespace graphc {

static const Tensor &noTensor(const std::string &why) {
  static const Tensor *const kNone = new Tensor();
  logWarning(why);
  return *kNone;
}

const Tensor &Results::operator[](size_t i) const & {
  return i < size() ? values_[i]
                    : noTensor("Results: there is no output " + std::to_string(i) + " of " +
                               std::to_string(size()));
}

const Tensor *Results::find(std::string_view name) const {
  size_t named = names_ ? std::min(size(), names_->size()) : 0;
  for (size_t i = 0; i < named; ++i)
    if ((*names_)[i] == name)
      return &values_[i];
  return nullptr;
}

std::string Results::unknown(std::string_view name) const {
  std::vector<std::string> known;
  for (size_t i = 0; names_ && i < names_->size(); ++i)
    if (!(*names_)[i].empty())
      known.push_back("'" + (*names_)[i] + "'");
  return "Results: no output is called '" + std::string(name) + "'; " +
         (known.empty() ? "none has a name" : "they are " + join(known, ", "));
}

absl::StatusOr<Tensor> Results::at(std::string_view name) const {
  if (const Tensor *found = find(name))
    return *found;
  return makeError(ErrorKind::KeyError, unknown(name));
}

const Tensor &Results::operator[](std::string_view name) const & {
  const Tensor *found = find(name);
  return found ? *found : noTensor(unknown(name));
}

const Tensor &Results::only() const {
  return size() == 1 ? values_[0]
                     : noTensor("Results: item() is for one output, but there are " +
                                std::to_string(size()));
}

//===--- making ---------------------------------------------------------------===//

static absl::StatusOr<Function> makeFunction(const std::vector<Param> &inputs, GraphModule module,
                                             FunctionOptions options, Place place,
                                             const std::optional<Hash128> &storeAs,
                                             std::shared_ptr<ProfilePart> profile) {
  absl::StatusOr<Resolved> resolved = resolve(inputs, std::move(module), options, place);
  if (!resolved.ok())
    return resolved.status();
  Variables outputs(resolved->module.outputs.begin(),
                    resolved->module.outputs.begin() + ptrdiff_t(resolved->numOutputs));
  absl::StatusOr<std::vector<std::string>> names =
      outputNames(outputs, std::move(resolved->module.outputNames), place);
  if (!names.ok())
    return names.status();
  resolved->module.outputNames = *names;
  resolved->module.outputNames.resize(resolved->module.outputs.size());
  absl::StatusOr<std::unique_ptr<const Runner>> runner =
      makeRunner(resolved->module, options, storeAs, profile);
  if (!runner.ok())
    return runner.status();
  std::vector<Type> types;
  for (const Variable &v : outputs)
    types.push_back(v.type());
  auto state = std::make_shared<Function::State>(
      options.name, std::move(resolved->slots), *std::move(runner), std::move(types),
      *std::move(names), resolved->module.outputs.size());
  if (profile) {
    profile->attach(options.name);
    state->profile = profile->profile();
  }
  state->source = std::make_shared<const Function::State::Source>(
      Function::State::Source{std::move(resolved->module), std::move(options)});
  return Function(std::move(state));
}

Function::State::State(std::string name, std::vector<Slot> slots,
                       std::shared_ptr<const Runner> runner, std::vector<Type> types,
                       std::vector<std::string> names, size_t numResults)
    : outputTypes(std::move(types)),
      outputNames(std::make_shared<const std::vector<std::string>>(std::move(names))) {
  signature.function = std::move(name);
  for (const Slot &slot : slots) {
    if (!slot.takesArgument) {
      if (!slot.name.empty())
        signature.implicitNames.push_back(slot.name);
      continue;
    }
    signature.names.push_back(slot.name);
    signature.types.push_back(slot.variable.type());
    signature.rules.push_back(slot.rules);
    signature.mayBeMissing.push_back(slot.container != nullptr);
  }
  invoker = std::make_unique<const Invoker>(std::move(runner), std::move(slots), outputTypes.size(),
                                            numResults);
}

absl::StatusOr<Function> function(InputList inputs, OutputList outputs, FunctionOptions options,
                                  std::source_location loc) {
  GraphModule module;
  for (const Out &output : outputs.list()) {
    module.outputs.push_back(output.variable());
    module.outputNames.push_back(output.name());
  }
  if (!options.name.empty())
    module.name = options.name;
  std::shared_ptr<ProfilePart> profile = openProfile(options.profile);
  return makeFunction(inputs.list(), std::move(module), std::move(options), loc, {},
                      std::move(profile));
}

absl::StatusOr<Function> function(const GraphModule &module, FunctionOptions options) {
  std::shared_ptr<ProfilePart> profile = openProfile(options.profile);
  return makeFileFunction(module, std::move(options), {}, std::move(profile));
}

absl::StatusOr<Function> makeFileFunction(GraphModule module, FunctionOptions options,
                                          const std::optional<Hash128> &storeAs,
                                          std::shared_ptr<ProfilePart> profile) {
  if (options.name.empty())
    options.name = module.name;
  std::vector<Param> inputs(module.inputs.begin(), module.inputs.end());
  return makeFunction(inputs, std::move(module), std::move(options), Place(), storeAs,
                      std::move(profile));
}

//===--- calling --------------------------------------------------------------===//

const Function::State &Function::state() const {
  static const State &none = *[] {
    auto *made = new State();
    made->outputNames = std::make_shared<const std::vector<std::string>>();
    return made;
  }();
  return state_ ? *state_ : none;
}

static absl::Status noFunction(std::string_view what) {
  return makeError(ErrorKind::ValueError,
                   std::string(what) + " was default-constructed or moved from: it is none");
}

absl::StatusOr<std::vector<Tensor>> Function::bindCall(std::vector<Tensor> positional,
                                                       absl::Span<const NamedValue> named) const {
  if (named.empty() && fit(state_->signature, positional))
    return positional;
  return bindArguments(state_->signature, std::move(positional), named);
}

absl::StatusOr<Results> Function::call(std::vector<Tensor> positional,
                                       std::vector<NamedValue> named,
                                       const CallOptions &options) const {
  if (!state_)
    return noFunction("the Function that is called");
  absl::StatusOr<std::vector<Tensor>> arguments = bindCall(std::move(positional), named);
  if (!arguments.ok())
    return arguments.status();
  const Invoker *invoker = state_->invoker.get();
  std::shared_ptr<const std::vector<std::string>> names = state_->outputNames;
  if (options.outputSubset) {
    absl::StatusOr<const Invoker *> chosen = state_->subset(*options.outputSubset);
    if (!chosen.ok())
      return chosen.status();
    invoker = *chosen;
    std::vector<std::string> some;
    for (size_t output : *options.outputSubset)
      some.push_back((*names)[output]);
    names = std::make_shared<const std::vector<std::string>>(std::move(some));
  }
  std::vector<Tensor> results(options.outputSubset ? options.outputSubset->size()
                                                   : state_->outputTypes.size());
  if (absl::Status status = invoker->run(*arguments, absl::MakeSpan(results), OutputMemory::Fresh);
      !status.ok())
    return status;
  return Results(std::move(results), std::move(names));
}

absl::StatusOr<Results> Function::callWith(absl::Span<Tensor> positional) const {
  if (!state_)
    return noFunction("the Function that is called");
  if (!fit(state_->signature, positional))
    return call(
        {std::make_move_iterator(positional.begin()), std::make_move_iterator(positional.end())});
  std::vector<Tensor> results(state_->outputTypes.size());
  if (absl::Status status =
          state_->invoker->run(positional, absl::MakeSpan(results), OutputMemory::Fresh);
      !status.ok())
    return status;
  return Results(std::move(results), state_->outputNames);
}

/// F-217: the graph of these outputs and of all updates, with the same slots.
absl::StatusOr<const Invoker *> Function::State::subset(const std::vector<size_t> &outputs) const {
  for (size_t output : outputs)
    if (output >= outputTypes.size())
      return makeError(ErrorKind::IndexError, "outputSubset: there is no output " +
                                                  std::to_string(output) + " of " +
                                                  std::to_string(outputTypes.size()));
  std::lock_guard lock(mutex);
  std::unique_ptr<const Invoker> &made = subsets[outputs];
  if (made)
    return made.get();
  if (!source)
    return makeError(ErrorKind::NotSupported,
                     "outputSubset: the function comes from the cache of compiled code, without "
                     "its graph; take FunctionOptions::cache = false");
  GraphModule module = source->module;
  module.outputs.clear();
  for (size_t output : outputs)
    module.outputs.push_back(source->module.outputs[output]);
  std::vector<Slot> slots = invoker->slots();
  for (Slot &slot : slots)
    if (slot.output >= 0) {
      Variable next = source->module.outputs[size_t(slot.output)];
      slot.output = int(module.outputs.size());
      module.outputs.push_back(std::move(next));
    }
  module.outputNames.assign(module.outputs.size(), "");
  std::shared_ptr<ProfilePart> part = profile ? std::make_shared<ProfilePart>(*profile) : nullptr;
  absl::StatusOr<std::unique_ptr<const Runner>> runner =
      makeRunner(module, source->options, {}, part);
  if (!runner.ok())
    return runner.status();
  if (part)
    part->attach(signature.function + "[" +
                 join(outputs, ", ", [](size_t output) { return std::to_string(output); }) + "]");
  made = std::make_unique<const Invoker>(*std::move(runner), std::move(slots), outputs.size(),
                                         module.outputs.size());
  return made.get();
}

//===--- stored values ----------------------------------------------------------===//

absl::StatusOr<Tensor> StoredValue::get(BorrowOptions options) const {
  if (!status_.ok())
    return status_;
  if (!container_)
    return Tensor();
  Tensor value = container_->peek();
  return options.borrow ? value : value.copy();
}

absl::Status StoredValue::set(const Tensor &value, BorrowOptions options) const {
  if (!status_.ok())
    return status_;
  if (!container_)
    return makeError(ErrorKind::TypeError,
                     label_ + " has no value of its own: every call gives it; make it a Param with "
                              "a value");
  return container_->assign(value, options.borrow, label_);
}

static std::string labelOf(const std::string &function, const std::string &what) {
  return (function.empty() ? "function" : function) + "[" + what + "]";
}

StoredValue Function::operator[](std::string_view key) const {
  StoredValue found;
  found.label_ = labelOf(name(), "\"" + std::string(key) + "\"");
  size_t matches = 0;
  std::vector<std::string> names;
  for (const Slot &slot : slots()) {
    if (!slot.name.empty())
      names.push_back("'" + slot.name + "'");
    if (slot.name != key || key.empty())
      continue;
    ++matches;
    found.container_ = slot.container;
  }
  if (matches != 1)
    found.status_ = makeError(
        ErrorKind::TypeError,
        found.label_ + ": " +
            (matches ? std::to_string(matches) + " inputs have that name; take the position or the "
                                                 "Variable"
                     : "there is no such input; " +
                           (names.empty() ? "none has a name" : "they are " + join(names, ", "))));
  return found;
}

StoredValue Function::operator[](const Variable &key) const {
  StoredValue found;
  found.label_ = labelOf(name(), key.name().empty() ? "a Variable" : std::string(key.name()));
  std::shared_ptr<detail::Container> container = detail::containerOf(key);
  for (const Slot &slot : slots())
    if (slot.variable == key || (container && slot.container == container)) {
      found.container_ = slot.container;
      return found;
    }
  found.status_ = makeError(ErrorKind::TypeError,
                            found.label_ + ": it is no input of the function, nor does that read "
                                           "or update it");
  return found;
}

StoredValue Function::operator[](size_t position) const {
  StoredValue found;
  found.label_ = labelOf(name(), std::to_string(position));
  if (position < slots().size())
    found.container_ = slots()[position].container;
  else
    found.status_ = makeError(ErrorKind::TypeError, found.label_ + ": there are " +
                                                        counted(slots().size(), "input") +
                                                        " and shared "
                                                        "variables");
  return found;
}

/// Of a copy of the function. What was compiled for no profile does not know its nodes: where there
/// is a graph, it goes the same way again, at the end of which its kernels are found.
absl::StatusOr<std::shared_ptr<const Runner>>
Function::State::copyRunner(const std::shared_ptr<ProfilePart> &part) const {
  if (part && !profile && source)
    return makeRunner(source->module, source->options, {}, part);
  if (part || profile)
    return runner().with(part);
  return invoker->sharedRunner();
}

absl::StatusOr<Function> Function::copy(const CopyOptions &options) const {
  if (!state_)
    return noFunction("the Function to copy");
  std::vector<Slot> slots = state_->invoker->slots();
  for (Slot &slot : slots)
    if (slot.container && !slot.isShared) // F-210
      slot.container = std::make_shared<detail::Container>(
          slot.container->type, slot.container->rules, slot.container->peek());
  for (const auto &[old, fresh] : options.swap) {
    std::shared_ptr<detail::Container> from = detail::containerOf(old),
                                       to = detail::containerOf(fresh);
    for (const SharedVariable *v : {&old, &fresh})
      if (!detail::containerOf(*v))
        return v->status();
    bool isThere = false;
    for (Slot &slot : slots) {
      if (slot.container != from)
        continue;
      isThere = true;
      if (!slot.variable.type().isSuperOf(to->type))
        return makeError(ErrorKind::TypeError, "copy: '" + std::string(old.name()) + "' is " +
                                                   from->type.brief() + ", its replacement " +
                                                   to->type.brief());
      slot.container = to;
      slot.variable = fresh;
      slot.name = fresh.name();
    }
    if (!isThere)
      return makeError(ErrorKind::ValueError, "copy: the function neither reads nor updates '" +
                                                  std::string(old.name()) + "'");
  }
  if (options.deleteUpdates)
    for (Slot &slot : slots)
      slot.source = slot.output = -1;
  std::string name = options.name.value_or(this->name().empty() ? "" : this->name() + " copy");
  std::shared_ptr<ProfilePart> profile = openProfile(options.profile);
  absl::StatusOr<std::shared_ptr<const Runner>> runner = state_->copyRunner(profile);
  if (!runner.ok())
    return runner.status();
  auto state = std::make_shared<State>(std::move(name), std::move(slots), *std::move(runner),
                                       state_->outputTypes, *state_->outputNames,
                                       state_->invoker->numResults());
  state->source = state_->source;
  if (profile) {
    profile->attach(state->signature.function);
    state->profile = profile->profile();
  }
  return Function(std::move(state));
}

std::vector<SharedVariable> Function::sharedVariables() const {
  std::vector<SharedVariable> found;
  for (const Slot &slot : slots())
    if (std::optional<SharedVariable> s = SharedVariable::from(slot.variable))
      found.push_back(*std::move(s));
  return found;
}

const std::vector<Slot> &Function::slots() const {
  static const std::vector<Slot> &none = *new std::vector<Slot>;
  return state_ ? state_->invoker->slots() : none;
}

const std::string &Function::name() const { return state().signature.function; }
const std::vector<std::string> &Function::inputNames() const { return state().signature.names; }
const std::vector<Type> &Function::inputTypes() const { return state().signature.types; }
const std::vector<std::string> &Function::outputNames() const { return *state().outputNames; }
const std::vector<Type> &Function::outputTypes() const { return state().outputTypes; }
Function::Counters Function::counters() const {
  return state_ ? state_->runner().counters() : Counters();
}
std::optional<Profile> Function::profile() const { return state().profile; }

//===--- typed calls ----------------------------------------------------------===//

static std::string described(const detail::BoundArgument &a) {
  std::vector<int64_t> shape(size_t(a.rank), kDynamic);
  return Type(a.dtype, shape).brief();
}

/// A signature's inputs or outputs, one by one, against the function's.
static absl::Status checkBound(const std::vector<detail::BoundArgument> &bound,
                               const std::vector<Type> &types, std::string_view what) {
  if (bound.size() != types.size())
    return makeError(ErrorKind::TypeError,
                     "bind: the signature has " + std::to_string(bound.size()) + " " +
                         std::string(what) + "s, the function " + std::to_string(types.size()));
  for (size_t i = 0; i < bound.size(); ++i)
    if (bound[i].dtype != types[i].dtype() || bound[i].rank != types[i].rank())
      return makeError(ErrorKind::TypeError, "bind: " + std::string(what) + " " +
                                                 std::to_string(i) + " is " + types[i].brief() +
                                                 ", the signature has " + described(bound[i]));
  return absl::OkStatus();
}

absl::StatusOr<detail::BoundCall>
Function::prepare(absl::Span<const detail::BoundArgument> arguments, bool returnsStatus) const {
  if (!state_)
    return noFunction("the Function to bind");
  std::vector<detail::BoundArgument> inputs, outputs;
  for (const detail::BoundArgument &a : arguments) {
    if (!a.isOutput && !outputs.empty())
      return makeError(ErrorKind::TypeError,
                       "bind: an input stands after an output; Views of const are inputs");
    (a.isOutput ? outputs : inputs).push_back(a);
  }
  if (absl::Status s = checkBound(inputs, state_->signature.types, "input"); !s.ok())
    return s;
  if (absl::Status s = checkBound(outputs, state_->outputTypes, "output"); !s.ok())
    return s;
  detail::BoundCall call;
  // Views need not have the right extents, nor be at a proper address.
  bool canFail = false;
  for (const detail::BoundArgument &a : arguments)
    canFail |= a.isView;
  if (state_->invoker->isPlain() && state_->runner().direct(call))
    for (const std::vector<Type> *types : {&state_->signature.types, &state_->outputTypes})
      for (const Type &type : *types)
        call.extents.insert(call.extents.end(), type.shape().begin(), type.shape().end());
  else
    canFail |= !returnsStatus && state_->runner().canFail();
  if (canFail && !returnsStatus)
    return makeError(ErrorKind::TypeError, "bind: the function can fail while it runs; let the "
                                           "signature return absl::Status");
  call.owner = state_;
  return call;
}

/// Whether two elements may have one place: sorted by stride, an axis must step over all that the
/// axes before it reach.
static bool meetsItself(const Tensor &t) {
  std::vector<std::pair<int64_t, int64_t>> axes; // distance, last index
  for (int axis = 0; axis < t.rank(); ++axis)
    if (int64_t extent = t.shape()[size_t(axis)]; extent > 1)
      axes.emplace_back(std::abs(t.strides()[size_t(axis)]), extent - 1);
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (auto [distance, last] : axes) {
    if (distance <= reach)
      return t.numElements() > 0;
    reach += distance * last;
  }
  return false;
}

absl::Status detail::BoundCall::run(absl::Span<void *const> memory,
                                    absl::Span<const int64_t *const> shapes,
                                    absl::Span<const int64_t *const> strides) const {
  if (!owner)
    return noFunction("the typed call");
  const auto &state = *static_cast<const Function::State *>(owner.get());
  auto borrow = [&](size_t i, const Type &type) {
    size_t rank = size_t(type.rank());
    return Tensor::borrow(type.dtype(), memory[i], {shapes[i], rank}, {strides[i], rank});
  };
  size_t numInputs = state.signature.types.size();
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < numInputs; ++i) {
    absl::StatusOr<Tensor> input = borrow(i, state.signature.types[i]);
    if (!input.ok())
      return input.status();
    inputs.push_back(*std::move(input));
  }
  std::vector<Tensor> places;
  for (size_t i = 0; i < state.outputTypes.size(); ++i) {
    absl::StatusOr<Tensor> place = borrow(numInputs + i, state.outputTypes[i]);
    if (!place.ok())
      return place.status();
    if (meetsItself(*place))
      return makeError(ErrorKind::ValueError,
                       "output " + std::to_string(i) +
                           ": elements of the caller's memory share a place; "
                           "give a View whose strides keep them apart");
    places.push_back(*std::move(place));
  }
  // Where it is safe, results are computed in the caller's memory.
  std::vector<Tensor> results(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    auto meets = [&](const Tensor &other) { return places[i].overlaps(other); };
    bool apart = std::none_of(inputs.begin(), inputs.end(), meets);
    for (size_t k = 0; k < places.size(); ++k)
      apart = apart && (k == i || !meets(places[k]));
    if (apart)
      results[i] = places[i];
  }
  if (absl::Status status =
          state.invoker->run(inputs, absl::MakeSpan(results), OutputMemory::Given);
      !status.ok())
    return status;
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor &place = places[i];
    if (place.shape() != results[i].shape())
      return makeError(ErrorKind::ShapeError,
                       "output " + std::to_string(i) + " is " +
                           Type(results[i].dtype(), results[i].shape()).brief() +
                           ", the caller's memory " + Type(place.dtype(), place.shape()).brief());
    if (place.data() == results[i].data())
      continue;
    if (absl::Status status = place.assign(results[i]); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

} // namespace graphc
