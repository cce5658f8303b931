//===- Command.h - what the verbs share ---------------------------*- C++ -*-===//
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "OnnxFlags.h"
#include "absl/status/statusor.h"
#include "graphc/Function.h"
#include "graphc/Import.h"

namespace graphc {

/// Options that several verbs take.
struct Common {
  std::string file;
  std::string entry;
  std::string mode = "fast_run";
  std::string target = "native";
  std::string dumpStages;
  std::optional<int> threads;
  std::vector<std::string> profiles;  ///< as `--profile` was given
  std::vector<std::string> gradients; ///< as `--grad` was given
  std::vector<std::string> exclude;   ///< as `--exclude` was given
  OnnxFlags onnx;
  bool trustCode = false, noRewrites = false, noCache = false, verbose = false;

  /// FILE, --entry, --grad, --length and --shape.
  void addFile(CLI::App &app);
  /// Whether the user wrote --mode or --exclude.
  bool modeIsGiven() const { return (modeOption && modeOption->count() > 0) || !exclude.empty(); }
  Mode wholeMode() const;
  /// What is told of it: -v, --dump-stages, --profile.
  void addWatching(CLI::App &app, const std::string &profiled);
  /// How the graph is compiled, and with how many threads `threadsOf` is done.
  void addCompilation(CLI::App &app, const std::string &threadsOf);
  CLI::Option *modeOption = nullptr;
  FunctionOptions functionOptions() const;
  /// Of FILE's name, if `--profile` was given.
  ProfileOption profile() const;
  /// Wrong usage where FILE and options do not go together.
  void checkUsage() const;
};

// What options take; CLI11 says what is wrong, and the status is 2.
CLI::Validator atLeast(int least);
/// NAME=VALUE, where VALUE ends with `ending`.
CLI::Validator namedValue(const std::string &ending);

/// .onnx is ONNX, an archive a saved function, everything else (and "-", standard input) graph
/// text. The gradients that were asked for are among its outputs. The observer is told of the
/// stages "read" and "gradients".
absl::StatusOr<GraphModule> loadModule(const Common &common, const StageObserver &observer = {});
/// The same, compiled.
absl::StatusOr<Function> loadFunction(const Common &common, const FunctionOptions &options);

/// Gives the outputs the names that a Function of the graph has. Errors: those of `function`.
absl::Status nameOutputs(GraphModule &module);
/// "loss", or "out0" for an output without a name.
std::string outputName(const std::vector<std::string> &names, size_t i);

/// A file that a command writes, and the option that names it: "-o lib.so".
struct Written {
  std::string option;
  std::string path;
};
/// Wrong usage where a file that is written is one that is read, or is written twice.
void checkApart(const std::vector<Written> &written, const std::vector<std::string> &read);

/// The status of a process whose output may not have been written: `status`, or 1 with a message.
int flushed(int status);

/// Writes a file, or standard output for "-" or "".
absl::Status writeOutput(const std::string &path, std::string_view bytes);

// Each adds its verb to `app`; `status` gets what went wrong when it ran.
void addRun(CLI::App &app, absl::Status &status);
void addCompile(CLI::App &app, absl::Status &status);
void addInfo(CLI::App &app, absl::Status &status);
void addOps(CLI::App &app, absl::Status &status);
void addOpt(CLI::App &app, absl::Status &status);

} // namespace graphc
