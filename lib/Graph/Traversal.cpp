//===- Graph/Traversal.cpp - walks over users' graphs ---------------------===//
#include "graphc/Traversal.h"

#include <algorithm>

#include "Graph/Cloner.h"
#include "Graph/Walk.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/OpDef.h"

namespace graphc {

using detail::ApplyNode;
using detail::asLeaf;
using detail::VariableNode;
using VariableSet = absl::flat_hash_set<VariableNode *>;

static VariableSet setOf(absl::Span<const Variable> variables) {
  VariableSet set;
  for (const Variable &v : variables)
    set.insert(v.node());
  return set;
}

/// Calls `visit` with each ancestor once, depth-first, until it returns false. `siblings`: a
/// node's other outputs too, after its inputs.
template <class Visit>
static void eachAncestor(absl::Span<const Variable> of, const VariableSet &blockers, bool siblings,
                         Visit visit) {
  std::vector<VariableNode *> pending = detail::nodesOf(of);
  std::reverse(pending.begin(), pending.end());
  VariableSet seen;
  while (!pending.empty()) {
    VariableNode *v = pending.back();
    pending.pop_back();
    if (!seen.insert(v).second)
      continue;
    if (!visit(v))
      return;
    if (!v->owner || blockers.contains(v))
      continue;
    ApplyNode *node = v->owner;
    if (siblings)
      for (uint32_t i = node->numOutputs; i-- > 0;)
        pending.push_back(node->output(i));
    for (uint32_t i = node->numInputs; i-- > 0;)
      pending.push_back(node->input(i));
  }
}

template <class Keep>
static Variables collect(absl::Span<const Variable> of, const VariableSet &blockers, bool siblings,
                         Keep keep) {
  Variables found;
  eachAncestor(of, blockers, siblings, [&](VariableNode *v) {
    if (keep(v))
      found.push_back(Variable::fromNode(v));
    return true;
  });
  return found;
}

Variables ancestors(absl::Span<const Variable> of, absl::Span<const Variable> blockers) {
  return collect(of, setOf(blockers), false, [](VariableNode *) { return true; });
}

Variables graphInputs(absl::Span<const Variable> of, absl::Span<const Variable> blockers) {
  VariableSet ends = setOf(blockers);
  return collect(of, ends, false, [&](VariableNode *v) { return !v->owner || ends.contains(v); });
}

Variables explicitGraphInputs(absl::Span<const Variable> of) {
  return collect(of, {}, false, [](VariableNode *v) { return !v->owner && !v->constant; });
}

Variables varsBetween(absl::Span<const Variable> inputs, absl::Span<const Variable> outputs) {
  return collect(outputs, setOf(inputs), true, [](VariableNode *) { return true; });
}

std::vector<Apply> applysBetween(absl::Span<const Variable> inputs,
                                 absl::Span<const Variable> outputs) {
  std::vector<Apply> found;
  absl::flat_hash_set<ApplyNode *> seen;
  VariableSet blockers = setOf(inputs);
  eachAncestor(outputs, blockers, false, [&](VariableNode *v) {
    if (v->owner && !blockers.contains(v) && seen.insert(v->owner).second)
      found.push_back(Apply::fromNode(v->owner));
    return true;
  });
  return found;
}

bool isInAncestors(const Variable &candidate, absl::Span<const Variable> of) {
  bool found = false;
  eachAncestor(of, {}, false, [&](VariableNode *v) {
    found = v == candidate.node();
    return !found;
  });
  return found;
}

namespace {

struct Toposort {
  VariableSet inputs;
  absl::flat_hash_set<ApplyNode *> seen = {};
  std::vector<Apply> order = {};

