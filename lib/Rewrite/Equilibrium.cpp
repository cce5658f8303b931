//===- Rewrite/Equilibrium.cpp - rules until none applies -----------------===//
//
// A list of nodes to visit is fed by the graph's own events, so that cost follows changes: a new
// node, a node with a new input and whoever may see it through a pattern, and a producer that lost
// a client.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <deque>

#include "Graph/Nodes.h"
#include "Rewrite/RewriteRun.h"
#include "Support/Log.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Features.h"

namespace graphc {
namespace {

class WorkList : public Feature {
public:
  /// `reach`: how many nodes below a changed one a pattern may look at it from.
  explicit WorkList(int reach) : reach_(reach) {}
  std::string_view name() const override { return "WorkList"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<WorkList>(reach_); }

  /// Those below it shall be visited too, down to `reach`.
  void push(const Apply &node, int reach) {
    auto [at, isNew] = reaches_.try_emplace(node.node(), reach);
    if (isNew)
      queue_.push_back(node);
    else
      at->second = std::max(at->second, reach);
  }
  void pushClients(const FunctionGraph &graph, const Apply &node, int reach) {
    for (int i = 0; i < node.numOutputs(); ++i) {
      absl::StatusOr<Clients> clients = graph.clients(node.output(i));
      if (!clients.ok())
        continue;
      for (const Client &client : *clients)
        if (!client.isOutput())
          push(client.node, reach);
    }
  }
  /// A null Apply at the end.
  std::pair<Apply, int> pop() {
    while (!queue_.empty()) {
      Apply node = std::move(queue_.front());
      queue_.pop_front();
      auto at = reaches_.find(node.node());
      if (at == reaches_.end())
        continue; // pruned
      int reach = at->second;
      reaches_.erase(at);
      return {std::move(node), reach};
    }
    return {Apply(), 0};
  }

  absl::Status onImport(FunctionGraph &, const Apply &node, std::string_view) override {
    push(node, 0);
    return absl::OkStatus();
  }
  absl::Status onPrune(FunctionGraph &graph, const Apply &node, std::string_view) override {
    reaches_.erase(node.node());
    for (int i = 0; i < node.numInputs(); ++i)
      if (Variable input = node.input(i); input.hasOwner() && graph.contains(input))
        push(input.owner(), 0);
    return absl::OkStatus();
  }
  absl::Status onChangeInput(FunctionGraph &, const Client &client, const Variable &,
                             const Variable &, std::string_view) override {
    if (!client.isOutput())
      push(client.node, reach_);
    return absl::OkStatus();
  }

private:
  int reach_;
  std::deque<Apply> queue_;
  absl::flat_hash_map<detail::ApplyNode *, int> reaches_;
};

/// Rewriters by the op that they look at, in their order.
class RuleIndex {
public:
  struct Entry {
    const NodeRewriter *rewriter;
    int64_t uses = 0;
    bool stopped = false;
  };
  RuleIndex(const std::vector<NodeRewriterPtr> &rewriters, Effects allowed) {
    for (const NodeRewriterPtr &rewriter : rewriters)
      if (!(rewriter->effects() & ~allowed & ~kShapeUnsafe))
        entries_.push_back({rewriter.get()});
    for (size_t i = 0; i < entries_.size(); ++i)
      if (const OpDef *root = entries_[i].rewriter->root())
        byRoot_[root];
    for (size_t i = 0; i < entries_.size(); ++i) {
      const OpDef *root = entries_[i].rewriter->root();
      if (!root)
        any_.push_back(i);
      for (auto &[op, list] : byRoot_)
        if (!root || root == op)
          list.push_back(i);
    }
  }
  const std::vector<size_t> &of(const OpDef &op) const {
    auto at = byRoot_.find(&op);
    return at == byRoot_.end() ? any_ : at->second;
  }
  Entry &operator[](size_t i) { return entries_[i]; }
  std::vector<Entry> &entries() { return entries_; }
  int depth() const {
    int depth = 1;
    for (const Entry &entry : entries_)
      depth = std::max(depth, entry.rewriter->depth());
    return depth;
  }

private:
  std::vector<Entry> entries_;
  absl::flat_hash_map<const OpDef *, std::vector<size_t>> byRoot_;
  std::vector<size_t> any_;
};

/// Whether no mistake of shapes can be left for the run, so that none can be hidden.
bool haveStaticShapes(const std::vector<Apply> &nodes) {
  auto isStatic = [](const Variable &v) { return v.type().numElements() != kDynamic; };
  for (const Apply &node : nodes)
    for (int i = 0; i < node.numInputs(); ++i)
      if (!isStatic(node.input(i)))
        return false;
  return true;
}

/// Tries the rules for one node in turn: true if one changed the graph.
class Visitor {
public:
  Visitor(FunctionGraph &graph, const RewriteOptions &options, RewriteReport &report,
          const std::vector<NodeRewriterPtr> &rewriters)
      : graph_(graph), report_(report), run_(graph, options, report),
        index_(rewriters, options.allowed), allowed_(options.allowed),
        // Small graphs may need a few uses more.
        maxUses_(int64_t(options.maxUseRatio * double(graph.numNodes() + 100))) {}

  RuleIndex &index() { return index_; }
  bool ended() const { return run_.ended(); }

