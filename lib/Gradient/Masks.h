//===- Gradient/Masks.h - elements that were not taken ----------*- C++ -*-===//
//
// Below a `switch`, an element that was not taken has gradient 0, and a derivative of infinity or
// NaN times that 0 must not become NaN (F-295). So gradients there come with a mask, a Bool array
// of what may contribute; it goes with them from outputs to inputs, and what is masked out is
// replaced by 0 after each multiplication. Where no switch is on the way there is no mask, and IEEE
// arithmetic holds.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>

#include "graphc/OpDef.h"

namespace graphc {

/// The mask of what arrives at input `i` of a node whose only output has `mask`; none where all
/// elements may contribute. Of an elementwise op, and of `switch`, which makes masks, it has the
/// output's shape, otherwise the input's.
std::optional<Variable> maskOfInput(const Apply &node, int i, const std::optional<Variable> &mask);

/// `term` with 0 where `mask` is false.
Variable masked(const Variable &term, const Variable &mask);

} // namespace graphc
