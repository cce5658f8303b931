//===- BuildCalls.cpp - the steps of callees, in a program ----------------===//
#include <algorithm>

#include "Kernels/ProgramBuilder.h"

namespace graphc {

using Storage = Program::Array::Storage;

/// The array of another shape that shares the memory of `array`; itself where the shapes agree.
int32_t ProgramBuilder::viewOf(int32_t array, DType dtype, Numbers shape) {
  const Program::Array &known = out_.program.arrays[size_t(array)];
  if (known.shape == shape && known.dtype == dtype)
    return array;
  out_.program.arrays.push_back(
      {Storage::Same, dtype, ownerOf(out_.program, array), std::move(shape)});
  return int32_t(out_.program.arrays.size()) - 1;
}

/// Once for each program: sites share the callee's constants.
int32_t ProgramBuilder::constantOf(const Callee &callee, int32_t array,
                                   absl::Span<const int32_t> sizes) {
  auto [at, isNew] = calleeConstants_.try_emplace({&callee, array}, -1);
  if (isNew) {
    const Program::Array &of = callee.graph.program.arrays[size_t(array)];
    out_.program.constants.push_back(callee.graph.program.constants[size_t(of.number)]);
    Program::Array made{
        Storage::Constant, of.dtype, int32_t(out_.program.constants.size()) - 1, {}};
    for (int32_t size : of.shape)
      made.shape.push_back(sizes[size_t(size)]);
    at->second = int32_t(out_.program.arrays.size());
    out_.program.arrays.push_back(std::move(made));
  }
  return at->second;
}

void ProgramBuilder::addCall(int32_t number) {
  const Step &from = e_.steps[size_t(number)];
  const Program &callee = from.callee->graph.program;
  Callee::Call call{out_.program.steps.size(), from.callee, from.sizes, {}};
  call.bound.reserve(from.inputs.size() + from.outputs.size());
  for (size_t k = 0; k < from.inputs.size(); ++k)
    call.bound.emplace_back(callee.inputs[size_t(from.callee->reads[k])].array,
                            arrayOf(from.inputs[k]));
  for (size_t k = 0; k < from.outputs.size(); ++k) {
    int32_t result = callee.outputs[k].array, root = rootOf(callee, result);
    const Program::Array &memory = callee.arrays[size_t(root)];
    auto shapeOf = [&](int32_t array) {
      Numbers shape;
      for (int32_t size : callee.arrays[size_t(array)].shape)
        shape.push_back(from.sizes[size_t(size)]);
      return shape;
    };
    auto isRoot = [&](const auto &pair) { return pair.first == root; };
    auto at = std::ranges::find_if(call.bound, isRoot);
    int32_t own = at == call.bound.end() ? -1 : at->second;
    if (own < 0 && memory.storage == Storage::Constant) {
      own = constantOf(*from.callee, root, from.sizes);
    } else if (own < 0) {
      own = int32_t(out_.program.arrays.size());
      out_.program.arrays.push_back({Storage::Arena, memory.dtype, -1, shapeOf(root)});
      call.bound.emplace_back(root, own);
    }
    arrays_[size_t(from.outputs[k])] =
        viewOf(own, callee.arrays[size_t(result)].dtype, shapeOf(result));
  }
  numSteps_ += from.callee->numSteps;
  hasEffects_ |= from.callee->hasEffects;
  if (isCallee_)
    calls_.push_back(std::move(call));
  else
    expand(call);
}

namespace {

/// A callee whose steps are being put into the program.
struct Site {
  const Callee *callee;
  Numbers sizes;              // of the program, by the callee's
  Numbers arrays;             // likewise; -1: none yet
  std::vector<int32_t> nodes; // likewise
  size_t nextStep = 0, nextCall = 0;