  absl::StatusOr<bool> visit(const Apply &node) {
    for (size_t i : index_.of(node.op().def())) {
      RuleIndex::Entry &entry = index_[i];
      if (entry.stopped || refused_.contains({i, node}))
        continue;
      matched_.clear();
      Variables proposal = entry.rewriter->propose(graph_, node, &matched_);
      if (proposal.empty())
        continue;
      if (matched_.empty())
        matched_.push_back(node);
      if ((entry.rewriter->effects() & kShapeUnsafe & ~allowed_) && !haveStaticShapes(matched_))
        continue;
      absl::StatusOr<bool> done =
          run_.apply({entry.rewriter->name(), entry.rewriter->effects()}, node, proposal, matched_);
      if (!done.ok() || *done) {
        count(entry);
        return done;
      }
      // What a Feature refuses is undone, which puts the node on the list again.
      if (run_.wasRefused())
        refused_.insert({i, node});
    }
    return false;
  }

private:
  void count(RuleIndex::Entry &entry) {
    if (++entry.uses <= maxUses_)
      return;
    entry.stopped = true;
    report_.stopped.push_back(entry.rewriter->name());
    std::string busiest;
    for (const RuleIndex::Entry &each : index_.entries())
      if (each.uses > maxUses_ / 2 && &each != &entry)
        busiest += (busiest.empty() ? "" : ", ") + each.rewriter->name();
    logWarning("the rewrite " + entry.rewriter->name() + " is stopped after " +
               std::to_string(entry.uses) + " uses: it does not come to an end" +
               (busiest.empty() ? "" : " together with " + busiest));
  }

  FunctionGraph &graph_;
  RewriteReport &report_;
  RewriteRun run_;
  RuleIndex index_;
  absl::flat_hash_set<std::pair<size_t, Apply>> refused_;
  Effects allowed_;
  int64_t maxUses_;
  std::vector<Apply> matched_;
};

/// Removes the ShapeFeature that rules attached meanwhile.
class ShapesDuringRun {
public:
  explicit ShapesDuringRun(FunctionGraph &graph)
      : graph_(graph), keep_(graph.find<ShapeFeature>() != nullptr) {}
  ShapesDuringRun(const ShapesDuringRun &) = delete;
  ~ShapesDuringRun() {
    if (keep_)
      return;
    for (const std::shared_ptr<Feature> &feature : Features(graph_.features()))
      if (dynamic_cast<ShapeFeature *>(feature.get()))
        (void)graph_.removeFeature(feature);
  }

private:
  FunctionGraph &graph_;
  bool keep_;
};

class Equilibrium : public GraphRewriter {
public:
  Equilibrium(std::string name, std::vector<NodeRewriterPtr> rewriters)
      : name_(std::move(name)), rewriters_(std::move(rewriters)) {}
  std::string_view name() const override { return name_; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    ShapesDuringRun shapes(graph);
    Visitor visitor(graph, options, report, rewriters_);
    absl::StatusOr<std::vector<Apply>> order = graph.toposort();
    if (!order.ok())
      return order.status();
    auto list = std::make_shared<WorkList>(std::max(0, visitor.index().depth() - 2));
    for (const Apply &node : *order)
      list->push(node, 0);
    order->clear();
    if (absl::Status status = graph.attachFeature(list); !status.ok())
      return status;
    absl::Status status = run(graph, visitor, *list);
    if (absl::Status removed = graph.removeFeature(list); status.ok())
      status = removed;
    return status;
  }

private:
  static absl::Status run(FunctionGraph &graph, Visitor &visitor, WorkList &list) {
    while (!visitor.ended()) {
      auto [node, reach] = list.pop();
      if (!node)
        break;
      absl::StatusOr<bool> changed = visitor.visit(node);
      if (!changed.ok())
        return changed.status();
      if (!*changed && reach > 0)
        list.pushClients(graph, node, reach - 1);
    }
    return absl::OkStatus();
  }

  std::string name_;
  std::vector<NodeRewriterPtr> rewriters_;
};

class OnePass : public GraphRewriter {
public:
  OnePass(std::string name, std::vector<NodeRewriterPtr> rewriters, bool producersFirst)
      : name_(std::move(name)), rewriters_(std::move(rewriters)), producersFirst_(producersFirst) {}
  std::string_view name() const override { return name_; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    ShapesDuringRun shapes(graph);
    Visitor visitor(graph, options, report, rewriters_);
    absl::StatusOr<std::vector<Apply>> order = graph.toposort();
    if (!order.ok())
      return order.status();
    if (!producersFirst_)
      std::reverse(order->begin(), order->end());
    for (const Apply &node : *order) {
      if (visitor.ended())
        break;
      if (!graph.contains(node))
        continue;
      if (absl::Status status = visitor.visit(node).status(); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

private:
  std::string name_;
  std::vector<NodeRewriterPtr> rewriters_;
  bool producersFirst_;
};

class Sequence : public GraphRewriter {
public:
  Sequence(std::string name, std::vector<GraphRewriterPtr> rewriters)
      : name_(std::move(name)), rewriters_(std::move(rewriters)) {}
  std::string_view name() const override { return name_; }
  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    for (const GraphRewriterPtr &each : rewriters_)
      if (absl::Status status = each->rewrite(graph, options, report); !status.ok())
        return status;
    return absl::OkStatus();
  }

private:
  std::string name_;
  std::vector<GraphRewriterPtr> rewriters_;
};

} // namespace

GraphRewriterPtr equilibrium(std::string name, std::vector<NodeRewriterPtr> rules) {
  return std::make_shared<Equilibrium>(std::move(name), std::move(rules));
}
GraphRewriterPtr onePass(std::string name, std::vector<NodeRewriterPtr> rules,
                         bool producersFirst) {
  return std::make_shared<OnePass>(std::move(name), std::move(rules), producersFirst);
}
GraphRewriterPtr sequence(std::string name, std::vector<GraphRewriterPtr> rewriters) {
  return std::make_shared<Sequence>(std::move(name), std::move(rewriters));
}

} // namespace graphc
