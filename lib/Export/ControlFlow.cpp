//===- ControlFlow.cpp - branches, loops, graphs of slices -------------------===//
//
// A branch is If, whose graphs hold what only one of them needs. A loop is Scan where its sequences
// say how many steps there are, and else Loop, whose steps read sequences at their number. What
// surrounds the operator (parts of sequences, windows of states) is written as a composition.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <limits>

#include "Export/GraphWriter.h"
#include "Ops/Build.h"

namespace graphc {
namespace {

using V = Variable;

/// The user's name, where there is one.
std::string_view stemOf(const V &v, std::string_view otherwise) {
  return v.name().empty() ? otherwise : std::string_view(v.name());
}

/// A stand-in for a part of a graph within.
V placeholder(const Type &type, DType dtype, int64_t windowOf = 0) {
  IntList shape(type.shape().begin(), type.shape().end());
  if (windowOf > 0)
    shape.insert(shape.begin(), windowOf);
  return V(Type(dtype, shape));
}

class LoopWriter {
public:
  LoopWriter(GraphWriter &g, const Apply &node, const Control &control)
      : g_(g), w_(g.onnx()), node_(node), loop_(*control.loop), body_(control.bodies[0]),
        inputs_(body_.inputs()) {}
  std::vector<Values> write();

private:
  struct State {
    int history = 1;
    bool hasWindow = false;
    Values initial; // the window, or the one value
  };
  V operand(size_t i) const { return node_.input(int(i)); }
  V steps() const;
  V element(const V &sequence, const V &count, int tap, size_t k) const;
  void prepare();
  void addStates(Values &to);
  std::vector<Type> addInitial(Values &operands) const;
  void bindStates(size_t first);
  void addNext(const std::vector<Values> &outputs, Values &next, Values &all);
  Value withExtents(const Value &all, size_t k, size_t part);
  std::vector<Values> collect(const Values &results);
  Values scan();
  Values loop();

