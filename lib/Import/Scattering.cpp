//===- Scattering.cpp - gathering and scattering by coordinates --------------===//
//
// Coordinates become positions in the flattened operand, each of which is looked at once
// (IndexError). Updates are put there one after the other (setTake, incTake), in an order in which
// the last one is that which ONNX's reduction wants: time and memory in proportion to the updates.
//
//===----------------------------------------------------------------------===//
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Import/Widening.h"
#include "graphc/Arrays.h"
#include "graphc/Indexing.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

Variable flattened(OnnxNode &n, const Variable &x) {
  return x.rank() == 1 ? x : reshape(n.at(x), shapeOf(n, {extentProduct(n, x, 0, x.rank())}));
}

TakeOptions rows() { return {.axis = 0}; }

/// The greatest (or least) update of each position, which is the last one to be written; where
/// there is none, x.
Variable withExtremes(OnnxNode &n, bool greatest, const Variable &x, const Variable &position,
                      const Variable &updates) {
  // NaNs come last in any case, if floats are negated for descending order.
  Variable keys = !greatest && isFloat(x.dtype()) ? neg(n.at(updates)) : updates;
  Variable order = argsort(n.at(keys), {.descending = !greatest && !isFloat(x.dtype())});
  Variable written = setTake(n.at(x), take(n.at(position), order, rows()),
                             take(n.at(updates), order, rows()), rows());
  return greatest ? maximum(n.at(x), written) : minimum(n.at(x), written);
}

/// x times all updates of each position: running products of the updates in the positions' order,
/// which begin anew where the position changes, and the last of which is written.
Variable withProducts(OnnxNode &n, const Variable &x, const Variable &position,
                      const Variable &updates) {
  Variable order = argsort(n.at(position));
  Variable sorted = take(n.at(position), order, rows());
  Variable factor = take(n.at(updates), order, rows());
  Variable before = subtensor(n.at(sorted), {Slice(kEnd, -1)});
  Variable again = eq(n.at(subtensor(n.at(sorted), {Slice(1, kEnd)})), before);
  // The first position is new, if there is one.
  Variable continues =
      widened(n, again,
              [&] {
                Widths widths(1);
                widths.front[0] = n.at(minimum(n.at(wholeNumber(n, extentTerm(n, sorted, 0))), 1));
                return widths;
              }(),
              {});
  continues = specifyShapeLike(n.at(continues), sorted);
  // Of integers the running product is one of floats, which is exact up to 2^53.
  DType wide = isFloat(x.dtype()) ? x.dtype() : DType::Float64;
  factor = cast(n.at(factor), wide);
  Variable none = zerosLike(n.at(factor));
  Variable running = linearRecurrence(n.at(where(n.at(continues), factor, none)),
                                      where(n.at(continues), none, factor));
  Variable ones = onesLike(n.at(x));
  return mul(n.at(x), setTake(n.at(ones), sorted, cast(n.at(running), x.dtype()), rows()));
}

/// A vector x, changed at `position` (a vector) by updates of that length.
Variable scattered(OnnxNode &n, const std::string &reduction, const Variable &x,
                   const Variable &position, const Variable &updates) {
  if (reduction == "none")
    return setTake(n.at(x), position, updates, rows());
  if (reduction == "add")
    return incTake(n.at(x), position, updates, rows());
  if (reduction == "max" || reduction == "min")
    return withExtremes(n, reduction == "max", x, position, updates);
  if (reduction == "mul")
    return withProducts(n, x, position, updates);
  return n.fail(ErrorKind::ValueError, "attribute reduction is '" + reduction + "'");
}

/// x, changed at the elements that the positions name.
Variable scatteredInto(OnnxNode &n, const Variable &x, const Variable &position,
                       const Variable &updates) {
  Variable changed = scattered(n, n.getString("reduction", "none"), flattened(n, x),
                               flattened(n, position), flattened(n, updates));
  Terms whole;
  for (int k = 0; k < x.rank(); ++k)
    whole.push_back(extentTerm(n, x, k));
  return reshape(n.at(changed), shapeOf(n, whole));
}

/// Positions in x, flattened, of the elements that stand at their own places in `along` but for
/// one axis, along which that names them.
Variable positionsBeside(OnnxNode &n, const Variable &x, const Variable &along, int axis) {
  std::vector<Operand> coordinates;
  Terms extents;
  for (int k = 0; k < x.rank(); ++k) {
    extents.push_back(extentTerm(n, x, k));
    coordinates.push_back(
        n.at(k == axis ? along : positionsAlong(n, extentTerm(n, along, k), k, x.rank())));
  }
  return ravelMultiIndex(coordinates, shapeOf(n, extents));
}

