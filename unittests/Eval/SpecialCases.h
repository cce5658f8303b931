//===- SpecialCases.h - ways to call special functions --------------------------===//
#pragma once

#include <map>
#include <string>
#include <vector>

#include "OpCases.h"

namespace graphc {

/// As casesOf, by op. Operands are moved into the domain.
std::map<std::string, std::vector<OpCase>> specialCases();

} // namespace graphc
