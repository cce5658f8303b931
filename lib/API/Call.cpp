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

absl::StatusOr<std::vector<Tensor>> Function::bindCall(std::vector<Tensor> positional,
                                                       absl::Span<const NamedValue> named) const {
  if (named.empty() && fit(state_->signature, positional))
    return positional;
  return unlessNoMemory(
      [&] {
        return bindArguments(state_->signature, std::move(positional), named, state_->trustInput);
      },
      noMemoryForCall);
}

/// A run, and what holds its results.
static absl::StatusOr<Results>
resultsOf(const Invoker &invoker, absl::Span<const Tensor> arguments,
          const std::shared_ptr<const std::vector<std::string>> &names, size_t count) {
  return unlessNoMemory(
      [&]() -> absl::StatusOr<Results> {
        std::vector<Tensor> results(count);
        if (absl::Status status =
                invoker.run(arguments, absl::MakeSpan(results), OutputMemory::Fresh);
            !status.ok())
          return status;
        return Results(std::move(results), names);
      },
      noMemoryForCall);
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
    absl::StatusOr<std::vector<size_t>> numbers = state_->numbersOf(*options.outputSubset);
    if (!numbers.ok())
      return numbers.status();
    absl::StatusOr<const Invoker *> chosen = state_->subset(*numbers);
    if (!chosen.ok())
      return chosen.status();
    invoker = *chosen;
    std::vector<std::string> some;
    for (size_t output : *numbers)
      some.push_back((*names)[output]);
    names = std::make_shared<const std::vector<std::string>>(std::move(some));
  }
  return resultsOf(*invoker, *arguments, names, names->size());
}

absl::StatusOr<Results> Function::callWith(absl::Span<Tensor> positional) const {
  if (!state_)
    return noFunction("the Function that is called");
  if (!fit(state_->signature, positional))
    return unlessNoMemory(
        [&] {
          return call({std::make_move_iterator(positional.begin()),
                       std::make_move_iterator(positional.end())});
        },
        noMemoryForCall);
  return resultsOf(*state_->invoker, positional, state_->outputNames, state_->outputTypes.size());
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

/// As Executable::run does where one kernel is all: the same code, results and counts.
absl::StatusOr<Results>
Function::callWithNumbers(absl::Span<const detail::NumberArgument> numbers) const {
  auto fitsDirectly = [&] {
    const std::vector<Type> &types = state_->signature.types;
    bool fits = state_->numbers.code && numbers.size() == types.size();
    for (size_t i = 0; fits && i < types.size(); ++i)
      fits = numbers[i].dtype == types[i].dtype();
    return fits;
  };
  if (!state_ || !fitsDirectly())
    return unlessNoMemory(
        [&] {
          absl::InlinedVector<Tensor, 8> values;
          for (const detail::NumberArgument &number : numbers)
            values.push_back(tensorOf(number));
          return callWith(absl::MakeSpan(values));
        },
        noMemoryForCall);
  return unlessNoMemory([&] { return callCode(numbers); }, noMemoryForCall);
}

/// Of a function without checks on arguments that fit: all is a call of its code.
absl::StatusOr<Results> Function::callCode(absl::Span<const detail::NumberArgument> numbers) const {
  const detail::BoundCall &call = state_->numbers;
  void *buffers[detail::BoundCall::kMaxBuffers];
  std::copy(call.pattern.begin(), call.pattern.end(), buffers);
  for (size_t i = 0; i < numbers.size(); ++i)
    if (int32_t slot = call.slots[i]; slot >= 0)
      buffers[slot] = const_cast<char *>(numbers[i].value);
  std::vector<Tensor> results;
  results.reserve(state_->outputTypes.size());
  for (size_t i = 0; i < state_->outputTypes.size(); ++i) {
    const Type &type = state_->outputTypes[i];
    absl::StatusOr<Tensor> result = Tensor::allocate(type.dtype(), type.shape());
    if (!result.ok())
      return result.status();
    results.push_back(*std::move(result));
    buffers[call.slots[numbers.size() + i]] = results.back().data();
  }
  call.code(buffers, call.sizes); // chosen only where it cannot fail
  state_->runner().countDirectCall();
  return Results(std::move(results), state_->outputNames);
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
