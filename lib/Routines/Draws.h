//===- Routines/Draws.h - random numbers by rejection, and in rows ---*- C++ -*-===//
//
// Draws whose elements take an unknown number of random bits, or are made together, as rows. Each
// element or row has a stream of its own (Samplers.h), so that threads draw them in any order.
// Computed in float64 with libm.
//
// Inputs: the state of the generator, two int64, then float64 parameters. Parameters of the call:
// whether a draw is a row, along the result's last axis, then for each input parameter how many of
// its last axes belong to one draw. The axes before broadcast. The result is float64, or int64
// where integers are drawn. ValueError where what a requirement on elements cannot say is wrong
// with the parameters: of the first row that fails.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Host.h"

namespace graphc {

/// Enumerator and name; docs/Ops.md has the distributions and the order of their parameters.
#define GRAPHC_DRAWS(X)                                                                            \
  X(Gamma, "drawGamma")                                                                            \
  X(Invgamma, "drawInvgamma")                                                                      \
  X(Chisquare, "drawChisquare")                                                                    \
  X(Beta, "drawBeta")                                                                              \
  X(StudentT, "drawStudentT")                                                                      \
  X(Vonmises, "drawVonmises")                                                                      \
  X(Wald, "drawWald")                                                                              \
  X(Truncnormal, "drawTruncnormal")                                                                \
  X(Poisson, "drawPoisson")                                                                        \
  X(Binomial, "drawBinomial")                                                                      \
  X(NegativeBinomial, "drawNegativeBinomial")                                                      \
  X(Hypergeometric, "drawHypergeometric")                                                          \
  X(Betabinom, "drawBetabinom")                                                                    \
  X(Categorical, "drawCategorical")                                                                \
  X(Multinomial, "drawMultinomial")                                                                \
  X(Dirichlet, "drawDirichlet")                                                                    \
  X(MultivariateNormal, "drawMultivariateNormal")                                                  \
  X(Permutation, "drawPermutation")                                                                \
  X(WeightedPermutation, "drawWeightedPermutation")

#define GRAPHC_ROUTINE(id, name) extern const Routine kDraw##id;
GRAPHC_DRAWS(GRAPHC_ROUTINE)
#undef GRAPHC_ROUTINE

} // namespace graphc
