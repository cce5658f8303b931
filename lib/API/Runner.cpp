//===- Runner.cpp ---------------------------------------------------------===//
#include "Runner.h"

#include "API/DebugRunner.h"
#include "API/InterpretedRunner.h"
#include "API/NanGuardRunner.h"
#include "Control/LoopRewrites.h"
#include "Control/Sink.h"
#include "Graph/InnerGraph.h"
#include "Graph/Module.h"
#include "Kernels/CompilerInterface.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/CpuIdentity.h"
#include "Runtime/ThreadPool.h"
#include "Support/Cancel.h"
#include "Support/Fork.h"
#include "Support/Text.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

absl::Status checkMode(const Mode &mode) {
  if (!findMode(mode.name()))
    return makeError(ErrorKind::ValueError,
                     "function: no mode is called '" + mode.name() + "'; modes are " +
                         join(modeNames([](const ModeRow &) { return true; }), ", "));
  if (rowOf(mode).runs == RunBy::Monitor && !mode.monitorOptions().before &&
      !mode.monitorOptions().after)
    return makeError(ErrorKind::ValueError,
                     "function: mode 'monitor' has no callbacks: Mode::monitor takes them");
  absl::Status status = checkRewritesOf(mode);
  return status.ok() ? status : prefixError(status, "function: mode");
}

bool hasCode(const Mode &mode) { return rowOf(mode).runs == RunBy::Code; }

absl::Status checkOptions(const FunctionOptions &options) {
  if (absl::Status s = checkMode(options.mode); !s.ok())
    return s;
  if (absl::Status s = checkTarget(options.target); !s.ok())
    return s;
  return checkLimits(options);
}

static CompileOptions compileOptions(const FunctionOptions &options) {
  CompileOptions compile;
  compile.mode = options.mode;
  compile.rewrites = options.rewrites;
  compile.target = options.target;
  compile.cache = options.cache;
  compile.dumpStages = options.dumpStages;
  compile.observer = options.observer;
  compile.compileThreads = usableThreads();
  return compile;
}

static absl::StatusOr<std::unique_ptr<const Runner>>
compiledRunner(const GraphModule &module, const FunctionOptions &options,
               const std::optional<Hash128> &storeAs, std::shared_ptr<ProfilePart> profile) {
  CompilerWork work;
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  CompileOptions compile = compileOptions(options);
  compile.storeAs = storeAs;
  if (profile) {
    compile.observer = profile->watch(options.observer);
    compile.profile = true;
  }
  compile.specialises = rowOf(options.mode).specialises;
  absl::StatusOr<CompiledProgram> compiled = (*compiler)->compile(module, compile);
  if (!compiled.ok())
    return compiled.status();
  return runnerOf(std::move(compiled->executable), options, std::move(profile),
                  std::move(compiled->specialiser));
}

absl::StatusOr<ProgramImage> compileImage(const GraphModule &module,
                                          const FunctionOptions &options) {
  CompilerWork work;
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  CompileOptions compile = compileOptions(options);
  compile.dumpStages.clear(); // they were written when the function was made
  compile.observer = {};
  return (*compiler)->image(module, compile);
}

/// Compiled without rewrites: all nodes are there to be looked at.
template <class R, class... Rest>
static absl::StatusOr<std::unique_ptr<const Runner>>
makeNodeRunner(const GraphModule &module, const FunctionOptions &options,
               std::shared_ptr<ProfilePart> profile, Rest &&...rest) {
  FunctionOptions plain = options;
  plain.rewrites = false;
  absl::StatusOr<std::unique_ptr<const Runner>> all =
      compiledRunner(withAllOutputs(module), plain, {}, std::move(profile));
  if (!all.ok())
    return all.status();
  return std::make_unique<R>(module, *std::move(all), std::forward<Rest>(rest)...);
}

absl::StatusOr<FunctionGraph> rewrittenGraph(const GraphModule &module,
                                             const FunctionOptions &options,
                                             std::map<int, int> updateMapping) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(
      module.inputs, module.outputs, {.updateMapping = std::move(updateMapping)});
  if (!graph.ok() || !options.rewrites || !rowOf(options.mode).rewrites)
    return graph;
  if (absl::Status s = rewriteAs(options.mode, *graph).status(); !s.ok())
    return s;
  return graph;
}

/// With the nodes of OpFromGraphs in their places, whatever these say: mode debug looks at every
/// node and knows the bound of each, which no whole graph has.
static absl::StatusOr<GraphModule> flatModule(const GraphModule &module) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok())
    return graph.status();
  if (absl::Status s = inlineAllCalls(*graph); !s.ok())
    return s;
  return withGraph(module, *graph);
}

/// For what runs node by node: branches that are not taken do not run (F-331).
static absl::StatusOr<GraphModule> withBranches(const GraphModule &module) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok())
    return graph.status();
  if (absl::Status s = sinkBranches(*graph, /*inLoops=*/true); !s.ok())
    return s;
  return withGraph(module, *graph);
}

