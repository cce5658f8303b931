//===- Products.cpp - dot, matmul and other contractions -------------------===//
#include <algorithm>
#include <map>

#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"
#include "Support/BroadcastHint.h"

namespace graphc {
namespace {

/// Names of an operand's axes, as the letters of an einsum; kBroadcast is an axis of extent 1 that
/// is read at 0 everywhere.
using Labels = std::vector<int>;
constexpr int kBroadcast = -1;

/// result[out] = sum over the labels that are not in `out` of a * b. The body is the bare product
/// of two loads, which the code generator recognises. Products are joined in the operands' dtype
/// (integers wrap), halves in float32; bools by or of ands.
Array contract(Emitter &e, Array a, const Labels &labelsA, Array b, const Labels &labelsB,
               const Labels &out) {
  DType result = e.resultType(0).dtype(), dtype = computeDType(result);
  a = castArray(e, a, dtype);
  b = castArray(e, b, dtype);
  std::map<int, Extent> extents;
  Labels reduced;
  auto collect = [&](Array x, const Labels &labels) {
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      if (labels[axis] == kBroadcast)
        continue;
      bool isNew = extents.try_emplace(labels[axis], e.dim(x, int(axis))).second;
      if (isNew && std::find(out.begin(), out.end(), labels[axis]) == out.end())
        reduced.push_back(labels[axis]);
    }
  };
  collect(a, labelsA);
  collect(b, labelsB);
  Extents parallel, reduction;
  for (int label : out)
    parallel.push_back(extents.at(label));
  for (int label : reduced)
    reduction.push_back(extents.at(label));

