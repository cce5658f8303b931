//===- DrawCases.h - ways to call ops that draw ---------------------------------===//
#pragma once

#include "OpCases.h"
#include "graphc/OpDef.h"

namespace graphc {

/// As casesOf, of an op of the section "Random numbers". Parameters are in their domain, and exact
/// in every dtype: the operands choose among them.
std::vector<OpCase> drawCases(const OpDef &def);

} // namespace graphc
