//===- Run.cpp - graphc run -----------------------------------------------===//
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>

#include "API/ParseValue.h"
#include "Command.h"

namespace graphc {
namespace {

struct RunOptions {
  Common common;
  std::vector<std::string> inputs, outputs;
  int steps = 1;
  bool time = false, full = false;
};

/// "NAME=TEXT" apart. ValueError without '='.
absl::StatusOr<std::pair<std::string, std::string>> splitPair(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == text.npos)
    return makeError(ErrorKind::ValueError, "'" + text + "' is not NAME=VALUE");
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::string inputNames(const Function &f) {
  std::string text;
  for (size_t i = 0; i < f.inputNames().size(); ++i)
    text += (text.empty() ? "" : ", ") + f.inputNames()[i] + ": " + f.inputTypes()[i].text();
  return text.empty() ? "it has none" : "its inputs are " + text;
}

/// The values in the order of the function's inputs.
absl::StatusOr<std::vector<Tensor>> readInputs(const Function &f,
                                               const std::vector<std::string> &given) {
  const std::vector<std::string> &names = f.inputNames();
  const std::vector<Type> &types = f.inputTypes();
  std::vector<Tensor> values(names.size());
  for (const std::string &text : given) {
    absl::StatusOr<std::pair<std::string, std::string>> pair = splitPair(text);
    if (!pair.ok())
      return prefixError(pair.status(), "--input");
    size_t i = size_t(std::find(names.begin(), names.end(), pair->first) - names.begin());
    if (i == names.size())
      return makeError(ErrorKind::KeyError,
                       "--input: the graph has no input '" + pair->first + "'; " + inputNames(f));
    absl::StatusOr<Tensor> value = parseValue(pair->second, types[i]);
    if (!value.ok())
      return prefixError(value.status(), "--input " + pair->first);
    values[i] = *std::move(value);
  }
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].defined())
      return makeError(ErrorKind::MissingInput, "input '" + names[i] +
                                                    "' has no value; give --input " + names[i] +
                                                    "=VALUE (" + types[i].text() + ")");
  return values;
}

absl::Status showOutputs(const Results &results, const std::vector<std::string> &names,
                         const RunOptions &options) {
  std::map<std::string, std::string> files;
  for (const std::string &text : options.outputs) {
    absl::StatusOr<std::pair<std::string, std::string>> pair = splitPair(text);
    if (!pair.ok())
      return prefixError(pair.status(), "--output");
    files.insert(*pair);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    std::string name = outputName(names, i);
    if (auto file = files.find(name); file != files.end()) {
      if (absl::Status s = saveNpy(file->second, results[i]); !s.ok())
        return s;
      files.erase(file);
      continue;
    }
    PrintOptions print;
    print.inlineList = true;
    print.precision = -1;
    if (options.full)
      print.threshold = INT64_MAX;
    std::cout << name << ": " << Type(results[i].dtype(), results[i].shape()).text() << " = "
              << toString(results[i], print) << "\n";
  }
  if (!files.empty())
    return makeError(ErrorKind::KeyError,
                     "--output: the graph has no output '" + files.begin()->first + "'");
  return absl::OkStatus();
}

absl::Status run(const RunOptions &options) {
  using Clock = std::chrono::steady_clock;
  auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  Clock::time_point start = Clock::now();
  FunctionOptions functionOptions = options.common.functionOptions();
  functionOptions.onUnusedInput = OnUnusedInput::Ignore;
  absl::StatusOr<Function> f = loadFunction(options.common, functionOptions);
  if (!f.ok())
    return f.status();
  Clock::time_point compiled = Clock::now();
  absl::StatusOr<std::vector<Tensor>> inputs = readInputs(*f, options.inputs);
  if (!inputs.ok())
    return inputs.status();
  Clock::time_point loaded = Clock::now();
  absl::StatusOr<Results> results = f->call(*inputs);
  std::vector<double> times = {ms(Clock::now() - loaded)};
  for (int i = 1; i < options.steps && results.ok(); ++i) {
    Clock::time_point t = Clock::now();
    results = f->call(*inputs);
    times.push_back(ms(Clock::now() - t));
  }
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
  return showOutputs(*results, f->outputNames(), options);
}

} // namespace

void addRun(CLI::App &app, absl::Status &status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *verb = app.add_subcommand("run", "Compile a graph and run it");
  options->common.addTo(*verb);
  verb->add_option("-i,--input", options->inputs,
                   "NAME=VALUE: a number, a list [[1,2],[3,4]], FILE.npy, FILE.npz:KEY, zeros, "
                   "random, random[2,3]")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  verb->add_option("-o,--output", options->outputs, "NAME=FILE.npy: write it instead of printing")
      ->type_name("NAME=FILE")
      ->expected(1)
      ->take_all();
  verb->add_option("--steps", options->steps, "Number of calls")->check(CLI::PositiveNumber);
  verb->add_flag("--time", options->time, "Print times on standard error");
  verb->add_flag("--full", options->full, "Print long outputs whole");
  verb->callback([options, &status] { status = run(*options); });
}

} // namespace graphc
