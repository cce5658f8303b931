//===- Scattering.cpp - gathering and scattering by coordinates --------------===//
//
// Updates are set or added one after the other. Other reductions are computed result by result:
// each joins the updates whose index is its own, in time in proportion to results times updates
// (along the axis of the indices).
//
//===----------------------------------------------------------------------===//
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Ops/Build.h"

namespace graphc {
namespace {

Variable countedFromFront(OnnxNode &n, const Variable &indices, const Operand &extent) {
  return where(n.at(lt(n.at(indices), 0)), add(n.at(indices), extent), indices);
}

/// Whether the reduction is one of ours along the first axis; the op.
const char *changeOf(const std::string &reduction) {
  return reduction == "none" ? "setTake" : reduction == "add" ? "incTake" : nullptr;
}
/// x with the updates at positions along its first axis.
Variable changed(OnnxNode &n, const char *op, const Variable &x, const Variable &updates,
                 const Variable &position) {
  return builtin(op, {{"axis", int64_t(0)}})(n.at(x), updates, position);
}

/// Joins the updates over `axis` where they hit; `old` where none does.
Variable joinUpdates(OnnxNode &n, const std::string &reduction, const Variable &hit,
                     const Variable &updates, const Variable &old, int axis) {
  DType dtype = old.dtype();
  ReductionOptions options{.axes = Axis(axis)};
  auto joined = [&](auto reduce, double neutral) {
    return reduce(n.at(where(n.at(hit), updates, n.scalar(neutral, dtype))), options);
  };
  auto typedProd = [&](const Operand &x, ReductionOptions o) {
    o.dtype = dtype;
    return prod(x, o);
  };
  if (reduction == "mul")
    return mul(n.at(old), joined(typedProd, 1));
  if (reduction == "max" || reduction == "min") {
    // Where an update does not hit, the old value stands for it.
    Variable all = where(n.at(hit), updates, expandDims(n.at(old), Axis(axis)));
    return reduction == "max" ? maximum(n.at(old), max(n.at(all), options))
                              : minimum(n.at(old), min(n.at(all), options));
  }
  return n.unsupported("reduction '" + reduction + "'");
}

Variable flattened(OnnxNode &n, const Variable &x) {
  return reshape(n.at(x), shapeOf(n, {extentProduct(n, x, 0, x.rank())}));
}
Terms extentsOf(OnnxNode &n, const Variable &x) {
  Terms extents;
  for (int k = 0; k < x.rank(); ++k)
    extents.push_back(extentTerm(n, x, k));
  return extents;
}

/// data[…, indices[i, …], …] = updates[i, …]: by positions in the flattened data.
Variable changedElements(OnnxNode &n, const char *op, const Variable &x, const Variable &indices,
                         const Variable &updates, int axis) {
  Variable position = n.scalar(0, DType::Int64);
  for (int k = 0; k < x.rank(); ++k) {
    Variable own = k == axis ? countedFromFront(n, indices, extentTerm(n, x, k))
                             : positionsAlong(n, extentTerm(n, indices, k), k, x.rank());
    position = add(n.at(position), mul(n.at(own), extentProduct(n, x, k + 1, x.rank())));
  }
  Variable flat = changed(n, op, flattened(n, x), flattened(n, updates), flattened(n, position));
  return reshape(n.at(flat), shapeOf(n, extentsOf(n, x)));
}

/// data[…, indices[i, …], …] = updates[i, …] along one axis.
Variables scatterElements(OnnxNode &n) {
  Variable x = n.in(0), indices = cast(n.arg(1), DType::Int64), updates = n.in(2);
  int axis = n.plainAxis(n.getInt("axis", 0), x.rank());
  if (!n.status().ok() || indices.rank() != x.rank() || updates.rank() != x.rank())
    return {n.fail(ErrorKind::ValueError, "data, indices and updates must have the same rank")};
  std::string reduction = n.getString("reduction", "none");
  if (const char *op = changeOf(reduction))
    return {changedElements(n, op, x, indices, updates, axis)};
  // Updates may cover a part of the other axes only: indices beyond are made to hit nothing.
  std::vector<std::pair<int, int>> widths(size_t(x.rank()), {0, 0});
  for (int k = 0; k < x.rank(); ++k) {
    int64_t whole = x.type().extent(k), part = indices.type().extent(k);
    if (k == axis || (whole == part && whole != kDynamic))
      continue;
    if (whole == kDynamic || part == kDynamic)
      return {n.unsupported("scattering where extents are unknown")};
    widths[size_t(k)].second = n.toInt(whole - part, "the padding");
  }
  indices = countedFromFront(n, indices, extentTerm(n, x, axis));
  indices = pad(n.at(indices), widths, PadOptions{.value = Operand(Tensor(int64_t(-1)))});
  updates = pad(n.at(updates), widths);
  Variable wide = expandDims(n.at(indices), Axis(axis));
  Variable own = positionsAlong(n, extentTerm(n, x, axis), axis, x.rank() + 1);
  // Result positions along `axis`, updates along the one behind it.
  Variable hit = eq(n.at(wide), own);
  return {joinUpdates(n, reduction, hit, expandDims(n.at(updates), Axis(axis)), x, axis + 1)};
}

/// Coordinates [count, k] of the axes from `first` on as positions in these axes flattened.
Variable flatPositions(OnnxNode &n, const Variable &x, const Variable &coordinates, int first,
                       int count) {
  Variable result = n.scalar(0, DType::Int64);
  for (int k = 0; k < count; ++k) {
    std::vector<Index> index(size_t(coordinates.rank() - 1), Index(Slice()));
    index.push_back(Index(k));
    Variable own = subtensor(n.at(coordinates), index);
    own = countedFromFront(n, own, extentTerm(n, x, first + k));
    Operand stride = extentProduct(n, x, first + k + 1, first + count);
    result = add(n.at(result), mul(n.at(own), stride));
  }
  return result;
}

/// How many coordinates an index has: its last extent, which must be known.
int coordinatesPerIndex(OnnxNode &n, const Variable &indices, int most) {
  int64_t count = indices.rank() < 1 ? 0 : indices.type().extent(indices.rank() - 1);
  if (!n.status().ok() || count < 1 || count > most)
    n.fail(ErrorKind::ValueError,
           "indices of " + indices.type().brief() + " for " + std::to_string(most) + " axes");
  return int(count);
}

Variables gatherND(OnnxNode &n) {
  Variable x = n.in(0), indices = cast(n.arg(1), DType::Int64);
  int batch = n.getSmallInt("batch_dims", 0);
  if (!x.ok() || batch < 0 || batch >= std::min(x.rank(), indices.rank()))
    return {n.fail(ErrorKind::ValueError, "batch_dims is " + std::to_string(batch))};
  int count = coordinatesPerIndex(n, indices, x.rank() - batch);
  if (!n.status().ok())
    return {};
  // Batches and indexed axes are joined to one, in which batch b begins at b * elements.
  Variable position = flatPositions(n, x, indices, batch, count);
  for (int b = 0; b < batch; ++b) {
    Variable own = positionsAlong(n, extentTerm(n, x, b), b, position.rank());
    position = add(n.at(position), mul(n.at(own), extentProduct(n, x, b + 1, batch + count)));
  }
  Terms joined = {extentProduct(n, x, 0, batch + count)};
  for (int k = batch + count; k < x.rank(); ++k)
    joined.push_back(extentTerm(n, x, k));
  return {take(n.at(reshape(n.at(x), shapeOf(n, joined))), position, TakeOptions{.axis = 0})};
}

/// x with slices replaced: updates [u, …] at the positions [u] of x's first `count` axes.
Variable scattered(OnnxNode &n, const std::string &reduction, const Variable &x, int count,
                   const Variable &position, const Variable &updates) {
  Operand places = extentProduct(n, x, 0, count), number = extentProduct(n, position, 0, 1);
  Terms flat = {places}, each = {number}, whole;
  std::vector<int> order = {-1, 0};
  for (int k = 0; k < x.rank(); ++k) {
    whole.push_back(extentTerm(n, x, k));
    if (k < count)
      continue;
    flat.push_back(whole.back());
    each.push_back(whole.back());
    order.push_back(k - count + 1);
  }
  int rank = int(order.size());
  Variable old = reshape(n.at(x), shapeOf(n, flat));
  Variable rows = reshape(n.at(updates), shapeOf(n, each));
  if (const char *op = changeOf(reduction))
    return reshape(n.at(changed(n, op, old, rows, position)), shapeOf(n, whole));
  Variable wide = dimshuffle(n.at(rows), order);
  Variable hit =
      eq(n.at(dimshuffle(n.at(position), orderAlong(1, rank))), positionsAlong(n, places, 0, rank));
  return reshape(n.at(joinUpdates(n, reduction, hit, wide, old, 1)), shapeOf(n, whole));
}

Variables scatterND(OnnxNode &n) {
  Variable x = n.in(0), indices = cast(n.arg(1), DType::Int64), updates = n.in(2);
  int count = coordinatesPerIndex(n, indices, x.rank());
  if (!n.status().ok())
    return {};
  Variable position = flattened(n, flatPositions(n, x, indices, 0, count));
  return {scattered(n, n.getString("reduction", "none"), x, count, position, updates)};
}

/// Extents of the operand of the pooling that MaxUnpool undoes; batch and channels included.
Ints unpooledShape(OnnxNode &n, const Variable &x) {
  int axes = x.rank() - 2;
  Ints window = n.getInts("kernel_shape").value_or(Ints());
  Ints stride = n.getInts("strides").value_or(Ints(window.size(), 1));
  Ints pads = n.getInts("pads").value_or(Ints(window.size() * 2, 0));
  if (!x.ok() || axes < 1 || int(window.size()) != axes || int(stride.size()) != axes ||
      int(pads.size()) != 2 * axes) {
    n.fail(ErrorKind::ValueError, "kernel_shape, strides and pads do not fit " + x.type().brief());
    return {};
  }
  if (x.type().numElements() == kDynamic) {
    n.unsupported("an operand of unknown extents: " + x.type().brief());
    return {};
  }
  absl::Span<const int64_t> shape = x.type().shape();
  Ints result = {shape[0], shape[1]};
  for (int k = 0; k < axes; ++k) {
    int64_t extent = 0;
    if (__builtin_mul_overflow(shape[size_t(2 + k)] - 1, stride[k], &extent) ||
        __builtin_add_overflow(extent, window[k], &extent) ||
        __builtin_sub_overflow(extent, pads[k], &extent) ||
        __builtin_sub_overflow(extent, pads[axes + k], &extent))
      n.fail(ErrorKind::ValueError, "kernel_shape, strides and pads are out of range");
    result.push_back(extent);
  }
  return result;
}

/// Values back to where MaxPool's indices say that they were.
Variables maxUnpool(OnnxNode &n) {
  Variable x = n.in(0);
  Ints shape = unpooledShape(n, x);
  if (!n.status().ok())
    return {};
  Variable empty = full(ShapeList(shape, n.place()), n.at(n.scalar(0, x.dtype())));
  Variable position = flattened(n, cast(n.arg(1), DType::Int64));
  Variable filled = scattered(n, "none", flattened(n, empty), 1, position, flattened(n, x));
  Variable result = reshape(n.at(filled), ShapeList(shape, n.place()));
  if (!n.has(2))
    return {result};
  // Indices count in an array of the size above, even if a larger one is asked for.
  Ints wanted = n.constantInts(2);
  std::vector<std::pair<int, int>> more;
  if (n.status().ok() && wanted.size() != shape.size())
    return {n.fail(ErrorKind::ValueError,
                   "output_shape must have " + std::to_string(shape.size()) + " numbers")};
  for (size_t k = 0; k < wanted.size(); ++k)
    more.emplace_back(0, n.toInt(wanted[k], "output_shape") - n.toInt(shape[k], "an extent"));
  if (!n.status().ok())
    return {};
  return {pad(n.at(result), more)};
}

} // namespace

absl::Span<const Translation> scatteringTranslations() {
  static constexpr std::string_view kReductions =
      "reductions mul, min and max: time: results * updates; indices out of range are ignored";
  static constexpr Translation kTable[] = {
      {"GatherND", gatherND, 11, "the number of coordinates must be known"},
      {"MaxUnpool", maxUnpool, 9, "extents known, output_shape constant"},
      {"Scatter", scatterElements, 9, "", 10},
      {"ScatterElements", scatterElements, 11, kReductions},
      {"ScatterND", scatterND, 11, kReductions},
  };
  return kTable;
}

} // namespace graphc
