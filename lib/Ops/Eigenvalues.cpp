//===- Eigenvalues.cpp - of general matrices --------------------------------===//
#include "Families.h"
#include "Matrices.h"
#include "Phases.h"

namespace graphc {
namespace {

/// Of values and, if they are asked for, of vectors.
template <bool kGivesVectors>
Arrays eigenEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  constexpr ResultOf kComplexes = ResultOf::Complexes;
  MatrixCall m(e, in[0]);
  m.requireSquare();
  Extents values = {m.rows()}, vectors = {m.rows(), m.rows()};
  if (!kGivesVectors)
    return m.call(kEigenvalues, {0}, in, {values}, {kComplexes});
  return m.call(kEigenvalues, {a.boolean("independent") ? 2 : 1}, in, {values, vectors},
                {kComplexes, kComplexes});
}

/// The gradient of a real operand is real.
Variable gradientFor(const Variable &a, const Variable &g) {
  return isComplex(a.dtype()) ? g : real(g);
}

/// v^-H core v^H.
Variable pulledBack(const Variable &a, const Variable &v, const Variable &core) {
  Variable vh = adjoint(v);
  return gradientFor(a, solve(vh, matmul(core, vh)));
}

/// v^-1 da v.
Variable inVectors(const Variable &v, const Variable &da) { return solve(v, matmul(da, v)); }

/// With p = v^-1 da v the values change by its diagonal, and v by v (e o p), e being the inverse
/// differences of values, less what would change a vector's length or turn its chosen element
/// (Boeddeker et al. 2017).
Variables eigPushforward(const Op &, Inputs, Outputs out, Tangents t) {
  const Variable &w = out[0], &v = out[1];
  Variable p = inVectors(v, t[0]);
  Variable dv = matmul(v, inverseDifferences(w) * p);
  dv = dv - scaledColumns(v, real(sum(conj(v) * dv, Axis(-2))));
  return {diagonalOf(p), dv + Phases::turned(v, Phases(v).anglesOf(dv))};
}

Variables eigPullback(const Op &, Inputs in, Outputs out, Gradients g) {
  const Variable &w = out[0], &v = out[1];
  Variable core = onDiagonal(orZeros(g[0], w));
  if (isPresent(g[1])) {
    Variable gv = g[1] + Phases(v).pulled(turnOf(v, g[1]));
    gv = gv - scaledColumns(v, real(sum(conj(v) * gv, Axis(-2))));
    core = core + conj(inverseDifferences(w)) * matmul(adjoint(v), gv);
  }
  return {pulledBack(in[0], v, core)};
}

/// Independent ones, or LinAlgError.
Variable vectorsOf(const Variable &a) {
  return builtin("eig", {{"independent", true}}).callAll({{Operand(a)}}, a.place())[1];
}

Variables eigvalsPushforward(const Op &, Inputs in, Outputs, Tangents t) {
  return {diagonalOf(inVectors(vectorsOf(in[0]), t[0]))};
}

Variables eigvalsPullback(const Op &, Inputs in, Outputs, Gradients g) {
  return {pulledBack(in[0], vectorsOf(in[0]), onDiagonal(g[0]))};
}

} // namespace

std::vector<OpDef> eigenvalueOps() {
  constexpr ResultOf kComplexes = ResultOf::Complexes;
  return {
      onMatrices({.name = "eig",
                  .doc =
                      "Eigenvalues of square matrices, complex, and eigenvectors as columns.\nIn "
                      "no order that is promised. Vectors have length 1; the first of the "
                      "greatest elements of each is real and positive. LinAlgError where the "
                      "iteration does not converge. Derivatives where eigenvalues differ, else "
                      "LinAlgError, NaNs or, where rounding makes them differ, great numbers.",
                  .attributes = {flag("independent", false,
                                      "LinAlgError where the vectors are not independent (of a "
                                      "defective matrix), or rounding cannot tell")},
                  .emit = eigenEmission<true>,
                  .pullback = eigPullback,
                  .pushforward = eigPushforward,
                  .golden = {"eig"},
                  .example = "eig([[3.]]) = [3+0j]"},
                 {kComplexes, kComplexes}),
      onMatrices({.name = "eigvals",
                  .doc = "Eigenvalues of square matrices, complex.\nIn no order that is promised. "
                         "Errors as eig's. Derivatives where there are as many eigenvectors as "
                         "rows, else (of defective matrices, and what rounding cannot tell from "
                         "one) LinAlgError.",
                  .emit = eigenEmission<false>,
                  .pullback = eigvalsPullback,
                  .pushforward = eigvalsPushforward,
                  .golden = {"eigvals"},
                  .example = "eigvals([[0., -2.], [2., 0.]]) = [0+2j, 0-2j]"},
                 {kComplexes}),
  };
}

} // namespace graphc
