//===- SaveLoad.cpp - Function::save, functionDump, loadFunction ----------===//
#include "API/SavedFunction.h"
#include "Rewrites/ModeRewrites.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

/// With the user's places.
absl::StatusOr<std::string> bytesOf(const GraphModule &module) {
  return printGraph(module, {.locations = true, .bytecode = true});
}

/// The graph of a file, which must be the one that its slots and outputs speak of.
absl::StatusOr<GraphModule> graphOf(const SavedFunction &saved, const std::string &path) {
  absl::StatusOr<GraphModule> module = parseGraph(saved.graph, path);
  if (!module.ok())
    return module;
  size_t numInputs = 0;
  bool fits = module->outputs.size() == saved.numResults;
  for (const Slot &slot : saved.slots) {
    if (slot.input < 0)
      continue;
    ++numInputs;
    fits = fits && size_t(slot.input) < module->inputs.size() &&
           module->inputs[size_t(slot.input)].type() == slot.variable.type();
  }
  fits = fits && numInputs == module->inputs.size();
  for (size_t i = 0; fits && i < saved.outputTypes.size(); ++i)
    fits = module->outputs[i].type() == saved.outputTypes[i];
  for (const Slot &slot : saved.slots)
    if (fits && slot.output >= 0)
      fits = slot.container->type.isSuperOf(module->outputs[size_t(slot.output)].type());
  if (!fits)
    return makeError(ErrorKind::Io, path + ": the saved function is damaged: its graph is another "
                                           "function's");
  return module;
}

absl::Status withPath(const absl::Status &status, const std::string &path) {
  return status.ok() ? status : prefixError(status, path);
}

/// Whether its mode has what no file has: the names of rewrites that only the program knew which
/// saved it, or callbacks.
bool isOfProgram(const Mode &mode) {
  return !checkRewritesOf(mode).ok() || rowOf(mode).runs == RunBy::Monitor;
}

absl::Status withRemedy(const absl::Status &status) {
  return makeError(errorKind(status),
                   std::string(status.message()) +
                       " (rewrites and callbacks of a program's own are "
                       "in no file: give them in LoadOptions::mode)",
                   errorPlace(status).value_or(Place()));
}

} // namespace

absl::Status Function::save(const std::string &path) const {
  if (!state_)
    return noFunction("the Function to save");
  absl::StatusOr<const GraphModule *> module = state_->source->module();
  if (!module.ok())
    return module.status();
  absl::StatusOr<std::string> graph = bytesOf(**module);
  if (!graph.ok())
    return withPath(graph.status(), path);
  SavedFunction saved;
  saved.options = state_->source->options();
  saved.options.name = name();
  saved.trustInput = trustInput();
  saved.slots = state_->invoker->slots();
  // The graph's own: a function of code that was kept knows more extents, from its program.
  for (size_t i = 0; i < state_->outputTypes.size(); ++i)
    saved.outputTypes.push_back((*module)->outputs[i].type());
  saved.outputNames = *state_->outputNames;
  saved.areBorrowed = state_->invoker->areBorrowed();
  saved.numResults = state_->invoker->numResults();
  saved.graph = *std::move(graph);
  if (hasCode(saved.options.mode)) {
    // A loaded function may want rewrites that this program does not know.
    if (absl::Status s = checkMode(saved.options.mode); !s.ok())
      return withPath(withRemedy(s), path);
    absl::StatusOr<ProgramImage> code = compileImage(**module, saved.options);
    if (!code.ok())
      return withPath(code.status(), path);
    saved.code = *std::move(code);
  }
  return writeSaved(path, saved);
}

