//===- Plan.cpp - sizes, arguments and places for given shapes ------------===//
#include "Runtime/Plan.h"

#include <algorithm>

#include "Runtime/ArenaLayout.h"
#include "absl/container/inlined_vector.h"

namespace graphc {

using Storage = Program::Array::Storage;

int64_t readInteger(DType dtype, const void *data, int64_t index) {
  return dispatch(dtype, [&](auto zero) -> int64_t {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      return int64_t(static_cast<const T *>(data)[index]);
    return 0;
  });
}

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

/// Whether the arrays of a segment, of which each may be, are too large together.
absl::Status checkTotal(const ArenaLayout &arena) {
  constexpr int64_t kMaxBytes = int64_t(1) << 62;
  if (arena.size() <= kMaxBytes)
    return absl::OkStatus();
  return makeError(ErrorKind::OutOfMemory,
                   "no memory for " + std::to_string(arena.size()) + " bytes between the kernels");
}

} // namespace

absl::StatusOr<std::shared_ptr<Plan>> Plan::create(const Program &program,
                                                   const ProgramLayout &layout, int32_t number,
                                                   std::vector<SizeValue> sizes, KeptOperands *kept,
                                                   const StepOrder *order) {
  const ProgramLayout::Segment &segment = layout.segments[number];
  auto plan = std::make_shared<Plan>();
  plan->sizes = std::move(sizes);
  auto known = [&](int32_t id) { return std::optional(plan->sizes[id]); };
  for (int32_t id : segment.sizes)
    if (std::optional<SizeValue> value = sizeValue(program.sizes[id], known))
      plan->sizes[id] = *value;
  for (int32_t c : segment.checks) {
    const Program::SizeCheck &check = program.checks[c];
    if (!isMet(check, plan->sizes))
      return sizeError(program, check, plan->sizes);
  }

  if (order) {
    std::vector<double> times;
    for (int32_t s = segment.firstStep; s < segment.endStep; ++s)
      times.push_back(timeInFork(program, *order, s, plan->sizes));
    plan->forks = findForks(*order, segment.firstStep, times);
  }

  ArenaLayout arena;
  auto fork = plan->forks.begin();
  std::vector<int32_t> released; // when the fork ends
  plan->offsets.assign(program.arrays.size(), -1);
  plan->steps.reserve(size_t(segment.endStep - segment.firstStep));
  auto bytesOfArray = [&](int32_t a) {
    return bytesOf(byteSize(program.arrays[a].dtype), program.arrays[a].shape, plan->sizes);
  };
  for (int32_t s = segment.firstStep; s < segment.endStep; ++s) {
    const Program::Step &step = program.steps[s];
    for (int32_t a : layout.lifetimes[s].allocate) {
      absl::StatusOr<int64_t> bytes = bytesOfArray(a);
      if (!bytes.ok())
        return bytes.status();
      plan->offsets[a] = arena.allocate(*bytes);
      if (absl::Status status = checkTotal(arena); !status.ok())
        return status;
    }
    const Numbers &unused = layout.lifetimes[s].release;
    released.insert(released.end(), unused.begin(), unused.end());
    if (fork != plan->forks.end() && s + 1 == fork->endStep)
      ++fork;
    if (fork == plan->forks.end() || s < fork->firstStep) {
      for (int32_t a : released)
        arena.release(plan->offsets[a], *bytesOfArray(a));
      released.clear();
    }

    StepPlan &out = plan->steps.emplace_back();
    out.firstPointer = int64_t(plan->pointers.size());
    out.firstArgument = int64_t(plan->arguments.size());
    for (int32_t a : step.arrays) {
      int32_t r = layout.root[a];
      const Program::Array &array = program.arrays[r];
      const auto begin = int64_t(uint64_t(beginOf(program, a, plan->sizes)) *
                                 uint64_t(byteSize(program.arrays[a].dtype)));
      switch (array.storage) {
      case Storage::Input:
        plan->pointers.push_back({Pointer::Kind::Input, array.number, begin});
        break;
      case Storage::Constant:
        plan->pointers.push_back({Pointer::Kind::Constant, array.number, begin});
        break;
      case Storage::Output:
        plan->pointers.push_back({Pointer::Kind::Output, array.number, begin});
        break;
      default:
        if (layout.segmentOf[r] == number)
          plan->pointers.push_back({Pointer::Kind::Arena, plan->offsets[r], begin});
        else
          plan->pointers.push_back({Pointer::Kind::Earlier, r, begin});
      }
    }
    ArenaLayout scratch;
    bool isCopied = false, hasCopies = false;
    for (const Program::Step::Scratch &array : step.scratch) {
      absl::StatusOr<int64_t> bytes = bytesOf(byteSize(array.dtype), array.shape, plan->sizes);
      if (!bytes.ok())
        return bytes.status();
      if (array.kept.input >= 0) {
        int32_t operand = step.arrays[size_t(array.kept.input)];
        const Program::Array &of = program.arrays[layout.root[operand]];
        const void *copy = nullptr;
        if (kept && of.storage == Storage::Constant) {
          const Tensor &constant = program.constants[size_t(of.number)];
          copy = kept->get(constant.data(), constant.numBytes(), *bytes, array.kept);
        }
        plan->pointers.push_back({Pointer::Kind::Kept, reinterpret_cast<intptr_t>(copy)});
        isCopied = copy != nullptr;
        hasCopies |= isCopied;
        continue;
      }
      plan->pointers.push_back({Pointer::Kind::Scratch, scratch.allocate(isCopied ? 0 : *bytes)});
      isCopied = false;
      if (absl::Status status = checkTotal(scratch); !status.ok())
        return status;
    }
    plan->scratchBytes = std::max(plan->scratchBytes, scratch.size());
    // Less is a row's; it is written and read again in its turn.
    constexpr int64_t kCopies = 1 << 14;
    out.copies = scratch.size() > kCopies || hasCopies;
    out.numPointers = int32_t(int64_t(plan->pointers.size()) - out.firstPointer);
    if (step.kind != Program::Step::Kind::Kernel)
      continue;

    bool fits = true;
    auto pass = [&](int32_t size) {
      fits &= fitsInt64(plan->sizes[size]);
      plan->arguments.push_back(int64_t(plan->sizes[size]));
    };
    for (int32_t size : step.sizes)
      pass(size);
    if (program.kernels[step.callee].splits) {
      plan->arguments.push_back(0);
      pass(step.splitSize);
      constexpr int64_t kChunk = 64; // elements, so that neighbours share no cache line
      auto extent = int64_t(plan->sizes[step.splitSize]);
      out.parallel = isParallel(program, step, plan->sizes);
      if (out.parallel) {
        double share = kWorthThreads / timeOf(step, plan->sizes);
        out.grain = std::max<int64_t>(1, int64_t(double(extent) * share));
        if (extent >= kChunk * kChunk)
          out.grain = (out.grain + kChunk - 1) / kChunk * kChunk;
      }
    }
    if (!fits) // extents of arrays do; this is a number in an op's body
      return makeError(ErrorKind::ValueError, "a size does not fit into 64 bits");
    out.numArguments = int32_t(int64_t(plan->arguments.size()) - out.firstArgument);
  }
  plan->arenaBytes = arena.size();
  return plan;
}

} // namespace graphc
