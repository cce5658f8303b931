//===- Pipeline.cpp - every stage in order --------------------------------===//
#include "Pipeline.h"

#include "Callees.h"
#include "CompileKernels.h"
#include "CompileLibrary.h"
#include "Control/Control.h"
#include "Control/LoopRewrites.h"
#include "Control/Sink.h"
#include "Graph/Module.h"
#include "JIT/Linker.h"
#include "JIT/Target.h"
#include "Kernels/BodyCode.h"
#include "Kernels/EmitGraph.h"
#include "Kernels/Fuse.h"
#include "Kernels/ReadKernels.h"
#include "Ops/CallOp.h"
#include "Rewrite/VectorizedGraphs.h"
#include "Rewrites/FoldLargeConstants.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/ProgramFile.h"
#include "Runtime/StageWatch.h"
#include "Specialise.h"
#include "StageText.h"
#include "Support/Log.h"
#include "Support/StageOfText.h"
#include "Support/TemporaryFile.h"
#include "Text/GraphText.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

/// The rules of the mode, on a function's own graph. Large constants are computed by compiled
/// code, once.
absl::Status rewrite(FunctionGraph &graph, const CompileOptions &options) {
  if (!options.rewrites || options.isRewritten)
    return absl::OkStatus();
  auto apply = [&](FunctionGraph &to) { return rewriteAs(options.mode, to).status(); };
  absl::Status status = apply(graph);
  if (!status.ok() || !rowOf(options.mode).compilesForSpeed)
    return status;
  if (hasLoops(graph)) {
    status = rewriteLoops(graph, [&](FunctionGraph &body) { return rewrite(body, options); });
    if (status.ok())
      status = apply(graph); // what left the loops
    if (!status.ok())
      return status;
  }
  return foldLargeConstants(
      graph, [&](const GraphModule &constants) -> absl::StatusOr<std::vector<Tensor>> {
        CompileOptions plain; // nothing that names or watches the user's program
        plain.rewrites = false;
        plain.compileThreads = options.compileThreads;
        plain.cache = options.cache;
        Stages quiet(plain, "");
        absl::StatusOr<CompiledProgram> run = compile(constants, plain, quiet);
        if (!run.ok())
          return run.status();
        std::vector<Tensor> values(constants.outputs.size());
        if (absl::Status s = run->executable->run({}, absl::MakeSpan(values)); !s.ok())
          return s;
        return values;
      });
}

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

