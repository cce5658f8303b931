//===- Sink.cpp ------------------------------------------------------------===//
#include "Control/Sink.h"

#include <algorithm>
#include <map>

#include "Control/Control.h"
#include "Graph/InnerGraph.h"
#include "Ops/Derivatives.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Traversal.h"

namespace graphc {

namespace {

bool isIfElse(const Apply &node) { return node.op().name() == "ifElse"; }

/// When a node's results are needed.
struct Need {
  enum class When : uint8_t { Never, InBranch, Always };
  When when = When::Never;
  /// InBranch: of the outermost ifElse; 1 or 2 as its operands.
  const detail::VariableNode *condition = nullptr;
  int branch = 0;

  friend bool operator==(const Need &, const Need &) = default;
  void join(const Need &other) {
    if (when == When::Never)
      *this = other;
    else if (*this != other)
      *this = {When::Always};
  }
};

class Sinking {
public:
  Sinking(FunctionGraph &graph, int level, bool inLoops)
      : graph_(graph), level_(level), inLoops_(inLoops) {}

  absl::Status run() {
    absl::StatusOr<std::vector<Apply>> order = graph_.toposort();
    if (!order.ok())
      return order.status();
    if (inLoops_)
      for (const Apply &node : *order)
        if (const Control *control = controlOf(node.op()); control && control->loop)
          if (absl::Status s = sinkInLoop(node, *control); !s.ok())
            return s;
    if (inLoops_)
      order = graph_.toposort();
    if (!order.ok() || std::ranges::none_of(*order, isIfElse))
      return order.status();
    findNeeds(*order);
    for (const std::vector<Apply> &group : groups(*order))
      if (absl::Status s = sink(group); !s.ok())
        return s;
    return absl::OkStatus();
  }

private:
  absl::Status sinkInLoop(const Apply &node, const Control &control) {
    absl::StatusOr<FrozenGraph> body =
        bodyOf(control.bodies[0].inputs(), control.bodies[0].outputs());
    if (!body.ok())
      return body.status();
    Control changed = control;
    changed.bodies = {*std::move(body)};
    absl::StatusOr<Op> op = controlOp(std::move(changed));
    if (!op.ok())
      return op.status();
    Variables inputs = node.inputs();
    absl::StatusOr<Apply> made =
        op->makeNode(std::vector<Operand>(inputs.begin(), inputs.end()), node.place());
    if (!made.ok())
      return made.status();
    Replacements fresh;
    for (int k = 0; k < node.numOutputs(); ++k) {
      Variable result = made->output(k);
      if (std::string_view name = node.output(k).name(); !name.empty())
        result.setName(name);
      fresh.emplace_back(node.output(k), result);
    }
    return graph_.replaceAll(fresh, "sink_branches");
  }

  void findNeeds(const std::vector<Apply> &order) {
    for (const Variable &output : graph_.outputs())
      if (Apply owner = output.owner())
        needs_[owner.node()].join({Need::When::Always});
    for (size_t k = order.size(); k-- > 0;) {
      const Apply &node = order[k];
      const Need own = needs_[node.node()];
      const bool chooses = isIfElse(node) && own.when == Need::When::Always;
      for (int i = 0; i < node.numInputs(); ++i)
        if (Apply owner = node.input(i).owner())
          needs_[owner.node()].join(
              chooses && i > 0 ? Need{Need::When::InBranch, node.input(0).node(), i} : own);
    }
  }

  /// ifElses that become one op: those of one condition that have as many ifElses above them on the
  /// longest way, so that none depends on what another group of the list makes of it.
  std::vector<std::vector<Apply>> groups(const std::vector<Apply> &order) const {
    absl::flat_hash_map<const detail::ApplyNode *, int> levels;
    std::map<std::pair<int, size_t>, std::vector<Apply>> groups; // conditions in their order
    absl::flat_hash_map<const detail::VariableNode *, size_t> conditions;
    for (const Apply &node : order) {
      int level = 0;
      for (const Variable &input : node.inputs())
        if (Apply owner = input.owner())
          level = std::max(level, levels[owner.node()]);
      if (isIfElse(node) && needs_.at(node.node()).when == Need::When::Always) {
        size_t condition =
            conditions.try_emplace(node.input(0).node(), conditions.size()).first->second;
        groups[{++level, condition}].push_back(node);
      }
      levels[node.node()] = level;
    }
    std::vector<std::vector<Apply>> list;
    for (auto &[key, group] : groups)
      list.push_back(std::move(group));
    return list;
  }

