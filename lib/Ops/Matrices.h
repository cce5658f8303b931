//===- Ops/Matrices.h - what ops on matrices share ------------------*- C++ -*-===//
#pragma once

#include <functional>

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
  /// Requires that x has the rank and batch of the first operand: ShapeError.
  void requireBatch(Array x, std::string_view name) const;
  /// `results`: shapes behind the batch' axes. The last `integers` of them are int64, the others
  /// and the operands of the first operand's dtype.
  Arrays call(const Routine &routine, std::vector<int64_t> parameters, const Arrays &in,
              const std::vector<Extents> &results, size_t integers = 0) const;

private:
  Emitter &e_;
  Array x_;
  Extent batch_;
  Extents shape_;
};

/// `results` results of operand 0's dtype, then `integers` of int64, after checking that the first
/// operand has matrices of floats and that all have one dtype and batches of one rank.
TypesOr matrixTypes(const TypeRequest &request, size_t results, size_t integers = 0);
/// An op on matrices: operand "a", a type rule of one result, no bound in units and the section are
/// what it does not say.
OpDef onMatrices(OpDef def);
/// A square matrix to one of its shape.
EmitRule squareEmission(const Routine &routine,
                        std::function<std::vector<int64_t>(const Attributes &)> parameters = {});
AttributeSpec flag(std::string name, bool byDefault, std::string doc);

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
/// The derivative of a matrix function at `a` in a direction: the upper right block of its value at
/// [[a, direction], [0, a]].
Variable derivativeByBlocks(const std::function<Variable(const Variable &)> &function,
                            const Variable &a, const Variable &direction);
/// Columns of x times the elements of d.
inline Variable scaledColumns(const Variable &x, const Variable &d) {
  return x * expandDims(d, Axis(-2));
}

} // namespace graphc
