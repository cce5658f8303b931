//===- OrderingCases.h - ways to call ops that sort, sum up and find ------------===//
#pragma once

#include <map>
#include <string>
#include <vector>

#include "OpCases.h"

namespace graphc {

/// As casesOf, by op.
std::map<std::string, std::vector<OpCase>> orderingCases();

} // namespace graphc
