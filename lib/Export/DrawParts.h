//===- Export/DrawParts.h - what draws are made of ------------------*- C++ -*-===//
#pragma once

#include "Export/ExportRules.h"

namespace graphc {

/// Whether the draw has the shape that its parameters have together.
bool isOfParameters(const Apply &node);
/// The shape of a draw of elements.
Variable sizeOf(const Apply &node);
/// Parameter i for each element, in float64.
Variable each(const Apply &node, int i);

/// A standard variable of float64s; of several draws of one node each has a number of its own.
Variable standard(const Apply &node, std::string_view op, const Variable &extents, int64_t stream);
/// In (0, 1], float64.
inline Variable positiveUniform(const Apply &node) {
  return sub(1.0, standard(node, "randomUniform", sizeOf(node), 0));
}
/// Gamma of these shapes, by three draws from `stream` on.
Variable gammaOfShape(const Apply &node, const Variable &shapes, int64_t stream = 1);

/// The next state, and the draw: the position goes on by as many elements.
Variables nextAnd(const Apply &node, const Variable &draw);
template <Variable (*draw)(const Apply &)> Variables withNext(const Apply &node) {
  return nextAnd(node, draw(node));
}

} // namespace graphc
