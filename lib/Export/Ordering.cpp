//===- Ordering.cpp - sorting, searching -------------------------------------===//
#include <algorithm>

#include "Export/ExportRules.h"
#include "Ops/Build.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

/// The k greatest or least elements along the node's axis, and where they are. TopK keeps the order
/// of equal ones.
Values topK(OnnxWriter &w, const Apply &n, const Value &x, const Value &count, bool isGreatest) {
  constexpr DTypeSet kOrdered = kRealFloats | kInts;
  DType computed = dtypeWithin(kOrdered, x.dtype());
  Type type = n.output(0).type();
  return w.nodes("TopK", {w.as(x, computed), count},
                 {type.withDType(computed), type.withDType(DType::Int64)},
                 {{"axis", axisOf(n)}, {"largest", int64_t(isGreatest)}, {"sorted", int64_t(1)}});
}
/// The extent of the axis, as TopK wants it.
Value extentOf(OnnxWriter &w, const Apply &n, const Value &x) {
  int64_t axis = axisOf(n), extent = x.type.extent(int(axis));
  if (extent != kDynamic)
    return OnnxWriter::ints({extent});
  return w.node("Shape", {x}, Type(DType::Int64, {1}), {{"start", axis}, {"end", axis + 1}});
}
Vs composeScalar(const Apply &n) {
  bool isSort = n.op().name() == "sort";
  return n.input(0).rank() > 0 ? Vs() : Vs{isSort ? n.input(0) : V(constant(Tensor(0)))};
}
Values writeSort(OnnxWriter &w, const Apply &n, const Values &in) {
  bool isDescending = n.op().attributes().boolean("descending");
  Values sorted = topK(w, n, in[0], extentOf(w, n, in[0]), isDescending);
  return {w.as(sorted[0], n.output(0).dtype())};
}
Values writeArgsort(OnnxWriter &w, const Apply &n, const Values &in) {
  bool isDescending = n.op().attributes().boolean("descending");
  return {topK(w, n, in[0], extentOf(w, n, in[0]), isDescending)[1]};
}
Values writeArgtopk(OnnxWriter &w, const Apply &n, const Values &in) {
  Value count = w.unsqueezed(w.as(in[1], DType::Int64), {0});
  return {topK(w, n, in[0], count, !n.op().attributes().boolean("smallest"))[1]};
}
/// By the last column first: sorting keeps the order of equal rows.
Vs composeArgsortRows(const Apply &n) {
  V columns = transpose(n.input(0));
  Op sorting = builtin("argsort", {{"axis", int64_t(0)}});
  auto isColumn = [](const Vs &v) { return ge(v[1], int64_t(0)); };
  auto byColumn = [&](const Vs &v) {
    V keys = take(take(columns, v[1], {.axis = 0}), v[0], {.axis = 0});
    return ScanStep({take(v[0], sorting(keys), {.axis = 0}), sub(v[1], int64_t(1))});
  };
  V order = arange(shape(columns, 1)), last = sub(shape(columns, 0), int64_t(1));
  return {whileLoop(isColumn, byColumn, {order, last}).outputs[0]};
}
/// How many elements stand in front of each value: all are compared.
Vs composeSearch(const Apply &n) {
  V sorted = n.input(0), values = n.input(1);
  std::vector<int> in(size_t(values.rank()), -1), out;
  in.push_back(0);
  for (int axis = 0; axis < values.rank(); ++axis)
    out.push_back(axis);
  out.push_back(-1);
  V a = dimshuffle(sorted, in), v = dimshuffle(values, out);
  bool isRight = n.op().attributes().boolean("right");
  V isBefore = isRight ? le(a, v) : lt(a, v);
  if (isFloat(v.dtype())) // NaN stands behind all
    isBefore = logicalOr(isBefore, isRight ? isnan(v) : logicalAnd(isnan(v), logicalNot(isnan(a))));
  return {sum(cast(isBefore, DType::Int64), Axis(values.rank()))};
}

} // namespace

absl::Span<const ExportRule> orderExports() {
  static constexpr ExportRule kTable[] = {
      written("sort", writeSort, composeScalar), written("argsort", writeArgsort, composeScalar),
      written("argtopk", writeArgtopk),          composed("argsortRows", composeArgsortRows),
      composed("searchsorted", composeSearch),
  };
  return kTable;
}

} // namespace graphc
