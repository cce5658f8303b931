//===- Export/DrawParts.h - what draws are made of ------------------*- C++ -*-===//
#pragma once

#include "Export/ExportRules.h"

namespace graphc {

/// Whether the draw has the shape that its parameters have together.
bool isOfParameters(const Apply &node);
/// The shape of a draw of elements.
Variable sizeOf(const Apply &node);
/// The shape of draws of rows, which are as long as those of `rows`; without a size it is that of
/// `together`, what all parameters make.
Variable rowsShape(const Apply &node, const Variable &rows, const Variable &together);
/// Parameter i for each element, in float64.
Variable each(const Apply &node, int i);

/// A standard variable of float64s; of several draws of one node each has a number of its own.
Variable standard(const Apply &node, std::string_view op, const Variable &extents, int64_t stream);
/// In [0, 1) and (0, 1], of the draw's dtype: of halves float32, of integers float64.
Variable uniform(const Apply &node);
Variable positiveUniform(const Apply &node);
/// Gamma of these shapes, by three draws from `stream` on.
Variable gammaOfShape(const Apply &node, const Variable &shapes, int64_t stream = 1);

/// Whole numbers as the integers of a draw. -1 where the op refuses the parameters: ONNX has no
/// errors, and integers no NaN. What is beyond int64 is the greatest one.
Variable countsOf(const Variable &areTaken, const Variable &numbers);
// Whether ops take such parameters; of areProbabilities those along the last axis.
Variable isPositiveProbability(const Variable &p);
Variable areProbabilities(const Variable &p);

/// The next state, and the draw: the position goes on by as many elements.
Variables nextAnd(const Apply &node, const Variable &draw);
template <Variable (*draw)(const Apply &)> Variables withNext(const Apply &node) {
  return nextAnd(node, draw(node));
}

} // namespace graphc
