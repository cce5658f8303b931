//===- Shapes.cpp - other shapes of the same elements ----------------------===//
#include <algorithm>

#include "Import/Broadcast.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "graphc/Neural.h"

namespace graphc {
namespace {

OnnxValues identityOf(OnnxNode &n) { return {n.value(0)}; }

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
  if (n.isComputed(1))
    return {withoutAxes(n, x, n.in(1))};
  std::optional<Ints> axes = n.attributeOrInput("axes", 1);
  return {axes ? squeeze(n.at(x), Axes(n.plainAxes(*axes, x.rank()))) : squeeze(n.at(x))};
}

/// Axes of extent 1 at computed places of the result.
Variable withAxes(OnnxNode &n, const Variable &x, const Variable &axes) {
  if (axes.rank() != 1 || axes.type().extent(0) == kDynamic)
    return n.unsupported("an unknown number of computed axes, on which the result's rank depends");
  const int rank = x.rank() + int(axes.type().extent(0));
  if (rank > Tensor::kMaxRank)
    return n.fail(ErrorKind::ValueError, "the result has rank " + std::to_string(rank));
  // Extents of x in their order, where no axis is new.
  Variable extents = concatenate({n.at(shape(n.at(x))), n.at(ones(ShapeList({1}), DType::Int64))});
  Variable next = n.scalar(0, DType::Int64);
  std::vector<Operand> result;
  for (int k = 0; k < rank; ++k) {
    Variable isNew = isAmong(n, axes, k, rank);
    Variable own = take(n.at(extents), next, {.axis = 0, .mode = TakeMode::Clip});
    result.push_back(n.at(where(n.at(isNew), int64_t(1), own)));
    next = add(n.at(next), cast(n.at(logicalNot(n.at(isNew))), DType::Int64));
  }
  return result.empty() ? x : reshape(n.at(x), ShapeList(stack(result)));
}

Variables unsqueezed(OnnxNode &n) {
  if (n.isComputed(1))
    return {withAxes(n, n.in(0), n.in(1))};
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

/// Sets before 6 have one number of copies, and one axis.
Variables tiledAlongOne(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.constantInt(2), x.rank());
  Variable tiles = cast(n.at(scalarOf(n, 1)), DType::Int64);
  if (!n.status().ok())
    return {};
  Operand extent = extentTerm(n, x, axis);
  Variable at = arange(n.at(mul(n.at(tiles), extent)));
  return {take(n.at(x), mod(n.at(at), extent), {.axis = axis})};
}

/// Each axis gets one in front of it that is as long as its repeats.
Variables tiled(OnnxNode &n) {
  Variable x = n.in(0);
  if (n.opset() < 6)
    return tiledAlongOne(n);
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
    return {n.vector(Ints(part.begin(), part.end()))};
  return {subtensor(n.at(shape(n.at(x))), {Slice(first, last)})};
}

Variables sizeOfOperand(OnnxNode &n) { return {size(n.arg(0))}; }

Variables depthToSpaceOf(OnnxNode &n) {
  std::string mode = n.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return {n.fail(ErrorKind::ValueError, "attribute mode is '" + mode + "'")};
  BlockOrder order = mode == "DCR" ? BlockOrder::BlocksFirst : BlockOrder::ChannelsFirst;
  return {depthToSpace(n.arg(0), n.requireInt("blocksize"), order)};
}

Variables spaceToDepthOf(OnnxNode &n) {
  return {spaceToDepth(n.arg(0), n.requireInt("blocksize"))};
}

} // namespace

absl::Span<const Translation> shapeTranslations() {
  static constexpr Translation kTable[] = {
      {"DepthToSpace", depthToSpaceOf},
      {"Expand", expanded, 8, "the number of extents must be known"},
      {"Flatten", flattened},
      {"Identity", identityOf},
      {"Reshape", reshaped, 1, "the number of extents must be known"},
      {"Shape", shapeOfOperand},
      {"Size", sizeOfOperand},
      {"SpaceToDepth", spaceToDepthOf},
      {"Squeeze", squeezed, 1, "computed axes must be known in number"},
      {"Tile", tiled},
      {"Transpose", transposed},
      {"Unsqueeze", unsqueezed, 1, "computed axes must be known in number"},
  };
  return kTable;
}

} // namespace graphc
