//===- Export/MatrixParts.h - what matrices are made of -------------*- C++ -*-===//
//
// Graphs of float64 matrices, in batches. Rows and columns of a matrix are masks, not slices.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Export/ExportRules.h"
#include "Ops/Matrices.h"

namespace graphc {

/// The numbers 0, 1, ... of rows (or columns) of matrices, beside their elements.
Variable rowsOf(const Variable &a);
Variable columnsOf(const Variable &a);
Variable identityLike(const Variable &a);
/// By which what it is added to gets all axes of the batch.
Variable zeroPerMatrix(const Variable &a);
/// As much of the other triangle as a symmetric matrix' reader ignores is what this one has.
Variable mirrored(const Variable &a, bool isLower);

/// x with a x = b.
Variable solved(const Variable &a, const Variable &b);
/// l with l l^T = a of a symmetric matrix that may be singular: columns of 0 where no digits are
/// left.
Variable semidefiniteFactor(const Variable &a);
/// Orthonormal columns, and the upper triangular r with a diagonal that is not negative.
struct QrParts {
  Variable q, r;
};
QrParts qrOf(const Variable &a, bool isComplete);

} // namespace graphc
