//===- Plan.cpp - sizes, arguments and places for given shapes ------------===//
#include "Runtime/Plan.h"

#include <algorithm>
#include <bit>
#include <limits>

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

constexpr int32_t kForever = std::numeric_limits<int32_t>::max();

/// Calls `f` for each size that a step needs.
template <class F> void sizesOfStep(const Program &program, const Program::Step &step, F f) {
  for (int32_t s : step.sizes)
    f(s);
  for (int32_t a : step.arrays)
    for (int32_t s : program.arrays[a].shape)
      f(s);
  for (const Program::Step::Scratch &scratch : step.scratch)
    for (int32_t s : scratch.shape)
      f(s);
  for (const Program::Step::Work &work : step.work)
    f(work.count);
  if (step.splitSize >= 0)
    f(step.splitSize);
}

/// Calls `f` for each size that a check needs.
template <class F> void sizesOfCheck(const Program::SizeCheck &check, F f) {
  for (int32_t s : check.shape)
    f(s);
  if (check.predicate == Predicate::Fits)
    return;
  f(check.a);
  f(check.b);
}

absl::Status malformed(const char *what) {
  return makeError(ErrorKind::Internal, std::string("malformed program: ") + what);
}

/// Whether it can be done on the step's arrays.
bool isWellFormed(const Program &p, const Program::Step &step, const HostCall &host) {
  return (host.callback || host.routine) && hasLevels(p, step, host.numLevels, host.levels);
}

bool isWellFormed(const KeptForm &form, int32_t numInputs) {
  constexpr int32_t kMostColumns = 1024; // far more than any tile has
  return form.input >= -1 && form.input < numInputs && form.columns >= 0 &&
         form.columns <= kMostColumns &&
         (form.columns == 0 || form.elementBytes == 4 || form.elementBytes == 8);
}

/// Whether the last axis has the parts of complex numbers.
bool isOfPairs(const Program &p, int32_t array) {
  const Program::Array &a = p.arrays[size_t(array)];
  if ((a.dtype != DType::Float32 && a.dtype != DType::Float64) || a.shape.empty())
    return false;
  const SizeNode &last = p.sizes[size_t(a.shape.back())];
  return last.op == SizeOp::Constant && last.value == 2;
}

/// Every number within its table, operands before users.
absl::Status checkNumbers(const Program &p) {
  auto inside = [](int32_t i, const auto &table) { return i >= 0 && size_t(i) < table.size(); };
  auto isReal = [](DType dtype) { return unsigned(dtype) < unsigned(kNumRealDTypes); };
  for (size_t id = 0; id < p.sizes.size(); ++id) {
    const SizeNode &n = p.sizes[id];
    bool good = true;
    if (n.op == SizeOp::Dim)
      good = inside(n.a, p.inputs) && inside(n.b, p.inputs[n.a].shape);
    else if (n.op == SizeOp::Element)
      good = inside(n.a, p.arrays) && n.b >= 0 && size_t(n.b) < id;
    else if (n.op != SizeOp::Constant)
      good = n.a >= 0 && size_t(n.a) < id && n.b >= 0 && size_t(n.b) < id &&
             (n.c < 0 ? n.op != SizeOp::Select : size_t(n.c) < id);
    if (!good)
      return malformed("a size");
  }
  for (size_t id = 0; id < p.arrays.size(); ++id) {
    const Program::Array &a = p.arrays[id];
    bool good = a.storage == Storage::Arena ||
                (a.storage == Storage::Input && inside(a.number, p.inputs)) ||
                (a.storage == Storage::Constant && inside(a.number, p.constants)) ||
                (a.storage == Storage::Output && inside(a.number, p.outputs)) ||
                (a.storage == Storage::Same && a.number >= 0 && size_t(a.number) < id);
    for (int32_t s : a.shape)
      good &= inside(s, p.sizes);
    if (!good || !isReal(a.dtype))
      return malformed("an array");
  }
  for (const Program::Step &step : p.steps) {
    bool good = step.numInputs >= 0 && size_t(step.numInputs) <= step.arrays.size();
    if (step.kind == Program::Step::Kind::Kernel)
      good &= inside(step.callee, p.kernels);
    else if (step.kind == Program::Step::Kind::Host)
      good &= inside(step.callee, p.hosts) && step.failures.size() == 1;
    else if (step.kind == Program::Step::Kind::Control)
      good &= inside(step.callee, p.controls) && step.failures.size() == 1;
    else
      good &= step.arrays.size() == 2;
    for (int32_t a : step.arrays)
      good &= inside(a, p.arrays);
    if (step.kind == Program::Step::Kind::Host)
      good = good && isWellFormed(p, step, p.hosts[size_t(step.callee)]);
    if (step.kind == Program::Step::Kind::Control)
      good = good && isWellFormed(p, step, p.controls[size_t(step.callee)]);
    for (const Program::Step::Scratch &scratch : step.scratch)
      good &= isReal(scratch.dtype) && isWellFormed(scratch.kept, step.numInputs);
    for (int32_t f : step.failures)
      good = good && inside(f, p.failures) &&
             p.failures[size_t(f)].indices < int32_t(step.arrays.size());
    if (!good)
      return malformed("a step");
    sizesOfStep(p, step, [&](int32_t s) { good &= inside(s, p.sizes); });
    if (!good)
      return malformed("a step's sizes");
  }
  for (const Program::Failure &failure : p.failures)
    if ((failure.extent >= 0 || failure.indices >= 0) && !inside(failure.extent, p.sizes))
      return malformed("a failure");
  for (const Program::SizeCheck &check : p.checks) {
    bool good = true;
    sizesOfCheck(check, [&](int32_t s) { good &= inside(s, p.sizes); });
    if (!good)
      return malformed("a check");
  }
  for (const Program::Input &input : p.inputs)
    if (unsigned(input.dtype) >= unsigned(kNumDTypes))
      return malformed("an input");
  for (const Program::Output &output : p.outputs)
    if (!inside(output.array, p.arrays) || (output.isComplex && !isOfPairs(p, output.array)))
      return malformed("an output");
  return absl::OkStatus();
}

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

