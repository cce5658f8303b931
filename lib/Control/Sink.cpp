//===- Sink.cpp ------------------------------------------------------------===//
#include "Control/Sink.h"

#include <algorithm>
#include <map>

#include "Control/Control.h"
#include "Graph/Branches.h"
#include "Graph/InnerGraph.h"
#include "Ops/Derivatives.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Traversal.h"

namespace graphc {

namespace {

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
    Variables outputs = graph_.outputs();
    branches_ = Branches(*order, outputs);
    std::vector<Group> all = groups(*order);
    if (hasSeveralOfOneCondition(all))
      unsure_ = extentsOfElements(*order);
    absl::flat_hash_map<const detail::ApplyNode *, Group *> first;
    for (Group &group : all)
      find(group, first);
    for (const Group &group : all)
      if (absl::Status s = sink(group); !s.ok())
        return s;
    return absl::OkStatus();
  }

private:
  /// ifElses that become one op.
  struct Group {
    std::vector<Apply> nodes;
    bool hasInside = false;
    /// By branch: what it reads from outside, and of an earlier group's branch.
    Variables captured = {}, continued[2] = {};
    /// Likewise: what later groups read.
    Variables kept[2] = {};
  };

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

  /// ifElses that become one op: those of one condition that have as many ifElses above them on the
  /// longest way, so that none depends on what another group of the list makes of it.
  std::vector<Group> groups(const std::vector<Apply> &order) const {
    absl::flat_hash_map<const detail::ApplyNode *, int> levels;
    std::map<std::pair<int, size_t>, std::vector<Apply>> groups; // conditions in their order
    absl::flat_hash_map<const detail::VariableNode *, size_t> conditions;
    for (const Apply &node : order) {
      int level = 0;
      for (const Variable &input : node.inputs())
        if (Apply owner = input.owner())
          level = std::max(level, levels[owner.node()]);
      if (isIfElse(node) && !branches_.of(node)) {
        size_t condition =
            conditions.try_emplace(node.input(0).node(), conditions.size()).first->second;
        groups[{++level, condition}].push_back(node);
      }
      levels[node.node()] = level;
    }
    std::vector<Group> list;
    for (auto &[key, group] : groups)
      list.push_back({std::move(group)});
    return list;
  }

  static bool hasSeveralOfOneCondition(const std::vector<Group> &groups) {
    absl::flat_hash_set<const detail::VariableNode *> conditions;
    return !std::ranges::all_of(groups, [&](const Group &group) {
      return conditions.insert(group.nodes[0].input(0).node()).second;
    });
  }

  /// Whether a later group reads a result of the node from the op that computes it first. What only
  /// moves or spreads values is computed again for less than the memory costs; so is what stands in
  /// branches within the branch, or has extents that elements decide: a branch whose results have
  /// such extents runs twice.
  bool isWorthKeeping(const Apply &node) const {
    if (node.op().def().elements == Elements::Moved || branches_.of(node)->outer)
      return false;
    int most = 0;
    for (const Variable &input : node.inputs())
      most = std::max(most, input.rank());
    return std::ranges::all_of(node.outputs(), [&](const Variable &v) {
      return v.rank() <= most && !unsure_.contains(v.node());
    });
  }

  /// Walks the group's branches. `first`: the group in which a node is computed first.
  void find(Group &group, absl::flat_hash_map<const detail::ApplyNode *, Group *> &first) {
    absl::flat_hash_set<const detail::VariableNode *> seen;
    for (int k = 0; k < 2; ++k) {
      const Branch *branch = branches_.into(nullptr, group.nodes[0], k + 1);
      Variables rest;
      for (const Apply &node : group.nodes)
        rest.push_back(node.input(k + 1));
      absl::flat_hash_set<const detail::ApplyNode *> walked;
      while (!rest.empty()) {
        Variable v = std::move(rest.back());
        rest.pop_back();
        Apply owner = v.owner();
        if (!owner || branches_.outermostOf(owner) != branch) {
          if (!v.isConstant() && seen.insert(v.node()).second)
            group.captured.push_back(v);
          continue;
        }
        group.hasInside = true;
        Group *earlier = first.try_emplace(owner.node(), &group).first->second;
        if (earlier != &group && isWorthKeeping(owner)) {
          if (seen.insert(v.node()).second) {
            group.continued[k].push_back(v);
            if (wanted_.insert(v.node()).second)
              earlier->kept[k].push_back(v);
          }
        } else if (walked.insert(owner.node()).second) {
          for (const Variable &input : owner.inputs())
            rest.push_back(input);
        }
      }
    }
  }

