//===- Decompositions.cpp - QR, singular values, eigenvalues ------------------------===//
#include "Families.h"
#include "Graph/CalledAs.h"
#include "Matrices.h"

namespace graphc {
namespace {

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
                   {isFull ? m.columns() : least, m.columns()}});
  };
}

Arrays svdvalsEmission(Emitter &e, const Arrays &in, const Attributes &) {
  MatrixCall m(e, in[0]);
  return m.call(kSvd, {false, false}, in, {{min(m.rows(), m.columns())}});
}

Arrays eighEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  MatrixCall m(e, in[0]);
  m.requireSquare();
  return m.call(kEigh, {a.boolean("lower"), true}, in, {{m.rows()}, {m.rows(), m.rows()}});
}

Arrays eigvalshEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  MatrixCall m(e, in[0]);
  m.requireSquare();
  return m.call(kEigh, {a.boolean("lower"), false}, in, {{m.rows()}});
}

//===--- derivatives ----------------------------------------------------------------===//

/// g, or zeros like x where there is none.
Variable orZeros(const Variable &g, const Variable &x) { return isPresent(g) ? g : zerosLike(x); }

/// x r^-T of an upper triangular r.
Variable overTransposed(const Variable &x, const Variable &r) {
  return transposed(solveTriangular(r, transposed(x)));
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

Variables qrPullback(const Op &op, Inputs in, Outputs out, Gradients g) {
  if (std::string why = noQrDerivative(op, in[0]); !why.empty())
    return {Variable(Type::null(why))};
  const Variable &q = out[0], r = squareR(out[1]);
  Variable gq = orZeros(g[0], q), gr = orZeros(g[1], r);
  Variable m = matmul(r, transposed(gr)) - matmul(transposed(gq), q);
  return {overTransposed(gq + matmul(q, tril(m) + transposed(tril(m, -1))), r)};
}

/// With x = da r^-1 and m = q^T x: dr = (m - w) r and dq = q w + x - q m, where w is m's lower
/// triangle less its transpose.
Variables qrPushforward(const Op &op, Inputs in, Outputs out, Tangents t) {
  if (std::string why = noQrDerivative(op, in[0]); !why.empty())
    return {Variable(Type::null(why)), Variable(Type::null(why))};
  const Variable &q = out[0], r = squareR(out[1]);
  Variable x = transposed(solveTriangular(r, transposed(t[0]), {.transposed = true}));
  Variable m = matmul(transposed(q), x), below = tril(m, -1);
  Variable w = below - transposed(below);
  return {matmul(q, w - m) + x, matmul(m - w, r)};
}

/// 1 / (x[j] - x[i]) off the diagonal, 0 on it.
Variable inverseDifferences(const Variable &x) {
  Variable difference = expandDims(x, Axis(-2)) - expandDims(x, Axis(-1));
  Variable isDiagonal = eye(shape(x, -1), std::nullopt, 0, DType::Bool);
  return where(isDiagonal, 0.0, 1.0 / where(isDiagonal, 1.0, difference));
}

constexpr std::string_view kFull = "svd has no derivative where it is full";

/// Townsend, "Differentiating the singular value decomposition" (2016).
Variables svdPullback(const Op &op, Inputs, Outputs out, Gradients g) {
  if (op.attributes().boolean("full"))
    return {Variable(Type::null(std::string(kFull)))};
  const Variable &u = out[0], &s = out[1], &vt = out[2];
  Variable v = transposed(vt), f = inverseDifferences(sqr(s));
  Variable core =
      eye(shape(s, -1), std::nullopt, 0, s.dtype()) * expandDims(orZeros(g[1], s), Axis(-2));
  Variable result;
  auto more = [&](const Variable &term) { result = result.ok() ? result + term : term; };
  if (isPresent(g[0])) {
    const Variable &gu = g[0];
    Variable inner = matmul(transposed(u), gu);
    core = core + scaledColumns(f * (inner - transposed(inner)), s);
    more(matmul(scaledColumns(gu - matmul(u, inner), 1.0 / s), vt));
  }
  if (isPresent(g[2])) {
    Variable gv = transposed(g[2]), inner = matmul(vt, gv);
    core = core + expandDims(s, Axis(-1)) * (f * (inner - transposed(inner)));
    more(matmul(u, transposed(scaledColumns(gv - matmul(v, inner), 1.0 / s))));
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
  Variable v = transposed(vt), f = inverseDifferences(sqr(s));
  Variable dav = matmul(t[0], v), dau = matmul(transposed(t[0]), u);
  Variable p = matmul(transposed(u), dav), pt = transposed(p);
  Variable rows = expandDims(s, Axis(-1));
  Variable du =
      matmul(u, f * (scaledColumns(p, s) + rows * pt)) + scaledColumns(dav - matmul(u, p), 1.0 / s);
  Variable dv = matmul(v, f * (rows * p + scaledColumns(pt, s))) +
                scaledColumns(dau - matmul(v, pt), 1.0 / s);
  return {du, diagonal(p, 0, -2, -1), transposed(dv)};
}

Variables svdvalsPullback(const Op &, Inputs in, Outputs, Gradients g) {
  SvdFactors f = svd(in[0]);
  return {matmul(scaledColumns(f.u, g[0]), f.vt)};
}

Variables svdvalsPushforward(const Op &, Inputs in, Outputs, Tangents t) {
  SvdFactors f = svd(in[0]);
  return {sum(f.u * matmul(t[0], transposed(f.vt)), Axis(-2))};
}

Variables eighPullback(const Op &op, Inputs, Outputs out, Gradients g) {
  const Variable &w = out[0], &v = out[1];
  Variable core =
      eye(shape(w, -1), std::nullopt, 0, w.dtype()) * expandDims(orZeros(g[0], w), Axis(-2));
  if (isPresent(g[1]))
    core = core + inverseDifferences(w) * matmul(transposed(v), g[1]);
  return {folded(matmul(matmul(v, core), transposed(v)), op.attributes().boolean("lower"))};
}

Variables eighPushforward(const Op &op, Inputs, Outputs out, Tangents t) {
  const Variable &w = out[0], &v = out[1];
  Variable da = unfolded(t[0], op.attributes().boolean("lower"));
  Variable p = matmul(matmul(transposed(v), da), v);
  return {diagonal(p, 0, -2, -1), matmul(v, inverseDifferences(w) * p)};
}

Variables eigvalshPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  bool isLower = op.attributes().boolean("lower");
  Variable v = eigh(in[0], isLower).vectors;
  return {folded(matmul(scaledColumns(v, g[0]), transposed(v)), isLower)};
}

Variables eigvalshPushforward(const Op &op, Inputs in, Outputs, Tangents t) {
  bool isLower = op.attributes().boolean("lower");
  Variable v = eigh(in[0], isLower).vectors;
  return {sum(v * matmul(unfolded(t[0], isLower), v), Axis(-2))};
}

OpDef decomposition(OpDef def) {
  def.operands = {{"a"}};
  size_t results = size_t(def.numResults);
  def.type = [results](const TypeRequest &request) { return matrixTypes(request, results); };
  def.maxUlp = {-1, -1};
  def.section = section(kLinearAlgebra);
  return def;
}

} // namespace

