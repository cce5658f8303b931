//===- Fourier.cpp - transforms and complex numbers ------------------------------===//
//
// ONNX's DFT has complex numbers as pairs along a last axis, and a first axis of its own. Its
// inverse is divided by the number of elements, which the linear parts of transforms here are not.
//
//===----------------------------------------------------------------------===//
#include "Export/ExportRules.h"
#include "Ops/Build.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

constexpr DTypeSet kTransformed = dtypeSet(DType::Float32, DType::Float64);

Type withExtent(const Type &type, int64_t axis, int64_t extent) {
  IntList shape(type.shape().begin(), type.shape().end());
  shape[size_t(axis)] = extent;
  return type.withShape(shape);
}

/// Both parts of a transform of `parts`, one or two, in the dtype of the node's results.
Values transform(OnnxWriter &w, const Apply &n, const Values &parts, bool isInverse, bool isHalf) {
  DType dtype = n.output(0).dtype(), computed = dtypeWithin(kTransformed, dtype);
  int64_t axis = axisOf(n), rank = parts[0].rank();
  Values columns;
  for (const Value &part : parts)
    columns.push_back(w.unsqueezed(w.as(part, computed), {0, rank + 1}));
  Value pairs = columns[0];
  if (columns.size() == 2)
    pairs = w.node("Concat", columns, withExtent(pairs.type, rank + 1, 2), {{"axis", rank + 1}});
  Type type = withExtent(pairs.type, rank + 1, 2);
  if (isHalf)
    type = withExtent(type, axis + 1, n.output(0).type().extent(int(axis)));
  OnnxAttributes attributes = {{"inverse", int64_t(isInverse)}, {"onesided", int64_t(isHalf)}};
  Values inputs = {pairs};
  constexpr int kAxisIsOperand = 20; // since that version
  if (w.opset() >= kAxisIsOperand) {
    inputs.push_back(Value{});
    inputs.push_back(OnnxWriter::known(Tensor(axis + 1)));
  } else {
    attributes.push_back({"axis", axis + 1});
  }
  Value made = w.node("DFT", inputs, type, attributes);
  if (isInverse) {
    Value count = w.node("Gather", {w.shapeOf(pairs), OnnxWriter::known(Tensor(axis + 1))},
                         Type(DType::Int64, {}), {{"axis", int64_t(0)}});
    made = w.node("Mul", {made, w.as(count, computed)}, type);
  }
  Values results;
  for (int64_t which : {0, 1}) {
    IntList shape(type.shape().begin(), type.shape().end() - 1);
    Value part = w.node("Gather", {made, OnnxWriter::known(Tensor(which))}, type.withShape(shape),
                        {{"axis", rank + 1}});
    results.push_back(w.as(w.squeezed(part, {0}), dtype));
  }
  return results;
}

Values writeDft(OnnxWriter &w, const Apply &n, const Values &in) {
  return transform(w, n, in, n.op().attributes().boolean("inverse"), false);
}
Values writeRdft(OnnxWriter &w, const Apply &n, const Values &in) {
  return transform(w, n, in, false, true);
}

/// The whole spectrum: what is behind its middle is what is before, mirrored and conjugated. The
/// first number, and the middle one of an even count, are real.
Vs composeIrdft(const Apply &n) {
  int axis = int(axisOf(n)), rank = n.input(0).rank();
  V re = n.input(0), im = n.input(1), count = cast(n.input(2), DType::Int64);
  V k = arange(count), isBehind = gt(mul(k, 2), count);
  V source = where(isBehind, sub(count, k), k);
  V isReal = logicalOr(eq(k, 0), eq(mul(k, 2), count));
  V sign = where(isReal, constant(Tensor(0)), where(isBehind, constant(Tensor(-1)), 1));
  std::vector<int> along(size_t(rank), -1);
  along[size_t(axis)] = 0;
  TakeOptions options{.axis = axis};
  V signs = cast(dimshuffle(sign, along), im.dtype());
  V all = take(re, source, options), turned = mul(take(im, source, options), signs);
  Op whole = builtin("dft", {{"axis", int64_t(axis)}, {"inverse", true}});
  return {whole.callAll({all, turned}, n.place())[0]};
}

Vs composeFit(const Apply &n) {
  V x = n.input(0), count = cast(n.input(1), DType::Int64);
  int axis = int(axisOf(n));
  std::vector<Operand> extents;
  for (int k = 0; k < x.rank(); ++k)
    extents.push_back(k == axis ? Operand(count) : Operand(shape(x, k)));
  V zeros = broadcastTo(literal(0, x), ShapeList(stack(extents)));
  return {sliceAlong(concatenate({x, zeros}, axis), axis, Slice(0, count))};
}

//===--- complex numbers of real operands ---------------------------------------------===//

Vs composeReal(const Apply &n) { return {n.input(0)}; }
Vs composeImaginary(const Apply &n) { return {zerosLike(n.input(0))}; }
Vs composeAngle(const Apply &n) {
  V x = operand(n, 0);
  return {arctan2(literal(0, x), x)};
}

} // namespace

absl::Span<const ExportRule> fourierExports() {
  static constexpr ExportRule kTable[] = {
      written("dft", writeDft),           written("rdft", writeRdft),
      composed("irdft", composeIrdft),    composed("fitAxis", composeFit),
      composed("conj", composeReal),      composed("real", composeReal),
      composed("imag", composeImaginary), composed("angle", composeAngle),
  };
  return kTable;
}

} // namespace graphc