/// data[…, indices[i, …], …] = updates[i, …] along one axis.
Variables scatterElements(OnnxNode &n) {
  Variable x = n.in(0), indices = cast(n.arg(1), DType::Int64), updates = n.in(2);
  int axis = n.plainAxis(n.getInt("axis", 0), x.rank());
  if (!n.status().ok() || indices.rank() != x.rank() || updates.rank() != x.rank())
    return {n.fail(ErrorKind::ValueError, "data, indices and updates must have the same rank")};
  return {scatteredInto(n, x, positionsBeside(n, x, indices, axis), updates)};
}

Variables gatherElements(OnnxNode &n) {
  Variable x = n.in(0), indices = cast(n.arg(1), DType::Int64);
  int axis = n.plainAxis(n.getInt("axis", 0), x.rank());
  if (indices.rank() != x.rank())
    return {n.fail(ErrorKind::ValueError, "indices must have the operand's rank")};
  return {take(n.at(x), positionsBeside(n, x, indices, axis))};
}

/// How many coordinates an index has: the last extent of `indices`. Where that is open, it is
/// `implied`, if there is such a number, which a call checks.
int coordinatesPerIndex(OnnxNode &n, Variable &indices, int most, std::optional<int> implied) {
  int64_t count = indices.rank() < 1 ? 0 : indices.type().extent(indices.rank() - 1);
  if (n.status().ok() && count == kDynamic && implied && *implied >= 1 && *implied <= most) {
    Ints shape(size_t(indices.rank()), kDynamic);
    shape.back() = count = *implied;
    indices = specifyShape(n.at(indices), shape);
  }
  if (n.status().ok() && count == kDynamic) {
    n.unsupported("an unknown number of coordinates, on which the result's rank depends: " +
                  indices.type().brief() + "; declare the output's shape");
    return 0;
  }
  if (!n.status().ok() || count < 1 || count > most)
    n.fail(ErrorKind::ValueError,
           "indices of " + indices.type().brief() + " for " + std::to_string(most) + " axes");
  return int(count);
}

/// Coordinates [batch axes..., ..., count] as positions in x's first axes flattened: the batch's
/// own and `count` more.
Variable positionsOf(OnnxNode &n, const Variable &x, const Variable &coordinates, int batch,
                     int count) {
  std::vector<Operand> parts;
  Terms extents;
  for (int k = 0; k < batch + count; ++k) {
    extents.push_back(extentTerm(n, x, k));
    if (k < batch)
      parts.push_back(n.at(positionsAlong(n, extents.back(), k, coordinates.rank() - 1)));
    else
      parts.push_back(n.at(subtensor(n.at(coordinates), {ellipsis, Index(k - batch)})));
  }
  return ravelMultiIndex(parts, shapeOf(n, extents));
}

Variables gatherND(OnnxNode &n) {
  Variable x = n.in(0), indices = cast(n.arg(1), DType::Int64);
  int batch = n.getSmallInt("batch_dims", 0);
  if (!x.ok() || batch < 0 || batch >= std::min(x.rank(), indices.rank()))
    return {n.fail(ErrorKind::ValueError, "batch_dims is " + std::to_string(batch))};
  // The result has the indices' axes but for the last one, and x's that they do not name.
  std::optional<int> rank = n.declaredRank(0);
  int count = coordinatesPerIndex(
      n, indices, x.rank() - batch,
      rank ? std::optional(indices.rank() - 1 + x.rank() - batch - *rank) : std::nullopt);
  if (!n.status().ok())
    return {};
  Terms joined = {extentProduct(n, x, 0, batch + count)};
  for (int k = batch + count; k < x.rank(); ++k)
    joined.push_back(extentTerm(n, x, k));
  Variable position = positionsOf(n, x, indices, batch, count);
  return {take(n.at(reshape(n.at(x), shapeOf(n, joined))), position, rows())};
}

Variables scatterND(OnnxNode &n) {
  Variable x = n.in(0), indices = cast(n.arg(1), DType::Int64), updates = n.in(2);
  // Updates have the indices' axes but for the last one, and x's that they do not name.
  int count =
      coordinatesPerIndex(n, indices, x.rank(), indices.rank() - 1 + x.rank() - updates.rank());
  if (!n.status().ok())
    return {};
  // Each index names a slice: its elements' positions.
  Variable first = flattened(n, positionsOf(n, x, indices, 0, count));
  Operand size = extentProduct(n, x, count, x.rank());
  Variable within = positionsAlong(n, size, 1, 2);
  Variable start = mul(n.at(dimshuffle(n.at(first), {0, -1})), wholeNumber(n, size));
  return {scatteredInto(n, x, add(n.at(start), within), updates)};
}

