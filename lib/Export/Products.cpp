//===- Products.cpp - products of matrices, convolutions ---------------------===//
#include <algorithm>
#include <string>

#include "Export/ExportRules.h"
#include "Ops/Build.h"
#include "Ops/Windows.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

constexpr DTypeSet kProductDTypes = kFloats | kWideInts;

/// Of bools: the or of ands.
Vs onBools(const Apply &n) {
  if (!isBool(n.output(0).dtype()))
    return {};
  V product =
      likeNode(n, n.op().name(), {cast(n.input(0), DType::Int32), cast(n.input(1), DType::Int32)});
  return {neq(product, literal(0, product))};
}

Values writeProduct(OnnxWriter &w, const Apply &n, const Values &in, std::string_view op,
                    const OnnxAttributes &attributes) {
  DType dtype = n.output(0).dtype(), computed = dtypeWithin(kProductDTypes, dtype);
  Value product = w.node(op, {w.as(in[0], computed), w.as(in[1], computed)},
                         n.output(0).type().withDType(computed), attributes);
  return {w.as(product, dtype)};
}
Values writeMatmul(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeProduct(w, n, in, "MatMul", {});
}

Vs composeDot(const Apply &n) {
  V x = n.input(0), y = n.input(1);
  if (x.rank() == 0 || y.rank() == 0)
    return {mul(x, y)};
  if (y.rank() <= 2)
    return {matmul(x, y)};
  return {tensordot(x, y, {x.rank() - 1}, {y.rank() - 2})};
}
Vs composeOuter(const Apply &n) {
  return {mul(dimshuffle(flatten(n.input(0)), {0, -1}), dimshuffle(flatten(n.input(1)), {-1, 0}))};
}

/// Of results of at most 32 axes there are at most 48 in all.
char letter(size_t number) { return char(number < 26 ? 'a' + number : 'A' + (number - 26)); }

Values writeTensordot(OnnxWriter &w, const Apply &n, const Values &in) {
  const Attributes &attributes = n.op().attributes();
  std::vector<int> axes[2];
  for (int k = 0; k < 2; ++k)
    for (int64_t axis : attributes.ints(k ? "axesY" : "axesX"))
      axes[k].push_back(int(axis < 0 ? axis + in[size_t(k)].rank() : axis));
  std::string terms[2], rest;
  size_t next = 0;
  for (int axis = 0; axis < in[0].rank(); ++axis)
    terms[0] += letter(next++);
  for (int axis = 0; axis < in[1].rank(); ++axis) {
    auto pair = std::find(axes[1].begin(), axes[1].end(), axis);
    terms[1] += pair == axes[1].end() ? letter(next++)
                                      : terms[0][size_t(axes[0][size_t(pair - axes[1].begin())])];
  }
  for (char c : terms[0])
    if (terms[1].find(c) == std::string::npos)
      rest += c;
  for (char c : terms[1])
    if (terms[0].find(c) == std::string::npos)
      rest += c;
  return writeProduct(w, n, in, "Einsum", {{"equation", terms[0] + "," + terms[1] + "->" + rest}});
}
Values writeBatchedDot(OnnxWriter &w, const Apply &n, const Values &in) {
  std::string x = in[0].rank() == 3 ? "bmk" : "bk", y = in[1].rank() == 3 ? "bkn" : "bk";
  std::string rest =
      std::string("b") + (in[0].rank() == 3 ? "m" : "") + (in[1].rank() == 3 ? "n" : "");
  return writeProduct(w, n, in, "Einsum", {{"equation", x + "," + y + "->" + rest}});
}

//===--- convolutions -----------------------------------------------------------------===//

