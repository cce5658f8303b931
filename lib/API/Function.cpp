//===- Function.cpp - from a graph to something callable ------------------===//
#include "graphc/Function.h"

#include <algorithm>

#include "API/CheckGraph.h"
#include "API/FunctionState.h"
#include "API/NodeError.h"
#include "API/TestValues.h"
#include "Graph/NodeHook.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

//===--- making ---------------------------------------------------------------===//

FunctionSource::FunctionSource(GraphModule module, FunctionOptions options)
    : FunctionSource(Read(), std::move(options)) {
  module_ = std::move(module);
}

FunctionSource::FunctionSource(Read read, FunctionOptions options)
    : read_(std::move(read)), options_(std::move(options)) {
  options_.updates = {}; // they are part of the graph
  options_.givens = {};
  options_.profile = {};
  options_.dumpStages = {};      // of the function itself
  options_.cancellation.reset(); // it was about making the function
}

absl::StatusOr<const GraphModule *> FunctionSource::module() const {
  {
    std::lock_guard lock(mutex_);
    if (module_)
      return &*module_;
  }
  absl::StatusOr<GraphModule> read = read_();
  if (!read.ok())
    return read.status();
  std::lock_guard lock(mutex_);
  if (!module_) // another thread may have read it meanwhile
    module_ = *std::move(read);
  return &*module_;
}

absl::StatusOr<Resolved> resolveNamed(const std::vector<Param> &inputs, GraphModule module,
                                      const FunctionOptions &options, Place place) {
  absl::StatusOr<Resolved> resolved = resolve(inputs, std::move(module), options, place);
  if (!resolved.ok())
    return resolved;
  Variables outputs(resolved->module.outputs.begin(),
                    resolved->module.outputs.begin() + ptrdiff_t(resolved->numOutputs));
  absl::StatusOr<std::vector<std::string>> names =
      outputNames(outputs, std::move(resolved->module.outputNames), place);
  if (!names.ok())
    return names.status();
  resolved->module.outputNames = *std::move(names);
  resolved->module.outputNames.resize(resolved->module.outputs.size());
  return resolved;
}

/// `borrowed`, by output, may be shorter than they are many.
static absl::StatusOr<Function> makeFunction(const std::vector<Param> &inputs, GraphModule module,
                                             std::vector<bool> borrowed, FunctionOptions options,
                                             Place place, const std::optional<Hash128> &storeAs,
                                             std::shared_ptr<ProfilePart> profile) {
  absl::StatusOr<Resolved> resolved = resolveNamed(inputs, std::move(module), options, place);
  if (!resolved.ok())
    return resolved.status();
  GraphModule &graph = resolved->module;
  NodeHookScope quiet(nullptr); // what is made from here on is the function's own
  if (absl::Status s = checkTestValues(graph, resolved->slots, options); !s.ok())
    return s;
  absl::StatusOr<std::unique_ptr<const Runner>> runner =
      makeRunner(graph, options, storeAs, profile);
  if (!runner.ok())
    return runner.status();
  std::vector<Type> types;
  for (size_t i = 0; i < resolved->numOutputs; ++i)
    types.push_back(graph.outputs[i].type());
  std::vector<std::string> names(graph.outputNames.begin(),
                                 graph.outputNames.begin() + ptrdiff_t(resolved->numOutputs));
  size_t numResults = graph.outputs.size();
  borrowed.resize(resolved->numOutputs);
  std::string name = options.name;
  auto state = std::make_shared<Function::State>(
      std::move(name), std::move(resolved->slots), *std::move(runner), std::move(types),
      std::move(names), std::move(borrowed), numResults,
      std::make_shared<const FunctionSource>(std::move(graph), std::move(options)));
  state->attach(profile);
  return Function(std::move(state));
}

GraphModule moduleOf(const OutputList &outputs, const FunctionOptions &options) {
  GraphModule module;
  for (const Out &output : outputs.list()) {
    module.outputs.push_back(output.variable());
    module.outputNames.push_back(output.name());
  }
  if (!options.name.empty())
    module.name = options.name;
  return module;
}

