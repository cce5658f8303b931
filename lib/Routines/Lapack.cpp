//===- Lapack.cpp - matrix decompositions, when they are needed -----------------===//
#include "Routines/Lapack.h"

#include "Support/SharedLibrary.h"

namespace graphc {

template <LapackInterface::Run LapackInterface::*kRun>
static absl::Status byLapack(const RoutineCall &call) {
  static const absl::StatusOr<void *> entry =
      loadOwnSymbol("libgraphc-lapack.so", "graphcLapackEntry");
  if (!entry.ok())
    return entry.status();
  return (reinterpret_cast<const LapackInterface *(*)()>(*entry)()->*kRun)(call);
}

using L = LapackInterface;
const Routine kCholesky = {"cholesky", byLapack<&L::cholesky>};
const Routine kSolveTriangular = {"solveTriangular", byLapack<&L::solveTriangular>};
const Routine kSolve = {"solve", byLapack<&L::solve>};
const Routine kInverse = {"inverse", byLapack<&L::inverse>};
const Routine kDeterminant = {"determinant", byLapack<&L::determinant>};
const Routine kLogDeterminant = {"logDeterminant", byLapack<&L::logDeterminant>};
const Routine kCofactors = {"cofactors", byLapack<&L::cofactors>};
const Routine kQr = {"qr", byLapack<&L::qr>};
const Routine kSvd = {"svd", byLapack<&L::svd>};
const Routine kEigh = {"eigh", byLapack<&L::eigh>};
const Routine kEigenvalues = {"eigenvalues", byLapack<&L::eigenvalues>};
const Routine kMatrixExponential = {"matrixExponential", byLapack<&L::matrixExponential>};
const Routine kMatrixLogarithm = {"matrixLogarithm", byLapack<&L::matrixLogarithm>};
const Routine kLuFactor = {"luFactor", byLapack<&L::luFactor>};
const Routine kLdl = {"ldl", byLapack<&L::ldl>};
const Routine kSolveSylvester = {"solveSylvester", byLapack<&L::solveSylvester>};

} // namespace graphc