/// Padding in front and behind, as ONNX lists it: all fronts, then all backs. Nothing where it
/// follows from a kernel whose extents are not known.
std::optional<IntList> onnxPads(const Apply &n, const Type &kernel, int axes) {
  const Attributes &a = n.op().attributes();
  const std::string &border = a.string("border");
  IntList flat = perAxis(a, "padding", 2 * axes, 0), dilation = perAxis(a, "dilation", axes, 1);
  IntList pads(2 * size_t(axes));
  for (int k = 0; k < axes; ++k) {
    int64_t front = flat[2 * size_t(k)], back = flat[2 * size_t(k) + 1];
    if (border != "explicit") {
      if (kernel.extent(2 + k) == kDynamic)
        return std::nullopt;
      int64_t most = (kernel.extent(2 + k) - 1) * dilation[size_t(k)];
      front = back = border == "full" ? most : most / 2;
    }
    pads[size_t(k)] = front;
    pads[size_t(axes) + size_t(k)] = back;
  }
  return pads;
}
constexpr std::string_view kOpenKernel =
    "its padding follows from a kernel whose extents are not known";

/// Sums that were computed in floats; integers wrap.
Value wrapped(OnnxWriter &w, const Value &sums, DType dtype) {
  return w.as(isFloat(dtype) ? sums : w.as(sums, DType::Int64), dtype);
}

/// The kernel with its spatial axes reversed.
V reversed(const V &kernel) {
  V result = kernel;
  for (int axis = 2; axis < kernel.rank(); ++axis)
    result = sliceAlong(result, axis, Slice(kEnd, kEnd, -1));
  return result;
}
bool isReversed(const Apply &n) { return n.op().attributes().boolean("filterFlip"); }
Attributes notReversed() { return {{"filterFlip", false}}; }

Vs composeConv(const Apply &n) {
  if (!isReversed(n))
    return {};
  return {likeNode(n, n.op().name(), {n.input(0), reversed(n.input(1))}, notReversed())};
}

Values writeConv(OnnxWriter &w, const Apply &n, const Values &in) {
  const Attributes &a = n.op().attributes();
  int axes = in[0].rank() - 2;
  DType dtype = n.output(0).dtype(), computed = dtypeWithin(kRealFloats, dtype);
  std::optional<IntList> pads = onnxPads(n, in[1].type, axes);
  if (!pads)
    return {w.refuse(n.output(0).type(), std::string(kOpenKernel))};
  Value result = w.node("Conv", {w.as(in[0], computed), w.as(in[1], computed)},
                        n.output(0).type().withDType(computed),
                        {{"strides", perAxis(a, "stride", axes, 1)},
                         {"pads", *pads},
                         {"dilations", perAxis(a, "dilation", axes, 1)},
                         {"group", a.integer("groups")}});
  return {wrapped(w, result, dtype)};
}

Vs composeInputGradient(const Apply &n) {
  if (!isReversed(n))
    return {};
  return {
      likeNode(n, n.op().name(), {n.input(0), reversed(n.input(1)), n.input(2)}, notReversed())};
}

/// ConvTranspose gives what the windows cover of the padded operand; of that, the operand's own
/// part is wanted, and where strides leave elements uncovered, zeros follow.
Values writeInputGradient(OnnxWriter &w, const Apply &n, const Values &in) {
  const Attributes &a = n.op().attributes();
  int rank = in[0].rank(), axes = rank - 2;
  DType dtype = n.output(0).dtype(), computed = dtypeWithin(kRealFloats, dtype);
  Type type = n.output(0).type().withDType(computed);
  IntList strides = perAxis(a, "stride", axes, 1);
  std::optional<IntList> pads = onnxPads(n, in[1].type, axes);
  if (!pads)
    return {w.refuse(n.output(0).type(), std::string(kOpenKernel))};
  bool isDense = std::all_of(strides.begin(), strides.end(), [](int64_t s) { return s == 1; });
  OnnxAttributes attributes = {{"strides", strides},
                               {"dilations", perAxis(a, "dilation", axes, 1)},
                               {"group", a.integer("groups")}};
  if (isDense)
    attributes.push_back({"pads", *pads});
  IntList open(size_t(rank), kDynamic);
  open[0] = type.extent(0), open[1] = type.extent(1);
  Value result = w.node("ConvTranspose", {w.as(in[0], computed), w.as(in[1], computed)},
                        isDense ? type : type.withShape(open), attributes);
  if (!isDense) {
    IntList widths(2 * size_t(rank), 0), from, spatial;
    for (int k = 0; k < axes; ++k) {
      widths[size_t(rank) + 2 + size_t(k)] = strides[size_t(k)] - 1;
      from.push_back((*pads)[size_t(k)]);
      spatial.push_back(2 + k);
    }
    Value padded = w.node("Pad", {result, OnnxWriter::ints(widths)}, type.withShape(open));
    Value tail = w.node("Slice", {in[2], OnnxWriter::ints({2}), OnnxWriter::ints({rank})},
                        Type(DType::Int64, {axes}));
    Value to = w.node("Add", {w.as(tail, DType::Int64), OnnxWriter::ints(from)},
                      Type(DType::Int64, {axes}));
    result = w.node("Slice", {padded, OnnxWriter::ints(from), to, OnnxWriter::ints(spatial)}, type);
  }
  return {wrapped(w, result, dtype)};
}

