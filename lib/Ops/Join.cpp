//===- Join.cpp - joining and splitting along an axis ----------------------===//
#include <limits>

#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "RowsOfEnd.h"
#include "Rules.h"

namespace graphc {
namespace {

int axisOf(const Attributes &attributes, int rank) {
  int64_t axis = attributes.integer("axis");
  return int(axis < 0 ? axis + rank : axis);
}

/// One nest over the result. Parts after the first guard the loads of those before, so that none
/// is read outside itself.
Array joinNest(Emitter &e, absl::Span<const Array> parts, int axis) {
  Extents starts, shape = e.shape(parts[0]);
  Extent total = e.size(0);
  for (Array part : parts) {
    starts.push_back(total);
    total = total + e.dim(part, axis);
  }
  shape[axis] = total;
  if (parts.size() == 1)
    return e.define(shape, [&](Indices i) { return e.load(parts[0], i); });
  return e.define(shape, [&](Indices i) {
    Scalar value = e.literal(e.dtype(parts[0]), 0);
    for (size_t k = parts.size(); k-- > 0;) {
      Scalars at(i.begin(), i.end());
      at[axis] = i[axis] - e.scalar(starts[k]);
      Scalar inside = i[axis] < e.scalar(starts[k] + e.dim(parts[k], axis));
      if (k + 1 == parts.size())
        inside = at[axis] >= 0.0;
      else if (k > 0)
        inside = inside && at[axis] >= 0.0;
      value = e.loadIf(inside, parts[k], at, value);
    }
    return value;
  });
}

Arrays joinEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  int rank = e.rank(in[0]), axis = axisOf(attributes, rank);
  Arrays parts;
  for (Array part : in) {
    for (int other = 0; other < rank; ++other)
      if (other != axis)
        e.requireEqual(e.dim(in[0], other), e.dim(part, other),
                       "extents differ along axis " + std::to_string(other) + ": {a} and {b}");
    parts.push_back(castArray(e, part, e.resultType(0).dtype()));
  }
  while (parts.size() > kMaxJoined) {
    Arrays longer;
    for (size_t k = 0; k < parts.size(); k += kMaxJoined)
      longer.push_back(joinNest(e, absl::MakeConstSpan(parts).subspan(k, kMaxJoined), axis));
    parts = std::move(longer);
  }
  return {joinNest(e, parts, axis)};
}

TypesOr joinType(const TypeRequest &request) {
  int rank = request.type(0).rank();
  if (rank == 0)
    return makeError(ErrorKind::ShapeError, "scalars have no axis to be joined along; stack them");
  for (size_t i = 1; i < request.size(); ++i)
    if (request.type(i).rank() != rank)
      return makeError(ErrorKind::ShapeError, "ranks differ: " + std::to_string(rank) + " and " +
                                                  std::to_string(request.type(i).rank()));
  int64_t axis = request.attributes().integer("axis");
  if (axis < -rank || axis >= rank)
    return makeError(ErrorKind::ShapeError, "axis " + std::to_string(axis) +
                                                " is out of range for rank " +
                                                std::to_string(rank));
  return inferShapes(request, {promoteAll(request)});
}

/// The chunks' rows are in memory as they come.
Arrays joinChunksEmission(Emitter &e, const Arrays &in, const Attributes &) {
  const Array chunks = in[0], rest = in[1];
  Extents shape = {e.dim(chunks, 0) * e.dim(chunks, 1)};
  for (int axis = 1; axis < e.rank(rest); ++axis) {
    shape.push_back(e.dim(chunks, axis + 1));
    e.requireEqual(shape.back(), e.dim(rest, axis),
                   "extents differ along axis " + std::to_string(axis) + ": {a} and {b}");
  }
  const DType dtype = e.resultType(0).dtype();
  const Array parts[] = {e.view(castArray(e, chunks, dtype), shape), castArray(e, rest, dtype)};
  return {joinNest(e, parts, 0)};
}

TypesOr joinChunksType(const TypeRequest &request) {
  const int rank = request.type(1).rank();
  if (rank == 0 || request.type(0).rank() != rank + 1)
    return makeError(ErrorKind::ShapeError, "rank " + std::to_string(rank) +
                                                " of what is left goes with chunks of one more, "
                                                "and of 1 at least: these have rank " +
                                                std::to_string(request.type(0).rank()));
  return inferShapes(request, {promoteAll(request)});
}

/// What a row of sizes has: what is in front of the piece, it, and what is behind.
constexpr int64_t kRow = 3;

Arrays splitPieceEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0], sizes = in[1];
  int axis = axisOf(attributes, e.rank(x));
  int64_t piece = attributes.integer("piece"), pieces = *e.constantValue(e.dim(sizes, 0)),
          first = 0;
  if (e.rank(sizes) == 2) {
    first = kRow * piece;
    pieces = kRow;
    piece = 1;
  }
  Extent total = e.size(0), start = total;
  bool isConstant = true;
  for (int64_t k = 0; k < pieces; ++k) {
    Extent length = e.element(sizes, first + k);
    e.require(e.size(0), Predicate::LessEqual, length, ErrorKind::ValueError,
              "piece " + std::to_string(k) + " has the negative size {b}");
    if (k == piece)
      start = total;
    total = total + length;
    isConstant = isConstant && e.constantValue(length);
  }
  if (isConstant) // known before x's extent is
    e.require(total, Predicate::LessEqual, e.size(std::numeric_limits<int64_t>::max()),
              ErrorKind::ValueError, "the sizes add up to {a}, more than an axis can have");
  e.require(total, Predicate::Equal, e.dim(x, axis), ErrorKind::ValueError,
            "the sizes add up to {a} where the axis has {b} elements");
  Extents shape = e.shape(x);
  shape[axis] = e.element(sizes, first + piece);
  return {e.define(shape, [&](Indices i) {
    Scalars at(i.begin(), i.end());
    at[axis] = i[axis] + e.scalar(start);
    return e.load(x, at);
  })};
}

