//===- Pipeline.cpp - every stage in order --------------------------------===//
#include "Pipeline.h"

#include <optional>
#include <utility>

#include "CompileKernels.h"
#include "CompileLibrary.h"
#include "Graph/Module.h"
#include "JIT/Target.h"
#include "Kernels/ReadKernels.h"
#include "LowerGraph.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/StageWatch.h"
#include "Specialise.h"
#include "StageText.h"
#include "StoreProgram.h"
#include "Support/StageOfText.h"
#include "Text/GraphText.h"

namespace graphc {
namespace {

absl::Status showGraph(std::string_view stage, const GraphModule &module, Stages &stages) {
  if (!stages.looksAt(stage))
    return absl::OkStatus();
  absl::StatusOr<std::string> text = writeGraphText(module, {});
  return text.ok() ? stages.saw(stage, *std::move(text)) : text.status();
}

/// Nothing where what was wanted is there.
template <class T> absl::StatusOr<T> nothingOr(const absl::Status &status) {
  if (!status.ok())
    return status;
  return T();
}
using CompilerPointer = std::shared_ptr<const ObjectCompiler>;

/// The stages that have a text, of all kernels together, each made from the one before.
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

/// linalg, loops, llvm, obj. Returns what makes their code, or null if
/// nobody wants to run it.
absl::StatusOr<CompilerPointer> showKernels(KernelGraph &kernels, const CompileOptions &options,
                                            bool trusted, Stages &stages) {
  if (stages.looksAt("kernels"))
    if (absl::Status s = stages.saw("kernels", toString(kernels));
        !s.ok() || stages.endsAt("kernels"))
      return nothingOr<CompilerPointer>(s);
  absl::StatusOr<TargetDescription> target = parseTarget(options.target);
  if (!target.ok())
    return target.status();
  target->optimizations = modeOptimizations(options.mode);
  if (stages.wantsLibrary()) // nobody would ask Linux for them
    target->optimizations.takeOut(Optimization::TileRegisters);
  absl::StatusOr<std::shared_ptr<const ObjectCompiler>> compiler =
      objectCompilerFor(*target, trusted);
  if (!compiler.ok())
    return compiler;
  if (stages.looksAtCode()) {
    StageWatch showing(options.observer,
                       stages.wantsText() ? stages.wanted() : std::string_view("stages"));
    absl::Status s = showCode(kernels, **compiler, stages);
    if (!s.ok())
      return s;
    showing.done([&] { return counted(stages.numBytes(), "byte"); });
    if (stages.wantsText())
      return nothingOr<CompilerPointer>(s);
  }
  if (stages.wantsLibrary()) {
    StageWatch coding(options.observer, "code");
    absl::Status s = compileLibrary(std::move(kernels), **compiler, options, stages);
    if (s.ok())
      coding.done([&] { return counted(stages.library().object.size(), "byte"); });
    return nothingOr<CompilerPointer>(s);
  }
  return compiler;
}

/// graph: as the user built it; rewritten: the same function in fewer and better nodes, with what
/// it calls in `callees`. Nothing where nobody wants what comes after.
absl::StatusOr<std::optional<FunctionGraph>> rewritten(const GraphModule &module,
                                                       const CompileOptions &options,
                                                       Callees &callees, Stages &stages) {
  if (!options.isRewritten)
    if (absl::Status s = showGraph("graph", module, stages); !s.ok() || stages.endsAt("graph"))
      return nothingOr<std::optional<FunctionGraph>>(s);
  StageWatch rewriting(options.observer, "rewritten");
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok())
    return graph.status();
  if (absl::Status s = rewriteGraph(*graph, options); !s.ok())
    return s;
  rewriting.done([&] { return counted(graph->numNodes(), "node"); });
  if (!stages.looksAt("rewritten"))
    return *std::move(graph);
  if (absl::Status s = callees.make(*graph); !s.ok())
    return s;
  absl::StatusOr<FunctionGraph> shown = callees.withRewritten(*graph);
  if (!shown.ok())
    return shown.status();
  absl::Status s = showGraph("rewritten", withGraph(module, *shown), stages);
  if (!s.ok() || stages.endsAt("rewritten"))
    return nothingOr<std::optional<FunctionGraph>>(s);
  return *std::move(graph);
}

/// kernels: fused loop nests, and the program that calls them.
absl::StatusOr<KernelGraph> fused(FunctionGraph graph, const GraphModule &module,
                                  const CompileOptions &options, Callees &callees) {
  StageWatch fusing(options.observer, "kernels");
  absl::StatusOr<KernelGraph> kernels =
      kernelsOf(std::move(graph), options, module.outputNames, callees);
  if (!kernels.ok())
    return kernels;
  kernels->program.name = module.name;
  fusing.done([&] {
    return counted(kernels->kernels.size(), "kernel") + " in " +
           counted(kernels->program.steps.size(), "step");
  });
  return kernels;
}

/// code: an object for each kernel, made or found, in this process.
absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
compiledCode(const KernelGraph &kernels, const ObjectCompiler &compiler,
             const CompileOptions &options) {
  if (absl::Status s = checkRunsHere(compiler.target()); !s.ok())
    return s;
  StageWatch coding(options.observer, "code");
  absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>> code =
      loadKernels(requestsOf(kernels.kernels), compiler, options.compileThreads, options.cache);
  if (!code.ok())
    return code;
  coding.done([&] {
    size_t bytes = 0;
    for (const std::shared_ptr<const CachedKernel> &kernel : *code)
      for (const std::string &object : kernel->objects)
        bytes += object.size();
    return counted(bytes, "byte") + " of objects";
  });
  return code;
}

/// program: the table that calls the code, kept for who wants it.
absl::StatusOr<CompiledProgram> joined(KernelGraph kernels,
                                       std::vector<std::shared_ptr<const CachedKernel>> code,
                                       CompilerPointer compiler, const CompileOptions &options,
                                       Stages &stages) {
  placeCode(compiledOf(code), kernels.program);
  if (options.storeAs)
    storeProgram(kernels.program, code, *options.storeAs);
  if (ProgramImage *wanted = stages.image()) {
    absl::StatusOr<ProgramImage> image = imageOf(kernels.program, code);
    if (!image.ok())
      return image.status();
    *wanted = *std::move(image);
  }
  absl::StatusOr<std::shared_ptr<const Executable>> executable =
      Executable::create(std::move(kernels.program), codeOf(code));
  if (!executable.ok())
    return executable.status();
  CompiledProgram program{*std::move(executable)};
  if (options.specialises)
    program.specialiser = specialiserOf(program.executable, std::move(kernels.kernels),
                                        std::move(code), std::move(compiler), options.cache);
  return program;
}

} // namespace

