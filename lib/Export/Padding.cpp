//===- Padding.cpp - wider arrays ----------------------------------------------===//
#include <algorithm>

#include "Export/ExportRules.h"
#include "Ops/Build.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

/// Where the positions of an axis of extent n, extended by `front` and `back`, come from.
V sourceOf(const std::string &mode, const V &n, int64_t front, int64_t back) {
  V position = sub(arange(add(n, Operand(front + back))), Operand(front)), last = sub(n, 1);
  if (mode == "edge")
    return maximum(minimum(position, last), 0);
  if (mode == "wrap")
    return mod(position, n);
  bool repeats = mode == "symmetric"; // the ends
  V period = repeats ? mul(n, 2) : maximum(mul(last, 2), 1);
  V k = mod(position, period);
  return minimum(k, repeats ? sub(sub(period, 1), k) : sub(period, k));
}

std::pair<int64_t, int64_t> widthsOf(const Apply &n, int axis) {
  const IntList &widths = n.op().attributes().ints("widths");
  return {widths[2 * size_t(axis)], widths[2 * size_t(axis) + 1]};
}

/// x with its axis repeated `count` times, which had extent 1.
V repeated(const V &x, int axis, int64_t count) {
  std::vector<Operand> to;
  for (int k = 0; k < x.rank(); ++k)
    to.push_back(k == axis ? Operand(count) : Operand(shape(x, k)));
  return broadcastTo(x, ShapeList(stack(to)));
}

V statisticOf(const std::string &mode, const V &x, int axis) {
  ReductionOptions options{.axes = Axis(axis), .keepDims = true};
  if (mode == "maximum")
    return max(x, options);
  if (mode == "minimum")
    return min(x, options);
  bool isHalf = isFloat(x.dtype()) && bitWidth(x.dtype()) == 16;
  V middle = mean(isFloat(x.dtype()) && !isHalf ? x
                  : isHalf                      ? cast(x, DType::Float32)
                                                : cast(x, DType::Float64),
                  options);
  bool rounds = isInteger(x.dtype());
  return cast(rounds ? round(middle) : middle, x.dtype());
}

/// From `outer` at the very end to the edge of x.
V rampTo(const Apply &n, const V &x, int axis, int64_t count, bool isFront) {
  V edge = cast(sliceAlong(x, axis, isFront ? Slice(0, 1) : Slice(-1, kEnd)), DType::Float64);
  V outer = n.numInputs() > 1 ? cast(cast(n.input(1), x.dtype()), DType::Float64)
                              : V(constant(Tensor(0.0)));
  V k = cast(positionsAlong(constant(Tensor(count)), axis, x.rank()), DType::Float64);
  V share = trueDiv(isFront ? k : sub(double(count - 1), k), double(count));
  V value = add(outer, mul(sub(edge, outer), share));
  return cast(isFloat(x.dtype()) ? value : floor(value), x.dtype());
}

Vs composePad(const Apply &n) {
  const std::string &mode = n.op().attributes().string("mode");
  V x = n.input(0);
  if (mode == "constant" || mode == "edge")
    return {};
  bool moves = mode == "reflect" || mode == "symmetric" || mode == "wrap";
  for (int axis = 0; axis < n.input(0).rank(); ++axis) {
    auto [front, back] = widthsOf(n, axis);
    if (!front && !back)
      continue;
    if (moves) {
      x = take(x, sourceOf(mode, shape(x, axis), front, back), TakeOptions{.axis = axis});
      continue;
    }
    bool isRamp = mode == "linear_ramp";
    V same = isRamp ? V() : statisticOf(mode, x, axis);
    Variables parts;
    if (front)
      parts.push_back(isRamp ? rampTo(n, x, axis, front, true) : repeated(same, axis, front));
    parts.push_back(x);
    if (back)
      parts.push_back(isRamp ? rampTo(n, x, axis, back, false) : repeated(same, axis, back));
    x = concatenate(parts, axis);
  }
  return {x};
}
Values writePad(OnnxWriter &w, const Apply &n, const Values &in) {
  const Attributes &attributes = n.op().attributes();
  IntList pads;
  for (bool isBack : {false, true})
    for (int axis = 0; axis < in[0].rank(); ++axis) {
      auto [front, back] = widthsOf(n, axis);
      pads.push_back(isBack ? back : front);
    }
  Values inputs = {in[0], OnnxWriter::ints(pads)};
  if (in.size() > 1)
    inputs.push_back(w.as(in[1], in[0].dtype()));
  return {w.node("Pad", inputs, n.output(0).type(), {{"mode", attributes.string("mode")}})};
}

/// Each element's sum over its copies, axis by axis.
Vs composeFold(const Apply &n) {
  const std::string &mode = n.op().attributes().string("mode");
  V g = operand(n, 0), wanted = cast(n.input(1), DType::Int64);
  for (int axis = 0; axis < g.rank(); ++axis) {
    auto [front, back] = widthsOf(n, axis);
    if (!front && !back)
      continue;
    V extent = subtensor(wanted, {Index(axis)});
    std::vector<Operand> to;
    for (int k = 0; k < g.rank(); ++k)
      to.push_back(k == axis ? Operand(extent) : Operand(shape(g, k)));
    V zeros = broadcastTo(literal(0, g), ShapeList(stack(to)));
    g = incTake(zeros, sourceOf(mode, extent, front, back), g, TakeOptions{.axis = axis});
  }
  return {g};
}

} // namespace

absl::Span<const ExportRule> paddingExports() {
  static constexpr ExportRule kTable[] = {
      written("pad", writePad, composePad),
      composed("padFold", composeFold),
  };
  return kTable;
}

} // namespace graphc