/// A convolution whose batch are the channels of a group and whose channels are the batch: strides
/// and dilations change places.
Vs composeKernelGradient(const Apply &n) {
  const Attributes &a = n.op().attributes();
  V x = n.input(0), g = n.input(1), wanted = n.input(2);
  int rank = x.rank(), axes = rank - 2;
  int64_t groups = a.integer("groups");
  std::vector<int> swap = {1, 0};
  for (int axis = 2; axis < rank; ++axis)
    swap.push_back(axis);
  V rows = dimshuffle(x, swap);
  if (groups != 1) {
    // [batch, groups, channels of one, ...] to [channels of one, groups * batch, ...].
    V perGroup = intDiv(shape(x, 1), Operand(groups));
    std::vector<Operand> split = {shape(x, 0), Operand(groups), perGroup};
    std::vector<Operand> joined = {perGroup, mul(shape(x, 0), Operand(groups))};
    std::vector<int> order = {2, 1, 0};
    for (int axis = 2; axis < rank; ++axis) {
      split.push_back(shape(x, axis));
      joined.push_back(shape(x, axis));
      order.push_back(axis + 1);
    }
    rows =
        reshape(dimshuffle(reshape(x, ShapeList(stack(split))), order), ShapeList(stack(joined)));
  }
  Type kernel = n.output(0).type();
  std::optional<IntList> pads = onnxPads(n, kernel, axes);
  if (!pads)
    return {Variable::invalid(makeError(ErrorKind::NotSupported, kOpenKernel))};
  IntList padding;
  for (int k = 0; k < axes; ++k) {
    padding.push_back((*pads)[size_t(k)]);
    padding.push_back((*pads)[size_t(axes) + size_t(k)]);
  }
  V sums = likeNode(n, "conv" + std::to_string(axes) + "d", {rows, dimshuffle(g, swap)},
                    {{"stride", perAxis(a, "dilation", axes, 1)},
                     {"dilation", perAxis(a, "stride", axes, 1)},
                     {"padding", padding},
                     {"border", std::string("explicit")},
                     {"filterFlip", false}});
  V result = dimshuffle(sums, swap);
  // What the last windows leave of the operand gives positions that no kernel has.
  for (int axis = 2; axis < rank; ++axis)
    result = sliceAlong(result, axis, Slice(0, subtensor(wanted, {Index(axis)})));
  return {isReversed(n) ? reversed(result) : result};
}

} // namespace

absl::Span<const ExportRule> productExports() {
  static constexpr ExportRule kTable[] = {
      composed("dot", composeDot),
      written("matmul", writeMatmul, onBools),
      written("batchedDot", writeBatchedDot, onBools),
      written("tensordot", writeTensordot, onBools),
      composed("outer", composeOuter),
      written("conv1d", writeConv, composeConv),
      written("conv2d", writeConv, composeConv),
      written("conv3d", writeConv, composeConv),
      written("convInputGradient", writeInputGradient, composeInputGradient),
      composed("convKernelGradient", composeKernelGradient),
      onElements("det", "Det", kRealFloats),
  };
  return kTable;
}

} // namespace graphc
