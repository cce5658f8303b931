//===- Runner.cpp ---------------------------------------------------------===//
#include "Runner.h"

#include <atomic>

#include "API/DebugRunner.h"
#include "API/NanGuardRunner.h"
#include "API/Specialisations.h"
#include "Control/Sink.h"
#include "Eval/Evaluate.h"
#include "Graph/InnerGraph.h"
#include "Graph/Module.h"
#include "Kernels/CompilerInterface.h"
#include "Kernels/EmitGraph.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/ArrayMemory.h"
#include "Runtime/ThreadPool.h"
#include "Support/Cancel.h"
#include "Support/Fork.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
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
    if (const Executable *own = specialisations_->find(arguments))
      return run(*own, arguments, results, memory, lending);
    absl::Status status = run(*executable_, arguments, results, memory, lending);
    if (status.ok())
      specialisations_->count(arguments);
    return status;
  }

  int overwrites(size_t result) const override {
    return executable_->program().outputs[result].over;
  }

  bool direct(detail::BoundCall &call) const override {
    const std::optional<DirectCall> &direct = executable_->directCall();
    if (profile_ || !direct || direct->canFail ||
        direct->buffers.size() > detail::BoundCall::kMaxBuffers)
      return false;
    call.code = direct->function;
    call.sizes = direct->sizes;
    call.pattern = direct->buffers;
    call.slots = direct->inputs;
    call.slots.insert(call.slots.end(), direct->outputs.begin(), direct->outputs.end());
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

class InterpretedRunner : public Runner {
public:
  InterpretedRunner(GraphModule module, std::shared_ptr<ProfilePart> profile)
      : module_(std::move(module)), profile_(std::move(profile)) {
    if (!profile_)
      return;
    std::vector<detail::ProfileRecord::Step> steps;
    for (const Apply &node : ioToposort(module_.inputs, module_.outputs)) {
      numbers_[node.node()] = int32_t(steps.size());
      steps.push_back({"interpreter", {{std::string(node.op().name()), node.place()}}});
    }
    profile_->setSteps(std::move(steps));
    for (const Variable &output : module_.outputs)
      isOutput_.insert(output.node());
  }

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results, OutputMemory,
                   const Lending *) const override {
    ++calls_;
    if (!profile_)
      return run(arguments, results, NodeWatch());
    RunProfile profile;
    int64_t allocations = ArrayMemory::allocationsOfThread();
    RunProfile::Clock::time_point start = RunProfile::Clock::now();
    absl::Status status = run(arguments, results, [&](const NodeRun &ran) {
      profile.steps.push_back({numbers_.at(ran.node.node()),
                               ran.start,
                               ran.end,
                               {bytesOf(ran.inputs), bytesOf(ran.outputs), ran.flops}});
      for (int i = 0; i < ran.node.numOutputs(); ++i)
        if (!isOutput_.contains(ran.node.output(i).node()))
          profile.memory.intermediateBytes += ran.outputs[size_t(i)].numBytes();
    });
    profile.memory.resultBytes = bytesOf(results);
    profile.allocations = ArrayMemory::allocationsOfThread() - allocations;
    profile_->add(start, std::move(profile));
    return status;
  }
  bool direct(detail::BoundCall &) const override { return false; }

  /// As the program that would be compiled.
  bool canFail() const override {
    absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module_.inputs, module_.outputs);
    if (!graph.ok())
      return true;
    absl::StatusOr<GraphRecord> record = emitGraph(*graph);
    if (!record.ok())
      return true;
    absl::StatusOr<KernelGraph> kernels = fuse(*std::move(record));
    return !kernels.ok() || graphc::canFail(kernels->program);
  }

  Function::Counters counters() const override {
    Function::Counters counters;
    counters.calls = calls_;
    return counters;
  }

  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile, bool) const override {
    return std::make_unique<InterpretedRunner>(module_, std::move(profile));
  }

