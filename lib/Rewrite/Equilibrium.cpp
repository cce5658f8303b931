//===- Rewrite/Equilibrium.cpp - rules until none applies -----------------===//
//
// A list of nodes to visit is fed by the graph's own events, so that cost follows changes: a new
// node, a node with a new input and whoever may see it through a pattern, and a producer that lost
// a client.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <ranges>
#include <tuple>

#include "Graph/Nodes.h"
#include "Rewrite/Chains.h"
#include "Rewrite/RewriteRun.h"
#include "Support/Cancel.h"
#include "Support/Fork.h"
#include "Support/Log.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/hash/hash.h"
#include "graphc/Features.h"

namespace graphc {
namespace {

class WorkList : public Feature {
public:
  /// `reach`: how many nodes below a changed one a pattern may look at it from.
  explicit WorkList(int reach) : reach_(reach) {}
  std::string_view name() const override { return "WorkList"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<WorkList>(reach_); }

  void reserve(size_t nodes) { reaches_.reserve(nodes); }
  /// Those below it shall be visited too, down to `reach`.
  void push(Apply node, int reach) {
    auto [at, isNew] = reaches_.try_emplace(node.node(), reach);
    if (isNew)
      queue_.push_back(std::move(node));
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
  /// Whether no node waits.
  bool empty() const { return reaches_.empty(); }
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

/// Rewriters by the op that they look at, in their order. Threads may read one at once.
class RuleIndex {
public:
  explicit RuleIndex(std::vector<NodeRewriterPtr> rewriters) : rewriters_(std::move(rewriters)) {
    for (size_t i = 0; i < rewriters_.size(); ++i)
      byRoot_[rewriters_[i]->root()].rules.push_back(i);
    any_ = &byRoot_[nullptr];
    for (auto &[op, list] : byRoot_)
      if (op)
        list.rules.insert(list.rules.end(), any_->rules.begin(), any_->rules.end());
  }
  /// Of several that match, the one that saves most; else in the order in which they came.
  const std::vector<size_t> &of(const OpDef &op) const {
    auto at = byRoot_.find(&op);
    const List &list = at == byRoot_.end() ? *any_ : at->second;
    if (!list.isSorted.load(std::memory_order_acquire))
      sort(list);
    return list.rules;
  }
  const NodeRewriter &operator[](size_t i) const { return *rewriters_[i]; }
  size_t size() const { return rewriters_.size(); }

private:
  /// Sorted when the first node asks: what all rules cost takes longer than a small graph.
  struct List {
    mutable std::vector<size_t> rules;
    mutable std::atomic<bool> isSorted = false;
  };

  void sort(const List &list) const {
    auto unsorted = [&] {
      std::lock_guard lock(mutex_);
      return list.rules; // or sorted, by another thread: the order that follows is the same
    };
    std::vector<std::pair<double, size_t>> byCost;
    for (size_t rule : unsorted())
      byCost.emplace_back(rewriters_[rule]->cost(), rule); // runs ops' functions: without the lock
    std::ranges::sort(byCost);
    std::lock_guard lock(mutex_);
    if (list.isSorted.load(std::memory_order_relaxed))
      return;
    std::ranges::copy(std::views::values(byCost), list.rules.begin());
    list.isSorted.store(true, std::memory_order_release);
  }

  std::vector<NodeRewriterPtr> rewriters_;
  absl::node_hash_map<const OpDef *, List> byRoot_;
  const List *any_;
  mutable ShortMutex mutex_;
};

/// Looks whether rules go round: whether what a rule replaces comes back as a descendant of its own
/// replacement, with the very same Variables below it. A rule that is used often ends; one of these
/// does not, since it sees again all that it saw before.
class LoopWatch {
public:
  /// Below `depth` nodes only identity counts.
  explicit LoopWatch(int depth) : depth_(depth) {}

  uint64_t fingerprint(const Variable &v) const {
    Known known;
    return fingerprint(v.node(), depth_, known);
  }
  /// Rule number `rule` has replaced `old`, with that fingerprint, by `fresh`: true if it did so
  /// before in the same line of replacements.
  bool note(size_t rule, const Variable &old, const Variable &fresh, uint64_t fingerprint) {
    auto [at, isNew] = lines_.try_emplace(old, numLines_);
    numLines_ += isNew;
    size_t line = at->second;
    lines_.insert_or_assign(fresh, line);
    return !seen_.insert({line, rule, fingerprint}).second;
  }

private:
  /// What is shared, as in (x + x) + (x + x), is looked at once for each depth.
  using Known = absl::flat_hash_map<std::pair<detail::VariableNode *, int>, uint64_t>;

  /// Recurses as deep as the deepest rule's formula.
  static uint64_t fingerprint(detail::VariableNode *v, int depth, Known &known) {
    if (v->constant)
      return detail::asLeaf(v)->data.contentHash();
    if (!v->owner || depth == 0)
      return absl::HashOf(v);
    if (auto at = known.find({v, depth}); at != known.end())
      return at->second;
    uint64_t hash = absl::HashOf(v->owner->op.hash(), v->index);
    for (uint32_t i = 0; i < v->owner->numInputs; ++i)
      hash = absl::HashOf(hash, fingerprint(v->owner->input(i), depth - 1, known));
    known.emplace(std::pair(v, depth), hash);
    return hash;
  }

  int depth_;
  size_t numLines_ = 0;
  /// Holds the Variables, so that none gets the address of another.
  absl::flat_hash_map<Variable, size_t> lines_;
  absl::flat_hash_set<std::tuple<size_t, size_t, uint64_t>> seen_;
};

/// Tries the rules for one node in turn: true if one changed the graph.
class Visitor {
public:
  Visitor(FunctionGraph &graph, const RewriteOptions &options, RewriteReport &report,
          const RuleIndex &index)
      : graph_(graph), report_(report), run_(graph, options, report), index_(index),
        states_(index.size()), allowed_(options.allowed),
        // Small graphs may need a few uses more.
        maxUses_(int64_t(options.maxUseRatio * double(graph.numNodes() + 100))) {
    for (size_t i = 0; i < index_.size(); ++i)
      if (index_[i].effects() & ~allowed_ & ~kShapeUnsafe)
        states_[i].stopped = true;
      else
        depth_ = std::max(depth_, index_[i].depth());
  }

  /// Of the deepest pattern.
  int depth() const { return depth_; }
  bool ended() const { return run_.ended(); }

  absl::StatusOr<bool> visit(const Apply &node) {
    for (size_t i : index_.of(node.op().def())) {
      if (states_[i].stopped || (!refused_.empty() && refused_.contains({i, node})))
        continue;
      const NodeRewriter &rewriter = index_[i];
      matched_.clear();
      Proposal proposal = rewriter.propose(graph_, node, &matched_);
      if (proposal.empty())
        continue;
      if (matched_.empty())
        matched_.push_back(node);
      // Where nothing can fail in computing it, no error can be hidden.
      if ((rewriter.effects() & kShapeUnsafe & ~allowed_) &&
          !shapesOf(graph_).neverFails(node.output(0)))
        continue;
      auto [old, fresh] = firstOf(node, proposal);
      uint64_t fingerprint = watch_ ? watch_->fingerprint(old) : 0;
      absl::StatusOr<bool> done =
          run_.apply({rewriter.name(), rewriter.effects()}, node, proposal, matched_);
      if (!done.ok())
        return done;
      if (*done) {
        bool again = watch_ && watch_->note(i, old, fresh, fingerprint);
        count(i, again);
        return true;
      }
      // What a Feature refuses is undone, which puts the node on the list again.
      if (run_.wasRefused())
        refused_.insert({i, node});
    }
    return false;
  }

private:
  struct State {
    int64_t uses = 0;
    bool stopped = false;
  };
  /// One of the Variables that are replaced, and what by.
  static std::pair<Variable, Variable> firstOf(const Apply &node, const Proposal &proposal) {
    for (size_t i = 0; i < proposal.outputs.size() && int(i) < node.numOutputs(); ++i)
      if (!isNone(proposal.outputs[i]))
        return {node.output(int(i)), proposal.outputs[i]};
    return proposal.replaced.empty() ? std::pair(node.output(0), node.output(0))
                                     : proposal.replaced[0];
  }
  /// Uses beyond the limit, in which a loop would show itself.
  static constexpr int64_t kWatchedUses = 1000;

  void count(size_t i, bool again) {
    State &state = states_[i];
    if (++state.uses > maxUses_ && !watch_)
      watch_.emplace(depth_ + 1);
    if (!again && state.uses <= maxUses_ + kWatchedUses)
      return;
    state.stopped = true;
    const std::string &name = index_[i].name();
    report_.stopped.push_back(name);
    std::string warning =
        "the rewrite " + name + " is stopped after " + std::to_string(state.uses) + " uses";
    if (!again) {
      logWarning(warning + ", the most that maxUseRatio allows; the graph has " +
                 std::to_string(graph_.numNodes()) + " nodes now");
      return;
    }
    report_.endless.push_back(name);
    std::string busiest;
    for (size_t k = 0; k < index_.size(); ++k)
      if (k != i && states_[k].uses > maxUses_ / 2)
        busiest += (busiest.empty() ? "" : ", ") + index_[k].name();
    logWarning(warning + ": it does not come to an end" +
               (busiest.empty() ? "" : " together with " + busiest));
  }

  FunctionGraph &graph_;
  RewriteReport &report_;
  RewriteRun run_;
  const RuleIndex &index_;
  std::vector<State> states_;
  absl::flat_hash_set<std::pair<size_t, Apply>> refused_;
  Effects allowed_;
  int64_t maxUses_;
  int depth_ = 1;
  std::vector<Apply> matched_;
  std::optional<LoopWatch> watch_;
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
  Equilibrium(std::string name, std::vector<NodeRewriterPtr> rewriters,
              std::vector<ChainRule> chains, EquilibriumStages stages)
      : name_(std::move(name)), index_(std::move(rewriters)), stages_(std::move(stages)) {
    if (!chains.empty())
      stages_.cleanup.insert(stages_.cleanup.begin(), chainRewriter(std::move(chains)));
    for (std::vector<GraphRewriterPtr> *stage : {&stages_.cleanup, &stages_.last}) {
      std::erase(*stage, nullptr);
      for (GraphRewriterPtr &each : *stage)
        if (!each->isSafe())
          each = guarded(std::move(each));
    }
  }
  std::string_view name() const override { return name_; }
  std::string_view className() const override { return "Equilibrium"; }
  bool isSafe() const override { return true; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    ShapesDuringRun shapes(graph);
    Visitor visitor(graph, options, report, index_);
    absl::StatusOr<std::vector<Apply>> order = graph.toposort();
    if (!order.ok())
      return order.status();
    auto list = std::make_shared<WorkList>(std::max(0, visitor.depth() - 2));
    list->reserve(order->size());
    for (Apply &node : *order)
      list->push(std::move(node), 0);
    order->clear();
    if (absl::Status status = graph.attachFeature(list); !status.ok())
      return status;
    absl::Status status = runAll(graph, visitor, *list, options, report);
    if (absl::Status removed = graph.removeFeature(list); status.ok())
      status = removed;
    return status;
  }

private:
  /// Of chains and rules in turn; each chain that changes is shorter then.
  static constexpr int kMaxRounds = 100;

  /// Rules; then cleanups and rules in turn while these change something; then the last ones, and
  /// all again where they did.
  absl::Status runAll(FunctionGraph &graph, Visitor &visitor, WorkList &list,
                      const RewriteOptions &options, RewriteReport &report) const {
    for (int round = 0; round < kMaxRounds; ++round) {
      if (absl::Status status = run(graph, visitor, list); !status.ok())
        return status;
      bool changed = false;
      for (const std::vector<GraphRewriterPtr> *stage : {&stages_.cleanup, &stages_.last}) {
        if (changed || visitor.ended())
          break;
        int64_t stepsBefore = report.steps;
        for (const GraphRewriterPtr &each : *stage)
          if (absl::Status status = each->rewrite(graph, options, report); !status.ok())
            return status;
        changed = report.steps != stepsBefore || !list.empty();
      }
      if (!changed)
        break;
    }
    return absl::OkStatus();
  }

  static absl::Status run(FunctionGraph &graph, Visitor &visitor, WorkList &list) {
    while (!visitor.ended()) {
      if (absl::Status status = checkCancelled(); !status.ok())
        return status;
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
  RuleIndex index_;
  EquilibriumStages stages_;
};

class OnePass : public GraphRewriter {
public:
  OnePass(std::string name, std::vector<NodeRewriterPtr> rewriters, bool producersFirst)
      : name_(std::move(name)), index_(std::move(rewriters)), producersFirst_(producersFirst) {}
  std::string_view name() const override { return name_; }
  std::string_view className() const override { return "OnePass"; }
  bool isSafe() const override { return true; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    ShapesDuringRun shapes(graph);
    Visitor visitor(graph, options, report, index_);
    absl::StatusOr<std::vector<Apply>> order = graph.toposort();
    if (!order.ok())
      return order.status();
    if (!producersFirst_)
      std::reverse(order->begin(), order->end());
    for (const Apply &node : *order) {
      if (visitor.ended())
        break;
      if (absl::Status status = checkCancelled(); !status.ok())
        return status;
      if (!graph.contains(node))
        continue;
      if (absl::Status status = visitor.visit(node).status(); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

private:
  std::string name_;
  RuleIndex index_;
  bool producersFirst_;
};

} // namespace

GraphRewriterPtr equilibrium(std::string name, std::vector<NodeRewriterPtr> rules,
                             std::vector<ChainRule> chains, EquilibriumStages stages) {
  std::erase(rules, nullptr);
  return std::make_shared<Equilibrium>(std::move(name), std::move(rules), std::move(chains),
                                       std::move(stages));
}
GraphRewriterPtr onePass(std::string name, std::vector<NodeRewriterPtr> rules,
                         bool producersFirst) {
  std::erase(rules, nullptr);
  return std::make_shared<OnePass>(std::move(name), std::move(rules), producersFirst);
}

} // namespace graphc