TypesOr splitPieceType(const TypeRequest &request) {
  const bool hasRows = request.type(1).rank() == 2 && request.type(1).extent(1) == kRow;
  if (absl::Status s = requireIntegers(request, 1, hasRows ? 2 : 1); !s.ok())
    return s;
  if (absl::Status s = requireAxis(request); !s.ok())
    return s;
  const Attributes &a = request.attributes();
  int64_t pieces = request.type(1).extent(0);
  if (pieces == kDynamic)
    return makeError(ErrorKind::TypeError,
                     "the number of pieces must be known: give sizes of static shape");
  if (a.integer("piece") < 0 || a.integer("piece") >= pieces)
    return makeError(ErrorKind::ValueError, "there is no piece " +
                                                std::to_string(a.integer("piece")) + " of " +
                                                std::to_string(pieces));
  return inferLikeFirst(request);
}

//===--- derivatives --------------------------------------------------------------===//

/// start:stop along the axis.
std::vector<Index> range(int axis, const Operand &start, const Operand &stop) {
  std::vector<Index> index(size_t(axis), Index{Slice{}});
  index.push_back(Slice(start, stop));
  return index;
}

/// The number if it is known, else the scalar.
struct Position {
  std::optional<int64_t> number = 0;
  Variable computed = {};

  Operand operand() const { return number ? Operand(*number) : Operand(computed); }
  void advance(const Variable &x, int axis) {
    int64_t extent = x.type().extent(axis);
    if (number && extent != kDynamic) {
      *number += extent;
      return;
    }
    computed = number == 0 ? shape(x, axis) : add(operand(), shape(x, axis));
    number = std::nullopt;
  }
};

Variables joinPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  int axis = axisOf(op.attributes(), g[0].rank());
  Variables gradients;
  Position start;
  for (const Variable &part : in) {
    Position stop = start;
    stop.advance(part, axis);
    gradients.push_back(subtensor(g[0], range(axis, start.operand(), stop.operand())));
    start = stop;
  }
  return gradients;
}

/// `count` rows of zeros as those of `like`.
Variable zeroRows(const Variable &like, const Variable &count) {
  std::vector<Operand> extents = {count};
  for (int axis = 1; axis < like.rank(); ++axis)
    extents.emplace_back(shape(like, axis));
  return zeros(stack(extents), like.dtype());
}

