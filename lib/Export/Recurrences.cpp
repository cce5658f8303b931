//===- Recurrences.cpp - products along an axis, choices ---------------------===//
//
// What ONNX says by a graph of its own: Scan's body sees the slices along an axis one by one, If
// has one for each choice.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Export/ExportRules.h"
#include "Ops/Build.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

/// The slices' common state, `start` at first: each becomes `next(state, slices)`; what stands at a
/// position is the state after it, or before it.
template <class Next>
Value scanned(OnnxWriter &w, const Apply &n, const Values &sequences, double start,
              bool isExclusive, const Next &next) {
  int64_t axis = axisOf(n), isReverse = n.op().attributes().boolean("reverse");
  const Type &type = sequences[0].type;
  IntList shape(type.shape().begin(), type.shape().end());
  shape.erase(shape.begin() + axis);
  Type slice = type.withShape(shape);

  IntList kept;
  for (int k = 0; k < type.rank(); ++k)
    if (k != axis)
      kept.push_back(k);
  Value extents = w.shapeOf(sequences[0]);
  if (!slice.hasStaticShape())
    extents = w.node("Gather", {extents, OnnxWriter::ints(kept)},
                     Type(DType::Int64, {int64_t(kept.size())}));
  else
    extents = OnnxWriter::ints(shape);
  Value initial = w.node("Expand", {OnnxWriter::scalar(start, type.dtype()), extents}, slice);

  w.beginBody();
  Values inputs = {w.bodyInput(slice, "state")};
  for (size_t k = 0; k < sequences.size(); ++k)
    inputs.push_back(w.bodyInput(slice, "element"));
  Value state = next(inputs);
  onnx::GraphProto body = w.endBody(inputs, {state, isExclusive ? inputs[0] : state});

  Values operands = {initial};
  operands.insert(operands.end(), sequences.begin(), sequences.end());
  int64_t count = int64_t(sequences.size());
  return w.nodes("Scan", operands, {slice, type},
                 {{"body", body},
                  {"num_scan_inputs", count},
                  {"scan_input_axes", IntList(size_t(count), axis)},
                  {"scan_input_directions", IntList(size_t(count), isReverse)},
                  {"scan_output_axes", IntList{axis}},
                  {"scan_output_directions", IntList{isReverse}}})[1];
}

/// Floats are joined in float64, as ours are.
DType joinedIn(DType dtype) {
  return isFloat(dtype) ? DType::Float64 : dtypeWithin(kWideInts, dtype);
}

Values writeCumprod(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  bool isExclusive = n.op().attributes().boolean("exclusive");
  Value products = scanned(w, n, {w.as(in[0], joinedIn(dtype))}, 1, isExclusive,
                           [&](const Values &v) { return w.node("Mul", {v[0], v[1]}, v[0].type); });
  return {w.as(products, dtype)};
}

/// Where a is shifted, the one before stands at each position; in front of the first, any.
Vs composeRecurrence(const Apply &n) {
  const Attributes &attributes = n.op().attributes();
  if (!attributes.boolean("shifted"))
    return {};
  V a = n.input(0);
  int64_t axis = axisOf(n);
  auto part = [&](const Slice &slice) { return sliceAlong(a, int(axis), slice); };
  bool isReverse = attributes.boolean("reverse");
  V moved = isReverse ? concatenate({part(Slice(1, kEnd)), part(Slice(0, 1))}, int(axis))
                      : concatenate({part(Slice(0, 1)), part(Slice(0, -1))}, int(axis));
  return {likeNode(n, "linearRecurrence", {moved, n.input(1)}, {{"shifted", false}})};
}
Values writeRecurrence(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype(), joined = joinedIn(dtype);
  Value results =
      scanned(w, n, {w.as(in[0], joined), w.as(in[1], joined)}, 0, false, [&](const Values &v) {
        return w.node("Add", {w.node("Mul", {v[1], v[0]}, v[0].type), v[2]}, v[0].type);
      });
  return {w.as(results, dtype)};
}

/// Products of those in front and those behind.
Vs composeOthers(const Apply &n) {
  std::vector<int> axes = axesOf(n);
  V x = n.input(0);
  if (axes.empty())
    return {onesLike(x)};
  bool isHalf = isFloat(x.dtype()) && bitWidth(x.dtype()) == 16;
  DType joined = isHalf ? DType::Float32 : isFloat(x.dtype()) ? DType::Float64 : x.dtype();
  V rows = cast(withAxesJoined(x, axes), joined);
  auto products = [&](bool isReverse) {
    return builtin(
        "cumprod",
        {{"axis", int64_t(rows.rank() - 1)}, {"exclusive", true}, {"reverse", isReverse}})(rows);
  };
  return {withAxesSplit(mul(products(false), products(true)), x, axes)};
}

/// Both values are computed, also the one that is not chosen.
Values writeIfElse(OnnxWriter &w, const Apply &n, const Values &in) {
  const Type &type = n.output(0).type();
  auto branch = [&](const Value &v) {
    Value chosen = w.as(v, type.dtype());
    w.beginBody();
    return w.endBody({}, {chosen});
  };
  Value condition = w.as(in[0], DType::Bool);
  onnx::GraphProto x = branch(in[1]), y = branch(in[2]);
  return {w.node("If", {condition}, type, {{"then_branch", x}, {"else_branch", y}})};
}

} // namespace

absl::Span<const ExportRule> recurrenceExports() {
  static constexpr ExportRule kTable[] = {
      written("cumprod", writeCumprod),
      written("linearRecurrence", writeRecurrence, composeRecurrence),
      composed("productOfOthers", composeOthers),
      written("ifElse", writeIfElse),
  };
  return kTable;
}

} // namespace graphc
