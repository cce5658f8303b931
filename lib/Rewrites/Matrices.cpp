//===- Rewrites/Matrices.cpp - inverses and determinants --------------------------===//
#include "Catalogue.h"
#include "Guards.h"
#include "graphc/Arrays.h"
#include "graphc/LinearAlgebra.h"

namespace graphc {
namespace {

/// The product of the diagonal of the triangular factor.
Proposal diagonalProduct(const Match &m) {
  return Proposal(Variables{prod(diagonal(m.root().input(0), 0, -2, -1), Axis(-1))});
}

Proposal logarithmOfDeterminant(const Match &m) {
  return Proposal(Variables{slogdet(m["a"]).logarithm});
}

Condition sameRank() {
  return Condition([](const Match &m) { return m["a"].rank() == m["b"].rank(); },
                   "a and b have one rank");
}

std::vector<Rule> inverses() {
  return {
      {.name = "inv_dot_to_solve",
       .pattern = "dot(inv(a), b)",
       .replacement = "solve(a, b)",
       .effects = kRounding,
       .when = rankOf("a", 2) && rankOf("b", 2),
       .doc = "A third of the operations, and a smaller error (Higham, Accuracy and Stability of "
              "Numerical Algorithms, 14.1). Both fail for the same matrices."},
      {.name = "inv_matmul_to_solve",
       .pattern = "matmul(inv(a), b)",
       .replacement = "solve(a, b)",
       .effects = kRounding,
       .when = sameRank()},
      {.name = "det_cholesky",
       .pattern = "det(cholesky(a, lower=p, givesNan=q))",
       .replacement = "the product of the factor's diagonal",
       .effects = kRounding,
       .cost = -1,
       .build = diagonalProduct,
       .examples = {"det(cholesky(a, givesNan=true))"}},
      {.name = "log_abs_det",
       .pattern = "log(abs(det(a)))",
       .replacement = "slogdet(a)'s second result",
       .effects = kRounding | kOverflow,
       .cost = -1,
       .build = logarithmOfDeterminant,
       .doc = "The determinant may overflow where its logarithm does not."},
  };
}

} // namespace

RuleFamily inverseRules() {
  return {"Inverses and determinants",
          {"stabilize", "linear_algebra", "fast_run"},
          kStabilize,
          inverses()};
}

} // namespace graphc
