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

static absl::StatusOr<Function> makeFunction(GraphModule module, const FunctionOptions &options,
                                             Place place, const std::optional<Hash128> &storeAs) {
  if (absl::Status status = checkGraph(module, options.onUnusedInput, place); !status.ok())
    return status;
  absl::StatusOr<std::vector<std::string>> names =
      outputNames(module.outputs, std::move(module.outputNames), place);
  if (!names.ok())
    return names.status();
  module.outputNames = *std::move(names);
  absl::StatusOr<std::unique_ptr<const Runner>> runner = makeRunner(module, options, storeAs);
  if (!runner.ok())
    return runner.status();

  auto state = std::make_shared<Function::State>();
  state->signature.function = options.name;
  for (const Variable &v : module.inputs) {
    state->signature.names.emplace_back(v.name());
    state->signature.types.push_back(v.type());
  }
  for (const Variable &v : module.outputs)
    state->outputTypes.push_back(v.type());
  state->outputNames = std::make_shared<const std::vector<std::string>>(module.outputNames);
  state->runner = *std::move(runner);
  return Function(std::move(state));
}

absl::StatusOr<Function> function(InputList inputs, OutputList outputs, FunctionOptions options,
                                  std::source_location loc) {
  GraphModule module;
  for (const Param &input : inputs.list())
    module.inputs.push_back(input.variable());
  for (const Out &output : outputs.list()) {
    module.outputs.push_back(output.variable());
    module.outputNames.push_back(output.name());
  }
  if (!options.name.empty())
    module.name = options.name;
  return makeFunction(std::move(module), options, loc, {});
}

absl::StatusOr<Function> function(const GraphModule &module, FunctionOptions options) {
  return makeFileFunction(module, std::move(options), {});
}

absl::StatusOr<Function> makeFileFunction(GraphModule module, FunctionOptions options,
                                          const std::optional<Hash128> &storeAs) {
  if (options.name.empty())
    options.name = module.name;
  return makeFunction(std::move(module), options, Place(), storeAs);
}

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

absl::StatusOr<Results> Function::call(std::vector<Tensor> positional,
                                       std::vector<NamedValue> named) const {
  if (!state_)
    return noFunction("the Function that is called");
  if (named.empty() && fit(state_->signature, positional))
    return callWith(absl::MakeSpan(positional));
  absl::StatusOr<std::vector<Tensor>> arguments =
      bindArguments(state_->signature, std::move(positional), named);
  if (!arguments.ok())
    return arguments.status();
  return callWith(absl::MakeSpan(*arguments));
}

absl::StatusOr<Results> Function::callWith(absl::Span<Tensor> positional) const {
  if (!state_)
    return noFunction("the Function that is called");
  if (!fit(state_->signature, positional))
    return call(
        {std::make_move_iterator(positional.begin()), std::make_move_iterator(positional.end())});
  std::vector<Tensor> results(state_->outputTypes.size());
  if (absl::Status status =
          state_->runner->run(positional, absl::MakeSpan(results), OutputMemory::Fresh);
      !status.ok())
    return status;
  return Results(std::move(results), state_->outputNames);
}

const std::string &Function::name() const { return state().signature.function; }
const std::vector<std::string> &Function::inputNames() const { return state().signature.names; }
const std::vector<Type> &Function::inputTypes() const { return state().signature.types; }
const std::vector<std::string> &Function::outputNames() const { return *state().outputNames; }
const std::vector<Type> &Function::outputTypes() const { return state().outputTypes; }
Function::Counters Function::counters() const {
  return state_ ? state_->runner->counters() : Counters();
}
std::vector<Function::Profile> Function::profile() const {
  return state_ ? state_->runner->profile() : std::vector<Profile>();
}

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
  if (state_->runner->direct(call))
    for (const std::vector<Type> *types : {&state_->signature.types, &state_->outputTypes})
      for (const Type &type : *types)
        call.extents.insert(call.extents.end(), type.shape().begin(), type.shape().end());
  else
    canFail |= !returnsStatus && state_->runner->canFail();
  if (canFail && !returnsStatus)
    return makeError(ErrorKind::TypeError, "bind: the function can fail while it runs; let the "
                                           "signature return absl::Status");
  call.owner = state_;
  return call;
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
  if (absl::Status status = state.runner->run(inputs, absl::MakeSpan(results), OutputMemory::Given);
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