std::vector<OpDef> decompositionOps() {
  const AttributeSpec lower = flag("lower", true, "which triangle is read");
  return {
      decomposition({.name = "qr",
                     .doc = "q with orthonormal columns and an upper triangular r, a = q r.\nr's "
                            "diagonal is not negative. Derivatives where a is not wide and the "
                            "factors are not complete.",
                     .numResults = 2,
                     .attributes = {flag("complete", false, "whether q is square")},
                     .emit = qrEmission(),
                     .pullback = qrPullback,
                     .pushforward = qrPushforward,
                     .golden = {"qr"},
                     .example = "qr([[0., 2.], [-3., 4.]]) = [[0., 1.], [-1., 0.]]"}),
      decomposition({.name = "svd",
                     .doc =
                         "u, s and vt, a = u diag(s) vt: singular values, which descend, and "
                         "vectors.\nThe first of the greatest elements of a column of u is "
                         "positive. Derivatives where singular values differ and the factors are "
                         "not full. LinAlgError where the iteration does not converge.",
                     .numResults = 3,
                     .attributes = {flag("full", false, "whether u and vt are square")},
                     .emit = svdEmission(),
                     .pullback = svdPullback,
                     .pushforward = svdPushforward,
                     .golden = {"svd"},
                     .example = "svd([[0., 2.], [3., 0.]]) = [[0., 1.], [1., 0.]]"}),
      decomposition({.name = "svdvals",
                     .doc = "Singular values, which descend.\nErrors as svd's.",
                     .emit = svdvalsEmission,
                     .pullback = svdvalsPullback,
                     .pushforward = svdvalsPushforward,
                     .golden = {"svdvals"},
                     .example = "svdvals([[3., 0.], [0., -4.]]) = [4., 3.]"}),
      decomposition({.name = "eigh",
                     .doc =
                         "Eigenvalues of symmetric matrices, ascending, and eigenvectors, as "
                         "columns.\nOne triangle is read. The first of the greatest elements of a "
                         "vector is positive. Derivatives where eigenvalues differ.",
                     .numResults = 2,
                     .attributes = {lower},
                     .emit = eighEmission,
                     .pullback = eighPullback,
                     .pushforward = eighPushforward,
                     .golden = {"eigh", "eigh_all"},
                     .example = "eigh([[2., 0.], [0., -1.]]) = [-1., 2.]"}),
      decomposition({.name = "eigvalsh",
                     .doc = "Eigenvalues of symmetric matrices, ascending.\nOne triangle is read.",
                     .attributes = {lower},
                     .emit = eigvalshEmission,
                     .pullback = eigvalshPullback,
                     .pushforward = eigvalshPushforward,
                     .golden = {"eigvalsh"},
                     .example = "eigvalsh([[2., 0.], [0., -1.]]) = [-1., 2.]"}),
  };
}

} // namespace graphc
