//===- ArrayFunctions.cpp - arrays rearranged and made ----------------------===//
#include <algorithm>

#include "Build.h"
#include "CallScope.h"
#include "Rules.h"
#include "graphc/Arrays.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

/// An axis of a Variable as a number from 0 on. AxisError.
absl::StatusOr<int> plainAxisOf(const Variable &x, int axis) {
  absl::StatusOr<std::vector<int>> axes = normalizeAxes({axis}, x.rank());
  return axes.ok() ? absl::StatusOr<int>((*axes)[0]) : axes.status();
}

std::vector<Index> wholeSlices(int count) { return std::vector<Index>(size_t(count), Slice()); }

/// x along one axis from `first` to before `end`.
Variable part(const Variable &x, int axis, const Operand &first, const Operand &end) {
  std::vector<Index> index = wholeSlices(axis + 1);
  index.back() = Slice(first, end);
  return subtensor(x, index);
}

/// The shape of x with `extents` in the place of an axis.
std::vector<Operand> shapeAround(const Variable &x, int axis, std::vector<Operand> extents) {
  std::vector<Operand> all;
  for (int i = 0; i < x.rank(); ++i)
    if (i == axis)
      all.insert(all.end(), extents.begin(), extents.end());
    else
      all.push_back(shape(x, i));
  return all;
}

Variable reshaped(const Variable &x, const std::vector<Operand> &extents) {
  return extents.empty() ? reshape(x, ShapeList(std::vector<int64_t>{}))
                         : reshape(x, stack(extents));
}

/// Row and column numbers of the matrices along the last two axes.
struct Positions {
  Variable row, column;
};
Positions positionsOf(const Operand &rows, const Operand &columns) {
  return {dimshuffle(arange(rows), {0, -1}), dimshuffle(arange(columns), {-1, 0})};
}

Variable negativeCopies(const Operand &x, int64_t count) {
  return invalidAt(x, ErrorKind::ValueError, "repeat",
                   "the number of copies is negative: " + std::to_string(count));
}

/// Position i, repeats[i] times, for each i; none where they are more than an array can have. Up to
/// some they are a constant; a graph is built in a time that does not depend on them.
std::optional<Variable> positionsOfCopies(absl::Span<const int64_t> repeats) {
  constexpr int64_t kMostWritten = 1 << 16, kMostElements = int64_t(1) << 58;
  int64_t total = 0;
  std::vector<int64_t> ends;
  for (int64_t count : repeats) {
    if (__builtin_add_overflow(total, count, &total) || total > kMostElements)
      return std::nullopt;
    ends.push_back(total);
  }
  if (total > kMostWritten)
    return searchsorted(*Tensor::fromSpan(absl::MakeConstSpan(ends), {int64_t(ends.size())}),
                        arange(total), {.right = true});
  std::vector<int64_t> positions;
  for (size_t i = 0; i < repeats.size(); ++i)
    positions.insert(positions.end(), size_t(repeats[i]), int64_t(i));
  return constant(*Tensor::fromSpan(absl::MakeConstSpan(positions), {total}));
}

enum class Side { Lower, Upper };
Variable triangle(std::string_view name, Side side, const Operand &x, const Operand &k) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  if (v.rank() < 2)
    return invalidAt(x, ErrorKind::ValueError, name, "a matrix has at least two axes");
  Positions at = positionsOf(shape(v, -2), shape(v, -1));
  Variable border = at.row + k;
  Variable isInside = side == Side::Lower ? le(at.column, border) : ge(at.column, border);
  return where(isInside, v, zerosLike(v));
}

} // namespace

Variable flip(const Operand &x, const Axes &axes) {
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  IntList chosen;
  for (int axis = 0; !axes.list() && axis < v.rank(); ++axis)
    chosen.push_back(axis);
  auto plain = normalizeAxes(axes.list() ? *axes.list() : chosen, v.rank());
  if (!plain.ok())
    return invalidAt(x, "flip", plain.status());
  std::vector<Index> index = wholeSlices(v.rank());
  for (int axis : *plain)
    index[size_t(axis)] = Slice(kEnd, kEnd, -1);
  return subtensor(Operand(v, x.place()), index);
}