absl::Status functionDump(const std::string &path, InputList inputs, OutputList outputs,
                          FunctionOptions options, std::source_location loc) {
  absl::StatusOr<Resolved> resolved =
      resolveNamed(inputs.list(), moduleOf(outputs, options), options, loc);
  if (!resolved.ok())
    return resolved.status();
  if (absl::Status s = checkMode(options.mode); !s.ok())
    return s;
  const GraphModule &module = resolved->module;
  absl::StatusOr<std::string> graph = bytesOf(module);
  if (!graph.ok())
    return withPath(graph.status(), path);
  SavedFunction saved;
  saved.options = std::move(options);
  saved.slots = std::move(resolved->slots);
  for (size_t i = 0; i < resolved->numOutputs; ++i) {
    saved.outputTypes.push_back(module.outputs[i].type());
    saved.outputNames.push_back(module.outputNames[i]);
  }
  saved.areBorrowed = areBorrowed(outputs);
  saved.numResults = module.outputs.size();
  saved.graph = *std::move(graph);
  return writeSaved(path, saved);
}

absl::StatusOr<Function> loadFunction(const std::string &path, const LoadOptions &options) {
  absl::StatusOr<SavedFunction> read = readSaved(path, options.trustCode && !options.mode);
  if (!read.ok())
    return read.status();
  auto saved = std::make_shared<SavedFunction>(*std::move(read));
  if (options.threads)
    saved->options.threads = options.threads;
  if (options.mode)
    saved->options.mode = *options.mode;
  saved->options.cancellation = options.cancellation;
  auto source = std::make_shared<const FunctionSource>(
      [saved, path] { return graphOf(*saved, path); }, saved->options);
  absl::StatusOr<std::unique_ptr<const Runner>> runner = nullptr;
  if (!saved->code.program.empty()) {
    absl::StatusOr<std::shared_ptr<const Executable>> executable = loadImage(saved->code);
    if (!executable.ok())
      return withPath(executable.status(), path);
    runner = runnerOf(*std::move(executable), saved->options);
    saved->code = {}; // it is loaded
  } else {
    absl::StatusOr<const GraphModule *> module = source->module();
    if (!module.ok())
      return module.status();
    runner = makeRunner(**module, saved->options, {}, {});
    if (!runner.ok() && !options.mode && isOfProgram(saved->options.mode))
      return withPath(withRemedy(runner.status()), path);
  }
  if (!runner.ok())
    return runner.status();
  auto state = std::make_shared<Function::State>(
      saved->options.name, saved->slots, *std::move(runner), saved->outputTypes, saved->outputNames,
      saved->areBorrowed, saved->numResults, std::move(source));
  state->trustInput = saved->trustInput;
  return Function(std::move(state));
}

absl::StatusOr<GraphModule> loadSavedGraph(const std::string &path) {
  absl::StatusOr<SavedFunction> saved = readSaved(path, /*withCode=*/false);
  if (!saved.ok())
    return saved.status();
  absl::StatusOr<GraphModule> module = graphOf(*saved, path);
  if (!module.ok())
    return module;
  Replacements constants;
  GraphModule seen;
  seen.name = saved->options.name.empty() ? module->name : saved->options.name;
  seen.inputs.resize(module->inputs.size());
  for (const Slot &slot : saved->slots) {
    if (slot.isUpdated())
      return makeError(ErrorKind::NotSupported, path + ": the function updates '" + slot.name +
                                                    "', which only `run` and loadFunction can do");
    if (slot.input < 0)
      continue;
    Variable &input = module->inputs[size_t(slot.input)];
    if (slot.takesArgument) {
      seen.inputs[size_t(slot.input)] = input;
      continue;
    }
    absl::StatusOr<Tensor> value = slot.container->peek();
    if (!value.ok())
      return value.status();
    constants.emplace_back(input, Constant(*value, slot.name));
  }
  std::erase_if(seen.inputs, [](const Variable &v) { return v == Variable(); });
  module->outputs.resize(saved->outputTypes.size());
  absl::StatusOr<Variables> outputs = cloneReplace(module->outputs, constants, /*strict=*/false);
  if (!outputs.ok())
    return withPath(outputs.status(), path);
  seen.outputs = *std::move(outputs);
  seen.outputNames = saved->outputNames;
  return seen;
}

} // namespace graphc
