//===- GridSample.cpp - pictures at given positions ---------------------------===//
#include "Import/Interpolation.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

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

/// x[n, c, row, column] for f64 rows and columns [n, h, w], which may lie outside.
Variable pixels(OnnxNode &n, const Sampling &s, const Variable &x, Variable row, Variable column) {
  Variable rows = cast(n.at(shape(n.at(x), 2)), row.dtype());
  Variable columns = cast(n.at(shape(n.at(x), 3)), row.dtype());
  Variable zero = n.scalar(0, row.dtype());
  Variable inside = logicalAnd(n.at(logicalAnd(n.at(ge(n.at(row), zero)), lt(n.at(row), rows))),
                               logicalAnd(n.at(ge(n.at(column), zero)), lt(n.at(column), columns)));
  if (s.padding == "reflection") {
    row = reflected(n, s, row, rows);
    column = reflected(n, s, column, columns);
  }
  Variable one = n.scalar(1, row.dtype());
  row = clip(n.at(row), zero, sub(n.at(rows), one));
  column = clip(n.at(column), zero, sub(n.at(columns), one));
  // [n, 1, h, w], and with the batch and channel in front a position in the flattened x.
  auto spread = [&](const Variable &v) {
    return dimshuffle(n.at(cast(n.at(v), DType::Int64)), {0, -1, 1, 2});
  };
  Variable width = shape(n.at(x), 3), height = shape(n.at(x), 2);
  Variable batch = mul(n.at(positionsAlong(n, extentTerm(n, x, 0), 0, 4)), shape(n.at(x), 1));
  Variable plane = add(n.at(batch), positionsAlong(n, extentTerm(n, x, 1), 1, 4));
  Variable line = add(n.at(mul(n.at(plane), height)), spread(row));
  Variable value = take(n.at(x), add(n.at(mul(n.at(line), width)), spread(column)));
  if (s.padding != "zeros")
    return value;
  return where(n.at(dimshuffle(n.at(inside), {0, -1, 1, 2})), value, n.scalar(0, x.dtype()));
}

Variables gridSample(OnnxNode &n) {
  Variable x = n.in(0), grid = n.in(1);
  if (!x.ok() || !grid.ok() || x.rank() != 4 || grid.rank() != 4)
    return {n.unsupported("an operand that is no batch of pictures: " + x.type().brief())};
  std::string mode = n.getString("mode", n.opset() < 20 ? "bilinear" : "linear");
  Sampling s{n.getBool("align_corners", false), n.getString("padding_mode", "zeros")};
  bool linear = mode == "bilinear" || mode == "linear",
       cubic = mode == "bicubic" || mode == "cubic";
  bool knownPadding = s.padding == "zeros" || s.padding == "border" || s.padding == "reflection";
  if ((!linear && !cubic && mode != "nearest") || !knownPadding || !isFloat(x.dtype()))
    return {n.unsupported("mode '" + mode + "', padding '" + s.padding + "' of " +
                          std::string(dtypeName(x.dtype())))};
  auto coordinate = [&](int64_t which, int axis) {
    Variable numbers = cast(n.at(subtensor(n.at(grid), {ellipsis, Index(which)})), DType::Float64);
    return positionsOf(n, s, numbers, cast(n.at(shape(n.at(x), axis)), DType::Float64));
  };
  Variable column = coordinate(0, 3), row = coordinate(1, 2);
  if (mode == "nearest")
    return {pixels(n, s, x, roundHalfToEven(n.at(row)), roundHalfToEven(n.at(column)))};
  auto weightsOf = [&](const Variable &f) {
    return linear ? linearWeights(n, f) : cubicWeights(n, f, -0.75);
  };
  Variable top = floor(n.at(row)), left = floor(n.at(column));
  Variables down = weightsOf(sub(n.at(row), top)), across = weightsOf(sub(n.at(column), left));
  int first = linear ? 0 : -1;
  Variable result;
  for (size_t i = 0; i < down.size(); ++i)
    for (size_t j = 0; j < across.size(); ++j) {
      Variable r = add(n.at(top), n.scalar(first + int(i), DType::Float64));
      Variable c = add(n.at(left), n.scalar(first + int(j), DType::Float64));
      Variable both = cast(n.at(mul(n.at(down[i]), across[j])), x.dtype());
      Variable part = mul(n.at(pixels(n, s, x, r, c)), dimshuffle(n.at(both), {0, -1, 1, 2}));
      result = result.ok() ? add(n.at(result), part) : part;
    }
  return {result};
}

} // namespace

absl::Span<const Translation> gridSampleTranslations() {
  static constexpr Translation kTable[] = {
      {"GridSample", gridSample, 16, "pictures (rank 4) of floats"},
  };
  return kTable;
}

} // namespace graphc
