//===- GraphEval.cpp - running graphs --------------------------------------===//
#include <algorithm>

#include "Eval/NodeEval.h"
#include "Graph/Branches.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

/// What is wrong with a value for a type, or OK.
absl::Status checkValue(const Type &type, const Tensor &value, size_t position) {
  auto prefix = [&] {
    return "input " + std::to_string(position) + ": expected " + type.brief() + ", got ";
  };
  if (!value.defined())
    return makeError(ErrorKind::TypeError, prefix() + "nothing");
  auto got = [&] { return prefix() + Type(value.dtype(), value.shape()).brief(); };
  if (value.dtype() != type.dtype() || value.rank() != type.rank())
    return makeError(ErrorKind::TypeError, got());
  for (int axis = 0; axis < type.rank(); ++axis)
    if (type.extent(axis) != kDynamic && type.extent(axis) != value.shape()[axis])
      return makeError(ErrorKind::ShapeError, got());
  return absl::OkStatus();
}

struct PlannedNode {
  Apply apply;
  bool chooses;                        ///< an ifElse
  std::vector<size_t> inputs, outputs; ///< places of values
  std::vector<bool> isNeeded;          ///< of the outputs
  std::optional<NodeEval> eval;        ///< once it has run, if it is kept
};

constexpr size_t kNobody = ~size_t(0);

} // namespace

struct GraphEval::Plan {
  Variables outputs, inputs;
  absl::Status status; ///< why it cannot run
  std::vector<PlannedNode> nodes;
  std::vector<size_t> inputPlaces, outputPlaces;
  std::vector<Tensor> leaves;   ///< by place: constants
  std::vector<int> uses;        ///< by place: of a run
  std::vector<size_t> producer; ///< by place: the node, or kNobody
  bool isLazy = false;
  bool isKept = true; ///< PlannedNode::eval

  absl::Status make();
};

class GraphEval::Run {
public:
  Run(Plan &plan, EvaluationBudget *budget, const NodeWatch &watch)
      : plan_(plan), budget_(budget), watch_(watch), values_(plan.leaves), uses_(plan.uses) {}

  absl::Status give(absl::Span<const Tensor> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (absl::Status s = checkValue(plan_.inputs[i].type(), values[i], i); !s.ok())
        return s;
      values_[plan_.inputPlaces[i]] = values[i];
    }
    return absl::OkStatus();
  }
  absl::Status compute() {
    if (plan_.isLazy)
      return computeLazily();
    for (PlannedNode &node : plan_.nodes)
      if (absl::Status s = run(node); !s.ok())
        return s;
    return absl::OkStatus();
  }
  std::vector<Tensor> results() const {
    std::vector<Tensor> results;
    for (size_t place : plan_.outputPlaces)
      results.push_back(values_[place]);
    return results;
  }

private:
  absl::Status run(PlannedNode &node);
  absl::Status computeLazily();

  Plan &plan_;
  EvaluationBudget *budget_;
  const NodeWatch &watch_;
  std::vector<Tensor> values_;
  std::vector<int> uses_; // that are to come
};

absl::Status GraphEval::Run::run(PlannedNode &node) {
  std::vector<Tensor> inputs;
  for (size_t place : node.inputs)
    inputs.push_back(values_[place]);
  using Clock = std::chrono::steady_clock;
  if (watch_.before)
    if (absl::Status s = watch_.before(node.apply, inputs); !s.ok())
      return s;
  Clock::time_point start;
  if (watch_.after)
    start = Clock::now();
  if (!node.eval) {
    absl::StatusOr<NodeEval> made = NodeEval::create(node.apply, inputs, node.isNeeded);
    if (!made.ok())
      return made.status();
    node.eval = *std::move(made);
  }
  int64_t flops = 0;
  TensorsOr outputs = node.eval->run(inputs, budget_, &flops);
  if (!plan_.isKept)
    node.eval.reset();
  if (!outputs.ok())
    return outputs.status();
  if (watch_.after)
    if (absl::Status s = watch_.after({node.apply, start, Clock::now(), inputs, *outputs, flops});
        !s.ok())
      return s;
  for (size_t place : node.inputs)
    if (--uses_[place] == 0)
      values_[place] = Tensor();
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (node.isNeeded[i])
      values_[node.outputs[i]] = std::move((*outputs)[i]);
  return absl::OkStatus();
}