  ReduceOptions options;
  options.result = result;
  options.accumulator = dtype;
  return e.reduce(
      isBool(dtype) ? Combine::Or : Combine::Sum, parallel, reduction,
      [&](Indices i, Indices r) {
        auto element = [&](Array x, const Labels &labels) {
          Scalars at;
          for (int label : labels) {
            auto inOut = std::find(out.begin(), out.end(), label);
            auto inReduced = std::find(reduced.begin(), reduced.end(), label);
            at.push_back(label == kBroadcast  ? e.index(0)
                         : inOut != out.end() ? i[inOut - out.begin()]
                                              : r[inReduced - reduced.begin()]);
          }
          return e.load(x, at);
        };
        Scalar x = element(a, labelsA), y = element(b, labelsB);
        return isBool(dtype) ? x && y : x * y;
      },
      options);
}

constexpr std::string_view kInner = "inner extents differ: {a} and {b}";

//===--- dot --------------------------------------------------------------------===//

/// NumPy: x[..., k] with y[..., k, n], giving x's axes before y's.
Arrays dotEmission(Emitter &e, const Arrays &in, const Attributes &) {
  int rankX = e.rank(in[0]), rankY = e.rank(in[1]);
  if (rankX == 0 || rankY == 0)
    return mapTo(isBool(e.resultType(0).dtype()) ? ScalarOp::And : ScalarOp::Mul)(e, in, {});
  int innerY = std::max(rankY - 2, 0), inner = rankX - 1;
  e.requireEqual(e.dim(in[0], inner), e.dim(in[1], innerY), kInner);
  Labels x, y, out;
  for (int axis = 0; axis < rankX; ++axis)
    x.push_back(axis);
  for (int axis = 0; axis < rankY; ++axis)
    y.push_back(axis == innerY ? inner : rankX + axis);
  for (const Labels *labels : {&x, &y})
    for (int label : *labels)
      if (label != inner)
        out.push_back(label);
  return {contract(e, in[0], x, in[1], y, out)};
}

//===--- matmul -----------------------------------------------------------------===//

/// Rank 1 operands are a row on the left and a column on the right, whose axis vanishes.
Arrays matmulEmission(Emitter &e, const Arrays &in, const Attributes &) {
  constexpr int kRow = 100, kColumn = 101, kInnerLabel = 102; // above any batch axis
  int rankX = e.rank(in[0]), rankY = e.rank(in[1]);
  int batchX = std::max(rankX - 2, 0), batchY = std::max(rankY - 2, 0);
  int batch = std::max(batchX, batchY);
  e.requireEqual(e.dim(in[0], rankX - 1), e.dim(in[1], batchY), kInner);

  Labels x(batchX), y(batchY), out;
  for (int label = 0; label < batch; ++label) {
    int axisX = label - (batch - batchX), axisY = label - (batch - batchY);
    bool hasX = axisX >= 0, hasY = axisY >= 0;
    bool oneX = hasX && e.broadcasts(in[0], axisX), oneY = hasY && e.broadcasts(in[1], axisY);
    // Where both are 1, x's stands for the axis.
    if (hasX)
      x[axisX] = oneX && hasY && !oneY ? kBroadcast : label;
    if (hasY)
      y[axisY] = oneY && hasX ? kBroadcast : label;
    if (hasX && hasY && !oneX && !oneY)
      e.requireEqual(e.dim(in[0], axisX), e.dim(in[1], axisY),
                     "batch extents differ: {a} and {b}" + std::string(kBroadcastHint));
    out.push_back(label);
  }
  if (rankX >= 2) {
    x.push_back(kRow);
    out.push_back(kRow);
  }
  x.push_back(kInnerLabel);
  y.push_back(kInnerLabel);
  if (rankY >= 2) {
    y.push_back(kColumn);
    out.push_back(kColumn);
  }
  return {contract(e, in[0], x, in[1], y, out)};
}

//===--- others -------------------------------------------------------------------===//

Arrays batchedDotEmission(Emitter &e, const Arrays &in, const Attributes &) {
  enum { kBatch, kRow, kColumn, kInnerLabel };
  bool matrixX = e.rank(in[0]) == 3, matrixY = e.rank(in[1]) == 3;
  e.requireEqual(e.dim(in[0], 0), e.dim(in[1], 0), "batch extents differ: {a} and {b}");
  e.requireEqual(e.dim(in[0], matrixX ? 2 : 1), e.dim(in[1], 1), kInner);
  Labels x = {kBatch}, y = {kBatch, kInnerLabel}, out = {kBatch};
  if (matrixX) {
    x.push_back(kRow);
    out.push_back(kRow);
  }
  x.push_back(kInnerLabel);
  if (matrixY) {
    y.push_back(kColumn);
    out.push_back(kColumn);
  }
  return {contract(e, in[0], x, in[1], y, out)};
}

Arrays tensordotEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  const IntList &axesX = attributes.ints("axesX"), &axesY = attributes.ints("axesY");
  int rankX = e.rank(in[0]), rankY = e.rank(in[1]);
  Labels x(rankX), y(rankY), out;
  for (int axis = 0; axis < rankX; ++axis)
    x[axis] = axis;
  for (int axis = 0; axis < rankY; ++axis)
    y[axis] = rankX + axis;
  for (size_t k = 0; k < axesX.size(); ++k) {
    int axisX = int(axesX[k] < 0 ? axesX[k] + rankX : axesX[k]);
    int axisY = int(axesY[k] < 0 ? axesY[k] + rankY : axesY[k]);
    e.require(e.dim(in[0], axisX), Predicate::Equal, e.dim(in[1], axisY), ErrorKind::ValueError,
              "extents of joined axes differ: {a} and {b}");
    y[axisY] = axisX;
  }
  auto joined = [&](int axis) { return std::find(y.begin(), y.end(), axis) != y.end(); };
  for (int axis = 0; axis < rankX; ++axis)
    if (!joined(axis))
      out.push_back(axis);
  for (int label : y)
    if (label >= rankX)
      out.push_back(label);
  return {contract(e, in[0], x, in[1], y, out)};
}

Arrays outerEmission(Emitter &e, const Arrays &in, const Attributes &) {
  DType dtype = e.resultType(0).dtype();
  Array x = e.view(in[0], {e.numElements(in[0])}), y = e.view(in[1], {e.numElements(in[1])});
  return {e.define({e.dim(x, 0), e.dim(y, 0)}, [&](Indices i) {
    Scalar a = cast(e.load(x, {i[0]}), dtype), b = cast(e.load(y, {i[1]}), dtype);
    return isBool(dtype) ? a && b : a * b;
  })};
}

//===--- types --------------------------------------------------------------------===//

TypesOr promotedShapes(const TypeRequest &request) {
  return inferShapes(request, {promoteAll(request)});
}

TypesOr matmulType(const TypeRequest &request) {
  for (size_t i : {0, 1})
    if (request.type(i).rank() == 0)
      return makeError(ErrorKind::ShapeError, "a scalar is no matrix; use mul for a scalar factor");
  return promotedShapes(request);
}

