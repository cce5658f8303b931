//===- graphc/LinearAlgebra.h - matrices: solving, decomposing -----*- C++ -*-===//
//
// Matrices are the last two axes, and batches of them the axes before, as in NumPy's linalg.
// Floats and complex numbers; integers and bools become floats first (F-009), halves are computed
// in float32. Of complex matrices "symmetric" ones are Hermitian, but for `solve`'s, transposed
// factors conjugate transposes, and what is positive is real, too. LAPACK computes
// (libgraphc-lapack is loaded at the first call). NaN and infinity give NaNs, but no positive
// definite matrix has NaN. LinAlgError names the first of a batch that fails. ShapeError for
// matrices that are not square where they must be. None of the functions fails by itself: a mistake
// is carried by the Variable, at the place of the first operand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graphc/Ops.h"

namespace graphc {

//===--- systems --------------------------------------------------------------===//

struct CholeskyOptions {
  bool lower = true;
  /// A matrix of NaNs in the place of LinAlgError where a matrix is not positive definite.
  bool givesNan = false;
};
/// The triangular factor of a symmetric positive definite matrix: l l^T, or u^T u. One triangle is
/// read; the gradient lies in it. Gradient: Murray 2016.
Variable cholesky(const Operand &a, CholeskyOptions options = {});

struct TriangularOptions {
  bool lower = false;
  bool transposed = false;   ///< solves a^T x = b
  bool unitDiagonal = false; ///< the diagonal counts as ones, and is not read
};
/// x with a x = b for a triangular a; the other triangle is not read. b is (..., n, k), or (..., n)
/// where it has one axis less than a. LinAlgError for a 0 on the diagonal. Batches broadcast.
Variable solveTriangular(const Operand &a, const Operand &b, TriangularOptions options = {});

enum class MatrixAssumption { General, Symmetric, Positive };
struct SolveOptions {
  MatrixAssumption assume = MatrixAssumption::General;
  /// Which triangle is read of a matrix that is not general; the gradient lies in it.
  bool lower = false;
};
/// x with a x = b: by LU with pivots, Bunch and Kaufman's method, or Cholesky's. b as above.
/// LinAlgError where a is singular, or not positive definite.
Variable solve(const Operand &a, const Operand &b, SolveOptions options = {});
/// x with l l^T x = b, or u^T u x = b, of a factor that cholesky gave.
Variable choSolve(const Operand &factor, const Operand &b, bool lower = true);

/// The LU factors of (..., m, n) with partial pivoting, packed in one matrix: l's part below the
/// diagonal, whose own is 1, and u. Of a singular matrix u has a 0 on its diagonal.
struct LuFactors {
  Variable factors;
  Variable
      pivots;     ///< int64 (..., min(m, n)): row i was exchanged with row pivots[i], i = 0, 1, ...
  Variable order; ///< int64 (..., m): row i of l u is row order[i] of a
};
LuFactors luFactor(const Operand &a);
/// The x with a x = b, or a^T x = b, of the factors of a square a. b as above. LinAlgError where a
/// is singular.
Variable luSolve(const LuFactors &factors, const Operand &b, bool transposed = false);

/// The inverse. LinAlgError where a is singular.
Variable inv(const Operand &a);
/// Moore and Penrose's inverse of (..., m, n): singular values not greater than `rcond` times the
/// greatest count as 0; by default max(m, n) times the dtype's epsilon.
Variable pinv(const Operand &a, std::optional<double> rcond = std::nullopt);
/// The x of least norm that makes |a x - b| least. b is (..., m, k), or (m) where a is a matrix.
Variable lstsq(const Operand &a, const Operand &b, std::optional<double> rcond = std::nullopt);

//===--- matrix equations -----------------------------------------------------------===//

/// The x with a x + x b = q, by Bartels and Stewart's method in float64. a is (..., m, m), b
/// (..., n, n), q (..., m, n); batches broadcast. LinAlgError where a has an eigenvalue that is the
/// negative of one of b's.
Variable solveSylvester(const Operand &a, const Operand &b, const Operand &q);
/// The x with a x + x a^H = q, and the x with x - a x a^H = q. LinAlgError where two eigenvalues of
/// a add up to 0, or have the product 1.
Variable solveContinuousLyapunov(const Operand &a, const Operand &q);
Variable solveDiscreteLyapunov(const Operand &a, const Operand &q);
/// The matrix whose diagonals are constant, (..., m, n), of its first column and row, whose own
/// first element does not count; a symmetric one without a row.
Variable toeplitz(const Operand &column, const std::optional<Operand> &row = std::nullopt);
/// The x with toeplitz(column, row) x = b, as `solve` gives it.
Variable solveToeplitz(const Operand &column, const Operand &b,
                       const std::optional<Operand> &row = std::nullopt);

//===--- numbers of a matrix --------------------------------------------------------===//

/// The determinant; 1 for 0 rows. The gradient is the matrix of cofactors, which is finite where a
/// is singular.
Variable det(const Operand &a);
/// Sign, and logarithm of the absolute value, of the determinant; 0 and -inf where a is singular.
struct SignAndLog {
  Variable sign, logarithm;
};
SignAndLog slogdet(const Operand &a);
/// x^T a x of a vector and a matrix.
Variable quadraticForm(const Operand &x, const Operand &a);
/// Norms of matrices: the square root of the sum of squares, the sum of the singular values, the
/// greatest and the least sum of absolute values by column or by row, the greatest and the least
/// singular value.
enum class MatrixNorm { Frobenius, Nuclear, One, MinusOne, Inf, MinusInf, Two, MinusTwo };
Variable matrixNorm(const Operand &a, MatrixNorm norm = MatrixNorm::Frobenius);

//===--- decompositions ---------------------------------------------------------------===//

/// a = p l u of (..., m, n): a permutation matrix, a unit lower triangular (m, k) and an upper
/// triangular (k, n), where k = min(m, n).
struct LuParts {
  Variable p, l, u;
};
LuParts lu(const Operand &a);

/// a = l d l^H of a symmetric or Hermitian matrix, by Bunch and Kaufman's method: d has blocks of
/// one and two rows, and the rows `order` of l are a unit triangular matrix, lower or upper as the
/// triangle that is read. Derivatives where d has an inverse.
struct LdlFactors {
  Variable l, d;
  Variable order; ///< int64 (..., n)
};
LdlFactors ldl(const Operand &a, bool lower = true);

/// a = q r with orthonormal columns of q and an upper triangular r, whose diagonal is not negative.
/// (..., m, n): q has min(m, n) columns, or m if complete. Differentiable where m >= n and it is
/// not complete (Walter and Lehmann 2010; Roberts and Roberts 2020).
struct QrFactors {
  Variable q, r;
};
QrFactors qr(const Operand &a, bool complete = false);

/// a = u diag(s) vt; s descends, and is real. (..., m, n): min(m, n) columns of u and rows of vt,
/// or m and n if full. The first of the greatest elements of a column of u is positive. The
/// gradient needs singular values that differ, and full = false; Townsend 2016, Wan and Zhang 2019.
/// It is that of the vectors which are chosen: of what does not depend on the choice it is the
/// usual one.
struct SvdFactors {
  Variable u, s, vt;
};
SvdFactors svd(const Operand &a, bool full = false);
/// The singular values alone, whose gradient is always there.
Variable svdvals(const Operand &a);

/// Of a symmetric or Hermitian matrix, of which one triangle is read (the gradient lies in it):
/// eigenvalues, real and ascending, and orthonormal eigenvectors, as columns; the first of the
/// greatest elements of each is positive. The gradient, of vectors so chosen, needs eigenvalues
/// that differ.
struct EighFactors {
  Variable values, vectors;
};
EighFactors eigh(const Operand &a, bool lower = true);
/// The eigenvalues alone, whose gradient is always there.
Variable eigvalsh(const Operand &a, bool lower = true);
/// The eigenvalues of any square matrix, complex, in no order that is promised, and eigenvectors of
/// length 1 as columns, the first of whose greatest elements is real and positive. The gradient, of
/// vectors so chosen, needs eigenvalues that differ; that of the values needs n eigenvectors:
/// LinAlgError or NaNs else.
struct EigFactors {
  Variable values, vectors;
};
EigFactors eig(const Operand &a);
/// The eigenvalues alone.
Variable eigvals(const Operand &a);

//===--- powers -----------------------------------------------------------------------===//

/// a times itself; the unit matrix for n = 0, the inverse's power for n < 0. By repeated squaring.
Variable matrixPower(const Operand &a, int n);
/// The matrix exponential: scaling, squaring and a Padé approximant (Higham 2005). The gradient is
/// the exponential of a block matrix (Najfeld and Havel 1995).
Variable expm(const Operand &a);
/// The principal matrix logarithm: inverse scaling and squaring (Higham 2008). NaNs where a has an
/// eigenvalue that is 0, or a real a one that is negative. The gradient is the logarithm of a block
/// matrix.
Variable logm(const Operand &a);

//===--- products -----------------------------------------------------------------------===//

/// Products and sums by labelled axes, NumPy's einsum: "ij,jk->ik". A label that occurs twice in a
/// term is a diagonal, one that the result lacks is summed over, `...` stands for the axes between;
/// without "->" the result has those of the ellipsis and the labels that occur once, in
/// alphabetical order. Operands are joined in the order that takes the fewest products, known
/// extents given. ValueError for a wrong equation, ShapeError for extents of one label that differ.
Variable einsum(std::string_view equation, const std::vector<Operand> &operands);
/// Sums of products over the last axes of both; 0-d operands multiply.
Variable inner(const Operand &x, const Operand &y);
/// The same of vectors, of matrices and vectors, of vectors and matrices: axes in front are a
/// batch, and broadcast. ShapeError for fewer axes.
Variable vecdot(const Operand &x, const Operand &y);
Variable matvec(const Operand &a, const Operand &x);
Variable vecmat(const Operand &x, const Operand &a);

//===--- products with a sum ------------------------------------------------------------===//

/// beta y + alpha a x.
Variable gemv(const Operand &y, const Operand &alpha, const Operand &a, const Operand &x,
              const Operand &beta);
/// beta c + alpha a b.
Variable gemm(const Operand &c, const Operand &alpha, const Operand &a, const Operand &b,
              const Operand &beta);
/// a + alpha x y^T.
Variable ger(const Operand &a, const Operand &alpha, const Operand &x, const Operand &y);

} // namespace graphc
