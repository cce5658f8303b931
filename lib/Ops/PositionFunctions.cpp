//===- PositionFunctions.cpp - elements by position ---------------------------------===//
#include <algorithm>

#include "Build.h"
#include "CallScope.h"
#include "Indexing.h"
#include "Rules.h"
#include "graphc/ControlFlow.h"
#include "graphc/Indexing.h"

namespace graphc {
namespace {

/// Positions in [0, extent) that `indices` name, negative ones made plain; `mode` as ravelIndex'.
Variable positions(const Operand &indices, const Operand &extent, std::string_view mode, int axis) {
  return build(builtin("ravelIndex", {{"mode", std::string(mode)}, {"axes", IntList{axis}}}),
               {Operand(reshape(extent, {1}), indices.place()), indices});
}

/// What along-axis functions work on: x and, as positions in the flattened x, the elements that
/// `indices` name.
struct AlongAxis {
  Variable x, at, flat;
  absl::Status status;

  AlongAxis(const Operand &operand, const Operand &indices, std::optional<int> wanted)
      : x(asVariable(operand)) {
    at = asVariable(indices);
    status = !x.ok() ? x.status() : at.status();
    if (!status.ok())
      return;
    if (!wanted)
      x = flatten(x);
    auto axis = normalizeAxis(wanted.value_or(0), x.rank());
    if (!axis.ok())
      status = axis.status();
    else if (at.rank() != x.rank())
      status = makeError(ErrorKind::ShapeError, "indices of rank " + std::to_string(at.rank()) +
                                                    " where there must be one for each of " +
                                                    std::to_string(x.rank()) + " axes");
    if (!status.ok())
      return;
    std::vector<Operand> arrays;
    std::vector<int64_t> names;
    for (int k = 0; k < x.rank(); ++k) {
      names.push_back(k);
      std::vector<int> order(size_t(x.rank()), -1);
      order[size_t(k)] = 0;
      arrays.push_back(k == *axis ? at : dimshuffle(arange(shape(x, k)), order));
    }
    arrays.insert(arrays.begin(), Operand(shape(x), operand.place()));
    flat = build(builtin("ravelIndex", {{"axes", IntList(names.begin(), names.end())}}), arrays);
    status = flat.status();
  }

  Variable invalid(const Operand &operand, std::string_view function) const {
    if (!x.ok() || !at.ok())
      return x.ok() ? at : x;
    return invalidAt(operand, function, status);
  }
};

} // namespace

//===--- along an axis ------------------------------------------------------------===//

Variable takeAlongAxis(const Operand &x, const Operand &indices, AxisOption options) {
  CallScope scope(x);
  AlongAxis along(x, indices, options.axis);
  if (!along.status.ok())
    return along.invalid(x, "takeAlongAxis");
  return take(Operand(along.x, x.place()), along.flat);
}

Variable putAlongAxis(const Operand &x, const Operand &indices, const Operand &y, int axis) {
  CallScope scope(x);
  AlongAxis along(x, indices, axis);
  if (!along.status.ok())
    return along.invalid(x, "putAlongAxis");
  return setTake(Operand(along.x, x.place()), along.flat, broadcastTo(y, shape(along.flat)));
}

Variable addAlongAxis(const Operand &x, const Operand &indices, const Operand &y, int axis) {
  CallScope scope(x);
  AlongAxis along(x, indices, axis);
  if (!along.status.ok())
    return along.invalid(x, "addAlongAxis");
  return incTake(Operand(along.x, x.place()), along.flat, broadcastTo(y, shape(along.flat)));
}

//===--- choosing -----------------------------------------------------------------===//

Variables nonzero(const Operand &x) {
  CallScope scope(x);
  Variable all = build(builtin("nonzero"), {x});
  if (!all.ok())
    return {all};
  Variables result;
  for (int k = 0; k < int(all.type().extent(0)); ++k)
    result.push_back(all[{k}]);
  return result;
}

Variable flatnonzero(const Operand &x) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  Variable all = build(builtin("nonzero"), {Operand(flatten(v), x.place())});
  return all.ok() ? all[{0}] : all;
}

