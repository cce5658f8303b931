//===- Eigenvalues.cpp - of symmetric matrices; singular values ----------------===//
//
// Jacobi's method: each step turns pairs of rows that have no row in common, as players meet in a
// tournament, on all matrices of a batch at once, in a Loop that ends when all are diagonal to the
// last digit. Singular values are those of Hestenes: columns are turned until they are orthogonal.
// In float64.
//
//===----------------------------------------------------------------------===//
#include <limits>

#include "Export/MatrixParts.h"
#include "Ops/Build.h"
#include "Ops/Units.h"
#include "graphc/Indexing.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Scan.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

/// Some ten rounds in which each row meets each other one are enough for hundreds of rows.
constexpr int64_t kMostRounds = 40;

V asRow(const V &x) { return expandDims(x, Axis(-2)); }
V asColumn(const V &x) { return expandDims(x, Axis(-1)); }
/// Of the elements along the last axis where the mask says so.
V pickedSum(const V &mask, const V &x) { return sum(where(mask, x, number(0)), Axis(-1)); }

/// Whom each of n rows meets in a round, itself where nobody is left.
V partners(const V &n, const V &round) {
  V odd = sub(add(n, mod(n, 2)), 1), i = arange(n), r = mod(round, odd);
  V j = mod(sub(r, i), odd);
  j = where(eq(j, i), odd, j);
  // Who meets the last one is half the round, in numbers modulo an odd one.
  j = where(eq(i, odd), mod(mul(r, intDiv(add(odd, 1), 2)), odd), j);
  return where(ge(j, n), i, j);
}

struct Turn {
  V matrix;   // orthogonal: a^T matrix a, or columns times it
  V isTurned; // the elements that it makes 0
};
/// By which the pairs of a round become diagonal in a symmetric matrix.
Turn turned(const V &a, const V &round) {
  V n = shape(a, a.rank() - 1), i = arange(n), j = partners(n, round);
  V isOwn = eq(asColumn(i), i), isPair = logicalAnd(eq(asColumn(j), i), logicalNot(isOwn));
  V own = pickedSum(isOwn, a), other = pickedSum(isPair, asRow(own)), mixed = pickedSum(isPair, a);
  V isMixed = neq(mixed, 0.0);
  V ratio = trueDiv(sub(other, own), mul(where(isMixed, mixed, number(1)), 2.0));
  V sign = where(eq(ratio, 0.0), where(lt(i, j), number(1), number(-1)), sgn(ratio));
  V tangent = trueDiv(sign, add(abs(ratio), sqrt(add(mul(ratio, ratio), 1.0))));
  tangent = where(isMixed, tangent, number(0));
  V cosine = reciprocal(sqrt(add(mul(tangent, tangent), 1.0)));
  V sine = where(isPair, asColumn(mul(cosine, tangent)), number(0));
  return {where(isOwn, asColumn(cosine), sine), isPair};
}

/// The sum of magnitudes by which a matrix is divided first, so that squares do not overflow.
V scaleOf(const V &a) {
  V size = sum(abs(a), {.axes = Axes({-1, -2}), .keepDims = true});
  return where(gt(size, 0.0), size, number(1));
}

/// Steps, each of which gets its number, while any of the states' first goes on.
Vs repeatedWhile(const Vs &start, const V &most,
                 const std::function<V(const V &round, const Vs &)> &goesOn,
                 const std::function<Vs(const V &round, const Vs &)> &step) {
  std::vector<Operand> initial = {constant(Tensor(0))};
  initial.insert(initial.end(), start.begin(), start.end());
  auto rest = [](const Vs &v) { return Vs(v.begin() + 1, v.end()); };
  ScanResult loop =
      whileLoop([&](const Vs &v) { return gt(sum(cast(goesOn(v[0], rest(v)), DType::Int64)), 0); },
                [&](const Vs &v) {
                  Vs next = step(v[0], rest(v));
                  next.insert(next.begin(), add(v[0], 1));
                  return ScanStep(next);
                },
                initial, {.maxSteps = Operand(most)});
  return rest(loop.outputs);
}
V mostSteps(const V &a) { return mul(add(shape(a, a.rank() - 1), 1), kMostRounds); }

