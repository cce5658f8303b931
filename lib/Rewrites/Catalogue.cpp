//===- Rewrites/Catalogue.cpp - all built-in rewrites ---------------------===//
#include "Catalogue.h"

#include <algorithm>
#include <mutex>

#include "Rewrite/NodeRewriter.h"
#include "Rewrite/VectorizedGraphs.h"
#include "Support/Fork.h"

namespace graphc {

std::vector<RuleFamily> allFamilies() {
  return {sumRules(),
          productRules(),
          chainRules(),
          powerRules(),
          comparisonRules(),
          logicRules(),
          choiceRules(),
          roundingRules(),
          parityRules(),
          logarithmRules(),
          exponentialRules(),
          errorFunctionRules(),
          movementRules(),
          extentRules(),
          ownShapeRules(),
          uncheckedShapeRules(),
          reductionRules(),
          matrixRules(),
          inverseRules(),
          indexingRules(),
          collapsedReductionRules(),
          simpleProductRules()};
}

const RewriteDatabase &builtinRewrites() {
  static const RewriteDatabase &instance = *[] {
    auto *database = new RewriteDatabase();
    // A mistake in a row is found by the test over all rules; here it leaves the row out.
    auto keep = [](const absl::Status &status) { assert(status.ok()), (void)status; };
    for (const RuleFamily &family : allFamilies()) {
      for (const Rule &rule : family.rules) {
        std::vector<std::string> tags = family.tags;
        if (rule.effects & kShapeUnsafe)
          tags.push_back("shape_unsafe");
        keep(database->add(rule, std::move(tags), family.position));
      }
      for (const ChainRule &rule : family.chains)
        keep(database->add(rule, family.tags, family.position));
    }
    keep(database->add(constantFolding(), {"canonicalize", "folding", "fast_run", "fast_compile"},
                       kCanonicalize));
    keep(database->add(upcastConstants(), {"canonicalize", "folding", "fast_run"}, kCanonicalize));
    keep(database->add(inlineGraphs(), {"inline", "fast_run", "fast_compile"}, kInline));
    keep(database->add(mergeRewriter(), {"merge", "fast_run", "fast_compile"}, kMerge1));
    // What rules made, of which some was there already.
    keep(database->add(mergeRewriter("merge2"), {"merge", "fast_run"}, kMerge2));
    keep(database->add(addDestroyHandler(), {"inplace", "fast_run"}, kDestroyHandler));
    keep(database->add(inplaceRewriter(), {"inplace", "fast_run"}, kInplace));
    keep(database->add(mergeRewriter("merge3"), {"merge", "fast_run"}, kMerge3));
    return database;
  }();
  return instance;
}

/// What queries select, made once each.
static GraphRewriterPtr selected(const Query &query) {
  constexpr size_t kMost = 16;
  struct Cache {
    ShortMutex mutex;
    std::vector<std::pair<Query, GraphRewriterPtr>> entries;
  };
  static Cache &cache = *new Cache();
  std::lock_guard lock(cache.mutex);
  for (const auto &[known, rewriter] : cache.entries)
    if (known == query)
      return rewriter;
  GraphRewriterPtr rewriter = builtinRewrites().select(query);
  if (cache.entries.size() < kMost)
    cache.entries.emplace_back(query, rewriter);
  return rewriter;
}

absl::StatusOr<RewriteReport> rewrite(FunctionGraph &graph, const RewriteOptions &options,
                                      const Query &query) {
  RewriteReport report;
  if (absl::Status status = selected(query)->rewrite(graph, options, report); !status.ok())
    return status;
  if (std::ranges::any_of(graph.applyNodes(),
                          [](const Apply &node) { return !!node.op().def().vectorized; })) {
    Query within = query; // what overwrites memory would do it for each slice
    within.exclude.push_back("inplace");
    if (absl::Status s = rewriteVectorized(graph, *selected(within), options, report); !s.ok())
      return s;
  }
  return report;
}

} // namespace graphc