/// Whether the arrays of a segment, of which each may be, are too large together.
absl::Status checkTotal(const ArenaLayout &arena) {
  constexpr int64_t kMaxBytes = int64_t(1) << 62;
  if (arena.size() <= kMaxBytes)
    return absl::OkStatus();
  return makeError(ErrorKind::OutOfMemory,
                   "no memory for " + std::to_string(arena.size()) + " bytes between the kernels");
}

} // namespace

//===--- layout -------------------------------------------------------------===//

absl::StatusOr<ProgramLayout> ProgramLayout::create(const Program &program) {
  if (absl::Status status = checkNumbers(program); !status.ok())
    return status;
  ProgramLayout layout;
  int32_t numArrays = int32_t(program.arrays.size()), numSteps = int32_t(program.steps.size());
  for (int32_t a = 0; a < numArrays; ++a)
    layout.root.push_back(
        program.arrays[a].storage == Storage::Same ? layout.root[program.arrays[a].number] : a);
  // When each array has its contents: after the step that writes it, or that writes what it views.
  std::vector<int32_t> writtenBy(numArrays, -1);
  layout.firstUse.assign(numArrays, kForever);
  layout.lastUse.assign(numArrays, -1);
  for (int32_t s = 0; s < numSteps; ++s) {
    const Program::Step &step = program.steps[s];
    for (size_t k = 0; k < step.arrays.size(); ++k) {
      int32_t a = step.arrays[k], r = layout.root[a];
      layout.firstUse[r] = std::min(layout.firstUse[r], s);
      layout.lastUse[r] = s;
      if (k >= size_t(step.numInputs))
        writtenBy[a] = s;
    }
  }
  for (int32_t a = 0; a < numArrays; ++a)
    if (writtenBy[a] < 0 && program.arrays[a].storage == Storage::Same)
      writtenBy[a] = writtenBy[program.arrays[a].number];

  // The first step before which a size is known.
  std::vector<int32_t> known(program.sizes.size(), 0);
  bool readsInputs = false;
  for (size_t id = 0; id < program.sizes.size(); ++id) {
    const SizeNode &n = program.sizes[id];
    if (n.op == SizeOp::Constant || n.op == SizeOp::Dim)
      continue;
    if (n.op == SizeOp::Element) {
      int32_t r = layout.root[n.a];
      known[id] = std::max(known[n.b], writtenBy[n.a] + 1);
      layout.lastUse[r] = kForever;
      readsInputs |= program.arrays[r].storage == Storage::Input;
      continue;
    }
    for (int32_t operand : {n.a, n.b, n.c})
      if (operand >= 0)
        known[id] = std::max(known[id], known[operand]);
  }

  // Segments start where a step needs more than is known.
  std::vector<int32_t> starts = {0};
  for (int32_t s = 0; s < numSteps; ++s) {
    int32_t need = 0;
    sizesOfStep(program, program.steps[s], [&](int32_t id) { need = std::max(need, known[id]); });
    if (need > s)
      return malformed("a size is needed before it is known");
    if (need > starts.back())
      starts.push_back(s);
  }
  int32_t need = 0;
  for (const Program::SizeCheck &check : program.checks)
    sizesOfCheck(check, [&](int32_t s) { need = std::max(need, known[s]); });
  for (const Program::Output &output : program.outputs)
    for (int32_t s : program.arrays[output.array].shape)
      need = std::max(need, known[s]);
  if (need > starts.back())
    starts.push_back(numSteps);
  for (size_t k = 0; k < starts.size(); ++k) {
    Segment &segment = layout.segments.emplace_back();
    segment.firstStep = starts[k];
    segment.endStep = k + 1 < starts.size() ? starts[k + 1] : numSteps;
  }
  auto segmentAt = [&](int32_t step) { // the first one that starts at or after `step`
    return int32_t(std::lower_bound(starts.begin(), starts.end(), step) - starts.begin());
  };
  std::vector<bool> reads(program.sizes.size(), false); // needed to read elements
  for (size_t id = program.sizes.size(); id-- > 0;) {
    const SizeNode &n = program.sizes[id];
    if (n.op == SizeOp::Element)
      reads[id] = reads[n.b] = true;
    else if (reads[id] && n.op != SizeOp::Constant && n.op != SizeOp::Dim)
      for (int32_t operand : {n.a, n.b, n.c})
        if (operand >= 0)
          reads[operand] = true;
  }
  for (int32_t id = 0; id < int32_t(program.sizes.size()); ++id) {
    int32_t k = segmentAt(known[id]);
    if (k >= int32_t(layout.segments.size())) // of an element that nobody uses
      continue;
    layout.segments[k].sizes.push_back(id);
    if (reads[id])
      layout.segments[k].readSizes.push_back(id);
  }
  for (int32_t c = 0; c < int32_t(program.checks.size()); ++c) {
    int32_t first = 0;
    sizesOfCheck(program.checks[c], [&](int32_t s) { first = std::max(first, known[s]); });
    layout.segments[segmentAt(first)].checks.push_back(c);
  }

  // What lives on beyond its segment keeps its place.
  layout.segmentOf.assign(numArrays, 0);
  auto segmentOfStep = [&](int32_t step) {
    return int32_t(std::upper_bound(starts.begin(), starts.end(), step) - starts.begin()) - 1;
  };
  for (int32_t a = 0; a < numArrays; ++a) {
    int32_t r = layout.root[a];
    if (layout.firstUse[r] != kForever)
      layout.segmentOf[a] = segmentOfStep(layout.firstUse[r]);
  }
  layout.lifetimes.resize(program.steps.size());
  for (int32_t s = 0; s < numSteps; ++s) {
    auto addOnce = [](Numbers &list, int32_t array) {
      if (std::find(list.begin(), list.end(), array) == list.end())
        list.push_back(array);
    };
    for (int32_t a : program.steps[s].arrays) {
      int32_t r = layout.root[a];
      if (program.arrays[r].storage != Storage::Arena)
        continue;
      if (layout.firstUse[r] == s)
        addOnce(layout.lifetimes[s].allocate, r);
      if (layout.lastUse[r] == s && layout.segmentOf[r] == segmentOfStep(s))
        addOnce(layout.lifetimes[s].release, r);
    }
  }
  for (int32_t k = 0; k < int32_t(program.outputs.size()); ++k) {
    int32_t r = layout.root[program.outputs[k].array];
    layout.outputRoot.push_back(r);
    layout.segments[layout.segmentOf[r]].outputs.push_back(k);
  }
  std::vector<int32_t> writes(numArrays, 0), copied(numArrays, -1); // by root
  for (const Program::Step &step : program.steps)
    for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k) {
      int32_t r = layout.root[step.arrays[k]];
      copied[r] = ++writes[r] == 1 && step.kind == Program::Step::Kind::Copy ? step.arrays[0] : -1;
    }
  for (int32_t r : layout.outputRoot)
    layout.outputSource.push_back(copied[r]);
  bool allStatic = !readsInputs && layout.segments.size() == 1;
  for (const Program::Input &input : program.inputs)
    for (int64_t extent : input.shape)
      allStatic &= extent >= 0;
  layout.isStatic = allStatic;
  return layout;
}

