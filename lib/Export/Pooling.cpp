//===- Pooling.cpp - pooling and its gradients -------------------------------===//
//
// ONNX pools the axes behind a batch and channels; other operands are reshaped to these.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <functional>

#include "Export/ExportRules.h"
#include "Ops/Build.h"
#include "Ops/Windows.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

struct Pooling {
  const Attributes &attributes;
  int axes, first;
  IntList window, stride, padding;
  bool ignoreBorder;

  /// Of an operand of that rank.
  Pooling(const Apply &n, int rank)
      : attributes(n.op().attributes()), axes(int(attributes.ints("window").size())),
        first(rank - axes), window(attributes.ints("window")),
        stride(attributes.ints("stride").empty() ? window : attributes.ints("stride")),
        padding(perAxis(attributes, "padding", 2 * axes, 0)),
        ignoreBorder(attributes.boolean("ignoreBorder")) {}

  double size() const {
    double all = 1;
    for (int64_t extent : window)
      all *= double(extent);
    return all;
  }
  OnnxAttributes onnx() const {
    IntList pads(padding.size());
    for (size_t k = 0; k < size_t(axes); ++k) {
      pads[k] = padding[2 * k];
      pads[size_t(axes) + k] = padding[2 * k + 1];
    }
    return {{"kernel_shape", window},
            {"strides", stride},
            {"pads", pads},
            {"ceil_mode", int64_t(!ignoreBorder)}};
  }
};

std::vector<Operand> extents(const V &x, int first, int last) {
  std::vector<Operand> list;
  for (int axis = first; axis < last; ++axis)
    list.push_back(shape(x, axis));
  return list;
}

/// The operand as [1, all in front, pooled...].
V asRows(const V &x, int first) {
  std::vector<Operand> to = {Operand(1), extentProduct(x, 0, first)};
  for (const Operand &extent : extents(x, first, x.rank()))
    to.push_back(extent);
  return reshape(x, ShapeList(stack(to)));
}
/// Back: the axes in front as `like` has them.
V fromRows(const V &rows, const V &like, int first) {
  std::vector<Operand> to = extents(like, 0, first);
  for (const Operand &extent : extents(rows, 2, rows.rank()))
    to.push_back(extent);
  return reshape(rows, ShapeList(stack(to)));
}

/// How many elements of the operand's axes, whose extents `extentOf` gives, each window of `pooled`
/// covers.
V covered(const Pooling &p, const V &pooled, const std::function<V(int)> &extentOf) {
  V counts = constant(Tensor(1));
  for (int k = 0; k < p.axes; ++k) {
    V begin = sub(
        mul(positionsAlong(shape(pooled, p.first + k), k, p.axes), Operand(p.stride[size_t(k)])),
        Operand(p.padding[2 * size_t(k)]));
    V end = minimum(add(begin, Operand(p.window[size_t(k)])), extentOf(k));
    counts = mul(counts, sub(end, maximum(begin, 0)));
  }
  return counts;
}

Vs composePool(const Apply &n) {
  V x = n.input(0);
  Pooling p(n, x.rank());
  const std::string &mode = p.attributes.string("mode");
  if (mode != "max" && !isFloat(x.dtype()))
    return {likeNode(n, "pool", {cast(x, DType::Float64)})};
  if (p.first != 2)
    return {fromRows(likeNode(n, "pool", {asRows(x, p.first)}), x, p.first)};
  if (mode == "max" || mode == "averageExcPad" || (mode == "averageIncPad" && p.ignoreBorder))
    return {};
  V wide = operand(n, 0), result;
  if (p.ignoreBorder) {
    result = mul(likeNode(n, "pool", {wide}, {{"mode", std::string("averageIncPad")}}), p.size());
    return {result};
  }
  // How many elements count in a window that sticks out differs from version to version.
  result = likeNode(n, "pool", {wide}, {{"mode", std::string("averageExcPad")}});
  V counts = covered(p, result, [&](int k) { return shape(x, p.first + k); });
  result = mul(result, cast(counts, wide.dtype()));
  return {mode == "sum" ? result : trueDiv(result, p.size())};
}

std::string tooManyAxes(const Pooling &p) {
  return "windows over " + std::to_string(p.axes) + " axes; runtimes have 1 to 3";
}

Values writePool(OnnxWriter &w, const Apply &n, const Values &in) {
  Pooling p(n, in[0].rank());
  const Type &type = n.output(0).type();
  if (p.axes > 3)
    return {w.refuse(type, tooManyAxes(p))};
  bool isMax = p.attributes.string("mode") == "max";
  constexpr DTypeSet kMaxDTypes = kRealFloats | dtypeSet(DType::Int8, DType::UInt8);
  DType dtype = isMax ? in[0].dtype() : type.dtype();
  DType computed = dtypeWithin(isMax ? kMaxDTypes : kRealFloats, dtype);
  OnnxAttributes attributes = p.onnx();
  if (!isMax)
    attributes.push_back(
        {"count_include_pad", int64_t(p.attributes.string("mode") == "averageIncPad")});
  Value result = w.node(isMax ? "MaxPool" : "AveragePool", {w.as(in[0], computed)},
                        type.withDType(computed), attributes);
  return {w.as(result, type.dtype())};
}

//===--- gradients --------------------------------------------------------------------===//

