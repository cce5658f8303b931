//===- Rewrites/Catalogue.h - the families of rules -------------*- C++ -*-===//
#pragma once

#include <vector>

#include "graphc/Rewrite.h"

namespace graphc {

/// Rules that run together: their common tags and position.
struct RuleFamily {
  /// A heading of docs/Rewrites.md.
  std::string title;
  std::vector<std::string> tags;
  double position = 0;
  std::vector<Rule> rules;
  std::vector<ChainRule> chains = {};
};

// F-299: standard positions.
inline constexpr double kInline = -1, kMerge1 = 0, kCanonicalize = 1, kStabilize = 1.5,
                        kSpecialize = 2, kMerge2 = 49, kDestroyHandler = 49.5, kInplace = 50,
                        kMerge3 = 100;

RuleFamily sumRules();
RuleFamily productRules();
RuleFamily powerRules();
RuleFamily chainRules();
RuleFamily comparisonRules();
RuleFamily logicRules();
RuleFamily choiceRules();
RuleFamily roundingRules();
RuleFamily logarithmRules();
RuleFamily exponentialRules();
RuleFamily errorFunctionRules();
RuleFamily parityRules();
RuleFamily movementRules();
RuleFamily extentRules();
RuleFamily ownShapeRules();
RuleFamily uncheckedShapeRules();
RuleFamily reductionRules();
RuleFamily matrixRules();
RuleFamily inverseRules();
RuleFamily indexingRules();
RuleFamily takeRules();
RuleFamily collapsedReductionRules();
RuleFamily simpleProductRules();

/// All of them, in the order of the docs.
std::vector<RuleFamily> allFamilies();

} // namespace graphc
