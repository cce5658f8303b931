//===- LinearAlgebraFunctions.cpp - matrices: solving, decomposing --------------------===//
#include <algorithm>

#include "CallScope.h"
#include "Graph/CalledAs.h"
#include "Matrices.h"
#include "graphc/Indexing.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

/// The operand as real or complex floats.
Variable floats(const Operand &x) {
  Variable v = asVariable(x);
  return v.ok() && !isFloat(v.dtype()) && !isComplex(v.dtype()) ? cast(v, promoteToFloat(v.dtype()))
                                                                : v;
}

/// All results of an op.
Variables callAll(std::string_view op, const Attributes &attributes, const Operand &x,
                  size_t results) {
  Variable v = floats(x);
  if (!v.ok())
    return Variables(results, v);
  Variables all = builtin(op, attributes).callAll({{Operand(v, x.place())}}, x.place());
  return all.size() == results ? all : Variables(results, all.empty() ? v : all[0]);
}

Variable onMatrix(std::string_view op, const Attributes &attributes, const Operand &x) {
  Variable v = floats(x);
  return v.ok() ? build(builtin(op, attributes), {Operand(v, x.place())}) : v;
}

/// x with the axes in front that broadcasting it with `like` gives; `own` axes behind stay.
Variable batched(const Variable &x, const Variable &like) {
  int rank = std::max(x.rank(), like.rank());
  std::vector<Operand> extents;
  bool isSame = x.rank() == rank;
  for (int axis = -rank; axis < -2; ++axis) {
    bool has = axis >= -x.rank(), others = axis >= -like.rank();
    bool repeats = !has || (others && x.type().broadcastable(axis + x.rank()) &&
                            !like.type().broadcastable(axis + like.rank()));
    extents.push_back(repeats ? shape(like, axis) : shape(x, axis));
    isSame &= !repeats;
  }
  if (isSame)
    return x;
  extents.push_back(shape(x, -2));
  extents.push_back(shape(x, -1));
  return broadcastTo(x, ShapeList(stack(extents)));
}

/// An op on a and b, where b may be a vector, as a function of perhaps another name makes it.
Variable systems(std::string_view op, const Attributes &attributes, const Operand &first,
                 const Operand &second, std::string_view called = {}) {
  if (called.empty())
    called = op;
  CallScope scope(first);
  Variable a = floats(first), b = floats(second);
  if (!a.ok() || !b.ok())
    return a.ok() ? b : a;
  DType dtype = promote(a.dtype(), b.dtype());
  a = cast(a, dtype), b = cast(b, dtype);
  if (a.rank() < 2 || b.rank() < 1)
    return invalidAt(first, ErrorKind::ShapeError, called,
                     "a must be matrices, and b vectors or matrices, not of ranks " +
                         std::to_string(a.rank()) + " and " + std::to_string(b.rank()));
  bool isVector = b.rank() == a.rank() - 1;
  if (isVector)
    b = expandDims(b, Axis(-1));
  Variable x = build(calledAs(builtin(op, attributes), called),
                     {Operand(batched(a, b), first.place()), Operand(batched(b, a))});
  return isVector && x.ok() ? squeeze(x, Axis(-1)) : x;
}

Variable triangular(const Operand &a, const Operand &b, TriangularOptions options,
                    std::string_view called) {
  return systems("solveTriangular",
                 {{"lower", options.lower},
                  {"transposed", options.transposed},
                  {"unitDiagonal", options.unitDiagonal}},
                 a, b, called);
}

} // namespace

//===--- systems --------------------------------------------------------------===//

Variable cholesky(const Operand &a, CholeskyOptions options) {
  return onMatrix("cholesky", {{"lower", options.lower}, {"givesNan", options.givesNan}}, a);
}

Variable solveTriangular(const Operand &a, const Operand &b, TriangularOptions options) {
  return triangular(a, b, options, {});
}

Variable solve(const Operand &a, const Operand &b, SolveOptions options) {
  constexpr std::string_view kNames[] = {"general", "symmetric", "positive"};
  return systems("solve",
                 {{"assume", std::string(kNames[int(options.assume)])}, {"lower", options.lower}},
                 a, b);
}

Variable choSolve(const Operand &factor, const Operand &b, bool lower) {
  CallScope scope(factor);
  // The other factor is the conjugate transpose.
  Variable own = asVariable(factor), turned = own;
  if (own.ok() && isComplex(own.dtype()))
    turned = conj(own);
  Operand left(lower ? own : turned, factor.place()), right(lower ? turned : own, factor.place());
  Variable first = triangular(left, b, {.lower = lower, .transposed = !lower}, "choSolve");
  return triangular(right, first, {.lower = lower, .transposed = lower}, "choSolve");
}

LuFactors luFactor(const Operand &a) {
  Variables all = callAll("luFactor", {}, a, 3);
  return {all[0], all[1], all[2]};
}

