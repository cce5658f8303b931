//===- Spatial.cpp - AffineGrid, CenterCropPad, Col2Im, DeformConv -----------===//
#include <numeric>

#include "Import/PerAxis.h"
#include "Import/Translations.h"
#include "Import/Widening.h"
#include "Import/Window.h"
#include "graphc/Indexing.h"

namespace graphc {
namespace {

//===--- AffineGrid -----------------------------------------------------------------===//

/// Where the middles of an axis' elements lie between -1 and 1; with `corners` the first is at -1
/// and the last at 1.
Variable gridCoordinates(OnnxNode &n, const Operand &extent, DType dtype, bool corners) {
  Variable size = cast(n.at(wholeNumber(n, extent)), dtype), one = n.scalar(1, dtype);
  Variable twice = cast(n.at(mul(n.at(positionsAlong(n, extent, 0, 1)), 2)), dtype);
  if (corners)
    return sub(n.at(trueDiv(n.at(twice), maximum(n.at(sub(n.at(size), one)), one))), one);
  return sub(n.at(trueDiv(n.at(add(n.at(twice), one)), size)), one);
}

/// theta [batch, axes, axes + 1] times the coordinates (x, y, z, 1) of each element.
Variables affineGrid(OnnxNode &n) {
  Variable theta = n.in(0);
  // theta has a row for each spatial axis, and a column more.
  std::optional<int64_t> length;
  for (int axis : {1, 2})
    for (int64_t axes : {2, 3}) // others are no lengths to believe: what is wrong is said below
      if (theta.ok() && theta.rank() == 3 && !length &&
          theta.type().extent(axis) == axes + axis - 1)
        length = axes + 2;
  Terms size = vectorTerms(n, 1, length ? length : std::optional<int64_t>(n.declaredRank(0)));
  if (!n.status().ok())
    return {};
  const int axes = int(size.size()) - 2;
  if (theta.rank() != 3 || (axes != 2 && axes != 3))
    return {n.fail(ErrorKind::ValueError,
                   "theta must have rank 3 and size 4 or 5 numbers: " + theta.type().brief() +
                       " and " + std::to_string(size.size()))};
  const bool corners = n.getBool("align_corners", false);
  const int rank = axes + 2;
  // Of one row of theta: [batch, 1..., axes + 1].
  Variable result;
  for (int k = 0; k <= axes; ++k) {
    Variable column = subtensor(n.at(theta), {Slice(), Slice(), Index(k)});
    std::vector<int> order(size_t(rank), -1);
    order.front() = 0;
    order.back() = 1;
    Variable part = dimshuffle(n.at(column), order);
    if (k < axes) {
      // x belongs to the last axis.
      int axis = axes - k;
      Variable at = gridCoordinates(n, size[size_t(axis + 1)], theta.dtype(), corners);
      part = mul(n.at(part), dimshuffle(n.at(at), orderAlong(axis, rank)));
    }
    result = result.ok() ? add(n.at(result), part) : part;
  }
  return {result};
}

//===--- CenterCropPad ----------------------------------------------------------------===//

Variables centerCropPad(OnnxNode &n) {
  Variable x = n.in(0);
  std::optional<Ints> named = n.getInts("axes");
  Terms wanted = vectorTerms(n, 1, named ? int64_t(named->size()) : int64_t(x.rank()));
  Ints axes(wanted.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = named.value_or(axes);
  std::vector<int> plain = n.plainAxes(axes, x.rank());
  if (n.status().ok() && axes.size() != wanted.size())
    return {n.fail(ErrorKind::ValueError, std::to_string(wanted.size()) + " extents for " +
                                              std::to_string(axes.size()) + " axes")};
  if (!n.status().ok())
    return {};
  Widths widths(x.rank());
  for (size_t k = 0; k < plain.size(); ++k) {
    Operand own = extentTerm(n, x, plain[k]);
    Operand &front = widths.front[size_t(plain[k])], &back = widths.back[size_t(plain[k])];
    if (isNumber(own) && isNumber(wanted[k])) {
      int64_t more = 0;
      if (__builtin_sub_overflow(wanted[k].weakValue().item<int64_t>(),
                                 own.weakValue().item<int64_t>(), &more))
        return {n.fail(ErrorKind::ValueError, "an extent is out of range")};
      front = Operand(more / 2); // cut off or added, the odd element is at the back
      back = Operand(more - more / 2);
      continue;
    }
    Variable more = sub(n.at(wholeNumber(n, wanted[k])), wholeNumber(n, own));
    Variable half = mul(n.at(intDiv(n.at(abs(n.at(more))), 2)), sgn(n.at(more)));
    front = n.at(half);
    back = n.at(sub(n.at(more), half));
  }
  return {widened(n, x, widths, {})};
}

//===--- Col2Im ------------------------------------------------------------------------===//

Variable plus(OnnxNode &n, const Operand &a, int64_t b) { return add(n.at(wholeNumber(n, a)), b); }

/// Blocks [batch, channels * block, blocks] added up where they lie in a picture: positions in the
/// padded picture of each element of each block.
Variables col2Im(OnnxNode &n) {
  Variable x = n.in(0);
  // A number for each spatial axis; the attributes have as many, and `pads` two for each.
  std::optional<int64_t> length = commonLength(n, {1, 2});
  for (auto [name, each] :
       {std::pair("strides", 1), std::pair("dilations", 1), std::pair("pads", 2)})
    if (std::optional<Ints> list = n.getInts(name); list && !length)
      length = int64_t(list->size()) / each;
  if (std::optional<int> rank = n.declaredRank(0); rank && *rank >= 2 && !length)
    length = *rank - 2;
  Terms image = vectorTerms(n, 1, length), block = vectorTerms(n, 2, length);
  const int axes = int(image.size());
  if (n.status().ok() && (x.rank() != 3 || block.size() != image.size() || axes < 1))
    return {n.fail(ErrorKind::ValueError,
                   "image_shape and block_shape must be as long as each other, and the operand of "
                   "rank 3: " +
                       x.type().brief())};
  std::vector<int> stride = perAxis(n, "strides", axes), dilation = perAxis(n, "dilations", axes);
  std::vector<std::pair<int, int>> pads = padsAttribute(n, axes);
  for (int k = 0; k < axes; ++k)
    if (stride[size_t(k)] < 1 || dilation[size_t(k)] < 1)
      n.fail(ErrorKind::ValueError, "windows, strides and dilations must be positive");
  if (!n.status().ok())
    return {};
  // [block 0, block 1, …, blocks 0, blocks 1, …]
  std::vector<Operand> coordinates;
  Terms whole = {extentTerm(n, x, 0), Operand(int64_t(-1))};
  Terms padded;
  Operand perBlock(int64_t(1));
  for (int k = 0; k < axes; ++k) {
    auto [front, back] = pads[size_t(k)];
    Variable extent = plus(n, image[size_t(k)], int64_t(front) + back);
    Variable reach =
        plus(n, n.at(mul(n.at(plus(n, block[size_t(k)], -1)), dilation[size_t(k)])), 1);
    Variable count = plus(n, n.at(intDiv(n.at(sub(n.at(extent), reach)), stride[size_t(k)])), 1);
    Variable within = positionsAlong(n, block[size_t(k)], k, 2 * axes),
             first = positionsAlong(n, n.at(count), axes + k, 2 * axes);
    coordinates.push_back(n.at(
        add(n.at(mul(n.at(within), dilation[size_t(k)])), mul(n.at(first), stride[size_t(k)]))));
    bool known = isNumber(image[size_t(k)]);
    padded.push_back(known ? Operand(image[size_t(k)].weakValue().item<int64_t>() + front + back)
                           : n.at(extent));
    perBlock = product(n, perBlock, block[size_t(k)]);
  }
  Variable position = ravelMultiIndex(coordinates, shapeOf(n, padded));
  Operand elements = extentProduct(n, position, 0, 2 * axes), pixels(int64_t(1));
  for (const Operand &extent : padded)
    pixels = product(n, pixels, extent);
  Variable channels = intDiv(n.at(wholeNumber(n, extentTerm(n, x, 1))), wholeNumber(n, perBlock));
  Operand channelTerm = n.at(channels);
  if (int64_t known = x.type().extent(1); known != kDynamic && isNumber(perBlock)) {
    int64_t size = perBlock.weakValue().item<int64_t>();
    if (size < 1 || known % size != 0)
      return {n.fail(ErrorKind::ValueError,
                     std::to_string(known) + " channels in blocks of " + std::to_string(size))};
    channelTerm = Operand(known / size);
  }
  whole[1] = channelTerm;
  Variable values = reshape(n.at(x), shapeOf(n, {whole[0], whole[1], elements}));
  Variable empty = full(shapeOf(n, {whole[0], whole[1], pixels}), n.at(n.scalar(0, x.dtype())));
  Variable flat = reshape(n.at(position), shapeOf(n, {elements}));
  Variable sums = incTake(n.at(empty), flat, values, {.axis = 2});
  whole.insert(whole.end(), padded.begin(), padded.end());
  Widths widths(axes + 2);
  for (int k = 0; k < axes; ++k) {
    widths.front[size_t(k + 2)] = Operand(-int64_t(pads[size_t(k)].first));
    widths.back[size_t(k + 2)] = Operand(-int64_t(pads[size_t(k)].second));
  }
  return {widened(n, reshape(n.at(sums), shapeOf(n, whole)), widths, {})};
}

//===--- DeformConv -----------------------------------------------------------------------===//

/// One axis of the points that a deformed kernel looks at: [batch, offset groups, taps, rows,
/// columns], f64. `tap`: where each tap of the kernel lies along the axis.
Variable deformedAxis(OnnxNode &n, const Window &w, int k, const Variable &offset,
                      const Variable &tap) {
  Operand count = extentTerm(n, offset, 3 + k);
  Variable first = mul(n.at(positionsAlong(n, count, 3 + k, 5)), w.stride[size_t(k)]);
  Variable base = sub(n.at(add(n.at(first), mul(n.at(tap), w.dilation[size_t(k)]))),
                      w.padding[size_t(k)].first);
  return add(n.at(cast(n.at(base), DType::Float64)), cast(n.at(offset), DType::Float64));
}

/// A neighbour of a point and its weight, 0 where it is outside.
struct Neighbour {
  Variable index, weight;
};

Neighbour neighbourOf(OnnxNode &n, const Variable &at, int64_t which, const Operand &extent) {
  Variable zero = n.scalar(0, DType::Float64), one = n.scalar(1, DType::Float64);
  Variable low = floor(n.at(at)), rest = sub(n.at(at), low);
  Variable index = which ? add(n.at(low), one) : low, weight = which ? rest : sub(n.at(one), rest);
  Variable last = sub(n.at(cast(n.at(wholeNumber(n, extent)), DType::Float64)), one);
  Variable inside = logicalAnd(n.at(ge(n.at(index), zero)), le(n.at(index), last));
  return {cast(n.at(clip(n.at(index), zero, last)), DType::Int64),
          where(n.at(inside), weight, zero)};
}

/// X, W, offset, B, mask: a convolution each of whose taps looks between the pixels, at its place
/// plus an offset.
Variables deformConv(OnnxNode &n) {
  Variable x = n.in(0), kernel = n.in(1), offset = n.in(2);
  if (!n.status().ok())
    return {};
  if (x.rank() != 4 || kernel.rank() != 4 || offset.rank() != 4)
    return {n.unsupported("other operands than pictures, of rank 4: " + x.type().brief() + ", " +
                          kernel.type().brief() + " and " + offset.type().brief())};
  if (kernel.type().extent(2) == kDynamic || kernel.type().extent(3) == kDynamic)
    return {n.unsupported("a kernel of unknown extents: " + kernel.type().brief())};
  std::optional<Window> w = unpaddedWindow(n, x, kernelExtent(n, kernel));
  int64_t groups = n.getSmallInt("group", 1), offsetGroups = n.getSmallInt("offset_group", 1);
  if (!w)
    return {};
  w->padding = padsAttribute(n, 2);
  if (n.status().ok() && (groups < 1 || offsetGroups < 1))
    n.fail(ErrorKind::ValueError, "group and offset_group must be positive");
  if (!n.status().ok())
    return {};
  const int64_t taps = int64_t(w->extent[0]) * w->extent[1];
  Operand batch = extentTerm(n, x, 0), rows = extentTerm(n, offset, 2),
          columns = extentTerm(n, offset, 3), open(int64_t(-1));
  // [batch, offset groups, taps, 2, rows, columns]
  Variable apart = reshape(n.at(offset), shapeOf(n, {batch, Operand(offsetGroups), Operand(taps),
                                                     Operand(int64_t(2)), rows, columns}));
  auto axisOf = [&](int k) {
    Variable own = subtensor(n.at(apart), {Slice(), Slice(), Slice(), Index(k)});
    Variable number = positionsAlong(n, Operand(taps), 2, 5);
    Variable tap = k == 0 ? intDiv(n.at(number), w->extent[1]) : mod(n.at(number), w->extent[1]);
    return deformedAxis(n, *w, k, own, tap);
  };
  Variable down = axisOf(0), across = axisOf(1);
  // Pixels as [batch, offset groups, height, width, channels of one], so that points are rows.
  Operand height = extentTerm(n, x, 2), width = extentTerm(n, x, 3);
  Variable grouped = transpose(
      n.at(reshape(n.at(x), shapeOf(n, {batch, Operand(offsetGroups), open, height, width}))),
      {0, 1, 3, 4, 2});
  Operand places = product(n, product(n, product(n, batch, Operand(offsetGroups)), height), width);
  Variable pixels = reshape(n.at(grouped), shapeOf(n, {places, extentTerm(n, grouped, 4)}));
  ShapeList extents = shapeOf(n, {batch, Operand(offsetGroups), height, width});
  Variable samples;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 2; ++j) {
      Neighbour row = neighbourOf(n, down, i, height), column = neighbourOf(n, across, j, width);
      Variable position = ravelMultiIndex({n.at(positionsAlong(n, batch, 0, 5)),
                                           n.at(positionsAlong(n, Operand(offsetGroups), 1, 5)),
                                           n.at(row.index), n.at(column.index)},
                                          extents);
      Variable weight = cast(n.at(mul(n.at(row.weight), column.weight)), x.dtype());
      Variable value =
          mul(n.at(take(n.at(pixels), position, {.axis = 0})), expandDims(n.at(weight), Axis(-1)));
      samples = samples.ok() ? add(n.at(samples), value) : value;
    }
  if (n.has(4)) {
    Variable mask =
        reshape(n.arg(4), shapeOf(n, {batch, Operand(offsetGroups), Operand(taps), rows, columns}));
    samples = mul(n.at(samples), expandDims(n.at(mask), Axis(-1)));
  }
  // [batch, offset groups, channels, taps, rows, columns], its first four joined as the kernel's.
  Variable columnsOf = transpose(n.at(samples), {0, 1, 5, 2, 3, 4});
  Operand pixelsOut = product(n, rows, columns);
  Variable right = reshape(n.at(columnsOf), shapeOf(n, {batch, Operand(groups), open, pixelsOut}));
  Terms kernelTerms = {Operand(groups), open, extentProduct(n, kernel, 1, 4)};
  Variable left = reshape(n.at(kernel), shapeOf(n, kernelTerms));
  Variable joined = matmul(n.at(left), right);
  Terms resultTerms = {batch, extentTerm(n, kernel, 0), rows, columns};
  Variable result = reshape(n.at(joined), shapeOf(n, resultTerms));
  return {withBias(n, result, 3)};
}

} // namespace

absl::Span<const Translation> spatialTranslations() {
  static constexpr Translation kTable[] = {
      {"AffineGrid", affineGrid, 20},
      {"CenterCropPad", centerCropPad, 18},
      {"Col2Im", col2Im, 18},
      {"DeformConv", deformConv, 19, "pictures (rank 4); the kernel's extents must be known"},
  };
  return kTable;
}

} // namespace graphc
