//===- Graph/GraphIntegrity.cpp - do the tables agree with the graph? -----===//
//
// Reads the graph as a stranger would, from the outputs along the nodes' inputs, and compares. It
// trusts nothing that the tables say.
//
//===----------------------------------------------------------------------===//
#include "Graph/GraphState.h"
#include "Graph/NewNodes.h"
#include "Graph/Walk.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"

namespace graphc {

using namespace detail;

namespace {

class Integrity {
public:
  explicit Integrity(const GraphState &state) : state_(state) {}
  absl::Status check();

  // Of walk():
  bool isLeaf(VariableNode *) const { return false; }
  void leaf(VariableNode *v, ApplyNode *, uint32_t) {
    if (leaves_.insert(v).second)
      orderedLeaves_.push_back(v);
  }
  bool enter(ApplyNode *node) {
    if (!reached_.insert(node).second)
      return false;
    nodes_.push_back(node);
    return true;
  }
  void leave(ApplyNode *) {}

private:
  void report(const std::string &what) { mistakes_ += "\n  " + what; }
  void checkNode(ApplyNode *node);
  void checkLeaves();
  void checkTables();
  void checkUses(const GraphState::Var &var);
  void checkUse(uint32_t use, uint32_t user, uint32_t index, const VariableNode *value);

  const GraphState &state_;
  absl::flat_hash_set<const ApplyNode *> reached_;
  absl::flat_hash_set<const VariableNode *> leaves_;
  std::vector<ApplyNode *> nodes_;
  std::vector<VariableNode *> orderedLeaves_;
  /// By use: whether it stands in the list of the Variable that is used.
  std::vector<bool> listed_;
  std::string mistakes_;
};

/// The lists are read in checkUses, so what is here in no list shows in `listed_`.
void Integrity::checkUse(uint32_t use, uint32_t user, uint32_t index, const VariableNode *value) {
  const GraphState::Use &record = state_.uses[use];
  if (record.user != user || record.index != index)
    report("a use of " + describe(value) + " is recorded as another's");
  else if (!listed_[use])
    report(describe(value) + " lacks a client");
}

void Integrity::checkNode(ApplyNode *node) {
  if (!state_.contains(node) || node->slot >= state_.nodes.size() ||
      state_.nodes[node->slot].node != node)
    return report("missing node: " + node->op.str());
  for (uint32_t i = 0; i < node->numOutputs; ++i) {
    VariableNode *output = node->output(i);
    if (output->owner != node || output->index != i)
      report("output " + std::to_string(i) + " of " + node->op.str() +
             " has another owner or index");
    else if (output->slot >= state_.vars.size() || state_.vars[output->slot].node != output)
      report("missing Variable: " + describe(output));
  }
  for (uint32_t i = 0; i < node->numInputs; ++i)
    checkUse(state_.nodes[node->slot].firstUse + i, node->slot, i, node->input(i));
}

void Integrity::checkLeaves() {
  for (const VariableNode *v : orderedLeaves_) {
    uint32_t slot = state_.slotOf(v);
    if (slot == kNoSlot || state_.vars[slot].node != v)
      report((v->constant ? "missing constant: " : "undeclared input: ") + describe(v));
    else if (!v->constant && !state_.vars[slot].input)
      report("undeclared input: " + describe(v));
  }
}

void Integrity::checkUses(const GraphState::Var &var) {
  uint32_t previous = kNoSlot;
  for (uint32_t i = var.firstUse; i != kNoSlot; previous = i, i = state_.uses[i].next) {
    const GraphState::Use &use = state_.uses[i];
    bool exists = use.user == kNoSlot
                      ? use.index < state_.outputs.size()
                      : use.user < state_.nodes.size() && state_.nodes[use.user].node &&
                            use.index < state_.nodes[use.user].node->numInputs;
    if (!exists || state_.valueOf(use) != var.node || use.previous != previous)
      return report("stale client of " + describe(var.node));
    listed_[i] = true;
  }
  if (var.lastUse != previous)
    report("the clients of " + describe(var.node) + " end elsewhere");
}

void Integrity::checkTables() {
  size_t count = 0;
  for (const GraphState::Node &record : state_.nodes) {
    count += record.node != nullptr;
    if (record.node && !reached_.contains(record.node))
      report("excess node: " + record.node->op.str());
  }
  if (count != state_.numNodes)
    report("there are " + std::to_string(count) + " nodes, not " + std::to_string(state_.numNodes));
  for (const GraphState::Var &var : state_.vars) {
    if (!var.node)
      continue;
    if (!var.input &&
        !(var.node->owner ? reached_.contains(var.node->owner) : leaves_.contains(var.node)))
      report("excess Variable: " + describe(var.node));
    checkUses(var);
  }
}

absl::Status Integrity::check() {
  walk(state_.outputs, *this);
  listed_.resize(state_.uses.size());
  checkTables();
  for (ApplyNode *node : nodes_)
    checkNode(node);
  checkLeaves();
  for (VariableNode *input : state_.inputs)
    if (input->owner || state_.slotOf(input) == kNoSlot || !state_.vars[input->slot].input)
      report("an input has an owner or is no member: " + describe(input));
  for (size_t i = 0; i < state_.outputs.size(); ++i)
    checkUse(state_.outputUses[i], kNoSlot, uint32_t(i), state_.outputs[i]);
  if (mistakes_.empty()) {
    ApplyNode *cyclic = nullptr;
    state_.toposort(&cyclic);
    if (cyclic)
      report("there is a cycle through " + cyclic->op.str());
  }
  if (mistakes_.empty())
    return absl::OkStatus();
  return makeError(ErrorKind::Inconsistency, "the FunctionGraph is inconsistent:" + mistakes_);
}

} // namespace

absl::Status FunctionGraph::checkIntegrity() const {
  if (!state_)
    return state().mayChange();
  return Integrity(state()).check();
}

} // namespace graphc
