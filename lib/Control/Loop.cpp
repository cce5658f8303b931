//===- Loop.cpp - a body, many times ---------------------------------------===//
#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>

#include "Control/Control.h"
#include "Eval/Evaluate.h"
#include "Runtime/LoopErrors.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Ops.h"

namespace graphc {

bool Loop::hasRows() const {
  auto isSome = [](int64_t rows) { return rows != 0; };
  return std::ranges::any_of(stateRows, isSome) || std::ranges::any_of(mappedRows, isSome);
}

namespace {

/// A window of `x` at `index` of its first axis, without that axis.
absl::StatusOr<Tensor> elementOf(const Tensor &x, int64_t index) {
  absl::Span<const int64_t> shape = x.shape().subspan(1);
  int64_t bytes = byteSize(x.dtype());
  for (int64_t extent : shape)
    bytes *= extent;
  auto *first = static_cast<char *>(const_cast<void *>(x.data()));
  return Tensor::borrow(x.dtype(), first + index * bytes, shape);
}

/// One run of a loop. Operands are as the host call has them: the number of steps comes first.
class LoopRun {
public:
  LoopRun(const Control &control, absl::Span<const Tensor> operands)
      : loop_(*control.loop), steps_(operands[0].item<int64_t>()), operands_(operands.subspan(1)),
        body_(control.bodies[0].outputs(), control.bodies[0].inputs()) {}

  absl::Status start() {
    for (size_t k = 0; k < loop_.states.size(); ++k) {
      const Tensor &initial = operands_[loop_.sequences.size() + k];
      std::deque<Tensor> &history = histories_.emplace_back();
      if (!hasHistoryAxis(loop_.states[k])) {
        history.push_back(initial);
        continue;
      }
      for (int64_t i = 0; i < historyOf(loop_.states[k]); ++i) {
        absl::StatusOr<Tensor> value = elementOf(initial, i);
        if (!value.ok())
          return value.status();
        history.push_back(*std::move(value));
      }
    }
    return absl::OkStatus();
  }

  /// What the body gives in step `t`.
  absl::StatusOr<std::vector<Tensor>> step(int64_t t) {
    std::vector<Tensor> inputs;
    for (size_t k = 0; k < loop_.sequences.size(); ++k) {
      const Tensor &sequence = operands_[k];
      const std::vector<int> &taps = loop_.sequences[k];
      const int64_t most = sequence.shape()[0] - marginOf(taps); // steps
      const int64_t at = loop_.goesBackwards ? most - 1 - t : t;
      for (int tap : taps) {
        absl::StatusOr<Tensor> element = elementOf(sequence, at + tap + leadOf(taps));
        if (!element.ok())
          return element.status();
        inputs.push_back(*std::move(element));
      }
    }
    for (size_t k = 0; k < loop_.states.size(); ++k)
      for (int tap : loop_.states[k])
        inputs.push_back(histories_[k][histories_[k].size() - size_t(-tap)]);
    for (const Tensor &constant : operands_.subspan(loop_.sequences.size() + loop_.states.size()))
      inputs.push_back(constant);
    absl::StatusOr<std::vector<Tensor>> results = body_.run(inputs);
    if (!results.ok())
      return atStep(results.status(), t);
    for (Tensor &result : *results)
      result = result.contiguous();
    return results;
  }

