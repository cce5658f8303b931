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

/// What numbers a result has: those of the operands, or their real ones, complex ones, or int64.
enum class ResultOf { Numbers, Reals, Complexes, Positions };
using ResultsOf = std::vector<ResultOf>;

/// A routine on batches of matrices, real or complex ones. Operands have one dtype.
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
  /// `results`: shapes behind the batch' axes, and what is in them; by default numbers of the
  /// operands' dtype.
  Arrays call(const Routine &routine, std::vector<int64_t> parameters, const Arrays &in,
              const std::vector<Extents> &results, const ResultsOf &of = {}) const;

private:
  Emitter &e_;
  Array x_;
  Extent batch_;
  Extents shape_;
};

/// The types of results of matrices, after checking that the first operand has matrices of real or
/// complex floats and that all have one dtype and batches of one rank.
TypesOr matrixTypes(const TypeRequest &request, const ResultsOf &results);
/// An op on matrices of real or complex numbers, whose rules and emission know both: operand "a",
/// no bound in units and the section are what it does not say.
OpDef onMatrices(OpDef def, const ResultsOf &results = {ResultOf::Numbers});
/// A square matrix to one of its shape.
EmitRule squareEmission(const Routine &routine,
                        std::function<std::vector<int64_t>(const Attributes &)> parameters = {});
AttributeSpec flag(std::string name, bool byDefault, std::string doc);

//===--- derivatives ----------------------------------------------------------------===//

inline Variable transposed(const Variable &x) { return swapaxes(x, -1, -2); }
/// Of complex numbers the conjugates and the real parts; real ones are as they are.
inline Variable conjugated(const Variable &x) { return isComplex(x.dtype()) ? conj(x) : x; }
inline Variable realPart(const Variable &x) { return isComplex(x.dtype()) ? real(x) : x; }
/// The conjugate transpose.
inline Variable adjoint(const Variable &x) { return conjugated(transposed(x)); }
/// The part on and below the diagonal, or above.
inline Variable triangleOf(const Variable &x, bool isLower) { return isLower ? tril(x) : triu(x); }
inline Variable strictTriangleOf(const Variable &x, bool isLower) {
  return isLower ? tril(x, -1) : triu(x, 1);
}
/// The same with the real part of the diagonal.
Variable hermitianTriangleOf(const Variable &x, bool isLower);
/// The gradient of what a function reads of a Hermitian matrix in one triangle, from that of all
/// elements: of real ones a symmetric matrix.
inline Variable folded(const Variable &s, bool isLower) {
  return hermitianTriangleOf(s, isLower) + strictTriangleOf(adjoint(s), isLower);
}
/// The Hermitian matrix of which one triangle is given.
inline Variable unfolded(const Variable &a, bool isLower) {
  return hermitianTriangleOf(a, isLower) + adjoint(strictTriangleOf(a, isLower));
}
/// The derivative of a matrix function at `a` in a direction: the upper right block of its value at
/// [[a, direction], [0, a]].
Variable derivativeByBlocks(const std::function<Variable(const Variable &)> &function,
                            const Variable &a, const Variable &direction);
/// g, or zeros like x where there is none.
inline Variable orZeros(const Variable &g, const Variable &x) {
  return isPresent(g) ? g : zerosLike(x);
}
inline Variable diagonalOf(const Variable &x) { return diagonal(x, 0, -2, -1); }
/// The matrices with these diagonals.
Variable onDiagonal(const Variable &x);
/// 1 / (x[j] - x[i]) off the diagonal, 0 on it.
Variable inverseDifferences(const Variable &x);
/// Columns of x times the elements of d.
inline Variable scaledColumns(const Variable &x, const Variable &d) {
  return x * expandDims(d, Axis(-2));
}

} // namespace graphc
