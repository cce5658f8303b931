//===- Ops/Matrices.h - what ops on matrices share ------------------*- C++ -*-===//
#pragma once

#include "Build.h"
#include "Derivatives.h"
#include "Routines/Lapack.h"
#include "Rules.h"
#include "graphc/Arrays.h"
#include "graphc/LinearAlgebra.h"

namespace graphc {

//===--- emission -----------------------------------------------------------------===//

/// A routine on batches of matrices. Operands have one dtype, in which results are.
class MatrixCall {
public:
  /// `x` has the batch' axes, and two more.
  MatrixCall(Emitter &e, Array x) : e_(e), x_(x), batch_(e.size(1)) {
    for (int k = 0; k < e.rank(x) - 2; ++k) {
      shape_.push_back(e.dim(x, k));
      batch_ = batch_ * e.dim(x, k);
    }
  }
  Extent rows() const { return e_.dim(x_, e_.rank(x_) - 2); }
  Extent columns() const { return e_.dim(x_, e_.rank(x_) - 1); }
  /// Requires that x is square: ShapeError.
  void requireSquare() const {
    e_.requireEqual(rows(), columns(), "the matrix must be square, not {a} x {b}");
  }
  /// `results`: shapes behind the batch' axes.
  Arrays call(const Routine &routine, std::vector<int64_t> parameters, const Arrays &in,
              const std::vector<Extents> &results) const;

private:
  Emitter &e_;
  Array x_;
  Extent batch_;
  Extents shape_;
};

/// One result for each of `results`, which are dtypes of operand 0, after checking that the first
/// operand has matrices of floats and that all have one dtype and batches of one rank.
TypesOr matrixTypes(const TypeRequest &request, size_t results);

//===--- derivatives ----------------------------------------------------------------===//

inline Variable transposed(const Variable &x) { return swapaxes(x, -1, -2); }
/// The part on and below the diagonal, or above.
inline Variable triangleOf(const Variable &x, bool isLower) { return isLower ? tril(x) : triu(x); }
inline Variable strictTriangleOf(const Variable &x, bool isLower) {
  return isLower ? tril(x, -1) : triu(x, 1);
}
/// The gradient of what a function reads of a symmetric matrix in one triangle, from that of all
/// elements.
inline Variable folded(const Variable &s, bool isLower) {
  return triangleOf(s, isLower) + strictTriangleOf(transposed(s), isLower);
}
/// The symmetric matrix of which one triangle is given.
inline Variable unfolded(const Variable &a, bool isLower) {
  return triangleOf(a, isLower) + transposed(strictTriangleOf(a, isLower));
}
/// Columns of x times the elements of d.
inline Variable scaledColumns(const Variable &x, const Variable &d) {
  return x * expandDims(d, Axis(-2));
}

} // namespace graphc