/// linalg, loops, llvm, obj: each kernel on its own. Returns what makes their code, or null if
/// nobody wants to run it.
absl::StatusOr<std::shared_ptr<const ObjectCompiler>>
showKernels(KernelGraph &kernels, const CompileOptions &options, bool trusted, Stages &stages) {
  if (stages.looksAt("kernels"))
    if (absl::Status s = stages.saw("kernels", toString(kernels));
        !s.ok() || stages.endsAt("kernels"))
      return nothingOr<CompilerPointer>(s);
  absl::StatusOr<TargetDescription> target = parseTarget(options.target);
  if (!target.ok())
    return target.status();
  target->optimizations = modeOptimizations(options.mode);
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

/// Constants beyond this are read again from the user's file rather than kept twice.
constexpr size_t kMaxStoredBytes = size_t(16) << 20;

using Code = absl::Span<const std::shared_ptr<const CachedKernel>>;

/// All kernels as one shared object.
absl::Status linkCode(Code code, const std::string &path) {
  std::vector<std::string> objects;
  for (const std::shared_ptr<const CachedKernel> &kernel : code)
    objects.push_back(kernel->object);
  return linkSharedObject(objects, path);
}

/// As loadProgram wants it. What cannot be kept is compiled anew next time.
void store(const Program &program, Code code, const Hash128 &key) {
  std::shared_ptr<CodeFolder> folder = CodeFolder::configured();
  if (!folder || code.empty())
    return;
  std::optional<std::string> bytes = programToBytes(program);
  if (!bytes || bytes->size() > kMaxStoredBytes)
    return;
  absl::Status stored =
      folder->store(key, CodeFolder::Kind::Library, *bytes,
                    [&](const std::string &path) { return linkCode(code, path); });
  if (!stored.ok())
    logWarning("a compiled program is not kept: " + std::string(stored.message()));
}

/// An empty one for a program with host callbacks.
absl::StatusOr<ProgramImage> imageOf(const Program &program, Code code) {
  std::optional<std::string> bytes = programToBytes(program);
  if (!bytes)
    return ProgramImage();
  ProgramImage image{*std::move(bytes), ""};
  if (code.empty())
    return image;
  absl::StatusOr<TemporaryFile> file = TemporaryFile::create("graphc-link");
  if (!file.ok())
    return file.status();
  if (absl::Status s = linkCode(code, file->path()); !s.ok())
    return s;
  absl::StatusOr<std::string> linked = file->readAll();
  if (!linked.ok())
    return linked.status();
  image.code = *std::move(linked);
  return image;
}

absl::Status lowerControl(FunctionGraph &graph, const CompileOptions &options, int level = 0);

/// The graphs that a graph calls, as these options rewrite them.
Callees calleesOf(const CompileOptions &options, bool keepGraphs) {
  auto prepare = [options](FunctionGraph &callee) {
    absl::Status s = rewrite(callee, options);
    return s.ok() ? lowerControl(callee, options) : s;
  };
  std::string does = options.rewrites ? rewritesKey(options.mode) : "none";
  return Callees(prepare, std::move(does), options.profile, modeOptimizations(options.mode),
                 keepGraphs);
}

/// Fused loop nests, and the program that calls them, of a rewritten graph. `level`: the bodies
/// that it stands in, itself included.
absl::StatusOr<KernelGraph> kernelsOf(FunctionGraph graph, const CompileOptions &options,
                                      const std::vector<std::string> &outputNames, Callees &callees,
                                      int level = 0) {
  if (absl::Status s = lowerControl(graph, options, level); !s.ok())
    return s;
  if (absl::Status s = callees.make(graph); !s.ok())
    return s;
  absl::StatusOr<GraphRecord> record =
      emitGraph(graph, options.profile, [&](const Apply &node, const UsedOutputs &used) {
        return callees.find(node, used);
      });
  FunctionGraph(std::move(graph)); // what follows reads the record alone, and takes as much memory
  if (!record.ok())
    return record.status();
  record->outputNames = outputNames;
  record->optimizations = modeOptimizations(options.mode);
  return fuse(*std::move(record));
}

/// The op whose bodies have code.
absl::StatusOr<Op> compiledControl(const Apply &node, const CompileOptions &options, int level) {
  if (level == kMostLevels)
    return tooManyLevels(node.place());
  const Control &control = *controlOf(node.op());
  auto code = std::make_shared<BodyCode>();
  for (const FrozenGraph &body : control.bodies) {
    absl::StatusOr<FunctionGraph> copy = FunctionGraph::create(body.inputs(), body.outputs());
    if (!copy.ok())
      return copy.status();
    if (!control.loop || !control.loop->isRewritten)
      if (absl::Status s = rewrite(*copy, options); !s.ok())
        return s;
    Callees callees = calleesOf(options, /*keepGraphs=*/false);
    absl::StatusOr<KernelGraph> kernels = kernelsOf(
        *std::move(copy), options, std::vector<std::string>(body.numOutputs()), callees, level + 1);
    if (!kernels.ok())
      return kernels.status();
    code->bodies.push_back(*std::move(kernels));
  }
  return withCode(node.op(), std::move(code));
}

absl::StatusOr<bool> compileBodies(FunctionGraph &graph, const CompileOptions &options, int level);

/// An op of slices whose loops have code. Branches are no bodies there, since slices differ in what
/// they choose: both are computed. Nothing where there is no loop.
absl::StatusOr<std::optional<Op>> compiledSlices(const detail::InnerGraph &record,
                                                 const CompileOptions &options, int level) {
  absl::StatusOr<FunctionGraph> slice = graphOfSlice(record);
  if (!slice.ok())
    return slice.status();
  absl::StatusOr<bool> changed = compileBodies(*slice, options, level);
  if (!changed.ok())
    return changed.status();
  if (!*changed)
    return std::nullopt;
  absl::StatusOr<FrozenGraph> frozen = slice->freeze();
  if (!frozen.ok())
    return frozen.status();
  absl::StatusOr<Op> op =
      detail::vectorizedOp(detail::InnerGraph::intern(*std::move(frozen), {}, record.traits()));
  return op.ok() ? absl::StatusOr<std::optional<Op>>(*std::move(op)) : op.status();
}

/// Puts ops that have the code of their bodies in the place of those that evaluate them. Whether
/// there were some.
absl::StatusOr<bool> compileBodies(FunctionGraph &graph, const CompileOptions &options, int level) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  bool changed = false;
  // Nodes of one record have one op.
  absl::flat_hash_map<const detail::InnerGraph *, std::optional<Op>> slices;
  for (const Apply &node : *order) {
    const Control *control = controlOf(node.op());
    absl::StatusOr<std::optional<Op>> op = std::nullopt;
    if (control && !control->code)
      op = compiledControl(node, options, level);
    else if (const auto &record = node.op().def().vectorized) {
      auto known = slices.find(record.get());
      op = known != slices.end() ? known->second : compiledSlices(*record, options, level);
      if (op.ok())
        slices.emplace(record.get(), *op);
    }
    if (!op.ok())
      return op.status();
    if (!*op)
      continue;
    changed = true;
    Variables inputs = node.inputs();
    absl::StatusOr<Apply> fresh =
        (*op)->makeNode(std::vector<Operand>(inputs.begin(), inputs.end()), node.place());
    if (!fresh.ok())
      return fresh.status();
    Replacements replacements;
    for (int k = 0; k < node.numOutputs(); ++k)
      replacements.emplace_back(node.output(k), fresh->output(k));
    if (absl::Status s = graph.replaceAll(replacements); !s.ok())
      return s;
  }
  return changed;
}

