//===- Call.cpp - calls of a Function -------------------------------------===//
#include <algorithm>
#include <cstring>
#include <iterator>

#include "API/CheckGraph.h"
#include "API/FunctionState.h"
#include "API/NodeError.h"
#include "Support/NoMemory.h"
#include "Support/Text.h"
#include "absl/container/inlined_vector.h"

namespace graphc {

absl::Status noFunction(std::string_view what) {
  return makeError(ErrorKind::ValueError,
                   std::string(what) + " was default-constructed or moved from: it is none");
}

/// A run of arguments that fit, and what holds its results.
static absl::StatusOr<Results> resultsOf(const Invoker &invoker, absl::Span<const Tensor> arguments,
                                         std::vector<Tensor> results,
                                         std::shared_ptr<const std::vector<std::string>> names) {
  if (absl::Status status = invoker.run(arguments, absl::MakeSpan(results), OutputMemory::Fresh);
      !status.ok())
    return status;
  return Results(std::move(results), std::move(names));
}

/// Of all outputs.
static absl::StatusOr<Results> resultsOf(const Function::State &state,
                                         absl::Span<const Tensor> arguments) {
  absl::StatusOr<Results> made = resultsOf(
      *state.invoker, arguments, std::vector<Tensor>(state.outputTypes.size()), state.resultNames);
  if (made.ok())
    state.findVersion(arguments, *made);
  return made;
}

bool Function::callAtOnce(absl::Span<const Tensor *const> arguments, Results &results) const {
  if (!state_)
    return false;
  try {
    std::vector<Tensor> made;
    if (!state_->callAtOnce(arguments, made))
      return false;
    results = Results(std::move(made), state_->resultNames);
    return true;
  } catch (const std::bad_alloc &) {
    return false; // the general way says of what
  }
}

static absl::InlinedVector<const Tensor *, 16> pointersTo(absl::Span<const Tensor> tensors) {
  absl::InlinedVector<const Tensor *, 16> pointers(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    pointers[i] = &tensors[i];
  return pointers;
}

absl::StatusOr<Results> Function::call(const std::vector<Tensor> &positional,
                                       std::vector<NamedValue> named,
                                       const CallOptions &options) const {
  return unlessNoMemory(
      [&]() -> absl::StatusOr<Results> {
        if (!named.empty() || options.outputSubset)
          return call(std::vector<Tensor>(positional), std::move(named), options);
        if (Results results; callAtOnce(pointersTo(positional), results))
          return results;
        std::vector<Tensor> copies = positional;
        return callInGeneral(absl::MakeSpan(copies));
      },
      noMemoryForCall);
}

absl::StatusOr<Results> Function::call(std::vector<Tensor> &&positional,
                                       std::vector<NamedValue> named,
                                       const CallOptions &options) const {
  if (named.empty() && !options.outputSubset)
    return callWith(absl::MakeSpan(positional));
  if (!state_)
    return noFunction("the Function that is called");
  return unlessNoMemory(
      [&]() -> absl::StatusOr<Results> {
        absl::StatusOr<std::vector<Tensor>> arguments =
            bindArguments(state_->signature, std::move(positional), named, state_->trustInput);
        if (!arguments.ok())
          return arguments.status();
        if (!options.outputSubset)
          return resultsOf(*state_, *arguments);
        absl::StatusOr<std::vector<size_t>> numbers = state_->numbersOf(*options.outputSubset);
        if (!numbers.ok())
          return numbers.status();
        absl::StatusOr<const Invoker *> chosen = state_->subset(*numbers);
        if (!chosen.ok())
          return chosen.status();
        std::vector<std::string> names;
        for (size_t output : *numbers)
          names.push_back((*state_->outputNames)[output]);
        std::vector<Tensor> results(names.size());
        return resultsOf(**chosen, *arguments, std::move(results),
                         std::make_shared<const std::vector<std::string>>(std::move(names)));
      },
      noMemoryForCall);
}

absl::StatusOr<Results> Function::callWith(absl::Span<Tensor> positional) const {
  return unlessNoMemory(
      [&]() -> absl::StatusOr<Results> {
        if (Results results; callAtOnce(pointersTo(positional), results))
          return results;
        return callInGeneral(positional);
      },
      noMemoryForCall);
}

absl::StatusOr<Results> Function::callInGeneral(absl::Span<Tensor> positional) const {
  if (!state_)
    return noFunction("the Function that is called");
  return unlessNoMemory(
      [&]() -> absl::StatusOr<Results> {
        if (fit(state_->signature, positional))
          return resultsOf(*state_, positional);
        absl::StatusOr<std::vector<Tensor>> arguments =
            bindArguments(state_->signature,
                          {std::make_move_iterator(positional.begin()),
                           std::make_move_iterator(positional.end())},
                          {}, state_->trustInput);
        if (!arguments.ok())
          return arguments.status();
        return resultsOf(*state_, *arguments);
      },
      noMemoryForCall);
}

static Tensor tensorOf(const detail::NumberArgument &number) {
  auto as = [&]<class T>(T value) {
    std::memcpy(&value, number.value, sizeof(value));
    return Tensor(value);
  };
  switch (number.dtype) {
  case DType::Float32:
    return as(float());
  case DType::Float64:
    return as(double());
  case DType::UInt64:
    return as(uint64_t());
  default:
    return as(int64_t());
  }
}

absl::StatusOr<Results>
Function::callWithNumbers(absl::Span<const detail::NumberArgument> numbers) const {
  return unlessNoMemory(
      [&]() -> absl::StatusOr<Results> {
        if (std::vector<Tensor> results; state_ && state_->callAtOnce(numbers, results))
          return Results(std::move(results), state_->resultNames);
        absl::InlinedVector<Tensor, 8> values;
        for (const detail::NumberArgument &number : numbers)
          values.push_back(tensorOf(number));
        return callWith(absl::MakeSpan(values));
      },
      noMemoryForCall);
}

absl::StatusOr<std::vector<size_t>> Function::State::numbersOf(const OutputSubset &subset) const {
  std::vector<size_t> numbers = subset.numbers();
  for (size_t output : numbers)
    if (output >= outputTypes.size())
      return makeError(ErrorKind::IndexError, "outputSubset: there is no output " +
                                                  std::to_string(output) + " of " +
                                                  std::to_string(outputTypes.size()));
  for (const std::string &name : subset.names()) {
    auto found = std::find(outputNames->begin(), outputNames->end(), name);
    if (found == outputNames->end() || name.empty())
      return makeError(ErrorKind::KeyError, "outputSubset: no output is called '" + name + "'; " +
                                                listedNames(*outputNames));
    numbers.push_back(size_t(found - outputNames->begin()));
  }
  return numbers;
}

/// F-217: the graph of these outputs and of all updates, with the same slots.
absl::StatusOr<const Invoker *> Function::State::subset(const std::vector<size_t> &outputs) const {
  {
    std::lock_guard lock(mutex);
    if (auto known = subsets.find(outputs); known != subsets.end())
      return known->second.get();
  }
  absl::StatusOr<const GraphModule *> whole = source->module();
  if (!whole.ok())
    return whole.status();
  GraphModule module = **whole;
  module.outputs.clear();
  std::vector<bool> borrowed;
  for (size_t output : outputs) {
    module.outputs.push_back((*whole)->outputs[output]);
    borrowed.push_back(invoker->areBorrowed()[output]);
  }
  std::vector<Slot> slots = invoker->slots();
  for (Slot &slot : slots)
    if (slot.output >= 0) {
      Variable next = (*whole)->outputs[size_t(slot.output)];
      slot.output = int(module.outputs.size());
      module.outputs.push_back(std::move(next));
    }
  module.outputNames.assign(module.outputs.size(), "");
  std::shared_ptr<ProfilePart> part = profile ? std::make_shared<ProfilePart>(*profile) : nullptr;
  absl::StatusOr<std::unique_ptr<const Runner>> runner =
      makeRunner(module, source->options(), {}, part);
  if (!runner.ok())
    return runner.status();
  size_t numResults = module.outputs.size();
  Invoker::Explain explain = [module = std::move(module)](const absl::Status &error,
                                                          absl::Span<const Tensor> arguments) {
    return explainCall(error, module, arguments);
  };
  if (source->options().acceptInplace) // which may have changed the arguments
    explain = nullptr;
  auto made = std::make_unique<const Invoker>(*std::move(runner), std::move(slots), borrowed,
                                              numResults, std::move(explain));
  std::lock_guard lock(mutex);
  auto [known, isNew] = subsets.try_emplace(outputs, std::move(made));
  if (isNew && part) // else another thread has made it meanwhile
    part->attach(signature.function + "[" +
                 join(outputs, ", ", [](size_t output) { return std::to_string(output); }) + "]");
  return known->second.get();
}

} // namespace graphc
