//===- Frame.cpp ----------------------------------------------------------===//
#include "Runtime/Frame.h"

#include <algorithm>
#include <utility>

#include "graphc/Type.h"

namespace graphc {

/// "f64[100,200]": the largest array of those in the arena.
static std::string largestArray(const Program &program, const Plan &plan) {
  std::string found;
  double most = -1;
  for (size_t a = 0; a < plan.offsets.size(); ++a) {
    if (plan.offsets[a] < 0)
      continue;
    const Program::Array &array = program.arrays[a];
    Plan::Shape shape = plan.shapeOf(array);
    double bytes = double(byteSize(array.dtype));
    for (int64_t extent : shape)
      bytes *= double(extent);
    if (bytes > most)
      found = Type(array.dtype, shape).brief();
    most = std::max(most, bytes);
  }
  return found;
}

static absl::Status noMemory(const Program &program, const Plan &plan) {
  std::string text = "no memory for " + std::to_string(plan.arenaBytes + plan.scratchBytes) +
                     " bytes between the kernels";
  if (std::string largest = largestArray(program, plan); !largest.empty())
    text += ", of which " + largest + " is the largest array";
  return makeError(ErrorKind::OutOfMemory, text + kMemoryRemedy);
}

absl::StatusOr<std::unique_ptr<Frame>> Frame::create(const Program &program, const Plan &plan) {
  auto frame = std::make_unique<Frame>();
  frame->plan_ = &plan;
  if (!frame->arena_.allocate(plan.arenaBytes) || !frame->scratch_.allocate(plan.scratchBytes))
    return noMemory(program, plan);
  using Kind = Plan::Pointer::Kind;
  frame->pointers_.resize(plan.pointers.size());
  for (size_t k = 0; k < plan.pointers.size(); ++k) {
    const Plan::Pointer &p = plan.pointers[k];
    void *&pointer = frame->pointers_[k];
    switch (p.kind) {
    case Kind::Arena:
      pointer = frame->arena_.data() + p.value + p.begin;
      break;
    case Kind::Scratch:
      pointer = frame->scratch_.data() + p.value;
      break;
    case Kind::Constant: // kernels only read it
      pointer = static_cast<char *>(
                    const_cast<void *>(std::as_const(program.constants[size_t(p.value)]).data())) +
                p.begin;
      break;
    case Kind::Kept:
      pointer = reinterpret_cast<void *>(p.value);
      break;
    case Kind::Input:
      frame->inputs_.push_back({int64_t(k), p.value, p.begin});
      break;
    case Kind::Output:
      frame->outputs_.push_back({int64_t(k), p.value, p.begin});
      break;
    case Kind::Earlier:
      frame->earlier_.push_back({int64_t(k), p.value, p.begin});
      break;
    }
  }
  return frame;
}

bool Frame::prepareThreads(int threads) {
  int64_t bytes = plan_->scratchBytes * (threads - 1);
  return bytes <= threadScratch_.size() || threadScratch_.allocate(bytes);
}

void Frame::pointersFor(const Plan::StepPlan &step, int thread, void **result) const {
  for (int32_t k = 0; k < step.numPointers; ++k) {
    const Plan::Pointer &p = plan_->pointers[size_t(step.firstPointer + k)];
    result[k] = p.kind == Plan::Pointer::Kind::Scratch
                    ? threadScratch_.data() + plan_->scratchBytes * (thread - 1) + p.value
                    : pointers_[size_t(step.firstPointer + k)];
  }
}

} // namespace graphc
