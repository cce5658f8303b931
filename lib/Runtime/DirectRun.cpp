//===- DirectRun.cpp - calls that are one call of code ----------------------===//
//
// Where one kernel is all of a program and its sizes are known, from the program or from an earlier
// call with the same extents, a run puts addresses into a table and calls the code: no plan to look
// for, no frame to borrow.
//
//===----------------------------------------------------------------------===//
#include "Runtime/ExecutableState.h"
#include "Runtime/RunError.h"

namespace graphc {

void Executable::countDirectCall() const {
  state_->counters.calls.fetch_add(1, std::memory_order_relaxed);
  state_->counters.kernels.fetch_add(1, std::memory_order_relaxed);
}

void Executable::State::findDirectCall() {
  if (!layout.isStatic || program.steps.size() != 1)
    return;
  std::vector<SizeValue> read;
  if (!readElements(program, layout, 0, {}, {}, read).ok())
    return;
  absl::StatusOr<Lease> leased = plans.lease(0, {}, 1, [&](std::vector<SizeValue> &sizes) {
    if (!read.empty())
      sizes = read;
  });
  if (!leased.ok()) // every call says why
    return;
  if (leased->cached->direct)
    only = leased->cached;
  plans.giveBack(*std::move(leased));
}

char *scratchOfThread(int64_t bytes) {
  static thread_local ArrayMemory memory;
  return memory.size() >= bytes || memory.allocate(bytes) ? memory.data() : nullptr;
}

bool putScratch(absl::Span<const std::pair<int32_t, int64_t>> places, int64_t bytes,
                void **buffers) {
  char *memory = bytes > 0 ? scratchOfThread(bytes) : nullptr;
  for (auto [position, offset] : places)
    buffers[position] = memory ? memory + offset : nullptr;
  return memory || bytes == 0;
}

/// Whether runDirect does a call for which `cached` is the plan, if any.
bool Executable::State::isOneCall(const CachedPlan *cached, int threads) const {
  return cached && (threads <= 1 || !cached->direct->isParallel) &&
         (!cached->direct->scratchBytes || scratchOfThread(cached->direct->scratchBytes));
}

absl::Status Executable::State::runDirect(const CachedPlan &cached, absl::Span<const Tensor> inputs,
                                          absl::Span<Tensor> outputs) const {
  const DirectCall &call = *cached.direct;
  const Plan &plan = *cached.plan;
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
  putScratch(call.scratch, call.scratchBytes, buffers.data()); // isOneCall has looked
  counters.kernels.fetch_add(1, std::memory_order_relaxed);
  if (int32_t failed = call.function(buffers.data(), call.sizes))
    return kernelError(program, program.steps[0], failed, buffers.data(), plan.sizes);
  return reshapeOutputs(plan, outputs);
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
  const DirectCall &call = *known->direct;
  SmallPointers buffers(call.buffers.begin(), call.buffers.end());
  size_t argument = 0;
  for (const std::vector<int32_t> *places : {&call.inputs, &call.outputs})
    for (int32_t place : *places) {
      if (place >= 0)
        buffers[size_t(place)] = memory[argument];
      ++argument;
    }
  putScratch(call.scratch, call.scratchBytes, buffers.data()); // isOneCall has looked
  if (call.function(buffers.data(), call.sizes) != 0)
    return false;
  countDirectCall();
  return true;
}

} // namespace graphc
