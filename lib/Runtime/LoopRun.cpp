//===- LoopRun.cpp - branches and loops in a program ----------------------===//
//
// A loop's states live where its results are: step t reads row t - 1 and writes row t. Sequences
// are read in place. So a step is calls of kernels whose pointers move by a stride, and nothing
// else: what depends on shapes is known before the first one. States of which only the last value
// is wanted go round in as many buffers as their history has, and one more; a result with fewer
// rows than there are steps is such a ring itself, which is put in order in the end.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <bit>
#include <cstring>

#include "Runtime/BodyRun.h"
#include "Runtime/LoopErrors.h"
#include "Runtime/RunError.h"
#include "Support/Cancel.h"
#include "graphc/Type.h"

namespace graphc {
namespace {

int64_t bytesOf(DType dtype, absl::Span<const int64_t> shape) {
  int64_t bytes = byteSize(dtype);
  for (int64_t extent : shape)
    bytes *= extent;
  return bytes;
}

Plan::Shape withoutFirst(const Plan::Shape &shape) {
  return Plan::Shape(shape.begin() + 1, shape.end());
}

/// As the body's author knows it: an array of pairs is one of complex numbers.
std::string briefOf(const Program::Output &output, DType dtype, absl::Span<const int64_t> shape) {
  return output.isComplex ? Type(complexDType(dtype), shape.first(shape.size() - 1)).brief()
                          : Type(dtype, shape).brief();
}

/// An array of the step.
struct Memory {
  DType dtype;
  Plan::Shape shape;
  char *data;
};

/// Extents of arrays, one after the other, to an int64 array.
class ExtentsWriter {
public:
  explicit ExtentsWriter(const Memory &to)
      : next_(reinterpret_cast<int64_t *>(to.data)), end_(next_ + to.shape[0]) {
    std::fill(next_, end_, 0);
  }
  void write(absl::Span<const int64_t> extents) {
    for (int64_t extent : extents)
      if (next_ != end_)
        *next_++ = extent;
  }

private:
  int64_t *next_, *end_;
};

int64_t numElements(absl::Span<const int64_t> shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

/// Runs a body whose outputs must have certain shapes, as `check` says. Those of views are looked
/// at in the end. `memoryOf` gives an output's memory, `countOf` for how many elements it is.
absl::Status runChecked(BodyRun &body, absl::Span<void *const> inputs,
                        absl::FunctionRef<absl::Status(size_t, absl::Span<const int64_t>)> check,
                        absl::FunctionRef<void *(size_t)> memoryOf,
                        absl::FunctionRef<int64_t(size_t)> countOf) {
  absl::Status s =
      body.run(inputs, [&](size_t k, absl::Span<const int64_t> shape) -> absl::StatusOr<void *> {
        if (body.isView(k))
          return countOf(k) == numElements(shape) ? absl::StatusOr<void *>(memoryOf(k))
                                                  : body.memoryApart(k, shape);
        absl::Status good = check(k, shape);
        return good.ok() ? absl::StatusOr<void *>(memoryOf(k)) : good;
      });
  for (size_t k = 0; s.ok() && k < body.numOutputs(); ++k)
    if (body.isView(k))
      s = check(k, body.shapeOfOutput(k));
  return s;
}

/// Runs a body once for the shapes of its outputs, from `first` on.
absl::Status writeExtents(BodyRun &body, const Program &program, absl::Span<void *const> inputs,
                          size_t first, size_t end, const Memory &to) {
  absl::Status s = body.run(inputs, [&](size_t k, absl::Span<const int64_t> shape) {
    return body.memoryApart(k, shape);
  });
  if (!s.ok())
    return s;
  ExtentsWriter writer(to);
  for (size_t k = first; k < end; ++k) { // without the axis of pairs
    const Plan::Shape shape = body.shapeOfOutput(k);
    writer.write(absl::MakeConstSpan(shape).first(shape.size() - program.outputs[k].isComplex));
  }
  return absl::OkStatus();
}

/// One run of a step, without axes in front.
class ControlRun {
public:
  /// `profile`: null, or that of the program around.
  ControlRun(const Executable::State &state, const Program::Step &step, int threads,
             RunProfile *profile)
      : state_(state), step_(step), control_(state.program.controls[size_t(step.callee)]),
        bodies_(state.bodies[size_t(step.callee)]), threads_(threads), profile_(profile) {
    for (size_t body = 0; profile && body < bodies_.size(); ++body)
      firstSteps_.push_back(firstStepOf(state.program, step, body) - state.program.steps.size());
  }

  /// `arrays`: those of the step; `scratch` likewise.
  absl::Status run(std::vector<Memory> arrays, void *const *scratch) {
    arrays_ = std::move(arrays);
    scratch_ = scratch;
    return control_.isLoop ? runLoop() : runBranch();
  }

private:
  struct Moving { // a kernel's pointer
    void **slot;
    char *now;
    int64_t stride;
    char *end;    // of a ring, where it starts anew
    int64_t ring; // its bytes
  };
  /// Where a body's input or output is in step t.
  struct Track {
    char *before = nullptr; // in steps below `from`, that of step 0
    char *data = nullptr;   // in the others: that of step `from`
    int64_t from = 0, stride = 0, strideBefore = 0;
    int64_t count = 0; // buffers of a ring; 0: none
    char *at(int64_t t) const {
      if (t < from)
        return before + t * strideBefore;
      if (count == 0)
        return data + (t - from) * stride;
      return data + (t - from) % count * stride;
    }
    /// In the rows of a result, for so many steps.
    void goRoundIn(int64_t rows, int64_t steps) { count = rows < steps ? rows : 0; }
  };

  absl::Status runBranch();
  absl::Status runLoop();
  RunProfile *ofBody() { return profile_ ? &ofBody_ : nullptr; }
  void addProfile(size_t body);
  void addSequences(int64_t steps);
  void addStates(int64_t steps);
  void addResults(int64_t steps);
  void putInOrder(int64_t done);
  absl::Status checkShape(size_t output, absl::Span<const int64_t> shape) const;
  absl::StatusOr<int64_t> runSteady(BodyRun &body, int64_t steps);
  absl::StatusOr<int64_t> runSteps(BodyRun &body, int64_t steps);
  bool ends(int64_t t) const { return control_.hasUntil && *outputs_.back().at(t) != 0; }

  size_t firstState() const { return 1 + control_.sequences.size(); }
  size_t numResults() const { return arrays_.size() - size_t(step_.numInputs) - 1; }
  size_t firstWhole() const { return firstState() + control_.states.size(); }
  const Memory &result(size_t k) const { return arrays_[size_t(step_.numInputs) + k]; }

  const Executable::State &state_;
  const Program::Step &step_;
  const Program::Control &control_;
  const std::vector<std::unique_ptr<Executable::State>> &bodies_;
  const int threads_;
  RunProfile *const profile_;
  RunProfile ofBody_;              // what is not added yet
  std::vector<size_t> firstSteps_; // in `within` of `profile_`, by body
  std::vector<Memory> arrays_;
  void *const *scratch_ = nullptr;
  // Of loops.
  std::vector<Track> inputs_, outputs_;           // of the body
  std::vector<Plan::Shape> inputShapes_;          // likewise
  std::vector<Plan::Shape> outputShapes_;         // those that they must have
  std::vector<std::pair<char *, int64_t>> rings_; // of states: buffers and their bytes
};

/// What runs of a body have told since the last time.
void ControlRun::addProfile(size_t body) {
  if (!profile_)
    return;
  std::vector<RunProfile::Sum> &all = profile_->within;
  if (all.empty())
    all.resize(numStepsOf(state_.program) - state_.program.steps.size());
  const size_t first = firstSteps_[body], numSteps = bodies_[body]->program.steps.size();
  for (const RunProfile::StepRun &run : ofBody_.steps)
    all[first + size_t(run.step)].add({1, run.end - run.start, run.cost});
  for (size_t k = 0; k < ofBody_.within.size(); ++k)
    all[first + numSteps + k].add(ofBody_.within[k]);
  ofBody_ = {};
}

absl::Status ControlRun::runBranch() {
  int64_t chosen;
  std::memcpy(&chosen, arrays_[0].data, sizeof chosen);
  const size_t number = chosen != 0 ? 0 : 1;
  const Executable::State &taken = *bodies_[number];
  BodyRun body(taken, threads_, ofBody());
  std::vector<Plan::Shape> shapes;
  SmallPointers inputs;
  for (size_t k = 1; k < size_t(step_.numInputs); ++k) {
    shapes.push_back(arrays_[k].shape);
    inputs.push_back(arrays_[k].data);
  }
  if (absl::Status s = body.start(std::move(shapes)); !s.ok())
    return s;
  absl::Status s;
  if (control_.givesExtents)
    s = writeExtents(body, taken.program, inputs, 0, taken.program.outputs.size(), result(0));
  else
    s = runChecked(
        body, inputs,
        [&](size_t k, absl::Span<const int64_t> shape) -> absl::Status {
          if (shape == absl::MakeConstSpan(result(k).shape))
            return absl::OkStatus();
          return makeError(ErrorKind::ShapeError,
                           "result " + std::to_string(k) + " was " +
                               briefOf(taken.program.outputs[k], result(k).dtype, result(k).shape) +
                               " and becomes " +
                               briefOf(taken.program.outputs[k], result(k).dtype, shape));
        },
        [&](size_t k) { return result(k).data; },
        [&](size_t k) { return numElements(result(k).shape); });
  addProfile(number);
  return s;
}

void ControlRun::addSequences(int64_t steps) {
  for (size_t k = 0; k < control_.sequences.size(); ++k) {
    const Memory &sequence = arrays_[1 + k];
    const Plan::Shape shape = withoutFirst(sequence.shape);
    const int64_t bytes = bytesOf(sequence.dtype, shape);
    // As many steps as it is enough for; the last of them is first where it goes backwards.
    const int64_t most = sequence.shape[0] - control_.margin(k);
    for (int32_t tap : control_.sequences[k]) {
      Track &track = inputs_.emplace_back();
      int64_t first = tap + control_.lead(k) + (control_.goesBackwards ? most - 1 : 0);
      track.data = steps > 0 ? sequence.data + first * bytes : sequence.data;
      track.stride = control_.goesBackwards ? -bytes : bytes;
      inputShapes_.push_back(shape);
    }
  }
}

void ControlRun::addStates(int64_t steps) {
  size_t ring = 0;
  for (size_t k = 0; k < control_.states.size(); ++k) {
    const Memory &initial = arrays_[firstState() + k];
    const bool hasAxis = control_.hasHistoryAxis(k), keepsLast = control_.keepsLast[k] != 0;
    const Plan::Shape shape = hasAxis ? withoutFirst(initial.shape) : initial.shape;
    const int64_t bytes = bytesOf(initial.dtype, shape), history = control_.history(k);
    char *values = nullptr; // of step 0; null where only extents are wanted
    if (keepsLast)
      values = static_cast<char *>(scratch_[ring++]);
    else if (!control_.givesExtents)
      values = result(k).data;
    rings_.emplace_back(values, bytes);
    Track written;
    written.data = values;
    written.stride = bytes;
    if (keepsLast)
      written.count = history + 1;
    else if (!control_.givesExtents)
      written.goRoundIn(result(k).shape[0], steps);
    for (int32_t tap : control_.states[k]) {
      Track &track = inputs_.emplace_back();
      track.before = initial.data + (history + tap) * bytes;
      track.strideBefore = bytes;
      track.from = -tap;
      track.data = values;
      track.stride = bytes;
      track.count = written.count;
      inputShapes_.push_back(shape);
    }
    outputs_.push_back(written);
    outputShapes_.push_back(shape);
  }
}

void ControlRun::addResults(int64_t steps) {
  for (size_t k = control_.states.size(); k < numResults(); ++k) {
    Track &track = outputs_.emplace_back();
    outputShapes_.push_back(withoutFirst(result(k).shape));
    track.data = result(k).data;
    track.stride = bytesOf(result(k).dtype, outputShapes_.back());
    if (control_.stacksBackwards && steps > 0) {
      track.data += (steps - 1) * track.stride;
      track.stride = -track.stride;
    } else if (result(k).shape[0] == 1) { // it does not move
      track.stride = 0;
    } else {
      track.goRoundIn(result(k).shape[0], steps);
    }
  }
  if (!control_.hasUntil)
    return;
  outputs_.emplace_back().data = static_cast<char *>(scratch_[step_.scratch.size() - 1]);
  outputShapes_.emplace_back();
}

/// The rows of results that are rings, the oldest first.
void ControlRun::putInOrder(int64_t done) {
  for (size_t k = 0; k < numResults(); ++k) {
    const Track &track = outputs_[k];
    if ((k < control_.states.size() && control_.keepsLast[k]) || done <= track.count)
      continue;
    if (track.count > 1)
      std::rotate(track.data, track.at(done), track.data + track.count * track.stride);
  }
}

absl::Status ControlRun::checkShape(size_t output, absl::Span<const int64_t> shape) const {
  if (shape == absl::MakeConstSpan(outputShapes_[output]))
    return absl::OkStatus();
  const Program::Output &given = bodies_[0]->program.outputs[output];
  auto brief = [&](DType dtype, absl::Span<const int64_t> of) { return briefOf(given, dtype, of); };
  const std::string name = nameOfResult(given.name, output, control_.states.size());
  if (output < control_.states.size()) {
    DType dtype = arrays_[firstState() + output].dtype;
    return stateChanged(name, brief(dtype, outputShapes_[output]), brief(dtype, shape));
  }
  DType dtype = result(output).dtype;
  return resultDiffers(name, brief(dtype, shape), brief(dtype, result(output).shape));
}

absl::Status ControlRun::runLoop() {
  int64_t steps;
  std::memcpy(&steps, arrays_[0].data, sizeof steps);
  const Executable::State &state = *bodies_[0];
  addSequences(steps);
  addStates(steps);
  for (size_t k = firstWhole(); k < size_t(step_.numInputs); ++k) {
    inputs_.emplace_back().data = arrays_[k].data;
    inputShapes_.push_back(arrays_[k].shape);
  }
  if (control_.givesExtents && steps <= 0) {
    ExtentsWriter none(result(0));
    return absl::OkStatus();
  }
  BodyRun body(state, threads_, ofBody());
  int64_t done = 0;
  if (steps > 0)
    if (absl::Status s = body.start(inputShapes_); !s.ok())
      return atStep(s, 0);
  if (control_.givesExtents) {
    SmallPointers inputs;
    for (const Track &track : inputs_)
      inputs.push_back(track.at(0));
    absl::Status s =
        writeExtents(body, state.program, inputs, control_.states.size(),
                     state.program.outputs.size() - size_t(control_.hasUntil), result(0));
    addProfile(0);
    return s.ok() ? s : atStep(s, 0);
  }
  for (size_t k = 0; k < numResults(); ++k) // no program that was made here
    if (!(k < control_.states.size() && control_.keepsLast[k]) && steps > 0 &&
        result(k).shape[0] < 1)
      return makeError(ErrorKind::Internal, "a loop's result has no rows");
  addResults(steps);
  if (steps > 0) {
    absl::StatusOr<int64_t> all = body.isSteady() ? runSteady(body, steps) : runSteps(body, steps);
    if (!all.ok())
      return all.status();
    done = *all;
  }
  for (size_t k = 0; k < control_.states.size(); ++k) {
    if (!control_.keepsLast[k])
      continue;
    auto [buffers, bytes] = rings_[k];
    const int64_t history = control_.history(k);
    const Memory &initial = arrays_[firstState() + k];
    const char *last = done > 0 ? outputs_[k].at(done - 1) : initial.data + (history - 1) * bytes;
    if (bytes > 0)
      std::memcpy(result(k).data, last, size_t(bytes));
  }
  putInOrder(done);
  std::memcpy(arrays_.back().data, &done, sizeof done);
  return absl::OkStatus();
}

/// Sizes depend on elements: each step may have a plan of its own.
absl::StatusOr<int64_t> ControlRun::runSteps(BodyRun &body, int64_t steps) {
  SmallPointers inputs(inputs_.size());
  for (int64_t t = 0; t < steps; ++t) {
    if (absl::Status s = checkCancelled(); !s.ok())
      return s;
    for (size_t k = 0; k < inputs_.size(); ++k)
      inputs[k] = inputs_[k].at(t);
    absl::Status s = runChecked(
        body, inputs,
        [&](size_t k, absl::Span<const int64_t> shape) { return checkShape(k, shape); },
        [&](size_t k) { return outputs_[k].at(t); },
        [&](size_t k) { return numElements(outputShapes_[k]); });
    if (!s.ok())
      return atStep(s, t);
    addProfile(0);
    if (ends(t))
      return t + 1;
  }
  return steps;
}

/// One plan, whose pointers move.
absl::StatusOr<int64_t> ControlRun::runSteady(BodyRun &body, int64_t steps) {
  const Executable::State &state = *bodies_[0];
  for (size_t k = 0; k < outputs_.size(); ++k)
    if (absl::Status s = checkShape(k, body.shapeOfOutput(k)); !s.ok())
      return atStep(s, 0);
  Frame &frame = body.frame();
  const Plan &plan = body.plan();
  // What does not move is set once; the first steps, which read initial states, are placed one by
  // one; then pointers only move on.
  std::vector<Moving> moving, rings;
  struct Slot {
    void **pointer;
    const Track *track;
    int64_t begin; // of a part, in what the track has
    char *at(int64_t t) const { return track->at(t) + begin; }
  };
  std::vector<Slot> slots;
  int64_t warm = 0;
  for (const Frame::Patch &p : frame.inputs())
    slots.push_back({frame.pointers() + p.position, &inputs_[size_t(p.source)], p.begin});
  for (const Frame::Patch &p : frame.outputs())
    slots.push_back({frame.pointers() + p.position, &outputs_[size_t(p.source)], p.begin});
  std::erase_if(slots, [&](const Slot &slot) {
    *slot.pointer = slot.at(0);
    warm = std::max(warm, slot.track->from);
    return slot.track->from == 0 && slot.track->stride == 0;
  });
  moving.reserve(slots.size());

  struct Call {
    KernelFunction function; // null: a copy
    void **pointers;
    const int64_t *arguments;
    const Program::Step *step;
    int64_t bytes;
  };
  std::vector<Call> calls;
  int64_t numKernels = 0;
  for (size_t s = 0; s < state.program.steps.size(); ++s) {
    const Program::Step &step = state.program.steps[s];
    const Plan::StepPlan &placed = plan.steps[s];
    using Kind = Program::Step::Kind;
    if ((step.kind != Kind::Kernel && step.kind != Kind::Copy) ||
        (threads_ > 1 && placed.parallel) || placed.isIdle || profile_) {
      calls.clear();
      break;
    }
    const Program::Array &first = state.program.arrays[size_t(step.arrays[0])];
    calls.push_back({step.kind == Kind::Kernel ? state.functions[size_t(step.callee)] : nullptr,
                     frame.pointersOf(placed), plan.arguments.data() + placed.firstArgument, &step,
                     step.kind == Kind::Copy ? plan.bytesOf(first) : 0});
    numKernels += step.kind == Kind::Kernel;
  }
  const bool isPlain = calls.size() == state.program.steps.size();
  const std::optional<Cancellation> &cancellation = CancelScope::current();
  auto count = [&](int64_t done) {
    if (isPlain)
      state_.counters.kernels.fetch_add(done * numKernels, std::memory_order_relaxed);
    return done;
  };
  auto failed = [&](const Call &call, int32_t result, int64_t t) {
    count(t + 1);
    return atStep(kernelError(state.program, *call.step, result, call.pointers, plan.sizes), t);
  };
  // Kernels alone, as many steps as there are: a step may have 20 ns of work.
  auto isBare = [&] {
    return isPlain && numKernels == int64_t(calls.size()) && !control_.hasUntil && !cancellation;
  };
  auto moveOn = [&] {
    for (const Moving &m : moving)
      *m.slot = static_cast<char *>(*m.slot) + m.stride;
    for (Moving &m : rings) {
      m.now += m.stride;
      if (m.now == m.end)
        m.now -= m.ring;
      *m.slot = m.now;
    }
  };
  for (int64_t t = 0; t < steps; ++t) {
    if (t == warm + 1 && isBare()) {
      for (; t < steps; ++t) {
        moveOn();
        for (const Call &call : calls)
          if (int32_t result = call.function(call.pointers, call.arguments))
            return failed(call, result, t);
      }
      return count(steps);
    }
    if (t <= warm) {
      for (const Slot &slot : slots)
        *slot.pointer = slot.at(t);
      if (t == warm)
        for (const auto &[pointer, track, begin] : slots) {
          const int64_t ring = track->count * track->stride;
          (ring > 0 ? rings : moving)
              .push_back({pointer, static_cast<char *>(*pointer), track->stride,
                          track->data + ring + begin, ring});
        }
    } else {
      moveOn();
    }
    if (cancellation && cancellation->isCancelled())
      return checkCancelled();
    if (!isPlain) {
      if (absl::Status s = body.run(); !s.ok())
        return atStep(s, t);
      addProfile(0);
    } else {
      for (const Call &call : calls) {
        if (!call.function) {
          if (call.bytes > 0)
            std::memcpy(call.pointers[1], call.pointers[0], size_t(call.bytes));
        } else if (int32_t result = call.function(call.pointers, call.arguments)) {
          return failed(call, result, t);
        }
      }
    }
    if (ends(t))
      return count(t + 1);
  }
  return count(steps);
}

} // namespace

absl::Status Executable::State::runControl(const Program::Step &step, void **pointers,
                                           const Plan &plan, int threads,
                                           RunProfile *profile) const {
  const Program::Control &control = program.controls[size_t(step.callee)];
  std::vector<Memory> arrays;
  for (size_t k = 0; k < step.arrays.size(); ++k) {
    const Program::Array &array = program.arrays[size_t(step.arrays[k])];
    arrays.push_back({array.dtype, plan.shapeOf(array), static_cast<char *>(pointers[k])});
  }
  void *const *scratch = pointers + step.arrays.size();
  auto fail = [&](const absl::Status &s) {
    const Program::Failure &failure = program.failures[size_t(step.failures[0])];
    ErrorKind kind = errorKind(s);
    return failureError(
        program,
        {kind == ErrorKind::Internal ? failure.kind : kind, std::string(s.message()), failure.node},
        plan.sizes);
  };
  if (control.numLevels == 0) {
    absl::Status s = ControlRun(*this, step, threads, profile).run(std::move(arrays), scratch);
    return s.ok() ? s : fail(s);
  }
  // Each slice along the axes in front; inputs have some of them.
  const auto numLevels = size_t(control.numLevels);
  const Plan::Shape whole = arrays.back().shape;
  const Plan::Shape counts(whole.begin(), whole.begin() + ptrdiff_t(numLevels));
  int64_t total = 1;
  for (int64_t extent : counts)
    total *= extent;
  std::vector<uint32_t> levels = control.levels;
  levels.resize(arrays.size(), (uint32_t(1) << numLevels) - 1);
  for (size_t k = 0; k < arrays.size(); ++k)
    arrays[k].shape.erase(arrays[k].shape.begin(),
                          arrays[k].shape.begin() + std::popcount(levels[k]));
  for (int64_t position = 0; position < total; ++position) {
    std::vector<Memory> slices = arrays;
    for (size_t k = 0; k < slices.size(); ++k) {
      int64_t index = 0, left = total;
      for (size_t level = 0; level < numLevels; ++level) {
        left /= counts[level];
        if (levels[k] >> level & 1)
          index = index * counts[level] + position / left % counts[level];
      }
      slices[k].data += index * bytesOf(slices[k].dtype, slices[k].shape);
    }
    if (absl::Status s = ControlRun(*this, step, threads, profile).run(std::move(slices), scratch);
        !s.ok())
      return fail(s);
  }
  return absl::OkStatus();
}

} // namespace graphc
