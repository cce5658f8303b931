//===- Rewrites/Stable.cpp - formulas that keep their accuracy ------------===//
#include "Catalogue.h"
#include "Guards.h"

namespace graphc {

RuleFamily stableRules() {
  return {"Stable formulas",
          {"stabilize", "fast_run"},
          kStabilize,
          {
              {.name = "log1p", .pattern = "log(1 + x)", .replacement = "log1p(x)"},
              {.name = "log1p_exp",
               .pattern = "log1p(exp(x))",
               .replacement = "softplus(x)",
               .effects = kOverflow},
          }};
}

} // namespace graphc
