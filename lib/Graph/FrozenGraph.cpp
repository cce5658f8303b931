//===- Graph/FrozenGraph.cpp - a graph that never changes -----------------===//
//
// A copy that is a FunctionGraph, so that no other graph can take over its nodes, and a table of
// what it does, in which Variables are numbers. Nodes are numbered in the order that their data
// alone give, so that equal graphs have equal tables whatever order Features demand.
//
//===----------------------------------------------------------------------===//
#include "graphc/FrozenGraph.h"

#include <algorithm>

#include "Graph/GraphState.h"
#include "Support/Hash.h"

namespace graphc {

using detail::ApplyNode;
using detail::asLeaf;
using detail::GraphState;
using detail::VariableNode;

namespace {

struct Structure {
  std::vector<Op> ops;
  /// Of the inputs, then of the outputs of all nodes: a Variable's number is its position.
  std::vector<Type> types;
  std::vector<Tensor> constants;
  /// For each node the number of its operands and the operands, then the outputs; a constant is
  /// -1 less its position.
  std::vector<int64_t> uses;
  std::map<int, int> updates;

  explicit Structure(const GraphState &state);
  uint64_t hash() const;
  friend bool operator==(const Structure &a, const Structure &b) {
    return a.uses == b.uses && a.updates == b.updates && a.ops == b.ops && a.types == b.types &&
           std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(),
                      b.constants.end(),
                      [](const Tensor &x, const Tensor &y) { return x.identical(y); });
  }

private:
  int64_t numberOf(const VariableNode *v);
  absl::flat_hash_map<const VariableNode *, int64_t> leaves_;
  /// Of the first output, by slot.
  std::vector<int64_t> firstOutputs_;
};

int64_t Structure::numberOf(const VariableNode *v) {
  if (v->owner)
    return firstOutputs_[v->owner->slot] + v->index;
  auto [at, isNew] = leaves_.try_emplace(v, -1 - int64_t(constants.size()));
  if (isNew)
    constants.push_back(asLeaf(v)->data);
  return at->second;
}

Structure::Structure(const GraphState &state) : updates(state.updateMapping) {
  for (const VariableNode *input : state.inputs) {
    leaves_[input] = int64_t(types.size());
    types.push_back(input->type);
  }
  firstOutputs_.resize(state.nodes.size());
  for (ApplyNode *node : state.toposort()) {
    ops.push_back(node->op);
    uses.push_back(node->numInputs);
    for (uint32_t i = 0; i < node->numInputs; ++i)
      uses.push_back(numberOf(node->input(i)));
    firstOutputs_[node->slot] = int64_t(types.size());
    for (uint32_t i = 0; i < node->numOutputs; ++i)
      types.push_back(node->output(i)->type);
  }
  for (const VariableNode *output : state.outputs)
    uses.push_back(numberOf(output));
  leaves_ = {};
  firstOutputs_ = {};
}

uint64_t Structure::hash() const {
  Hasher hasher;
  hasher.addBytes(uses.data(), uses.size() * sizeof(uses[0]));
  for (const Op &op : ops)
    hasher.add(op.hash());
  for (const Type &type : types)
    hasher.add(type.hash());
  for (const Tensor &constant : constants)
    hasher.add(constant.contentHash());
  for (auto [output, input] : updates) {
    hasher.add(int64_t(output));
    hasher.add(int64_t(input));
  }
  return hasher.finish();
}

} // namespace

struct FrozenGraph::Record {
  FunctionGraph graph;
  std::vector<Apply> order;
  Structure structure;
  uint64_t hash;
};

absl::StatusOr<FrozenGraph> FunctionGraph::freeze() const {
  absl::StatusOr<std::vector<Apply>> order = toposort();
  if (!order.ok())
    return order.status();
  absl::StatusOr<GraphClone> copy =
      cloneGetEquiv({.checkIntegrity = false, .attachFeatures = false});
  if (!copy.ok())
    return copy.status();
  for (Apply &node : *order)
    node = copy->nodes.at(node);
  Structure structure(*copy->graph.state_);
  uint64_t hash = structure.hash();
  return FrozenGraph(std::make_shared<const FrozenGraph::Record>(
      FrozenGraph::Record{std::move(copy->graph), *std::move(order), std::move(structure), hash}));
}

int FrozenGraph::numInputs() const { return record_ ? record_->graph.numInputs() : 0; }
int FrozenGraph::numOutputs() const { return record_ ? record_->graph.numOutputs() : 0; }
size_t FrozenGraph::numNodes() const { return order().size(); }
Variables FrozenGraph::inputs() const { return record_ ? record_->graph.inputs() : Variables(); }
Variables FrozenGraph::outputs() const { return record_ ? record_->graph.outputs() : Variables(); }
const std::vector<Apply> &FrozenGraph::order() const {
  static const auto &none = *new std::vector<Apply>;
  return record_ ? record_->order : none;
}
uint64_t FrozenGraph::hash() const { return record_ ? record_->hash : 0; }

absl::StatusOr<FunctionGraph> FrozenGraph::thaw() const {
  if (!record_)
    return makeError(ErrorKind::Inconsistency, "the FrozenGraph has been moved from");
  return record_->graph.clone({.checkIntegrity = false, .attachFeatures = false});
}

bool operator==(const FrozenGraph &a, const FrozenGraph &b) {
  if (!a.record_ || !b.record_ || a.record_ == b.record_)
    return a.record_ == b.record_;
  return a.record_->hash == b.record_->hash && a.record_->structure == b.record_->structure;
}

} // namespace graphc
