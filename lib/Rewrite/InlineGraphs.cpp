//===- Rewrite/InlineGraphs.cpp - graphs in the place of their ops --------===//
#include "Graph/InnerGraph.h"
#include "Rewrite/RewriteRun.h"

namespace graphc {
namespace {

class InlineGraphs : public GraphRewriter {
public:
  std::string_view name() const override { return "inline_graphs"; }
  bool isSafe() const override { return true; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    RewriteRun run(graph, options, report);
    return inlineCalls(graph, isInlined, [&](const Replacements &fresh) -> absl::StatusOr<bool> {
      if (run.ended())
        return false;
      absl::StatusOr<bool> done = run.expand({name()}, fresh);
      // What a Feature refuses stays a node, which is computed as a whole.
      return done.ok() ? absl::StatusOr<bool>(true) : done;
    });
  }
};

} // namespace

GraphRewriterPtr inlineGraphs() { return std::make_shared<InlineGraphs>(); }

} // namespace graphc
