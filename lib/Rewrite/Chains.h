//===- Rewrite/Chains.h - chains of associative ops as a whole ----*- C++ -*-===//
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "graphc/Rewrite.h"

namespace graphc {

/// Runs these rules, once each over all chains: every node belongs to one chain of a rule. Called
/// when nothing else applies any more; errors are those of options.check.
GraphRewriterPtr chainRewriter(std::vector<ChainRule> rules);

/// ValueError for an op whose chains no rule knows.
absl::Status checkChainRule(const ChainRule &rule);

} // namespace graphc
