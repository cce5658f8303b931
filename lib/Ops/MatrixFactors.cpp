//===- MatrixFactors.cpp - LU and LDL^T ----------------------------------------------===//
#include "Families.h"
#include "Matrices.h"
#include "graphc/Indexing.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

ResultsOf ofLu() { return {ResultOf::Numbers, ResultOf::Positions, ResultOf::Positions}; }
ResultsOf ofLdl() { return {ResultOf::Numbers, ResultOf::Numbers, ResultOf::Positions}; }

//===--- LU ----------------------------------------------------------------------------===//

Arrays luEmission(Emitter &e, const Arrays &in, const Attributes &) {
  MatrixCall m(e, in[0]);
  return m.call(kLuFactor, {}, in,
                {{m.rows(), m.columns()}, {min(m.rows(), m.columns())}, {m.rows()}}, ofLu());
}

/// The factors with as many columns and rows as make them square: l is unit lower triangular of
/// (m, m), u upper triangular of (n, n), and packed + I = l e + e u for the (m, n) unit matrix e.
struct SquareFactors {
  Variable l, u;

  explicit SquareFactors(const Variable &packed) {
    Variable m = shape(packed, -2), n = shape(packed, -1);
    auto unit = [&](const Variable &rows, const Variable &columns) {
      return eye(rows, columns, 0, realDType(packed.dtype()));
    };
    // Without the columns beyond m, with as many of 0 as m has more, and so the rows of u.
    bool isSquare =
        packed.type().extent(packed.rank() - 1) != kDynamic &&
        packed.type().extent(packed.rank() - 1) == packed.type().extent(packed.rank() - 2);
    Variable below = tril(packed, -1), above = triu(packed);
    if (isSquare) {
      l = below + unit(m, m), u = above;
      return;
    }
    l = matmul(below, unit(n, m)) + unit(m, m);
    u = matmul(unit(n, m), above) + unit(n, n) - matmul(unit(n, m), unit(m, n));
  }
};

Variable rowsInOrder(const Variable &x, const Variable &order) {
  return takeAlongAxis(x, expandDims(order, Axis(-1)), {.axis = -2});
}

constexpr TriangularOptions kUnitLower{.lower = true, .unitDiagonal = true};

/// x u^-1.
Variable overUpper(const Variable &x, const Variable &u) {
  return transposed(solveTriangular(u, transposed(x), {.transposed = true}));
}

/// De Hoog, Anderssen and Lukas 2011: with w = l^-1 p da u^-1, the change of l and u in one matrix
/// is l times w's part below the diagonal, plus the rest times u.
Variables luPushforward(const Op &, Inputs, Outputs out, Tangents t) {
  SquareFactors f(out[0]);
  Variable w = overUpper(solveTriangular(f.l, rowsInOrder(t[0], out[2]), kUnitLower), f.u);
  return {matmul(f.l, tril(w, -1)) + matmul(triu(w), f.u), zeroDerivative(), zeroDerivative()};
}

Variables luPullback(const Op &, Inputs, Outputs out, Gradients g) {
  if (!isPresent(g[0]))
    return {zeroDerivative()};
  SquareFactors f(out[0]);
  Variable w = tril(matmul(adjoint(f.l), g[0]), -1) + triu(matmul(g[0], adjoint(f.u)));
  Variable x = adjoint(solveTriangular(f.u, adjoint(w)));
  TriangularOptions back = kUnitLower;
  back.transposed = true;
  return {rowsInOrder(solveTriangular(conjugated(f.l), x, back), argsort(out[2]))};
}

//===--- LDL^T --------------------------------------------------------------------------===//

Arrays ldlEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  MatrixCall m(e, in[0]);
  m.requireSquare();
  return m.call(kLdl, {a.boolean("lower")}, in,
                {{m.rows(), m.rows()}, {m.rows(), m.rows()}, {m.rows()}}, ofLdl());
}

/// Where d has its blocks, and which part of l changes: that beside them.
struct Blocks {
  Variable own, beside;

  Blocks(const Variable &d, const Variable &a, bool isLower) {
    Variable n = shape(a, -1);
    own = logicalOr(neq(d, 0.0), eye(n, std::nullopt, 0, DType::Bool));
    Variable side = isLower ? tri(n, n, -1, DType::Bool) : transpose(tri(n, n, -1, DType::Bool));
    beside = logicalAnd(side, logicalNot(own));
  }
};

Variable only(const Variable &mask, const Variable &x) { return where(mask, x, 0.0); }

/// x d^-1 of a Hermitian d.
Variable overBlocks(const Variable &x, const Variable &d) { return adjoint(solve(d, adjoint(x))); }

/// With m = l^-1 da l^-H: dd are m's blocks, and dl = l k for k d = m's part beside them.
Variables ldlPushforward(const Op &op, Inputs in, Outputs out, Tangents t) {
  bool isLower = op.attributes().boolean("lower");
  const Variable &l = out[0], &d = out[1];
  Blocks blocks(d, in[0], isLower);
  Variable m = solve(l, adjoint(solve(l, unfolded(t[0], isLower))));
  return {matmul(l, overBlocks(only(blocks.beside, m), d)), only(blocks.own, m), zeroDerivative()};
}

Variables ldlPullback(const Op &op, Inputs in, Outputs out, Gradients g) {
  bool isLower = op.attributes().boolean("lower");
  const Variable &l = out[0], &d = out[1];
  Blocks blocks(d, in[0], isLower);
  Variable m;
  if (isPresent(g[0]))
    m = only(blocks.beside, overBlocks(matmul(adjoint(l), g[0]), d));
  if (isPresent(g[1]))
    m = m.ok() ? m + only(blocks.own, g[1]) : only(blocks.own, g[1]);
  if (!m.ok())
    return {zeroDerivative()};
  Variable lt = adjoint(l);
  return {folded(adjoint(solve(lt, adjoint(solve(lt, m)))), isLower)};
}

} // namespace

std::vector<OpDef> matrixFactorOps() {
  return {
      onMatrices(
          {.name = "luFactor",
           .doc = "L and u of a = p l u in one matrix, of which l, with ones on its diagonal, "
                  "is the part below the diagonal.\nBy partial pivoting. Besides, int64: the row "
                  "with which each row was exchanged, and the order of a's rows that follows. "
                  "Of a singular matrix an element of u's diagonal is 0.",
           .emit = luEmission,
           .pullback = luPullback,
           .pushforward = luPushforward,
           .golden = {"lu_factor"},
           .example = "luFactor([[1., 2.], [4., 4.]]) = [[4., 4.], [0.25, 1.]]"},
          ofLu()),
      onMatrices(
          {.name = "ldl",
           .doc =
               "L and d of symmetric matrices, a = l d l^T (Hermitian ones, l d l^H), where d has "
               "blocks of one and two rows, and the order of l's rows in which it is triangular "
               "with ones on its "
               "diagonal.\nBunch and Kaufman's method. One triangle is read. Derivatives where "
               "d has an inverse (LinAlgError).",
           .attributes = {flag("lower", true, "which triangle is read; l is one in its order")},
           .emit = ldlEmission,
           .pullback = ldlPullback,
           .pushforward = ldlPushforward,
           .golden = {"ldl"},
           .example = "ldl([[4., 2.], [2., 5.]]) = [[1., 0.], [0.5, 1.]]"},
          ofLdl()),
  };
}

} // namespace graphc
