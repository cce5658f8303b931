//===- LinearAlgebraFunctions.cpp - matrices: solving, decomposing --------------------===//
#include <algorithm>
#include <limits>

#include "Matrices.h"
#include "graphc/LinearAlgebra.h"

namespace graphc {
namespace {

/// The operand as floats.
Variable floats(const Operand &x) {
  Variable v = asVariable(x);
  return v.ok() && !isFloat(v.dtype()) ? cast(v, promoteToFloat(v.dtype())) : v;
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

/// An op on a and b, where b may be a vector.
Variable systems(std::string_view op, const Attributes &attributes, const Operand &first,
                 const Operand &second) {
  Variable a = floats(first), b = floats(second);
  if (!a.ok() || !b.ok())
    return a.ok() ? b : a;
  DType dtype = promote(a.dtype(), b.dtype());
  a = cast(a, dtype), b = cast(b, dtype);
  if (a.rank() < 2 || b.rank() < 1)
    return invalidAt(first, ErrorKind::ShapeError, op,
                     "a must be matrices, and b vectors or matrices, not of ranks " +
                         std::to_string(a.rank()) + " and " + std::to_string(b.rank()));
  bool isVector = b.rank() == a.rank() - 1;
  if (isVector)
    b = expandDims(b, Axis(-1));
  Variable x = build(builtin(op, attributes),
                     {Operand(batched(a, b), first.place()), Operand(batched(b, a))});
  return isVector && x.ok() ? squeeze(x, Axis(-1)) : x;
}

} // namespace

//===--- systems --------------------------------------------------------------===//

Variable cholesky(const Operand &a, CholeskyOptions options) {
  return onMatrix("cholesky", {{"lower", options.lower}, {"givesNan", options.givesNan}}, a);
}

Variable solveTriangular(const Operand &a, const Operand &b, TriangularOptions options) {
  return systems("solveTriangular",
                 {{"lower", options.lower},
                  {"transposed", options.transposed},
                  {"unitDiagonal", options.unitDiagonal}},
                 a, b);
}

Variable solve(const Operand &a, const Operand &b, SolveOptions options) {
  constexpr std::string_view kNames[] = {"general", "symmetric", "positive"};
  return systems("solve",
                 {{"assume", std::string(kNames[int(options.assume)])}, {"lower", options.lower}},
                 a, b);
}

Variable choSolve(const Operand &factor, const Operand &b, bool lower) {
  Variable first = solveTriangular(factor, b, {.lower = lower, .transposed = !lower});
  return solveTriangular(factor, first, {.lower = lower, .transposed = lower});
}

Variable inv(const Operand &a) { return onMatrix("inv", {}, a); }

Variable pinv(const Operand &a, std::optional<double> rcond) {
  SvdFactors f = svd(a);
  if (!f.s.ok())
    return f.s;
  Variable x = floats(a);
  double epsilon = f.s.dtype() == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                                 : std::numeric_limits<float>::epsilon();
  Variable share = rcond ? constant(Tensor(*rcond))
                         : epsilon * cast(maximum(shape(x, -1), shape(x, -2)), DType::Float64);
  // The first is the greatest; there is none of an empty matrix.
  Variable greatest = sum(subtensor(f.s, {ellipsis, Slice(0, 1)}),
                          ReductionOptions{.axes = Axis(-1), .keepDims = true});
  Variable isKept = gt(f.s, cast(share, f.s.dtype()) * greatest);
  Variable inverse = where(isKept, 1.0 / where(isKept, f.s, 1.0), 0.0);
  return matmul(scaledColumns(transposed(f.vt), inverse), transposed(f.u));
}

Variable lstsq(const Operand &a, const Operand &b, std::optional<double> rcond) {
  return matmul(pinv(a, rcond), b);
}

//===--- numbers of a matrix --------------------------------------------------------===//

Variable det(const Operand &a) { return onMatrix("det", {}, a); }

SignAndLog slogdet(const Operand &a) {
  Variables all = callAll("slogdet", {}, a, 2);
  return {all[0], all[1]};
}

Variable quadraticForm(const Operand &x, const Operand &a) { return dot(dot(x, a), x); }

Variable matrixNorm(const Operand &operand, MatrixNorm norm) {
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

ComplexEigenvalues eigvals(const Operand &a) {
  Variables all = callAll("eigvals", {}, a, 2);
  return {all[0], all[1]};
}

//===--- powers -----------------------------------------------------------------------===//

Variable matrixPower(const Operand &operand, int n) {
  Variable a = asVariable(operand);
  if (!a.ok())
    return a;
  if (a.rank() < 2)
    return invalidAt(operand, ErrorKind::ShapeError, "matrixPower",
                     "a matrix has two axes at least, not " + std::to_string(a.rank()));
  if (n < 0)
    a = inv(Operand(a, operand.place()));
  if (n == 0) {
    Variable unit = eye(shape(a, -1), shape(a, -2), 0, a.dtype());
    return broadcastTo(unit, ShapeList(shape(a)));
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

//===--- products with a sum ------------------------------------------------------------===//

Variable gemv(const Operand &y, const Operand &alpha, const Operand &a, const Operand &x,
              const Operand &beta) {
  return add(mul(beta, y), mul(alpha, dot(a, x)));
}
Variable gemm(const Operand &c, const Operand &alpha, const Operand &a, const Operand &b,
              const Operand &beta) {
  return add(mul(beta, c), mul(alpha, dot(a, b)));
}
Variable ger(const Operand &a, const Operand &alpha, const Operand &x, const Operand &y) {
  return add(a, mul(alpha, outer(x, y)));
}

} // namespace graphc
