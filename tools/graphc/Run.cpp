//===- Run.cpp - graphc run -----------------------------------------------===//
#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include "Command.h"
#include "ParseValue.h"
#include "Profiling.h"
#include "Progress.h"

namespace graphc {
namespace {

struct RunOptions {
  Common common;
  std::vector<std::string> inputs, outputs;
  int steps = 1;
  bool time = false, full = false;
};

/// "NAME=TEXT" apart.
std::pair<std::string, std::string> splitPair(const std::string &text) {
  size_t equals = text.find('=');
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string inputNames(const Function &f) {
  std::string text;
  for (size_t i = 0; i < f.inputNames().size(); ++i)
    text += (text.empty() ? "" : ", ") + f.inputNames()[i] + ": " + f.inputTypes()[i].text();
  return text.empty() ? "it has none" : "its inputs are " + text;
}

/// The values in the order of the function's inputs; undefined where it has one of its own.
absl::StatusOr<std::vector<Tensor>> readInputs(const Function &f,
                                               const std::vector<std::string> &given) {
  const std::vector<std::string> &names = f.inputNames();
  const std::vector<Type> &types = f.inputTypes();
  std::vector<Tensor> values(names.size());
  for (const std::string &text : given) {
    auto [name, written] = splitPair(text);
    size_t i = size_t(std::find(names.begin(), names.end(), name) - names.begin());
    if (i == names.size())
      return makeError(ErrorKind::KeyError,
                       "--input: the graph has no input '" + name + "'; " + inputNames(f));
    if (values[i].defined())
      return makeError(ErrorKind::TypeError, "--input " + name + ": is given twice");
    absl::StatusOr<Tensor> value = parseValue(written, types[i], i);
    if (!value.ok())
      return prefixError(value.status(), "--input " + name);
    values[i] = *std::move(value);
  }
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].defined() && !f[names[i]].get().value_or(Tensor()).defined())
      return makeError(ErrorKind::MissingInput, "input '" + names[i] +
                                                    "' has no value; give --input " + names[i] +
                                                    "=VALUE (" + types[i].text() + ")");
  return values;
}

std::string outputNamesOf(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") + outputName(names, i);
  return text;
}

/// The file that each output is written to, or "". KeyError for an output that is not there.
absl::StatusOr<std::vector<std::string>> outputFiles(const Function &f,
                                                     const std::vector<std::string> &given) {
  const std::vector<std::string> &names = f.outputNames();
  std::vector<std::string> files(names.size());
  for (const std::string &text : given) {
    auto [name, file] = splitPair(text);
    size_t i = 0;
    while (i < names.size() && outputName(names, i) != name)
      ++i;
    if (i == names.size())
      return makeError(ErrorKind::KeyError, "--output: the graph has no output '" + name +
                                                "'; its outputs are " + outputNamesOf(names));
    if (!files[i].empty())
      return makeError(ErrorKind::TypeError, "--output " + name + ": is given twice");
    files[i] = file;
  }
  return files;
}

absl::Status showOutputs(const Results &results, const std::vector<std::string> &names,
                         const std::vector<std::string> &files, const RunOptions &options) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (!files[i].empty()) {
      if (absl::Status s = saveNpy(files[i], results[i]); !s.ok())
        return s;
      continue;
    }
    PrintOptions print;
    print.inlineList = true;
    print.precision = -1;
    if (options.full)
      print.threshold = INT64_MAX;
    std::cout << outputName(names, i) << ": " << Type(results[i].dtype(), results[i].shape()).text()
              << " = " << toString(results[i], print) << "\n";
  }
  return absl::OkStatus();
}

/// The file that VALUE names, or "": "a.npy", and "a.npz" of "a.npz:KEY".
std::string fileOfValue(const std::string &value) {
  if (size_t colon = value.rfind(".npz:"); colon != value.npos)
    return value.substr(0, colon + 4);
  return value.size() > 4 && value.compare(value.size() - 4, 4, ".npy") == 0 ? value : "";
}

