//===- MatrixEquations.cpp - Sylvester's equations, logarithms, pseudoinverses -------===//
#include "Families.h"
#include "Matrices.h"
#include "Units.h"

namespace graphc {
namespace {

//===--- Sylvester's equations ---------------------------------------------------------===//

bool isDiscrete(const Op &op) { return op.attributes().boolean("discrete"); }

Arrays sylvesterEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array a = in[0], b = in[1], q = in[2];
  MatrixCall m(e, a);
  m.requireSquare();
  MatrixCall(e, b).requireSquare();
  int rank = e.rank(a);
  Extent rows = e.dim(q, rank - 2), columns = e.dim(q, rank - 1);
  e.requireEqual(rows, m.rows(), "q has {a} rows where a has {b}");
  e.requireEqual(columns, e.dim(b, rank - 1), "q has {a} columns where b has {b}");
  m.requireBatch(b, "b");
  m.requireBatch(q, "q");
  return m.call(kSolveSylvester, {attributes.boolean("discrete")}, in, {{rows, columns}});
}

Variable sylvester(const Op &op, const Variable &a, const Variable &b, const Variable &q) {
  return build(op, {a, b, q});
}

/// y solves the equation of the adjoint matrices for the gradient: it is that of q.
Variables sylvesterPullback(const Op &op, Inputs in, Outputs out, Gradients g) {
  Variable at = adjoint(in[0]), bt = adjoint(in[1]), xt = adjoint(out[0]);
  Variable y = sylvester(op, at, bt, g[0]);
  if (isDiscrete(op))
    return {matmul(matmul(y, bt), xt), matmul(xt, matmul(at, y)), y};
  return {-matmul(y, xt), -matmul(xt, y), y};
}

Variables sylvesterPushforward(const Op &op, Inputs in, Outputs out, Tangents t) {
  const Variable &a = in[0], &b = in[1], &x = out[0];
  return {sumOverTangents(t, {0, 1, 2}, [&](size_t operand) {
    Variable q = t[operand];
    if (isDiscrete(op) && operand != 2)
      q = operand == 0 ? matmul(matmul(q, x), b) : matmul(a, matmul(x, q));
    else if (operand != 2)
      q = operand == 0 ? -matmul(q, x) : -matmul(x, q);
    return sylvester(op, a, b, q);
  })};
}

//===--- logarithms ---------------------------------------------------------------------===//

/// The derivative in a direction, as that of the exponential.
Variable logarithmAlong(const Variable &a, const Variable &direction) {
  return derivativeByBlocks([](const Variable &x) { return logm(x); }, a, direction);
}

Variables logmPullback(const Op &, Inputs in, Outputs, Gradients g) {
  return {logarithmAlong(adjoint(in[0]), g[0])};
}

Variables logmPushforward(const Op &, Inputs in, Outputs, Tangents t) {
  return {logarithmAlong(in[0], t[0])};
}

//===--- pseudoinverses -----------------------------------------------------------------===//

/// By singular values: v diag(1 / s) u^H, without those that count as 0.
Arrays pinvEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType dtype = e.dtype(in[0]), inner = computeDType(dtype), part = realDType(inner);
  Array a = castArray(e, in[0], inner);
  MatrixCall m(e, a);
  Extent rows = m.rows(), columns = m.columns(), least = min(rows, columns);
  Arrays f = m.call(kSvd, {false, true}, {a}, {{rows, least}, {least}, {least, columns}},
                    {ResultOf::Numbers, ResultOf::Reals, ResultOf::Numbers});
  Array s = f[1];
  bool isGiven = !attributes.isNone("rcond");
  Array inverse = e.define(e.shape(s), [&](Indices i) {
    Scalars first(i.begin(), i.end());
    first.back() = e.index(0);
    Scalar limit = isGiven ? e.literal(part, attributes.real("rcond"))
                           : cast(e.scalar(max(rows, columns)), part) * unitOf(part);
    Scalar own = e.load(s, i), isKept = own > limit * e.load(s, first);
    return select(isKept, 1.0 / select(isKept, own, e.literal(part, 1)), e.literal(part, 0));
  });
  Extents shape = e.shape(a);
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  // conj(vt[r, i]) conj(u[j, r]) / s[r], of parts that are multiplied in pairs.
  using Factors = std::vector<std::pair<Array, Array>>;
  auto sumOf = [&](const Factors &factors) {
    Factors scaled;
    for (auto [ofV, ofU] : factors)
      scaled.emplace_back(e.define(e.shape(ofV),
                                   [&, ofV = ofV](Indices i) {
                                     return e.load(ofV, i) * e.load(inverse, i.first(i.size() - 1));
                                   }),
                          ofU);
    return e.reduce(Combine::Sum, shape, {least},
                    [&](Indices i, Indices r) {
                      Scalars left(i.begin(), i.end() - 2), right = left;
                      left.insert(left.end(), {r[0], i[i.size() - 2]});
                      right.insert(right.end(), {i[i.size() - 1], r[0]});
                      Scalar sum = e.load(scaled[0].first, left) * e.load(scaled[0].second, right);
                      if (scaled.size() > 1)
                        sum = sum + e.load(scaled[1].first, left) * e.load(scaled[1].second, right);
                      return sum;
                    },
                    {.result = part, .accumulator = part});
  };
  auto [u, uIm] = e.parts(f[0]);
  auto [v, vIm] = e.parts(f[2]);
  if (!isComplex(dtype))
    return {castArray(e, sumOf({{v, u}}), dtype)};
  auto negated = [&](Array x) { return e.map({x}, [](const Scalars &x) { return -x[0]; }); };
  return {e.complex(sumOf({{v, u}, {negated(vIm), uIm}}),
                    sumOf({{negated(vIm), u}, {negated(v), uIm}}))};
}