  /// Fills `outputs`; the last one is the number of steps that were done.
  absl::Status run(absl::Span<Tensor> outputs) {
    int64_t t = 0;
    const size_t numStates = loop_.states.size();
    for (bool ends = false; t < steps_ && !ends; ++t) {
      absl::StatusOr<std::vector<Tensor>> results = step(t);
      if (!results.ok())
        return results.status();
      for (size_t k = 0; k < numStates; ++k) {
        Tensor &fresh = (*results)[k];
        if (fresh.shape() != histories_[k].back().shape())
          return atStep(
              stateChanged(loop_.stateNames[k], briefOf(histories_[k].back()), briefOf(fresh)), t);
        if (!loop_.keepsLast[k])
          if (absl::Status s = put(fresh, outputs[k], t, loop_.nameOf(k)); !s.ok())
            return atStep(s, t);
        histories_[k].push_back(std::move(fresh));
        histories_[k].pop_front();
      }
      const int64_t row = loop_.stacksBackwards ? steps_ - 1 - t : t;
      for (size_t k = numStates; k < numStates + size_t(loop_.numMapped); ++k)
        if (absl::Status s = put((*results)[k], outputs[k], row, loop_.nameOf(k)); !s.ok())
          return atStep(s, t);
      ends = loop_.hasUntil && results->back().item<bool>();
    }
    for (size_t k = 0; k < numStates + size_t(loop_.numMapped); ++k) {
      if (k >= numStates || !loop_.keepsLast[k])
        putInOrder(outputs[k], t);
      else if (absl::Status s = outputs[k].assign(histories_[k].back()); !s.ok())
        return s;
    }
    outputs.back().mutableFlat<int64_t>()[0] = t;
    return absl::OkStatus();
  }

private:
  static std::string briefOf(const Tensor &t) { return Type(t.dtype(), t.shape()).brief(); }

  static absl::Status put(const Tensor &value, Tensor &all, int64_t row, const std::string &name) {
    if (value.shape() != all.shape().subspan(1))
      return resultDiffers(name, briefOf(value), briefOf(all));
    if (value.numBytes() > 0)
      std::memcpy(static_cast<char *>(all.data()) + row % all.shape()[0] * value.numBytes(),
                  value.data(), size_t(value.numBytes()));
    return absl::OkStatus();
  }

  /// Where there are fewer rows than steps, a step's row is its number modulo theirs.
  static void putInOrder(Tensor &all, int64_t done) {
    const int64_t rows = all.shape()[0];
    if (done <= rows || all.numBytes() == 0)
      return;
    auto *first = static_cast<char *>(all.data());
    std::rotate(first, first + done % rows * (all.numBytes() / rows), first + all.numBytes());
  }