TypesOr batchedDotType(const TypeRequest &request) {
  for (size_t i : {0, 1})
    if (int rank = request.type(i).rank(); rank != 2 && rank != 3)
      return makeError(ErrorKind::ShapeError, "operand " + std::to_string(i) +
                                                  " must have rank 2 or 3, not " +
                                                  std::to_string(rank));
  return promotedShapes(request);
}

TypesOr tensordotType(const TypeRequest &request) {
  const IntList &axesX = request.attributes().ints("axesX");
  const IntList &axesY = request.attributes().ints("axesY");
  if (axesX.size() != axesY.size())
    return makeError(ErrorKind::ValueError,
                     "the lists of axes have different lengths: " + std::to_string(axesX.size()) +
                         " and " + std::to_string(axesY.size()));
  if (auto axes = normalizeAxes(axesX, request.type(0).rank()); !axes.ok())
    return axes.status();
  if (auto axes = normalizeAxes(axesY, request.type(1).rank()); !axes.ok())
    return axes.status();
  return promotedShapes(request);
}

//===--- derivatives --------------------------------------------------------------===//

std::vector<int> counting(int from, int to) {
  std::vector<int> list;
  for (int k = from; k < to; ++k)
    list.push_back(k);
  return list;
}

bool contains(const std::vector<int> &list, int axis) {
  return std::find(list.begin(), list.end(), axis) != list.end();
}

/// Axes of an operand of that rank that are not joined.
std::vector<int> rest(int rank, const std::vector<int> &joined) {
  std::vector<int> list;
  for (int axis = 0; axis < rank; ++axis)
    if (!contains(joined, axis))
      list.push_back(axis);
  return list;
}

/// `v`, axis k of which is axis order[k] of the result.
Variable placed(const Variable &v, const std::vector<int> &order) {
  std::vector<int> from(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    from[size_t(order[k])] = int(k);
  return std::is_sorted(from.begin(), from.end()) ? v : dimshuffle(v, from);
}

/// Of z[rest of x, rest of y] = sums over pairs of axes: for each operand, the sums over the axes
/// of the other one.
Variables joinedPullback(const Variable &x, const Variable &y, const std::vector<int> &axesX,
                         const std::vector<int> &axesY, const Variable &g) {
  std::vector<int> restX = rest(x.rank(), axesX), restY = rest(y.rank(), axesY);
  int numX = int(restX.size());
  // The joined axes of the other operand are left in its order.
  std::vector<int> orderX = restX, orderY;
  for (int axis = 0; axis < y.rank(); ++axis)
    for (size_t k = 0; k < axesY.size(); ++k)
      if (axesY[k] == axis)
        orderX.push_back(axesX[k]);
  for (int axis = 0; axis < x.rank(); ++axis)
    for (size_t k = 0; k < axesX.size(); ++k)
      if (axesX[k] == axis)
        orderY.push_back(axesY[k]);
  orderY.insert(orderY.end(), restY.begin(), restY.end());
  return {placed(tensordot(g, y, counting(numX, g.rank()), restY), orderX),
          placed(tensordot(x, g, restX, counting(0, numX)), orderY)};
}

Variables dotPullback(const Op &, Inputs in, Outputs, Gradients g) {
  const Variable &x = in[0], &y = in[1];
  if (x.rank() == 0 || y.rank() == 0)
    return {unbroadcast(g[0] * y, x), unbroadcast(g[0] * x, y)};
  return joinedPullback(x, y, {x.rank() - 1}, {std::max(y.rank() - 2, 0)}, g[0]);
}

Variables tensordotPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  auto axes = [&](std::string_view name, const Variable &x) {
    return *normalizeAxes(op.attributes().ints(name), x.rank());
  };
  return joinedPullback(in[0], in[1], axes("axesX", in[0]), axes("axesY", in[1]), g[0]);
}

Variables outerPullback(const Op &, Inputs in, Outputs, Gradients g) {
  const Variable &x = in[0], &y = in[1];
  return {reshape(dot(g[0], flatten(y)), shape(x)), reshape(dot(flatten(x), g[0]), shape(y))};
}

/// Operands of matmul or batchedDot as matrices along the last two axes.
struct Matrices {
  Variable x, y, g;
  bool rowX, columnY; // x is a row, y a column, that the operand does not have