  /// What a branch that is not taken gives in place of a kept array: nothing.
  static Variable noneLike(const Variable &v) {
    std::vector<int64_t> none(size_t(v.rank()), 0);
    return Constant::adopt(*Tensor::zeros(v.dtype(), none));
  }
  /// Of what is `v` or noneLike(v).
  static Type typeOfKept(const Variable &v) {
    return v.type().withShape(std::vector<int64_t>(size_t(v.rank()), kDynamic));
  }

  /// What stands in the graph for `v` by now.
  Variable now(const Variable &v) const {
    auto at = chosen_.find(v.node());
    return at == chosen_.end() ? v : at->second;
  }

  absl::Status sink(const Group &group) {
    if (!group.hasInside)
      return absl::OkStatus();
    const std::vector<Apply> &nodes = group.nodes;
    const Variable condition = nodes[0].input(0);
    Variables captured;
    for (const Variable &v : group.captured)
      captured.push_back(now(v));
    Control control;
    for (int k = 0; k < 2; ++k) {
      Variables inputs = captured, outputs;
      for (int of = 0; of < 2; ++of)
        for (const Variable &v : group.continued[of])
          inputs.push_back(of == k ? v : Variable(typeOfKept(v)));
      for (const Apply &node : nodes)
        outputs.push_back(inDType(node.input(k + 1), node.output(0).dtype()));
      for (int of = 0; of < 2; ++of)
        for (const Variable &v : group.kept[of])
          outputs.push_back(of == k ? v : noneLike(v));
      absl::StatusOr<FrozenGraph> body = bodyOf(inputs, outputs);
      if (!body.ok())
        return body.status();
      control.bodies.push_back(*std::move(body));
    }
    for (const Apply &node : nodes)
      control.results.push_back(node.output(0).type());
    for (const Variables &kept : group.kept)
      for (const Variable &v : kept)
        control.results.push_back(typeOfKept(v));
    absl::StatusOr<Op> op = controlOp(std::move(control));
    if (!op.ok())
      return op.status();
    std::vector<Operand> operands = {condition};
    operands.insert(operands.end(), captured.begin(), captured.end());
    for (const Variables &continued : group.continued)
      for (const Variable &v : continued)
        operands.emplace_back(kept_.at(v.node()));
    absl::StatusOr<Apply> made = op->makeNode(operands, nodes[0].place());
    if (!made.ok())
      return made.status();
    Replacements fresh;
    int result = 0;
    for (const Apply &node : nodes) {
      Variable old = node.output(0), chosen = made->output(result++);
      if (!old.name().empty())
        chosen.setName(old.name());
      fresh.emplace_back(old, chosen);
      chosen_.emplace(old.node(), chosen);
    }
    for (const Variables &kept : group.kept)
      for (const Variable &v : kept)
        kept_.emplace(v.node(), made->output(result++));
    return graph_.replaceAll(fresh, "sink_branches");
  }

  absl::StatusOr<FrozenGraph> bodyOf(const Variables &inputs, const Variables &outputs) const {
    if (level_ == kMostLevels)
      return tooManyLevels();
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
  Branches branches_;
  /// Variables with extents that elements decide.
  absl::flat_hash_set<const detail::VariableNode *> unsure_;
  /// What a group's branch has computed for later ones: which, and the ops' results.
  absl::flat_hash_set<const detail::VariableNode *> wanted_;
  absl::flat_hash_map<const detail::VariableNode *, Variable> kept_;
  /// Of ifElses that an op stands for: its results.
  absl::flat_hash_map<const detail::VariableNode *, Variable> chosen_;
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

absl::Status sinkBranches(FunctionGraph &graph, bool inLoops, int level) {
  // A graph that is called is emitted as a whole: those with choices are put in their places.
  absl::flat_hash_map<const detail::InnerGraph *, bool> known; // one may be called from many places
  auto chooses = [&](const detail::InnerGraph &inner, int64_t) {
    auto [found, isNew] = known.try_emplace(&inner);
    if (isNew)
      found->second = choosesWithin(inner);
    return found->second;
  };
  absl::Status s =
      inlineCalls(graph, chooses, [&](const Replacements &fresh) -> absl::StatusOr<bool> {
        absl::Status replaced = graph.replaceAll(fresh);
        return replaced.ok() ? absl::StatusOr<bool>(true) : replaced;
      });
  return s.ok() ? Sinking(graph, level, inLoops).run() : s;
}

} // namespace graphc
