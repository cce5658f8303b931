//===- Plan.cpp - sizes, arguments and places for given shapes ------------===//
#include "Runtime/Plan.h"

#include <algorithm>

#include "Runtime/ArenaLayout.h"
#include "Runtime/RunError.h"
#include "absl/container/inlined_vector.h"

namespace graphc {

using Storage = Program::Array::Storage;

namespace {

absl::StatusOr<int64_t> bytesOf(int64_t elementBytes, absl::Span<const int32_t> shape,
                                const std::vector<SizeValue> &sizes) {
  absl::InlinedVector<SizeValue, 8> extents;
  for (int32_t s : shape)
    extents.push_back(sizes[s]);
  return shapeBytes(elementBytes, extents);
}

bool isMet(const Program::SizeCheck &check, const std::vector<SizeValue> &sizes) {
  return check.predicate == Predicate::Fits
             ? bytesOf(check.a, check.shape, sizes).ok()
             : holds(check.predicate, sizes[check.a], sizes[check.b]);
}

/// Measured: waking a thread pays when one thread takes longer than this (nanoseconds).
constexpr double kWorthThreads = 1500;

/// An estimate of a kernel's time on one thread, in nanoseconds.
double timeOf(const Program::Step &step, const std::vector<SizeValue> &sizes) {
  double time = 0;
  for (const Program::Step::Work &work : step.work)
    time += double(sizes[size_t(work.count)]) * double(work.nanoseconds);
  return time;
}

/// Whether parts of the kernel's outermost loop are worth more than one thread.
bool isParallel(const Program &p, const Program::Step &step, const std::vector<SizeValue> &sizes) {
  return step.kind == Program::Step::Kind::Kernel && p.kernels[size_t(step.callee)].splits &&
         timeOf(step, sizes) > kWorthThreads && sizes[size_t(step.splitSize)] > 1;
}

/// As findForks wants it. What a routine or a loop takes is not known before it runs.
double timeInFork(const Program &p, const StepOrder &order, int32_t number,
                  const std::vector<SizeValue> &sizes) {
  constexpr double kRoutine = 3000, kControl = 10000;
  using Kind = Program::Step::Kind;
  const Program::Step &step = p.steps[size_t(number)];
  if (isParallel(p, step, sizes) || !order.isUnseen(number))
    return kNeverInFork;
  return step.kind == Kind::Host      ? kRoutine
         : step.kind == Kind::Control ? kControl
                                      : timeOf(step, sizes);
}

/// Whether the arrays of a segment, of which each may be, are too large together. Asked after each,
/// which has 2^62 bytes at most: no sum overflows, nor that of arena and scratch memory.
absl::Status checkTotal(const ArenaLayout &arena) {
  constexpr int64_t kMaxBytes = int64_t(1) << 61;
  if (arena.size() <= kMaxBytes)
    return absl::OkStatus();
  return makeError(ErrorKind::OutOfMemory,
                   "no memory for " + std::to_string(arena.size()) + " bytes between the kernels");
}

/// What a Plan is made of, part by part; the sizes first.
class PlanMaker {
public:
  PlanMaker(const Program &program, const ProgramLayout &layout, int32_t number,
            std::vector<SizeValue> sizes, KeptOperands *kept)
      : program_(program), layout_(layout), number_(number), segment_(layout.segments[number]),
        kept_(kept), plan_(std::make_shared<Plan>()) {
    plan_->sizes = std::move(sizes);
    plan_->offsets.assign(program.arrays.size(), -1);
  }
  absl::Status solveSizes();
  void addForks(const StepOrder &order);
  absl::Status addSteps();
  std::shared_ptr<Plan> take() { return std::move(plan_); }

private:
  absl::StatusOr<int64_t> bytesOfArray(int32_t array) const {
    const Program::Array &of = program_.arrays[array];
    return bytesOf(byteSize(of.dtype), of.shape, plan_->sizes);
  }
  bool isIdle(const Program::Step &step) const;
  absl::Status placeArrays(int32_t step);
  Plan::Pointer pointerTo(int32_t array) const;
  absl::Status addScratch(const Program::Step &step, Plan::StepPlan &out);
  absl::Status addArguments(const Program::Step &step, Plan::StepPlan &out);

