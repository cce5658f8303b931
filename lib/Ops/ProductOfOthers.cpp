//===- ProductOfOthers.cpp - what the derivative of a product is made of ---===//
//
// The product of all elements of a slice but one, for each of them, without division: that would
// be wrong where elements are 0, infinite, or their product is out of range. Products of blocks of
// 16, of 16 such blocks and so on are computed on the way up; on the way down, what an element's
// block does not have is known, and the other 15 of its block come to it.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "AxesLast.h"
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

constexpr int64_t kBlock = 16;
/// Levels above the elements where their number is not known. Above 16^3 * n elements, the last
/// level multiplies n numbers n times.
constexpr int kLevels = 3;

Scalars replaced(Indices i, Scalar last) {
  Scalars at(i.begin(), i.end());
  at.back() = last;
  return at;
}

/// x: slices along the last axis, of a dtype that products are joined in.
class Blocks {
public:
  Blocks(Emitter &e, Array x) : e_(e), dtype_(e.dtype(x)) {
    levels_.push_back(x);
    while (!isTop(levels_.back()))
      levels_.push_back(joined(levels_.back()));
  }

  Array others() {
    Array result = othersOfAll(levels_.back());
    for (size_t level = levels_.size() - 1; level-- > 0;)
      result = othersInBlocks(levels_[level], result);
    return result;
  }

private:
  Extent length(Array x) { return e_.dim(x, e_.rank(x) - 1); }
  bool isTop(Array x) {
    std::optional<int64_t> n = e_.constantValue(length(x));
    return n ? *n <= kBlock : levels_.size() > kLevels;
  }
  Extents withLength(Array x, Extent n) {
    Extents shape = e_.shape(x);
    shape.back() = n;
    return shape;
  }
  ReduceOptions options() const { return {.result = dtype_, .accumulator = dtype_}; }

  Array joined(Array x) {
    Extent n = length(x);
    return e_.reduce(
        Combine::Prod, withLength(x, ceilDiv(n, e_.size(kBlock))), {e_.size(kBlock)},
        [&](Indices i, Indices r) {
          Scalar at = i.back() * double(kBlock) + r[0];
          return e_.loadIf(at < e_.scalar(n), x, replaced(i, at), e_.literal(dtype_, 1));
        },
        options());
  }

  Array othersOfAll(Array x) {
    return e_.reduce(
        Combine::Prod, e_.shape(x), {length(x)},
        [&](Indices i, Indices r) {
          return select(equalTo(i.back(), r[0]), e_.literal(dtype_, 1),
                        e_.load(x, replaced(i, r[0])));
        },
        options());
  }

  Array othersInBlocks(Array x, Array ofOtherBlocks) {
    Array inBlock = e_.reduce(
        Combine::Prod, e_.shape(x), {e_.size(kBlock)},
        [&](Indices i, Indices r) {
          Scalar at = intDiv(i.back(), double(kBlock)) * double(kBlock) + r[0];
          Scalar isOther = notEqualTo(at, i.back()) && at < e_.scalar(length(x));
          return e_.loadIf(isOther, x, replaced(i, at), e_.literal(dtype_, 1));
        },
        options());
    return e_.define(e_.shape(x), [&](Indices i) {
      return e_.load(inBlock, i) *
             e_.load(ofOtherBlocks, replaced(i, intDiv(i.back(), double(kBlock))));
    });
  }

  Emitter &e_;
  DType dtype_;
  std::vector<Array> levels_;
};