  bool isLeaf(VariableNode *v) const { return inputs.contains(v); }
  void leaf(VariableNode *, ApplyNode *, uint32_t) {}
  bool enter(ApplyNode *node) { return seen.insert(node).second; }
  void leave(ApplyNode *node) { order.push_back(Apply::fromNode(node)); }
};

} // namespace

std::vector<Apply> ioToposort(absl::Span<const Variable> inputs,
                              absl::Span<const Variable> outputs) {
  Toposort sort{setOf(inputs)};
  detail::walk(detail::nodesOf(outputs), sort);
  return std::move(sort.order);
}

//===--- equalComputations ------------------------------------------------===//

/// Variables that nothing stands for and that have no owner.
static bool equalLeaves(const VariableNode *a, const VariableNode *b) {
  if (a == b)
    return true;
  return a->constant && b->constant && a->type == b->type &&
         asLeaf(a)->data.identical(asLeaf(b)->data);
}

bool equalComputations(absl::Span<const Variable> as, absl::Span<const Variable> bs,
                       absl::Span<const Variable> aInputs, absl::Span<const Variable> bInputs) {
  if (as.size() != bs.size() || aInputs.size() != bInputs.size())
    return false;
  absl::flat_hash_map<VariableNode *, VariableNode *> standsFor;
  for (size_t i = 0; i < aInputs.size(); ++i)
    standsFor.try_emplace(aInputs[i].node(), bInputs[i].node());
  VariableSet bGiven = setOf(bInputs);

  absl::flat_hash_set<std::pair<ApplyNode *, ApplyNode *>> assumed;
  std::vector<std::pair<VariableNode *, VariableNode *>> pending;
  for (size_t i = 0; i < as.size(); ++i)
    pending.emplace_back(as[i].node(), bs[i].node());
  while (!pending.empty()) {
    auto [a, b] = pending.back();
    pending.pop_back();
    auto given = standsFor.find(a);
    if (given != standsFor.end() || bGiven.contains(b)) {
      if (given == standsFor.end() || given->second != b || a->type != b->type)
        return false;
      continue;
    }
    if (!a->owner || !b->owner) {
      if (a->owner || b->owner || !equalLeaves(a, b))
        return false;
      continue;
    }
    // Nothing below one and the same node differs unless an input stands for another one.
    if (a == b && standsFor.empty())
      continue;
    ApplyNode *x = a->owner, *y = b->owner;
    if (a->index != b->index || a->type != b->type || x->numInputs != y->numInputs ||
        !(x->op == y->op))
      return false;
    if (!assumed.emplace(x, y).second)
      continue;
    for (uint32_t i = 0; i < x->numInputs; ++i)
      pending.emplace_back(x->input(i), y->input(i));
  }
  return true;
}

//===--- copies -----------------------------------------------------------===//

InputsOutputs clone(absl::Span<const Variable> inputs, absl::Span<const Variable> outputs,
                    bool copyInputs) {
  detail::Cloner cloner(copyInputs ? detail::Cloner::Leaves::Copy : detail::Cloner::Leaves::Reuse);
  for (const Variable &input : inputs) {
    if (!copyInputs && !input.hasOwner())
      continue;
    VariableNode *fresh = detail::cloneLeaf(input.node());
    cloner.map(input.node(), fresh);
    detail::release(fresh);
  }
  cloner.copy(detail::nodesOf(outputs));
  InputsOutputs copy;
  for (const Variable &input : inputs) {
    VariableNode *fresh = cloner.find(input.node());
    copy.inputs.push_back(fresh ? Variable::fromNode(fresh) : input);
  }
  for (const Variable &output : outputs)
    copy.outputs.push_back(Variable::fromNode(cloner.find(output.node())));
  return copy;
}

namespace {

struct Replacer {
  bool strict;
  absl::flat_hash_map<VariableNode *, Variable> replaced = {};
  /// What became of an Apply; null Applies are still to come.
  absl::flat_hash_map<ApplyNode *, Apply> nodes = {};
  absl::Status status = {};

  bool isLeaf(VariableNode *v) const { return replaced.contains(v); }
  void leaf(VariableNode *, ApplyNode *, uint32_t) {}
  bool enter(ApplyNode *node) { return nodes.try_emplace(node).second; }

  Variable find(VariableNode *v) const {
    if (auto at = replaced.find(v); at != replaced.end())
      return at->second;
    return v->owner ? nodes.find(v->owner)->second.output(int(v->index)) : Variable::fromNode(v);
  }

  void leave(ApplyNode *node) {
    Apply old = Apply::fromNode(node);
    Variables inputs;
    bool changed = false;
    for (uint32_t i = 0; i < node->numInputs && status.ok(); ++i) {
      inputs.push_back(find(node->input(i)));
      changed |= inputs.back().node() != node->input(i);
    }
    Apply fresh = old;
    if (changed && status.ok()) {
      absl::StatusOr<Apply> made = old.cloneWithNewInputs(inputs, strict);
      if (made.ok())
        fresh = *made;
      else
        status = made.status();
    }
    nodes[node] = fresh;
    // A shape that is not known any more, or another one: checked when it is computed.
    for (int o = 0; strict && status.ok() && o < fresh.numOutputs(); ++o)
      if (Variable v = old.output(o); !v.type().isSuperOf(fresh.output(o).type())) {
        Variable narrowed = filterVariable(v.type(), fresh.output(o));
        status = narrowed.status();
        replaced.emplace(v.node(), std::move(narrowed));
      }
  }
};

} // namespace

absl::StatusOr<Variables> cloneReplace(absl::Span<const Variable> outputs,
                                       const Replacements &replacements, bool strict) {
  Replacer replacer{strict};
  for (const auto &[old, fresh] : replacements) {
    Variable converted = strict ? filterVariable(old.type(), fresh) : fresh;
    if (!converted.ok())
      return converted.status();
    replacer.replaced.insert_or_assign(old.node(), std::move(converted));
  }
  detail::walk(detail::nodesOf(outputs), replacer);
  if (!replacer.status.ok())
    return replacer.status;
  Variables result;
  for (const Variable &output : outputs)
    result.push_back(replacer.find(output.node()));
  return result;
}

} // namespace graphc