std::vector<bool> areBorrowed(const OutputList &outputs) {
  std::vector<bool> borrowed;
  for (const Out &output : outputs.list())
    borrowed.push_back(output.options().borrow);
  return borrowed;
}

Function::State::State(std::string name, std::vector<Slot> slots,
                       std::shared_ptr<const Runner> runner, std::vector<Type> types,
                       std::vector<std::string> names, std::vector<bool> areBorrowed,
                       size_t numResults, std::shared_ptr<const FunctionSource> source)
    : outputTypes(std::move(types)),
      outputNames(std::make_shared<const std::vector<std::string>>(std::move(names))),
      source(std::move(source)) {
  if (std::ranges::any_of(*outputNames, [](const std::string &name) { return !name.empty(); }))
    resultNames = outputNames;
  signature.function = std::move(name);
  for (const Slot &slot : slots) {
    if (!slot.takesArgument) {
      if (!slot.name.empty())
        signature.implicitNames.push_back(slot.name);
      continue;
    }
    signature.names.push_back(slot.name);
    signature.types.push_back(slot.variable.type());
    signature.places.push_back(slot.variable.place());
    signature.rules.push_back(slot.rules);
    signature.mayBeMissing.push_back(slot.container != nullptr);
  }
  Invoker::Explain explain;
  if (!this->source->options().acceptInplace) // ops might have changed the arguments
    explain = [from = this->source](const absl::Status &error, absl::Span<const Tensor> arguments) {
      absl::StatusOr<const GraphModule *> module = from->module();
      return module.ok() ? explainCall(error, **module, arguments) : error;
    };
  invoker = std::make_unique<const Invoker>(std::move(runner), std::move(slots),
                                            std::move(areBorrowed), numResults, std::move(explain));
  prepareCode();
}

absl::StatusOr<Function> function(InputList inputs, OutputList outputs, FunctionOptions options,
                                  std::source_location loc) {
  GraphModule module = moduleOf(outputs, options);
  std::shared_ptr<ProfilePart> profile = openProfile(options.profile);
  return makeFunction(inputs.list(), std::move(module), areBorrowed(outputs), std::move(options),
                      loc, {}, std::move(profile));
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
  return makeFunction(inputs, std::move(module), {}, std::move(options), Place(), storeAs,
                      std::move(profile));
}

//===--- the Function itself ---------------------------------------------------===//

const Function::State &Function::state() const {
  static const State &none = *[] {
    auto *made = new State();
    made->outputNames = std::make_shared<const std::vector<std::string>>();
    return made;
  }();
  return state_ ? *state_ : none;
}

void Function::State::attach(const std::shared_ptr<ProfilePart> &part) {
  if (!part)
    return;
  part->attach(signature.function);
  profile = part->profile();
}

/// Of a copy of the function. What was compiled for no profile does not know its nodes: it goes the
/// same way again, at the end of which its kernels are found.
absl::StatusOr<std::shared_ptr<const Runner>>
Function::State::copyRunner(const std::shared_ptr<ProfilePart> &part, bool sharesMemory) const {
  if (!part || profile)
    return runner().with(part, sharesMemory);
  absl::StatusOr<const GraphModule *> module = source->module();
  if (!module.ok())
    return module.status();
  return makeRunner(**module, source->options(), {}, part);
}