/// The columns in that order, by one-hot columns: batches have orders of their own.
V withColumns(const V &a, const V &order) {
  return matmul(a, cast(eq(asColumn(columnsOf(a)), asRow(order)), a.dtype()));
}
/// Positions of values along the last axis, the first one's first of equal ones.
V orderOf(const V &values, bool isDescending) {
  return argsort(values, {.axis = -1, .descending = isDescending});
}
/// 1 or -1 by column, by which the first of its greatest elements becomes positive.
V signOfColumns(const V &a) {
  int axis = a.rank() - 2;
  V more = concatenate({a, zerosLike(sum(a, {.axes = Axis(-2), .keepDims = true}))}, axis);
  V place = argmax(abs(more), Axis(-2)), isPlace = eq(rowsOf(more), asRow(place));
  V greatest = sum(where(isPlace, more, number(0)), {.axes = Axis(-2), .keepDims = true});
  return where(lt(greatest, 0.0), number(-1), number(1));
}
/// NaN everywhere where an element of `a` is NaN or infinite.
V unlessUnbounded(const V &a, const V &result, int matrixAxes) {
  V bad = logicalOr(isnan(a), isinf(a));
  V count = sum(cast(bad, DType::Int64), Axes({-1, -2}));
  for (int k = 0; k < matrixAxes; ++k)
    count = asColumn(count);
  V none = noNumber();
  return where(gt(count, 0), none, result);
}

//===--- symmetric matrices -----------------------------------------------------------===//

struct Eigen {
  V values, vectors;
};
Eigen symmetric(const Apply &n, bool wantsVectors) {
  V whole = mirrored(wide(n, 0), n.op().attributes().boolean("lower"));
  V scale = scaleOf(whole), a = trueDiv(whole, scale);
  Vs start = {a};
  if (wantsVectors)
    start.push_back(add(identityLike(a), zeroPerMatrix(a)));
  V isOwn = eq(rowsOf(a), columnsOf(a));
  auto goesOn = [&](const V &, const Vs &v) {
    V square = mul(v[0], v[0]), axes = where(isOwn, number(0), square);
    V off = sum(axes, Axes({-1, -2})), all = sum(square, Axes({-1, -2}));
    return gt(off, mul(all, 1e-34));
  };
  Vs end = repeatedWhile(start, mostSteps(a), goesOn, [&](const V &round, const Vs &v) {
    Turn turn = turned(v[0], round);
    V next = matmul(matmul(transposed(turn.matrix), v[0]), turn.matrix);
    // The pairs' elements are 0, and the matrix symmetric, but for rounding.
    next = where(turn.isTurned, number(0), mul(add(next, transposed(next)), 0.5));
    Vs states = {next};
    if (wantsVectors)
      states.push_back(matmul(v[1], turn.matrix));
    return states;
  });
  V values = pickedSum(isOwn, end[0]), order = orderOf(values, false);
  values = mul(takeAlongAxis(values, order), squeeze(scale, Axis(-1)));
  values = unlessUnbounded(whole, values, 1);
  if (!wantsVectors)
    return {values, values};
  V vectors = withColumns(end[1], order);
  return {values, unlessUnbounded(whole, mul(vectors, signOfColumns(vectors)), 2)};
}
Vs composeEigh(const Apply &n) {
  Eigen all = symmetric(n, true);
  return {all.values, all.vectors};
}
Vs composeEigvalsh(const Apply &n) { return {symmetric(n, false).values}; }

//===--- singular values --------------------------------------------------------------===//

