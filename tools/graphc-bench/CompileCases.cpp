//===- CompileCases.cpp - from a finished graph to code -------------------===//
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "Case.h"
#include "Graphs.h"
#include "Inputs.h"
#include "Switches.h"
#include "TemporaryFolder.h"
#include "Workers.h"
#include "absl/strings/str_format.h"

extern char **environ;

namespace graphc::bench {
namespace {

/// Makes a graph whose constants depend on `number`, so that nothing compiled before serves it.
using Maker = std::function<GraphModule(int64_t number)>;

/// Compiles one graph after the other, in this process and without the cache on disk, each to its
/// first result on `values`; or, `again`, one graph whose kernels the process has. Making the graph
/// is not timed apart: it takes microseconds.
absl::StatusOr<Subject> compiling(const Maker &make, const std::vector<Tensor> &values,
                                  const Settings &settings, bool again = false) {
  auto status = std::make_shared<absl::Status>();
  auto number = std::make_shared<int64_t>(0);
  auto with = [=](FunctionOptions options) -> Work {
    options.cache = again;
    return [=](int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        absl::StatusOr<Function> f = function(make(again ? 0 : (*number)++), options);
        if (absl::Status s = f.ok() ? f->call(values).status() : f.status(); !s.ok())
          *status = s;
      }
    };
  };
  Subject subject;
  subject.ours = with({});
  for (const Switch &one : kSwitches)
    if (settings.switches && shows(settings.caseName, one, settings.threads))
      subject.rivals.push_back(
          rivalOf(std::string(one.name), with(without({}, one)), /*isPeer=*/false));
  subject.check = [status] { return *status; };
  return subject;
}

GraphModule moduleOf(Variables inputs, Variable output) {
  GraphModule module;
  module.inputs = std::move(inputs);
  module.outputs = {std::move(output)};
  return module;
}

float varied(int64_t number) { return 0.25f + float(number) * 0x1p-20f; }

GraphModule seedExample(int64_t) {
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  return moduleOf({x, y, z}, x + y * z);
}

GraphModule cheapChain(int64_t number) {
  Variable x = fvector("x"), y = fvector("y");
  return moduleOf({x, y}, ew10cheap(x, y, varied(number)));
}

GraphModule mathChain(int64_t number) {
  Variable x = fvector("x"), y = fvector("y");
  return moduleOf({x, y}, ew10(x, y * varied(number)));
}

/// A product with what follows it in a network.
GraphModule layer(int64_t number) {
  Variable x = fmatrix("x"), w = fmatrix("w"), b = fvector("b");
  return moduleOf({x, w, b}, maximum(dot(x, w) + b, varied(number)));
}

/// A log-probability with ten derivatives.
GraphModule radonGraph(int64_t number) {
  RadonModel model = radonModel(varied(number));
  GraphModule module;
  module.inputs = std::move(model.inputs);
  module.outputs = std::move(model.outputs);
  return module;
}

/// ResNet-50. Its file has formulas for the weights; here they are constants, as elsewhere.
absl::StatusOr<FunctionGraph> resnet50() {
  absl::StatusOr<GraphModule> module = loadOnnx(GRAPHC_BENCH_NETWORKS "/resnet50.onnx");
  if (!module.ok())
    return module.status();
  Variables weights;
  for (const Apply &node : ioToposort(module->inputs, module->outputs))
    if (isInAncestors(module->inputs[0], node.outputs()))
      for (const Variable &input : node.inputs())
        if (input.owner() && !isInAncestors(module->inputs[0], {input}))
          weights.push_back(input);
  absl::StatusOr<Function> computed = function({}, OutputList(weights));
  absl::StatusOr<Results> values = computed.ok() ? computed->call({}) : computed.status();
  if (!values.ok())
    return values.status();
  absl::StatusOr<FunctionGraph> network =
      FunctionGraph::create(module->inputs, module->outputs, {.clone = false});
  for (size_t i = 0; network.ok() && i < weights.size(); ++i)
    if (absl::Status s = network->replace(weights[i], Constant::adopt((*values)[int(i)])); !s.ok())
      return s;
  return network;
}

absl::StatusOr<Subject> compilingResnet50(const Settings &settings, bool again) {
  absl::StatusOr<FunctionGraph> network = resnet50();
  if (!network.ok())
    return network.status();
  auto kept = std::make_shared<FunctionGraph>(*std::move(network));
  Tensor picture = *Tensor::full(DType::Float32, {1, 3, 224, 224}, Tensor(0.5f));
  return compiling([kept](int64_t) { return moduleOf(kept->inputs(), kept->output(0)); }, {picture},
                   settings, again);
}

/// `ops` operations of all kinds: mostly elementwise, every twentieth a sum over rows whose result
/// goes on as a column. No two parts are alike.
GraphModule mixedGraph(int ops, int64_t number) {
  Variable x = fmatrix("x"), y = fmatrix("y");
  Stream stream{uint64_t(ops)};
  Variable v = x;
  ReductionOptions rows;
  rows.axes = Axis(1);
  rows.keepDims = true;
  for (int op = 0; op < ops; ++op) {
    if (op % 20 == 19) {
      v = y - sum(v, rows);
      ++op; // two of them
      continue;
    }
    switch (int(stream.next() * 8)) {
    case 0:
      v = v + y;
      break;
    case 1:
      v = v * x;
      break;
    case 2:
      v = v - varied(number + op);
      break;
    case 3:
      v = maximum(v, y);
      break;
    case 4:
      v = minimum(v, varied(number + op));
      break;
    case 5:
      v = abs(v);
      break;
    case 6:
      v = sqrt(v);
      break;
    default:
      v = exp(v);
    }
  }
  return moduleOf({x, y}, v);
}

//===--- whole processes --------------------------------------------------------===//

constexpr std::string_view kSeedText =
    R"(func.func @main(%x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>) -> tensor<f64> {
  %0 = graph.mul %y, %z : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %1 = graph.add %x, %0 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
)";