/// The gradient of a convolution with a kernel of ones.
Vs composeSpread(const Apply &n) {
  V g = operand(n, 0), wanted = n.input(1);
  Pooling p(n, g.rank());
  const std::string &mode = p.attributes.string("mode");
  if (mode == "averageIncPad")
    g = trueDiv(g, p.size());
  if (mode == "averageExcPad")
    g = trueDiv(g, cast(covered(p, g,
                                [&](int k) {
                                  return cast(subtensor(wanted, {Index(p.first + k)}),
                                              DType::Int64);
                                }),
                        g.dtype()));
  std::vector<Operand> toRows = {extentProduct(g, 0, p.first), Operand(1)};
  for (const Operand &extent : extents(g, p.first, g.rank()))
    toRows.push_back(extent);
  V rows = reshape(g, ShapeList(stack(toRows)));
  std::vector<Operand> wantedRows = {extentProduct(g, 0, p.first), Operand(1)};
  for (int k = 0; k < p.axes; ++k)
    wantedRows.push_back(cast(subtensor(wanted, {Index(p.first + k)}), DType::Int64));
  IntList kernel = {1, 1}, padding = p.padding;
  for (int k = 0; k < p.axes; ++k) {
    kernel.push_back(p.window[size_t(k)]);
    int64_t given = n.output(0).type().extent(p.first + k), count = g.type().extent(p.first + k);
    if (!p.ignoreBorder && given != kDynamic && count != kDynamic) // what sticks out is padding
      padding[2 * size_t(k) + 1] =
          std::max<int64_t>(0, (count - 1) * p.stride[size_t(k)] + p.window[size_t(k)] - given);
  }
  Tensor ones = *Tensor::full(g.dtype(), kernel, Tensor(1.0).cast(g.dtype()));
  Op gradient = builtin("convInputGradient",
                        {{"stride", p.stride}, {"padding", padding}, {"filterFlip", false}});
  V spread = gradient(rows, constant(ones), stack(wantedRows));
  return {reshape(spread, ShapeList(cast(wanted, DType::Int64)))};
}

Vs composePositions(const Apply &n) {
  V x = n.input(0);
  Pooling p(n, x.rank());
  if (p.first == 2)
    return {};
  return {fromRows(likeNode(n, "poolPositions", {asRows(x, p.first)}), x, p.first)};
}
/// ONNX's Indices count from the first element of the first channel.
Values writePositions(OnnxWriter &w, const Apply &n, const Values &in) {
  Pooling p(n, in[0].rank());
  const Type &type = n.output(0).type();
  if (p.axes > 3)
    return {w.refuse(type, tooManyAxes(p))};
  DType computed = dtypeWithin(kRealFloats | dtypeSet(DType::Int8, DType::UInt8), in[0].dtype());
  Values found =
      w.nodes("MaxPool", {w.as(in[0], computed)}, {type.withDType(computed), type}, p.onnx());
  Value tail =
      w.node("Slice", {w.shapeOf(in[0]), OnnxWriter::ints({2}), OnnxWriter::ints({in[0].rank()})},
             Type(DType::Int64, {int64_t(p.axes)}));
  Value plane = w.node("ReduceProd", {tail}, Type(DType::Int64, {}), {{"keepdims", int64_t(0)}});
  return {w.node("Mod", {found[1], plane}, type)};
}

/// Positions among all elements: those of a window, and where its row begins.
V positionsOfAll(const V &positions, int first, const std::function<V(int)> &extentOf, int axes) {
  V rows = extentProduct(positions, 0, first), plane = constant(Tensor(1));
  for (int k = 0; k < axes; ++k)
    plane = mul(plane, extentOf(k));
  std::vector<Operand> to = extents(positions, 0, first);
  V starts = mul(arange(rows), plane);
  for (int k = 0; k < axes; ++k)
    to.push_back(Operand(1));
  return add(positions, reshape(starts, ShapeList(stack(to))));
}

Vs composeScatter(const Apply &n) {
  V g = operand(n, 0), wanted = cast(n.input(2), DType::Int64);
  Pooling p(n, g.rank());
  V at = positionsOfAll(
      n.input(1), p.first, [&](int k) { return subtensor(wanted, {Index(p.first + k)}); }, p.axes);
  V zeros = broadcastTo(literal(0, g), ShapeList(stack({Operand(prod(wanted))})));
  V sums = incTake(zeros, flatten(at), flatten(g), TakeOptions{.axis = 0});
  return {reshape(sums, ShapeList(wanted))};
}
Vs composeGather(const Apply &n) {
  V x = n.input(0), positions = n.input(1);
  Pooling p(n, x.rank());
  V plane = extentProduct(x, p.first, x.rank());
  V isInside = logicalAnd(ge(positions, 0), lt(positions, plane));
  V safe = where(isInside, positions, 0);
  V at = positionsOfAll(safe, p.first, [&](int k) { return shape(x, p.first + k); }, p.axes);
  V found = take(flatten(x), at, TakeOptions{.axis = 0});
  return {where(isInside, found, literal(0, x))};
}

} // namespace

absl::Span<const ExportRule> windowExports() {
  static constexpr ExportRule kTable[] = {
      written("pool", writePool, composePool),
      composed("poolSpread", composeSpread),
      written("poolPositions", writePositions, composePositions),
      composed("poolScatter", composeScatter),
      composed("poolGather", composeGather),
  };
  return kTable;
}

} // namespace graphc
