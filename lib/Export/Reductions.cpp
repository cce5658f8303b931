//===- Reductions.cpp - joining along axes -----------------------------------===//
#include <algorithm>

#include "Export/ExportRules.h"
#include "Ops/Build.h"
#include "graphc/Arrays.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

IntList list(const std::vector<int> &axes) { return IntList(axes.begin(), axes.end()); }

/// An operator of ONNX that joins along axes, in `computed`.
Value reduce(OnnxWriter &w, const Apply &n, const Value &x, std::string_view op, DType computed) {
  std::vector<int> axes = axesOf(n);
  Type type = n.output(0).type().withDType(computed);
  Value in = w.as(x, computed);
  if (axes.empty())
    return w.node("Identity", {in}, type);
  int64_t keeps = n.op().attributes().boolean("keepDims");
  // An operand since version 13 of ReduceSum, 18 of the others.
  bool isOperand = op == "ReduceSum" || w.opset() >= 18;
  if (isOperand)
    return w.node(op, {in, OnnxWriter::ints(list(axes))}, type, {{"keepdims", keeps}});
  return w.node(op, {in}, type, {{"axes", list(axes)}, {"keepdims", keeps}});
}

/// Where terms are joined in another dtype than the result's, by the attributes' words, they are
/// here, too.
Values writeJoin(OnnxWriter &w, const Apply &n, const Values &in, std::string_view op) {
  const Attributes &attributes = n.op().attributes();
  DType result = n.output(0).dtype();
  DType joined = attributes.isNone("accDtype") ? result : realDType(attributes.dtype("accDtype"));
  joined = dtypeWithin(kFloats | kWideInts, joined);
  return {w.as(reduce(w, n, in[0], op, joined), result)};
}
Values writeSum(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeJoin(w, n, in, "ReduceSum");
}
Values writeProd(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeJoin(w, n, in, "ReduceProd");
}
Values writeMean(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeJoin(w, n, in, "ReduceMean");
}
constexpr DTypeSet kOrdered = kFloats | kWideInts | dtypeSet(DType::Int8, DType::UInt8);
Values writeMax(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  return {w.as(reduce(w, n, in[0], "ReduceMax", dtypeWithin(kOrdered, dtype)), dtype)};
}
Values writeMin(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  return {w.as(reduce(w, n, in[0], "ReduceMin", dtypeWithin(kOrdered, dtype)), dtype)};
}
Values writeLogsumexp(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  return {w.as(reduce(w, n, in[0], "ReduceLogSumExp", dtype), dtype)};
}
/// Along no axes it is the operand.
Vs composeLogsumexp(const Apply &n) { return axesOf(n).empty() ? Vs{operand(n, 0)} : Vs(); }

ReductionOptions likeOptions(const Apply &n) {
  return {.axes = Axes(axesOf(n)), .keepDims = n.op().attributes().boolean("keepDims")};
}
Vs composeAny(const Apply &n) {
  V isTrue = cast(cast(n.input(0), DType::Bool), DType::Int64);
  V count = sum(isTrue, likeOptions(n));
  return {gt(count, literal(0, count))};
}
Vs composeAll(const Apply &n) {
  V isFalse = cast(logicalNot(cast(n.input(0), DType::Bool)), DType::Int64);
  V count = sum(isFalse, likeOptions(n));
  return {eq(count, literal(0, count))};
}

V varianceOf(const Apply &n) {
  V x = operand(n, 0);
  std::vector<int> axes = axesOf(n);
  V centre = mean(x, {.axes = Axes(axes), .keepDims = true}), d = sub(x, centre);
  V count = constant(Tensor(1));
  for (int axis : axes)
    count = mul(count, shape(x, axis));
  V divisor = sub(cast(count, x.dtype()), n.op().attributes().real("ddof"));
  return trueDiv(sum(mul(d, d), likeOptions(n)), divisor);
}
Vs composeVar(const Apply &n) { return {varianceOf(n)}; }
Vs composeStddev(const Apply &n) { return {sqrt(varianceOf(n))}; }

