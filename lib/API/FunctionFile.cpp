//===- FunctionFile.cpp - functions of files ------------------------------===//
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
    slots.push_back(std::move(slot));
  }
  std::vector<std::string> names;
  std::vector<Type> types;
  for (const Program::Output &output : program.outputs) {
    const Program::Array &array = program.arrays[size_t(output.array)];
    types.emplace_back(array.dtype, staticShape(program, array));
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
Hash128 keyOf(const std::string &text, const std::string &path, const std::string &entry,
              const FunctionOptions &options) {
  ByteWriter with;
  with.value(path);
  with.value(entry);
  with.value(options.mode.name());
  for (const auto *tags :
       {&options.mode.included(), &options.mode.excluded(), &options.mode.required()})
    with.list(*tags, [&](const std::string &tag) { with.value(tag); });
  with.value(options.rewrites);
  with.value(options.onUnusedInput);
  return codeKey(text, with.take(), options.target);
}

/// The text that a stored program was compiled from, if it is there still.
absl::StatusOr<GraphModule> readAgain(const std::string &path, const std::string &entry,
                                      const FunctionOptions &options, const Hash128 &key) {
  absl::StatusOr<std::string> text = readText(path);
  if (!text.ok())
    return text.status();
  if (!(keyOf(*text, path, entry, options) == key))
    return makeError(ErrorKind::Io, path + ": has changed since a function was made of it; what "
                                           "was stored of that function has no graph");
  return parseGraph(*text, path, entry);
}

} // namespace

absl::StatusOr<Function> compileFile(const std::string &path, FunctionOptions options,
                                     const std::string &entry) {
  std::shared_ptr<ProfilePart> profile = openProfile(options.profile);
  StageObserver observer = profile ? profile->watch(options.observer) : options.observer;
  if (path.ends_with(".onnx")) {
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
  bool stored = options.cache && options.dumpStages.empty() && !profile && hasCode(options.mode);
  std::shared_ptr<CodeFolder> folder = stored ? CodeFolder::configured() : nullptr;
  std::optional<Hash128> key;
  if (folder) {
    key = keyOf(*text, path, entry, options);
    StageWatch loading(options.observer, "load");
    if (std::shared_ptr<const Executable> executable = loadProgram(*folder, *key)) {
      loading.done([&] {
        return counted(executable->program().kernels.size(), "kernel") + ", compiled before";
      });
      return functionOf(std::move(executable), options,
                        [=] { return readAgain(path, entry, options, *key); });
    }
  }
  StageWatch reading(observer, "read");
  absl::StatusOr<GraphModule> module = parseGraph(*text, path, entry);
  if (!module.ok())
    return module.status();
  reading.done([&] { return counted(text->size(), "byte"); });
  return makeFileFunction(*std::move(module), std::move(options), key, std::move(profile));
}

} // namespace graphc
