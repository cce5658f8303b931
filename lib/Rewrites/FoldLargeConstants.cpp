//===- FoldLargeConstants.cpp ---------------------------------------------===//
#include "FoldLargeConstants.h"

#include "Graph/Nodes.h"
#include "Rewrite/RewriteRun.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/OpDef.h"

namespace graphc {

/// Variables that depend on no input and that something which does (or the outside) reads.
static Variables constantFrontier(const FunctionGraph &graph, const std::vector<Apply> &order) {
  using detail::VariableNode;
  absl::flat_hash_set<const VariableNode *> dependent, seen;
  dependent.reserve(order.size() + size_t(graph.numInputs()));
  for (const Variable &input : graph.inputs())
    dependent.insert(input.node());
  Variables frontier;
  auto take = [&](VariableNode *v) {
    if (v->owner && !dependent.contains(v) && seen.insert(v).second)
      frontier.push_back(Variable::fromNode(v));
  };
  for (const Apply &node : order) {
    absl::Span<VariableNode *const> inputs(node.node()->inputs(), node.node()->numInputs);
    bool depends = !node.op().def().foldable;
    for (const VariableNode *input : inputs)
      depends = depends || dependent.contains(input);
    if (!depends)
      continue;
    for (VariableNode *input : inputs)
      take(input);
    for (uint32_t i = 0; i < node.node()->numOutputs; ++i)
      dependent.insert(node.node()->output(i));
  }
  for (const Variable &v : graph.outputs())
    take(v.node());
  return frontier;
}

absl::Status foldLargeConstants(FunctionGraph &graph, const EvaluateGraph &evaluateAll) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  GraphModule constants;
  constants.outputs = constantFrontier(graph, *order);
  if (constants.outputs.empty())
    return absl::OkStatus();
  absl::StatusOr<std::vector<Tensor>> values = evaluateAll(constants);
  for (size_t i = 0; values.ok() && i < values->size(); ++i) {
    const Variable &v = constants.outputs[i];
    // A constant is no node that could know its places: whoever reads it does.
    absl::StatusOr<Clients> readers = graph.clients(v);
    for (const Client &client : readers.ok() ? *readers : Clients())
      if (!client.isOutput())
        addOrigins(client.node, v.owner());
    Constant value = Constant::adopt((*values)[i].contiguous(), v.name(), v.place());
    if (absl::Status s = graph.replace(v, value, "constant folding"); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

} // namespace graphc