/// Bit by bit, element after element along all axes as one.
Vs composeBits(const Apply &n) {
  V x = n.input(0);
  std::vector<int> axes = axesOf(n);
  bool isAnd = n.op().name() == "reduceAnd", isOr = n.op().name() == "reduceOr";
  bool keeps = n.op().attributes().boolean("keepDims");
  if (axes.empty())
    return {x};
  V rows = withAxesJoined(x, axes);
  V slices = moveaxis(rows, {rows.rank() - 1}, {0});
  std::vector<Operand> extents;
  for (int axis = 0; axis + 1 < rows.rank(); ++axis)
    extents.push_back(shape(rows, axis));
  V none = constant(Tensor(isAnd && !isBool(x.dtype()) ? -1 : isAnd).cast(x.dtype()));
  V start = extents.empty() ? none : broadcastTo(none, ShapeList(stack(extents)));
  V joined = foldl(
      [&](const Variables &v) {
        return ScanStep(isAnd  ? bitwiseAnd(v[0], v[1])
                        : isOr ? bitwiseOr(v[0], v[1])
                               : bitwiseXor(v[0], v[1]));
      },
      {slices}, start);
  std::sort(axes.begin(), axes.end());
  return {keeps ? expandDims(joined, Axes(axes)) : joined};
}

//===--- positions ------------------------------------------------------------------===//

/// ONNX's operators take one axis.
Vs composeArg(const Apply &n) {
  std::vector<int> axes = axesOf(n);
  V x = n.input(0);
  bool keeps = n.op().attributes().boolean("keepDims");
  if (axes.size() == 1)
    return {};
  V joined = withAxesJoined(x, axes);
  V found = likeNode(n, n.op().name(), {joined},
                     {{"axes", IntList{joined.rank() - 1}}, {"keepDims", false}});
  std::sort(axes.begin(), axes.end());
  return {keeps ? expandDims(found, Axes(axes)) : found};
}
Values writeArg(OnnxWriter &w, const Apply &n, const Values &in) {
  DType computed = dtypeWithin(kNumbers, in[0].dtype());
  int64_t keeps = n.op().attributes().boolean("keepDims");
  return {w.node(n.op().name() == "argmax" ? "ArgMax" : "ArgMin", {w.as(in[0], computed)},
                 n.output(0).type(), {{"axis", int64_t(axesOf(n)[0])}, {"keepdims", keeps}})};
}

//===--- rows -----------------------------------------------------------------------===//

Vs composeSoftmax(const Apply &n) {
  std::vector<int> axes = axesOf(n);
  if (axes.size() == 1)
    return {};
  V rows = withAxesJoined(operand(n, 0), axes);
  V result = likeNode(n, n.op().name(), {rows}, {{"axes", IntList{rows.rank() - 1}}});
  return {withAxesSplit(result, n.input(0), axes)};
}
Values writeSoftmax(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  return {w.node(n.op().name() == "softmax" ? "Softmax" : "LogSoftmax", {w.as(in[0], dtype)},
                 n.output(0).type(), {{"axis", int64_t(axesOf(n)[0])}})};
}
Values writeCumsum(OnnxWriter &w, const Apply &n, const Values &in) {
  const Attributes &attributes = n.op().attributes();
  DType dtype = n.output(0).dtype();
  DType computed = dtypeWithin(kRealFloats | kWideInts, dtype);
  int64_t axis = attributes.integer("axis");
  axis += axis < 0 ? in[0].rank() : 0;
  Value sums =
      w.node("CumSum", {w.as(in[0], computed), OnnxWriter::scalar(double(axis), DType::Int64)},
             n.output(0).type().withDType(computed),
             {{"exclusive", int64_t(attributes.boolean("exclusive"))},
              {"reverse", int64_t(attributes.boolean("reverse"))}});
  return {w.as(sums, dtype)};
}

} // namespace

absl::Span<const ExportRule> reductionExports() {
  static constexpr ExportRule kTable[] = {
      written("sum", writeSum),
      written("prod", writeProd),
      written("max", writeMax),
      written("min", writeMin),
      written("argmax", writeArg, composeArg),
      written("argmin", writeArg, composeArg),
      composed("any", composeAny),
      composed("all", composeAll),
      composed("reduceAnd", composeBits),
      composed("reduceOr", composeBits),
      composed("reduceXor", composeBits),
      written("mean", writeMean),
      composed("var", composeVar),
      composed("stddev", composeStddev),
      written("logsumexp", writeLogsumexp, composeLogsumexp),
      written("cumsum", writeCumsum),
      written("softmax", writeSoftmax, composeSoftmax),
      written("logSoftmax", writeSoftmax, composeSoftmax),
  };
  return kTable;
}

} // namespace graphc
