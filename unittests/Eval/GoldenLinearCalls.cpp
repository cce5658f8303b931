#include "GoldenCallTable.h"
#include "OpCases.h"
#include "graphc/LinearAlgebra.h"

namespace graphc {
namespace {

using Json = nlohmann::json;

bool isLower(const Json &attrs) { return attrs.value("lower", true); }

Variable solved(const Json &attrs, const Variables &in) {
  std::string kind = attrs.value("assume_a", "gen");
  SolveOptions options;
  options.assume = kind == "sym"   ? MatrixAssumption::Symmetric
                   : kind == "pos" ? MatrixAssumption::Positive
                                   : MatrixAssumption::General;
  options.lower = attrs.value("lower", false);
  return solve(in[0], in[1], options);
}

Variable triangular(const Json &attrs, const Variables &in) {
  return solveTriangular(in[0], in[1],
                         {.lower = attrs["lower"].get<bool>(),
                          .transposed = attrs["trans"].get<bool>(),
                          .unitDiagonal = attrs["unit_diagonal"].get<bool>()});
}

Variable norm(const Json &attrs, const Variables &in) {
  static const std::map<std::string, MatrixNorm> kinds = {
      {"fro", MatrixNorm::Frobenius}, {"nuc", MatrixNorm::Nuclear}, {"1", MatrixNorm::One},
      {"-1", MatrixNorm::MinusOne},   {"inf", MatrixNorm::Inf},     {"-inf", MatrixNorm::MinusInf},
      {"2", MatrixNorm::Two},         {"-2", MatrixNorm::MinusTwo}};
  return matrixNorm(in[0], kinds.at(attrs["ord"].get<std::string>()));
}

Variables both(SignAndLog all) { return {all.sign, all.logarithm}; }
Variables both(QrFactors all) { return {all.q, all.r}; }
Variables both(EighFactors all) { return {all.values, all.vectors}; }
Variables all(SvdFactors all) { return {all.u, all.s, all.vt}; }

Variables all(LuParts parts) { return {parts.p, parts.l, parts.u}; }
Variables both(LdlFactors parts) { return {parts.l, parts.d}; }
/// Positions in the dtype of the lines.
Variables positions(LuFactors f, DType dtype) {
  return {cast(f.pivots, dtype), cast(f.order, dtype)};
}

} // namespace

const GoldenCallTable &linearCalls() {
  static const auto &table = *new GoldenCallTable{
      {"cholesky", GRAPHC_ONE(cholesky(in[0], {.lower = isLower(a),
                                               .givesNan = a.value("on_error", "") == "nan"}))},
      {"solve", one(solved)},
      {"solve_triangular", one(triangular)},
      {"cho_solve", GRAPHC_ONE(choSolve(in[0], in[1], isLower(a)))},
      {"inv", GRAPHC_ONE(inv(in[0]))},
      {"pinv", GRAPHC_ONE(pinv(in[0]))},
      {"det", GRAPHC_ONE(det(in[0]))},
      {"cofactors", GRAPHC_ONE(callBuiltin("cofactors", {}, in))},
      {"slogdet", GRAPHC_ALL(both(slogdet(in[0])))},
      {"quadratic_form", GRAPHC_ONE(quadraticForm(in[0], in[1]))},
      {"matrix_norm", one(norm)},
      {"qr", GRAPHC_ALL(both(qr(in[0], a["mode"] == "complete")))},
      {"svd", GRAPHC_ALL(all(svd(in[0])))},
      {"svdvals", GRAPHC_ONE(svdvals(in[0]))},
      {"eigh", GRAPHC_ALL(both(eigh(in[0], isLower(a))))},
      {"eigh_all", GRAPHC_ALL(both(eigh(in[0], isLower(a))))},
      {"eigvalsh", GRAPHC_ONE(eigvalsh(in[0], isLower(a)))},
      {"matrix_power", GRAPHC_ONE(matrixPower(in[0], a["n"].get<int>()))},
      {"expm", GRAPHC_ONE(expm(in[0]))},
      {"lu_factor", GRAPHC_ONE(luFactor(in[0]).factors)},
      {"lu_positions", GRAPHC_ALL(positions(luFactor(in[0]), in[0].dtype()))},
      {"lu", GRAPHC_ALL(all(lu(in[0])))},
      {"ldl", GRAPHC_ALL(both(ldl(in[0], isLower(a))))},
      {"ldl_order", GRAPHC_ONE(cast(ldl(in[0], isLower(a)).order, in[0].dtype()))},
      {"solve_sylvester", GRAPHC_ONE(solveSylvester(in[0], in[1], in[2]))},
      {"solve_stein", GRAPHC_ONE(callBuiltin("solveSylvester", {{"discrete", true}}, in))},
      {"solve_continuous_lyapunov", GRAPHC_ONE(solveContinuousLyapunov(in[0], in[1]))},
      {"solve_discrete_lyapunov", GRAPHC_ONE(solveDiscreteLyapunov(in[0], in[1]))},
      {"solve_toeplitz", GRAPHC_ONE(solveToeplitz(in[0], in[2], Operand(in[1])))},
      {"logm", GRAPHC_ONE(logm(in[0]))},
      {"gemv", GRAPHC_ONE(gemv(in[0], in[1], in[2], in[3], in[4]))},
      {"gemm", GRAPHC_ONE(gemm(in[0], in[1], in[2], in[3], in[4]))},
      {"ger", GRAPHC_ONE(ger(in[0], in[1], in[2], in[3]))},
  };
  return table;
}

} // namespace graphc