Variable roll(const Operand &x, const Operand &shift, std::optional<int> axis) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  if (!axis)
    return reshape(roll(flatten(v), shift, 0), shape(v));
  absl::StatusOr<int> plain = plainAxisOf(v, *axis);
  if (!plain.ok())
    return invalidAt(x, "roll", plain.status());
  Variable n = shape(v, *plain), first = n - mod(shift, maximum(n, 1));
  return concatenate({part(v, *plain, first, kEnd), part(v, *plain, 0, first)}, *plain);
}

Variable roll(const Operand &x, const std::vector<int64_t> &shifts, const std::vector<int> &axes) {
  CallScope scope(x);
  if (shifts.size() != axes.size())
    return invalidAt(x, ErrorKind::ValueError, "roll",
                     "there are " + std::to_string(shifts.size()) + " shifts for " +
                         std::to_string(axes.size()) + " axes");
  Variable v = asVariable(x);
  for (size_t i = 0; i < axes.size(); ++i)
    v = roll(Operand(v, x.place()), shifts[i], axes[i]);
  return v;
}

Variable rot90(const Operand &x, int k, int axis1, int axis2) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  absl::StatusOr<int> from = plainAxisOf(v, axis1), to = plainAxisOf(v, axis2);
  for (const absl::StatusOr<int> &axis : {from, to})
    if (!axis.ok())
      return invalidAt(x, "rot90", axis.status());
  if (*from == *to)
    return invalidAt(x, ErrorKind::ValueError, "rot90", "the two axes are one");
  switch ((k % 4 + 4) % 4) {
  case 1:
    return swapaxes(flip(v, Axis(*to)), *from, *to);
  case 2:
    return flip(v, Axes{*from, *to});
  case 3:
    return flip(swapaxes(v, *from, *to), Axis(*to));
  default:
    return v;
  }
}

Variable tile(const Operand &x, const std::vector<int64_t> &reps) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  for (int64_t count : reps)
    if (count < 0)
      return invalidAt(x, ErrorKind::ValueError, "tile",
                       "a number of copies is negative: " + std::to_string(count));
  int rank = std::max(v.rank(), int(reps.size()));
  v = atleastNd(v, rank);
  std::vector<int> order;
  std::vector<Operand> copies, joined;
  for (int axis = 0; axis < rank; ++axis) {
    int given = axis - (rank - int(reps.size()));
    int64_t count = given < 0 ? 1 : reps[size_t(given)];
    order.insert(order.end(), {-1, axis});
    copies.insert(copies.end(), {count, shape(v, axis)});
    joined.push_back(shape(v, axis) * count);
  }
  return rank == 0 ? v : reshaped(broadcastTo(dimshuffle(v, order), stack(copies)), joined);
}

Variable repeat(const Operand &x, int64_t repeats, std::optional<int> axis) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  if (repeats < 0)
    return negativeCopies(x, repeats);
  if (!axis)
    return repeat(Operand(flatten(v), x.place()), repeats, 0);
  absl::StatusOr<int> plain = plainAxisOf(v, *axis);
  if (!plain.ok())
    return invalidAt(x, "repeat", plain.status());
  Variable n = shape(v, *plain);
  Variable copies =
      broadcastTo(expandDims(v, Axis(*plain + 1)), stack(shapeAround(v, *plain, {n, repeats})));
  return reshaped(copies, shapeAround(v, *plain, {n * repeats}));
}

Variable repeat(const Operand &x, const std::vector<int64_t> &repeats, std::optional<int> axis) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  for (int64_t count : repeats)
    if (count < 0)
      return negativeCopies(x, count);
  if (!axis)
    return repeat(Operand(flatten(v), x.place()), repeats, 0);
  absl::StatusOr<int> plain = plainAxisOf(v, *axis);
  if (!plain.ok())
    return invalidAt(x, "repeat", plain.status());
  int64_t extent = v.type().extent(*plain), count = int64_t(repeats.size());
  if (extent != kDynamic && extent != count)
    return invalidAt(x, ErrorKind::ValueError, "repeat",
                     "there are " + std::to_string(count) + " numbers of copies for " +
                         std::to_string(extent) + " elements");
  std::optional<Variable> positions = positionsOfCopies(repeats);
  if (!positions)
    return invalidAt(x, ErrorKind::ValueError, "repeat",
                     "the copies would be more elements than an array can have");
  // One piece of that many elements: a ValueError when the function runs, where there are others.
  return take(split(v, std::vector<int64_t>{count}, *plain)[0], *positions, {.axis = *plain});
}