Variable luSolve(const LuFactors &factors, const Operand &b, bool transposed) {
  CallScope scope(b);
  const Variable &f = factors.factors;
  Variable right = asVariable(b);
  if (!f.ok() || !right.ok())
    return f.ok() ? right : f;
  bool isVector = right.rank() == f.rank() - 1;
  if (isVector)
    right = expandDims(right, Axis(-1));
  auto inOrder = [](const Variable &x, const Variable &order) {
    return takeAlongAxis(x, expandDims(order, Axis(-1)), {.axis = -2});
  };
  TriangularOptions lower{.lower = true, .transposed = transposed, .unitDiagonal = true},
      upper{.transposed = transposed};
  auto solved = [&](const Operand &b, TriangularOptions options) {
    return triangular(f, b, options, "luSolve");
  };
  Variable x;
  if (transposed)
    x = inOrder(solved(solved(Operand(right, b.place()), upper), lower), argsort(factors.order));
  else
    x = solved(solved(inOrder(right, factors.order), lower), upper);
  return isVector ? squeeze(x, Axis(-1)) : x;
}

Variable inv(const Operand &a) { return onMatrix("inv", {}, a); }

Variable pinv(const Operand &a, std::optional<double> rcond) {
  return onMatrix("pinv", {{"rcond", rcond ? AttributeValue(*rcond) : AttributeValue()}}, a);
}

Variable lstsq(const Operand &a, const Operand &b, std::optional<double> rcond) {
  CallScope scope(a);
  return matmul(pinv(a, rcond), b);
}

//===--- matrix equations -----------------------------------------------------------===//

static Variable sylvester(const Operand &first, const Operand &second, const Operand &third,
                          bool discrete) {
  CallScope scope(first);
  Variable a = floats(first), b = floats(second), q = floats(third);
  for (const Variable &x : {a, b, q})
    if (!x.ok())
      return x;
  DType dtype = promote(promote(a.dtype(), b.dtype()), q.dtype());
  if (std::min({a.rank(), b.rank(), q.rank()}) < 2)
    return invalidAt(first, ErrorKind::ShapeError, "solveSylvester",
                     "a, b and q must be matrices, not of ranks " + std::to_string(a.rank()) +
                         ", " + std::to_string(b.rank()) + " and " + std::to_string(q.rank()));
  a = cast(a, dtype), b = cast(b, dtype), q = cast(q, dtype);
  q = batched(batched(q, a), b);
  return build(builtin("solveSylvester", {{"discrete", discrete}}),
               {Operand(batched(a, q), first.place()), Operand(batched(b, q)), Operand(q)});
}

Variable solveSylvester(const Operand &a, const Operand &b, const Operand &q) {
  return sylvester(a, b, q, false);
}
Variable solveContinuousLyapunov(const Operand &a, const Operand &q) {
  CallScope scope(a);
  Variable x = asVariable(a);
  return x.ok() && x.rank() < 2 ? sylvester(a, a, q, false)
                                : sylvester(a, Operand(adjoint(x), a.place()), q, false);
}
Variable solveDiscreteLyapunov(const Operand &a, const Operand &q) {
  CallScope scope(a);
  Variable x = asVariable(a);
  return x.ok() && x.rank() < 2 ? sylvester(a, a, q, true)
                                : sylvester(a, Operand(adjoint(x), a.place()), q, true);
}

Variable toeplitz(const Operand &column, const std::optional<Operand> &row) {
  CallScope scope(column);
  Variable c = asVariable(column), r = row ? asVariable(*row) : c;
  if (!c.ok() || !r.ok())
    return c.ok() ? r : c;
  if (c.rank() < 1 || r.rank() != c.rank())
    return invalidAt(column, ErrorKind::ShapeError, "toeplitz",
                     "column and row must be vectors, or batches of one rank, not of ranks " +
                         std::to_string(c.rank()) + " and " + std::to_string(r.rank()));
  // All elements from the lower left corner to the upper right one.
  Variable values = concatenate({flip(c, Axis(-1)), subtensor(r, {ellipsis, Slice(1, kEnd)})}, -1);
  Variable m = shape(c, -1), n = shape(r, -1);
  Variable places = expandDims(m - 1 - arange(m), Axis(-1)) + arange(n);
  return take(values, places, {.axis = c.rank() - 1});
}

Variable solveToeplitz(const Operand &column, const Operand &b, const std::optional<Operand> &row) {
  CallScope scope(column);
  return solve(toeplitz(column, row), b);
}

//===--- numbers of a matrix --------------------------------------------------------===//

Variable det(const Operand &a) { return onMatrix("det", {}, a); }

SignAndLog slogdet(const Operand &a) {
  Variables all = callAll("slogdet", {}, a, 2);
  return {all[0], all[1]};
}

Variable quadraticForm(const Operand &x, const Operand &a) {
  CallScope scope(x);
  return dot(dot(x, a), x);
}

