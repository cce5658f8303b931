//===- Matrices.cpp - factors and equations ------------------------------------===//
//
// ONNX has determinants alone. What is done in as many steps as a matrix has rows is a loop over
// them (scan), on all matrices of a batch at once: each step changes the whole array where a mask
// says so. In float64.
//
//===----------------------------------------------------------------------===//
#include <functional>
#include <limits>
#include <numbers>

#include "Export/MatrixParts.h"
#include "Ops/Build.h"
#include "Support/PadeExponential.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Scan.h"

namespace graphc {

using V = Variable;
using Vs = Variables;

V rowsOf(const V &a) { return expandDims(arange(shape(a, a.rank() - 2)), Axis(1)); }
V columnsOf(const V &a) { return arange(shape(a, a.rank() - 1)); }
V identityLike(const V &a) { return cast(eq(rowsOf(a), columnsOf(a)), a.dtype()); }
V zeroPerMatrix(const V &a) {
  V count = sum(cast(isnan(a), DType::Int64), {.axes = Axes({-1, -2}), .keepDims = true});
  return cast(mul(count, 0), a.dtype());
}
V mirrored(const V &a, bool isLower) {
  V rows = rowsOf(a), columns = columnsOf(a);
  return where(isLower ? ge(rows, columns) : le(rows, columns), a, transposed(a));
}

namespace {

/// What stands where the mask says, along an axis, which stays with extent 1.
V picked(const V &a, const V &mask, int axis) {
  return sum(where(mask, a, literal(0, a)), {.axes = Axis(axis), .keepDims = true});
}

/// The last value of a state after `count` steps, each of which gets its number first.
V repeated(const V &count, const V &start,
           const std::function<V(const V &k, const V &state)> &step) {
  return foldl([&](const Vs &v) { return ScanStep(step(v[0], v[1])); }, {arange(count)}, start);
}

//===--- triangles --------------------------------------------------------------------===//

/// x with a x = b for a triangular a, row after row: what is known of x leaves the other rows of b.
V solvedTriangular(const V &a, const V &b, bool isLower, bool hasUnitDiagonal) {
  V n = shape(a, a.rank() - 1), rows = rowsOf(b), columns = columnsOf(a), own = rowsOf(a);
  return repeated(n, b, [&](const V &step, const V &x) {
    V k = isLower ? step : sub(sub(n, step), 1);
    V column = picked(a, eq(columns, k), -1), value = picked(x, eq(rows, k), -2);
    if (!hasUnitDiagonal)
      value = trueDiv(value, picked(column, eq(own, k), -2));
    V isLeft = isLower ? gt(rows, k) : lt(rows, k);
    return where(eq(rows, k), value, where(isLeft, sub(x, mul(column, value)), x));
  });
}
Vs composeTriangular(const Apply &n) {
  const Attributes &attributes = n.op().attributes();
  V a = wide(n, 0), b = wide(n, 1);
  bool isLower = attributes.boolean("lower");
  if (attributes.boolean("transposed")) {
    a = transposed(a);
    isLower = !isLower;
  }
  return {
      solvedTriangular(a, add(b, zeroPerMatrix(a)), isLower, attributes.boolean("unitDiagonal"))};
}

/// l with l l^T = a, of which the lower triangle is read; a column of 0 where the square that it is
/// divided by is not above `least`.
V lowerFactor(const V &a, const V &least) {
  V rows = rowsOf(a), columns = columnsOf(a), n = shape(a, a.rank() - 1);
  V factor = repeated(n, a, [&](const V &k, const V &state) {
    V column = picked(state, eq(columns, k), -1), square = picked(column, eq(rows, k), -2);
    column = where(le(square, least), literal(0, a), trueDiv(column, sqrt(square)));
    V changed = sub(state, mul(column, transposed(column)));
    V isRest = logicalAnd(gt(rows, k), gt(columns, k));
    V isOwn = logicalAnd(eq(columns, k), ge(rows, k));
    return where(isOwn, column, where(isRest, changed, state));
  });
  return where(ge(rows, columns), factor, literal(0, a));
}
/// NaNs, as of a matrix that is not positive definite, are everywhere.
Vs composeCholesky(const Apply &n) {
  V a = wide(n, 0);
  bool isLower = n.op().attributes().boolean("lower");
  V never = constant(Tensor(-std::numeric_limits<double>::infinity()));
  V factor = lowerFactor(isLower ? a : transposed(a), never);
  V hasNan = any(isnan(factor), {.axes = Axes({-1, -2}), .keepDims = true});
  factor = where(hasNan, constant(Tensor(std::numeric_limits<double>::quiet_NaN())), factor);
  return {isLower ? factor : transposed(factor)};
}

} // namespace

V semidefiniteFactor(const V &a) {
  V isOwn = eq(rowsOf(a), columnsOf(a)), own = where(isOwn, abs(a), literal(0, a));
  V most = sum(own, {.axes = Axes({-1, -2}), .keepDims = true});
  return lowerFactor(a, mul(most, 0x1p-44));
}

namespace {

//===--- elimination ------------------------------------------------------------------===//

struct Elimination {
  V factors; // l below the diagonal, u
  V pivots;  // by step: the row that changed places with it
  V order;   // of a's rows
};
Elimination eliminated(const V &a) {
  V rows = rowsOf(a), columns = columnsOf(a);
  V height = shape(a, a.rank() - 2), steps = minimum(height, shape(a, a.rank() - 1));
  V zeros = squeeze(cast(zeroPerMatrix(a), DType::Int64), Axes({-1}));
  V first = add(zeros, arange(height));
  ScanResult loop = scan(
      [&](const Vs &v) {
        const V &k = v[0], &state = v[1], &order = v[2];
        V column = picked(state, eq(columns, k), -1);
        V candidates = where(ge(rows, k), abs(column), constant(Tensor(-1.0)));
        V pivot = expandDims(argmax(candidates, Axis(-2)), Axis(-1)); // [..., 1, 1]
        V isPivot = eq(rows, pivot), isOwn = eq(rows, k);
        V moved = where(isOwn, picked(state, isPivot, -2),
                        where(isPivot, picked(state, isOwn, -2), state));
        V row = picked(moved, isOwn, -2), diagonal = picked(row, eq(columns, k), -1);
        V isZero = eq(diagonal, 0.0); // a column of zeros: nothing is to be eliminated
        V multiplier = trueDiv(picked(moved, eq(columns, k), -1),
                               where(isZero, constant(Tensor(1.0)), diagonal));
        V isBelow = gt(rows, k);
        V rest = where(gt(columns, k), sub(moved, mul(multiplier, row)), moved);
        V next = where(isBelow, where(eq(columns, k), multiplier, rest), moved);
        V asRow = expandDims(order, Axis(-1));
        V places = where(isOwn, picked(asRow, isPivot, -2),
                         where(isPivot, picked(asRow, isOwn, -2), asRow));
        return ScanStep({next, squeeze(places, Axis(-1)), squeeze(pivot, Axes({-1, -2}))});
      },
      {.sequences = {ScanSequence(arange(steps))},
       .outputs = {ScanOutput(a), ScanOutput(first), ScanOutput::none()}});
  // The states' last values; of no rows there are none.
  auto last = [](const V &all, const V &start) {
    V both = concatenate({expandDims(start, Axis(0)), all}, 0);
    return subtensor(both, {Index(-1)});
  };
  V pivots = moveaxis(loop.outputs[2], {0}, {a.rank() - 2});
  return {last(loop.outputs[0], a), pivots, last(loop.outputs[1], first)};
}
Vs composeLu(const Apply &n) {
  Elimination e = eliminated(wide(n, 0));
  return {e.factors, e.pivots, e.order};
}

/// b with its rows in that order, by one-hot rows: batches have orders of their own.
V reordered(const V &b, const V &order) {
  V isSource = eq(expandDims(order, Axis(-1)), columnsOf(order));
  return matmul(cast(isSource, b.dtype()), b);
}
} // namespace

V solved(const V &a, const V &b) {
  Elimination e = eliminated(a);
  V forward = solvedTriangular(e.factors, reordered(b, e.order), true, true);
  return solvedTriangular(e.factors, forward, false, false);
}

namespace {

Vs composeSolve(const Apply &n) {
  const Attributes &attributes = n.op().attributes();
  V a = wide(n, 0);
  if (attributes.string("assume") != "general")
    a = mirrored(a, attributes.boolean("lower"));
  return {solved(a, wide(n, 1))};
}
Vs composeInverse(const Apply &n) {
  V a = wide(n, 0);
  return {solved(a, identityLike(a))};
}

/// As equations of all elements of x: those of a x + x b, or of x - a x b, are in both matrices'
/// products with identities.
Vs composeSylvester(const Apply &n) {
  V a = wide(n, 0), b = wide(n, 1), q = wide(n, 2);
  V eyeOfA = identityLike(a), eyeOfB = identityLike(b);
  int rows = q.rank() - 2;
  // [..., i, j, k, l]: of x[k, l] in element i, j.
  auto product = [&](const V &left, const V &right) {
    return mul(expandDims(left, Axes({-3, -1})), expandDims(right, Axes({-4, -2})));
  };
  V ofA = product(a, eyeOfB), ofB = product(eyeOfA, transposed(b));
  V all = n.op().attributes().boolean("discrete")
              ? sub(product(eyeOfA, eyeOfB), product(a, transposed(b)))
              : add(ofA, ofB);
  V count = mul(shape(q, rows), shape(q, rows + 1));
  std::vector<Operand> extents, square;
  for (int k = 0; k < rows; ++k)
    extents.push_back(shape(q, k));
  square = extents;
  square.insert(square.end(), {count, count});
  extents.insert(extents.end(), {count, constant(Tensor(1))});
  V x = solved(reshape(all, ShapeList(stack(square))), reshape(q, ShapeList(stack(extents))));
  return {reshape(x, ShapeList(shape(q)))};
}

/// Of the diagonal, with a sign for each row that changed places.
Vs composeSlogdet(const Apply &n) {
  V a = wide(n, 0);
  Elimination e = eliminated(a);
  V diagonal = sum(where(eq(rowsOf(a), columnsOf(a)), e.factors, literal(0, a)), Axis(-1));
  V isMoved = cast(neq(e.pivots, arange(shape(a, a.rank() - 1))), DType::Int64);
  V isOdd = neq(mod(sum(isMoved, Axis(-1)), 2), 0);
  V sign = prod(sgn(diagonal), Axis(-1));
  return {where(isOdd, neg(sign), sign), sum(log(abs(diagonal)), Axis(-1))};
}

/// Determinants of what is left without a row and a column, with alternating signs.
Vs composeCofactors(const Apply &n) {
  V a = wide(n, 0), count = shape(a, a.rank() - 1);
  V all = arange(count), rest = arange(sub(count, 1)), left = expandDims(all, Axis(1));
  V kept = add(rest, cast(ge(rest, left), DType::Int64)); // [without, position]
  int rows = a.rank() - 2;
  V minors = take(a, kept, TakeOptions{.axis = rows});           // [..., i, row, column]
  minors = take(minors, kept, TakeOptions{.axis = rows + 2});    // [..., i, row, j, column]
  minors = builtin("det")(swapaxes(minors, rows + 1, rows + 2)); // of the last two
  V isOdd = neq(mod(add(left, all), 2), 0);
  return {where(isOdd, neg(minors), minors)};
}

} // namespace

/// Householder's reflections; then signs by which r's diagonal is not negative.
QrParts qrOf(const V &a, bool isComplete) {
  V rows = rowsOf(a), columns = columnsOf(a);
  V height = shape(a, a.rank() - 2), width = shape(a, a.rank() - 1);
  V square = cast(eq(rows, arange(height)), a.dtype());          // of no batch
  V start = concatenate({a, add(square, zeroPerMatrix(a))}, -1); // becomes [r, q^T]
  V all = columnsOf(start), count = minimum(height, width);
  V made = repeated(count, start, [&](const V &k, const V &state) {
    V column = where(ge(rows, k), picked(state, eq(all, k), -1), constant(Tensor(0.0)));
    V head = picked(column, eq(rows, k), -2);
    V most = max(abs(column), {.axes = Axis(-2), .keepDims = true});
    V scale =
        where(gt(most, 0.0), most, constant(Tensor(1.0))); // squares neither overflow nor vanish
    V scaled = trueDiv(column, scale);
    V norm = mul(scale, sqrt(sum(mul(scaled, scaled), {.axes = Axis(-2), .keepDims = true})));
    V target = where(lt(head, 0.0), norm, neg(norm));
    V mirror = where(eq(rows, k), sub(column, target), column);
    V size = sum(mul(mirror, mirror), {.axes = Axis(-2), .keepDims = true});
    V factor = where(gt(size, 0.0), trueDiv(constant(Tensor(2.0)), size), constant(Tensor(0.0)));
    return sub(state, mul(mul(factor, mirror), matmul(transposed(mirror), state)));
  });
  V diagonal =
      sum(where(eq(rows, all), made, constant(Tensor(0.0))), {.axes = Axis(-1), .keepDims = true});
  V isInside = lt(rows, count);
  made = where(logicalAnd(isInside, lt(diagonal, 0.0)), neg(made), made);
  int last = a.rank() - 1;
  V r = sliceAlong(made, last, Slice(0, width)), q = sliceAlong(made, last, Slice(width, kEnd));
  r = where(le(rows, columns), r, constant(Tensor(0.0)));
  if (!isComplete) {
    r = sliceAlong(r, last - 1, Slice(0, count));
    q = sliceAlong(q, last - 1, Slice(0, count));
  }
  return {transposed(q), r};
}

namespace {

Vs composeQr(const Apply &n) {
  QrParts parts = qrOf(wide(n, 0), n.op().attributes().boolean("complete"));
  return {parts.q, parts.r};
}

/// Higham's scaling and squaring with Pade's approximation of order 13.
Vs composeExpm(const Apply &n) {
  V a = wide(n, 0);
  V norm = max(concatenate({flatten(sum(abs(a), Axis(-2))), constant(Tensor({0.0}))}, 0));
  V power = ceil(maximum(mul(log(trueDiv(norm, kPadeReach)), 1 / std::numbers::ln2), 0.0));
  power = where(gt(norm, 0.0), minimum(power, 1100.0), constant(Tensor(0.0)));
  V x = mul(a, pow(constant(Tensor(2.0)), neg(power))), one = identityLike(a);
  V x2 = matmul(x, x), x4 = matmul(x2, x2), x6 = matmul(x4, x2);
  auto half = [&](size_t first) { // of the coefficients of every other power
    auto c = [&](size_t k, const V &v) { return mul(v, kPade[first + 2 * k]); };
    V high = add(add(c(6, x6), c(5, x4)), c(4, x2));
    V low = add(add(c(3, x6), c(2, x4)), add(c(1, x2), c(0, one)));
    return add(matmul(x6, high), low);
  };
  V even = half(0), odd = matmul(x, half(1));
  V result = solved(sub(even, odd), add(even, odd));
  // Often none: runtimes have no Scan over no elements, but Loop.
  ScanResult squares = whileLoop(
      [](const Vs &v) { return gt(v[0], 0.0); },
      [](const Vs &v) { return ScanStep({sub(v[0], 1.0), matmul(v[1], v[1])}); }, {power, result});
  return {squares.outputs[1]};
}

} // namespace

absl::Span<const ExportRule> matrixExports() {
  static constexpr ExportRule kTable[] = {
      composed("cholesky", composeCholesky),   composed("solveTriangular", composeTriangular),
      composed("luFactor", composeLu),         composed("solve", composeSolve),
      composed("inv", composeInverse),         composed("slogdet", composeSlogdet),
      composed("cofactors", composeCofactors), composed("qr", composeQr),
      composed("expm", composeExpm),           composed("solveSylvester", composeSylvester),
  };
  return kTable;
}

} // namespace graphc
