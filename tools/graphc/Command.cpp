//===- Command.cpp --------------------------------------------------------===//
#include "Command.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "API/CheckGraph.h"
#include "API/FileFunction.h"
#include "API/SavedFunction.h"
#include "Gradients.h"
#include "Kernels/CompilerInterface.h"
#include "Profiling.h"
#include "Progress.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/CpuIdentity.h"
#include "Runtime/StageWatch.h"
#include "Support/Bytes.h"
#include "Support/ReadFile.h"
#include "Support/WriteFile.h"

namespace graphc {

void Common::addFile(CLI::App &app) {
  app.add_option("FILE", file,
                 "Graph text (.mlir), an ONNX model (.onnx), a saved function, or - for standard "
                 "input")
      ->required();
  app.add_option("--entry", entry, "Function of the file; default: main, or the only one");
  app.add_option(
         "--grad", gradients,
         "Further outputs: the derivatives of an output of rank 0 (its name or number) with "
         "respect to inputs and named constants")
      ->type_name("COST:WRT,...")
      ->check(gradientForm())
      ->allow_extra_args(false)
      ->take_all();
  onnx.add(app);
}

void Common::addWatching(CLI::App &app, const std::string &profiled) {
  app.add_option("--dump-stages", dumpStages, "Folder to write the text of every stage to");
  app.add_flag("-v", verbose,
               "Tell each stage of compilation, its time and size on standard error");
  app.add_flag("--profile{table}", profiles,
               "Tell what " + profiled +
                   ": a table on standard error, or =json:FILE, =trace:FILE (Chrome's trace "
                   "events)")
      ->check(profileForm())
      ->take_all();
}

void Common::addCompilation(CLI::App &app, const std::string &threadsOf) {
  modeOption = app.add_option(
      "--mode", mode, "How it is run; debug: compiled and interpreted, and the results compared");
  modeOption
      ->check(CLI::IsMember(modeNames([](const ModeRow &row) {
        return row.runs != RunBy::Monitor; // whose callbacks no command has
      })))
      ->capture_default_str();
  app.add_option("--exclude", exclude,
                 "Names or tags of rewrites and names of optimizations that do not run")
      ->delimiter(',');
  app.add_flag("--no-rewrites", noRewrites, "Compile the graph as it is, whatever the mode");
  app.add_option("--target", target, "Processor to make code for")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kTargets), std::end(kTargets))))
      ->capture_default_str();
  app.add_flag("--no-cache", noCache, "Do not keep compiled code, nor look for it");
  app.add_option("--threads", threads,
                 "Greatest number of threads of " + threadsOf +
                     "; 0: one per processor [GRAPHC_THREADS, else 1]")
      ->check(atLeast(0));
}

void Common::checkUsage() const {
  if (!entry.empty() && file.ends_with(".onnx"))
    throw CLI::ValidationError("--entry",
                               "an ONNX model has one graph, which has no name to choose");
  if (!onnx.isEmpty() && !file.ends_with(".onnx"))
    throw CLI::ValidationError(onnx.lengths.empty() ? "--shape" : "--length",
                               "is of ONNX models alone");
  onnx.options(); // names are distinct
  if (trustCode && !gradients.empty())
    throw CLI::ValidationError("--trust-code", "a file's code has no gradients; leave one of "
                                               "--trust-code and --grad out");
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!dumpStages.empty() && fs::exists(file, ignored) &&
      fs::equivalent(fs::absolute(file, ignored).parent_path(), dumpStages, ignored))
    throw CLI::ValidationError("--dump-stages=" + dumpStages,
                               "holds " + file + ", which is read; name another folder");
}

CLI::Validator atLeast(int least) {
  auto check = [least](std::string &text) {
    int number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool good = error == std::errc() && end == text.data() + text.size() && number >= least;
    return good ? std::string()
                : "'" + text + "' is no number from " + std::to_string(least) + " up";
  };
  return CLI::Validator(check, "", "");
}

CLI::Validator namedValue(const std::string &ending) {
  auto check = [ending](std::string &text) {
    size_t equals = text.find('=');
    bool good = equals != text.npos && text.ends_with(ending);
    return good ? std::string()
                : "'" + text + "' is not NAME=" + (ending.empty() ? "VALUE" : "FILE" + ending);
  };
  return CLI::Validator(check, "", "");
}

void checkApart(const std::vector<Written> &written, const std::vector<std::string> &read) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  auto isSame = [&](const std::string &a, const std::string &b) {
    // Devices may be given as often as one likes.
    if (fs::exists(a, ignored) && !fs::is_regular_file(a, ignored))
      return false;
    auto whole = [&](const std::string &path) { // of what may not be there yet
      return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
    };
    return fs::equivalent(a, b, ignored) || (!whole(a).empty() && whole(a) == whole(b));
  };
  for (size_t i = 0; i < written.size(); ++i) {
    for (const std::string &path : read)
      if (isSame(written[i].path, path))
        throw CLI::ValidationError(written[i].option, "would be written over " + path +
                                                          ", which is read; name another file");
    for (size_t k = 0; k < i; ++k)
      if (isSame(written[i].path, written[k].path))
        throw CLI::ValidationError(written[i].option, "is the file of " + written[k].option +
                                                          ", too; name another one");
  }
}

