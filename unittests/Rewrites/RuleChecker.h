//===- RuleChecker.h - does a rule keep its word? ---------------*- C++ -*-===//
#pragma once

#include <string>

#include "graphc/Rewrite.h"

namespace graphc {

struct RuleVerdict {
  /// Graphs that the rule changed, and elements of results that were compared.
  int applied = 0;
  int64_t compared = 0;
  /// The graph that shows it best, before and after: "log(x + 1) -> log1p(x)".
  std::string example;
  /// The first result that differs more than the rule states; empty for none.
  std::string mismatch;
};

/// Instantiates the rule's examples (or its pattern) at several dtypes, ranks and shapes (0-d,
/// empty, length-1 broadcasts, unknown extents), applies the rule, and compares before and after
/// by the evaluator on small, moderate, extreme and non-finite values. Where the graph before fails
/// at run time, the one after must fail, too, unless the rule says kShapeUnsafe and runs so.
RuleVerdict checkRule(const Rule &rule);
/// The same for a rule of chains.
RuleVerdict checkRule(const ChainRule &rule);

} // namespace graphc
