//===- Runner.cpp ---------------------------------------------------------===//
#include "Runner.h"

#include "API/DebugRunner.h"
#include "API/InterpretedRunner.h"
#include "API/NanGuardRunner.h"
#include "API/Specialisations.h"
#include "Control/LoopRewrites.h"
#include "Control/Sink.h"
#include "Graph/InnerGraph.h"
#include "Graph/Module.h"
#include "Kernels/CompilerInterface.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/ArrayMemory.h"
#include "Runtime/ConfigText.h"
#include "Runtime/ThreadPool.h"
#include "Support/Cancel.h"
#include "Support/Fork.h"
#include "Support/Text.h"
#include "absl/container/inlined_vector.h"
#include "graphc/Config.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

class CompiledRunner : public Runner {
public:
  CompiledRunner(std::shared_ptr<const Executable> executable, int threads,
                 std::shared_ptr<ProfilePart> profile,
                 std::unique_ptr<const Specialisations> specialisations)
      : executable_(std::move(executable)), threads_(threads), profile_(std::move(profile)),
        specialisations_(std::move(specialisations)) {
    if (profile_)
      profile_->setSteps(profiledSteps(executable_->program()));
  }

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   OutputMemory memory, const Lending *lending) const override {
    if (!specialisations_)
      return run(*executable_, arguments, results, memory, lending);
    absl::InlinedVector<int64_t, 64> extents; // allocates nothing in most calls
    for (const Tensor &argument : arguments)
      extents.insert(extents.end(), argument.shape().begin(), argument.shape().end());
    if (const Executable *own = specialisations_->find(extents))
      return run(*own, arguments, results, memory, lending);
    absl::Status status = run(*executable_, arguments, results, memory, lending);
    if (status.ok())
      specialisations_->count(extents);
    return status;
  }

  bool runAtOnce(absl::Span<void *const> memory, absl::Span<const int64_t> inputExtents,
                 absl::Span<const int64_t> outputExtents) const override {
    if (profile_)
      return false;
    const Executable *own = specialisations_ ? specialisations_->find(inputExtents) : nullptr;
    const Executable &executable = own ? *own : *executable_;
    if (!executable.runAtOnce(memory, inputExtents, outputExtents, threads_))
      return false;
    if (specialisations_ && !own)
      specialisations_->count(inputExtents);
    return true;
  }

  int overwrites(size_t result) const override {
    return executable_->program().outputs[result].over;
  }

  bool direct(detail::BoundCall &call) const override {
    const DirectCall *direct = executable_->directCall();
    if (profile_ || !direct || direct->canFail || (threads_ > 1 && direct->isParallel) ||
        direct->buffers.size() > detail::BoundCall::kMaxBuffers)
      return false;
    call.code = direct->function;
    call.sizes = direct->sizes;
    call.pattern = direct->buffers;
    call.slots = direct->inputs;
    call.slots.insert(call.slots.end(), direct->outputs.begin(), direct->outputs.end());
    call.scratch = direct->scratch;
    call.scratchBytes = direct->scratchBytes;
    return true;
  }

  bool canFail() const override { return graphc::canFail(executable_->program()); }

  void free() const override {
    for (const Executable *executable : executables())
      executable->free();
  }
  void countDirectCall() const override { executable_->countDirectCall(); }

  Function::Counters counters() const override {
    Function::Counters all;
    for (const Executable *executable : executables()) {
      const RunCounters &c = executable->counters();
      all.calls += c.calls;
      all.kernelRuns += c.kernels;
      all.plans += c.plans;
      all.arenas += c.arenas;
      all.bytesCopied += c.bytesCopied;
      all.forks += c.forks;
      if (executable == executable_.get())
        continue;
      ++all.specialisations;
      all.specialisedCalls += c.calls;
    }
    all.kernels = int64_t(executable_->program().kernels.size());
    return all;
  }

  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile,
                                     bool sharesMemory) const override {
    return std::make_unique<CompiledRunner>(
        sharesMemory ? executable_ : executable_->clone(), threads_, std::move(profile),
        specialisations_ ? specialisations_->forCopy() : nullptr);
  }

private:
  absl::Status run(const Executable &executable, absl::Span<const Tensor> arguments,
                   absl::Span<Tensor> results, OutputMemory memory, const Lending *lending) const {
    if (!profile_)
      return executable.run(arguments, results, threads_, memory, nullptr, lending);
    RunProfile run;
    int64_t allocations = ArrayMemory::allocationsOfThread();
    RunProfile::Clock::time_point start = RunProfile::Clock::now();
    absl::Status status = executable.run(arguments, results, threads_, memory, &run, lending);
    run.allocations = ArrayMemory::allocationsOfThread() - allocations;
    profile_->add(start, std::move(run));
    return status;
  }

  /// The general one and its versions.
  std::vector<const Executable *> executables() const {
    std::vector<const Executable *> all;
    if (specialisations_)
      all = specialisations_->made();
    all.push_back(executable_.get());
    return all;
  }

  std::shared_ptr<const Executable> executable_;
  int threads_;
  std::shared_ptr<ProfilePart> profile_;                   // null for none
  std::unique_ptr<const Specialisations> specialisations_; // null for none
};

} // namespace

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

absl::StatusOr<std::unique_ptr<const Runner>>
runnerOf(std::shared_ptr<const Executable> executable, const FunctionOptions &options,
         std::shared_ptr<ProfilePart> profile, std::shared_ptr<const Specialiser> specialiser) {
  int threads = options.threads.value_or(config().threads);
  if (threads < 0)
    return makeError(ErrorKind::ValueError,
                     "function: threads must not be negative, but is " + std::to_string(threads));
  if (threads == 0)
    threads = usableThreads();
  int most = options.specialisations.value_or(config().specialisations);
  if (absl::Status status = checkSpecialisations(most); !status.ok())
    return prefixError(status, "function");
  std::unique_ptr<const Specialisations> specialisations;
  if (specialiser && most > 0)
    specialisations = std::make_unique<Specialisations>(std::move(specialiser), most, threads);
  return std::make_unique<CompiledRunner>(std::move(executable), threads, std::move(profile),
                                          std::move(specialisations));
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
  if (absl::Status s = checkMode(options.mode); !s.ok())
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