  Matrices(Inputs in, const Variable &gradient, int vectorRank)
      : x(in[0]), y(in[1]), g(gradient), rowX(x.rank() == vectorRank),
        columnY(y.rank() == vectorRank) {
    if (rowX) {
      x = expandDims(x, Axis(-2));
      g = expandDims(g, Axis(columnY ? -1 : -2));
    }
    if (columnY) {
      y = expandDims(y, Axis(-1));
      g = expandDims(g, Axis(-1));
    }
  }

  Variables likeOperands(const Variable &gx, const Variable &gy) const {
    return {rowX ? squeeze(gx, Axis(-2)) : gx, columnY ? squeeze(gy, Axis(-1)) : gy};
  }
};

/// A matrix that is the same in all batches is joined with them at once.
Variables matmulPullback(const Op &, Inputs in, Outputs, Gradients g) {
  Matrices m(in, g[0], 1);
  int rank = m.g.rank();
  std::vector<int> batch = counting(0, rank - 2), columns = batch, rows = batch;
  columns.push_back(rank - 1);
  rows.push_back(rank - 2);
  Variable gx = m.x.rank() == 2 && m.y.rank() == rank
                    ? tensordot(m.g, m.y, columns, columns)
                    : unbroadcast(matmul(m.g, swapaxes(m.y, -1, -2)), m.x);
  Variable gy = m.y.rank() == 2 && m.x.rank() == rank
                    ? tensordot(m.x, m.g, rows, rows)
                    : unbroadcast(matmul(swapaxes(m.x, -1, -2), m.g), m.y);
  return m.likeOperands(gx, gy);
}

Variables batchedDotPullback(const Op &, Inputs in, Outputs, Gradients g) {
  Matrices m(in, g[0], 2);
  return m.likeOperands(batchedDot(m.g, swapaxes(m.y, -1, -2)),
                        batchedDot(swapaxes(m.x, -1, -2), m.g));
}

OpDef product(std::string name, std::string family, std::string doc, TypeRule type, EmitRule emit,
              PullbackRule pullback, std::string example,
              std::vector<AttributeSpec> attributes = {}) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .operands = {{"x"}, {"y"}},
          .attributes = std::move(attributes),
          .type = std::move(type),
          .emit = std::move(emit),
          .pullback = std::move(pullback),
          .pushforward = multilinear(2),
          .maxUlp = {-1, -1},
          .golden = {std::move(family)},
          .section = section(kProducts),
          .example = std::move(example)};
}

} // namespace

std::vector<OpDef> productOps() {
  return {
      product(
          "dot", "dot",
          "NumPy's dot: the last axis of x with the second-last of y, or its only one.\n"
          "A scalar multiplies. Integers keep the promoted dtype and wrap, bools give the or of "
          "ands, halves are joined in float32. Extents that differ: ShapeError. Sums start at 0.0, "
          "as in sum: no terms, and terms that are all -0.0, give 0.0. 0 * NaN is NaN.",
          promotedShapes, dotEmission, dotPullback, "dot([[1, 2], [3, 4]], [1, 1]) = [3, 7]"),
      product("matmul", "matmul",
              "Products of matrices along the last two axes.\nLeading axes broadcast where their "
              "extent is statically 1. A vector is a row on the left, a column on the right. "
              "Scalars are refused (ShapeError).",
              matmulType, matmulEmission, matmulPullback,
              "matmul([[1, 2], [3, 4]], [[0, 1], [1, 0]]) = [[2, 1], [4, 3]]"),
      product("batchedDot", "batched_dot",
              "x[b, m, k] with y[b, k, n] for each b; either may lack its m or n.", batchedDotType,
              batchedDotEmission, batchedDotPullback,
              "batchedDot([[1, 2], [3, 4]], [[1, 1], [1, 1]]) = [3, 7]"),
      product(
          "tensordot", "tensordot",
          "Sum of products over pairs of axes.\nThe rest are x's axes, then y's. Different "
          "extents or numbers of axes: ValueError.",
          tensordotType, tensordotEmission, tensordotPullback,
          "tensordot([[1, 2], [3, 4]], [1, 1]) {axesX = [0], axesY = [0]} = [4, 6]",
          {{.name = "axesX", .kind = AttributeKind::Ints, .doc = "axes of x to join"},
           {.name = "axesY", .kind = AttributeKind::Ints, .doc = "axes of y to join them with"}}),
      product("outer", "outer", "The matrix x[i] * y[j] of the flattened operands.", promotedShapes,
              outerEmission, outerPullback, "outer([1, 2], [3, 4]) = [[3, 4], [6, 8]]"),
  };
}

} // namespace graphc
