#include "LinearCases.h"

#include "graphc/Arrays.h"
#include "graphc/LinearAlgebra.h"

namespace graphc {
namespace {

using V = const Variables &;
using Call = std::function<Variable(const Variables &)>;

/// x with more on the diagonal, different at each place, so that it has an inverse, and eigenvalues
/// and singular values that differ. In one float or complex dtype.
Variable regular(const Variable &x) {
  Variable v = isFloat(realDType(x.dtype())) ? x : cast(x, DType::Float64);
  Variable bounded = v / (1.0 + abs(v)); // in (-1, 1)
  Variable row = dimshuffle(arange(shape(v, -2)), {0, -1});
  Variable column = dimshuffle(arange(shape(v, -1)), {-1, 0});
  return bounded + where(graphc::eq(row, column), cast(9.0 + 4.0 * row, v.dtype()), 0.0);
}

/// The parts of a result side by side, as a vector.
Variable together(const Variables &parts) {
  Variables flat;
  for (const Variable &part : parts)
    flat.push_back(flatten(part));
  return concatenate(flat);
}

std::vector<OpCase> ofSquares(const Call &call) {
  return {{{{3, 3}}, call},
          {{{1, 1}}, call},
          {{{2, 2, 4, 4}}, call},
          {{{0, 2, 2}}, call},
          {{{0, 0}}, call}};
}

std::vector<OpCase> ofSystems(const Call &call) {
  return {{{{3, 3}, {3, 2}}, call},
          {{{3, 3}, {3}}, call},
          {{{2, 2, 3, 3}, {2, 2, 3, 1}}, call},
          {{{2, 3, 3}, {2, 3, 0}}, call},
          {{{0, 0}, {0, 2}}, call}};
}

std::vector<OpCase> ofAny(const Call &call) {
  return {{{{3, 3}}, call}, {{{4, 2}}, call}, {{{2, 3, 2}}, call}, {{{0, 3, 2}}, call}};
}

} // namespace

std::map<std::string, std::vector<OpCase>> linearCases() {
  auto square = [](Variable (*call)(const Operand &)) {
    return ofSquares([=](V x) { return call(regular(x[0])); });
  };
  std::vector<OpCase> choleskies = ofSquares([](V x) { return cholesky(regular(x[0])); });
  choleskies.push_back({{{3, 3}}, [](V x) { return cholesky(regular(x[0]), {.lower = false}); }});
  std::vector<OpCase> systems = ofSystems([](V x) { return solve(regular(x[0]), x[1]); });
  for (MatrixAssumption assume : {MatrixAssumption::Symmetric, MatrixAssumption::Positive})
    for (bool lower : {false, true})
      systems.push_back({{{3, 3}, {3, 2}}, [=](V x) {
                           return solve(regular(x[0]), x[1], {.assume = assume, .lower = lower});
                         }});
  std::vector<OpCase> triangular =
      ofSystems([](V x) { return solveTriangular(regular(x[0]), x[1]); });
  for (int k = 1; k < 8; ++k)
    triangular.push_back({{{3, 3}, {3, 2}}, [=](V x) {
                            return solveTriangular(regular(x[0]), x[1],
                                                   {.lower = (k & 1) != 0,
                                                    .transposed = (k & 2) != 0,
                                                    .unitDiagonal = (k & 4) != 0});
                          }});
  std::vector<OpCase> ldls = ofSquares([](V x) {
    LdlFactors f = ldl(regular(x[0]));
    return together({f.l, f.d, cast(f.order, f.l.dtype())});
  });
  // Blocks of two rows: nothing on the diagonal.
  for (bool lower : {false, true})
    ldls.push_back({{{4, 4}}, [=](V x) {
                      Variable v = regular(x[0]);
                      LdlFactors f = ldl(v - v * eye(4, 4, 0, realDType(v.dtype())), lower);
                      return together({f.l, f.d, cast(f.order, f.l.dtype())});
                    }});
  std::vector<OpCase> equations;
  for (bool discrete : {false, true})
    for (const std::vector<std::vector<int64_t>> &shapes :
         {std::vector<std::vector<int64_t>>{{3, 3}, {2, 2}, {3, 2}},
          {{2, 1, 1}, {2, 2, 2}, {2, 1, 2}},
          {{0, 0}, {2, 2}, {0, 2}}})
      equations.push_back({shapes, [=](V x) {
                             double scale = discrete ? 1.0 / 64 : 1;
                             return callBuiltin("solveSylvester", {{"discrete", discrete}},
                                                {regular(x[0]) * scale, regular(x[1]) * scale,
                                                 cast(x[2], regular(x[0]).dtype())});
                           }});
  return {
      {"luFactor", ofAny([](V x) {
         LuFactors f = luFactor(regular(x[0]));
         DType dtype = f.factors.dtype();
         return together({f.factors, cast(f.pivots, dtype), cast(f.order, dtype)});
       })},
      {"ldl", ldls},
      {"solveSylvester", equations},
      {"logm", ofSquares([](V x) { return logm(regular(x[0])); })},
      {"pinv", ofAny([](V x) { return pinv(regular(x[0])); })},
      {"cholesky", choleskies},
      {"solve", systems},
      {"solveTriangular", triangular},
      {"inv", square(&inv)},
      {"det", square(&det)},
      {"slogdet", ofSquares([](V x) {
         SignAndLog all = slogdet(regular(x[0]));
         return all.sign * all.logarithm;
       })},
      {"cofactors", ofSquares([](V x) { return callBuiltin("cofactors", {}, {regular(x[0])}); })},
      {"expm", ofSquares([](V x) { return expm(regular(x[0]) / 16.0); })},
      {"qr", ofAny([](V x) {
         QrFactors f = qr(regular(x[0]));
         return together({f.q, f.r});
       })},
      {"svd", ofAny([](V x) {
         SvdFactors f = svd(regular(x[0]));
         return together({f.u, f.s, f.vt});
       })},
      {"svdvals", ofAny([](V x) { return svdvals(regular(x[0])); })},
      {"eigh", ofSquares([](V x) {
         EighFactors f = eigh(regular(x[0]));
         return together({f.values, f.vectors});
       })},
      {"eigvalsh", ofSquares([](V x) { return eigvalsh(regular(x[0])); })},
      {"eig", ofSquares([](V x) {
         EigFactors f = eig(regular(x[0]));
         return together({real(f.values), imag(f.vectors)});
       })},
      {"eigvals", ofSquares([](V x) {
         Variable w = eigvals(regular(x[0]));
         return together({real(w), imag(w)});
       })},
  };
}

} // namespace graphc
