//===- Rewrites/Catalogue.cpp - all built-in rewrites ---------------------===//
#include "Catalogue.h"

#include <cassert>

#include "Rewrite/NodeRewriter.h"

namespace graphc {

std::vector<RuleFamily> allFamilies() {
  return {
      sumRules(),           productRules(),
      chainRules(),         powerRules(),
      comparisonRules(),    logicRules(),
      choiceRules(),        roundingRules(),
      parityRules(),        logarithmRules(),
      exponentialRules(),   errorFunctionRules(),
      movementRules(),      extentRules(),
      ownShapeRules(),      uncheckedShapeRules(),
      reductionRules(),     matrixRules(),
      inverseRules(),       indexingRules(),
      takeRules(),          collapsedReductionRules(),
      simpleProductRules(),
  };
}

const RewriteDatabase &builtinRewrites() {
  static const RewriteDatabase &instance = *[] {
    auto *database = new RewriteDatabase();
    // A mistake in a row is found by the test over all rules; here it leaves the row out.
    auto keep = [](const absl::Status &status) { assert(status.ok()), (void)status; };
    for (RuleFamily &family : allFamilies()) {
      for (Rule &rule : family.rules) {
        std::vector<std::string> tags = family.tags;
        if (rule.effects & kShapeUnsafe)
          tags.push_back("shape_unsafe");
        keep(database->add(std::move(rule), std::move(tags), family.position));
      }
      for (ChainRule &rule : family.chains)
        keep(database->add(std::move(rule), family.tags, family.position));
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

} // namespace graphc
