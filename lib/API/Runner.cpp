//===- Runner.cpp ---------------------------------------------------------===//
#include "Runner.h"

#include <atomic>

#include "API/DebugRunner.h"
#include "Eval/Evaluate.h"
#include "Kernels/CompilerInterface.h"
#include "Kernels/EmitGraph.h"
#include "Runtime/ThreadPool.h"
#include "Support/Text.h"
#include "graphc/Config.h"

namespace graphc {
namespace {

class CompiledRunner : public Runner {
public:
  CompiledRunner(std::shared_ptr<const Executable> executable, int threads)
      : executable_(std::move(executable)), threads_(threads) {}

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   OutputMemory memory) const override {
    return executable_->run(arguments, results, threads_, memory);
  }

  bool direct(detail::BoundCall &call) const override {
    const std::optional<DirectCall> &direct = executable_->directCall();
    if (!direct || direct->canFail || direct->buffers.size() > detail::BoundCall::kMaxBuffers)
      return false;
    call.code = direct->function;
    call.sizes = direct->sizes;
    call.pattern = direct->buffers;
    call.slots = direct->inputs;
    call.slots.insert(call.slots.end(), direct->outputs.begin(), direct->outputs.end());
    return true;
  }

  bool canFail() const override { return graphc::canFail(executable_->program()); }

  Function::Counters counters() const override {
    const RunCounters &c = executable_->counters();
    return {c.calls,  c.kernels,     c.plans,
            c.arenas, c.bytesCopied, int64_t(executable_->program().kernels.size())};
  }

  std::vector<Function::Profile> profile() const override {
    const Program &program = executable_->program();
    std::vector<Function::Profile> list;
    for (const StepTime &time : executable_->stepTimes()) {
      const Program::Step &step = program.steps[list.size()];
      using Kind = Program::Step::Kind;
      std::string name = step.kind == Kind::Kernel ? program.kernels[size_t(step.callee)].symbol
                         : step.kind == Kind::Host ? "host call"
                                                   : "copy";
      bool known = list.size() < program.origins.size();
      list.push_back({name, known ? program.origins[list.size()] : std::string(), time.runs.load(),
                      double(time.nanoseconds.load()) * 1e-9});
    }
    return list;
  }

private:
  std::shared_ptr<const Executable> executable_;
  int threads_;
};

class InterpretedRunner : public Runner {
public:
  explicit InterpretedRunner(GraphModule module) : module_(std::move(module)) {}

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   OutputMemory) const override {
    ++calls_;
    absl::StatusOr<std::vector<Tensor>> values =
        evaluate(module_.outputs, module_.inputs, arguments);
    if (!values.ok())
      return values.status();
    // The evaluator hands constants and arguments through; results share no memory (F-171).
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = (*values)[i].copy();
    return absl::OkStatus();
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

private:
  GraphModule module_;
  mutable std::atomic<int64_t> calls_{0};
};

} // namespace

absl::StatusOr<std::unique_ptr<const Runner>> runnerOf(std::shared_ptr<const Executable> executable,
                                                       const FunctionOptions &options) {
  int threads = options.threads.value_or(config().threads);
  if (threads < 0)
    return makeError(ErrorKind::ValueError,
                     "function: threads must not be negative, but is " + std::to_string(threads));
  return std::make_unique<CompiledRunner>(std::move(executable),
                                          threads ? threads : usableThreads());
}

absl::StatusOr<std::unique_ptr<const Runner>> makeRunner(const GraphModule &module,
                                                         const FunctionOptions &options,
                                                         const std::optional<Hash128> &storeAs) {
  if (options.mode == "interpreter")
    return std::make_unique<InterpretedRunner>(module);
  if (options.mode == "debug") {
    FunctionOptions compiled = options;
    compiled.mode = "fast_compile";
    compiled.rewrites = false; // they would leave no nodes to compare
    absl::StatusOr<std::unique_ptr<const Runner>> all =
        makeRunner(DebugRunner::withAllOutputs(module), compiled, {});
    if (!all.ok())
      return all.status();
    return std::make_unique<DebugRunner>(module, *std::move(all), options.rewrites);
  }
  if (std::ranges::find(kModes, options.mode) == std::end(kModes))
    return makeError(ErrorKind::ValueError, "function: no mode is called '" + options.mode +
                                                "'; modes are " + join(kModes, ", "));
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  CompileOptions compile;
  compile.mode = options.mode;
  compile.rewrites = options.rewrites;
  compile.target = options.target;
  compile.cache = options.cache;
  compile.dumpStages = options.dumpStages;
  compile.observer = options.observer;
  compile.profile = options.profile;
  compile.compileThreads = usableThreads();
  compile.storeAs = storeAs;
  absl::StatusOr<std::shared_ptr<const Executable>> executable =
      (*compiler)->compile(module, compile);
  if (!executable.ok())
    return executable.status();
  return runnerOf(*std::move(executable), options);
}

} // namespace graphc
