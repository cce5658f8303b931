//===- RuleReference.h - rows of docs/Rewrites.md -----------------*- C++ -*-===//
#pragma once

#include <string>

#include "graphc/Rewrite.h"

namespace graphc {

/// "rounding, zero sign"; "none".
std::string describeEffects(Effects effects);
/// One row of the page; `example`: "before -> after".
std::string ruleReference(const Rule &rule, const std::string &example);
std::string ruleReference(const ChainRule &rule, const std::string &example);

} // namespace graphc
