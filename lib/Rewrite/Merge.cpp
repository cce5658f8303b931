//===- Rewrite/Merge.cpp - equal computations become one ------------------===//
//
// F-302. Nodes are met producers first, with inputs that have been merged by then, so that equal
// ones have the very same inputs and one pass reaches the fixed point.
//
//===----------------------------------------------------------------------===//
#include "Graph/MergeKeys.h"
#include "Rewrite/RewriteRun.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace graphc {
namespace {

using detail::ApplyNode;

struct NodeHash {
  size_t operator()(ApplyNode *node) const { return nodeHash(node, noToken); }
};
struct SameNode {
  bool operator()(ApplyNode *a, ApplyNode *b) const { return sameNode(a, b, noToken); }
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
    absl::flat_hash_set<ApplyNode *, NodeHash, SameNode> nodes; // `order` holds them
    nodes.reserve(order->size());
    for (const Apply &node : *order) {
      if (run.ended())
        break;
      if (!graph.contains(node) || destroysInput(node.op().def()))
        continue;
      auto [at, isNew] = nodes.insert(node.node());
      if (isNew)
        continue;
      Apply first = Apply::fromNode(*at);
      absl::StatusOr<bool> done = run.apply({name_}, node, first.outputs(), {first, node});
      if (!done.ok())
        return done.status();
      if (*done)
        addOrigins(first, node);
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
