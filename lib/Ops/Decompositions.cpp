//===- Decompositions.cpp - QR, singular values, eigenvalues ------------------------===//
#include "Families.h"
#include "Graph/CalledAs.h"
#include "Matrices.h"
#include "Phases.h"

namespace graphc {

Variable onDiagonal(const Variable &x) {
  return eye(shape(x, -1), std::nullopt, 0, realDType(x.dtype())) * expandDims(x, Axis(-2));
}

Variable inverseDifferences(const Variable &x) {
  Variable difference = expandDims(x, Axis(-2)) - expandDims(x, Axis(-1));
  Variable isDiagonal = eye(shape(x, -1), std::nullopt, 0, DType::Bool);
  return where(isDiagonal, 0.0, 1.0 / where(isDiagonal, 1.0, difference));
}

namespace {

ResultsOf ofSvd() { return {ResultOf::Numbers, ResultOf::Reals, ResultOf::Numbers}; }
ResultsOf ofEigh() { return {ResultOf::Reals, ResultOf::Numbers}; }

//===--- emissions -----------------------------------------------------------------===//

EmitRule qrEmission() {
  return [](Emitter &e, const Arrays &in, const Attributes &a) -> Arrays {
    MatrixCall m(e, in[0]);
    bool isComplete = a.boolean("complete");
    Extent kept = isComplete ? m.rows() : min(m.rows(), m.columns());
    return m.call(kQr, {isComplete, true}, in, {{m.rows(), kept}, {kept, m.columns()}});
  };
}

EmitRule svdEmission() {
  return [](Emitter &e, const Arrays &in, const Attributes &a) -> Arrays {
    MatrixCall m(e, in[0]);
    bool isFull = a.boolean("full");
    Extent least = min(m.rows(), m.columns());
    return m.call(kSvd, {isFull, true}, in,
                  {{m.rows(), isFull ? m.rows() : least},
                   {least},
                   {isFull ? m.columns() : least, m.columns()}},
                  ofSvd());
  };
}

Arrays svdvalsEmission(Emitter &e, const Arrays &in, const Attributes &) {
  MatrixCall m(e, in[0]);
  return m.call(kSvd, {false, false}, in, {{min(m.rows(), m.columns())}}, {ResultOf::Reals});
}

Arrays eighEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  MatrixCall m(e, in[0]);
  m.requireSquare();
  return m.call(kEigh, {a.boolean("lower"), true}, in, {{m.rows()}, {m.rows(), m.rows()}},
                ofEigh());
}

Arrays eigvalshEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  MatrixCall m(e, in[0]);
  m.requireSquare();
  return m.call(kEigh, {a.boolean("lower"), false}, in, {{m.rows()}}, {ResultOf::Reals});
}

//===--- derivatives ----------------------------------------------------------------===//

/// x r^-H of an upper triangular r.
Variable overAdjoint(const Variable &x, const Variable &r) {
  return adjoint(solveTriangular(r, adjoint(x)));
}

constexpr std::string_view kWide = "qr has no derivative for more columns than rows";

/// Why q and r of a have no derivative; none where they may.
std::string noQrDerivative(const Op &op, const Variable &a) {
  if (op.attributes().boolean("complete"))
    return "qr has no derivative where it is complete";
  int64_t m = a.type().extent(a.rank() - 2), n = a.type().extent(a.rank() - 1);
  return m != kDynamic && n != kDynamic && m < n ? std::string(kWide) : "";
}

/// r, which is square where there is a derivative.
Variable squareR(const Variable &r) {
  Op same =
      calledAs(builtin("specifyShapeLike", {{"message", std::string(kWide)}}), "gradient of qr");
  return build(same, {r, transposed(r)});
}

/// Walter and Lehmann 2010; of complex numbers Roberts and Roberts 2020: r's diagonal stays real.
Variables qrPullback(const Op &op, Inputs in, Outputs out, Gradients g) {
  if (std::string why = noQrDerivative(op, in[0]); !why.empty())
    return {Variable(Type::null(why))};
  const Variable &q = out[0], r = squareR(out[1]);
  Variable gq = orZeros(g[0], q), gr = orZeros(g[1], r);
  Variable m = matmul(r, adjoint(gr)) - matmul(adjoint(gq), q);
  Variable both = hermitianTriangleOf(m, true) + adjoint(tril(m, -1));
  return {overAdjoint(gq + matmul(q, both), r)};
}

