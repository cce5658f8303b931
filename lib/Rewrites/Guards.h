//===- Rewrites/Guards.h - what rules ask of a match ------------*- C++ -*-===//
#pragma once

#include <string>

#include "graphc/Rewrite.h"

namespace graphc {

Guard isInteger(std::string name);
Guard isFloat(std::string name);
/// Whether nothing but the pattern uses it.
Guard singleClient(std::string name);
Guard allOf(std::vector<Guard> guards);

} // namespace graphc
