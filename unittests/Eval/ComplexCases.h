//===- ComplexCases.h - ways to call ops on complex numbers ---------------------===//
#pragma once

#include <map>
#include <string>
#include <vector>

#include "OpCases.h"

namespace graphc {

/// As casesOf, by op. Results are real: both parts of complex ones.
std::map<std::string, std::vector<OpCase>> complexCases();

} // namespace graphc