/// With x = da r^-1 and m = q^H x: dr = (m - w) r and dq = q w + x - q m, where w is m's lower
/// triangle less its adjoint, and on the diagonal what of m is imaginary.
Variables qrPushforward(const Op &op, Inputs in, Outputs out, Tangents t) {
  if (std::string why = noQrDerivative(op, in[0]); !why.empty())
    return {Variable(Type::null(why)), Variable(Type::null(why))};
  const Variable &q = out[0], r = squareR(out[1]);
  Variable x = transposed(solveTriangular(r, transposed(t[0]), {.transposed = true}));
  Variable m = matmul(adjoint(q), x), below = tril(m, -1);
  Variable w = below - adjoint(below);
  if (isComplex(m.dtype()))
    w = w + timesI(onDiagonal(imag(diagonalOf(m))));
  return {matmul(q, w - m) + x, matmul(m - w, r)};
}

constexpr std::string_view kFull = "svd has no derivative where it is full";

/// Townsend, "Differentiating the singular value decomposition" (2016). Of complex numbers Wan and
/// Zhang 2019: with p = u^H da v, u changes by i Im(p) / s on the diagonal, too, and then columns
/// of u and v are turned by one angle.
Variables svdPullback(const Op &op, Inputs, Outputs out, Gradients g) {
  if (op.attributes().boolean("full"))
    return {Variable(Type::null(std::string(kFull)))};
  const Variable &u = out[0], &s = out[1], &vt = out[2];
  const bool turns = isComplex(u.dtype());
  Variable v = adjoint(vt), f = inverseDifferences(sqr(s));
  Variable core = onDiagonal(orZeros(g[1], s));
  Variable result, gu = g[0], gv = isPresent(g[2]) ? adjoint(g[2]) : g[2];
  auto more = [&](const Variable &term) { result = result.ok() ? result + term : term; };
  if (turns && (isPresent(gu) || isPresent(gv))) {
    Variable angles = isPresent(gu) ? turnOf(u, gu) : zerosLike(s);
    if (isPresent(gv))
      angles = angles + turnOf(v, gv);
    Variable turned = Phases(u).pulled(angles);
    gu = isPresent(gu) ? gu + turned : turned;
  }
  if (isPresent(gu)) {
    Variable inner = matmul(adjoint(u), gu);
    core = core + scaledColumns(f * (inner - adjoint(inner)), s);
    if (turns)
      core = core + timesI(onDiagonal(imag(diagonalOf(inner)) / s));
    more(matmul(scaledColumns(gu - matmul(u, inner), 1.0 / s), vt));
  }
  if (isPresent(gv)) {
    Variable inner = matmul(vt, gv);
    core = core + expandDims(s, Axis(-1)) * (f * (inner - adjoint(inner)));
    more(matmul(u, adjoint(scaledColumns(gv - matmul(v, inner), 1.0 / s))));
  }
  more(matmul(matmul(u, core), vt));
  return {result};
}

Variables svdPushforward(const Op &op, Inputs, Outputs out, Tangents t) {
  if (op.attributes().boolean("full")) {
    Variable none(Type::null(std::string(kFull)));
    return {none, none, none};
  }
  const Variable &u = out[0], &s = out[1], &vt = out[2];
  Variable v = adjoint(vt), f = inverseDifferences(sqr(s));
  Variable dav = matmul(t[0], v), dau = matmul(adjoint(t[0]), u);
  Variable p = matmul(adjoint(u), dav), pt = adjoint(p);
  Variable rows = expandDims(s, Axis(-1));
  Variable du =
      matmul(u, f * (scaledColumns(p, s) + rows * pt)) + scaledColumns(dav - matmul(u, p), 1.0 / s);
  Variable dv = matmul(v, f * (rows * p + scaledColumns(pt, s))) +
                scaledColumns(dau - matmul(v, pt), 1.0 / s);
  Variable diagonal = diagonalOf(p);
  if (isComplex(p.dtype())) {
    du = du + Phases::turned(u, imag(diagonal) / s);
    Variable angles = Phases(u).anglesOf(du);
    du = du + Phases::turned(u, angles);
    dv = dv + Phases::turned(v, angles);
  }
  return {du, realPart(diagonal), adjoint(dv)};
}

Variables svdvalsPullback(const Op &, Inputs in, Outputs, Gradients g) {
  SvdFactors f = svd(in[0]);
  return {matmul(scaledColumns(f.u, g[0]), f.vt)};
}

Variables svdvalsPushforward(const Op &, Inputs in, Outputs, Tangents t) {
  SvdFactors f = svd(in[0]);
  return {realPart(sum(conjugated(f.u) * matmul(t[0], adjoint(f.vt)), Axis(-2)))};
}

