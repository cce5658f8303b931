//===- Executable.cpp - running a Program ---------------------------------===//
#include "Runtime/Executable.h"

#include <algorithm>
#include <utility>

#include "Runtime/ExecutableState.h"
#include "Runtime/RunError.h"
#include "Support/Text.h"
#include "graphc/Type.h"

namespace graphc {

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
    sizes[id] = readInteger(array.dtype, data, beginOf(program, n.a, sizes) + int64_t(sizes[n.b]));
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
const DirectCall *Executable::directCall() const {
  return state_->only ? &*state_->only->direct : nullptr;
}
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
    : joined(std::move(both)), counters(counts ? *counts : ownCounters), plans(*joined, counters) {
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
  plans.free();
  for (const auto &list : bodies)
    for (const std::unique_ptr<State> &body : list)
      body->free();
}

void Executable::free() const { state_->free(); }

//===--- sizes and plans ------------------------------------------------------===//

absl::Status Executable::State::checkInputs(absl::Span<const Tensor> inputs) const {
  if (inputs.size() != program.inputs.size())
    return makeError(ErrorKind::TypeError, "expected " + counted(program.inputs.size(), "input") +
                                               ", got " + std::to_string(inputs.size()));
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Program::Input &expected = program.inputs[k];
    const Tensor &given = inputs[k];
    absl::Span<const int64_t> extents;
    if (given.defined())
      extents = given.shape();
    bool type = given.defined() && given.dtype() == expected.dtype &&
                extents.size() == expected.shape.size();
    bool shape = type;
    for (size_t axis = 0; axis < extents.size() && type; ++axis)
      shape &= expected.shape[axis] < 0 || expected.shape[axis] == extents[axis];
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

//===--- running --------------------------------------------------------------===//

/// What the output is a copy of, if it may be that instead; else an undefined Tensor.
Tensor Executable::State::lent(int32_t output, DType dtype, absl::Span<const int64_t> shape,
                               absl::Span<const Tensor> inputs, absl::Span<const Tensor> outputs,
                               const Lending &lending) const {
  int32_t source = layout.outputSource[output];
  if (source < 0 || ownerOf(program, source) != layout.root[source] || !lending.outputs[output])
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
  // The key of a plan: number of the segment, extents, and all that was read.
  PlanKey key;
  if (!layout.isStatic) {
    key.push_back(0);
    for (const Tensor &input : inputs)
      for (int64_t extent : input.shape())
        key.push_back(extent);
  }
  std::shared_ptr<const CachedPlan> known;
  if (!layout.isStatic && !profile)
    known = plans.directOf(key);
  const CachedPlan *one = layout.isStatic ? only.get() : known.get();
  if (!profile && isOneCall(one, threads))
    if (absl::StatusOr<bool> done = runDirect(*one, inputs, outputs); !done.ok() || *done)
      return done.status();
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
    absl::StatusOr<Lease> leased =
        plans.lease(k, key, threads, [&](std::vector<SizeValue> &values) {
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
    plans.giveBack(std::move(lease));
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