int flushed(int status) {
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0)
    return status;
  std::cerr << "error: standard output cannot be written\n";
  return 1;
}

Mode Common::wholeMode() const {
  Mode whole = mode;
  for (const std::string &name : exclude)
    whole = whole.excluding({name});
  return whole;
}

FunctionOptions Common::functionOptions() const {
  FunctionOptions options;
  options.mode = wholeMode();
  options.rewrites = !noRewrites;
  options.threads = threads;
  options.target = target;
  options.dumpStages = dumpStages;
  options.cache = !noCache;
  options.observer = stageObserver(verbose);
  options.profile = profile();
  return options;
}

ProfileOption Common::profile() const {
  return profiles.empty() ? ProfileOption() : ProfileOption(file);
}

static absl::StatusOr<GraphModule> readModule(const Common &common) {
  if (common.file.ends_with(".onnx"))
    return loadOnnx(common.file, common.onnx.options());
  if (isSavedFunction(common.file))
    return loadSavedGraph(common.file);
  if (common.file != "-")
    return loadGraph(common.file, common.entry);
  absl::StatusOr<std::string> text = readStandardInput();
  if (!text.ok())
    return text.status();
  return parseGraph(*text, "<stdin>", common.entry);
}

absl::StatusOr<GraphModule> loadModule(const Common &common, const StageObserver &observer) {
  StageWatch reading(observer, "read");
  absl::StatusOr<GraphModule> module = readModule(common);
  if (!module.ok())
    return module;
  reading.done([&] { return counted(module->outputs.size(), "output"); });
  if (common.gradients.empty())
    return module;
  StageWatch differentiating(observer, "gradients");
  size_t before = module->outputs.size();
  if (absl::Status s = addGradients(*module, common.gradients); !s.ok())
    return s;
  differentiating.done([&] { return counted(module->outputs.size() - before, "output"); });
  return module;
}

/// Files of more bytes would push everything else out of the cache folder.
constexpr size_t kMostKept = size_t(64) << 20;

/// The bytes of a file whose graph with gradients is kept: no pipe, and of an ONNX model no weights
/// in other files (of which each has an entry of this name).
static std::optional<std::string> bytesToKeep(const std::string &file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) ||
      std::filesystem::file_size(file, ignored) > kMostKept)
    return std::nullopt;
  absl::StatusOr<std::string> bytes = bytesOfFile(file);
  if (!bytes.ok() || (file.ends_with(".onnx") && bytes->find("location") != bytes->npos))
    return std::nullopt;
  return *std::move(bytes);
}

/// What makes the graph of a file with gradients another one.
static std::string keyOfGraph(const Common &common) {
  ByteWriter key;
  key.value(common.entry);
  for (const auto *list : {&common.gradients, &common.onnx.lengths, &common.onnx.shapes})
    key.list(*list, [&](const std::string &text) { key.value(text); });
  return key.take();
}

absl::StatusOr<Function> loadFunction(const Common &common, const FunctionOptions &options) {
  if (!common.gradients.empty())
    if (std::optional<std::string> bytes = bytesToKeep(common.file)) {
      FileReading reading{keyOfGraph(common),
                          [common](const std::string &, const StageObserver &observer) {
                            return loadModule(common, observer);
                          },
                          /*opensFile=*/true};
      return functionOfFile(common.file, *bytes, reading, options);
    }
  if (common.file == "-" || !common.gradients.empty() || !common.onnx.isEmpty()) {
    absl::StatusOr<GraphModule> module = loadModule(common, options.observer);
    return module.ok() ? function(*module, options) : module.status();
  }
  if (isSavedFunction(common.file)) {
    LoadOptions load{.trustCode = common.trustCode, .threads = options.threads};
    if (common.modeIsGiven())
      load.mode = options.mode;
    return loadFunction(common.file, load);
  }
  return compileFile(common.file, options, common.entry);
}

absl::Status nameOutputs(GraphModule &module) {
  absl::StatusOr<std::vector<std::string>> names =
      outputNames(module.outputs, std::move(module.outputNames), {});
  if (names.ok())
    module.outputNames = *std::move(names);
  return names.status();
}

std::string outputName(const std::vector<std::string> &names, size_t i) {
  if (i < names.size() && !names[i].empty())
    return names[i];
  return "out" + std::to_string(i);
}

absl::Status writeOutput(const std::string &path, std::string_view bytes) {
  if (path.empty() || path == "-") {
    std::cout << bytes << std::flush;
    return absl::OkStatus();
  }
  return replaceFile(path, bytes);
}

} // namespace graphc