/// What is emitted of a rewritten graph: its branches and loops with their code.
absl::Status lowerControl(FunctionGraph &graph, const CompileOptions &options, int level) {
  if (absl::Status s = sinkBranches(graph, /*inLoops=*/false, level); !s.ok())
    return s;
  return compileBodies(graph, options, level).status();
}

} // namespace

absl::StatusOr<CompiledProgram> compile(const GraphModule &module, const CompileOptions &options,
                                        Stages &stages) {
  // graph: as the user built it; rewritten: the same function in fewer and better nodes.
  if (!options.isRewritten)
    if (absl::Status s = showGraph("graph", module, stages); !s.ok() || stages.endsAt("graph"))
      return nothingOr<CompiledProgram>(s);
  StageWatch rewriting(options.observer, "rewritten");
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok())
    return graph.status();
  if (absl::Status s = rewrite(*graph, options); !s.ok())
    return s;
  rewriting.done([&] { return counted(graph->numNodes(), "node"); });
  CompileOptions inner = options;
  inner.isRewritten = false; // what is within is rewritten by itself
  Callees callees = calleesOf(inner, stages.looksAt("rewritten"));
  if (stages.looksAt("rewritten")) {
    if (absl::Status s = callees.make(*graph); !s.ok())
      return s;
    absl::StatusOr<FunctionGraph> shown = callees.withRewritten(*graph);
    if (!shown.ok())
      return shown.status();
    if (absl::Status s = showGraph("rewritten", withGraph(module, *shown), stages);
        !s.ok() || stages.endsAt("rewritten"))
      return nothingOr<CompiledProgram>(s);
  }

  // kernels: fused loop nests, and the program that calls them.
  StageWatch fusing(options.observer, "kernels");
  absl::StatusOr<KernelGraph> kernels =
      kernelsOf(*std::move(graph), inner, module.outputNames, callees);
  if (!kernels.ok())
    return kernels.status();
  kernels->program.name = module.name;
  fusing.done([&] {
    return counted(kernels->kernels.size(), "kernel") + " in " +
           counted(kernels->program.steps.size(), "step");
  });
  absl::StatusOr<std::shared_ptr<const ObjectCompiler>> compiler =
      showKernels(*kernels, options, /*trusted=*/true, stages);
  if (!compiler.ok() || !*compiler)
    return nothingOr<CompiledProgram>(compiler.status());
  if (absl::Status s = checkRunsHere((*compiler)->target()); !s.ok())
    return s;
  StageWatch coding(options.observer, "code");
  absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>> code =
      loadKernels(requestsOf(kernels->kernels), **compiler, options.compileThreads, options.cache);
  if (!code.ok())
    return code.status();

  coding.done([&] {
    size_t bytes = 0;
    for (const std::shared_ptr<const CachedKernel> &kernel : *code)
      bytes += kernel->object.size();
    return counted(bytes, "byte") + " of objects";
  });

  // program: the table that calls the code.
  placeCode(compiledOf(*code), kernels->program);
  if (options.storeAs)
    store(kernels->program, *code, *options.storeAs);
  if (ProgramImage *wanted = stages.image()) {
    absl::StatusOr<ProgramImage> image = imageOf(kernels->program, *code);
    if (!image.ok())
      return image.status();
    *wanted = *std::move(image);
  }
  absl::StatusOr<std::shared_ptr<const Executable>> executable =
      Executable::create(std::move(kernels->program), codeOf(*code));
  if (!executable.ok())
    return executable.status();
  CompiledProgram program{*std::move(executable)};
  if (options.specialises)
    program.specialiser = specialiserOf(program.executable, std::move(kernels->kernels),
                                        *std::move(code), *std::move(compiler), options.cache);
  return program;
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