absl::StatusOr<CompiledProgram> compile(const GraphModule &module, const CompileOptions &options,
                                        Stages &stages) {
  CompileOptions inner = options;
  inner.isRewritten = false; // what is within is rewritten by itself
  Callees callees = calleesOf(inner, stages.looksAt("rewritten"));
  absl::StatusOr<std::optional<FunctionGraph>> graph = rewritten(module, options, callees, stages);
  if (!graph.ok() || !*graph)
    return nothingOr<CompiledProgram>(graph.status());
  absl::StatusOr<KernelGraph> kernels = fused(**std::move(graph), module, inner, callees);
  if (!kernels.ok())
    return kernels.status();
  absl::StatusOr<CompilerPointer> compiler =
      showKernels(*kernels, options, /*trusted=*/true, stages);
  if (!compiler.ok() || !*compiler)
    return nothingOr<CompiledProgram>(compiler.status());
  absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>> code =
      compiledCode(*kernels, **compiler, options);
  if (!code.ok())
    return code.status();
  return joined(*std::move(kernels), *std::move(code), *std::move(compiler), options, stages);
}

absl::Status compileKernelText(std::string_view text, std::string_view name,
                               const CompileOptions &options, Stages &stages) {
  absl::StatusOr<KernelGraph> kernels = readKernels(text, name);
  if (!kernels.ok())
    return explainStage(kernels.status(), text, name, "kernels");
  if (stages.wantsLibrary() && kernels->program.outputs.empty())
    return makeError(ErrorKind::ValueError, "the text has kernels and no program",
                     Place(internFileName(name), 0, 0));
  return showKernels(*kernels, options, /*trusted=*/false, stages).status();
}

} // namespace graphc
