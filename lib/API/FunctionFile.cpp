//===- FunctionFile.cpp - functions of files ------------------------------===//
#include "API/FileFunction.h"
#include "API/FunctionState.h"
#include "API/InputOfFile.h"
#include "Runtime/ProgramFile.h"
#include "Runtime/StageWatch.h"
#include "Support/Bytes.h"
#include "Support/ReadFile.h"
#include "Support/SharedLibrary.h"

namespace graphc {
namespace {

/// A program that was compiled in another process, as a Function.
absl::StatusOr<Function> functionOf(std::shared_ptr<const Executable> executable,
                                    FunctionOptions options, FunctionSource::Read read) {
  const Program &program = executable->program();
  std::vector<Slot> slots;
  for (const Program::Input &input : program.inputs) {
    Slot slot;
    slot.name = input.name;
    slot.variable = inputOfFile(Type(input.dtype, input.shape), input.name);
    slot.input = int(slots.size());
    slot.rules.allowDowncast = options.allowInputDowncast;
    slots.push_back(std::move(slot));
  }
  std::vector<std::string> names;
  std::vector<Type> types;
  for (const Program::Output &output : program.outputs) {
    types.push_back(typeOf(program, output));
    names.push_back(output.name);
  }
  std::string name = options.name.empty() ? program.name : options.name;
  size_t numOutputs = names.size();
  absl::StatusOr<std::unique_ptr<const Runner>> runner = runnerOf(std::move(executable), options);
  if (!runner.ok())
    return runner.status();
  return Function(std::make_shared<const Function::State>(
      std::move(name), std::move(slots), *std::move(runner), std::move(types), std::move(names),
      std::vector<bool>(numOutputs), numOutputs,
      std::make_shared<const FunctionSource>(std::move(read), std::move(options))));
}

/// Everything that the program depends on. The path stands in its messages.
Hash128 keyOf(const std::string &bytes, const std::string &path, const FileReading &reading,
              const FunctionOptions &options) {
  ByteWriter with;
  with.value(path);
  with.value(reading.key);
  with.value(options.mode.name());
  for (const auto *tags :
       {&options.mode.included(), &options.mode.excluded(), &options.mode.required()})
    with.list(*tags, [&](const std::string &tag) { with.value(tag); });
  with.value(options.rewrites);
  with.value(options.onUnusedInput);
  with.value(options.acceptInplace);
  return codeKey(bytes, with.take(), options.target);
}

/// The graph that a stored program was compiled from, if its file is there still.
absl::StatusOr<GraphModule> readAgain(const std::string &path, const FileReading &reading,
                                      const FunctionOptions &options, const Hash128 &key) {
  absl::StatusOr<std::string> bytes = bytesOfFile(path);
  if (!bytes.ok())
    return bytes.status();
  if (!(keyOf(*bytes, path, reading, options) == key))
    return makeError(ErrorKind::Io, path + ": has changed since a function was made of it; what "
                                           "was stored of that function has no graph");
  return reading.read(*bytes, {});
}

} // namespace

absl::StatusOr<std::string> bytesOfFile(const std::string &path) {
  absl::StatusOr<OpenFile> opened = openFile(path);
  if (!opened.ok())
    return opened.status();
  return readToEnd(opened->file.get(), path, [](std::string_view) { return absl::OkStatus(); });
}

absl::StatusOr<Function> functionOfFile(const std::string &path, const std::string &bytes,
                                        const FileReading &reading, FunctionOptions options) {
  std::shared_ptr<ProfilePart> profile = openProfile(options.profile);
  // Nothing tells another process what a program's own rewrites do, nor which of its variables
  // updates and givens are of.
  bool stored = options.cache && options.dumpStages.empty() && !profile && hasCode(options.mode) &&
                !options.mode.ownRewrites() && options.updates.pairs().empty() &&
                options.givens.pairs().empty();
  std::shared_ptr<CodeFolder> folder = stored ? CodeFolder::configured() : nullptr;
  std::optional<Hash128> key;
  if (folder) {
    key = keyOf(bytes, path, reading, options);
    StageWatch loading(options.observer, "load");
    if (std::shared_ptr<const Executable> executable = loadProgram(*folder, *key)) {
      loading.done([&] {
        return counted(executable->program().kernels.size(), "kernel") + ", compiled before";
      });
      return functionOf(std::move(executable), options,
                        [=] { return readAgain(path, reading, options, *key); });
    }
  }
  absl::StatusOr<GraphModule> module =
      reading.read(bytes, profile ? profile->watch(options.observer) : options.observer);
  if (!module.ok())
    return module.status();
  if (key && reading.opensFile) {
    absl::StatusOr<std::string> now = bytesOfFile(path);
    if (!now.ok() || *now != bytes)
      key.reset();
  }
  return makeFileFunction(*std::move(module), std::move(options), key, std::move(profile));
}

absl::StatusOr<Function> compileFile(const std::string &path, FunctionOptions options,
                                     const std::string &entry) {
  if (path.ends_with(".onnx")) {
    std::shared_ptr<ProfilePart> profile = openProfile(options.profile);
    StageObserver observer = profile ? profile->watch(options.observer) : options.observer;
    StageWatch reading(observer, "read");
    absl::StatusOr<GraphModule> module = loadOnnx(path);
    if (!module.ok())
      return module.status();
    reading.done([&] { return counted(module->outputs.size(), "output"); });
    return makeFileFunction(*std::move(module), std::move(options), {}, std::move(profile));
  }
  absl::StatusOr<std::string> text = readText(path);
  if (!text.ok())
    return text.status();
  FileReading parsing{entry, [=](const std::string &text, const StageObserver &observer) {
                        StageWatch reading(observer, "read");
                        absl::StatusOr<GraphModule> module = parseGraph(text, path, entry);
                        if (module.ok())
                          reading.done([&] { return counted(text.size(), "byte"); });
                        return module;
                      }};
  return functionOfFile(path, *text, parsing, std::move(options));
}

} // namespace graphc
