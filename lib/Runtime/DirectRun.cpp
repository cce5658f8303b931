//===- DirectRun.cpp - calls that are one call of code ----------------------===//
//
// Where a few kernels are all of a program and its sizes are known, from the program or from an
// earlier call with the same extents, a run puts addresses into a table and calls the code: no plan
// to look for, no frame to borrow. Several kernels are one call as well, of `runKernels`, whose
// "sizes" name them; arrays between them are scratch memory of the thread.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <utility>

#include "Runtime/ArrayMemory.h"
#include "Runtime/ExecutableState.h"

namespace graphc {

/// More memory is borrowed with a frame.
static constexpr int64_t kMaxDirectScratch = 1 << 20;

/// `table`: how many kernels, and of each its code, its first buffer and its sizes.
static int32_t runKernels(void **buffers, const int64_t *table) {
  const int64_t *end = table + 1 + 3 * table[0];
  for (const int64_t *kernel = table + 1; kernel < end; kernel += 3)
    if (int32_t failed = reinterpret_cast<KernelFunction>(kernel[0])(
            buffers + kernel[1], reinterpret_cast<const int64_t *>(kernel[2])))
      return failed;
  return 0;
}

std::optional<DirectCall> directCallOf(const Executable::Joined &joined, const Plan &plan) {
  const Program &program = joined.program;
  DirectCall call;
  if (joined.layout.segments.size() != 1 || plan.pointers.size() > DirectCall::kMaxBuffers)
    return std::nullopt;
  call.isParallel = !plan.forks.empty();
  call.table.push_back(0);
  for (size_t k = 0; k < program.steps.size(); ++k) {
    const Plan::StepPlan &step = plan.steps[k];
    if (program.steps[k].kind != Program::Step::Kind::Kernel)
      return std::nullopt;
    if (step.isIdle)
      continue;
    call.code = joined.functions[size_t(program.steps[k].callee)];
    call.sizes = plan.arguments.data() + step.firstArgument;
    call.isParallel |= step.parallel;
    call.table.insert(call.table.end(), {reinterpret_cast<int64_t>(call.code), step.firstPointer,
                                         reinterpret_cast<int64_t>(call.sizes)});
    ++call.numKernels;
  }
  if (call.numKernels == 0)
    return std::nullopt;
  if (call.numKernels > 1) {
    call.table[0] = call.numKernels;
    call.code = runKernels;
    call.sizes = call.table.data();
  }
  constexpr int64_t kLast = int64_t(ArrayMemory::kAlignment) - 1;
  const int64_t arena = (plan.arenaBytes + kLast) & ~kLast;
  call.scratchBytes = arena + plan.scratchBytes;
  if (call.scratchBytes > kMaxDirectScratch)
    return std::nullopt;
  const auto numInputs = int64_t(program.inputs.size()),
             numArguments = numInputs + int64_t(program.outputs.size());
  std::vector<bool> isMade(program.outputs.size());
  for (const Plan::Pointer &p : plan.pointers) {
    switch (p.kind) {
    case Plan::Pointer::Kind::Arena:
      call.buffers.push_back({numArguments + call.kScratch, p.value + p.begin});
      break;
    case Plan::Pointer::Kind::Scratch:
      call.buffers.push_back({numArguments + call.kScratch, arena + p.value});
      break;
    case Plan::Pointer::Kind::Input:
      call.buffers.push_back({p.value, p.begin});
      break;
    case Plan::Pointer::Kind::Output:
      call.buffers.push_back({numInputs + p.value, p.begin});
      isMade[size_t(p.value)] = true;
      break;
    case Plan::Pointer::Kind::Constant:
      call.buffers.push_back(
          {numArguments + call.kAddress,
           reinterpret_cast<int64_t>(std::as_const(program.constants[size_t(p.value)]).data()) +
               p.begin});
      break;
    case Plan::Pointer::Kind::Kept:
      call.buffers.push_back({numArguments + call.kAddress, p.value});
      break;
    case Plan::Pointer::Kind::Earlier:
      return std::nullopt;
    }
  }
  return std::ranges::count(isMade, false) > 0 ? std::nullopt : std::optional(std::move(call));
}

void *detail::CodeCall::scratch() const {
  static thread_local ArrayMemory memory;
  return memory.size() >= scratchBytes || memory.allocate(scratchBytes) ? memory.data() : nullptr;
}

void Executable::countDirectCall() const {
  state_->counters.directCalls.fetch_add(1, std::memory_order_relaxed);
}

/// Makes a plan of a small program, and no frame. With several threads the steps of a fork may run
/// side by side: then the call is not a direct one.
void Executable::State::findDirectCall() {
  size_t buffers = 0;
  bool mayBe = layout.isStatic && layout.segments.size() == 1;
  for (const Program::Step &step : program.steps) {
    mayBe &= step.kind == Program::Step::Kind::Kernel;
    buffers += step.arrays.size();
  }
  std::vector<SizeValue> sizes;
  if (!mayBe || buffers > DirectCall::kMaxBuffers ||
      !readElements(program, layout, 0, {}, {}, sizes).ok())
    return;
  sizes.resize(program.sizes.size(), 0);
  auto planOf = [&](const StepOrder *order) {
    return Plan::create(program, layout, 0, sizes, joined->kept.get(), order);
  };
  absl::StatusOr<std::shared_ptr<Plan>> plan = planOf(nullptr);
  if (!plan.ok()) // every call says why
    return;
  std::shared_ptr<CachedPlan> made = plans.cachedOf(*std::move(plan), {});
  if (!made->direct)
    return;
  if (made->direct->numKernels > 1) {
    plan = planOf(&joined->order.get(program, layout));
    made->direct->isParallel |= !plan.ok() || !(*plan)->forks.empty();
  }
  only = std::move(made);
}

absl::StatusOr<bool> Executable::State::runDirect(const CachedPlan &cached,
                                                  absl::Span<const Tensor> inputs,
                                                  absl::Span<Tensor> outputs) const {
  SmallPointers memory;
  absl::InlinedVector<Tensor, 4> copies;
  int64_t bytesCopied = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Tensor *input = &inputs[k];
    if (!input->isContiguous()) {
      absl::StatusOr<Tensor> copy = copyInput(*input, k);
      if (!copy.ok())
        return copy.status();
      input = &copies.emplace_back(*std::move(copy));
      bytesCopied += input->numBytes();
    }
    memory.push_back(const_cast<void *>(input->data()));
  }
  const size_t numArguments = inputs.size() + outputs.size();
  memory.resize(numArguments + DirectCall::kMoreBases);
  if (absl::Status status =
          allocateOutputs(0, *cached.plan, inputs, outputs,
                          absl::MakeSpan(memory).subspan(inputs.size(), outputs.size()), nullptr);
      !status.ok())
    return status;
  if (!cached.direct->run(memory.data(), numArguments)) {
    counters.bytesCopied.fetch_sub(bytesCopied, std::memory_order_relaxed); // they are made again
    return false;
  }
  counters.kernels.fetch_add(cached.direct->numKernels, std::memory_order_relaxed);
  if (absl::Status status = reshapeOutputs(*cached.plan, outputs); !status.ok())
    return status;
  return true;
}