Variable matrixNorm(const Operand &operand, MatrixNorm norm) {
  CallScope scope(operand);
  Variable a = floats(operand);
  if (!a.ok())
    return a;
  if (a.rank() < 2)
    return invalidAt(operand, ErrorKind::ShapeError, "matrixNorm",
                     "a matrix has two axes at least, not " + std::to_string(a.rank()));
  int rows = a.rank() - 2;
  switch (norm) {
  case MatrixNorm::Frobenius:
    return norm2(a, {.axes = Axes({-2, -1})});
  case MatrixNorm::Nuclear:
    return sum(svdvals(a), Axis(-1));
  case MatrixNorm::Two:
    return max(svdvals(a), Axis(-1));
  case MatrixNorm::MinusTwo:
    return min(svdvals(a), Axis(-1));
  case MatrixNorm::One:
    return max(sum(abs(a), Axis(rows)), Axis(-1));
  case MatrixNorm::MinusOne:
    return min(sum(abs(a), Axis(rows)), Axis(-1));
  case MatrixNorm::Inf:
    return max(sum(abs(a), Axis(-1)), Axis(-1));
  case MatrixNorm::MinusInf:
    return min(sum(abs(a), Axis(-1)), Axis(-1));
  }
  return a;
}

//===--- decompositions ---------------------------------------------------------------===//

QrFactors qr(const Operand &a, bool complete) {
  Variables all = callAll("qr", {{"complete", complete}}, a, 2);
  return {all[0], all[1]};
}

LuParts lu(const Operand &a) {
  CallScope scope(a);
  LuFactors all = luFactor(a);
  const Variable &f = all.factors;
  if (!f.ok())
    return {f, f, f};
  // The first min(m, n) columns and rows of what is left of the diagonal, and right of it.
  Variable m = shape(f, -2), n = shape(f, -1), least = minimum(m, n);
  Variable l = subtensor(f, {ellipsis, Slice(), Slice(0, least)});
  Variable u = subtensor(f, {ellipsis, Slice(0, least), Slice()});
  const DType dtype = realDType(f.dtype());
  Variable unit = eye(m, least, 0, dtype);
  Variable p =
      cast(graphc::eq(expandDims(arange(m), Axis(-1)), expandDims(all.order, Axis(-2))), dtype);
  return {p, tril(l, -1) + unit, triu(u)};
}

LdlFactors ldl(const Operand &a, bool lower) {
  Variables all = callAll("ldl", {{"lower", lower}}, a, 3);
  return {all[0], all[1], all[2]};
}

SvdFactors svd(const Operand &a, bool full) {
  Variables all = callAll("svd", {{"full", full}}, a, 3);
  return {all[0], all[1], all[2]};
}

Variable svdvals(const Operand &a) { return onMatrix("svdvals", {}, a); }

EighFactors eigh(const Operand &a, bool lower) {
  Variables all = callAll("eigh", {{"lower", lower}}, a, 2);
  return {all[0], all[1]};
}

Variable eigvalsh(const Operand &a, bool lower) {
  return onMatrix("eigvalsh", {{"lower", lower}}, a);
}

EigFactors eig(const Operand &a) {
  Variables all = callAll("eig", {}, a, 2);
  return {all[0], all[1]};
}

Variable eigvals(const Operand &a) { return onMatrix("eigvals", {}, a); }

//===--- powers -----------------------------------------------------------------------===//

Variable matrixPower(const Operand &operand, int n) {
  CallScope scope(operand);
  Variable a = asVariable(operand);
  if (!a.ok())
    return a;
  if (a.rank() < 2)
    return invalidAt(operand, ErrorKind::ShapeError, "matrixPower",
                     "a matrix has two axes at least, not " + std::to_string(a.rank()));
  if (n < 0)
    a = inv(Operand(a, operand.place()));
  if (n == 0) {
    Variable unit = eye(shape(a, -1), shape(a, -2), 0, realDType(a.dtype()));
    return broadcastTo(cast(unit, a.dtype()), ShapeList(shape(a)));
  }
  Variable result;
  bool isMade = false;
  for (unsigned left = n < 0 ? 0u - unsigned(n) : unsigned(n); left; left >>= 1) {
    if (left & 1)
      result = isMade ? matmul(result, a) : a, isMade = true;
    if (left > 1)
      a = matmul(a, a);
  }
  return result;
}

Variable expm(const Operand &a) { return onMatrix("expm", {}, a); }
Variable logm(const Operand &a) { return onMatrix("logm", {}, a); }

//===--- products with a sum ------------------------------------------------------------===//

Variable gemv(const Operand &y, const Operand &alpha, const Operand &a, const Operand &x,
              const Operand &beta) {
  CallScope scope(y);
  return add(mul(beta, y), mul(alpha, dot(a, x)));
}
Variable gemm(const Operand &c, const Operand &alpha, const Operand &a, const Operand &b,
              const Operand &beta) {
  CallScope scope(c);
  return add(mul(beta, c), mul(alpha, dot(a, b)));
}
Variable ger(const Operand &a, const Operand &alpha, const Operand &x, const Operand &y) {
  CallScope scope(a);
  return add(a, mul(alpha, outer(x, y)));
}

} // namespace graphc