Variable tri(const Operand &n, const std::optional<Operand> &m, const Operand &k, DType dtype) {
  CallScope scope(n);
  Positions at = positionsOf(n, m.value_or(n));
  return cast(le(at.column, at.row + k), dtype);
}
Variable tril(const Operand &x, const Operand &k) { return triangle("tril", Side::Lower, x, k); }
Variable triu(const Operand &x, const Operand &k) { return triangle("triu", Side::Upper, x, k); }

Variable diag(const Operand &x, int offset) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  if (v.rank() == 2)
    return diagonal(Operand(v, x.place()), offset);
  if (v.rank() != 1)
    return invalidAt(x, ErrorKind::ValueError, "diag", "x is neither a vector nor a matrix");
  // Above the main diagonal row i has element i; below it, column i.
  int above = std::max(offset, 0), below = std::max(-offset, 0);
  Variable padded = pad(v, {{0, above + below}});
  Variable n = shape(v, 0) + (above + below);
  Positions at = positionsOf(n, n);
  Variable values = dimshuffle(padded, offset >= 0 ? std::vector<int>{0, -1} : std::vector{-1, 0});
  Variable all = broadcastTo(values, stack({n, n}));
  return where(eq(at.column - at.row, offset), all, zerosLike(all));
}

Variable diagonal(const Operand &x, int offset, int axis1, int axis2) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  absl::StatusOr<int> rows = plainAxisOf(v, axis1), columns = plainAxisOf(v, axis2);
  for (const absl::StatusOr<int> &axis : {rows, columns})
    if (!axis.ok())
      return invalidAt(x, "diagonal", axis.status());
  if (*rows == *columns)
    return invalidAt(x, ErrorKind::ValueError, "diagonal", "the two axes are one");
  v = moveaxis(v, {*rows, *columns}, {-2, -1});
  int last = v.rank() - 1;
  v = offset >= 0 ? part(v, last, offset, kEnd) : part(v, last - 1, -int64_t(offset), kEnd);
  Variable width = shape(v, last), length = minimum(shape(v, last - 1), width);
  v = part(v, last - 1, 0, length);
  // Row after row, the diagonal is every (width + 1)th element.
  std::vector<Operand> extents = shapeAround(v, last, {});
  extents.back() = length * width;
  std::vector<Index> index = wholeSlices(last);
  index.back() = Slice(kEnd, kEnd, width + 1);
  return subtensor(reshaped(v, extents), index);
}

Variable trace(const Operand &x, int offset, int axis1, int axis2) {
  CallScope scope(x);
  return sum(diagonal(x, offset, axis1, axis2), Axis(-1));
}

Variable diff(const Operand &x, int n, int axis) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  absl::StatusOr<int> plain = plainAxisOf(v, axis);
  if (!plain.ok())
    return invalidAt(x, "diff", plain.status());
  if (n < 0)
    return invalidAt(x, ErrorKind::ValueError, "diff",
                     "the order is negative: " + std::to_string(n));
  // Differences of no elements are none.
  if (int64_t extent = v.type().extent(*plain); extent != kDynamic)
    n = int(std::min<int64_t>(n, extent));
  constexpr int kMostOrder = 1024; // each is an op
  if (n > kMostOrder)
    return invalidAt(x, ErrorKind::ValueError, "diff",
                     "the order is " + std::to_string(n) + "; at most " +
                         std::to_string(kMostOrder) + " can be taken at once");
  for (; n > 0; --n) {
    Variable later = part(v, *plain, 1, kEnd), earlier = part(v, *plain, 0, -1);
    v = isBool(v.dtype()) ? neq(later, earlier) : later - earlier;
  }
  return v;
}

Variable ptp(const Operand &x, const Axes &axes) {
  CallScope scope(x);
  return max(x, axes) - min(x, axes);
}

Variable countNonzero(const Operand &x, const Axes &axes) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  return sum(cast(neq(v, zerosLike(v)), DType::Int64), axes);
}