Variables eighPullback(const Op &op, Inputs, Outputs out, Gradients g) {
  const Variable &w = out[0], &v = out[1];
  Variable core = onDiagonal(orZeros(g[0], w));
  if (isPresent(g[1])) {
    Variable gv = g[1];
    if (isComplex(v.dtype()))
      gv = gv + Phases(v).pulled(turnOf(v, gv));
    core = core + inverseDifferences(w) * matmul(adjoint(v), gv);
  }
  return {folded(matmul(matmul(v, core), adjoint(v)), op.attributes().boolean("lower"))};
}

Variables eighPushforward(const Op &op, Inputs, Outputs out, Tangents t) {
  const Variable &w = out[0], &v = out[1];
  Variable da = unfolded(t[0], op.attributes().boolean("lower"));
  Variable p = matmul(matmul(adjoint(v), da), v);
  Variable dv = matmul(v, inverseDifferences(w) * p);
  if (isComplex(v.dtype()))
    dv = dv + Phases::turned(v, Phases(v).anglesOf(dv));
  return {realPart(diagonalOf(p)), dv};
}

Variables eigvalshPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  bool isLower = op.attributes().boolean("lower");
  Variable v = eigh(in[0], isLower).vectors;
  return {folded(matmul(scaledColumns(v, g[0]), adjoint(v)), isLower)};
}

Variables eigvalshPushforward(const Op &op, Inputs in, Outputs, Tangents t) {
  bool isLower = op.attributes().boolean("lower");
  Variable v = eigh(in[0], isLower).vectors;
  return {realPart(sum(conjugated(v) * matmul(unfolded(t[0], isLower), v), Axis(-2)))};
}

} // namespace

std::vector<OpDef> decompositionOps() {
  const AttributeSpec lower = flag("lower", true, "which triangle is read");
  return {
      onMatrices({.name = "qr",
                  .doc = "q with orthonormal columns and an upper triangular r, a = q r.\nr's "
                         "diagonal is real and not negative. Derivatives where a is not wide and "
                         "the factors are not complete.",
                  .attributes = {flag("complete", false, "whether q is square")},
                  .emit = qrEmission(),
                  .pullback = qrPullback,
                  .pushforward = qrPushforward,
                  .golden = {"qr"},
                  .example = "qr([[0., 2.], [-3., 4.]]) = [[0., 1.], [-1., 0.]]"},
                 {ResultOf::Numbers, ResultOf::Numbers}),
      onMatrices({.name = "svd",
                  .doc = "u, s and vt, a = u diag(s) vt: singular values, which descend, and "
                         "vectors, of complex matrices vt = v^H.\nThe first of the greatest "
                         "elements of a column of u is real and positive. Derivatives where "
                         "singular values differ and the factors are not full. LinAlgError where "
                         "the iteration does not converge.",
                  .attributes = {flag("full", false, "whether u and vt are square")},
                  .emit = svdEmission(),
                  .pullback = svdPullback,
                  .pushforward = svdPushforward,
                  .golden = {"svd"},
                  .example = "svd([[0., 2.], [3., 0.]]) = [[0., 1.], [1., 0.]]"},
                 ofSvd()),
      onMatrices({.name = "svdvals",
                  .doc = "Singular values, which descend.\nErrors as svd's.",
                  .emit = svdvalsEmission,
                  .pullback = svdvalsPullback,
                  .pushforward = svdvalsPushforward,
                  .golden = {"svdvals"},
                  .example = "svdvals([[3., 0.], [0., -4.]]) = [4., 3.]"},
                 {ResultOf::Reals}),
      onMatrices({.name = "eigh",
                  .doc = "Eigenvalues of symmetric (Hermitian) matrices, ascending, and "
                         "eigenvectors, as columns.\nOne triangle is read. The first of the "
                         "greatest elements of a vector is real and positive. Derivatives where "
                         "eigenvalues differ. Errors as svd's.",
                  .attributes = {lower},
                  .emit = eighEmission,
                  .pullback = eighPullback,
                  .pushforward = eighPushforward,
                  .golden = {"eigh", "eigh_all"},
                  .example = "eigh([[2., 0.], [0., -1.]]) = [-1., 2.]"},
                 ofEigh()),
      onMatrices({.name = "eigvalsh",
                  .doc = "Eigenvalues of symmetric (Hermitian) matrices, ascending.\nOne triangle "
                         "is read. Errors as svd's.",
                  .attributes = {lower},
                  .emit = eigvalshEmission,
                  .pullback = eigvalshPullback,
                  .pushforward = eigvalshPushforward,
                  .golden = {"eigvalsh"},
                  .example = "eigvalsh([[2., 0.], [0., -1.]]) = [-1., 2.]"},
                 {ResultOf::Reals}),
  };
}

} // namespace graphc