/// Updates [batch, …, sequence, …] into a cache, in each batch from its own index on along an axis.
Variables tensorScatter(OnnxNode &n) {
  Variable x = n.in(0), updates = n.in(1);
  int axis = n.plainAxis(n.getInt("axis", -2), x.rank());
  std::string mode = n.getString("mode", "linear");
  if (!n.status().ok() || updates.rank() != x.rank() || axis == 0)
    return {n.fail(ErrorKind::ValueError, "the cache and its update must have one rank, and the "
                                          "axis must not be the batch's")};
  if (mode != "linear" && mode != "circular")
    return {n.fail(ErrorKind::ValueError, "attribute mode is '" + mode + "'")};
  Variable at = positionsAlong(n, extentTerm(n, updates, axis), axis, x.rank());
  if (n.has(2))
    at = add(n.at(at), dimshuffle(n.at(cast(n.arg(2), DType::Int64)), orderAlong(0, x.rank())));
  if (mode == "circular")
    at = mod(n.at(at), wholeNumber(n, extentTerm(n, x, axis)));
  Terms extents;
  std::vector<Operand> coordinates;
  for (int k = 0; k < x.rank(); ++k) {
    extents.push_back(extentTerm(n, x, k));
    coordinates.push_back(
        n.at(k == axis ? at : positionsAlong(n, extentTerm(n, updates, k), k, x.rank())));
  }
  Variable position = ravelMultiIndex(coordinates, shapeOf(n, extents));
  Variable spread = broadcastTo(n.at(position), shape(n.at(updates)));
  return {scatteredInto(n, x, spread, updates)};
}

/// Extents of the operand of the pooling that MaxUnpool undoes; batch and channels included.
Terms unpooledShape(OnnxNode &n, const Variable &x) {
  int axes = x.rank() - 2;
  Ints window = n.getInts("kernel_shape").value_or(Ints());
  Ints stride = n.getInts("strides").value_or(Ints(window.size(), 1));
  Ints pads = n.getInts("pads").value_or(Ints(window.size() * 2, 0));
  if (!x.ok() || axes < 1 || int(window.size()) != axes || int(stride.size()) != axes ||
      int(pads.size()) != 2 * axes) {
    n.fail(ErrorKind::ValueError, "kernel_shape, strides and pads do not fit " + x.type().brief());
    return {};
  }
  Terms result = {extentTerm(n, x, 0), extentTerm(n, x, 1)};
  for (int k = 0; k < axes; ++k) {
    // (extent - 1) * stride + window - pads, whose last three are one number.
    int64_t rest = 0, whole = 0, extent = x.type().extent(2 + k);
    bool tooLarge = __builtin_sub_overflow(window[k], stride[k], &rest) ||
                    __builtin_sub_overflow(rest, pads[k], &rest) ||
                    __builtin_sub_overflow(rest, pads[axes + k], &rest);
    if (extent != kDynamic)
      tooLarge |= __builtin_mul_overflow(extent, stride[k], &whole) ||
                  __builtin_add_overflow(whole, rest, &whole);
    if (tooLarge)
      n.fail(ErrorKind::ValueError, "kernel_shape, strides and pads are out of range");
    if (extent != kDynamic)
      result.emplace_back(whole);
    else
      result.push_back(n.at(add(n.at(mul(extentTerm(n, x, 2 + k), stride[k])), rest)));
  }
  return result;
}

/// Values back to where MaxPool's indices say that they were.
Variables maxUnpool(OnnxNode &n) {
  Variable x = n.in(0);
  Terms whole = unpooledShape(n, x);
  if (!n.status().ok())
    return {};
  Variable empty = full(shapeOf(n, whole), n.at(n.scalar(0, x.dtype())));
  Variable position = cast(n.arg(1), DType::Int64);
  Variable result = scatteredInto(n, empty, position, x);
  if (!n.has(2))
    return {result};
  // Indices count in an array of the size above, even if a larger one is asked for.
  Terms wanted = vectorTerms(n, 2, x.rank());
  if (n.status().ok() && wanted.size() != whole.size())
    return {n.fail(ErrorKind::ValueError,
                   "output_shape must have " + std::to_string(whole.size()) + " numbers")};
  Widths widths(x.rank());
  for (size_t k = 0; k < whole.size() && n.status().ok(); ++k) {
    if (isNumber(wanted[k]) && isNumber(whole[k]))
      widths.back[k] = Operand(n.toInt(wanted[k].weakValue().item<int64_t>(), "output_shape") -
                               whole[k].weakValue().item<int64_t>());
    else
      widths.back[k] = n.at(sub(n.at(wholeNumber(n, wanted[k])), wholeNumber(n, whole[k])));
  }
  return {widened(n, result, widths, {})};
}

} // namespace

absl::Span<const Translation> scatteringTranslations() {
  static constexpr Translation kTable[] = {
      {"GatherElements", gatherElements, 11},
      {"GatherND", gatherND, 11, "the number of coordinates must be known, or the rank declared"},
      {"MaxUnpool", maxUnpool, 9},
      {"Scatter", scatterElements, 9, {}, 10},
      {"ScatterElements", scatterElements, 11, "products of integers exact up to 2^53"},
      {"ScatterND", scatterND, 11, "products of integers exact up to 2^53"},
      {"TensorScatter", tensorScatter, 24},
  };
  return kTable;
}

} // namespace graphc