Variable convolve(const Operand &x, const Operand &y, ConvolveMode mode) {
  CallScope scope(x);
  Variable a = asVariable(x), b = asVariable(y);
  if (!a.ok() || !b.ok())
    return a.ok() ? b : a;
  if (a.rank() != 1 || b.rank() != 1)
    return invalidAt(x, ErrorKind::TypeError, "convolve", "both must be vectors");
  Variable all = conv1d(Operand(dimshuffle(a, {-1, -1, 0}), x.place()), dimshuffle(b, {-1, -1, 0}),
                        {.padding = Padding::Kind::Full, .filterFlip = true});
  Variable sums = dimshuffle(all, {2});
  if (mode == ConvolveMode::Full)
    return sums;
  Variable n = shape(a, 0), m = shape(b, 0), least = minimum(n, m), most = maximum(n, m);
  Variable first = mode == ConvolveMode::Same ? intDiv(least - 1, 2) : least - 1;
  Variable count = mode == ConvolveMode::Same ? most : most - least + 1;
  return part(sums, 0, first, first + count);
}

Variable kron(const Operand &x, const Operand &y) {
  CallScope scope(x);
  Variable a = asVariable(x), b = asVariable(y);
  for (const Variable &v : {a, b})
    if (!v.ok())
      return v;
  int rank = std::max(a.rank(), b.rank());
  a = atleastNd(a, rank);
  b = atleastNd(b, rank);
  std::vector<int> left, right;
  std::vector<Operand> joined;
  for (int axis = 0; axis < rank; ++axis) {
    left.insert(left.end(), {axis, -1});
    right.insert(right.end(), {-1, axis});
    joined.push_back(shape(a, axis) * shape(b, axis));
  }
  return reshaped(dimshuffle(a, left) * dimshuffle(b, right), joined);
}

Variable norm2(const Operand &operand, const ReductionOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (x.ok() && isComplex(x.dtype()))
    return sqrt(sum(sqr(real(x)) + sqr(imag(x)), options));
  return sqrt(sum(sqr(operand), options));
}

Variable linspace(const Operand &start, const Operand &stop, int64_t num, bool endpoint) {
  CallScope scope(start);
  Variable first = asVariable(start), last = asVariable(stop);
  for (const Variable &v : {first, last})
    if (!v.ok())
      return v;
  if (first.rank() != 0 || last.rank() != 0)
    return invalidAt(start, ErrorKind::TypeError, "linspace", "start and stop must be numbers");
  if (num < 0)
    return invalidAt(start, ErrorKind::ValueError, "linspace",
                     "the number of elements is negative: " + std::to_string(num));
  DType dtype = promote(first.dtype(), last.dtype());
  if (!isFloat(dtype))
    dtype = DType::Float64;
  first = cast(first, dtype);
  last = cast(last, dtype);
  int64_t steps = std::max<int64_t>(endpoint ? num - 1 : num, 1);
  Variable number = cast(arange(num), dtype);
  Variable values = first + number * ((last - first) / cast(Constant(Tensor(steps)), dtype));
  if (!endpoint || num < 2)
    return values;
  return where(eq(arange(num), num - 1), last, values);
}

Variables meshgrid(const std::vector<Operand> &vectors, std::string_view indexing, bool isOpen) {
  CallScope scope(vectors);
  Variables flat;
  std::vector<Operand> extents;
  if (vectors.empty())
    return {};
  for (const Operand &vector : vectors) {
    flat.push_back(flatten(vector));
    if (!flat.back().ok())
      return Variables(vectors.size(), flat.back());
    extents.push_back(shape(flat.back(), 0));
  }
  if (indexing != "xy" && indexing != "ij")
    return Variables(vectors.size(),
                     invalidAt(vectors[0], ErrorKind::ValueError, "meshgrid",
                               "indexing is neither xy nor ij: " + std::string(indexing)));
  bool isExchanged = indexing == "xy" && flat.size() >= 2;
  Variables all;
  for (size_t i = 0; i < flat.size(); ++i) {
    std::vector<int> order(flat.size(), -1);
    order[i] = 0;
    Variable whole = dimshuffle(flat[i], order);
    if (!isOpen)
      whole = broadcastTo(whole, stack(extents));
    all.push_back(isExchanged ? swapaxes(whole, 0, 1) : whole);
  }
  return all;
}

} // namespace graphc