/// What runs node by node after the rewrites.
static absl::StatusOr<GraphModule> rewrittenNodes(const GraphModule &module,
                                                  const FunctionOptions &options) {
  absl::StatusOr<FunctionGraph> graph = rewrittenGraph(module, options);
  if (!graph.ok())
    return graph.status();
  if (options.rewrites)
    if (absl::Status s = shortenLoops(*graph); !s.ok())
      return s;
  return withBranches(withGraph(module, *graph));
}

/// Rewrites would leave no nodes to compare: the graph is run without them, and beside it once
/// more with them.
static absl::StatusOr<std::unique_ptr<const Runner>>
debugRunner(const GraphModule &module, const FunctionOptions &options,
            std::shared_ptr<ProfilePart> profile) {
  FunctionOptions quiet = options; // stages are those of the one
  quiet.dumpStages.clear();
  quiet.observer = {};
  absl::StatusOr<GraphModule> inlined = flatModule(module);
  if (!inlined.ok())
    return inlined.status();
  absl::StatusOr<GraphModule> flat = withBranches(*inlined);
  if (!flat.ok())
    return flat.status();
  FunctionOptions plain = quiet;
  plain.rewrites = false;
  absl::StatusOr<std::unique_ptr<const Runner>> reversed =
      compiledRunner(withAllOutputsReversed(*flat), plain, {}, {});
  if (!reversed.ok())
    return reversed.status();
  std::optional<Mode> mode;
  absl::StatusOr<std::unique_ptr<const Runner>> compared = nullptr;
  if (options.rewrites) {
    mode = options.mode;
    absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(inlined->inputs, inlined->outputs);
    if (!graph.ok())
      return graph.status();
    // Operands are read once more after all nodes have run.
    if (absl::Status s = rewriteAs(options.mode.excluding({"inplace"}), *graph).status(); !s.ok())
      return s;
    absl::StatusOr<GraphModule> rewritten = withBranches(withGraph(*inlined, *graph));
    if (!rewritten.ok())
      return rewritten.status();
    compared = makeNodeRunner<ComparedNodes>(*rewritten, quiet, {});
    if (!compared.ok())
      return compared.status();
  }
  return makeNodeRunner<DebugRunner>(*flat, options, std::move(profile), *std::move(reversed),
                                     std::move(mode), *std::move(compared));
}

/// Modes interpreter and monitor.
static absl::StatusOr<std::unique_ptr<const Runner>>
interpretedRunner(const GraphModule &module, const FunctionOptions &options,
                  std::shared_ptr<ProfilePart> profile) {
  absl::StatusOr<GraphModule> nodes = rewrittenNodes(module, options);
  if (!nodes.ok())
    return nodes.status();
  return std::make_unique<InterpretedRunner>(*std::move(nodes), std::move(profile),
                                             options.mode.monitorOptions());
}

static absl::StatusOr<std::unique_ptr<const Runner>>
nanGuardRunner(const GraphModule &module, const FunctionOptions &options,
               std::shared_ptr<ProfilePart> profile) {
  absl::StatusOr<GraphModule> nodes = rewrittenNodes(module, options);
  if (!nodes.ok())
    return nodes.status();
  return makeNodeRunner<NanGuardRunner>(*nodes, options, std::move(profile),
                                        options.mode.nanGuardOptions());
}

static absl::StatusOr<std::unique_ptr<const Runner>>
runnerOfMode(const GraphModule &module, const FunctionOptions &options,
             const std::optional<Hash128> &storeAs, std::shared_ptr<ProfilePart> profile) {
  if (absl::Status s = checkOptions(options); !s.ok())
    return s;
  switch (rowOf(options.mode).runs) {
  case RunBy::Interpreter:
  case RunBy::Monitor:
    return interpretedRunner(module, options, std::move(profile));
  case RunBy::Debug:
    return debugRunner(module, options, std::move(profile));
  case RunBy::NanGuard:
    return nanGuardRunner(module, options, std::move(profile));
  case RunBy::Code:
    break;
  }
  return compiledRunner(module, options, storeAs, std::move(profile));
}

absl::StatusOr<std::unique_ptr<const Runner>> makeRunner(const GraphModule &module,
                                                         const FunctionOptions &options,
                                                         const std::optional<Hash128> &storeAs,
                                                         std::shared_ptr<ProfilePart> profile) {
  CancelScope scope(options.cancellation);
  absl::StatusOr<std::unique_ptr<const Runner>> runner = nullptr;
  if (absl::Status s = checkCancelled(); s.ok())
    runner = runnerOfMode(module, options, storeAs, std::move(profile));
  else
    runner = s;
  if (errorKind(runner.status()) != ErrorKind::Cancelled)
    return runner;
  // Whichever stage it was in.
  return makeError(ErrorKind::Cancelled, (options.name.empty() ? "function" : options.name) +
                                             ": the compilation was cancelled");
}

} // namespace graphc
