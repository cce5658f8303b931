//===- Lapack/Solvers.h - the functions of LapackInterface ----------*- C++ -*-===//
#pragma once

#include "Routines/Lapack.h"

namespace graphc {

inline constexpr std::string_view kNoConvergence =
    "has eigenvalues or singular values to which the iteration does not converge";

// Solvers.cpp
absl::Status cholesky(const RoutineCall &call);
absl::Status solveTriangular(const RoutineCall &call);
absl::Status solve(const RoutineCall &call);
absl::Status inverse(const RoutineCall &call);
absl::Status determinant(const RoutineCall &call);
absl::Status logDeterminant(const RoutineCall &call);
// Decompositions.cpp
absl::Status cofactors(const RoutineCall &call);
absl::Status qr(const RoutineCall &call);
absl::Status svd(const RoutineCall &call);
absl::Status eigh(const RoutineCall &call);
// Eigenvalues.cpp
absl::Status eigenvalues(const RoutineCall &call);
// Factors.cpp
absl::Status luFactor(const RoutineCall &call);
absl::Status ldl(const RoutineCall &call);
// MatrixEquations.cpp
absl::Status solveSylvester(const RoutineCall &call);
// MatrixExponential.cpp
absl::Status matrixExponential(const RoutineCall &call);
// MatrixLogarithm.cpp
absl::Status matrixLogarithm(const RoutineCall &call);

} // namespace graphc
