//===- ProgramBuilder.cpp - groups become the steps of a program ----------===//
//
// With `threads` a kernel takes the begin and the end of its outermost loop, by which threads have
// parts of it (test/Stages/threads.mlir); without, it takes neither and runs on one:
//
//   func @exp(%x, %y, %n) {                    func @exp(%x, %y, %n, %begin, %end) {
//     for (i = 0; i < %n) y[i] = exp(x[i])  ->   for (i = %begin; i < %end) y[i] = exp(x[i])
//
//===----------------------------------------------------------------------===//
#include "Kernels/ProgramBuilder.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "Emit/ControlStep.h"
#include "Emit/NestCost.h"
#include "Emit/Scatter.h"
#include "Kernels/BodyCode.h"
#include "Kernels/NestLoops.h"
#include "absl/container/flat_hash_set.h"

namespace graphc {

using Storage = Program::Array::Storage;

ProgramBuilder::ProgramBuilder(Fusion &fusion)
    : f_(fusion), e_(fusion.record_.emission), arrays_(fusion.arrays_.size(), -1) {}

KernelGraph ProgramBuilder::build() {
  addInputs();
  addGroups();
  addOutputs();
  addChecks();
  addSizes();
  if (numSteps_ > 0)
    orderArrays();
  if (f_.record_.options.optimizations.has(Optimization::ShareMemory))
    shareMemory(out_);
  return std::move(out_);
}

void ProgramBuilder::addGroups() {
  out_.program.steps.reserve(f_.groups_.size());
  out_.program.arrays.reserve(out_.program.arrays.size() + 2 * f_.groups_.size());
  for (int32_t number : f_.schedule()) {
    FusionGroup &group = f_.groups_[number];
    if (group.otherStep < 0 && (group.nests.empty() || group.isInPlace || group.isUnread))
      continue; // a part of another one; all parts are in their places
    if (group.otherStep < 0)
      addKernel(group);
    else if (e_.steps[size_t(group.otherStep)].kind == Step::Kind::Call)
      addCall(group.otherStep);
    else
      addHost(group.otherStep);
    group = FusionGroup();
  }
}

void ProgramBuilder::addInputs() {
  const GraphRecord &record = f_.record_;
  for (size_t k = 0; k < record.inputs.size(); ++k) {
    int32_t id = record.inputs[k];
    arrays_[id] = int32_t(out_.program.arrays.size());
    const ArrayInfo &info = e_.arrays[id];
    out_.program.arrays.push_back({Storage::Input, info.dtype, int32_t(k), info.shape});
    const Type &type = record.inputTypes[k];
    out_.program.inputs.push_back({k < record.inputNames.size() ? record.inputNames[k] : "",
                                   type.dtype(),
                                   {type.shape().begin(), type.shape().end()},
                                   arrays_[id]});
  }
}

/// The program's array; made when it is asked for first, which for computed arrays is at the step
/// that computes them.
int32_t ProgramBuilder::arrayOf(int32_t id) {
  if (arrays_[id] < 0 && f_.arrays_[id].whole >= 0)
    arrayOf(f_.arrays_[id].whole);
  if (arrays_[id] >= 0)
    return arrays_[id];
  const ArrayInfo &info = e_.arrays[id];
  Program::Array array{Storage::Arena, info.dtype, -1, info.shape};
  if (int32_t base = f_.arrays_[id].base; base != id) {
    array.storage = Storage::Same;
    array.number = ownerOf(out_.program, arrayOf(base)); // which may be a call's view of its result
  } else if (info.constant.defined()) {
    array.storage = Storage::Constant;
    array.number = int32_t(out_.program.constants.size());
    out_.program.constants.push_back(info.constant.contiguous());
  }
  out_.program.arrays.push_back(std::move(array));
  arrays_[id] = int32_t(out_.program.arrays.size()) - 1;
  addParts(id);
  return arrays_[id];
}

/// Those of an array that nobody copies together, and theirs (no deeper than kMostNested).
void ProgramBuilder::addParts(int32_t id) {
  auto parts = f_.parts_.find(id);
  if (parts == f_.parts_.end())
    return;
  for (const auto &[part, begin] : parts->second) {
    const int32_t number = int32_t(out_.program.arrays.size());
    const ArrayInfo &info = e_.arrays[part];
    out_.program.arrays.push_back({Storage::Same, info.dtype, arrays_[id], info.shape, begin});
    arrays_[part] = number;
    addParts(part);
  }
}

int32_t ProgramBuilder::nodeOf(int32_t node) {
  if (node < 0 || !f_.record_.describe)
    return -1;
  auto [it, isNew] = nodes_.try_emplace(node, int32_t(out_.program.nodes.size()));
  if (isNew)
    out_.program.nodes.push_back(f_.record_.describe(node));
  return it->second;
}

KernelDraft ProgramBuilder::draftOf(FusionGroup &group) {
  KernelDraft draft;
  draft.numShared = group.nests.size() == 1 ? group.nests[0].nest.numParallel : group.numShared;
  std::unordered_map<int32_t, int32_t> numbers;
  auto number = [&](int32_t id, Kernel::Role role) {
    auto [it, isNew] = numbers.try_emplace(id, int32_t(draft.arrays.size()));
    if (isNew)
      draft.arrays.push_back({id, role, e_.arrays[id].dtype, f_.properShape(id)});
    return it->second;
  };
  for (const FusedNest &fused : group.nests) {
    const int32_t result = fused.nest.result;
    number(result, f_.usedOutside_[result] ? Kernel::Role::Output : Kernel::Role::Local);
  }
  for (FusedNest &fused : group.nests) {
    Nest &nest = fused.nest;
    nest.result = numbers.at(nest.result);
    for (ScalarNode &n : nest.body)
      if (n.op == ScalarOp::Load)
        n.payload = uint64_t(number(n.loadArray(), Kernel::Role::Input)) << 32 | n.loadFirstIndex();
    for (const FusedNest::Check &check : fused.checks)
      draft.checks.push_back({int32_t(draft.nests.size()), check.condition, check.failure});
    draft.nests.push_back(std::move(nest));
  }
  return draft;
}

int32_t ProgramBuilder::kernelNumber(const Kernel &kernel) {
  auto [at, isNew] = kernels_.try_emplace(kernel.content(), int32_t(out_.kernels.size()));
  if (isNew) {
    out_.program.kernels.push_back({kernel.symbol(), kernel.splitExtent >= 0});
    out_.kernels.push_back(kernel);
  }
  return at->second;
}

/// Whether a reduction has its vectors along the outermost loop: a matrix times a vector, read by
/// its lines.
static bool isAcrossLines(const Kernel &kernel) {
  for (const Nest &nest : kernel.nests)
    for (const ScalarNode &n : nest.body) {
      if (nest.combine == Combine::None || nest.numParallel > 1 || n.op != ScalarOp::Load)
        continue;
      const size_t rank = kernel.arrays[size_t(n.loadArray())].shape.size();
      if (rank < 2)
        continue;
      const ScalarNode &last =
          nest.body[size_t(nest.indices[size_t(n.loadFirstIndex()) + rank - 1])];
      if (last.op == ScalarOp::Index && last.payload == 0)
        return true;
    }
  return false;
}

/// What decides whether threads are worth waking, and so is rough: measured figures for math
/// functions in cache, and the memory's bandwidth for what each iteration reads anew. An operand
/// that several iterations share, as those of products, is in a cache when it is read again.
Program::Step::Work ProgramBuilder::workOf(const Kernel &kernel, size_t number, double cost,
                                           absl::FunctionRef<int32_t(int32_t)> sizeOf) {
  constexpr double kNanosecondsPerCost = 0.016, kNanosecondsPerByte = 1.0 / 60;
  const Nest &nest = kernel.nests[number];
  auto rankOf = [&](int32_t array) { return int32_t(kernel.arrays[size_t(array)].shape.size()); };
  uint64_t all = (uint64_t(1) << nest.extents.size()) - 1; // a bit for each loop that is work
  if (std::optional<Scatter> scatter = scatterOf(nest))
    all -= uint64_t(1) << scatter->loop;
  std::vector<uint64_t> loops(nest.body.size(), all);
  if (nest.extents.size() > 1)
    loops = dependences(nest, rankOf);
  int64_t bytes = 0;
  for (size_t i = 0; i < nest.body.size(); ++i)
    if (const ScalarNode &n = nest.body[i];
        n.op == ScalarOp::Load && kernel.arrays[n.loadArray()].role == Kernel::Role::Input &&
        rankOf(n.loadArray()) > 0 && (loops[i] & all) == all)
      bytes += byteSize(n.dtype);
  if (kernel.arrays[nest.result].role == Kernel::Role::Output && nest.combine == Combine::None)
    bytes += byteSize(kernel.arrays[nest.result].dtype);
  int32_t count = f_.sizes_.constant(1);
  for (size_t loop = 0; loop < nest.extents.size(); ++loop)
    if (all >> loop & 1)
      count = f_.sizes_.binary(SizeOp::Mul, count, sizeOf(nest.extents[loop]));
  return {count, float(cost * kNanosecondsPerCost + double(bytes) * kNanosecondsPerByte)};
}

void ProgramBuilder::addKernel(FusionGroup &group) {
  f_.mergeLocals(group);
  std::vector<double> costs;
  for (const FusedNest &fused : group.nests)
    costs.push_back(fused.cost);
  CanonicalKernel canonical = canonicalize(draftOf(group), f_.sizes_, f_.builder_);
  if (!f_.record_.options.optimizations.has(Optimization::Threads))
    canonical.kernel.splitExtent = -1;
  const Kernel &kernel = canonical.kernel;
  auto sizeOf = [&](int32_t number) { // of the program
    const Kernel::Size &s = kernel.sizes[number];
    return s.constant ? f_.sizes_.constant(s.value) : canonical.sizes[s.value];
  };
  // Parts of a few columns read each line of the matrix again, and are no whole vectors.
  constexpr int64_t kFewColumns = 512;
  if (kernel.splitExtent >= 0 && isAcrossLines(kernel)) {
    const int32_t size = sizeOf(kernel.splitExtent);
    const SizeNode &columns = f_.sizes_.nodes()[size_t(size)];
    if (columns.op == SizeOp::Constant && columns.value < kFewColumns)
      canonical.kernel.splitExtent = -1;
  }

  Program::Step step;
  step.kind = Program::Step::Kind::Kernel;
  step.sizes = canonical.sizes;
  Numbers inputs; // of the emission
  for (size_t k = 0; k < kernel.arrays.size(); ++k) {
    const Kernel::ArrayDecl &decl = kernel.arrays[k];
    if (decl.role == Kernel::Role::Local)
      continue;
    step.arrays.push_back(arrayOf(canonical.arrays[k]));
    if (decl.role == Kernel::Role::Input)
      inputs.push_back(canonical.arrays[k]);
  }
  step.numInputs = int32_t(inputs.size());
  for (size_t k = 0; k < kernel.nests.size(); ++k)
    step.work.push_back(workOf(kernel, k, costs[k], sizeOf));
  if (kernel.splitExtent >= 0)
    step.splitSize = sizeOf(kernel.splitExtent);
  for (int32_t failure : canonical.failures) {
    const ElementCheck &check = e_.elementChecks[failure];
    step.failures.push_back(int32_t(out_.program.failures.size()));
    Program::Failure &made = out_.program.failures.emplace_back(
        Program::Failure{check.kind, check.message, nodeOf(check.node)});
    if (check.extent < 0)
      continue;
    made.extent = f_.sizes_.canonical(check.extent);
    auto at = std::find(inputs.begin(), inputs.end(), check.indices);
    if (at != inputs.end())
      made.indices = int32_t(at - inputs.begin());
  }
  if (f_.record_.nameNode) {
    Numbers results, operands;
    for (size_t k = 0; k < kernel.arrays.size(); ++k)
      (kernel.arrays[k].role == Kernel::Role::Input ? operands : results)
          .push_back(canonical.arrays[k]);
    addFacts(results, operands, &kernel);
  }
  if (isCallee_)
    canonical.kernel.name = name_;
  step.callee = kernelNumber(canonical.kernel);
  out_.program.steps.push_back(std::move(step));
}

/// Of the step that is added next, which runs `kernel`, if any. Its nodes are those between its
/// results and its operands.
void ProgramBuilder::addFacts(absl::Span<const int32_t> results, absl::Span<const int32_t> operands,
                              const Kernel *kernel) {
  absl::flat_hash_set<int32_t> seen(operands.begin(), operands.end());
  std::vector<int32_t> rest(results.begin(), results.end());
  std::set<int32_t> nodes; // in the order in which they are computed
  while (!rest.empty()) {
    int32_t array = rest.back();
    rest.pop_back();
    if (!seen.insert(array).second || e_.arrays[array].step < 0)
      continue;
    const Step &step = e_.steps[size_t(e_.arrays[array].step)];
    if (step.node >= 0)
      nodes.insert(step.node);
    for (int32_t input : step.inputs)
      if (!seen.count(f_.resolve(input)) && !seen.count(f_.arrays_[input].base))
        rest.push_back(input);
  }
  out_.program.facts.resize(out_.program.steps.size());
  Program::Facts &facts = out_.program.facts.emplace_back();
  for (int32_t node : nodes)
    facts.nodes.push_back(f_.record_.nameNode(node));
  for (int32_t k = 0; kernel && k < int32_t(kernel->nests.size()); ++k) {
    const Nest &nest = kernel->nests[k];
    facts.flops.push_back(flopsOf(nest));
    std::map<int32_t, int32_t> counts; // by input
    for (const ScalarNode &n : nest.body)
      if (n.op == ScalarOp::Load && kernel->arrays[n.loadArray()].role == Kernel::Role::Input)
        ++counts[n.loadArray()];
    for (auto [input, count] : counts)
      facts.loads.push_back({input, k, count});
  }
}

void ProgramBuilder::addHost(int32_t number) {
  const Step &from = e_.steps[number];
  Program::Step step;
  step.kind = Program::Step::Kind::Host;
  step.numInputs = int32_t(from.inputs.size());
  for (int32_t input : from.inputs)
    step.arrays.push_back(arrayOf(input));
  for (int32_t output : from.outputs)
    step.arrays.push_back(arrayOf(output));
  if (from.host.control && from.host.control->code) {
    addBodies(from.host, step);
  } else {
    step.callee = int32_t(out_.program.hosts.size());
    out_.program.hosts.push_back(from.host);
  }
  step.failures.push_back(int32_t(out_.program.failures.size()));
  out_.program.failures.push_back({ErrorKind::RuntimeError, "", nodeOf(from.node)});
  if (f_.record_.nameNode)
    addFacts(from.outputs, from.inputs, nullptr);
  out_.program.steps.push_back(std::move(step));
}

/// The numbers of kernels become those that `numberOf` gives, also in bodies' bodies.
static void renumberKernels(Program &program, absl::Span<const int32_t> numberOf) {
  for (Program::Step &step : program.steps)
    if (step.kind == Program::Step::Kind::Kernel)
      step.callee = numberOf[size_t(step.callee)];
  for (Program::Control &control : program.controls)
    for (Program &body : control.bodies)
      renumberKernels(body, numberOf);
}

Program ProgramBuilder::bodyWith(const KernelGraph &body) {
  Program program = body.program;
  program.kernels.clear();
  std::vector<int32_t> numbers;
  for (const Kernel &kernel : body.kernels)
    numbers.push_back(kernelNumber(kernel));
  renumberKernels(program, numbers);
  return program;
}

void ProgramBuilder::addBodies(const HostCall &host, Program::Step &step) {
  const ControlStep &control = *host.control;
  Program::Control made = control.shape;
  made.numLevels = host.numLevels;
  made.levels = host.levels;
  for (const KernelGraph &body : control.code->bodies)
    made.bodies.push_back(bodyWith(body));
  // Buffers of states whose last value alone is a result, and whether the loop ends.
  for (size_t k = 0; k < made.states.size(); ++k) {
    if (!made.keepsLast[k])
      continue;
    const Program::Array &initial =
        out_.program.arrays[size_t(step.arrays[1 + made.sequences.size() + k])];
    Program::Step::Scratch &scratch = step.scratch.emplace_back();
    scratch.dtype = initial.dtype;
    scratch.shape.push_back(f_.sizes_.constant(made.history(k) + 1));
    const size_t lacks =
        size_t(made.hasHistoryAxis(k)) +
        (host.numLevels ? size_t(std::popcount(host.levels[1 + made.sequences.size() + k])) : 0);
    scratch.shape.insert(scratch.shape.end(), initial.shape.begin() + ptrdiff_t(lacks),
                         initial.shape.end());
  }
  if (made.hasUntil)
    step.scratch.push_back({DType::Bool, {}});
  step.kind = Program::Step::Kind::Control;
  step.callee = int32_t(out_.program.controls.size());
  out_.program.controls.push_back(std::move(made));
}

/// F-171 to F-173: an output's memory is its own. What a kernel computes goes there at once; what
/// belongs to an input, a constant or another output is copied.
void ProgramBuilder::addOutputs() {
  Program &program = out_.program;
  for (size_t k = 0; k < f_.record_.outputs.size(); ++k) {
    int32_t array = arrayOf(f_.record_.outputs[k]), root = rootOf(program, array);
    if (program.arrays[root].storage == Storage::Arena && ownerOf(program, array) == root) {
      program.arrays[root].storage = Storage::Output;
      program.arrays[root].number = int32_t(k);
    } else {
      Program::Array copy = program.arrays[array];
      copy.storage = Storage::Output;
      copy.number = int32_t(k);
      copy.begin = -1;
      program.arrays.push_back(std::move(copy));
      Program::Step step;
      step.kind = Program::Step::Kind::Copy;
      step.numInputs = 1;
      step.arrays = {array, int32_t(program.arrays.size()) - 1};
      program.steps.push_back(std::move(step));
      array = int32_t(program.arrays.size()) - 1;
    }
    const std::vector<std::string> &names = f_.record_.outputNames;
    program.outputs.push_back({k < names.size() ? names[k] : "", array});
    const std::vector<bool> &areComplex = f_.record_.complexOutputs;
    program.outputs.back().isComplex = k < areComplex.size() && areComplex[k];
  }
}

void ProgramBuilder::addChecks() {
  // Sizes made of elements that nobody reads have no value.
  const std::vector<SizeNode> &nodes = f_.sizes_.nodes();
  std::vector<bool> isUnread(nodes.size(), false);
  for (size_t id = 0; id < nodes.size(); ++id) {
    const SizeNode &n = nodes[id];
    if (n.op == SizeOp::Element)
      isUnread[id] = id >= f_.sizeWanted_.size() || !f_.sizeWanted_[id];
    else if (n.op != SizeOp::Constant && n.op != SizeOp::Dim)
      isUnread[id] = isUnread[n.a] || isUnread[n.b] || (n.c >= 0 && isUnread[n.c]);
  }
  for (const SizeCheck &check : e_.sizeChecks)
    if (std::none_of(check.shape.begin(), check.shape.end(),
                     [&](int32_t s) { return isUnread[s]; }))
      out_.program.checks.push_back({check.predicate, check.a, check.b, check.kind, check.message,
                                     nodeOf(check.node), check.shape});
}

void ProgramBuilder::addSizes() {
  std::vector<int32_t> inputOf(f_.arrays_.size(), -1);
  for (size_t k = 0; k < f_.record_.inputs.size(); ++k)
    inputOf[f_.record_.inputs[k]] = int32_t(k);
  // Reading arrays may make views, never sizes.
  std::vector<SizeNode> nodes = f_.sizes_.nodes();
  for (size_t id = 0; id < nodes.size(); ++id) {
    SizeNode &n = nodes[id];
    bool wanted = id < f_.sizeWanted_.size() && f_.sizeWanted_[id];
    if (n.op == SizeOp::Dim)
      n.a = inputOf[n.a];
    else if (n.op == SizeOp::Element && wanted)
      n.a = arrayOf(n.a);
    else if (n.op == SizeOp::Element) // of an array that nobody needs
      n = {SizeOp::Constant};
  }
  out_.program.sizes = std::move(nodes);
}

} // namespace graphc