  const Program &program_;
  const ProgramLayout &layout_;
  const int32_t number_;
  const ProgramLayout::Segment &segment_;
  KeptOperands *const kept_;
  std::shared_ptr<Plan> plan_;
  ArenaLayout arena_;
  size_t fork_ = 0;               // that has not ended
  std::vector<int32_t> released_; // when it ends
};

absl::Status PlanMaker::solveSizes() {
  std::vector<SizeValue> &sizes = plan_->sizes;
  auto known = [&](int32_t id) { return std::optional(sizes[id]); };
  for (int32_t id : segment_.sizes)
    if (std::optional<SizeValue> value = sizeValue(program_.sizes[id], known))
      sizes[id] = *value;
  for (int32_t c : segment_.checks)
    if (!isMet(program_.checks[c], sizes))
      return sizeError(program_, program_.checks[c], sizes);
  return absl::OkStatus();
}

void PlanMaker::addForks(const StepOrder &order) {
  std::vector<double> times;
  for (int32_t s = segment_.firstStep; s < segment_.endStep; ++s)
    times.push_back(timeInFork(program_, order, s, plan_->sizes));
  plan_->forks = findForks(order, segment_.firstStep, times);
}

/// Of a shape like (2^40, 0), which 100 bytes of a file may claim, the outer loop would take years.
bool PlanMaker::isIdle(const Program::Step &step) const {
  if (step.kind != Program::Step::Kind::Kernel)
    return false;
  auto isEmpty = [&](int32_t array) {
    return std::ranges::any_of(program_.arrays[array].shape,
                               [&](int32_t size) { return plan_->sizes[size] == 0; });
  };
  return std::all_of(step.arrays.begin() + step.numInputs, step.arrays.end(), isEmpty) &&
         (step.failures.empty() || std::ranges::all_of(step.work, [&](const auto &work) {
            return plan_->sizes[work.count] == 0;
          }));
}

/// What the step begins to use gets a place, and what it used last gives its own back.
absl::Status PlanMaker::placeArrays(int32_t step) {
  for (int32_t a : layout_.lifetimes[step].allocate) {
    absl::StatusOr<int64_t> bytes = bytesOfArray(a);
    if (!bytes.ok())
      return bytes.status();
    plan_->offsets[a] = arena_.allocate(*bytes);
    if (absl::Status status = checkTotal(arena_); !status.ok())
      return status;
  }
  const Numbers &unused = layout_.lifetimes[step].release;
  released_.insert(released_.end(), unused.begin(), unused.end());
  const std::vector<Fork> &forks = plan_->forks;
  if (fork_ < forks.size() && step + 1 == forks[fork_].endStep)
    ++fork_;
  if (fork_ < forks.size() && step >= forks[fork_].firstStep)
    return absl::OkStatus();
  for (int32_t a : released_)
    arena_.release(plan_->offsets[a], *bytesOfArray(a));
  released_.clear();
  return absl::OkStatus();
}

Plan::Pointer PlanMaker::pointerTo(int32_t array) const {
  using Kind = Plan::Pointer::Kind;
  const int32_t r = layout_.root[array];
  const Program::Array &root = program_.arrays[r];
  const auto begin = int64_t(uint64_t(beginOf(program_, array, plan_->sizes)) *
                             uint64_t(byteSize(program_.arrays[array].dtype)));
  switch (root.storage) {
  case Storage::Input:
    return {Kind::Input, root.number, begin};
  case Storage::Constant:
    return {Kind::Constant, root.number, begin};
  case Storage::Output:
    return {Kind::Output, root.number, begin};
  default:
    return layout_.segmentOf[r] == number_ ? Plan::Pointer{Kind::Arena, plan_->offsets[r], begin}
                                           : Plan::Pointer{Kind::Earlier, r, begin};
  }
}

absl::Status PlanMaker::addScratch(const Program::Step &step, Plan::StepPlan &out) {
  using Kind = Plan::Pointer::Kind;
  ArenaLayout scratch;
  bool isCopied = false, hasCopies = false;
  for (const Program::Step::Scratch &array : step.scratch) {
    absl::StatusOr<int64_t> bytes = bytesOf(byteSize(array.dtype), array.shape, plan_->sizes);
    if (!bytes.ok())
      return bytes.status();
    if (array.kept.input >= 0) {
      int32_t operand = step.arrays[size_t(array.kept.input)];
      const Program::Array &of = program_.arrays[layout_.root[operand]];
      const void *copy = nullptr;
      if (kept_ && of.storage == Storage::Constant) {
        const Tensor &constant = program_.constants[size_t(of.number)];
        copy = kept_->get(constant.data(), constant.numBytes(), *bytes, array.kept);
      }
      plan_->pointers.push_back({Kind::Kept, reinterpret_cast<intptr_t>(copy)});
      isCopied = copy && array.kept.hasRoom;
      hasCopies |= copy != nullptr;
      continue;
    }
    plan_->pointers.push_back({Kind::Scratch, scratch.allocate(isCopied ? 0 : *bytes)});
    isCopied = false;
    if (absl::Status status = checkTotal(scratch); !status.ok())
      return status;
  }
  plan_->scratchBytes = std::max(plan_->scratchBytes, scratch.size());
  // Less is a row's; it is written and read again in its turn.
  constexpr int64_t kCopies = 1 << 14;
  out.copies = scratch.size() > kCopies || hasCopies;
  return absl::OkStatus();
}

absl::Status PlanMaker::addArguments(const Program::Step &step, Plan::StepPlan &out) {
  const std::vector<SizeValue> &sizes = plan_->sizes;
  bool fits = true;
  auto pass = [&](int32_t size) {
    fits &= fitsInt64(sizes[size]);
    plan_->arguments.push_back(int64_t(sizes[size]));
  };
  for (int32_t size : step.sizes)
    pass(size);
  if (program_.kernels[step.callee].splits) {
    plan_->arguments.push_back(0);
    pass(step.splitSize);
    constexpr int64_t kChunk = 64; // elements, so that neighbours share no cache line
    auto extent = int64_t(sizes[step.splitSize]);
    out.parallel = isParallel(program_, step, sizes);
    if (out.parallel) {
      double share = kWorthThreads / timeOf(step, sizes);
      out.grain = std::max<int64_t>(1, int64_t(double(extent) * share));
      if (extent >= kChunk * kChunk)
        out.grain = (out.grain + kChunk - 1) / kChunk * kChunk;
    }
  }
  if (!fits) // extents of arrays do; this is a number in an op's body
    return makeError(ErrorKind::ValueError, "a size does not fit into 64 bits");
  return absl::OkStatus();
}

absl::Status PlanMaker::addSteps() {
  plan_->steps.reserve(size_t(segment_.endStep - segment_.firstStep));
  for (int32_t s = segment_.firstStep; s < segment_.endStep; ++s) {
    const Program::Step &step = program_.steps[s];
    if (absl::Status status = placeArrays(s); !status.ok())
      return status;
    Plan::StepPlan &out = plan_->steps.emplace_back();
    out.isIdle = isIdle(step);
    out.firstPointer = int64_t(plan_->pointers.size());
    out.firstArgument = int64_t(plan_->arguments.size());
    if (out.isIdle)
      continue;
    for (int32_t a : step.arrays)
      plan_->pointers.push_back(pointerTo(a));
    if (absl::Status status = addScratch(step, out); !status.ok())
      return status;
    out.numPointers = int32_t(int64_t(plan_->pointers.size()) - out.firstPointer);
    if (step.kind == Program::Step::Kind::Kernel)
      if (absl::Status status = addArguments(step, out); !status.ok())
        return status;
    out.numArguments = int32_t(int64_t(plan_->arguments.size()) - out.firstArgument);
  }
  plan_->arenaBytes = arena_.size();
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<std::shared_ptr<Plan>> Plan::create(const Program &program,
                                                   const ProgramLayout &layout, int32_t segment,
                                                   std::vector<SizeValue> sizes, KeptOperands *kept,
                                                   const StepOrder *order) {
  PlanMaker maker(program, layout, segment, std::move(sizes), kept);
  if (absl::Status status = maker.solveSizes(); !status.ok())
    return status;
  if (order)
    maker.addForks(*order);
  if (absl::Status status = maker.addSteps(); !status.ok())
    return status;
  return maker.take();
}

} // namespace graphc