  const Loop &loop_;
  const int64_t steps_;
  absl::Span<const Tensor> operands_;
  std::vector<std::deque<Tensor>> histories_;
  GraphEval body_;
};

/// Runs the first step for the extents of the further results alone; zeros where there is none.
Array extentsByRunning(const std::shared_ptr<const Control> &control, Emitter &e,
                       const Arrays &operands, int64_t count) {
  HostFunction host = [control](absl::Span<const Tensor> inputs,
                                absl::Span<Tensor> outputs) -> absl::Status {
    absl::Span<int64_t> extents = outputs[0].mutableFlat<int64_t>();
    std::ranges::fill(extents, 0);
    if (inputs[0].item<int64_t>() <= 0)
      return absl::OkStatus();
    LoopRun run(*control, inputs);
    if (absl::Status s = run.start(); !s.ok())
      return s;
    absl::StatusOr<std::vector<Tensor>> results = run.step(0);
    if (!results.ok())
      return results.status();
    auto next = extents.begin();
    for (int k = 0; k < control->loop->numMapped; ++k)
      next =
          std::ranges::copy((*results)[control->loop->states.size() + size_t(k)].shape(), next).out;
    return absl::OkStatus();
  };
  return e.hostCall(host, operands, {{DType::Int64, {e.size(count)}}},
                    controlStep(*control, /*givesExtents=*/true))[0];
}

/// F-314, F-315.
Extent numSteps(const Loop &loop, Emitter &e, const Arrays &in) {
  std::optional<Extent> least;
  if (loop.hasSteps) {
    least = e.element(in[0]);
    e.require(e.size(0), Predicate::LessEqual, *least, ErrorKind::ValueError,
              "the number of steps is {b}, which is negative; goBackwards reads sequences from "
              "their ends");
  }
  for (size_t k = 0; k < loop.sequences.size(); ++k) {
    Extent length = e.dim(in[loop.firstSequence() + k], 0);
    Extent most = max(length - marginOf(loop.sequences[k]), e.size(0));
    if (loop.hasSteps)
      e.require(*least, Predicate::LessEqual, most, ErrorKind::ValueError,
                "there are {a} steps, and sequence " + loop.names[k] + " is enough for {b}");
    else
      least = least ? min(*least, most) : most;
  }
  return *least;
}

} // namespace

Arrays emitLoop(const std::shared_ptr<const Control> &control, Emitter &e, const Arrays &in) {
  const Loop &loop = *control->loop;
  Extent steps = numSteps(loop, e, in);
  // What each of the body's inputs is a part of.
  std::vector<std::pair<Array, int>> parts; // axes that it lacks
  for (size_t k = 0; k < loop.sequences.size(); ++k)
    parts.insert(parts.end(), loop.sequences[k].size(), {in[loop.firstSequence() + k], 1});
  for (size_t k = 0; k < loop.states.size(); ++k) {
    Array initial = in[loop.firstState() + k];
    bool hasAxis = hasHistoryAxis(loop.states[k]);
    parts.insert(parts.end(), loop.states[k].size(), {initial, hasAxis});
    if (hasAxis)
      e.require(e.dim(initial, 0), Predicate::Equal, e.size(historyOf(loop.states[k])),
                ErrorKind::ShapeError,
                loop.stateNames[k] +
                    " starts from {b} values, as its taps say, but the first axis of its initial "
                    "value has {a}");
  }
  for (size_t i = loop.firstConstant(); i < in.size(); ++i)
    parts.emplace_back(in[i], 0);
  std::vector<Extents> shapes = shapesOfResults(e, control->bodies[0], [&](size_t input, int axis) {
    return e.dim(parts[input].first, axis + parts[input].second);
  });
  Arrays operands = {e.define({}, [&](Indices) { return e.scalar(steps); })};
  operands.insert(operands.end(), in.begin() + ptrdiff_t(loop.firstSequence()), in.end());
  int64_t count = 0;
  for (int k = 0; k < loop.numMapped; ++k)
    count += int64_t(shapes[loop.states.size() + size_t(k)].size());
  std::optional<Array> extents;
  int64_t position = 0;
  std::vector<std::pair<DType, Extents>> results;
  for (size_t k = 0; k < control->results.size(); ++k) {
    Extents shape;
    if (k < loop.states.size()) {
      Array initial = in[loop.firstState() + k];
      shape = e.shape(initial);
      if (hasHistoryAxis(loop.states[k]))
        shape.erase(shape.begin());
    } else {
      for (Extent extent : shapes[k]) {
        if (!extent.emitter() && !extents)
          extents = extentsByRunning(control, e, operands, count);
        shape.push_back(extent.emitter() ? extent : e.element(*extents, position));
        ++position;
      }
    }
    if (k >= loop.states.size() || !loop.keepsLast[k])
      shape.insert(shape.begin(), loop.rowsOf(k) > 0 ? min(e.size(loop.rowsOf(k)), steps) : steps);
    results.emplace_back(control->results[k].dtype(), shape);
  }
  results.push_back({DType::Int64, {}});
  HostFunction host = [control](absl::Span<const Tensor> inputs,
                                absl::Span<Tensor> outputs) -> absl::Status {
    LoopRun run(*control, inputs);
    absl::Status s = run.start();
    return s.ok() ? run.run(outputs) : s;
  };
  Arrays made = e.hostCall(host, operands, results, controlStep(*control));
  Array done = made.back();
  made.pop_back();
  if (!loop.hasUntil)
    return made;
  for (size_t k = 0; k < made.size(); ++k) { // cut to the steps that were done
    if (k < loop.states.size() && loop.keepsLast[k])
      continue;
    Extents shape = e.shape(made[k]);
    shape[0] = min(e.element(done), shape[0]);
    auto cut = [&](Array all) {
      return e.define(shape, [&](Indices i) { return e.load(all, i); });
    };
    auto [re, im] = e.parts(made[k]);
    made[k] = isComplex(e.dtype(made[k])) ? e.complex(cut(re), cut(im)) : cut(re);
  }
  return made;
}

Variable stepsOf(const Loop &loop, const Variables &steps, const Variables &sequences) {
  if (!steps.empty())
    return steps[0];
  Variable least;
  for (size_t k = 0; k < sequences.size(); ++k) {
    Variable most = maximum(sequences[k].shape()[0] - marginOf(loop.sequences[k]), int64_t(0));
    least = k == 0 ? most : minimum(least, most);
  }
  return least;
}

/// How many steps there are, where types tell; else kDynamic.
static int64_t knownSteps(const Loop &loop, const Variables &operands) {
  if (loop.hasUntil)
    return kDynamic;
  if (loop.hasSteps) {
    std::optional<Constant> steps = Constant::from(operands[0]);
    return steps ? std::max<int64_t>(steps->data().item<int64_t>(), kDynamic) : kDynamic;
  }
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t k = 0; k < loop.sequences.size(); ++k) {
    int64_t length = operands[loop.firstSequence() + k].type().extent(0);
    if (length == kDynamic)
      return kDynamic;
    least = std::min(least, std::max<int64_t>(length - marginOf(loop.sequences[k]), 0));
  }
  return least;
}