  bool isInside(const Apply &node, const Need &branch) const {
    auto found = node ? needs_.find(node.node()) : needs_.end();
    return found != needs_.end() && found->second == branch;
  }

  absl::Status sink(const std::vector<Apply> &group) {
    const Variable condition = group[0].input(0);
    Variables outputs[2], captured;
    absl::flat_hash_set<const detail::VariableNode *> seen;
    bool hasInside = false;
    for (int k = 0; k < 2; ++k) {
      const Need branch{Need::When::InBranch, condition.node(), k + 1};
      Variables rest;
      for (const Apply &node : group) {
        rest.push_back(node.input(k + 1));
        outputs[k].push_back(inDType(node.input(k + 1), node.output(0).dtype()));
      }
      absl::flat_hash_set<const detail::ApplyNode *> walked;
      while (!rest.empty()) {
        Variable v = std::move(rest.back());
        rest.pop_back();
        Apply owner = v.owner();
        if (isInside(owner, branch)) {
          hasInside = true;
          if (walked.insert(owner.node()).second)
            for (const Variable &input : owner.inputs())
              rest.push_back(input);
        } else if (!v.isConstant() && seen.insert(v.node()).second) {
          captured.push_back(v);
        }
      }
    }
    if (!hasInside)
      return absl::OkStatus();
    Control control;
    for (int k = 0; k < 2; ++k) {
      absl::StatusOr<FrozenGraph> body = bodyOf(captured, outputs[k]);
      if (!body.ok())
        return body.status();
      control.bodies.push_back(*std::move(body));
    }
    for (const Apply &node : group)
      control.results.push_back(node.output(0).type());
    absl::StatusOr<Op> op = controlOp(std::move(control));
    if (!op.ok())
      return op.status();
    std::vector<Operand> operands = {condition};
    operands.insert(operands.end(), captured.begin(), captured.end());
    absl::StatusOr<Apply> made = op->makeNode(operands, group[0].place());
    if (!made.ok())
      return made.status();
    Replacements fresh;
    for (size_t k = 0; k < group.size(); ++k) {
      Variable old = group[k].output(0), result = made->output(int(k));
      if (!old.name().empty())
        result.setName(old.name());
      fresh.emplace_back(old, result);
    }
    return graph_.replaceAll(fresh, "sink_branches");
  }

  absl::StatusOr<FrozenGraph> bodyOf(const Variables &inputs, const Variables &outputs) const {
    if (level_ == kMostLevels)
      return makeError(ErrorKind::NotSupported,
                       "ifElses stand in branches of each other more than " +
                           std::to_string(kMostLevels) +
                           " levels deep: choose by switch, or join conditions");
    absl::StatusOr<FunctionGraph> body = FunctionGraph::create(inputs, outputs);
    if (!body.ok())
      return body.status();
    if (absl::Status s = Sinking(*body, level_ + 1, inLoops_).run(); !s.ok())
      return s;
    return body->freeze();
  }

  FunctionGraph &graph_;
  const int level_;
  const bool inLoops_;
  absl::flat_hash_map<const detail::ApplyNode *, Need> needs_;
};

/// Whether an ifElse is in a graph that is called, or in what that one calls.
bool choosesWithin(const detail::InnerGraph &called) {
  std::vector<const detail::InnerGraph *> rest = {&called};
  absl::flat_hash_set<const detail::InnerGraph *> seen;
  while (!rest.empty()) {
    const detail::InnerGraph *inner = rest.back();
    rest.pop_back();
    if (!seen.insert(inner).second)
      continue;
    for (const Apply &node : inner->graph().order())
      if (isIfElse(node))
        return true;
      else if (const auto &record = node.op().def().inner)
        rest.push_back(record.get());
  }
  return false;
}

} // namespace

absl::Status sinkBranches(FunctionGraph &graph, bool inLoops) {
  // A graph that is called is emitted as a whole: those with choices are put in their places.
  absl::Status s = inlineCalls(
      graph, [](const detail::InnerGraph &inner, int64_t) { return choosesWithin(inner); },
      [&](const Replacements &fresh) -> absl::StatusOr<bool> {
        absl::Status replaced = graph.replaceAll(fresh);
        return replaced.ok() ? absl::StatusOr<bool>(true) : replaced;
      });
  return s.ok() ? Sinking(graph, 0, inLoops).run() : s;
}

} // namespace graphc
