//===- Routines/Lapack.h - matrix decompositions -------------------*- C++ -*-===//
//
// Routines that libgraphc-lapack has, which is loaded when one is called first. Arrays are batches
// of matrices, (batch, m, n), of float32 or float64; of complex numbers, pairs of them, (batch, m,
// n, 2), and then symmetric matrices are Hermitian ones but for kSolve's, and what is positive is
// real. Matrices with elements that are NaN or
// infinite give NaNs, or an error where one says so below; LinAlgError names the first matrix of
// the batch that fails. Signs that a decomposition leaves open are chosen, so that results depend
// little on who built LAPACK: see each.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Host.h"

namespace graphc {

/// Parameters: isLower, givesNaN. a to its factor (n, n); the other triangle is neither read nor
/// other than 0. LinAlgError, or a matrix of NaNs, where it is not positive definite.
extern const Routine kCholesky;
/// Parameters: isLower, isTransposed, isUnit. a, b (n, k) to x: LinAlgError for a 0 on the
/// diagonal.
extern const Routine kSolveTriangular;
/// How a matrix is known to be.
enum class MatrixKind { General, Symmetric, Positive };
/// Parameters: MatrixKind, isLower. a, b (n, k) to x: LinAlgError where a is singular, or not
/// positive definite. Of a matrix that is not general one triangle is read.
extern const Routine kSolve;
/// No parameters. The inverse: LinAlgError where a is singular.
extern const Routine kInverse;
/// No parameters. To the determinants, (batch).
extern const Routine kDeterminant;
/// No parameters. To sign and logarithm, real, of the absolute value of the determinants, (batch).
extern const Routine kLogDeterminant;
/// No parameters. The matrix of cofactors, by singular values: finite where a is singular.
extern const Routine kCofactors;
/// Parameters: isComplete, givesQ. a (m, n) to [q,] r; r's diagonal is not negative.
extern const Routine kQr;
/// Parameters: isFull, givesVectors. a (m, n) to [u,] s (batch, min(m, n)) [, vt]. The first of the
/// greatest elements of each of u's columns is positive. LinAlgError where it does not converge.
extern const Routine kSvd;
/// Parameters: isLower, givesVectors. a to eigenvalues (batch, n), ascending [, and vectors, as
/// columns, of which the first of the greatest elements is positive]; one triangle is read.
extern const Routine kEigh;
/// Parameter: givesVectors. a to its eigenvalues, (batch, n) [, and vectors, as columns of length
/// 1, the first of whose greatest elements is real and positive]; both are complex. 2 for
/// givesVectors: LinAlgError where the vectors are not independent.
extern const Routine kEigenvalues;
/// No parameters. The matrix exponential by scaling, squaring and a Padé approximant (Higham 2005),
/// in float64.
extern const Routine kMatrixExponential;
/// No parameters. The principal logarithm by inverse scaling and squaring (Higham 2008), in
/// float64: NaNs where that of a real matrix is not real, or there is none.
extern const Routine kMatrixLogarithm;
/// No parameters. a (m, n) to l and u in one matrix (m, n), below and from the diagonal on, and
/// int64: the rows with which rows were exchanged, (batch, min(m, n)), and the order of a's rows
/// that follows, (batch, m). A pivot of 0 stays in u.
extern const Routine kLuFactor;
/// Parameters: isLower. a to l and d, a = l d l^H, and the int64 order of l's rows in which it is
/// unit triangular, (batch, n). d has blocks of one and two rows. One triangle is read.
extern const Routine kLdl;
/// Parameters: isDiscrete. a (m, m), b (n, n), q (m, n) to x: a x + x b = q, or x - a x b = q;
/// LinAlgError where there is no such x, or are many. In float64.
extern const Routine kSolveSylvester;

/// What libgraphc-lapack offers: a function for each of these routines.
struct LapackInterface {
  using Run = absl::Status (*)(const RoutineCall &call);
  Run cholesky, solveTriangular, solve, inverse, determinant, logDeterminant, cofactors, qr, svd,
      eigh, eigenvalues, matrixExponential, matrixLogarithm, luFactor, ldl, solveSylvester;
};

} // namespace graphc
