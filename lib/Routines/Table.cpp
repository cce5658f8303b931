//===- Table.cpp - routines by name -----------------------------------------===//
#include "Routines/Draws.h"
#include "Routines/Lapack.h"
#include "Routines/Routines.h"
#include "Routines/Special.h"

namespace graphc {

const Routine *findRoutine(std::string_view name) {
  static constexpr const Routine *kAll[] = {&kCumulativeSum,
                                            &kCumulativeProduct,
                                            &kLinearRecurrence,
                                            &kComplexRecurrence,
                                            &kSort,
                                            &kArgsort,
                                            &kArgtopk,
                                            &kArgsortRows,
                                            &kSearchSorted,
                                            &kNonzero,
                                            &kLastWriters,
                                            &kNonMaxSuppression,
                                            &kCtcLoss,
                                            &kCtcGradient,
                                            &kCtcGradientAlong,
                                            &kPrint,
                                            &kComplexFourier,
                                            &kRealFourier,
                                            &kRealInverseFourier,
                                            &kCholesky,
                                            &kSolveTriangular,
                                            &kSolve,
                                            &kInverse,
                                            &kDeterminant,
                                            &kLogDeterminant,
                                            &kCofactors,
                                            &kQr,
                                            &kSvd,
                                            &kEigh,
                                            &kEigenvalues,
                                            &kMatrixExponential,
                                            &kMatrixLogarithm,
                                            &kLuFactor,
                                            &kLdl,
                                            &kSolveSylvester,
#define GRAPHC_ROUTINE(id, name, operands) &k##id,
                                            GRAPHC_SPECIAL_FUNCTIONS(GRAPHC_ROUTINE)
#undef GRAPHC_ROUTINE
#define GRAPHC_ROUTINE(id, name) &kDraw##id,
                                                GRAPHC_DRAWS(GRAPHC_ROUTINE)
#undef GRAPHC_ROUTINE
  };
  for (const Routine *routine : kAll)
    if (routine->name == name)
      return routine;
  return nullptr;
}

} // namespace graphc