  Site(const Callee &of, Numbers sizesOf) : callee(&of), sizes(std::move(sizesOf)) {
    arrays.assign(of.graph.program.arrays.size(), -1);
    nodes.assign(of.graph.program.nodes.size(), -1);
  }
};

} // namespace

/// The callee's steps, with those of the calls in it. Nests may be deep: nothing recurses.
void ProgramBuilder::expand(const Callee::Call &outermost) {
  Program &program = out_.program;
  std::vector<Site> sites;
  auto enter = [&](const Callee::Call &call, absl::Span<const int32_t> bound, Numbers sizes) {
    Site &site = sites.emplace_back(*call.callee, std::move(sizes));
    for (size_t k = 0; k < call.bound.size(); ++k)
      site.arrays[size_t(call.bound[k].first)] = bound[k];
  };
  Numbers bound;
  for (const auto &[inner, own] : outermost.bound)
    bound.push_back(own);
  enter(outermost, bound, outermost.sizes);
  while (!sites.empty()) {
    Site &site = sites.back();
    const Program &from = site.callee->graph.program;
    auto shapeOf = [&](const Numbers &shape) {
      Numbers own;
      for (int32_t size : shape)
        own.push_back(site.sizes[size_t(size)]);
      return own;
    };
    auto arrayIn = [&](int32_t array) {
      int32_t &own = site.arrays[size_t(array)];
      if (own >= 0)
        return own;
      int32_t root = rootOf(from, array);
      int32_t &memory = site.arrays[size_t(root)];
      if (memory < 0) {
        const Program::Array &of = from.arrays[size_t(root)];
        if (of.storage == Storage::Constant) {
          memory = constantOf(*site.callee, root, site.sizes);
        } else {
          memory = int32_t(program.arrays.size());
          program.arrays.push_back({Storage::Arena, of.dtype, -1, shapeOf(of.shape)});
        }
      }
      const Program::Array &of = from.arrays[size_t(array)];
      return own = viewOf(memory, of.dtype, shapeOf(of.shape));
    };
    const std::vector<Callee::Call> &calls = site.callee->calls;
    if (site.nextCall < calls.size() && calls[site.nextCall].before == site.nextStep) {
      const Callee::Call &call = calls[site.nextCall++];
      bound.clear();
      for (const auto &[inner, array] : call.bound)
        bound.push_back(arrayIn(array));
      enter(call, bound, shapeOf(call.sizes)); // `site` is no more
      continue;
    }
    if (site.nextStep == from.steps.size()) {
      sites.pop_back();
      continue;
    }
    const Program::Step &of = from.steps[site.nextStep];
    Program::Step step;
    step.kind = of.kind;
    step.callee = of.callee;
    step.numInputs = of.numInputs;
    for (int32_t array : of.arrays)
      step.arrays.push_back(arrayIn(array));
    step.sizes = shapeOf(of.sizes);
    for (const Program::Step::Work &work : of.work)
      step.work.push_back({site.sizes[size_t(work.count)], work.nanoseconds});
    if (of.splitSize >= 0)
      step.splitSize = site.sizes[size_t(of.splitSize)];
    for (int32_t number : of.failures) {
      Program::Failure failure = from.failures[size_t(number)];
      if (failure.node >= 0) {
        int32_t &node = site.nodes[size_t(failure.node)];
        if (node < 0) {
          node = int32_t(program.nodes.size());
          program.nodes.push_back(nodeOfCall(*site.callee, failure.node, site.sizes));
        }
        failure.node = node;
      }
      if (failure.extent >= 0)
        failure.extent = site.sizes[size_t(failure.extent)];
      step.failures.push_back(int32_t(program.failures.size()));
      program.failures.push_back(std::move(failure));
    }
    if (of.kind == Program::Step::Kind::Host) {
      step.callee = int32_t(program.hosts.size());
      program.hosts.push_back(from.hosts[size_t(of.callee)]);
    } else if (of.kind == Program::Step::Kind::Control) {
      Program::Control control = from.controls[size_t(of.callee)];
      for (Program &body : control.bodies)
        body = bodyWith({site.callee->graph.kernels, std::move(body)});
      for (const Program::Step::Scratch &scratch : of.scratch)
        step.scratch.push_back({scratch.dtype, shapeOf(scratch.shape)});
      step.callee = int32_t(program.controls.size());
      program.controls.push_back(std::move(control));
    } else if (of.kind == Program::Step::Kind::Kernel) {
      auto [at, isNew] = calleeKernels_.try_emplace({site.callee, of.callee}, -1);
      if (isNew)
        at->second = kernelNumber(site.callee->graph.kernels[size_t(of.callee)]);
      step.callee = at->second;
    }
    if (site.nextStep < from.facts.size()) {
      program.facts.resize(program.steps.size());
      program.facts.push_back(from.facts[site.nextStep]);
    }
    program.steps.push_back(std::move(step));
    ++site.nextStep;
  }
}

/// In the order in which steps use them: results of calls were numbered before what the calls use,
/// whose memory they may take over.
void ProgramBuilder::orderArrays() {
  Program &program = out_.program;
  std::vector<int32_t> numbers(program.arrays.size(), -1);
  std::vector<Program::Array> ordered;
  ordered.reserve(program.arrays.size());
  std::vector<Numbers> parts(program.arrays.size());
  for (int32_t a = int32_t(program.arrays.size()); a-- > 0;)
    if (program.arrays[size_t(a)].isPart())
      parts[size_t(program.arrays[size_t(a)].number)].push_back(a);
  auto add = [&](int32_t array) {
    numbers[size_t(array)] = int32_t(ordered.size());
    ordered.push_back(program.arrays[size_t(array)]);
  };
  auto numberOf = [&](int32_t array) {
    std::vector<int32_t> pending; // the root, and its parts in their order
    if (int32_t root = rootOf(program, array); numbers[size_t(root)] < 0)
      pending.push_back(root);
    while (!pending.empty()) {
      int32_t next = pending.back();
      pending.pop_back();
      add(next);
      pending.insert(pending.end(), parts[size_t(next)].begin(), parts[size_t(next)].end());
    }
    if (numbers[size_t(array)] < 0)
      add(array);
    return numbers[size_t(array)];
  };
  for (Program::Input &input : program.inputs)
    input.array = numberOf(input.array);
  for (Program::Step &step : program.steps)
    for (int32_t &array : step.arrays)
      array = numberOf(array);
  for (Program::Output &output : program.outputs)
    output.array = numberOf(output.array);
  for (SizeNode &n : program.sizes)
    if (n.op == SizeOp::Element)
      n.a = numberOf(n.a);
  for (Program::Array &array : ordered)
    if (array.storage == Storage::Same)
      array.number = numbers[size_t(array.number)];
  program.arrays = std::move(ordered);
}

absl::StatusOr<std::shared_ptr<const Callee>> ProgramBuilder::buildCallee(const std::string &name) {
  isCallee_ = true;
  name_ = name;
  addInputs();
  addGroups();
  auto callee = std::make_shared<Callee>();
  for (int32_t output : f_.record_.outputs) {
    out_.program.outputs.push_back({"", arrayOf(output)});
    callee->elements.push_back(e_.arrays[size_t(output)].elements);
  }
  addChecks();
  addSizes();
  for (const SizeNode &n : out_.program.sizes)
    if (n.op == SizeOp::Element &&
        out_.program.arrays[size_t(rootOf(out_.program, n.a))].storage != Storage::Input)
      return std::shared_ptr<const Callee>();
  std::vector<bool> isRead(out_.program.arrays.size());
  auto read = [&](int32_t array) { isRead[size_t(rootOf(out_.program, array))] = true; };
  for (const Program::Step &step : out_.program.steps)
    for (int32_t array : step.arrays)
      read(array);
  for (const Callee::Call &call : calls_)
    for (const auto &[inner, array] : call.bound)
      read(array);
  for (const Program::Output &output : out_.program.outputs)
    read(output.array);
  for (size_t k = 0; k < out_.program.inputs.size(); ++k)
    if (isRead[size_t(out_.program.inputs[k].array)])
      callee->reads.push_back(int32_t(k));
  callee->numSteps = numSteps_ + int64_t(out_.program.steps.size());
  callee->hasEffects = hasEffects_ || !out_.program.hosts.empty() || !out_.program.failures.empty();
  callee->graph = std::move(out_);
  callee->calls = std::move(calls_);
  return callee;
}

} // namespace graphc
