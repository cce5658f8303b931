//===- Rewrite/Merge.cpp - equal computations become one ------------------===//
//
// F-302. Nodes are met producers first, with inputs that have been merged by then, so that equal
// ones have the very same inputs and one pass reaches the fixed point.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Graph/Nodes.h"
#include "Rewrite/RewriteRun.h"
#include "Support/Hash.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

/// What decides whether two nodes compute the same: the op, and the inputs, in any order where that
/// is the same to the op.
struct NodeKey {
  Op op;
  std::vector<detail::VariableNode *> inputs;

  explicit NodeKey(const Apply &node) : op(node.op()) {
    for (int i = 0; i < node.numInputs(); ++i)
      inputs.push_back(node.input(i).node());
    if (op.def().commutative && inputs.size() == 2)
      std::sort(inputs.begin(), inputs.end());
  }
  friend bool operator==(const NodeKey &a, const NodeKey &b) {
    return a.inputs == b.inputs && a.op == b.op;
  }
  template <class H> friend H AbslHashValue(H h, const NodeKey &key) {
    return H::combine(std::move(h), key.op.hash(), key.inputs);
  }
};

struct ConstantKey {
  Variable v;
  friend bool operator==(const ConstantKey &a, const ConstantKey &b) {
    return Constant::from(a.v)->data().identical(Constant::from(b.v)->data());
  }
  template <class H> friend H AbslHashValue(H h, const ConstantKey &key) {
    return H::combine(std::move(h), Constant::from(key.v)->data().contentHash());
  }
};

class Merge : public GraphRewriter {
public:
  explicit Merge(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  bool isSafe() const override { return true; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    RewriteRun run(graph, options, report);
    absl::flat_hash_map<ConstantKey, Variable> constants;
    for (const Variable &v : graph.variables()) {
      if (!v.isConstant() || run.ended())
        continue;
      auto [at, isNew] = constants.try_emplace({v}, v);
      if (!isNew)
        if (absl::StatusOr<bool> done = run.replace({name_}, v, at->second); !done.ok())
          return done.status();
    }
    absl::StatusOr<std::vector<Apply>> order = graph.toposort();
    if (!order.ok())
      return order.status();
    absl::flat_hash_map<NodeKey, Apply> nodes;
    nodes.reserve(order->size());
    for (const Apply &node : *order) {
      if (run.ended())
        break;
      if (!graph.contains(node) || destroysInput(node.op().def()))
        continue;
      auto [at, isNew] = nodes.try_emplace(NodeKey(node), node);
      if (isNew)
        continue;
      absl::StatusOr<bool> done =
          run.apply({name_}, node, at->second.outputs(), {at->second, node});
      if (!done.ok())
        return done.status();
      if (*done)
        addOrigins(at->second, node);
    }
    return absl::OkStatus();
  }

private:
  std::string name_;
};

} // namespace

GraphRewriterPtr mergeRewriter(std::string name) {
  return std::make_shared<Merge>(std::move(name));
}
GraphRewriterPtr mergeRewriter() { return mergeRewriter("merge"); }

} // namespace graphc
