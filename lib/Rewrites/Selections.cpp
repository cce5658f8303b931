//===- Rewrites/Selections.cpp --------------------------------------------===//
#include "Rewrites/Selections.h"

#include <algorithm>
#include <mutex>

#include "Rewrite/VectorizedGraphs.h"
#include "graphc/OpDef.h"

namespace graphc {

GraphRewriterPtr Selections::find(const Query &query) const {
  std::lock_guard lock(mutex_);
  for (const auto &[known, rewriter] : entries_)
    if (known == query)
      return rewriter;
  GraphRewriterPtr rewriter = database_.select(query);
  if (entries_.size() < kMost)
    entries_.emplace_back(query, rewriter);
  return rewriter;
}

absl::StatusOr<RewriteReport>
Selections::rewrite(FunctionGraph &graph, const RewriteOptions &options, const Query &query) const {
  RewriteReport report;
  if (absl::Status status = find(query)->rewrite(graph, options, report); !status.ok())
    return status;
  if (std::ranges::any_of(graph.applyNodes(),
                          [](const Apply &node) { return !!node.op().def().vectorized; })) {
    Query within = query; // what overwrites memory would do it for each slice
    within.exclude.push_back("inplace");
    if (absl::Status s = rewriteVectorized(graph, *find(within), options, report); !s.ok())
      return s;
  }
  return report;
}

absl::StatusOr<RewriteReport> rewrite(FunctionGraph &graph, const RewriteOptions &options,
                                      const Query &query) {
  static const Selections &builtin = *new Selections(builtinRewrites());
  return builtin.rewrite(graph, options, query);
}

} // namespace graphc