bool Executable::runAtOnce(absl::Span<void *const> memory, absl::Span<const int64_t> inputExtents,
                           absl::Span<const int64_t> outputExtents, int threads) const {
  const State &s = *state_;
  const Program &program = s.program;
  std::shared_ptr<const CachedPlan> known = s.only;
  if (!s.layout.isStatic) { // a plan is of inputs that were checked
    PlanKey key = {0};
    key.insert(key.end(), inputExtents.begin(), inputExtents.end());
    known = s.plans.directOf(key);
  }
  if (!s.isOneCall(known.get(), threads))
    return false;
  const int64_t *extent = inputExtents.data();
  for (const Program::Input &input : program.inputs)
    for (int64_t wanted : input.shape)
      if (int64_t given = *extent++; wanted >= 0 && given != wanted)
        return false;
  extent = outputExtents.data();
  for (const Program::Output &output : program.outputs) {
    absl::Span<const int32_t> shape = program.arrays[output.array].shape;
    shape.remove_suffix(output.isComplex); // the parts, which callers do not see
    for (int32_t wanted : shape)
      if (*extent++ != int64_t(known->plan->sizes[size_t(wanted)]))
        return false;
  }
  SmallPointers bases(memory.begin(), memory.end());
  bases.resize(memory.size() + DirectCall::kMoreBases);
  if (!known->direct->run(bases.data(), memory.size()))
    return false;
  s.counters.calls.fetch_add(1, std::memory_order_relaxed);
  s.counters.kernels.fetch_add(known->direct->numKernels, std::memory_order_relaxed);
  return true;
}

} // namespace graphc
