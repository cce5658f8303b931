//===- LowerGraph.cpp -----------------------------------------------------===//
#include "LowerGraph.h"

#include "Control/Control.h"
#include "Control/LoopRewrites.h"
#include "Control/Sink.h"
#include "JIT/LoopTargetOf.h"
#include "Kernels/BodyCode.h"
#include "Kernels/EmitGraph.h"
#include "Ops/CallOp.h"
#include "Pipeline.h"
#include "Rewrite/VectorizedGraphs.h"
#include "Rewrites/FoldLargeConstants.h"
#include "Rewrites/ModeRewrites.h"
#include "Runtime/LoopErrors.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {

absl::Status rewriteGraph(FunctionGraph &graph, const CompileOptions &options) {
  if (!options.rewrites || options.isRewritten)
    return absl::OkStatus();
  auto apply = [&](FunctionGraph &to) { return rewriteAs(options.mode, to).status(); };
  absl::Status status = apply(graph);
  if (status.ok() && !rowOf(options.mode).compilesForSpeed)
    return shortenLoops(graph);
  if (!status.ok())
    return status;
  if (hasLoops(graph)) {
    status = rewriteLoops(graph, [&](FunctionGraph &body) { return rewriteGraph(body, options); });
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

namespace {

/// As messages call what a body's outputs are of, where that is not their number.
std::vector<std::string> namesOfOutputs(const Control &control, const FrozenGraph &body) {
  std::vector<std::string> names(body.numOutputs());
  const size_t numStates = control.loop ? control.loop->states.size() : 0;
  for (size_t k = 0; control.loop && k < control.results.size(); ++k)
    if (const std::string &name = control.loop->nameOf(k); name != nameOfResult({}, k, numStates))
      names[k] = name;
  return names;
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
      if (absl::Status s = rewriteGraph(*copy, options); !s.ok())
        return s;
    Callees callees = calleesOf(options, /*keepGraphs=*/false);
    absl::StatusOr<KernelGraph> kernels =
        kernelsOf(*std::move(copy), options, namesOfOutputs(control, body), callees, level + 1);
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
absl::Status lowerControl(FunctionGraph &graph, const CompileOptions &options, int level = 0) {
  if (absl::Status s = sinkBranches(graph, /*inLoops=*/false, level); !s.ok())
    return s;
  return compileBodies(graph, options, level).status();
}

} // namespace

/// Of a target that does not exist nothing is known; what makes its code tells that.
static FusionOptions fusionOptionsOf(const CompileOptions &options) {
  FusionOptions fusion = {modeOptimizations(options.mode)};
  absl::StatusOr<TargetDescription> target = parseTarget(options.target);
  fusion.hasMaskRegisters = target.ok() && loopTargetOf(*target).maskRegisters;
  return fusion;
}

Callees calleesOf(const CompileOptions &options, bool keepGraphs) {
  auto prepare = [options](FunctionGraph &callee) {
    absl::Status s = rewriteGraph(callee, options);
    return s.ok() ? lowerControl(callee, options) : s;
  };
  FusionOptions fusion = fusionOptionsOf(options);
  std::string does =
      options.rewrites ? rewritesKey(options.mode) : "none;" + fusion.optimizations.missing();
  if (fusion.hasMaskRegisters)
    does += ";mask registers";
  return Callees(prepare, std::move(does), options.profile, fusion, keepGraphs);
}

absl::StatusOr<KernelGraph> kernelsOf(FunctionGraph graph, const CompileOptions &options,
                                      const std::vector<std::string> &outputNames, Callees &callees,
                                      int level) {
  if (absl::Status s = lowerControl(graph, options, level); !s.ok())
    return s;
  if (absl::Status s = callees.make(graph); !s.ok())
    return s;
  absl::StatusOr<GraphRecord> record = emitGraph(
      graph, options.profile,
      [&](const Apply &node, const UsedOutputs &used) { return callees.find(node, used); },
      fusionOptionsOf(options));
  FunctionGraph(std::move(graph)); // what follows reads the record alone, and takes as much memory
  if (!record.ok())
    return record.status();
  record->outputNames = outputNames;
  return fuse(*std::move(record));
}

} // namespace graphc
