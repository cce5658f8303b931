//===- Pipeline.cpp - every stage in order --------------------------------===//
#include "Pipeline.h"

#include "CompileKernels.h"
#include "CompileLibrary.h"
#include "JIT/Session.h"
#include "JIT/Target.h"
#include "Kernels/EmitGraph.h"
#include "Kernels/Fuse.h"
#include "Rewrites/FoldConstants.h"
#include "Text/GraphText.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

/// Rewritten by the rules of the mode. Large constants are computed by compiled code, once.
absl::StatusOr<GraphModule> rewrite(const GraphModule &module, const CompileOptions &options) {
  if (options.mode == "fast_compile")
    return module;
  FoldOptions fold;
  fold.evaluateAll = [&](const GraphModule &constants) -> absl::StatusOr<std::vector<Tensor>> {
    CompileOptions plain = options;
    plain.mode = "fast_compile";
    plain.dumpStages.clear();
    plain.target = "native";
    Stages quiet(plain, "");
    absl::StatusOr<std::shared_ptr<const Executable>> run = compile(constants, plain, quiet);
    if (!run.ok())
      return run.status();
    std::vector<Tensor> values(constants.outputs.size());
    if (absl::Status s = (*run)->run({}, absl::MakeSpan(values)); !s.ok())
      return s;
    return values;
  };
  return foldConstants(module, fold);
}

absl::Status showGraph(std::string_view stage, const GraphModule &module, Stages &stages) {
  if (!stages.looksAt(stage))
    return absl::OkStatus();
  absl::StatusOr<std::string> text = writeGraphText(module, {});
  return text.ok() ? stages.saw(stage, *std::move(text)) : text.status();
}

/// No program: an error, or a text was all that was wanted.
absl::StatusOr<std::shared_ptr<const Executable>> nothing(const absl::Status &status) {
  if (!status.ok())
    return status;
  return std::shared_ptr<const Executable>();
}

/// The stages that have a text per kernel, from what `compileKernels` makes of them.
absl::Status showCode(const KernelGraph &kernels, const ObjectCompiler &compiler, Stages &stages) {
  absl::StatusOr<std::string> linalg = linalgText(kernels.kernels);
  if (!linalg.ok())
    return linalg.status();
  if (stages.looksAt("linalg"))
    if (absl::Status s = stages.saw("linalg", *linalg); !s.ok() || stages.endsAt("linalg"))
      return s;
  for (std::string_view stage : {"loops", "llvm", "asm", "obj"}) {
    if (!stages.looksAt(stage))
      continue;
    absl::StatusOr<std::string> text =
        translateText(*linalg, "kernels.linalg", "linalg", stage, compiler);
    if (!text.ok())
      return text.status();
    if (absl::Status s = stages.saw(stage, *std::move(text)); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

} // namespace

void placeScratch(const std::vector<CompiledKernel> &compiled, Program &program) {
  for (Program::Step &step : program.steps) {
    if (step.kind != Program::Step::Kind::Kernel)
      continue;
    step.scratch.clear();
    for (const CompiledKernel::Scratch &scratch : compiled[size_t(step.callee)].scratch) {
      program.sizes.push_back({SizeOp::Constant, -1, -1, -1, scratch.bytes});
      Program::Step::Scratch &bytes = step.scratch.emplace_back();
      bytes.dtype = DType::UInt8;
      bytes.shape.push_back(int32_t(program.sizes.size()) - 1);
      for (int32_t argument : scratch.sizeArguments)
        bytes.shape.push_back(step.sizes[size_t(argument)]);
    }
  }
}

absl::StatusOr<std::shared_ptr<const Executable>>
compile(const GraphModule &module, const CompileOptions &options, Stages &stages) {
  // graph: as the user built it; rewritten: the same function in fewer and better nodes.
  if (absl::Status s = showGraph("graph", module, stages); !s.ok() || stages.endsAt("graph"))
    return nothing(s);
  absl::StatusOr<GraphModule> graph = rewrite(module, options);
  if (!graph.ok())
    return graph.status();
  if (absl::Status s = showGraph("rewritten", *graph, stages);
      !s.ok() || stages.endsAt("rewritten"))
    return nothing(s);

  // kernels: fused loop nests, and the program that calls them.
  absl::StatusOr<FunctionGraph> owned = FunctionGraph::create(graph->inputs, graph->outputs);
  if (!owned.ok())
    return owned.status();
  absl::StatusOr<GraphRecord> record = emitGraph(*owned);
  if (!record.ok())
    return record.status();
  record->outputNames = module.outputNames;
  absl::StatusOr<KernelGraph> kernels = fuse(*std::move(record));
  if (!kernels.ok())
    return kernels.status();
  if (stages.looksAt("kernels"))
    if (absl::Status s = stages.saw("kernels", toString(*kernels));
        !s.ok() || stages.endsAt("kernels"))
      return nothing(s);

  // linalg, loops, llvm, obj: each kernel on its own.
  absl::StatusOr<TargetDescription> target = parseTarget(options.target);
  if (!target.ok())
    return target.status();
  absl::StatusOr<std::shared_ptr<const ObjectCompiler>> compiler =
      objectCompilerFor(*target, options.lineTables);
  if (!compiler.ok())
    return compiler.status();
  if (stages.looksAtCode()) {
    absl::Status s = showCode(*kernels, **compiler, stages);
    if (!s.ok() || stages.wantsText())
      return nothing(s);
  }
  if (stages.wantsLibrary())
    return nothing(compileLibrary(*std::move(kernels), **compiler, options, stages));
  absl::StatusOr<std::vector<CompiledKernel>> compiled =
      compileKernels(kernels->kernels, **compiler, options.compileThreads);
  if (!compiled.ok())
    return compiled.status();
  placeScratch(*compiled, kernels->program);

  // program: the code in this process, and the table that calls it.
  absl::StatusOr<Session *> session = Session::get();
  if (!session.ok())
    return session.status();
  std::vector<std::string> symbols, objects;
  for (size_t i = 0; i < compiled->size(); ++i) {
    symbols.push_back(kernels->kernels[i].symbol());
    objects.push_back(std::move((*compiled)[i].object));
  }
  absl::StatusOr<std::shared_ptr<const LoadedCode>> code =
      (*session)->loadKernels(objects, symbols);
  if (!code.ok())
    return code.status();
  return Executable::create(std::move(kernels->program), *std::move(code));
}

} // namespace graphc
