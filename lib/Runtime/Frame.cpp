//===- Frame.cpp ----------------------------------------------------------===//
#include "Runtime/Frame.h"

#include <algorithm>
#include <cstdlib>

#include "Runtime/HugePages.h"

namespace graphc {

AlignedBytes::~AlignedBytes() { std::free(data_); }

bool AlignedBytes::resize(int64_t bytes) {
  std::free(data_);
  data_ = nullptr;
  size_ = 0;
  if (bytes == 0)
    return true;
  constexpr int64_t kAlignment = 64;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  data_ = static_cast<char *>(std::aligned_alloc(kAlignment, size_t(bytes)));
  size_ = data_ ? bytes : 0;
  if (data_)
    preferHugePages(data_, size_t(bytes));
  return data_ != nullptr;
}

absl::StatusOr<std::unique_ptr<Frame>> Frame::create(const Program &program, const Plan &plan) {
  auto frame = std::make_unique<Frame>();
  frame->plan_ = &plan;
  if (!frame->arena_.resize(plan.arenaBytes) || !frame->scratch_.resize(plan.scratchBytes))
    return makeError(ErrorKind::OutOfMemory,
                     "no memory for " + std::to_string(plan.arenaBytes + plan.scratchBytes) +
                         " bytes between the kernels");
  using Kind = Plan::Pointer::Kind;
  frame->pointers_.resize(plan.pointers.size());
  for (size_t k = 0; k < plan.pointers.size(); ++k) {
    const Plan::Pointer &p = plan.pointers[k];
    void *&pointer = frame->pointers_[k];
    switch (p.kind) {
    case Kind::Arena:
      pointer = frame->arena_.data() + p.value;
      break;
    case Kind::Scratch:
      pointer = frame->scratch_.data() + p.value;
      break;
    case Kind::Constant: // kernels only read it
      pointer = const_cast<void *>(program.constants[size_t(p.value)].data());
      break;
    case Kind::Input:
      frame->inputs_.push_back({int64_t(k), p.value});
      break;
    case Kind::Output:
      frame->outputs_.push_back({int64_t(k), p.value});
      break;
    case Kind::Earlier:
      frame->earlier_.push_back({int64_t(k), p.value});
      break;
    }
  }
  return frame;
}

bool Frame::prepareThreads(int threads) {
  int64_t bytes = plan_->scratchBytes * (threads - 1);
  return bytes <= threadScratch_.size() || threadScratch_.resize(bytes);
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
