//===- LinearCases.h - ways to call ops on matrices -----------------------------===//
#pragma once

#include <map>
#include <string>
#include <vector>

#include "OpCases.h"

namespace graphc {

/// As casesOf, by op. Matrices are made of the operands such that they are well conditioned.
std::map<std::string, std::vector<OpCase>> linearCases();

} // namespace graphc
