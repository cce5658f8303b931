//===- Import/Heads.h - heads of attention --------------------------*- C++ -*-===//
#pragma once

#include <utility>

#include "Import/ShapeTerms.h"

namespace graphc {

/// [batch, sequence, heads * width] as heads, [batch, heads, sequence, width].
Variable withHeads(OnnxNode &n, const Variable &x, int64_t heads);
/// And back.
Variable withoutHeads(OnnxNode &n, const Variable &x);
/// Pairs (a, b) of numbers turned by angles: (a cos - b sin, a sin + b cos).
std::pair<Variable, Variable> turnedPairs(OnnxNode &n, const Variable &a, const Variable &b,
                                          const Variable &cosine, const Variable &sine);

} // namespace graphc
