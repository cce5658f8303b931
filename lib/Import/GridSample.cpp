//===- GridSample.cpp - pictures at given positions ---------------------------===//
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Ops/Pictures.h"

namespace graphc {
namespace {

struct Sampling {
  bool alignCorners;
  std::string padding;
};

/// Grid numbers -1 to 1 as positions along an axis of this extent (f64, 0-d).
Variable positionsOf(OnnxNode &n, const Sampling &s, const Variable &grid, const Variable &extent) {
  Variable one = n.scalar(1, grid.dtype()), half = n.scalar(0.5, grid.dtype());
  Variable centred = mul(n.at(add(n.at(grid), one)), half);
  if (s.alignCorners)
    return mul(n.at(centred), sub(n.at(extent), one));
  return sub(n.at(mul(n.at(centred), extent)), half);
}

/// Mirrored at the ends: those of the pixels, or with alignCorners the middle of the first and
/// last.
Variable reflected(OnnxNode &n, const Sampling &s, const Variable &at, const Variable &extent) {
  Variable half = n.scalar(0.5, at.dtype()), one = n.scalar(1, at.dtype());
  Variable low = s.alignCorners ? n.scalar(0, at.dtype()) : n.scalar(-0.5, at.dtype());
  Variable span = s.alignCorners ? sub(n.at(extent), one) : extent;
  Variable safe = maximum(n.at(span), s.alignCorners ? half : one);
  Variable twice = mul(n.at(safe), n.scalar(2, at.dtype()));
  Variable k = mod(n.at(sub(n.at(at), low)), twice);
  return add(n.at(minimum(n.at(k), sub(n.at(twice), k))), low);
}

/// Of [n, …] the same beside each channel.
Variable besideChannels(OnnxNode &n, const Variable &v) {
  std::vector<int> order = {0, -1};
  for (int axis = 1; axis < v.rank(); ++axis)
    order.push_back(axis);
  return dimshuffle(n.at(v), order);
}

/// x[n, c, at[0], at[1], …] for f64 positions [n, …], which may lie outside.
Variable elements(OnnxNode &n, const Sampling &s, const Variable &x, const Variables &at) {
  const int rank = x.rank();
  Variable zero = n.scalar(0, DType::Float64), one = n.scalar(1, DType::Float64), inside;
  // A position in the flattened x.
  Variable batch = mul(n.at(positionsAlong(n, extentTerm(n, x, 0), 0, rank)), shape(n.at(x), 1));
  Variable flat = add(n.at(batch), positionsAlong(n, extentTerm(n, x, 1), 1, rank));
  for (size_t k = 0; k < at.size(); ++k) {
    Variable extent = shape(n.at(x), int(k) + 2), size = cast(n.at(extent), DType::Float64);
    Variable own = logicalAnd(n.at(ge(n.at(at[k]), zero)), lt(n.at(at[k]), size));
    inside = inside.ok() ? logicalAnd(n.at(inside), own) : own;
    Variable place = s.padding == "reflection" ? reflected(n, s, at[k], size) : at[k];
    place = clip(n.at(place), zero, sub(n.at(size), one));
    flat = add(n.at(mul(n.at(flat), extent)), besideChannels(n, cast(n.at(place), DType::Int64)));
  }
  Variable value = take(n.at(x), flat);
  if (s.padding != "zeros")
    return value;
  return where(n.at(besideChannels(n, inside)), value, n.scalar(0, x.dtype()));
}

Variables gridSample(OnnxNode &n) {
  Variable x = n.in(0), grid = n.in(1);
  if (!x.ok() || !grid.ok() || x.rank() < 3 || grid.rank() != x.rank())
    return {n.fail(ErrorKind::TypeError, "the operand and the grid must have one rank, at least "
                                         "3: " +
                                             x.type().brief() + " and " + grid.type().brief())};
  const size_t axes = size_t(x.rank() - 2);
  std::string mode = n.getString("mode", n.opset() < 20 ? "bilinear" : "linear");
  Sampling s{n.getBool("align_corners", false), n.getString("padding_mode", "zeros")};
  bool linear = mode == "bilinear" || mode == "linear",
       cubic = mode == "bicubic" || mode == "cubic";
  bool knownPadding = s.padding == "zeros" || s.padding == "border" || s.padding == "reflection";
  if ((!linear && !cubic && mode != "nearest") || !knownPadding || !isFloat(x.dtype()))
    return {n.unsupported("mode '" + mode + "', padding '" + s.padding + "' of " +
                          std::string(dtypeName(x.dtype())))};
  // The grid's last axis names the last axis of x first.
  Variables at;
  for (size_t k = 0; k < axes; ++k) {
    std::vector<Index> own = {ellipsis, Index(int64_t(axes - 1 - k))};
    Variable numbers = cast(n.at(subtensor(n.at(grid), own)), DType::Float64);
    at.push_back(
        positionsOf(n, s, numbers, cast(n.at(shape(n.at(x), int(k) + 2)), DType::Float64)));
  }
  if (mode == "nearest") {
    for (Variable &place : at)
      place = roundHalfToEven(n.at(place));
    return {elements(n, s, x, at)};
  }
  // The neighbours along each axis, all with all others of the other axes.
  std::vector<Variables> places(axes), weights(axes);
  for (size_t k = 0; k < axes; ++k) {
    Variable below = floor(n.at(at[k])), f = sub(n.at(at[k]), below);
    weights[k] = linear ? linearWeights(f) : cubicWeights(f, -0.75);
    for (size_t i = 0; i < weights[k].size(); ++i)
      places[k].push_back(add(n.at(below), n.scalar(double(i) - (linear ? 0 : 1), DType::Float64)));
  }
  const size_t taps = linear ? 2 : 4;
  size_t all = 1;
  for (size_t k = 0; k < axes; ++k)
    all *= taps;
  Variable result;
  for (size_t number = 0; number < all; ++number) {
    Variables place(axes);
    Variable weight;
    for (size_t k = axes, rest = number; k-- > 0; rest /= taps) {
      place[k] = places[k][rest % taps];
      const Variable &own = weights[k][rest % taps];
      weight = weight.ok() ? mul(n.at(own), weight) : own;
    }
    Variable part =
        mul(n.at(elements(n, s, x, place)), besideChannels(n, cast(n.at(weight), x.dtype())));
    result = result.ok() ? add(n.at(result), part) : part;
  }
  return {result};
}

} // namespace

absl::Span<const Translation> gridSampleTranslations() {
  static constexpr Translation kTable[] = {
      {"GridSample", gridSample, 16, "floats"},
  };
  return kTable;
}

} // namespace graphc