Variable argwhere(const Operand &x) {
  CallScope scope(x);
  Variable all = build(builtin("nonzero"), {x});
  return all.ok() ? transpose(all) : all;
}

Variable compress(const Operand &condition, const Operand &x, std::optional<int> axis) {
  CallScope scope(condition);
  return take(x, flatnonzero(condition), {.axis = axis});
}

Variable choose(const Operand &which, const std::vector<Operand> &choices, TakeMode mode) {
  CallScope scope(which);
  if (choices.empty())
    return invalidAt(which, ErrorKind::ValueError, "choose", "there is nothing to choose from");
  Variable chosen = asVariable(which);
  if (!chosen.ok())
    return chosen;
  if (!isInteger(chosen.dtype()))
    return invalidAt(which, ErrorKind::TypeError, "choose",
                     "indices are integers, not " + std::string(dtypeName(chosen.dtype())));
  Variable position =
      positions(Operand(chosen, which.place()), int64_t(choices.size()), takeModeName(mode), 0);
  Variable result = asVariable(choices[0]);
  for (size_t k = 1; k < choices.size(); ++k)
    result = where(graphc::eq(position, int64_t(k)), choices[k], result);
  // Of one choice, too, the shape is what all broadcast to.
  return choices.size() > 1 ? result : where(ge(position, 0), result, result);
}

Variable fillDiagonal(const Operand &x, const Operand &value) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  if (v.rank() < 2)
    return invalidAt(x, ErrorKind::ValueError, "fillDiagonal", "there is no diagonal below rank 2");
  Variable isDiagonal;
  auto along = [&](int axis) {
    std::vector<int> order(size_t(v.rank()), -1);
    order[size_t(axis)] = 0;
    return dimshuffle(arange(shape(v, axis)), order);
  };
  for (int k = 1; k < v.rank(); ++k) {
    Variable equal = graphc::eq(along(0), along(k));
    isDiagonal = k == 1 ? equal : logicalAnd(isDiagonal, equal);
  }
  Variable other = asVariable(value);
  if (!other.ok())
    return other;
  return where(isDiagonal, cast(other, v.dtype()), Operand(v, x.place()));
}

Variable nonMaxSuppression(const Operand &boxes, const Operand &scores,
                           const SuppressionOptions &options) {
  return build(builtin("nonMaxSuppression", {{"centered", options.centered}}),
               {boxes, scores, asVariable(options.most), asVariable(options.overlap),
                asVariable(options.score)});
}

//===--- numbers of positions -------------------------------------------------------===//

Variable ravelMultiIndex(const std::vector<Operand> &indices, const ShapeList &extents,
                         TakeMode mode) {
  CallScope scope(indices);
  std::vector<Operand> operands = {extents.operand()};
  operands.insert(operands.end(), indices.begin(), indices.end());
  return build(builtin("ravelIndex", {{"mode", takeModeName(mode)}, {"axes", IntList()}}),
               operands);
}

Variables unravelIndex(const Operand &where, const std::vector<int64_t> &extents) {
  CallScope scope(where);
  Variable total = constant(Tensor(int64_t(1)));
  for (int64_t extent : extents)
    total = total * extent;
  Variable left = positions(where, total, "raise", 0);
  Variables result(extents.size());
  for (size_t k = extents.size(); k-- > 0;) {
    result[k] = k == 0 ? left : mod(left, extents[k]);
    left = intDiv(left, extents[k]);
  }
  return result;
}

//===--- labels ---------------------------------------------------------------------===//

Variable oneHot(const Operand &labels, const Operand &depth, DType dtype) {
  CallScope scope(labels);
  Variable label = positions(labels, depth, "label", 0);
  if (!label.ok())
    return label;
  return cast(graphc::eq(expandDims(label, Axis(-1)), arange(depth)), dtype);
}

Variable embedding(const Operand &weights, const Operand &ids) {
  CallScope scope(weights);
  Variable table = asVariable(weights);
  if (!table.ok())
    return table;
  if (table.rank() == 0)
    return invalidAt(weights, ErrorKind::ValueError, "embedding", "the table has no rows");
  return take(Operand(table, weights.place()), positions(ids, shape(table, 0), "label", 0),
              {.axis = 0});
}

} // namespace graphc
