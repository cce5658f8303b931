//===- Ops/ComplexRules.h - what built-in ops do with complex numbers -*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphc/OpDef.h"

namespace graphc {

/// The rule of the built-in op of that name; an empty one where complex operands are refused.
ComplexRule complexRuleOf(std::string_view op);

/// The op for parts: attributes that are complex dtypes are those of the parts.
Op onParts(const Op &op);

struct NamedComplexRule {
  std::string name;
  ComplexRule rule;
};
std::vector<NamedComplexRule> complexProductRules();
std::vector<NamedComplexRule> fourierRules();

} // namespace graphc
