//===- graphc/Arrays.h - arrays rearranged and made -------------*- C++ -*-===//
//
// NumPy's functions that are made of ops (graphc/Ops.h), and so have their dtypes, derivatives and
// errors: a mistake is carried by the Variable, at the place of the first operand. Axes may be
// negative: they count from the end. AxisError where there is no such axis.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graphc/Ops.h"

namespace graphc {

/// The elements in reverse order along the axes: all by default.
Variable flip(const Operand &x, const Axes &axes = {});
/// Element i goes to (i + shift) modulo n; without an axis, of the flattened x.
Variable roll(const Operand &x, const Operand &shift, std::optional<int> axis = std::nullopt);
/// The same along several axes, one after the other. ValueError where shifts are not as many.
Variable roll(const Operand &x, const std::vector<int64_t> &shifts, const std::vector<int> &axes);
/// Turned `k` times by 90 degrees from the first axis to the second.
Variable rot90(const Operand &x, int k = 1, int axis1 = 0, int axis2 = 1);

/// reps[i] copies one after the other along axis i; leading axes of extent 1 are added to the
/// shorter of the two. ValueError for negative ones.
Variable tile(const Operand &x, const std::vector<int64_t> &reps);
/// Each element `repeats` times in a row, along an axis or of the flattened x. ValueError where
/// that is negative.
Variable repeat(const Operand &x, int64_t repeats, std::optional<int> axis = std::nullopt);
/// The same, element i repeats[i] times: as many as x has along the axis (IndexError).
Variable repeat(const Operand &x, const std::vector<int64_t> &repeats,
                std::optional<int> axis = std::nullopt);

/// The n x m matrix (m = n if not given) with 1 where column <= row + k, else 0.
Variable tri(const Operand &n, const std::optional<Operand> &m = std::nullopt, const Operand &k = 0,
             DType dtype = DType::Float64);
/// x where column <= row + k, else 0; matrices along the last two axes. ValueError for fewer axes.
Variable tril(const Operand &x, const Operand &k = 0);
/// x where column >= row + k, else 0.
Variable triu(const Operand &x, const Operand &k = 0);
/// Of a vector, the square matrix that has it on diagonal `offset` (column - row); of a matrix,
/// that diagonal. ValueError for other ranks.
Variable diag(const Operand &x, int offset = 0);
/// The elements where the index along axis2 is that along axis1 plus `offset`, as the last axis;
/// none where the diagonal lies outside.
Variable diagonal(const Operand &x, int offset = 0, int axis1 = 0, int axis2 = 1);
/// The sum of that diagonal.
Variable trace(const Operand &x, int offset = 0, int axis1 = 0, int axis2 = 1);

/// Options of running sums and products.
struct CumulativeOptions {
  /// Whether each joins only what stands before its position.
  bool exclusive = false;
  /// Whether they begin at the last position.
  bool reverse = false;
};
/// The sums of all elements up to each position along an axis, or of the flattened x; bools are
/// counted (int64). Floats are joined in float64, integers wrap.
Variable cumsum(const Operand &x, std::optional<int> axis = std::nullopt,
                CumulativeOptions options = {});
/// The products. The gradient, a linear recurrence (Blelloch 1990), divides by no element.
Variable cumprod(const Operand &x, std::optional<int> axis = std::nullopt,
                 CumulativeOptions options = {});
/// r[k] = a[k] r[k - 1] + b[k] along an axis, where r before the first position is 0: floats, which
/// are promoted, of one shape (ShapeError).
Variable linearRecurrence(const Operand &a, const Operand &b, int axis = 0, bool reverse = false);

/// The derivative along an axis of values in equal distances: half the difference of the neighbours
/// on both sides, at the ends the difference. ValueError for fewer than two values where that is
/// known.
Variable gradient(const Operand &x, int axis = -1, const Operand &spacing = 1.0);
/// Differences of neighbours along an axis, `n` times; of bool where they differ.
Variable diff(const Operand &x, int n = 1, int axis = -1);
/// max - min.
Variable ptp(const Operand &x, const Axes &axes = {});
/// How many elements are not 0: int64.
Variable countNonzero(const Operand &x, const Axes &axes = {});
/// x, whose type does not tell its extents along the axes: they do not broadcast any more. The
/// opposite of specifyShape; the gradient is summed to an extent of 1 where x's type has one.
Variable unbroadcast(const Operand &x, const Axes &axes);
/// How much of a convolution: all sums, of max(n, m) from the middle, those of whole overlaps.
enum class ConvolveMode { Full, Same, Valid };
/// result[k] = sum over i of x[i] y[k - i], of two vectors (TypeError): NumPy's convolve.
Variable convolve(const Operand &x, const Operand &y, ConvolveMode mode = ConvolveMode::Full);
/// The Kronecker product: each element of x times all of y. Leading axes of extent 1 are added to
/// the operand of lesser rank.
Variable kron(const Operand &x, const Operand &y);
/// The root of the sum of squares of the elements' absolute values.
Variable norm2(const Operand &x, const ReductionOptions &options = {});
/// Of vectors: (sum of |x|^order)^(1 / order); for infinities the greatest or the least |x|, for 0
/// how many are not 0. ValueError for NaN.
Variable vectorNorm(const Operand &x, double order = 2, const ReductionOptions &options = {});
/// The elements' bits joined over axes, of integers and bools (TypeError): `and` of none is -1.
Variable reduceAnd(const Operand &x, const ReductionOptions &options = {});
Variable reduceOr(const Operand &x, const ReductionOptions &options = {});
Variable reduceXor(const Operand &x, const ReductionOptions &options = {});
/// max and argmax of the same axes.
struct MaxAndArgmax {
  Variable max, argmax;
};
MaxAndArgmax maxAndArgmax(const Operand &x, const ReductionOptions &options = {});

/// `num` numbers from start to stop, whose last one is stop; without `endpoint`, the first `num` of
/// num + 1 such numbers. ValueError where num is negative.
Variable linspace(const Operand &start, const Operand &stop, int64_t num = 50,
                  bool endpoint = true);
/// Each vector along an axis of its own, broadcast to the shape of all: "ij", or "xy", where the
/// first two axes are exchanged.
/// With `isOpen` each keeps extent 1 along the axes of the others (NumPy's sparse grids).
Variables meshgrid(const std::vector<Operand> &vectors, std::string_view indexing = "xy",
                   bool isOpen = false);
/// The position along each axis of an array of these extents: int64 arrays of its shape, or, with
/// `isOpen`, of extent 1 along all other axes (NumPy's indices and ogrid).
Variables indices(const std::vector<Operand> &extents, bool isOpen = false);
/// base to the numbers that linspace gives.
Variable logspace(const Operand &start, const Operand &stop, int64_t num = 50, bool endpoint = true,
                  double base = 10);
/// `num` numbers from start to stop, each the same multiple of the one before; both have one sign.
/// TypeError for what is no number.
Variable geomspace(const Operand &start, const Operand &stop, int64_t num = 50,
                   bool endpoint = true);

//===--- joining --------------------------------------------------------------------------===//

/// Along the second axis, vectors along their own; along the first, vectors being rows.
Variable hstack(const std::vector<Operand> &parts);
Variable vstack(const std::vector<Operand> &parts);
/// Rows of blocks: each joined along the last axis, then these along the one before.
Variable block(const std::vector<std::vector<Operand>> &rows);
/// The matrix that has these matrices (vectors and numbers are rows) on its diagonal, and 0
/// elsewhere. ShapeError for more axes.
Variable blockDiag(const std::vector<Operand> &parts);

} // namespace graphc
