//===- Routines/Special.h - special functions -----------------------*- C++ -*-===//
//
// Routines that libgraphc-special has, which is loaded when one is called first. Operands are
// float64 vectors, each of the result's length or of one element; docs/Ops.md says what each gives
// where it has poles or no value. NaN where an operand is NaN.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Host.h"

namespace graphc {

/// Enumerator, name, operands.
#define GRAPHC_SPECIAL_FUNCTIONS(X)                                                                \
  X(Erfinv, "erfinv", 1)                                                                           \
  X(Erfcinv, "erfcinv", 1)                                                                         \
  X(Gammaln, "gammaln", 1)                                                                         \
  X(Gamma, "gamma", 1)                                                                             \
  X(Polygamma, "polygamma", 1) /* parameter: the order */                                          \
  X(Beta, "beta", 2)                                                                               \
  X(Betaln, "betaln", 2)                                                                           \
  X(Gammainc, "gammainc", 2)                                                                       \
  X(Gammaincc, "gammaincc", 2)                                                                     \
  X(Gammaincinv, "gammaincinv", 2)                                                                 \
  X(Gammainccinv, "gammainccinv", 2)                                                               \
  X(GammaincShape, "gammaincShape", 2) /* the derivative of gammainc by a */                       \
  X(Betainc, "betainc", 3)                                                                         \
  X(Betaincinv, "betaincinv", 3)                                                                   \
  X(BetaincShape, "betaincShape", 3) /* by a or b: parameter 0 or 1 */                             \
  X(BesselJ, "besselJ", 2)           /* order, argument; so the others */                          \
  X(BesselI, "besselI", 2)                                                                         \
  X(BesselIScaled, "besselIScaled", 2)                                                             \
  X(BesselK, "besselK", 2)                                                                         \
  X(BesselKScaled, "besselKScaled", 2)                                                             \
  X(Hyp2f1, "hyp2f1", 4)

enum class SpecialFunction {
#define GRAPHC_ENUMERATOR(id, name, operands) id,
  GRAPHC_SPECIAL_FUNCTIONS(GRAPHC_ENUMERATOR)
#undef GRAPHC_ENUMERATOR
};

#define GRAPHC_ROUTINE(id, name, operands) extern const Routine k##id;
GRAPHC_SPECIAL_FUNCTIONS(GRAPHC_ROUTINE)
#undef GRAPHC_ROUTINE

/// What libgraphc-special offers.
struct SpecialInterface {
  absl::Status (*run)(SpecialFunction function, const RoutineCall &call);
};

} // namespace graphc
