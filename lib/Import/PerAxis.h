//===- Import/PerAxis.h - vectors of numbers for some axes ----------*- C++ -*-===//
//
// Positions and widths that a call gives for axes which it gives as well, or which are as many as
// it gives positions: the result's rank is known, which axis has what is looked up when the graph
// runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <initializer_list>
#include <optional>

#include "Import/ShapeTerms.h"

namespace graphc {

/// v, a vector of `length` elements. Where its type does not say so a call checks it, with the
/// message, whose {a} and {b} become v's length and `length`.
Variable withLength(OnnxNode &n, const Variable &v, int64_t length, std::string_view message);

/// The same for as many elements as `like` has.
Variable asLongAs(OnnxNode &n, const Variable &v, const Variable &like, std::string_view message);

/// Input i, a vector of integers (an error otherwise), as int64.
Variable integerVector(OnnxNode &n, size_t i);
/// How many numbers those of the inputs that are given have, where a type says it; an error is kept
/// where two types say different ones.
std::optional<int64_t> commonLength(OnnxNode &n, std::initializer_list<size_t> inputs);

/// Computed axes of an operand of `rank`, int64, counted from 0. A call fails where one is out of
/// range.
Variable countedFromFront(OnnxNode &n, const Variable &axes, int rank);
/// The same, none of which may be there twice.
Variable distinctAxes(OnnxNode &n, const Variable &axes, int rank);
/// For each of `rank` axes the number that `values` has at the place which `axes` (as distinctAxes
/// gives them) has it at; `otherwise` for the others.
Terms spreadOver(OnnxNode &n, const Variable &axes, const Variable &values, int64_t otherwise,
                 int rank);

/// f(axis) for the axis that input i gives, as one number: constant, or chosen by a call.
template <class F> Variable alongGivenAxis(OnnxNode &n, size_t i, int rank, F f) {
  if (!n.isComputed(i)) {
    int axis = n.plainAxis(n.constantInt(i), rank);
    return n.status().ok() ? f(axis) : Variable::invalid(n.status());
  }
  return chosenAlong(n, i, rank, f);
}
Variable chosenAlong(OnnxNode &n, size_t i, int rank, const std::function<Variable(int)> &f);

} // namespace graphc
