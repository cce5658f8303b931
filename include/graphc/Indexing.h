//===- graphc/Indexing.h - elements by position ------------------*- C++ -*-===//
//
// NumPy's functions besides x[{...}] and take (graphc/Ops.h), made of ops and with their
// derivatives. None of them fails by itself: a mistake is carried by the Variable, at the place of
// the first operand. Axes may be negative: they count from the end (AxisError). Indices are
// integers of any dtype (TypeError); out of range they are an IndexError, negative ones count from
// the end, unless said otherwise.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graphc/Ops.h"

namespace graphc {

/// One axis, by default the last; none: of the flattened operand.
struct AxisOption {
  std::optional<int> axis = -1;
};

//===--- along an axis ------------------------------------------------------------===//

/// result[i, k, j] = x[i, indices[i, k, j], j]. `indices` has x's rank; its extents are x's but
/// along the axis, or known to be 1 (ShapeError).
Variable takeAlongAxis(const Operand &x, const Operand &indices, AxisOption options = {});
/// x with x[i, indices[i, k, j], j] replaced by y[i, k, j], the last one where a position is named
/// again. y is cast to no dtype: x's must hold its elements (TypeError). y broadcasts to the shape
/// of takeAlongAxis (ShapeError).
Variable putAlongAxis(const Operand &x, const Operand &indices, const Operand &y, int axis = -1);
/// x with y[i, k, j] added to x[i, indices[i, k, j], j], as often as a position is named.
Variable addAlongAxis(const Operand &x, const Operand &indices, const Operand &y, int axis = -1);
/// x with y in the place of what take reads at `indices`, the last one where a position is named
/// again. y has take's shape (ShapeError), and x's dtype must hold its elements (TypeError).
Variable setTake(const Operand &x, const Operand &indices, const Operand &y,
                 TakeOptions options = {});

//===--- choosing -----------------------------------------------------------------===//

/// The positions of the elements that are not 0 in row-major order, for each axis an int64 vector;
/// a mistake gives one Invalid Variable. NaN is not 0. ValueError for rank 0.
Variables nonzero(const Operand &x);
/// Those of the flattened x.
Variable flatnonzero(const Operand &x);
/// The same positions as an int64 matrix, (count, rank).
Variable argwhere(const Operand &x);
/// x's slices along an axis where the vector `condition` is not 0; it may be shorter than the axis.
/// Without an axis, elements of the flattened x.
Variable compress(const Operand &condition, const Operand &x,
                  std::optional<int> axis = std::nullopt);
/// result[i] = choices[which[i]][i], all broadcast to each other.
Variable choose(const Operand &which, const std::vector<Operand> &choices,
                TakeMode mode = TakeMode::Raise);
/// x with `value` where all indices are equal; of a tall matrix the first square block alone.
/// ValueError for rank 0 and 1.
Variable fillDiagonal(const Operand &x, const Operand &value);

struct SuppressionOptions {
  /// How many boxes are kept of each batch and class.
  Operand most = INT64_MAX;
  /// Boxes that cover more of one that is kept (intersection over union), or have no greater score,
  /// are left out.
  Operand overlap = 0.0, score = 0.0;
  /// Whether boxes are (x, y, width, height) around a centre in place of corners (y, x, y, x).
  bool centered = false;
};
/// Boxes (batch, n, 4) of great scores (batch, classes, n) that do not cover each other: int64 rows
/// of batch, class and box, (count, 3). ShapeError for other shapes, TypeError for other dtypes.
Variable nonMaxSuppression(const Operand &boxes, const Operand &scores,
                           const SuppressionOptions &options = {});

//===--- numbers of positions -------------------------------------------------------===//

/// The positions in a flattened array of shape `extents` of the elements that `indices` name, one
/// integer array for each axis: int64.
Variable ravelMultiIndex(const std::vector<Operand> &indices, const ShapeList &extents,
                         TakeMode mode = TakeMode::Raise);
/// The indices, one int64 array for each axis, of positions in a flattened array.
Variables unravelIndex(const Operand &positions, const std::vector<int64_t> &extents);

//===--- labels ---------------------------------------------------------------------===//

/// 1 where the last axis, which is new and has `depth` elements, is at the label, else 0.
/// IndexError for labels outside [0, depth).
Variable oneHot(const Operand &labels, const Operand &depth, DType dtype = DType::Float64);
/// weights[ids]: rows of a table (rows, ...). IndexError for ids outside [0, rows).
Variable embedding(const Operand &weights, const Operand &ids);

} // namespace graphc
