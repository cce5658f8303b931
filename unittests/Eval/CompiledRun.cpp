#include "CompiledRun.h"

#include <gtest/gtest.h>

#include <map>

#include "Kernels/CompilerInterface.h"
#include "graphc/Function.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

absl::StatusOr<Function> compiled(const Variables &outputs, const Variables &inputs,
                                  const Compilation &how) {
  return function(inputs, outputs,
                  {.rewrites = how.rewrites,
                   .onUnusedInput = OnUnusedInput::Ignore,
                   .target = how.target,
                   .cache = false});
}

} // namespace

TensorsOr runCompiled(const Variables &outputs, const Variables &inputs,
                      const std::vector<Tensor> &values, const Compilation &how) {
  absl::StatusOr<Function> f = compiled(outputs, inputs, how);
  if (!f.ok())
    return f.status();
  absl::StatusOr<Results> results = f->call(values);
  if (!results.ok())
    return results.status();
  return std::vector<Tensor>(*std::move(results));
}

void runTogether(const std::vector<GraphAt> &graphs, const Compilation &how,
                 const std::function<void(size_t number, const TensorsOr &results)> &tell) {
  GraphAt all;
  for (const GraphAt &graph : graphs) {
    all.inputs.insert(all.inputs.end(), graph.inputs.begin(), graph.inputs.end());
    all.outputs.insert(all.outputs.end(), graph.outputs.begin(), graph.outputs.end());
    all.values.insert(all.values.end(), graph.values.begin(), graph.values.end());
  }
  TensorsOr results = runCompiled(all.outputs, all.inputs, all.values, how);
  EXPECT_TRUE(results.ok()) << results.status();
  size_t next = 0;
  for (size_t i = 0; i < graphs.size(); ++i) {
    const GraphAt &graph = graphs[i];
    if (!results.ok()) {
      tell(i, runCompiled(graph.outputs, graph.inputs, graph.values, how));
      continue;
    }
    auto first = results->begin() + ptrdiff_t(next);
    next += graph.outputs.size();
    tell(i, std::vector<Tensor>(first, results->begin() + ptrdiff_t(next)));
  }
}

bool canRun(const std::string &target) {
  static auto &known = *new std::map<std::string, bool>;
  auto [found, isNew] = known.try_emplace(target, false);
  if (isNew) {
    Variable x = vector();
    found->second = compiled({neg(x)}, {x}, {.target = target}).ok();
  }
  return found->second;
}

absl::Status compileObject(const Variables &outputs, const Variables &inputs,
                           const Compilation &how) {
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  GraphModule module;
  module.inputs = inputs;
  module.outputs = outputs;
  module.outputNames.resize(outputs.size());
  CompileOptions options;
  options.rewrites = how.rewrites;
  options.target = how.target;
  return (*compiler)->emit(module, "obj", options).status();
}

} // namespace graphc