absl::StatusOr<Variables> makeLoop(Loop loop, const Variables &inputs, Variables outputs,
                                   const Variables &operands, Place place) {
  loop.keepsLast.resize(loop.states.size());
  loop.stateRows.resize(loop.states.size());
  loop.mappedRows.resize(size_t(loop.numMapped));
  loop.names.resize(loop.sequences.size());
  loop.stateNames.resize(loop.states.size());
  loop.mappedNames.resize(size_t(loop.numMapped));
  size_t number = 0;
  for (auto *names : {&loop.stateNames, &loop.mappedNames})
    for (std::string &name : *names)
      name = nameOfResult(name, number++, loop.states.size());
  if (loop.hasUntil && outputs.back().dtype() != DType::Bool)
    outputs.back() = cast(outputs.back(), DType::Bool);
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(inputs, outputs);
  if (!graph.ok())
    return graph.status();
  absl::StatusOr<FrozenGraph> body = graph->freeze();
  if (!body.ok())
    return body.status();
  Control control;
  for (const Apply &node : body->order())
    if (const Control *inner = controlOf(node.op()))
      control.levels = std::max(control.levels, 1 + inner->levels);
  if (control.levels > kMostLevels)
    return tooManyLevels(place);
  size_t numResults = loop.states.size() + size_t(loop.numMapped);
  const int64_t length = knownSteps(loop, operands);
  for (size_t k = 0; k < numResults; ++k) {
    Type type = outputs[k].type();
    std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
    if (k < loop.states.size()) { // those of the initial one are sure
      const Variable &initial = operands[loop.firstState() + k];
      bool hasAxis = hasHistoryAxis(loop.states[k]);
      for (size_t axis = 0; axis < shape.size(); ++axis)
        shape[axis] = initial.type().extent(int(axis) + hasAxis);
    }
    if (k >= loop.states.size() || !loop.keepsLast[k])
      shape.insert(shape.begin(), loop.rowsOf(k) > 0 ? std::min(loop.rowsOf(k), length) : length);
    control.results.push_back(type.withShape(shape));
  }
  control.bodies.push_back(*std::move(body));
  control.loop = std::move(loop);
  absl::StatusOr<Op> op = controlOp(std::move(control));
  if (!op.ok())
    return op.status();
  absl::StatusOr<Apply> node =
      op->makeNode(std::vector<Operand>(operands.begin(), operands.end()), place);
  if (!node.ok())
    return node.status();
  return node->outputs();
}

} // namespace graphc