/// F-211. An input that reads a shared variable stays that input, and reads the other one.
static absl::Status swapValues(absl::Span<const std::pair<SharedVariable, SharedVariable>> swap,
                               std::vector<Slot> &slots) {
  absl::flat_hash_map<detail::Container *, SharedVariable> replacements;
  for (const auto &[old, fresh] : swap) {
    std::shared_ptr<detail::Container> from = detail::containerOf(old),
                                       to = detail::containerOf(fresh);
    for (const SharedVariable *v : {&old, &fresh})
      if (!detail::containerOf(*v))
        return v->status();
    if (std::ranges::none_of(slots, [&](const Slot &slot) { return slot.container == from; }))
      return makeError(ErrorKind::ValueError,
                       "copy: the function neither reads nor updates " + quoted(old));
    if (to->type != from->type)
      return makeError(ErrorKind::TypeError, "copy: " + quoted(old) + " is " + from->type.brief() +
                                                 ", its replacement " + to->type.brief());
    if (!replacements.try_emplace(from.get(), fresh).second)
      return makeError(ErrorKind::ValueError, "copy: " + quoted(old) + " is swapped twice");
  }
  absl::flat_hash_set<detail::Container *> updated;
  for (Slot &slot : slots) {
    auto found = replacements.find(slot.container.get());
    if (found != replacements.end()) {
      const SharedVariable &fresh = found->second;
      slot.container = detail::containerOf(fresh);
      slot.shared = fresh;
      if (SharedVariable::from(slot.variable)) {
        slot.variable = fresh;
        slot.name = fresh.name();
      }
    }
    if (slot.isUpdated() && !updated.insert(slot.container.get()).second)
      return makeError(ErrorKind::ValueError,
                       "copy: two updates would meet in " + quoted(slot.variable));
  }
  return absl::OkStatus();
}

absl::StatusOr<Function> Function::copy(const CopyOptions &options) const {
  if (!state_)
    return noFunction("the Function to copy");
  std::vector<Slot> slots = state_->invoker->slots();
  for (Slot &slot : slots)
    if (slot.container && !slot.shared) { // F-210
      absl::StatusOr<Tensor> value = slot.container->peek();
      if (!value.ok())
        return value.status();
      slot.container = std::make_shared<detail::Container>(
          slot.container->type, slot.container->rules, *std::move(value));
    }
  if (options.deleteUpdates)
    for (Slot &slot : slots)
      slot.source = slot.output = -1;
  if (absl::Status status = swapValues(options.swap, slots); !status.ok())
    return status;
  std::string name = options.name.value_or(this->name().empty() ? "" : this->name() + " copy");
  std::shared_ptr<ProfilePart> profile = openProfile(options.profile);
  absl::StatusOr<std::shared_ptr<const Runner>> runner =
      state_->copyRunner(profile, options.shareMemory);
  if (!runner.ok())
    return runner.status();
  auto state = std::make_shared<State>(std::move(name), std::move(slots), *std::move(runner),
                                       state_->outputTypes, *state_->outputNames,
                                       state_->invoker->areBorrowed(),
                                       state_->invoker->numResults(), state_->source);
  state->trustInput = state_->trustInput.load();
  state->attach(profile);
  return Function(std::move(state));
}

void Function::free() const {
  if (!state_)
    return;
  state_->invoker->free();
  std::lock_guard lock(state_->mutex);
  for (const auto &[outputs, invoker] : state_->subsets)
    invoker->free();
}

void Function::setTrustInput(bool trust) const {
  if (state_)
    state_->trustInput = trust;
}
bool Function::trustInput() const { return state().trustInput; }

std::vector<SharedVariable> Function::sharedVariables() const {
  std::vector<SharedVariable> found;
  for (const Slot &slot : slots())
    if (slot.shared && // a swap may have made one of two
        std::ranges::find(found, *slot.shared) == found.end())
      found.push_back(*slot.shared);
  return found;
}

absl::StatusOr<FunctionGraph> Function::graph() const {
  if (!state_)
    return noFunction("the Function whose graph is wanted");
  if (absl::Status s = checkMode(state_->source->options().mode); !s.ok())
    return s;
  absl::StatusOr<const GraphModule *> module = state_->source->module();
  if (!module.ok())
    return module.status();
  std::map<int, int> updates;
  for (const Slot &slot : slots())
    if (slot.output >= 0 && slot.input >= 0)
      updates[slot.output] = slot.input;
  return rewrittenGraph(**module, state_->source->options(), std::move(updates));
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

} // namespace graphc