private:
  static int64_t bytesOf(absl::Span<const Tensor> tensors) {
    int64_t bytes = 0;
    for (const Tensor &t : tensors)
      bytes += t.defined() ? t.numBytes() : 0;
    return bytes;
  }

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   const NodeWatch &watch) const {
    absl::StatusOr<std::vector<Tensor>> values =
        evaluate(module_.outputs, module_.inputs, arguments, nullptr, watch);
    if (!values.ok())
      return values.status();
    // The evaluator hands constants and arguments through; results share no memory (F-171).
    for (size_t i = 0; i < results.size(); ++i) {
      const Tensor &value = (*values)[i];
      results[i] = value.copy();
      if (!results[i].defined())
        return makeError(ErrorKind::OutOfMemory,
                         "result " + std::to_string(i) + ": no memory for " +
                             std::to_string(value.numBytes()) + " bytes of " +
                             Type(value.dtype(), value.shape()).brief());
    }
    return absl::OkStatus();
  }

  GraphModule module_;
  std::shared_ptr<ProfilePart> profile_;               // null for none
  absl::flat_hash_map<const void *, int32_t> numbers_; // of the profile's steps, by node
  absl::flat_hash_set<const void *> isOutput_;         // by Variable's node
  mutable std::atomic<int64_t> calls_{0};
};

} // namespace

absl::Status checkMode(const Mode &mode) {
  if (std::ranges::find(kModes, mode.name()) == std::end(kModes))
    return makeError(ErrorKind::ValueError, "function: no mode is called '" + mode.name() +
                                                "'; modes are " + join(kModes, ", "));
  absl::Status status = checkRewriteNames(modeQuery(mode));
  return status.ok() ? status : prefixError(status, "function: mode");
}

/// Those that compile for speed.
static bool specialises(const Mode &mode) {
  return mode.name() == "fast_run" || mode.name() == "strict" || mode.name() == "fast_math";
}

bool hasCode(const Mode &mode) {
  return mode.name() != "interpreter" && mode.name() != "debug" && mode.name() != "nanguard";
}

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
  if (most < 0)
    return makeError(ErrorKind::ValueError,
                     "function: specialisations must not be negative, but is " +
                         std::to_string(most));
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
  compile.specialises = specialises(options.mode);
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
  const Mode &mode = options.mode;
  // Mode debug looks at all nodes, and at what rewrites would do.
  if (!graph.ok() || !options.rewrites || mode.name() == "interpreter" || mode.name() == "debug")
    return graph;
  RewriteOptions rules;
  rules.allowed = modeEffects(mode);
  if (absl::Status s = rewrite(*graph, rules, modeQuery(mode)).status(); !s.ok())
    return s;
  return graph;
}

static absl::StatusOr<GraphModule> rewriteModule(const GraphModule &module,
                                                 const FunctionOptions &options) {
  absl::StatusOr<FunctionGraph> graph = rewrittenGraph(module, options);
  if (!graph.ok())
    return graph.status();
  return withGraph(module, *graph);
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

static absl::StatusOr<std::unique_ptr<const Runner>>
runnerOfMode(const GraphModule &module, const FunctionOptions &options,
             const std::optional<Hash128> &storeAs, std::shared_ptr<ProfilePart> profile) {
  if (absl::Status s = checkMode(options.mode); !s.ok())
    return s;
  const std::string &mode = options.mode.name();
  if (mode == "interpreter") {
    absl::StatusOr<GraphModule> plain = withBranches(module);
    if (!plain.ok())
      return plain.status();
    return std::make_unique<InterpretedRunner>(*plain, std::move(profile));
  }
  if (mode == "debug") { // rewrites would leave no nodes to compare
    std::optional<Query> rules;
    if (options.rewrites)
      rules = modeQuery(options.mode);
    FunctionOptions plain = options;
    plain.rewrites = false;
    plain.dumpStages.clear(); // they are of the other
    plain.observer = {};
    absl::StatusOr<GraphModule> flat = flatModule(module);
    if (flat.ok())
      flat = withBranches(*flat);
    if (!flat.ok())
      return flat.status();
    absl::StatusOr<std::unique_ptr<const Runner>> reversed =
        compiledRunner(withAllOutputsReversed(*flat), plain, {}, {});
    if (!reversed.ok())
      return reversed.status();
    return makeNodeRunner<DebugRunner>(*flat, options, std::move(profile), *std::move(reversed),
                                       std::move(rules));
  }
  if (mode == "nanguard") {
    absl::StatusOr<GraphModule> rewritten = rewriteModule(module, options);
    if (rewritten.ok())
      rewritten = withBranches(*rewritten);
    if (!rewritten.ok())
      return rewritten.status();
    return makeNodeRunner<NanGuardRunner>(*rewritten, options, std::move(profile),
                                          options.mode.nanGuardOptions());
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