  GraphWriter &g_;
  OnnxWriter &w_;
  const Apply &node_;
  const Loop &loop_;
  const FrozenGraph &body_;
  const Variables inputs_;
  Variables sequences_;      // by tap: its elements in the order of the steps
  std::vector<Values> rows_; // their values
  Value steps_;
  std::vector<State> states_;
  std::vector<Variables> windows_; // within the body, by state: those of its values
  std::vector<Type> resultTypes_;  // of what all steps give
};

/// F-314, F-315.
V LoopWriter::steps() const {
  if (loop_.hasSteps)
    return cast(operand(0), DType::Int64);
  V least;
  for (size_t k = 0; k < loop_.sequences.size(); ++k) {
    V most = shape(operand(loop_.firstSequence() + k), 0);
    if (int64_t margin = marginOf(loop_.sequences[k]))
      most = maximum(sub(most, margin), 0);
    least = k == 0 ? most : minimum(least, most);
  }
  return least;
}

/// What the tap reads of a sequence, from the first step on; of one that is read backwards as well.
V LoopWriter::element(const V &sequence, const V &count, int tap, size_t k) const {
  const std::vector<int> &taps = loop_.sequences[k];
  int64_t margin = marginOf(taps), first = tap + leadOf(taps);
  bool isWhole = margin == 0 && !loop_.hasSteps && loop_.sequences.size() == 1;
  V part = sequence;
  if (!isWhole) {
    V begin = constant(Tensor(first));
    if (loop_.goesBackwards)
      begin = add(sub(sub(shape(sequence, 0), margin), count), first);
    part = sliceAlong(sequence, 0, Slice(begin, add(begin, count)));
  }
  return loop_.goesBackwards ? sliceAlong(part, 0, Slice(kEnd, kEnd, -1)) : part;
}

void LoopWriter::prepare() {
  V count = steps();
  Variables ends = {count};
  for (size_t k = 0; k < loop_.sequences.size(); ++k)
    for (int tap : loop_.sequences[k])
      ends.push_back(element(operand(loop_.firstSequence() + k), count, tap, k));
  rows_ = g_.between(node_.inputs(), ends);
  steps_ = rows_[0][0];
  rows_.erase(rows_.begin());
  for (size_t k = 0; k < loop_.states.size(); ++k) {
    const std::vector<int> &taps = loop_.states[k];
    states_.push_back(
        {historyOf(taps), hasHistoryAxis(taps), g_.valuesOf(operand(loop_.firstState() + k))});
  }
}

/// Inputs of the graph within, one for each part of each state.
void LoopWriter::addStates(Values &to) {
  size_t input = rows_.size();
  for (size_t k = 0; k < states_.size(); input += loop_.states[k].size(), ++k) {
    Type type = inputs_[input].type();
    Variables &windows = windows_.emplace_back();
    for (const Value &part : states_[k].initial) {
      windows.push_back(
          placeholder(type, part.dtype(), states_[k].hasWindow ? states_[k].history : 0));
      std::string_view stem = states_[k].hasWindow ? "state" : stemOf(inputs_[input], "state");
      to.push_back(w_.bodyInput(windows.back().type(), stem));
      g_.bind(windows.back(), {to.back()});
    }
  }
}

/// The body's inputs from `first` on: what the taps of states read, and what is the same in all
/// steps.
void LoopWriter::bindStates(size_t input) {
  for (size_t k = 0; k < states_.size(); ++k)
    for (int tap : loop_.states[k]) {
      Variables ends;
      for (const V &window : windows_[k])
        ends.push_back(states_[k].hasWindow ? subtensor(window, {Index(states_[k].history + tap)})
                                            : window);
      Values values;
      for (const Values &of : g_.between(windows_[k], ends))
        values.push_back(of[0]);
      g_.bind(inputs_[input++], values);
    }
  for (size_t i = loop_.firstConstant(); input < inputs_.size(); ++input, ++i)
    g_.bind(inputs_[input], g_.valuesOf(operand(i)));
}

/// What the graph within gives: states for the next step, and what is kept of this one.
void LoopWriter::addNext(const std::vector<Values> &outputs, Values &next, Values &all) {
  for (size_t k = 0; k < outputs.size() - loop_.hasUntil; ++k) {
    bool isState = k < states_.size();
    for (size_t part = 0; part < outputs[k].size(); ++part) {
      const Value &fresh = outputs[k][part];
      if (isState && !states_[k].hasWindow)
        next.push_back(fresh);
      if (isState && states_[k].hasWindow) {
        const V &window = windows_[k][part];
        V last = placeholder(fresh.type, fresh.dtype());
        g_.bind(last, {fresh});
        V moved =
            concatenate({sliceAlong(window, 0, Slice(1, kEnd)), expandDims(last, Axis(0))}, 0);
        next.push_back(g_.between({window, last}, {moved})[0][0]);
      }
      if (isState && loop_.keepsLast[k])
        continue;
      all.push_back(fresh);
      Type type = node_.output(int(k)).type();
      resultTypes_.push_back(type.withDType(fresh.dtype()));
    }
  }
}

/// The initial values of the states are operands; their types, which the first results have, too.
std::vector<Type> LoopWriter::addInitial(Values &operands) const {
  std::vector<Type> types;
  for (const State &state : states_)
    for (const Value &part : state.initial) {
      operands.push_back(part);
      types.push_back(part.type);
    }
  return types;
}

/// Scan's body sees the rows of each sequence one by one.
Values LoopWriter::scan() {
  Values operands, bodyInputs, next, all;
  std::vector<Type> types = addInitial(operands);
  w_.beginBody();
  addStates(bodyInputs);
  int64_t count = 0;
  for (size_t k = 0; k < rows_.size(); ++k) {
    Values elements;
    for (const Value &rows : rows_[k]) {
      operands.push_back(rows);
      Type type = inputs_[k].type().withDType(rows.dtype());
      elements.push_back(w_.bodyInput(type, stemOf(inputs_[k], "element")));
      bodyInputs.push_back(elements.back());
      ++count;
    }
    g_.bind(inputs_[k], elements);
  }
  bindStates(rows_.size());
  addNext(g_.graph(body_), next, all);
  next.insert(next.end(), all.begin(), all.end());
  onnx::GraphProto body = w_.endBody(bodyInputs, next);
  types.insert(types.end(), resultTypes_.begin(), resultTypes_.end());
  return w_.nodes("Scan", operands, types, {{"body", body}, {"num_scan_inputs", count}});
}

/// Loop's body gets the number of the step and the condition first. Where the last values alone
/// are wanted, no number of steps is given, since readers may hold so many: the condition counts.
Values LoopWriter::loop() {
  bool countsItself = loop_.hasUntil && rows_.empty() && loop_.numMapped == 0 &&
                      std::ranges::all_of(loop_.keepsLast, [](bool keeps) { return keeps; });
  const Type flag(DType::Bool, {}), number(DType::Int64, {});
  Value zero = OnnxWriter::known(Tensor(0)), one = OnnxWriter::known(Tensor(1));
  Values operands = {steps_, Value{}};
  if (countsItself)
    operands = {Value{}, w_.node("Greater", {steps_, zero}, flag)};
  std::vector<Type> types = addInitial(operands);
  w_.beginBody();
  Values bodyInputs = {w_.bodyInput(number, "step"), w_.bodyInput(flag, "goes")}, next, all;
  addStates(bodyInputs);
  for (size_t k = 0; k < rows_.size(); ++k) {
    Values elements;
    for (const Value &rows : rows_[k])
      elements.push_back(w_.node("Gather", {rows, bodyInputs[0]},
                                 inputs_[k].type().withDType(rows.dtype()),
                                 {{"axis", int64_t(0)}}));
    g_.bind(inputs_[k], elements);
  }
  bindStates(rows_.size());
  std::vector<Values> outputs = g_.graph(body_);
  addNext(outputs, next, all);
  Value goes = bodyInputs[1];
  if (loop_.hasUntil)
    goes = w_.node("Not", {w_.as(outputs.back()[0], DType::Bool)}, flag);
  if (countsItself) {
    Value after = w_.node("Add", {bodyInputs[0], one}, number);
    goes = w_.node("And", {goes, w_.node("Less", {after, steps_}, flag)}, flag);
  }
  next.insert(next.begin(), goes);
  next.insert(next.end(), all.begin(), all.end());
  onnx::GraphProto body = w_.endBody(bodyInputs, next);
  types.insert(types.end(), resultTypes_.begin(), resultTypes_.end());
  return w_.nodes("Loop", operands, types, {{"body", body}});
}

/// All values of a state, which has the extents of its initial one after no steps as well: ONNX's
/// loops have an array of any extents then.
Value LoopWriter::withExtents(const Value &all, size_t k, size_t part) {
  absl::Span<const int64_t> extents = node_.output(int(k)).type().shape();
  if (std::ranges::none_of(extents.subspan(1), [](int64_t e) { return e == kDynamic; }))
    return all;
  const Value &initial = states_[k].initial[part];
  V values = placeholder(node_.output(int(k)).type(), all.dtype()),
    first = placeholder(initial.type, initial.dtype());
  g_.bind(values, {all});
  g_.bind(first, {initial});
  V own = states_[k].hasWindow ? sliceAlong(shape(first), 0, Slice(1, kEnd)) : shape(first);
  V steps = sliceAlong(shape(values), 0, Slice(0, 1));
  V whole = reshape(values, ShapeList(concatenate({steps, own}, 0)));
  return g_.between({values, first}, {whole})[0][0];
}

std::vector<Values> LoopWriter::collect(const Values &results) {
  std::vector<Values> outputs(size_t(node_.numOutputs()));
  size_t next = 0;
  for (size_t k = 0; k < states_.size(); ++k)
    for (size_t part = 0; part < states_[k].initial.size(); ++part) {
      Value last = results[next++];
      if (!loop_.keepsLast[k])
        continue;
      if (states_[k].hasWindow)
        last = w_.node("Gather", {last, OnnxWriter::known(Tensor(-1))},
                       node_.output(int(k)).type().withDType(last.dtype()), {{"axis", int64_t(0)}});
      outputs[k].push_back(last);
    }
  auto list = [](int64_t number) {
    return OnnxWriter::known(*Tensor::full(DType::Int64, {1}, Tensor(number)));
  };
  for (size_t k = 0; k < outputs.size(); ++k)
    if (k >= states_.size() || !loop_.keepsLast[k])
      for (int part = 0; part < 1 + isComplex(node_.output(int(k)).dtype()); ++part) {
        Value all = results[next++];
        if (k < states_.size())
          all = withExtents(all, k, size_t(part));
        if (loop_.stacksBackwards && k >= states_.size())
          all =
              w_.node("Slice",
                      {all, list(-1), list(std::numeric_limits<int64_t>::min()), list(0), list(-1)},
                      all.type);
        if (loop_.rowsOf(k) > 0)
          all = w_.node(
              "Slice",
              {all, list(-loop_.rowsOf(k)), list(std::numeric_limits<int64_t>::max()), list(0)},
              all.type);
        outputs[k].push_back(all);
      }
  return outputs;
}

std::vector<Values> LoopWriter::write() {
  prepare();
  return collect(loop_.hasUntil || rows_.empty() ? loop() : scan());
}

} // namespace

std::vector<Values> writeLoop(GraphWriter &g, const Apply &node, const Control &control) {
  return LoopWriter(g, node, control).write();
}

std::vector<Values> writeBranch(GraphWriter &g, const Apply &node, const Control &control) {
  OnnxWriter &w = g.onnx();
  Value condition = w.as(g.valueOf(node.input(0)), DType::Bool);
  std::vector<onnx::GraphProto> bodies;
  for (const FrozenGraph &body : control.bodies) {
    w.beginBody();
    Variables inputs = body.inputs();
    for (size_t i = 0; i < inputs.size(); ++i)
      g.bind(inputs[i], g.valuesOf(node.input(int(i) + 1)));
    Values outputs;
    for (const Values &of : g.graph(body))
      outputs.insert(outputs.end(), of.begin(), of.end());
    bodies.push_back(w.endBody({}, outputs));
  }
  std::vector<Type> types;
  for (const Variable &output : node.outputs())
    for (int part = 0; part < 1 + isComplex(output.dtype()); ++part)
      types.push_back(output.type().withDType(realDType(output.dtype())));
  Values all =
      w.nodes("If", {condition}, types, {{"then_branch", bodies[0]}, {"else_branch", bodies[1]}});
  std::vector<Values> results;
  auto next = all.begin();
  for (const Variable &output : node.outputs()) {
    auto end = next + 1 + isComplex(output.dtype());
    results.emplace_back(next, end);
    next = end;
  }
  return results;
}

std::vector<Values> writeSlices(GraphWriter &g, const Apply &node,
                                const detail::InnerGraph &inner) {
  OnnxWriter &w = g.onnx();
  std::vector<Type> formal;
  for (const Variable &input : inner.graph().inputs())
    formal.push_back(input.type());
  detail::FlatGraphs::Flat flat = inner.flat(formal);
  if (!flat.ok()) {
    w.refuse(Type(), std::string(flat.status().message()));
    return {};
  }
  Variables inputs = (*flat)->inputs();
  Values operands, elements;
  int64_t count = 0;
  w.beginBody();
  for (size_t i = 0; i < inputs.size(); ++i) {
    Values values = g.valuesOf(node.input(int(i)));
    if (int(i) < inner.traits().numSlices)
      for (Value &value : values) {
        operands.push_back(value);
        value = w.bodyInput(inputs[i].type().withDType(value.dtype()), "slice");
        elements.push_back(value);
        ++count;
      }
    g.bind(inputs[i], values);
  }
  Values outputs;
  std::vector<Type> types;
  std::vector<Values> made = g.graph(**flat);
  for (size_t k = 0; k < made.size(); ++k)
    for (const Value &part : made[k]) {
      outputs.push_back(part);
      types.push_back(node.output(int(k)).type().withDType(part.dtype()));
    }
  onnx::GraphProto body = w.endBody(elements, outputs);
  Values all = w.nodes("Scan", operands, types, {{"body", body}, {"num_scan_inputs", count}});
  std::vector<Values> results;
  auto next = all.begin();
  for (const Values &of : made) {
    results.emplace_back(next, next + ptrdiff_t(of.size()));
    next += ptrdiff_t(of.size());
  }
  return results;
}

} // namespace graphc