/// F-325: of a gradient that is zero but for `end`, so many chunks and rows of what is left have
/// any part, and each is zero but for its own end.
Variables pullEndOfChunks(const Variable &chunks, const Variable &rest, const GradientOfEnd &end) {
  auto withEnd = [](const Variable &x, int64_t count, const Variable &rows) {
    Variable zeros = second(x, constant(Tensor(0.0).cast(rows.dtype())));
    return incSubtensor(zeros, {Slice(-count, kEnd)}, rows);
  };
  const int64_t length = chunks.type().extent(1);
  const int64_t most = length > 0 ? (end.count + length - 1) / length : end.count;
  // Shapes, too, are read of what is left of both where the ends alone are kept.
  Variable lastChunks = chunks[{Slice(-most, kEnd)}];
  Variable before = shape(end.rows, 0) - shape(rest[{Slice(-end.count, kEnd)}], 0);
  Variable ofChunks = end.rows[{Slice(0, before)}];
  Variable missing = shape(lastChunks, 0) * shape(lastChunks, 1) - before;
  Variable last =
      reshape(concatenate({zeroRows(ofChunks, missing), ofChunks}, 0), shape(lastChunks));
  return {withEnd(chunks, most, last), withEnd(rest, end.count, end.rows[{Slice(before, kEnd)}])};
}

Variables joinChunksPullback(const Op &, Inputs in, Outputs, Gradients g) {
  const Variable &chunks = in[0], &rest = in[1];
  if (std::optional<GradientOfEnd> end = gradientOfEnd(g[0]))
    return pullEndOfChunks(chunks, rest, *end);
  Variable inChunks = shape(chunks, 0) * shape(chunks, 1);
  return {reshape(g[0][{Slice(0, inChunks)}], shape(chunks)), g[0][{Slice(inChunks, kEnd)}]};
}

Variables splitPiecePullback(const Op &op, Inputs in, Outputs, Gradients g) {
  const Variable &x = in[0], &sizes = in[1];
  int axis = axisOf(op.attributes(), x.rank());
  int64_t piece = op.attributes().integer("piece");
  Variable start = sizes.rank() == 2 ? cast(subtensor(sizes, {piece, 0}), DType::Int64)
                                     : sum(cast(subtensor(sizes, {Slice(0, piece)}), DType::Int64));
  Variable zeros = second(x, constant(Tensor(0.0).cast(g[0].dtype())));
  return {incSubtensor(zeros, range(axis, start, start + shape(g[0], axis)), g[0]),
          Variable(Type::disconnected())};
}

} // namespace

std::vector<OpDef> joinOps() {
  return {
      {.name = "join",
       .doc = "The parts one behind the other along an axis. `concatenate` in C++.\nDtypes are "
              "promoted. Other extents must agree, scalars are refused (ShapeError); parts may be "
              "empty.",
       .operands = {{"parts"}},
       .variadic = true,
       .minOperands = 1,
       .attributes = {{"axis", AttributeKind::Int, int64_t(0)}},
       .type = joinType,
       .emit = joinEmission,
       .pullback = joinPullback,
       .pushforward = linearIn(std::numeric_limits<size_t>::max()),
       .elements = Elements::Moved,
       .golden = {"concatenate", "stack"},
       .section = section(kShape),
       .example = "join([[1, 2]], [[3, 4]]) {axis = 1} = [[1, 2, 3, 4]]"},
      {.name = "joinChunks",
       .doc = "The rows of all chunks, which stand along axis 1 of these, and behind them what is "
              "left.\nA loop with checkpoints gives its results so. The gradient of the last rows "
              "reaches the last chunks alone, and is no array of all rows (F-325). Dtypes are "
              "promoted; other extents must agree (ShapeError).",
       .operands = {{"chunks"}, {"rest", "one axis less"}},
       .type = joinChunksType,
       .emit = joinChunksEmission,
       .pullback = joinChunksPullback,
       .pushforward = linearIn(2),
       .elements = Elements::Moved,
       .section = section(kControl),
       .example = "joinChunks([[1, 2], [3, 4]], [5]) = [1, 2, 3, 4, 5]"},
      {.name = "splitPiece",
       .doc =
           "Piece number `piece` of x cut into pieces of the given sizes along an axis. `split` "
           "in C++ gives all.\nThe sizes, an integer vector of known length, must not be negative "
           "and add up to the extent (ValueError). Or a matrix with a row for each piece: what is "
           "in front of it, its size, what is behind.",
       .operands = {{"x"}, {"sizes"}},
       .attributes = {{"piece", AttributeKind::Int}, {"axis", AttributeKind::Int, int64_t(0)}},
       .type = splitPieceType,
       .emit = splitPieceEmission,
       .pullback = splitPiecePullback,
       .pushforward = sameOpOnTangent(),
       .elements = Elements::Moved,
       .connection = {{true}, {false}},
       .golden = {"split"},
       .section = section(kShape),
       .example = "splitPiece([1, 2, 3], [1, 2]) {piece = 1} = [2, 3]"},
  };
}

} // namespace graphc
