//===- Entry.cpp - what libgraphc loads ---------------------------------------===//
#include "Solvers.h"

extern "C" const graphc::LapackInterface *graphcLapackEntry() {
  using namespace graphc;
  static const LapackInterface lapack = {cholesky,
                                         solveTriangular,
                                         solve,
                                         inverse,
                                         determinant,
                                         logDeterminant,
                                         cofactors,
                                         qr,
                                         svd,
                                         eigh,
                                         eigenvalues,
                                         matrixExponential,
                                         matrixLogarithm,
                                         luFactor,
                                         ldl,
                                         solveSylvester};
  return &lapack;
}
