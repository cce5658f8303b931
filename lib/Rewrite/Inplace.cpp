//===- Rewrite/Inplace.cpp - ops in the memory of their operands ----------===//
//
// F-304. The DestroyHandler decides; what it would surely refuse, and what would keep memory that
// others read busy, is not tried.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Rewrite/RewriteRun.h"
#include "graphc/Features.h"

namespace graphc {

bool destroysInput(const OpDef &def) {
  return std::any_of(def.destroyMap.begin(), def.destroyMap.end(),
                     [](int input) { return input >= 0; });
}

namespace {

class AddDestroyHandler : public GraphRewriter {
public:
  std::string_view name() const override { return "add_destroy_handler"; }
  bool isSafe() const override { return true; }
  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &,
                       RewriteReport &) const override {
    std::vector<Apply> nodes = graph.applyNodes();
    bool anyInplace = std::any_of(nodes.begin(), nodes.end(),
                                  [](const Apply &node) { return node.op().def().inplace; });
    if (!anyInplace || graph.find<DestroyHandler>())
      return absl::OkStatus();
    return graph.attachFeature(std::make_shared<Supervisor>(Supervisor::Options()));
  }
};

/// Memory that may not be overwritten, by its root.
absl::flat_hash_set<Variable> protectedRoots(const FunctionGraph &graph) {
  absl::flat_hash_set<Variable> roots;
  const auto *supervisor = graph.find<Supervisor>();
  for (int i = 0; i < graph.numInputs(); ++i)
    if (supervisor && !supervisor->options().mutableInputs.contains(i))
      roots.insert(graph.input(i));
  for (const Variable &output : graph.outputs())
    roots.insert(DestroyHandler::root(output));
  return roots;
}

/// Whether anything but one use, through views perhaps, reads the memory of `v`.
bool isSharedMemory(const FunctionGraph &graph, Variable v) {
  while (graph.numClients(v) == 1) {
    Variable root = DestroyHandler::root(v);
    if (root == v)
      return false;
    const std::vector<int> &views = v.owner().op().def().viewMap;
    v = v.owner().input(views[size_t(v.index())]);
  }
  return true;
}

class Inplace : public GraphRewriter {
public:
  std::string_view name() const override { return "inplace"; }
  bool isSafe() const override { return true; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    if (!graph.find<DestroyHandler>())
      return absl::OkStatus();
    RewriteRun run(graph, options, report);
    absl::StatusOr<std::vector<Apply>> order = graph.toposort();
    if (!order.ok())
      return order.status();
    absl::flat_hash_set<Variable> kept = protectedRoots(graph);
    for (const Apply &node : *order) {
      if (run.ended())
        break;
      if (!graph.contains(node) || !node.op().def().inplace)
        continue;
      bool done = false;
      for (int i = node.numInputs(); i-- > 0 && !done;) {
        Variable root = DestroyHandler::root(node.input(i));
        if (root.isConstant() || kept.contains(root) || isSharedMemory(graph, node.input(i)))
          continue;
        absl::StatusOr<Apply> made = tryOperand(run, node, i);
        if (!made.ok())
          return made.status();
        done = bool(*made);
        for (int k = 0; done && k < node.numOutputs(); ++k)
          if (kept.contains(node.output(k)))
            kept.insert(made->output(k));
      }
    }
    return absl::OkStatus();
  }

private:
  /// The node that took the place of `node`; null for none.
  absl::StatusOr<Apply> tryOperand(RewriteRun &run, const Apply &node, int operand) const {
    std::optional<Op> op = node.op().def().inplace(node.op(), operand);
    if (!op)
      return Apply();
    std::vector<Operand> operands;
    for (const Variable &input : node.inputs())
      operands.emplace_back(input, node.place());
    absl::StatusOr<Apply> made = op->makeNode(operands, node.place());
    if (!made.ok())
      return made.status();
    absl::StatusOr<bool> done = run.apply({name()}, node, made->outputs(), {node});
    if (!done.ok())
      return done.status();
    return *done ? *made : Apply();
  }
};

} // namespace

GraphRewriterPtr addDestroyHandler() { return std::make_shared<AddDestroyHandler>(); }
GraphRewriterPtr inplaceRewriter() { return std::make_shared<Inplace>(); }

} // namespace graphc
