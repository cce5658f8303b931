//===- Shapes.cpp - other shapes of the same elements ----------------------===//
#include <algorithm>

#include "Import/Broadcast.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

Variables identityOf(OnnxNode &n) { return {n.in(0)}; }

/// What an extent of Reshape's input means: 0 stands for the operand's own.
Operand orOwnExtent(OnnxNode &n, const Variable &x, const Operand &term, int axis) {
  if (!term.isWeak()) {
    if (axis >= x.rank())
      return term;
    Variable extent = cast(term, DType::Int64);
    Operand own = extentTerm(n, x, axis);
    return n.at(where(n.at(eq(n.at(extent), 0)), own, extent));
  }
  if (term.weakValue().item<int64_t>() != 0)
    return term;
  if (axis >= x.rank())
    n.fail(ErrorKind::ValueError, "extent " + std::to_string(axis) +
                                      " is 0, but the operand's rank is " +
                                      std::to_string(x.rank()));
  return axis < x.rank() ? extentTerm(n, x, axis) : term;
}

Variables reshaped(OnnxNode &n) {
  Variable x = n.in(0);
  Terms terms;
  if (n.opset() < 5)
    for (int64_t extent : n.getInts("shape").value_or(Ints()))
      terms.emplace_back(extent);
  else
    terms = vectorTerms(n, 1);
  if (!n.getBool("allowzero", false))
    for (size_t i = 0; i < terms.size(); ++i)
      terms[i] = orOwnExtent(n, x, terms[i], int(i));
  return {reshape(n.at(x), shapeOf(n, terms))};
}

Variables flattened(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", 1), x.rank(), /*end=*/true);
  Terms terms = {extentProduct(n, x, 0, axis), extentProduct(n, x, axis, x.rank())};
  return {reshape(n.at(x), shapeOf(n, terms))};
}

Variables transposed(OnnxNode &n) {
  Variable x = n.in(0);
  std::optional<Ints> order = n.getInts("perm");
  return {order ? transpose(n.at(x), n.plainAxes(*order, x.rank())) : transpose(n.at(x))};
}

Variables squeezed(OnnxNode &n) {
  Variable x = n.in(0);
  std::optional<Ints> axes = n.attributeOrInput("axes", 1);
  return {axes ? squeeze(n.at(x), Axes(n.plainAxes(*axes, x.rank()))) : squeeze(n.at(x))};
}

Variables unsqueezed(OnnxNode &n) {
  std::optional<Ints> axes = n.attributeOrInput("axes", 1);
  if (!axes)
    return {n.fail(ErrorKind::ValueError, "axes are missing")};
  Variable x = n.in(0);
  std::vector<int> plain = n.plainAxes(*axes, x.rank() + int(axes->size()));
  std::sort(plain.begin(), plain.end());
  return {expandDims(n.at(x), Axes(plain))};
}

/// The extents of `shape` and those of x: where they differ, one must be 1.
Variables expanded(OnnxNode &n) {
  Variable x = n.in(0);
  Terms terms = vectorTerms(n, 1);
  if (!n.status().ok())
    return {};
  while (int(terms.size()) < x.rank())
    terms.insert(terms.begin(), Operand(int64_t(1)));
  Variable wide = expandable(n, x, terms);
  return {broadcastTo(n.at(wide), shapeOf(n, terms))};
}

/// Each axis gets one in front of it that is as long as its repeats.
Variables tiled(OnnxNode &n) {
  Variable x = n.in(0);
  if (n.opset() < 6)
    return {n.unsupported("Tile of sets before 6")};
  Terms repeats = vectorTerms(n, 1);
  if (!n.status().ok() || int(repeats.size()) != x.rank())
    return {n.fail(ErrorKind::ValueError, std::to_string(repeats.size()) + " repeats for rank " +
                                              std::to_string(x.rank()))};
  std::vector<int> order;
  Terms wide, joined;
  for (int axis = 0; axis < x.rank(); ++axis) {
    order.push_back(-1);
    order.push_back(axis);
    Operand extent = extentTerm(n, x, axis);
    wide.push_back(repeats[axis]);
    wide.push_back(extent);
    joined.push_back(product(n, repeats[axis], extent));
  }
  Variable spread = broadcastTo(n.at(dimshuffle(n.at(x), order)), shapeOf(n, wide));
  return {reshape(n.at(spread), shapeOf(n, joined))};
}

