//===- Shapes.cpp - other shapes of the same elements ----------------------===//
#include <algorithm>

#include "Import/Broadcast.h"
#include "Import/PerAxis.h"
#include "Import/Translations.h"
#include "graphc/ControlFlow.h"
#include "graphc/Indexing.h"
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
    terms = vectorTerms(n, 1, n.declaredRank(0));
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

/// Without all axes of extent 1. Which open ones are the declared rank of the result may say; else
/// none of them may be.
Variable withoutOnes(OnnxNode &n, const Variable &x) {
  Variable result = squeeze(n.at(x));
  if (!result.ok() || !std::ranges::count(x.type().shape(), kDynamic))
    return result;
  Variable extents = shape(n.at(result)), isOne = eq(n.at(extents), int64_t(1));
  int64_t more = result.rank() - n.declaredRank(0).value_or(result.rank());
  if (more > 0)
    return withoutAxes(n, result,
                       withLength(n, flatnonzero(n.at(isOne)), more,
                                  "{a} axes have extent 1 instead of {b}, which the "
                                  "declared shape comes to"));
  return assertTrue(n.at(result), logicalNot(n.at(any(n.at(isOne)))),
                    "an open extent is 1, and the result's rank was taken to be " +
                        std::to_string(result.rank()) +
                        ": give axes, declare the output's shape, or give the extents to the "
                        "reader (--shape)");
}

Variables squeezed(OnnxNode &n) {
  Variable x = n.in(0);
  if (n.isComputed(1))
    return {withoutAxes(n, x, n.in(1))};
  std::optional<Ints> axes = n.attributeOrInput("axes", 1);
  return {axes ? squeeze(n.at(x), Axes(n.plainAxes(*axes, x.rank()))) : withoutOnes(n, x)};
}

/// Axes of extent 1 at computed places of the result.
Variable withAxes(OnnxNode &n, const Variable &x, const Variable &given) {
  Variable axes = countedAxes(n, given, n.declaredRank(0).value_or(-1) - x.rank());
  if (!axes.ok())
    return axes;
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

/// Expand's shape where its length is not known: `rank` numbers, the first ones 1.
Terms extentsInBack(OnnxNode &n, int rank) {
  Variable shape = integerVector(n, 1);
  Variable missing = maximum(n.at(sub(n.at(n.scalar(rank, DType::Int64)), size(n.at(shape)))), 0);
  Variable all = concatenate(
      {n.at(full(ShapeList({n.at(missing)}), n.at(n.scalar(1, DType::Int64)))), n.at(shape)});
  all = withLength(n, all, rank,
                   "input 1 has {a} numbers for a result of rank {b}; if it is to have another "
                   "rank, declare the output's shape");
  Terms terms;
  for (int64_t k = 0; k < rank && all.ok(); ++k)
    terms.push_back(n.at(subtensor(n.at(all), {Index(k)})));
  return terms;
}

/// The extents of `shape` and those of x: where they differ, one must be 1.
Variables expanded(OnnxNode &n) {
  Variable x = n.in(0);
  const bool isOpen =
      n.isComputed(1) && n.in(1).rank() == 1 && n.in(1).type().extent(0) == kDynamic;
  Terms terms = isOpen ? extentsInBack(n, std::max(x.rank(), n.declaredRank(0).value_or(0)))
                       : vectorTerms(n, 1);
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
  Variable tiles = cast(n.at(scalarOf(n, 1)), DType::Int64);
  return {alongGivenAxis(n, 2, x.rank(), [&](int axis) {
    Operand extent = extentTerm(n, x, axis);
    Variable at = arange(n.at(mul(n.at(tiles), extent)));
    return take(n.at(x), mod(n.at(at), extent), {.axis = axis});
  })};
}

/// Each axis gets one in front of it that is as long as its repeats.
Variables tiled(OnnxNode &n) {
  Variable x = n.in(0);
  if (n.opset() < 6)
    return tiledAlongOne(n);
  Terms repeats = vectorTerms(n, 1, x.rank());
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
      {"Expand", expanded, 8,
       "of an open number of extents: the operand's rank unless another is declared"},
      {"Flatten", flattened},
      {"Identity", identityOf},
      {"Reshape", reshaped, 1, "the number of extents must be known or declared"},
      {"Shape", shapeOfOperand},
      {"Size", sizeOfOperand},
      {"SpaceToDepth", spaceToDepthOf},
      {"Squeeze", squeezed, 1,
       "computed axes must be known in number, or the rank declared; without axes, an open extent "
       "may "
       "be 1 where the rank is declared"},
      {"Tile", tiled},
      {"Transpose", transposed},
      {"Unsqueeze", unsqueezed, 1, "computed axes must be known in number, or the rank declared"},
  };
  return kTable;
}

} // namespace graphc
