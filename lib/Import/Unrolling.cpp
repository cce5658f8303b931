//===- Unrolling.cpp - loops whose steps are known -------------------------------===//
#include "Import/Unrolling.h"

namespace graphc {
namespace {

bool isOfStructures(std::string_view op) {
  return op.starts_with("Sequence") || op.starts_with("Optional") || op == "SplitToSequence" ||
         op == "ConcatFromSequence";
}

/// Whether a node of the graph, or of one within it, works on sequences or optional values.
bool usesStructures(const onnx::GraphProto &graph) {
  for (const onnx::NodeProto &node : graph.node()) {
    if (isOfStructures(node.op_type()))
      return true;
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g() && usesStructures(attribute.g()))
        return true;
  }
  return false;
}

/// What a loop's condition or count is. An error where it is computed, or more than one value.
std::optional<Tensor> knownOf(OnnxNode &n, const Variable &v, const std::string &what) {
  std::optional<Tensor> value = n.known(v);
  if (value && value->numElements() != 1) {
    n.fail(ErrorKind::ShapeError, what + " must be one value, is " + v.type().brief());
    return std::nullopt;
  }
  if (!value && n.status().ok())
    n.unsupported(what + " must be constant in a loop over sequences, which is unrolled");
  return value;
}

/// The values that steps gave along a new first axis; none of them of shape (0, ...).
Variable stacked(OnnxNode &n, const Variables &values) {
  std::vector<Operand> parts;
  for (const Variable &v : values)
    parts.push_back(n.at(v));
  return stack(parts, 0);
}

} // namespace

bool mustUnroll(OnnxNode &n, const OnnxValues &states) {
  for (const OnnxValue &state : states)
    if (!state.isTensor())
      return true;
  return n.hasAttribute("body") && usesStructures(*n.getGraph("body"));
}

OnnxValues unrolledLoop(OnnxNode &n, OnnxValues states) {
  std::optional<int64_t> count;
  bool goesOn = true;
  if (n.has(0))
    if (auto known = knownOf(n, cast(n.at(n.in(0)), DType::Int64), "the number of steps"))
      count = known->item<int64_t>();
  if (n.has(1))
    if (auto known = knownOf(n, cast(n.at(n.in(1)), DType::Bool), "the condition"))
      goesOn = known->item<bool>();
  if (n.numOutputs() < states.size())
    n.fail(ErrorKind::ValueError, "there are " + std::to_string(n.numOutputs()) + " outputs for " +
                                      std::to_string(states.size()) + " states");
  const size_t numCollected = n.status().ok() ? n.numOutputs() - states.size() : 0;
  std::vector<Variables> collected(numCollected);
  auto step = [&](int64_t k) {
    OnnxValues inputs = {n.adopt(Tensor(k)), n.adopt(Tensor(int64_t(goesOn)).cast(DType::Bool))};
    inputs.insert(inputs.end(), states.begin(), states.end());
    return n.runGraph("body", inputs, 1 + n.numOutputs());
  };
  auto collect = [&](const OnnxValues &outputs) {
    for (size_t o = 0; o < numCollected && n.status().ok(); ++o) {
      const OnnxValue &v = outputs[1 + states.size() + o];
      if (!v.isTensor())
        n.unsupported("attribute body: output " + std::to_string(1 + states.size() + o) + " is " +
                      v.brief() + " where there must be a tensor");
      else
        collected[o].push_back(v.elements()[0]);
    }
  };
  int64_t steps = 0;
  for (; n.status().ok() && goesOn && (!count || steps < *count); ++steps) {
    OnnxValues outputs = step(steps);
    Variable next = n.status().ok() && outputs[0].isTensor() ? outputs[0].elements()[0]
                                                             : Variable::invalid(n.status());
    auto known = knownOf(n, cast(n.at(next), DType::Bool),
                         "the condition after step " + std::to_string(steps));
    collect(outputs);
    if (!n.status().ok())
      break;
    goesOn = known->item<bool>();
    for (size_t k = 0; k < states.size(); ++k) {
      states[k] = outputs[1 + k];
      // So that what follows from constants is not computed from the first step on each time.
      if (states[k].isTensor())
        if (auto value = n.known(states[k].elements()[0]))
          states[k] = n.adopt(*value);
    }
  }
  const bool isEmpty = steps == 0 && numCollected > 0;
  if (isEmpty && n.status().ok())
    collect(step(0)); // for dtypes and shapes
  OnnxValues results = states;
  for (size_t o = 0; o < numCollected && n.status().ok(); ++o) {
    Variable all = stacked(n, collected[o]);
    results.push_back(isEmpty ? subtensor(n.at(all), {Slice(0, 0)}) : all);
  }
  return results;
}

} // namespace graphc