//===--- plan ---------------------------------------------------------------===//

absl::StatusOr<std::shared_ptr<Plan>> Plan::create(const Program &program,
                                                   const ProgramLayout &layout, int32_t number,
                                                   std::vector<SizeValue> sizes,
                                                   KeptOperands *kept) {
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

  ArenaLayout arena;
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
    for (int32_t a : layout.lifetimes[s].release)
      arena.release(plan->offsets[a], *bytesOfArray(a));

    StepPlan &out = plan->steps.emplace_back();
    out.firstPointer = int64_t(plan->pointers.size());
    out.firstArgument = int64_t(plan->arguments.size());
    for (int32_t a : step.arrays) {
      int32_t r = layout.root[a];
      const Program::Array &array = program.arrays[r];
      switch (array.storage) {
      case Storage::Input:
        plan->pointers.push_back({Pointer::Kind::Input, array.number});
        break;
      case Storage::Constant:
        plan->pointers.push_back({Pointer::Kind::Constant, array.number});
        break;
      case Storage::Output:
        plan->pointers.push_back({Pointer::Kind::Output, array.number});
        break;
      default:
        if (layout.segmentOf[r] == number)
          plan->pointers.push_back({Pointer::Kind::Arena, plan->offsets[r]});
        else
          plan->pointers.push_back({Pointer::Kind::Earlier, r});
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
      // Measured: waking a thread pays when one thread takes longer than this (nanoseconds).
      constexpr double kWorthThreads = 1500;
      constexpr int64_t kChunk = 64; // elements, so that neighbours share no cache line
      double time = 0;
      for (const Program::Step::Work &work : step.work)
        time += double(plan->sizes[work.count]) * double(work.nanoseconds);
      auto extent = int64_t(plan->sizes[step.splitSize]);
      out.parallel = time > kWorthThreads && extent > 1;
      if (out.parallel) {
        out.grain = std::max<int64_t>(1, int64_t(double(extent) * kWorthThreads / time));
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
