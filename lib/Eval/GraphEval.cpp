//===- GraphEval.cpp - running nodes and graphs ----------------------------===//
#include <algorithm>

#include "Emit/EmitNode.h"
#include "Evaluate.h"
#include "Graph/Branches.h"
#include "Graph/CalledAs.h"
#include "Support/BroadcastHint.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

/// "add: extents differ ...", and a second line with the shapes of all inputs.
absl::Status explainNode(const absl::Status &error, const Apply &node,
                         absl::Span<const Tensor> inputs) {
  absl::string_view message = error.message();
  std::string text(calledName(node.op()));
  text += ": " + withoutHint({message.data(), message.size()}, node.place()) + "\n  " +
          calledText(node.op()) + "(";
  text += join(inputs, ", ", [](const Tensor &t) { return Type(t.dtype(), t.shape()).brief(); });
  return makeError(errorKind(error), text + ")", node.place());
}

/// What is wrong with a value for a type, or OK.
absl::Status checkValue(const Type &type, const Tensor &value, size_t position) {
  std::string prefix =
      "input " + std::to_string(position) + ": expected " + type.brief() + ", got ";
  if (!value.defined())
    return makeError(ErrorKind::TypeError, prefix + "nothing");
  std::string got = prefix + Type(value.dtype(), value.shape()).brief();
  if (value.dtype() != type.dtype() || value.rank() != type.rank())
    return makeError(ErrorKind::TypeError, got);
  for (int axis = 0; axis < type.rank(); ++axis)
    if (type.extent(axis) != kDynamic && type.extent(axis) != value.shape()[axis])
      return makeError(ErrorKind::ShapeError, got);
  return absl::OkStatus();
}

/// Evaluates what the outputs need, inputs first. Values are dropped after their last use.
class GraphEval {
public:
  GraphEval(EvaluationBudget *budget, const NodeWatch &watch) : budget_(budget), watch_(watch) {}
  absl::Status give(const Variable &input, const Tensor &value, size_t position);
  /// `inputs` are those that have been given.
  absl::Status compute(absl::Span<const Variable> outputs, absl::Span<const Variable> inputs);
  Tensor take(const Variable &v) { return values_.at(v.node()); }

private:
  absl::Status findLeaves(absl::Span<const Variable> outputs, absl::Span<const Variable> inputs);
  absl::Status run(const Apply &node);
  absl::Status runLazily(absl::Span<const Variable> outputs);

  EvaluationBudget *budget_;
  const NodeWatch &watch_;
  absl::flat_hash_map<void *, Tensor> values_; // by Variable's node
  absl::flat_hash_map<void *, int64_t> uses_;
};

absl::Status GraphEval::give(const Variable &input, const Tensor &value, size_t position) {
  if (absl::Status s = checkValue(input.type(), value, position); !s.ok())
    return s;
  values_[input.node()] = value;
  ++uses_[input.node()]; // the caller's
  return absl::OkStatus();
}

/// Constants have their values; everything else must have been given.
absl::Status GraphEval::findLeaves(absl::Span<const Variable> outputs,
                                   absl::Span<const Variable> inputs) {
  for (const Variable &leaf : graphInputs(outputs, inputs)) {
    if (values_.contains(leaf.node()))
      continue;
    if (!leaf.ok())
      return leaf.status();
    std::optional<Constant> constant = Constant::from(leaf);
    if (!constant)
      return makeError(ErrorKind::MissingInput,
                       "the graph needs an input that has no value: " + std::string(leaf.name()) +
                           ": " + leaf.type().brief(),
                       leaf.place());
    values_[leaf.node()] = constant->data();
  }
  return absl::OkStatus();
}

absl::Status GraphEval::run(const Apply &node) {
  std::vector<Tensor> inputs;
  for (const Variable &input : node.inputs())
    inputs.push_back(values_.at(input.node()));
  using Clock = std::chrono::steady_clock;
  if (watch_.before)
    if (absl::Status s = watch_.before(node, inputs); !s.ok())
      return s;
  Clock::time_point start;
  if (watch_.after)
    start = Clock::now();
  int64_t flops = 0;
  std::vector<bool> isNeeded;
  for (const Variable &output : node.outputs())
    isNeeded.push_back(uses_[output.node()] > 0);
  auto outputs = evaluate(node, inputs, budget_, &flops, isNeeded);
  if (!outputs.ok())
    return outputs.status();
  if (watch_.after)
    if (absl::Status s = watch_.after({node, start, Clock::now(), inputs, *outputs, flops});
        !s.ok())
      return s;
  for (const Variable &input : node.inputs())
    if (--uses_[input.node()] == 0)
      values_.erase(input.node());
  for (int i = 0; i < node.numOutputs(); ++i)
    if (isNeeded[size_t(i)])
      values_[node.output(i).node()] = (*outputs)[i];
  return absl::OkStatus();
}

