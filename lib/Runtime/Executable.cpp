//===- Executable.cpp - running a Program ---------------------------------===//
#include "Runtime/Executable.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "Runtime/ExecutableState.h"
#include "Runtime/ThreadPool.h"
#include "Support/Text.h"
#include "graphc/Type.h"

namespace graphc {
namespace {

/// Shapes that one function is called with; beyond that many the cache starts anew.
constexpr size_t kMaxPlans = 256;
/// Frames kept for a plan: threads that were in it at once.
constexpr size_t kMaxFrames = 64;

} // namespace

absl::Status readElements(const Program &program, const ProgramLayout &layout, int32_t segment,
                          absl::Span<void *const> inputs, absl::Span<void *const> arrays,
                          std::vector<SizeValue> &sizes) {
  const ProgramLayout::Segment &s = layout.segments[segment];
  if (s.readSizes.empty())
    return absl::OkStatus();
  sizes.resize(program.sizes.size(), 0);
  auto known = [&](int32_t id) { return std::optional(sizes[id]); };
  for (int32_t id : s.readSizes) {
    const SizeNode &n = program.sizes[id];
    if (n.op == SizeOp::Dim)
      continue; // there already
    if (std::optional<SizeValue> value = sizeValue(n, known)) {
      sizes[id] = *value;
      continue;
    }
    const Program::Array &array = program.arrays[n.a];
    int32_t root = layout.root[n.a];
    const void *data = nullptr;
    switch (program.arrays[root].storage) {
    case Program::Array::Storage::Input:
      data = inputs[program.arrays[root].number];
      break;
    case Program::Array::Storage::Constant:
      data = program.constants[program.arrays[root].number].data();
      break;
    default:
      data = arrays[root];
    }
    int64_t count = 1;
    for (int32_t extent : array.shape) {
      // The extents of an array are known when its elements are, but not all are in `sizes`.
      const SizeNode &e = program.sizes[extent];
      count *= e.op == SizeOp::Constant ? e.value : int64_t(sizes[extent]);
    }
    if (sizes[n.b] < 0 || sizes[n.b] >= count || !data)
      return makeError(ErrorKind::IndexError, "a size is element " + sizeText(sizes[n.b]) +
                                                  " of an array of " +
                                                  counted(size_t(count), "element"));
    sizes[id] = readInteger(array.dtype, data, int64_t(sizes[n.b]));
  }
  return absl::OkStatus();
}

bool canFail(const Program &program) {
  for (const Program::Step &step : program.steps) // of the host and of bodies have one
    if (!step.failures.empty())
      return true;
  absl::StatusOr<ProgramLayout> layout = ProgramLayout::create(program);
  if (!layout.ok() || !layout->isStatic)
    return true;
  std::vector<SizeValue> sizes(program.sizes.size(), 0);
  return !readElements(program, *layout, 0, {}, {}, sizes).ok() ||
         !Plan::create(program, *layout, 0, std::move(sizes)).ok();
}

//===--- making -------------------------------------------------------------===//

Executable::Executable(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executable::~Executable() = default;
const Program &Executable::program() const { return state_->program; }
const std::optional<DirectCall> &Executable::directCall() const { return state_->direct; }
const RunCounters &Executable::counters() const { return state_->counters; }

/// The bodies name the kernels of the whole program.
static absl::StatusOr<std::shared_ptr<const Executable::Joined>>
join(Program program, std::shared_ptr<const LoadedCode> code, std::shared_ptr<KeptOperands> kept) {
  auto joined = std::make_shared<Executable::Joined>();
  joined->kept = std::move(kept);
  joined->program = std::move(program);
  absl::StatusOr<ProgramLayout> layout = ProgramLayout::create(joined->program);
  if (!layout.ok())
    return layout.status();
  joined->layout = *std::move(layout);
  for (size_t k = 0; k < joined->program.outputs.size(); ++k)
    joined->reshapes |= joined->program.arrays[joined->program.outputs[k].array].shape !=
                        joined->program.arrays[joined->layout.outputRoot[k]].shape;
  size_t numKernels = joined->program.kernels.size();
  if (numKernels > 0 && (!code || code->size() != numKernels))
    return makeError(ErrorKind::Internal, "the code has not as many kernels as the program");
  for (size_t k = 0; k < numKernels; ++k)
    joined->functions.push_back(code->function(k));
  joined->code = std::move(code);
  for (const Program::Control &control : joined->program.controls) {
    std::vector<std::shared_ptr<const Executable::Joined>> &bodies = joined->bodies.emplace_back();
    for (Program body : control.bodies) {
      body.kernels = joined->program.kernels;
      absl::StatusOr<std::shared_ptr<const Executable::Joined>> made =
          join(std::move(body), joined->code, joined->kept);
      if (!made.ok())
        return made.status();
      bodies.push_back(*std::move(made));
    }
  }
  return joined;
}

Executable::State::State(std::shared_ptr<const Joined> both, RunCounters *counts)
    : joined(std::move(both)), counters(counts ? *counts : ownCounters) {
  for (const auto &list : joined->bodies) {
    std::vector<std::unique_ptr<State>> &own = bodies.emplace_back();
    for (const std::shared_ptr<const Joined> &body : list)
      own.push_back(std::make_unique<State>(body, &counters));
  }
  if (!counts)
    findDirectCall();
}

absl::StatusOr<std::shared_ptr<const Executable>>
Executable::create(Program program, std::shared_ptr<const LoadedCode> code,
                   const Executable *general) {
  absl::StatusOr<std::shared_ptr<const Joined>> joined =
      join(std::move(program), std::move(code),
           general ? general->state_->joined->kept : std::make_shared<KeptOperands>());
  if (!joined.ok())
    return joined.status();
  return std::shared_ptr<const Executable>(
      new Executable(std::make_unique<State>(*std::move(joined))));
}

std::shared_ptr<const Executable> Executable::clone() const {
  return std::shared_ptr<const Executable>(new Executable(std::make_unique<State>(state_->joined)));
}

void Executable::State::free() const {
  {
    std::lock_guard lock(mutex);
    if (last)
      last->frames.clear();
    for (auto &[key, cached] : plans)
      cached->frames.clear();
  }
  for (const auto &list : bodies)
    for (const std::unique_ptr<State> &body : list)
      body->free();
}

void Executable::free() const { state_->free(); }

void Executable::countDirectCall() const {
  state_->counters.calls.fetch_add(1, std::memory_order_relaxed);
  state_->counters.kernels.fetch_add(1, std::memory_order_relaxed);
}

std::optional<DirectCall> Executable::State::directCallOf(const Plan &plan) const {
  if (program.steps.size() != 1 || program.steps[0].kind != Program::Step::Kind::Kernel ||
      layout.segments.size() != 1)
    return std::nullopt;
  DirectCall call;
  call.function = functions[program.steps[0].callee];
  call.inputs.assign(program.inputs.size(), -1);
  call.outputs.assign(program.outputs.size(), -1);
  call.sizes = plan.arguments.data();
  call.canFail = !program.steps[0].failures.empty();
  bool possible = plan.arenaBytes == 0 && plan.scratchBytes == 0;
  for (size_t k = 0; k < plan.pointers.size(); ++k) {
    const Plan::Pointer &p = plan.pointers[k];
    using Kind = Plan::Pointer::Kind;
    call.buffers.push_back(p.kind == Kind::Constant
                               ? const_cast<void *>(program.constants[size_t(p.value)].data())
                           : p.kind == Kind::Kept ? reinterpret_cast<void *>(p.value)
                                                  : nullptr);
    if (p.kind != Kind::Input && p.kind != Kind::Output)
      continue;
    int32_t &position = (p.kind == Kind::Input ? call.inputs : call.outputs)[size_t(p.value)];
    possible &= position < 0;
    position = int32_t(k);
  }
  for (int32_t position : call.outputs)
    possible &= position >= 0;
  return possible ? std::optional(std::move(call)) : std::nullopt;
}

void Executable::State::findDirectCall() {
  if (!layout.isStatic)
    return;
  std::vector<SizeValue> read;
  if (!readElements(program, layout, 0, {}, {}, read).ok())
    return;
  absl::StatusOr<Lease> leased = lease(0, {}, [&](std::vector<SizeValue> &sizes) {
    if (!read.empty())
      sizes = read;
  });
  if (!leased.ok()) // every call says why
    return;
  direct = leased->cached->direct;
  giveBack(*std::move(leased));
}

//===--- sizes and plans ------------------------------------------------------===//

absl::Status Executable::State::checkInputs(absl::Span<const Tensor> inputs) const {
  if (inputs.size() != program.inputs.size())
    return makeError(ErrorKind::TypeError, "expected " + counted(program.inputs.size(), "input") +
                                               ", got " + std::to_string(inputs.size()));
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Program::Input &expected = program.inputs[k];
    const Tensor &given = inputs[k];
    bool type = given.defined() && given.dtype() == expected.dtype &&
                given.rank() == int(expected.shape.size());
    bool shape = type;
    for (size_t axis = 0; axis < expected.shape.size() && type; ++axis)
      shape &= expected.shape[axis] < 0 || expected.shape[axis] == given.shape()[axis];
    if (type && shape)
      continue;
    std::string name = expected.name.empty() ? std::to_string(k) : "`" + expected.name + "`";
    std::string got = "nothing";
    if (given.defined())
      got = Type(given.dtype(), given.shape()).brief();
    return makeError(type ? ErrorKind::ShapeError : ErrorKind::TypeError,
                     "input " + name + ": expected " +
                         Type(expected.dtype, expected.shape).brief() + ", got " + got);
  }
  return absl::OkStatus();
}

/// The plan for `key` and a frame of it. Where it must be made, `fill` gives the values of Dims,
/// Elements and what earlier segments know.
absl::StatusOr<Lease> Executable::State::lease(int32_t segment, absl::Span<const int64_t> key,
                                               FillSizes fill) const {
  Lease result;
  {
    std::lock_guard lock(mutex);
    if (layout.isStatic || (last && key == absl::MakeConstSpan(last->key)))
      result.cached = last;
    else if (auto it = plans.find(key); it != plans.end())
      result.cached = last = it->second;
    if (result.cached && !result.cached->frames.empty()) {
      result.frame = std::move(result.cached->frames.back());
      result.cached->frames.pop_back();
      return result;
    }
  }
  if (!result.cached) {
    counters.plans.fetch_add(1, std::memory_order_relaxed);
    std::vector<SizeValue> sizes(program.sizes.size(), 0);
    fill(sizes);
    absl::StatusOr<std::shared_ptr<Plan>> plan =
        Plan::create(program, layout, segment, std::move(sizes), joined->kept.get());
    if (!plan.ok())
      return plan.status();
    result.cached = std::make_shared<CachedPlan>();
    result.cached->plan = *std::move(plan);
    result.cached->key.assign(key.begin(), key.end());
    result.cached->direct = directCallOf(*result.cached->plan);
    std::lock_guard lock(mutex);
    if (layout.isStatic) {
      if (last)
        result.cached = last;
      last = result.cached;
    } else {
      if (plans.size() >= kMaxPlans)
        plans.clear();
      auto [it, isNew] = plans.try_emplace(Key(key.begin(), key.end()), result.cached);
      result.cached = last = it->second;
    }
  }
  counters.arenas.fetch_add(1, std::memory_order_relaxed);
  absl::StatusOr<std::unique_ptr<Frame>> frame = Frame::create(program, result.plan());
  if (!frame.ok())
    return frame.status();
  result.frame = *std::move(frame);
  std::lock_guard lock(mutex);
  std::vector<std::unique_ptr<Frame>> &frames = result.cached->frames;
  frames.reserve(std::min(frames.capacity() + 1, kMaxFrames)); // so that it can be given back
  return result;
}

void Executable::State::giveBack(Lease lease) const noexcept {
  std::lock_guard lock(mutex);
  std::vector<std::unique_ptr<Frame>> &frames = lease.cached->frames;
  if (frames.size() < std::min(frames.capacity(), kMaxFrames)) // `lease` made room
    frames.push_back(std::move(lease.frame));
}

//===--- running --------------------------------------------------------------===//

/// What the output is a copy of, if it may be that instead; else an undefined Tensor.
Tensor Executable::State::lent(int32_t output, DType dtype, absl::Span<const int64_t> shape,
                               absl::Span<const Tensor> inputs, absl::Span<const Tensor> outputs,
                               const Lending &lending) const {
  int32_t source = layout.outputSource[output];
  if (source < 0 || !lending.outputs[output])
    return {};
  const Program::Array &from = program.arrays[layout.root[source]];
  const Tensor *lender = nullptr;
  if (from.storage == Program::Array::Storage::Constant)
    lender = &program.constants[from.number];
  else if (from.storage == Program::Array::Storage::Output && lending.outputs[from.number])
    lender = &outputs[from.number];
  else if (from.storage == Program::Array::Storage::Input && lending.inputs[from.number])
    lender = &inputs[from.number];
  if (!lender || !lender->isContiguous() || lender->dtype() != dtype)
    return {};
  for (const Tensor &input : inputs) // F-163: of arguments that overlap, each result has its own
    if (&input != lender && input.overlaps(*lender))
      return {};
  if (lender->shape() == shape)
    return *lender;
  absl::StatusOr<Tensor> view = lender->reshape(shape);
  return view.ok() ? *std::move(view) : Tensor();
}

/// "result `y`: no memory for 800 bytes of f64[100]; ..."
static absl::Status noResult(const absl::Status &error, const std::string &name, size_t number) {
  absl::Status named = prefixError(error, name.empty() ? "result " + std::to_string(number)
                                                       : "result `" + name + "`");
  if (errorKind(error) != ErrorKind::OutOfMemory)
    return named;
  return makeError(ErrorKind::OutOfMemory, std::string(named.message()) + kMemoryRemedy);
}

/// A row-major copy of an argument, counted.
absl::StatusOr<Tensor> Executable::State::copyInput(const Tensor &input, size_t number) const {
  Tensor copy = input.contiguous();
  if (!copy.defined()) {
    const std::string &name = program.inputs[number].name;
    return makeError(
        ErrorKind::OutOfMemory,
        "input " + (name.empty() ? std::to_string(number) : "`" + name + "`") + ": no memory for " +
            std::to_string(input.numBytes()) + " bytes of a row-major copy of " +
            Type(input.dtype(), input.shape()).brief() + "; row-major ones are not copied");
  }
  counters.bytesCopied.fetch_add(copy.numBytes(), std::memory_order_relaxed);
  return copy;
}

absl::Status Executable::State::allocateOutputs(int32_t segment, const Plan &plan,
                                                absl::Span<const Tensor> inputs,
                                                absl::Span<Tensor> outputs,
                                                absl::Span<void *> memory,
                                                const Lending *lending) const {
  for (int32_t k : layout.segments[segment].outputs) {
    const Program::Array &root = program.arrays[layout.outputRoot[k]];
    Plan::Shape shape = plan.shapeOf(root);
    const Program::Array &array = program.arrays[program.outputs[k].array];
    // As the caller sees it: pairs as complex numbers.
    bool isComplex = program.outputs[k].isComplex && array.shape == root.shape;
    DType dtype = isComplex ? complexDType(array.dtype) : array.dtype;
    absl::Span<const int64_t> seen = absl::MakeConstSpan(shape).first(shape.size() - isComplex);
    if (const Tensor &given = outputs[k]; given.defined() && given.dtype() == dtype &&
                                          given.isContiguous() && array.shape == root.shape &&
                                          given.shape() == seen) {
      memory[k] = outputs[k].data();
      continue;
    }
    if (lending && !outputs[k].defined())
      if (Tensor same = lent(k, dtype, seen, inputs, outputs, *lending); same.defined()) {
        outputs[k] = std::move(same);
        memory[k] = const_cast<void *>(std::as_const(outputs[k]).data()); // it is only copied
        continue;
      }
    absl::StatusOr<Tensor> tensor = Tensor::allocate(dtype, seen);
    if (!tensor.ok())
      return noResult(tensor.status(), program.outputs[k].name, size_t(k));
    outputs[k] = *std::move(tensor);
    memory[k] = outputs[k].data();
  }
  return absl::OkStatus();
}

int32_t Executable::State::runKernel(const Program::Step &step, const Plan::StepPlan &stepPlan,
                                     const Lease &lease, int threads) const {
  KernelFunction function = functions[step.callee];
  void **pointers = lease.frame->pointersOf(stepPlan);
  const int64_t *arguments = lease.plan().arguments.data() + stepPlan.firstArgument;
  if (threads <= 1 || !stepPlan.parallel || !lease.frame->prepareThreads(threads))
    return function(pointers, arguments);
  std::atomic<int32_t> failed{0};
  int64_t extent = arguments[stepPlan.numArguments - 1], grain = stepPlan.grain;
  if (stepPlan.copies)
    grain = std::max(grain, (extent - 1) / threads + 1);
  ThreadPool::shared().parallelFor(
      0, extent, grain, threads, [&](int64_t begin, int64_t end, int slot) {
        SmallPointers ownPointers(pointers, pointers + stepPlan.numPointers);
        if (slot > 0)
          lease.frame->pointersFor(stepPlan, slot, ownPointers.data());
        absl::InlinedVector<int64_t, 16> own(arguments, arguments + stepPlan.numArguments);
        own[own.size() - 2] = begin;
        own[own.size() - 1] = end;
        // Of several failing checks the first counts, so that messages do not depend on timing.
        if (int32_t result = function(ownPointers.data(), own.data())) {
          int32_t before = failed.load();
          while ((before == 0 || result < before) && !failed.compare_exchange_weak(before, result))
            ;
        }
      });
  return failed.load();
}

absl::Status Executable::State::runHost(const Program::Step &step, void **pointers,
                                        const Plan &plan, int threads) const {
  std::vector<Tensor> tensors;
  for (size_t k = 0; k < step.arrays.size(); ++k) {
    const Program::Array &array = program.arrays[step.arrays[k]];
    absl::StatusOr<Tensor> tensor = Tensor::borrow(array.dtype, pointers[k], plan.shapeOf(array));
    if (!tensor.ok())
      return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  const Program::Failure &failure = program.failures[step.failures[0]];
  absl::Span<Tensor> all = absl::MakeSpan(tensors);
  std::vector<Tensor> results(tensors.begin() + step.numInputs, tensors.end());
  absl::Status status =
      program.hosts[step.callee].run(all.first(step.numInputs), absl::MakeSpan(results), threads);
  if (!status.ok()) {
    ErrorKind kind = errorKind(status);
    if (kind == ErrorKind::Internal)
      kind = failure.kind;
    return failureError(program, {kind, std::string(status.message()), failure.node}, plan.sizes);
  }
  for (size_t k = 0; k < results.size(); ++k) {
    const Tensor &expected = tensors[size_t(step.numInputs) + k];
    const Tensor &given = results[k];
    if (given.defined() && given.data() == expected.data())
      continue;
    // The callback made a tensor of its own instead of filling the one that it was given.
    if (!given.defined() || given.dtype() != expected.dtype() || given.shape() != expected.shape())
      return failureError(
          program,
          {failure.kind,
           "the callback's result " + std::to_string(k) + " has another type than declared",
           failure.node},
          plan.sizes);
    Tensor rowMajor = given.contiguous();
    if (!rowMajor.defined())
      return failureError(
          program,
          {ErrorKind::OutOfMemory,
           "no memory for a row-major copy of the callback's result " + std::to_string(k),
           failure.node},
          plan.sizes);
    std::memcpy(pointers[step.numInputs + int64_t(k)], rowMajor.data(),
                size_t(rowMajor.numBytes()));
  }
  return absl::OkStatus();
}

/// Kernels run are counted by the caller.
absl::Status Executable::State::runStep(const Program::Step &step, const Plan::StepPlan &stepPlan,
                                        const Lease &lease, int threads,
                                        RunProfile *profile) const {
  const Plan &plan = lease.plan();
  void **pointers = lease.frame->pointersOf(stepPlan);
  switch (step.kind) {
  case Program::Step::Kind::Kernel:
    if (int32_t failed = runKernel(step, stepPlan, lease, threads))
      return kernelError(program, step, failed, pointers, plan.sizes);
    break;
  case Program::Step::Kind::Host:
    return runHost(step, pointers, plan, threads);
  case Program::Step::Kind::Control:
    return runControl(step, pointers, plan, threads, profile);
  case Program::Step::Kind::Copy: {
    int64_t bytes = byteSize(program.arrays[step.arrays[0]].dtype);
    for (int32_t size : program.arrays[step.arrays[0]].shape)
      bytes *= int64_t(plan.sizes[size]);
    if (bytes == 0 || pointers[1] == pointers[0])
      break;
    std::memcpy(pointers[1], pointers[0], size_t(bytes));
    counters.bytesCopied.fetch_add(bytes, std::memory_order_relaxed);
    break;
  }
  }
  return absl::OkStatus();
}

const PlanCost &Executable::State::addMemory(int32_t segment, const Lease &lease,
                                             RunProfile &profile) const {
  CachedPlan &cached = *lease.cached;
  bool isCosted;
  {
    std::lock_guard lock(mutex);
    isCosted = cached.cost.has_value();
  }
  if (!isCosted) {
    PlanCost cost = costOf(program, layout, segment, *cached.plan);
    std::lock_guard lock(mutex);
    if (!cached.cost)
      cached.cost = std::move(cost);
  }
  MemoryUse &all = profile.memory;
  const MemoryUse &own = cached.cost->memory;
  // Segments keep their memory to the end of the call.
  all.intermediateBytes += own.intermediateBytes;
  all.arenaBytes += own.arenaBytes;
  all.scratchBytes += own.scratchBytes;
  all.resultBytes += own.resultBytes;
  return *cached.cost;
}

absl::Status Executable::State::runSegment(int32_t segment, const Lease &lease, int threads,
                                           RunProfile *profile) const {
  const ProgramLayout::Segment &s = layout.segments[segment];
  const Plan &plan = lease.plan();
  const PlanCost *cost = profile ? &addMemory(segment, lease, *profile) : nullptr;
  int64_t kernels = 0;
  for (int32_t number = s.firstStep; number < s.endStep; ++number) {
    const Program::Step &step = program.steps[number];
    auto index = size_t(number - s.firstStep);
    const Plan::StepPlan &stepPlan = plan.steps[index];
    kernels += step.kind == Program::Step::Kind::Kernel;
    RunProfile::Clock::time_point start;
    if (profile)
      start = RunProfile::Clock::now();
    if (absl::Status status = runStep(step, stepPlan, lease, threads, profile); !status.ok())
      return status;
    if (profile)
      profile->steps.push_back({number, start, RunProfile::Clock::now(), cost->steps[index]});
  }
  counters.kernels.fetch_add(kernels, std::memory_order_relaxed);
  return absl::OkStatus();
}

/// One kernel whose sizes are known: no plan to look for, no frame to borrow.
absl::Status Executable::State::runDirect(const DirectCall &call, const Plan &plan,
                                          absl::Span<const Tensor> inputs,
                                          absl::Span<Tensor> outputs) const {
  SmallPointers buffers(call.buffers.begin(), call.buffers.end());
  absl::InlinedVector<Tensor, 4> copies;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (call.inputs[k] < 0)
      continue;
    const Tensor *input = &inputs[k];
    if (!input->isContiguous()) {
      absl::StatusOr<Tensor> copy = copyInput(*input, k);
      if (!copy.ok())
        return copy.status();
      input = &copies.emplace_back(*std::move(copy));
    }
    buffers[call.inputs[k]] = const_cast<void *>(input->data());
  }
  SmallPointers outputMemory(outputs.size());
  if (absl::Status status =
          allocateOutputs(0, plan, inputs, outputs, absl::MakeSpan(outputMemory), nullptr);
      !status.ok())
    return status;
  for (size_t k = 0; k < outputs.size(); ++k)
    buffers[call.outputs[k]] = outputMemory[k];
  counters.kernels.fetch_add(1, std::memory_order_relaxed);
  if (int32_t failed = call.function(buffers.data(), call.sizes))
    return kernelError(program, program.steps[0], failed, buffers.data(), plan.sizes);
  return reshapeOutputs(plan, outputs);
}

/// Outputs that are views of what was computed.
absl::Status Executable::State::reshapeOutputs(const Plan &plan, absl::Span<Tensor> outputs) const {
  if (!joined->reshapes)
    return absl::OkStatus();
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Program::Array &array = program.arrays[program.outputs[k].array];
    if (array.shape == program.arrays[layout.outputRoot[k]].shape)
      continue;
    absl::StatusOr<Tensor> reshaped = outputs[k].reshape(plan.shapeOf(array));
    if (!reshaped.ok())
      return reshaped.status();
    if (program.outputs[k].isComplex)
      reshaped = reshaped->complexView();
    if (!reshaped.ok())
      return reshaped.status();
    outputs[k] = *std::move(reshaped);
  }
  return absl::OkStatus();
}

