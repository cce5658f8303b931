//===- Regions.cpp - parts of pictures pooled: RoiAlign, MaxRoiPool ----------===//
#include <cmath>

#include "Import/Translations.h"
#include "Import/Widening.h"
#include "graphc/Indexing.h"

namespace graphc {
namespace {

Variable real(OnnxNode &n, double value) { return n.scalar(value, DType::Float64); }
Variable real(OnnxNode &n, const Operand &term) {
  return cast(n.at(wholeNumber(n, term)), DType::Float64);
}

/// Numbers 0, 1, … along an axis of `rank`, f64.
Variable counted(OnnxNode &n, const Operand &count, int axis, int rank) {
  return cast(n.at(positionsAlong(n, count, axis, rank)), DType::Float64);
}

/// Where one axis of each region is looked at: [regions, bins, samples].
struct Samples {
  Variable at;    // f64
  Variable count; // of each region: [regions, 1, 1], f64
  Variable valid; // samples that the region has; none if all have the same
};

/// `begin` and `length` of the regions along the axis, which is split into `bins`.
Samples samplesOf(OnnxNode &n, const Variable &begin, const Variable &length, int64_t bins,
                  int64_t ratio) {
  auto beside = [&](const Variable &v) { return dimshuffle(n.at(v), {0, -1, -1}); };
  Variable bin = trueDiv(n.at(length), real(n, double(bins)));
  Samples s;
  Operand most(ratio);
  if (ratio > 0) {
    s.count = real(n, double(ratio));
  } else {
    Variable own = maximum(n.at(ceil(n.at(bin))), real(n, 0));
    s.count = beside(own);
    // As many as the largest region has; 0 of no regions.
    Variable counts = concatenate({stack({real(n, 0)}), own});
    most = n.at(cast(n.at(max(n.at(counts))), DType::Int64));
  }
  Variable sample = counted(n, most, 2, 3), number = counted(n, Operand(bins), 1, 3);
  if (ratio <= 0)
    s.valid = lt(n.at(sample), s.count);
  Variable part =
      trueDiv(n.at(add(n.at(sample), real(n, 0.5))), maximum(n.at(s.count), real(n, 1)));
  s.at = add(n.at(beside(begin)), mul(n.at(beside(bin)), add(n.at(number), part)));
  return s;
}

/// The two neighbours of each sample in an axis of `extent`, and their weights, 0 outside.
struct Neighbours {
  Variable index[2], weight[2];
};

Neighbours neighboursOf(OnnxNode &n, const Variable &at, const Operand &extent) {
  Variable size = real(n, extent), last = sub(n.at(size), real(n, 1));
  Variable inside = logicalAnd(n.at(ge(n.at(at), real(n, -1))), le(n.at(at), size));
  Variable point = clip(n.at(at), real(n, 0), last), low = floor(n.at(point));
  Variable rest = sub(n.at(point), low);
  Neighbours result;
  result.index[0] = cast(n.at(low), DType::Int64);
  result.index[1] = cast(n.at(minimum(n.at(add(n.at(low), real(n, 1))), last)), DType::Int64);
  auto weight = [&](const Variable &w) { return where(n.at(inside), w, real(n, 0)); };
  result.weight[0] = weight(sub(n.at(real(n, 1)), rest));
  result.weight[1] = weight(rest);
  return result;
}

/// Rows of an axis as [regions, bins, samples, 1, 1], columns as [regions, 1, 1, bins, samples].
Variable asRows(OnnxNode &n, const Variable &v) { return dimshuffle(n.at(v), {0, 1, 2, -1, -1}); }
Variable asColumns(OnnxNode &n, const Variable &v) {
  return dimshuffle(n.at(v), {0, -1, -1, 1, 2});
}

struct Region {
  Variable left, top, width, height; // f64, [regions]
};

Region regionsOf(OnnxNode &n, const Variable &rois, bool halfPixel) {
  Variable scale = real(n, n.getFloat("spatial_scale", 1));
  auto number = [&](int64_t k) {
    Variable v = cast(n.at(subtensor(n.at(rois), {Slice(), Index(k)})), DType::Float64);
    return sub(n.at(mul(n.at(v), scale)), real(n, halfPixel ? 0.5 : 0));
  };
  Region r{number(0), number(1), {}, {}};
  r.width = sub(n.at(number(2)), r.left);
  r.height = sub(n.at(number(3)), r.top);
  if (!halfPixel) {
    r.width = maximum(n.at(r.width), real(n, 1));
    r.height = maximum(n.at(r.height), real(n, 1));
  }
  return r;
}

/// Pictures [batch, channels, height, width] and regions [regions, numbers] of them.
bool areRegions(OnnxNode &n, const Variable &x, const Variable &rois) {
  if (x.ok() && rois.ok() && x.rank() == 4 && rois.rank() == 2 && isFloat(x.dtype()))
    return true;
  n.fail(ErrorKind::TypeError, "X must be pictures of floats, of rank 4, and rois a matrix: " +
                                   x.type().brief() + " and " + rois.type().brief());
  return false;
}

/// Means, or greatest ones, of samples between the pixels. In the mode max each neighbour's value
/// counts times its weight, as ONNX's text and onnxruntime have it.
Variables roiAlign(OnnxNode &n) {
  Variable x = n.in(0), rois = n.in(1);
  if (!n.status().ok() || !areRegions(n, x, rois))
    return {};
  std::string mode = n.getString("mode", "avg");
  // Before set 16 regions are not moved by half a pixel.
  std::string coordinates = n.getString("coordinate_transformation_mode",
                                        n.opset() < 16 ? "output_half_pixel" : "half_pixel");
  int64_t rows = n.getSmallInt("output_height", 1), columns = n.getSmallInt("output_width", 1),
          ratio = n.getSmallInt("sampling_ratio", 0);
  if (mode != "avg" && mode != "max")
    n.fail(ErrorKind::ValueError, "attribute mode is '" + mode + "'");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    n.fail(ErrorKind::ValueError,
           "attribute coordinate_transformation_mode is '" + coordinates + "'");
  if (rows < 1 || columns < 1)
    n.fail(ErrorKind::ValueError, "output_height and output_width must be positive");
  if (!n.status().ok())
    return {};
  Region region = regionsOf(n, rois, coordinates == "half_pixel");
  Samples down = samplesOf(n, region.top, region.height, rows, ratio),
          across = samplesOf(n, region.left, region.width, columns, ratio);
  Operand height = extentTerm(n, x, 2), width = extentTerm(n, x, 3);
  Neighbours row = neighboursOf(n, down.at, height), column = neighboursOf(n, across.at, width);

  // Pixels as rows of channels.
  Terms flat = {product(n, product(n, extentTerm(n, x, 0), height), width), extentTerm(n, x, 1)};
  Variable pixels = reshape(n.at(transpose(n.at(x), {0, 2, 3, 1})), shapeOf(n, flat));
  Variable batch = dimshuffle(n.at(cast(n.arg(2), DType::Int64)), {0, -1, -1, -1, -1});
  ShapeList extents = shapeOf(n, {extentTerm(n, x, 0), height, width});
  const bool isMax = mode == "max";
  Variable result;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      Variable position = ravelMultiIndex(
          {n.at(batch), n.at(asRows(n, row.index[i])), n.at(asColumns(n, column.index[j]))},
          extents);
      Variable weight = mul(n.at(asRows(n, row.weight[i])), asColumns(n, column.weight[j]));
      Variable value = mul(n.at(take(n.at(pixels), position, {.axis = 0})),
                           expandDims(n.at(cast(n.at(weight), x.dtype())), Axis(-1)));
      if (!result.ok())
        result = value;
      else
        result = isMax ? maximum(n.at(result), value) : add(n.at(result), value);
    }
  // [regions, rows, samples, columns, samples, channels]
  ReductionOptions overSamples{.axes = Axes{2, 4}};
  Variable none = n.scalar(0, x.dtype());
  Variable count = mul(n.at(down.count), across.count);
  if (down.valid.ok()) {
    Variable valid = logicalAnd(n.at(asRows(n, down.valid)), asColumns(n, across.valid));
    Variable left = isMax ? n.scalar(-HUGE_VAL, x.dtype()) : none;
    result = where(n.at(expandDims(n.at(valid), Axis(-1))), result, left);
    count = dimshuffle(n.at(count), {0, 1, 2, -1});
  }
  if (isMax) {
    // Of an axis without samples there is no greatest one: one more that never counts.
    Variable least = n.scalar(-HUGE_VAL, x.dtype());
    std::vector<std::pair<int, int>> more(6, {0, 0});
    more[2].second = more[4].second = down.valid.ok() ? 1 : 0;
    result = max(n.at(pad(n.at(result), more, PadOptions{.value = Operand(least)})), overSamples);
    if (down.valid.ok())
      result = where(n.at(gt(n.at(count), real(n, 0))), result, none);
  } else {
    result = sum(n.at(result), overSamples);
    result = trueDiv(n.at(result), cast(n.at(maximum(n.at(count), real(n, 1))), x.dtype()));
  }
  return {transpose(n.at(cast(n.at(result), x.dtype())), {0, 3, 1, 2})};
}

/// Which positions of an axis of `extent` are in each bin: [regions, bins, extent].
Variable inBins(OnnxNode &n, const Variable &begin, const Variable &end, int64_t bins,
                const Operand &extent) {
  auto beside = [&](const Variable &v) { return dimshuffle(n.at(v), {0, -1, -1}); };
  Variable one = real(n, 1);
  Variable length = maximum(n.at(add(n.at(sub(n.at(end), begin)), one)), one);
  Variable bin = trueDiv(n.at(beside(length)), real(n, double(bins)));
  Variable number = counted(n, Operand(bins), 1, 3), at = counted(n, extent, 2, 3);
  Variable first = add(n.at(floor(n.at(mul(n.at(number), bin)))), beside(begin));
  Variable next = add(n.at(number), one);
  Variable stop = add(n.at(ceil(n.at(mul(n.at(next), bin)))), beside(begin));
  return logicalAnd(n.at(ge(n.at(at), first)), lt(n.at(at), stop));
}

/// The greatest pixel of each bin of regions whose edges are rounded; 0 of none.
Variables maxRoiPool(OnnxNode &n) {
  Variable x = n.in(0), rois = n.in(1);
  if (!n.status().ok() || !areRegions(n, x, rois))
    return {};
  Ints bins = n.getInts("pooled_shape").value_or(Ints());
  if (bins.size() != 2 || bins[0] < 1 || bins[1] < 1)
    return {n.fail(ErrorKind::ValueError, "attribute pooled_shape must be two positive numbers")};
  Variable scale = real(n, n.getFloat("spatial_scale", 1));
  auto edge = [&](int64_t k) {
    Variable v = cast(n.at(subtensor(n.at(rois), {Slice(), Index(k)})), DType::Float64);
    return roundHalfAwayFromZero(n.at(mul(n.at(v), scale)));
  };
  Variable rows = inBins(n, edge(2), edge(4), bins[0], extentTerm(n, x, 2)),
           columns = inBins(n, edge(1), edge(3), bins[1], extentTerm(n, x, 3));
  Variable batch = cast(n.at(subtensor(n.at(rois), {Slice(), Index(0)})), DType::Int64);
  Variable pictures = take(n.at(x), batch, {.axis = 0}), least = n.scalar(-HUGE_VAL, x.dtype());
  // [regions, channels, height, bins, width], then [regions, channels, bins, bins, height].
  Variable wide = where(n.at(dimshuffle(n.at(columns), {0, -1, -1, 1, 2})),
                        dimshuffle(n.at(pictures), {0, 1, 2, -1, 3}), least);
  Variable across = dimshuffle(n.at(max(n.at(wide), Axis(-1))), {0, 1, -1, 3, 2});
  Variable down =
      max(n.at(where(n.at(dimshuffle(n.at(rows), {0, -1, 1, -1, 2})), across, least)), Axis(-1));
  return {where(n.at(eq(n.at(down), least)), n.scalar(0, x.dtype()), down)};
}

} // namespace

absl::Span<const Translation> regionTranslations() {
  static constexpr Translation kTable[] = {
      {"MaxRoiPool", maxRoiPool, 1, "time: regions times the pictures' pixels"},
      {"RoiAlign", roiAlign, 10},
  };
  return kTable;
}

} // namespace graphc