/// Runs a program to its end, its output in `output`; its exit status, or -1.
int runProgram(const std::vector<std::string> &words, const std::vector<std::string> &environment,
               const std::string &output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int failed = posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointersTo(words).data(),
                           pointersTo(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed)
    return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// `graphc run` of x + y * z, from exec to exit; with compiled code in a cache folder or without.
absl::StatusOr<Subject> wholeProcess(const Settings &settings, bool cached) {
  auto folder = std::make_shared<TemporaryFolder>();
  if (folder->path.empty())
    return makeError(ErrorKind::Io, "no folder for temporary files");
  std::string graph = folder->path / "axpy.mlir", output = folder->path / "output";
  std::ofstream(graph) << kSeedText;
  std::vector<std::string> words = {settings.programs + "/graphc",
                                    "run",
                                    graph,
                                    "--input",
                                    "x=2",
                                    "--input",
                                    "y=3",
                                    "--input",
                                    "z=4"};
  std::vector<std::string> environment;
  for (char **variable = environ; *variable; ++variable)
    if (std::string_view text = *variable; !text.starts_with("GRAPHC_CACHE_DIR="))
      environment.emplace_back(text);
  environment.push_back("GRAPHC_CACHE_DIR=" +
                        (cached ? (folder->path / "cache").string() : std::string("none")));
  auto status = std::make_shared<absl::Status>();
  Subject subject;
  subject.ours = [=](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      if (int code = runProgram(words, environment, output); code != 0)
        *status = makeError(ErrorKind::RuntimeError,
                            absl::StrFormat("%s ended with status %d", words[0], code));
  };
  subject.check = [=]() -> absl::Status {
    if (!status->ok())
      return *status;
    std::ifstream file(output);
    std::string line;
    std::getline(file, line);
    if (line == "out0: tensor<f64> = 14")
      return absl::OkStatus();
    return makeError(ErrorKind::ValueError,
                     "graphc run printed '" + line + "' [" + folder->path.string() + "]");
  };
  return subject;
}

/// ew10 of a saved function, with the code in the file.
absl::StatusOr<Subject> loading(const Settings &) {
  auto folder = std::make_shared<TemporaryFolder>();
  std::string path = folder->path / "ew10.graphc";
  absl::StatusOr<Function> f = function(mathChain(0));
  absl::Status saved = f.ok() ? f->save(path) : f.status();
  if (!saved.ok())
    return saved;
  auto status = std::make_shared<absl::Status>();
  Subject subject;
  subject.ours = [=](int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      if (absl::StatusOr<Function> loaded = loadFunction(path, {.trustCode = true}); !loaded.ok())
        *status = loaded.status();
  };
  subject.check = [status, folder] { return *status; };
  return subject;
}

} // namespace

void addCompilation(std::vector<Case> &cases) {
  auto add = [&](std::string name, std::string about, Target target, const Maker &make,
                 const std::vector<Tensor> &values) {
    cases.push_back({std::move(name), std::move(about), target,
                     [=](const Settings &s) { return compiling(make, values, s); }});
  };
  Tensor number(0.5), vector = *Tensor::full(DType::Float32, {16}, Tensor(0.5f)),
                      matrix = *Tensor::full(DType::Float32, {16, 16}, Tensor(0.5f));
  add("compile_seed", "x + y*z, warm", {.milliseconds = 3}, seedExample, {number, number, number});
  add("compile_ew10cheap", "ew10cheap, warm", {.milliseconds = 4}, cheapChain, {vector, vector});
  add("compile_ew10", "ew10, warm", {.milliseconds = 8}, mathChain, {vector, vector});
  add("compile_layer", "max(x w + b, c), warm", {.milliseconds = 25}, layer,
      {matrix, matrix, vector});
  add("compile_50", "50 mixed ops, warm", {}, [](int64_t number) { return mixedGraph(50, number); },
      {matrix, matrix});
  add("compile_1000", "1,000 mixed ops, warm", {.milliseconds = 500},
      [](int64_t number) { return mixedGraph(1000, number); }, {matrix, matrix});
  cases.push_back(
      {"compile_again",
       "ew10, whose kernel the process has",
       {.milliseconds = 0.1},
       [=](const Settings &s) { return compiling(mathChain, {vector, vector}, s, true); }});
  add("compile_radon", "radon, warm", {.milliseconds = 250}, radonGraph, radonModel().values);
  cases.push_back(
      {"compile_radon_again",
       "radon, whose kernels the process has",
       {.milliseconds = 5},
       [](const Settings &s) { return compiling(radonGraph, radonModel().values, s, true); }});
  cases.push_back({"compile_resnet50",
                   "ResNet-50 to its first result",
                   {.milliseconds = 2000},
                   [](const Settings &s) { return compilingResnet50(s, false); }});
  cases.push_back({"compile_resnet50_again",
                   "the same, whose kernels the process has",
                   {.milliseconds = 100},
                   [](const Settings &s) { return compilingResnet50(s, true); }});
  cases.push_back({"load_ew10", "ew10 from a file with its code", {.milliseconds = 2}, loading});
  cases.push_back({"process_run",
                   "graphc run of x + y*z, kernels in the cache folder",
                   {.milliseconds = 5},
                   [](const Settings &s) { return wholeProcess(s, true); }});
  cases.push_back({"process_run_uncached",
                   "the same without a cache folder",
                   {.milliseconds = 25},
                   [](const Settings &s) { return wholeProcess(s, false); }});
}

} // namespace graphc::bench