Arrays productOfOthersEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0];
  DType result = e.resultType(0).dtype();
  int rank = e.rank(x);
  std::vector<int> axes = axesOf(attributes, rank), order = axesLast(axes, rank);
  size_t outer = order.size() - axes.size();
  Extents moved, lines;
  Extent n = e.size(1);
  for (size_t k = 0; k < order.size(); ++k) {
    moved.push_back(e.dim(x, order[k]));
    if (k < outer)
      lines.push_back(moved.back());
    else
      n = n * moved.back();
  }
  lines.push_back(n);
  Array slices = castArray(e, x, accumulatorDType(result));
  bool moves = !std::is_sorted(order.begin(), order.end());
  if (moves)
    slices = e.define(moved, [&](Indices i) {
      Scalars at(i.begin(), i.end());
      for (size_t k = 0; k < order.size(); ++k)
        at[order[k]] = i[k];
      return e.load(slices, at);
    });
  Array others = e.view(Blocks(e, e.view(slices, lines)).others(), moved);
  return {e.define(e.shape(x), [&](Indices i) {
    Scalars at;
    for (int axis : order)
      at.push_back(i[axis]);
    return cast(e.load(others, at), result);
  })};
}

TypesOr productOfOthersType(const TypeRequest &request) {
  if (absl::Status s = checkAccepted(request, Accept::Floats); !s.ok())
    return s;
  const Type &x = request.type(0);
  if (!request.attributes().isNone("axes"))
    if (auto axes = normalizeAxes(request.attributes().ints("axes"), x.rank()); !axes.ok())
      return axes.status();
  return std::vector<Type>{x};
}

/// The derivative of element i by element k is the product of all but these two, be the one that is
/// differentiated i or k. So both directions are the sum over k, without i, of v[k] times it: of
/// n * n products for a slice of n elements.
Variables alongOthers(const Op &op, Inputs in, Outputs, Gradients v) {
  if (!isPresent(v[0]))
    return {v[0]};
  const Variable &x = in[0];
  std::vector<int> axes = axesOf(op.attributes(), x.rank()), order = axesLast(axes, x.rank());
  if (axes.empty())
    return {zeroDerivative()}; // of the empty product
  Variable moved = dimshuffle(x, order);
  Variable lines = constant(int64_t(1)), n = lines;
  for (int k = 0; k < x.rank(); ++k) {
    Variable &extents = k < x.rank() - int(axes.size()) ? lines : n;
    extents = extents * shape(moved, k);
  }
  auto slicesOf = [&](const Variable &v) { return expandDims(reshape(v, {lines, n}), Axis(1)); };
  Variable isSelf = eye(n, n, 0, DType::Bool);
  Variable one = constant(Tensor(1.0).cast(x.dtype())),
           zero = constant(Tensor(0.0).cast(x.dtype()));
  Variable withoutSelf = where(isSelf, one, slicesOf(moved));
  Variable pairs = build(builtin("productOfOthers", {{"axes", IntList{2}}}), {withoutSelf});
  Variable directions = slicesOf(dimshuffle(v[0], order));
  Variable sums = sum(where(isSelf, zero, pairs * directions), Axis(2));
  std::vector<int> back(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    back[size_t(order[k])] = int(k);
  return {dimshuffle(reshape(sums, shape(moved)), back)};
}

} // namespace

std::vector<OpDef> productOfOthersOps() {
  return {
      {.name = "productOfOthers",
       .doc = "For each element, the product of the others of its slice along the axes.\n"
              "Without division, so that zeros, infinities and products out of range are as "
              "they should be; a slice of one element gives 1. float32 is joined in float64, "
              "halves in float32. Its derivatives take n * n products for a slice of n.",
       .operands = {{"x"}},
       .attributes = {optionalAttribute("axes", AttributeKind::Ints,
                                        "axes of one slice, from the end if negative; none: all")},
       .type = productOfOthersType,
       .emit = productOfOthersEmission,
       .pullback = alongOthers,
       .pushforward = alongOthers,
       .elements = Elements::Rows,
       .maxUlp = {-1, -1},
       .golden = {"prod_gradient0"},
       .section = section(kDerivatives),
       .example = "productOfOthers([2.0, 0.0, 3.0]) = [0.0, 6.0, 0.0]"}};
}

} // namespace graphc
