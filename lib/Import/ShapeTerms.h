//===- Import/ShapeTerms.h - shapes that are partly known -----------*- C++ -*-===//
#pragma once

#include "Import/OnnxNode.h"

namespace graphc {

/// Extents as operands: numbers where they are static, else 0-d Variables.
using Terms = std::vector<Operand>;

Operand extentTerm(OnnxNode &n, const Variable &x, int axis);
/// The product of x's extents from axis `first` to before `last`.
Operand extentProduct(OnnxNode &n, const Variable &x, int first, int last);
Operand product(OnnxNode &n, const Operand &a, const Operand &b);
/// The terms as a shape.
ShapeList shapeOf(OnnxNode &n, const Terms &terms);
/// The elements of input i, an integer vector: numbers where it is a constant. Where its type does
/// not say how many there are, there must be `length`, which a call checks; it is an error to know
/// neither.
Terms vectorTerms(OnnxNode &n, size_t i, std::optional<int64_t> length = std::nullopt);
/// The elements of input i, a vector of any dtype, as Variables; `length` as above.
Terms elementTerms(OnnxNode &n, size_t i, std::optional<int64_t> length = std::nullopt);

/// Whether axes of an operand of `rank`, an integer vector that is computed, have this one among
/// them: 0-d.
Variable isAmong(OnnxNode &n, const Variable &axes, int axis, int rank);
/// x, whose extents along computed axes are 1, without these axes. Their number must be known, or
/// the rank that the model declares for output 0.
Variable withoutAxes(OnnxNode &n, const Variable &x, const Variable &axes);
/// Computed axes, of which there must be `count` unless that is negative; an error is kept where
/// neither their type says how many there are, nor `count`.
Variable countedAxes(OnnxNode &n, const Variable &axes, int64_t count);

/// A condition, count or number of any kind, which files often have as an array of one element:
/// 0-d.
Variable scalarOf(OnnxNode &n, const Variable &v);
inline Variable scalarOf(OnnxNode &n, size_t i) { return scalarOf(n, n.in(i)); }

/// The order for dimshuffle that puts a vector along `axis` of `rank` axes.
std::vector<int> orderAlong(int axis, int rank);
/// 0, 1, 2, … to before `count` along `axis` of `rank` axes, the others being 1.
Variable positionsAlong(OnnxNode &n, const Operand &count, int axis, int rank);
/// Elements of x: for `axis` at the positions `along` (int64, of x's rank; negative ones count from
/// the end), for the other axes at the coordinates of where these stand in `along`.
Variable gatherAlong(OnnxNode &n, const Variable &x, const Variable &along, int axis);

} // namespace graphc
