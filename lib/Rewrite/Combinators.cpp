//===- Rewrite/Combinators.cpp - rewriters that are made of others --------===//
#include <algorithm>

#include "Rewrite/NodeRewriter.h"
#include "Support/Cancel.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

/// The first that has something to propose.
class LocalGroup : public NodeRewriter {
public:
  LocalGroup(std::string name, std::vector<NodeRewriterPtr> rules)
      : name_(std::move(name)), rules_(std::move(rules)) {
    for (const NodeRewriterPtr &each : rules_) {
      effects_ = effects_ | each->effects();
      depth_ = std::max(depth_, each->depth());
    }
  }
  const std::string &name() const override { return name_; }
  std::string_view className() const override { return "LocalGroup"; }
  Effects effects() const override { return effects_; }
  int depth() const override { return depth_; }

  Proposal propose(FunctionGraph &graph, const Apply &node,
                   std::vector<Apply> *matched) const override {
    for (const NodeRewriterPtr &each : rules_)
      if (const OpDef *root = each->root(); !root || root == &node.op().def())
        if (Proposal proposal = each->propose(graph, node, matched); !proposal.empty())
          return proposal;
    return {};
  }

private:
  std::string name_;
  std::vector<NodeRewriterPtr> rules_;
  Effects effects_ = kNoEffects;
  int depth_ = 1;
};

class Guarded : public GraphRewriter {
public:
  explicit Guarded(GraphRewriterPtr inner) : inner_(std::move(inner)) {}
  std::string_view name() const override { return inner_->name(); }
  std::string_view className() const override { return inner_->className(); }
  bool isSafe() const override { return true; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    Checkpoint before = graph.checkpoint();
    RewriteReport reportBefore = report;
    absl::Status status = inner_->rewrite(graph, options, report);
    if (status.ok())
      return status;
    report = std::move(reportBefore);
    if (absl::Status reverted = graph.revert(std::move(before)); !reverted.ok())
      return reverted;
    return prefixError(status, "the rewrite " + std::string(name()));
  }

private:
  GraphRewriterPtr inner_;
};

class Sequence : public GraphRewriter {
public:
  Sequence(std::string name, std::vector<GraphRewriterPtr> rewriters)
      : name_(std::move(name)), rewriters_(std::move(rewriters)) {}
  std::string_view name() const override { return name_; }
  std::string_view className() const override { return "Sequence"; }
  bool isSafe() const override {
    return std::ranges::all_of(rewriters_, [](const auto &each) { return each->isSafe(); });
  }
  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    for (const GraphRewriterPtr &each : rewriters_) {
      if (absl::Status status = checkCancelled(); !status.ok())
        return status;
      if (absl::Status status = each->rewrite(graph, options, report); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

private:
  std::string name_;
  std::vector<GraphRewriterPtr> rewriters_;
};

} // namespace

NodeRewriterPtr localGroup(std::string name, std::vector<NodeRewriterPtr> rules) {
  std::erase(rules, nullptr);
  return std::make_shared<LocalGroup>(std::move(name), std::move(rules));
}
GraphRewriterPtr guarded(GraphRewriterPtr rewriter) {
  return std::make_shared<Guarded>(std::move(rewriter));
}
GraphRewriterPtr sequence(std::string name, std::vector<GraphRewriterPtr> rewriters) {
  std::erase(rewriters, nullptr);
  return std::make_shared<Sequence>(std::move(name), std::move(rewriters));
}

} // namespace graphc