/// F-330: of an ifElse the condition, then what it chooses.
absl::Status GraphEval::Run::computeLazily() {
  for (int &count : uses_)
    ++count; // some uses do not come
  std::vector<size_t> stack;
  std::vector<bool> isDone(plan_.nodes.size());
  auto wants = [&](size_t place) {
    size_t node = plan_.producer[place];
    bool isMissing = node != kNobody && !isDone[node];
    if (isMissing)
      stack.push_back(node);
    return isMissing;
  };
  for (size_t output : plan_.outputPlaces) {
    wants(output);
    while (!stack.empty()) {
      size_t number = stack.back();
      PlannedNode &node = plan_.nodes[number];
      if (isDone[number]) {
        stack.pop_back();
        continue;
      }
      if (node.chooses) {
        if (wants(node.inputs[0]))
          continue;
        bool condition = values_[node.inputs[0]].cast(DType::Bool).item<bool>();
        size_t chosen = node.inputs[condition ? 1 : 2];
        if (wants(chosen))
          continue;
        values_[node.outputs[0]] = values_[chosen].cast(node.apply.output(0).dtype());
        isDone[number] = true;
        continue;
      }
      bool isReady = true;
      for (size_t place : node.inputs)
        isReady &= !wants(place);
      if (!isReady)
        continue;
      if (absl::Status s = run(node); !s.ok())
        return s;
      isDone[number] = true;
    }
  }
  return absl::OkStatus();
}

absl::Status GraphEval::Plan::make() {
  absl::flat_hash_map<void *, size_t> places; // by Variable's node
  auto placeOf = [&](const Variable &v) {
    auto [at, isNew] = places.try_emplace(v.node(), leaves.size());
    if (isNew) {
      leaves.emplace_back();
      uses.push_back(0);
      producer.push_back(kNobody);
    }
    return at->second;
  };
  for (const Variable &input : inputs) {
    inputPlaces.push_back(placeOf(input));
    ++uses[inputPlaces.back()]; // the caller's
  }
  // Constants have their values; everything else must be given.
  for (const Variable &leaf : graphInputs(outputs, inputs)) {
    if (places.contains(leaf.node()))
      continue;
    if (!leaf.ok())
      return leaf.status();
    std::optional<Constant> constant = Constant::from(leaf);
    if (!constant)
      return makeError(ErrorKind::MissingInput,
                       "the graph needs an input that has no value: " + std::string(leaf.name()) +
                           ": " + leaf.type().brief(),
                       leaf.place());
    leaves[placeOf(leaf)] = constant->data();
  }
  for (const Apply &apply : ioToposort(inputs, outputs)) {
    PlannedNode &node = nodes.emplace_back(PlannedNode{apply, isIfElse(apply), {}, {}, {}, {}});
    isLazy |= node.chooses;
    for (const Variable &input : apply.inputs()) {
      node.inputs.push_back(placeOf(input));
      ++uses[node.inputs.back()];
    }
    for (const Variable &output : apply.outputs()) {
      bool isGiven = places.contains(output.node());
      node.outputs.push_back(placeOf(output));
      if (!isGiven)
        producer[node.outputs.back()] = nodes.size() - 1;
    }
  }
  for (const Variable &output : outputs) {
    outputPlaces.push_back(placeOf(output));
    ++uses[outputPlaces.back()]; // the caller's
  }
  for (PlannedNode &node : nodes)
    for (size_t place : node.outputs)
      node.isNeeded.push_back(uses[place] > 0);
  return absl::OkStatus();
}

GraphEval::GraphEval(Variables outputs, Variables inputs, bool isKept) noexcept
    : plan_(std::make_unique<Plan>()) {
  plan_->outputs = std::move(outputs);
  plan_->inputs = std::move(inputs);
  plan_->isKept = isKept;
  plan_->status = plan_->make();
}

GraphEval::~GraphEval() = default;

TensorsOr GraphEval::run(absl::Span<const Tensor> values, EvaluationBudget *budget,
                         const NodeWatch &watch) noexcept {
  if (plan_->inputs.size() != values.size())
    return makeError(ErrorKind::ValueError, "there are " + counted(plan_->inputs.size(), "input") +
                                                " and " + counted(values.size(), "value"));
  Run run(*plan_, budget, watch);
  if (absl::Status s = run.give(values); !s.ok())
    return s;
  if (!plan_->status.ok())
    return plan_->status;
  if (absl::Status s = run.compute(); !s.ok())
    return s;
  return run.results();
}

TensorsOr evaluate(absl::Span<const Variable> outputs, absl::Span<const Variable> inputs,
                   absl::Span<const Tensor> values, EvaluationBudget *budget,
                   const NodeWatch &watch) noexcept {
  return GraphEval({outputs.begin(), outputs.end()}, {inputs.begin(), inputs.end()},
                   /*isKept=*/false)
      .run(values, budget, watch);
}

} // namespace graphc