/// x less the part of it that p takes: (I - p) x.
Variable without(const Variable &p, const Variable &x) { return x - matmul(p, x); }

/// Golub and Pereyra 1973, for a neighbourhood in which the rank stays:
/// dz = -z da z + z z^H da^H (I - a z) + (I - z a) da^H z^H z.
Variables pinvPullback(const Op &, Inputs in, Outputs out, Gradients g) {
  const Variable &a = in[0], &z = out[0];
  Variable zt = adjoint(z), gt = adjoint(g[0]);
  Variable inside = -matmul(matmul(zt, g[0]), zt);
  Variable left = without(matmul(a, z), matmul(matmul(gt, z), zt));
  Variable right = matmul(matmul(zt, z), gt);
  return {inside + left + (right - matmul(matmul(right, z), a))};
}

Variables pinvPushforward(const Op &, Inputs in, Outputs out, Tangents t) {
  const Variable &a = in[0], &z = out[0];
  Variable zt = adjoint(z), dt = adjoint(t[0]);
  Variable inside = -matmul(matmul(z, t[0]), z);
  Variable left = matmul(matmul(z, zt), dt), right = matmul(matmul(dt, zt), z);
  return {inside + (left - matmul(matmul(left, a), z)) + without(matmul(z, a), right)};
}

} // namespace

Variable derivativeByBlocks(const std::function<Variable(const Variable &)> &function,
                            const Variable &a, const Variable &direction) {
  Variable above = concatenate({a, direction}, -1), below = concatenate({zerosLike(a), a}, -1);
  Variable all = function(concatenate({above, below}, -2)), n = shape(a, -1);
  return subtensor(all, {ellipsis, Slice(kEnd, n), Slice(n, kEnd)});
}

std::vector<OpDef> matrixEquationOps() {
  return {
      onMatrices(
          {.name = "solveSylvester",
           .doc = "x with a x + x b = q, or x - a x b = q.\nBartels and Stewart's method, in "
                  "float64. LinAlgError where an eigenvalue of a is the negative of one of b, or "
                  "the reciprocal: then there is no such x, or are many.",
           .operands = {{"a"}, {"b"}, {"q"}},
           .attributes = {flag("discrete", false, "x - a x b = q")},
           .emit = sylvesterEmission,
           .pullback = sylvesterPullback,
           .pushforward = sylvesterPushforward,
           .golden = {"solve_sylvester", "solve_stein"},
           .example = "solveSylvester([[2.]], [[3.]], [[10.]]) = [[2.]]"}),
      onMatrices({.name = "logm",
                  .doc = "Principal logarithms of matrices.\nInverse scaling and squaring (Higham "
                         "2008), in float64. NaNs where an eigenvalue is 0, and of real matrices "
                         "where one is negative: the logarithm is not real there.",
                  .emit = squareEmission(kMatrixLogarithm),
                  .pullback = logmPullback,
                  .pushforward = logmPushforward,
                  .golden = {"logm"},
                  .example = "logm([[1., 1.], [0., 1.]]) = [[0., 1.], [0., 0.]]"}),
      onMatrices({.name = "pinv",
                  .doc =
                      "Moore and Penrose's inverses of matrices of any shape.\nSingular values not "
                      "greater than `rcond` times the greatest count as 0. The derivatives (Golub "
                      "and Pereyra 1973) are those of matrices of the same rank.",
                  .attributes = {optionalAttribute(
                      "rcond", AttributeKind::Float,
                      "none: the greater of the extents times the dtype's epsilon")},
                  .emit = pinvEmission,
                  .pullback = pinvPullback,
                  .pushforward = pinvPushforward,
                  .golden = {"pinv"},
                  .example = "pinv([[2., 0.], [0., 0.]]) = [[0.5, 0.], [0., 0.]]"}),
  };
}

} // namespace graphc