absl::Status GraphEval::compute(absl::Span<const Variable> outputs,
                                absl::Span<const Variable> inputs) {
  if (absl::Status s = findLeaves(outputs, inputs); !s.ok())
    return s;
  for (const Variable &output : outputs)
    ++uses_[output.node()]; // the caller's
  std::vector<Apply> order = ioToposort(inputs, outputs);
  for (const Apply &node : order)
    for (const Variable &input : node.inputs())
      ++uses_[input.node()];
  if (std::ranges::any_of(order, isIfElse)) {
    for (auto &[variable, count] : uses_)
      ++count; // some uses do not come
    return runLazily(outputs);
  }
  for (const Apply &node : order)
    if (absl::Status s = run(node); !s.ok())
      return s;
  return absl::OkStatus();
}

/// F-330: of an ifElse the condition, then what it chooses.
absl::Status GraphEval::runLazily(absl::Span<const Variable> outputs) {
  std::vector<Apply> stack;
  absl::flat_hash_set<void *> done; // nodes
  auto wants = [&](const Variable &v) {
    bool isMissing =
        v.hasOwner() && !done.contains(v.owner().node()) && !values_.contains(v.node());
    if (isMissing)
      stack.push_back(v.owner());
    return isMissing;
  };
  for (const Variable &output : outputs) {
    wants(output);
    while (!stack.empty()) {
      const Apply node = stack.back();
      if (done.contains(node.node())) {
        stack.pop_back();
        continue;
      }
      if (isIfElse(node)) {
        if (wants(node.input(0)))
          continue;
        const Tensor condition = values_.at(node.input(0).node()).cast(DType::Bool);
        const Variable chosen = node.input(condition.item<bool>() ? 1 : 2);
        if (wants(chosen))
          continue;
        values_[node.output(0).node()] = values_.at(chosen.node()).cast(node.output(0).dtype());
        done.insert(node.node());
        continue;
      }
      bool isReady = true;
      for (const Variable &input : node.inputs())
        isReady &= !wants(input);
      if (!isReady)
        continue;
      if (absl::Status s = run(node); !s.ok())
        return s;
      done.insert(node.node());
    }
  }
  return absl::OkStatus();
}

} // namespace

TensorsOr evaluate(const Apply &node, absl::Span<const Tensor> inputs, EvaluationBudget *budget,
                   int64_t *flops, const std::vector<bool> &isNeeded) noexcept {
  if (!node.op().def().emit)
    return makeError(ErrorKind::MethodNotDefined,
                     std::string(node.op().name()) + ": the op does not say what it computes",
                     node.place());
  Emitter e;
  Arrays operands, computed; // the evaluator knows pairs in the place of complex ones
  std::vector<Tensor> values;
  for (int i = 0; i < node.numInputs(); ++i) {
    Variable input = node.input(i);
    if (std::optional<Constant> constant = Constant::from(input)) {
      operands.push_back(e.constant(constant->data()));
      continue;
    }
    operands.push_back(e.operand(input.type()));
    computed.push_back(e.interleaved(operands.back()));
    values.push_back(inputs[i].realView());
  }
  Arrays results = emitNode(e, node, 0, operands);
  std::vector<bool> areComplex;
  for (Array &a : results) {
    areComplex.push_back(e.status().ok() && isComplex(e.dtype(a)));
    a = e.interleaved(a);
  }
  auto emission = e.finish();
  if (!emission.ok())
    return explainNode(emission.status(), node, inputs);
  auto context = [&](const absl::Status &error, int32_t) {
    return explainNode(error, node, inputs);
  };
  Arrays needed;
  for (size_t o = 0; o < results.size(); ++o)
    if (isNeeded.empty() || isNeeded[o])
      needed.push_back(results[o]);
  TensorsOr made = evaluate(*emission, computed, values, needed, context, budget, flops);
  if (!made.ok())
    return made;
  std::vector<Tensor> all(results.size());
  auto next = made->begin();
  for (size_t o = 0; o < results.size(); ++o)
    if (isNeeded.empty() || isNeeded[o]) {
      all[o] = *next++;
      if (areComplex[o]) {
        absl::StatusOr<Tensor> pairs = all[o].contiguous().complexView();
        if (!pairs.ok())
          return pairs.status();
        all[o] = *std::move(pairs);
      }
    }
  return all;
}

TensorsOr evaluate(const Op &op, absl::Span<const Tensor> inputs) noexcept {
  std::vector<Operand> operands;
  for (const Tensor &input : inputs)
    operands.emplace_back(input);
  auto node = op.makeNode(operands);
  if (!node.ok())
    return node.status();
  return evaluate(*node, inputs);
}

TensorsOr evaluate(absl::Span<const Variable> outputs, absl::Span<const Variable> inputs,
                   absl::Span<const Tensor> values, EvaluationBudget *budget,
                   const NodeWatch &watch) noexcept {
  if (inputs.size() != values.size())
    return makeError(ErrorKind::ValueError, "there are " + counted(inputs.size(), "input") +
                                                " and " + counted(values.size(), "value"));
  GraphEval eval(budget, watch);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (absl::Status s = eval.give(inputs[i], values[i], i); !s.ok())
      return s;
  if (absl::Status s = eval.compute(outputs, inputs); !s.ok())
    return s;
  std::vector<Tensor> results;
  for (const Variable &output : outputs)
    results.push_back(eval.take(output));
  return results;
}

} // namespace graphc
