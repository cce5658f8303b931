//===- Shapes.cpp - shapes, joining, making ----------------------------------===//
#include <algorithm>

#include "Export/ExportRules.h"
#include "Ops/Build.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

Values writeShape(OnnxWriter &w, const Apply &, const Values &in) { return {w.shapeOf(in[0])}; }
Values writeExtent(OnnxWriter &w, const Apply &n, const Values &in) {
  int64_t axis = n.op().attributes().integer("axis");
  axis += axis < 0 ? in[0].rank() : 0;
  if (int64_t extent = in[0].type.extent(int(axis)); extent != kDynamic)
    return {OnnxWriter::known(Tensor(extent))};
  Value one =
      w.node("Shape", {in[0]}, Type(DType::Int64, {1}), {{"start", axis}, {"end", axis + 1}});
  return {w.squeezed(one, {0})};
}
Values writeSize(OnnxWriter &w, const Apply &n, const Values &in) {
  if (in[0].type.hasStaticShape())
    return {OnnxWriter::known(Tensor(in[0].type.numElements()))};
  return {w.node("Size", in, n.output(0).type())};
}
Values writeReshape(OnnxWriter &w, const Apply &n, const Values &in) {
  return {w.node("Reshape", {in[0], w.as(in[1], DType::Int64)}, n.output(0).type(),
                 {{"allowzero", int64_t(1)}})};
}
Vs composeFlatten(const Apply &n) {
  V x = n.input(0);
  int kept = int(n.op().attributes().integer("ndim")) - 1;
  std::vector<Operand> extents;
  for (int axis = 0; axis < kept; ++axis)
    extents.push_back(axis < x.rank() ? Operand(shape(x, axis)) : Operand(1));
  extents.push_back(extentProduct(x, std::min(kept, x.rank()), x.rank()));
  return {reshape(x, ShapeList(stack(extents)))};
}
/// Axes of extent 1 go, the others change places, new ones come.
Values writeDimshuffle(OnnxWriter &w, const Apply &n, const Values &in) {
  const IntList &order = n.op().attributes().ints("order");
  IntList dropped, added;
  std::vector<int> kept, permutation;
  for (int axis = 0; axis < in[0].rank(); ++axis)
    if (std::find(order.begin(), order.end(), axis) == order.end())
      dropped.push_back(axis);
    else
      kept.push_back(axis);
  for (size_t k = 0; k < order.size(); ++k)
    if (order[k] < 0)
      added.push_back(int64_t(k));
    else
      permutation.push_back(int(std::find(kept.begin(), kept.end(), order[k]) - kept.begin()));
  return {w.unsqueezed(w.transposed(w.squeezed(in[0], dropped), permutation), added)};
}
Values writeSqueeze(OnnxWriter &w, const Apply &n, const Values &in) {
  IntList axes;
  for (int64_t axis : n.op().attributes().ints("axes"))
    axes.push_back(axis < 0 ? axis + in[0].rank() : axis);
  return {w.squeezed(in[0], axes)};
}
/// Its type says the extents.
Values writeSpecified(OnnxWriter &w, const Apply &n, const Values &in) {
  return {w.node("Identity", in, n.output(0).type())};
}
Values writeBroadcast(OnnxWriter &w, const Apply &n, const Values &in) {
  return {w.node("Expand", {in[0], w.as(in[1], DType::Int64)}, n.output(0).type())};
}
Values writeJoin(OnnxWriter &w, const Apply &n, const Values &in) {
  int64_t axis = n.op().attributes().integer("axis");
  Values parts;
  for (const Value &part : in)
    parts.push_back(w.as(part, n.output(0).dtype()));
  return {w.node("Concat", parts, n.output(0).type(), {{"axis", axis}})};
}
Vs composeChunks(const Apply &n) {
  V chunks = n.input(0), rest = n.input(1);
  std::vector<Operand> extents = {expandDims(extentProduct(chunks, 0, 2), Axis(0)),
                                  shape(chunks)[{Slice(2, kEnd)}]};
  return {concatenate({reshape(chunks, concatenate(extents, 0)), rest}, 0)};
}
Vs composePiece(const Apply &n) {
  V x = n.input(0), sizes = cast(n.input(1), DType::Int64);
  int64_t piece = n.op().attributes().integer("piece"), axis = n.op().attributes().integer("axis");
  axis += axis < 0 ? x.rank() : 0;
  if (sizes.rank() == 2) { // a row for each
    V start = subtensor(sizes, {Index(piece), Index(0)});
    V end = add(start, subtensor(sizes, {Index(piece), Index(1)}));
    return {sliceAlong(x, int(axis), Slice(start, end))};
  }
  auto upTo = [&](int64_t count) {
    return sum(subtensor(sizes, {Index(Slice(0, Operand(count)))}));
  };
  return {sliceAlong(x, int(axis), Slice(upTo(piece), upTo(piece + 1)))};
}

//===--- making -----------------------------------------------------------------------===//

constexpr DTypeSet kRanges =
    dtypeSet(DType::Int16, DType::Int32, DType::Int64, DType::Float32, DType::Float64);

/// Floats are computed from their positions, as ours are.
Vs composeArange(const Apply &n) {
  DType dtype = n.output(0).dtype();
  if (!isFloat(dtype)) {
    for (int i = 0; i < 3; ++i)
      if (isFloat(n.input(i).dtype()))
        return {cast(arange(n.input(0), n.input(1), n.input(2)), dtype)};
    return {};
  }
  auto wide = [&](int i) { return cast(n.input(i), DType::Float64); };
  V count = maximum(ceil(trueDiv(sub(wide(1), wide(0)), wide(2))), 0.0);
  V positions = cast(arange(cast(count, DType::Int64)), DType::Float64);
  return {add(wide(0), mul(positions, wide(2)))};
}
Values writeArange(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  bool isLong = dtype == DType::UInt32 || dtype == DType::UInt64 || dtype == DType::Int64;
  DType computed = isLong ? DType::Int64 : dtypeWithin(kRanges, dtype);
  Value range =
      w.node("Range", {w.as(in[0], computed), w.as(in[1], computed), w.as(in[2], computed)},
             n.output(0).type().withDType(computed));
  return {w.as(range, dtype)};
}
Vs composeEye(const Apply &n) {
  V rows = positionsAlong(cast(n.input(0), DType::Int64), 0, 2);
  V columns = positionsAlong(cast(n.input(1), DType::Int64), 1, 2);
  V isOne = eq(sub(columns, rows), cast(n.input(2), DType::Int64));
  return {cast(isOne, n.output(0).dtype())};
}

} // namespace

absl::Span<const ExportRule> shapeExports() {
  static constexpr ExportRule kTable[] = {
      written("shape", writeShape),
      written("shapeI", writeExtent),
      written("size", writeSize),
      written("reshape", writeReshape),
      composed("flatten", composeFlatten),
      written("dimshuffle", writeDimshuffle),
      written("squeeze", writeSqueeze),
      written("specifyShape", writeSpecified),
      written("unbroadcast", writeSpecified),
      written("broadcastTo", writeBroadcast),
      written("join", writeJoin),
      composed("joinChunks", composeChunks),
      composed("splitPiece", composePiece),
      written("arange", writeArange, composeArange),
      composed("eye", composeEye),
  };
  return kTable;
}

} // namespace graphc