/// The extents from `start` to before `end`; constant if they are static.
Variables shapeOfOperand(OnnxNode &n) {
  Variable x = n.in(0);
  if (!x.ok())
    return {};
  int64_t rank = x.rank();
  auto bound = [&](std::string_view name, int64_t otherwise) {
    int64_t value = n.getInt(name, otherwise);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t first = bound("start", 0), last = std::max(first, bound("end", rank));
  absl::Span<const int64_t> part = x.type().shape().subspan(first, last - first);
  if (!std::count(part.begin(), part.end(), kDynamic))
    return {Constant::adopt(*Tensor::fromSpan(part, {last - first}), {}, n.place())};
  return {subtensor(n.at(shape(n.at(x))), {Slice(first, last)})};
}

Variables sizeOfOperand(OnnxNode &n) { return {size(n.arg(0))}; }

/// Channels to blocks of pixels and back; the six axes of both are listed in ONNX's text.
Variables depthToSpace(OnnxNode &n) {
  Variable x = n.in(0);
  int64_t b = n.requireInt("blocksize");
  if (x.rank() != 4 || b < 1 || x.type().extent(1) == kDynamic)
    return {n.fail(ErrorKind::ValueError,
                   "blocks of " + std::to_string(b) + " of " + x.type().brief())};
  std::string mode = n.getString("mode", "DCR");
  Operand batch = extentTerm(n, x, 0), height = extentTerm(n, x, 2), width = extentTerm(n, x, 3);
  Operand channels(x.type().extent(1) / (b * b)), block(b);
  bool blocksFirst = mode == "DCR";
  Terms split = blocksFirst ? Terms{batch, block, block, channels, height, width}
                            : Terms{batch, channels, block, block, height, width};
  std::vector<int> order =
      blocksFirst ? std::vector<int>{0, 3, 4, 1, 5, 2} : std::vector<int>{0, 1, 4, 2, 5, 3};
  Variable apart = transpose(n.at(reshape(n.at(x), shapeOf(n, split))), order);
  return {reshape(n.at(apart), shapeOf(n, {batch, channels, product(n, height, block),
                                           product(n, width, block)}))};
}

Variables spaceToDepth(OnnxNode &n) {
  Variable x = n.in(0);
  int64_t b = n.requireInt("blocksize");
  if (x.rank() != 4 || b < 1 || x.type().extent(2) == kDynamic || x.type().extent(3) == kDynamic)
    return {n.fail(ErrorKind::ValueError,
                   "blocks of " + std::to_string(b) + " of " + x.type().brief())};
  Operand batch = extentTerm(n, x, 0), channels = extentTerm(n, x, 1), block(b);
  Operand height(x.type().extent(2) / b), width(x.type().extent(3) / b);
  Terms split = {batch, channels, height, block, width, block};
  Variable apart = transpose(n.at(reshape(n.at(x), shapeOf(n, split))), {0, 3, 5, 1, 2, 4});
  Operand joined = product(n, channels, Operand(b * b));
  return {reshape(n.at(apart), shapeOf(n, {batch, joined, height, width}))};
}

} // namespace

absl::Span<const Translation> shapeTranslations() {
  static constexpr Translation kTable[] = {
      {"DepthToSpace", depthToSpace, 1, "channels known"},
      {"Expand", expanded, 8, "the number of extents must be known"},
      {"Flatten", flattened},
      {"Identity", identityOf},
      {"Reshape", reshaped, 1, "the number of extents must be known"},
      {"Shape", shapeOfOperand},
      {"Size", sizeOfOperand},
      {"SpaceToDepth", spaceToDepth, 1, "height and width known"},
      {"Squeeze", squeezed, 1, "axes constant"},
      {"Tile", tiled, 1, "from set 6 on"},
      {"Transpose", transposed},
      {"Unsqueeze", unsqueezed, 1, "axes constant"},
  };
  return kTable;
}

} // namespace graphc