struct Orthogonal {
  V columns; // a's over `scale`, turned
  V turn;    // by what
  V scale;
};
/// Columns are orthogonal to a unit for each of their elements, of both their lengths or the whole
/// matrix' norm.
Orthogonal orthogonal(const V &whole) {
  V scale = scaleOf(whole), a = trueDiv(whole, scale), width = shape(a, a.rank() - 1);
  V unit = mul(cast(add(shape(a, a.rank() - 2), 2), DType::Float64), 0x1p-52);
  V isOwn = eq(asColumn(arange(width)), arange(width));
  V identity = cast(isOwn, DType::Float64);
  Vs start = {a, add(identity, zeroPerMatrix(a))};
  auto goesOn = [&](const V &, const Vs &v) {
    V products = matmul(transposed(v[0]), v[0]), squares = pickedSum(isOwn, products);
    V lengths = sqrt(mul(asColumn(squares), asRow(squares)));
    V all = expandDims(sum(squares, Axis(-1)), Axes({-1, -2}));
    V limit = maximum(mul(lengths, unit), mul(all, mul(unit, unit)));
    V isOff = logicalAnd(logicalNot(isOwn), gt(abs(products), limit));
    return gt(sum(cast(isOff, DType::Int64), Axes({-1, -2})), 0);
  };
  Vs end = repeatedWhile(start, mostSteps(a), goesOn, [&](const V &round, const Vs &v) {
    V turn = turned(matmul(transposed(v[0]), v[0]), round).matrix;
    return Vs{matmul(v[0], turn), matmul(v[1], turn)};
  });
  return {end[0], end[1], scale};
}
V lengthsOf(const V &columns) { return sqrt(sum(mul(columns, columns), Axis(-2))); }
V leastExtent(const V &a) { return minimum(shape(a, a.rank() - 2), shape(a, a.rank() - 1)); }
V firstOf(const V &x, int axis, const V &count) {
  return sliceAlong(x, x.rank() + axis, Slice(0, count));
}

Vs composeSvd(const Apply &n) {
  V whole = wide(n, 0), least = leastExtent(whole);
  Orthogonal all = orthogonal(whole);
  V lengths = lengthsOf(all.columns), order = orderOf(lengths, true);
  V sorted = withColumns(all.columns, order), v = withColumns(all.turn, order);
  // The columns' directions, and others where they are 0: of q in q r, whose r is diagonal.
  V u = qrOf(sorted, true).q;
  V s = mul(takeAlongAxis(lengths, order), squeeze(all.scale, Axis(-1)));
  V signs = signOfColumns(u);
  V full = mul(u, signs), kept = firstOf(signs, -1, least);
  V first = mul(firstOf(v, -1, least), kept);
  bool isFull = n.op().attributes().boolean("full");
  V vt = isFull ? concatenate({first, sliceAlong(v, v.rank() - 1, Slice(least, kEnd))}, -1) : first;
  return {unlessUnbounded(whole, isFull ? full : firstOf(full, -1, least), 2),
          unlessUnbounded(whole, firstOf(s, -1, least), 1),
          unlessUnbounded(whole, transposed(vt), 2)};
}
Vs composeSvdvals(const Apply &n) {
  V whole = wide(n, 0);
  Orthogonal all = orthogonal(whole);
  V lengths = lengthsOf(all.columns);
  V sorted = takeAlongAxis(lengths, orderOf(lengths, true));
  V s = firstOf(mul(sorted, squeeze(all.scale, Axis(-1))), -1, leastExtent(whole));
  return {unlessUnbounded(whole, s, 1)};
}

/// The sum of v u^T / s, where u s are the columns.
Vs composePinv(const Apply &n) {
  const Attributes &attributes = n.op().attributes();
  V whole = wide(n, 0);
  Orthogonal all = orthogonal(whole);
  V lengths = lengthsOf(all.columns);
  V more = concatenate({lengths, zerosLike(sum(lengths, {.axes = Axis(-1), .keepDims = true}))},
                       lengths.rank() - 1);
  V greatest = max(more, {.axes = Axis(-1), .keepDims = true});
  const double unit = unitOf(n.output(0).dtype());
  V extents = maximum(shape(whole, whole.rank() - 2), shape(whole, whole.rank() - 1));
  V least = attributes.isNone("rcond") ? mul(cast(extents, DType::Float64), unit)
                                       : constant(Tensor(attributes.real("rcond")));
  V isKept = gt(lengths, mul(least, greatest));
  V factor = where(isKept, reciprocal(where(isKept, mul(lengths, lengths), number(1))), number(0));
  V result = matmul(mul(all.turn, asRow(factor)), transposed(all.columns));
  return {unlessUnbounded(whole, trueDiv(result, all.scale), 2)};
}

} // namespace

absl::Span<const ExportRule> eigenvalueExports() {
  static constexpr ExportRule kTable[] = {
      composed("eigh", composeEigh), composed("eigvalsh", composeEigvalsh),
      composed("svd", composeSvd),   composed("svdvals", composeSvdvals),
      composed("pinv", composePinv),
  };
  return kTable;
}

} // namespace graphc