void Executable::State::noteArrays(const Lease &lease, absl::Span<void *const> outputs,
                                   SmallPointers &arrays) const {
  if (layout.segments.size() == 1)
    return;
  arrays.resize(program.arrays.size(), nullptr);
  for (size_t a = 0; a < program.arrays.size(); ++a) {
    if (lease.plan().offsets[a] >= 0)
      arrays[a] = lease.frame->arena() + lease.plan().offsets[a];
    else if (program.arrays[a].storage == Program::Array::Storage::Output)
      arrays[a] = outputs[program.arrays[a].number];
  }
}

absl::Status Executable::State::runAll(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs,
                                       int threads, RunProfile *profile,
                                       const Lending *lending) const {
  if (absl::Status status = checkInputs(inputs); !status.ok())
    return status;
  if (direct && !profile && (threads <= 1 || !last->plan->steps[0].parallel))
    return runDirect(*direct, *last->plan, inputs, outputs);
  // The key of a plan: number of the segment, extents, and all that was read.
  PlanKey key;
  if (!layout.isStatic) {
    key.push_back(0);
    for (const Tensor &input : inputs)
      for (int64_t extent : input.shape())
        key.push_back(extent);
    std::shared_ptr<const CachedPlan> known;
    if (!profile) {
      std::lock_guard lock(mutex);
      if (last && last->direct && key == absl::MakeConstSpan(last->key))
        known = last;
    }
    if (known && (threads <= 1 || !known->plan->steps[0].parallel))
      return runDirect(*known->direct, *known->plan, inputs, outputs);
  }
  absl::InlinedVector<Tensor, 4> copies; // of strided inputs
  SmallPointers inputMemory, outputMemory(program.outputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].isContiguous()) {
      inputMemory.push_back(const_cast<void *>(inputs[k].data()));
      continue;
    }
    absl::StatusOr<Tensor> copy = copyInput(inputs[k], k);
    if (!copy.ok())
      return copy.status();
    copies.push_back(*std::move(copy));
    inputMemory.push_back(copies.back().data());
  }

  std::vector<SizeValue> sizes; // with what was read; empty where nothing is
  SmallPointers arrays;
  absl::InlinedVector<Lease, 1> leases;
  absl::Status status;
  auto fillDims = [&](std::vector<SizeValue> &values) {
    for (size_t id = 0; id < program.sizes.size(); ++id)
      if (const SizeNode &n = program.sizes[id]; n.op == SizeOp::Dim)
        values[id] = inputs[n.a].shape()[n.b];
  };
  for (int32_t k = 0; k < int32_t(layout.segments.size()); ++k) {
    const ProgramLayout::Segment &segment = layout.segments[k];
    if (k > 0) {
      key[0] = k;
      sizes = leases.back().plan().sizes;
    } else if (!segment.readSizes.empty()) {
      sizes.resize(program.sizes.size(), 0);
      fillDims(sizes);
    }
    if (status = readElements(program, layout, k, inputMemory, arrays, sizes); !status.ok())
      break;
    for (int32_t id : segment.readSizes)
      if (program.sizes[id].op == SizeOp::Element)
        key.push_back(int64_t(sizes[id]));
    absl::StatusOr<Lease> leased = lease(k, key, [&](std::vector<SizeValue> &values) {
      if (sizes.empty())
        fillDims(values);
      else
        values = sizes;
    });
    if (!leased.ok()) {
      status = leased.status();
      break;
    }
    leases.push_back(*std::move(leased));
    Lease &current = leases.back();
    if (status = allocateOutputs(k, current.plan(), inputs, outputs, absl::MakeSpan(outputMemory),
                                 lending);
        !status.ok())
      break;
    current.frame->setInputs(inputMemory);
    current.frame->setOutputs(outputMemory);
    current.frame->setEarlier(arrays);
    if (status = runSegment(k, current, threads, profile); !status.ok())
      break;
    noteArrays(current, outputMemory, arrays);
  }
  if (status.ok())
    status = reshapeOutputs(leases.back().plan(), outputs);
  for (Lease &lease : leases)
    giveBack(std::move(lease));
  return status;
}

absl::Status Executable::run(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs,
                             int threads, OutputMemory memory, RunProfile *profile,
                             const Lending *lending) const {
  const State &s = *state_;
  s.counters.calls.fetch_add(1, std::memory_order_relaxed);
  if (outputs.size() != s.program.outputs.size())
    return makeError(ErrorKind::Internal,
                     "a program of " + std::to_string(s.program.outputs.size()) +
                         " outputs was run for " + std::to_string(outputs.size()));
  if (memory == OutputMemory::Fresh)
    std::fill(outputs.begin(), outputs.end(), Tensor());
  absl::Status status = s.runAll(inputs, outputs, threads, profile, lending);
  if (!status.ok())
    for (Tensor &output : outputs)
      output = Tensor();
  return status;
}

} // namespace graphc