void checkFiles(const RunOptions &options) {
  std::vector<std::string> read = {options.common.file};
  for (const std::string &text : options.inputs)
    if (std::string file = fileOfValue(splitPair(text).second); !file.empty())
      read.push_back(file);
  std::vector<Written> written;
  for (const std::string &text : options.outputs)
    written.push_back({"--output " + text, splitPair(text).second});
  addProfileFiles(options.common.profiles, written);
  checkApart(written, read);
}

absl::Status run(const RunOptions &options) {
  options.common.checkUsage();
  checkFiles(options);
  using Clock = std::chrono::steady_clock;
  auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  Clock::time_point start = Clock::now();
  std::optional<Progress> progress(std::in_place, "compiling " + options.common.file);
  FunctionOptions functionOptions = options.common.functionOptions();
  functionOptions.onUnusedInput = OnUnusedInput::Ignore;
  absl::StatusOr<Function> f = loadFunction(options.common, functionOptions);
  if (!f.ok())
    return f.status();
  absl::StatusOr<std::vector<std::string>> files = outputFiles(*f, options.outputs);
  if (!files.ok())
    return files.status();
  Clock::time_point compiled = Clock::now();
  progress.reset();
  absl::StatusOr<std::vector<Tensor>> inputs = readInputs(*f, options.inputs);
  if (!inputs.ok())
    return inputs.status();
  Clock::time_point loaded = Clock::now();
  progress.emplace("running " + options.common.file);
  std::vector<NamedValue> given;
  for (size_t i = 0; i < inputs->size(); ++i)
    if ((*inputs)[i].defined())
      given.push_back({f->inputNames()[i], (*inputs)[i]});
  absl::StatusOr<Results> results = f->call({}, given);
  std::vector<double> times = {ms(Clock::now() - loaded)};
  for (int i = 1; i < options.steps && results.ok(); ++i) {
    Clock::time_point t = Clock::now();
    results = f->call({}, given);
    times.push_back(ms(Clock::now() - t));
  }
  progress.reset();
  if (!results.ok())
    return results.status();
  if (options.time) {
    std::cerr << "compile " << ms(compiled - start) << " ms, inputs " << ms(loaded - compiled)
              << " ms, first call " << times[0] << " ms";
    if (times.size() > 1) {
      std::sort(times.begin() + 1, times.end());
      std::cerr << ", later calls " << times[1] << " ms at best, "
                << times[1 + (times.size() - 1) / 2] << " ms median";
    }
    std::cerr << "\n";
  }
  if (f->profile())
    if (absl::Status s = writeProfile(*f->profile(), options.common.profiles); !s.ok())
      return s;
  return showOutputs(*results, f->outputNames(), *files, options);
}

} // namespace

void addRun(CLI::App &app, absl::Status &status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *verb = app.add_subcommand("run", "Compile a graph and run it");
  Common &common = options->common;
  common.addFile(*verb);
  common.addCompilation(*verb, "a call");
  common.addWatching(*verb, "each kernel took, moved and computes, and each stage of compilation");
  verb->add_flag(
      "--trust-code", common.trustCode,
      "Run the code that a saved function has, if it is for this processor; otherwise its "
      "graph is compiled");
  verb->add_option("-i,--input", options->inputs,
                   "NAME=VALUE: a number, a list [[1,2],[3,4]], FILE.npy, FILE.npz:KEY, zeros, "
                   "random, random[2,3]")
      ->type_name("NAME=VALUE")
      ->check(namedValue(""))
      ->allow_extra_args(false)
      ->take_all();
  verb->add_option("-o,--output", options->outputs, "NAME=FILE.npy: write it instead of printing")
      ->type_name("NAME=FILE")
      ->check(namedValue(".npy"))
      ->allow_extra_args(false)
      ->take_all();
  verb->add_option("--steps", options->steps, "Number of calls")->check(atLeast(1));
  verb->add_flag("--time", options->time, "Print times on standard error");
  verb->add_flag("--full", options->full, "Print long outputs whole");
  verb->callback([options, &status] { status = run(*options); });
}

} // namespace graphc
