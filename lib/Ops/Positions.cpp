//===- Positions.cpp - which elements: of masks, of several indices --------------===//
#include <algorithm>

#include "Build.h"
#include "Families.h"
#include "Indexing.h"
#include "Routines/Routines.h"

namespace graphc {
namespace {

//===--- nonzero -------------------------------------------------------------------===//

TypesOr nonzeroType(const TypeRequest &request) {
  const Type &x = request.type(0);
  if (x.rank() == 0)
    return makeError(ErrorKind::ValueError, "an array of rank 0 has no positions");
  if (request.size() > 2)
    return makeError(ErrorKind::TypeError, "there are at most 2 operands");
  if (request.size() == 2) {
    auto length = vectorLength(request, 1);
    if (!length.ok())
      return length.status();
    if (*length != x.rank())
      return makeError(ErrorKind::ValueError, "the extents must be " + std::to_string(x.rank()));
  }
  return inferShapes(request, {DType::Int64});
}

Arrays nonzeroEmission(Emitter &e, const Arrays &in, const Attributes &) {
  Array x = in[0];
  std::vector<int> axes;
  for (int k = 0; k < e.rank(x); ++k) {
    axes.push_back(k);
    if (in.size() > 1)
      e.require(e.dim(x, k), Predicate::Equal, e.element(in[1], k), ErrorKind::IndexError,
                "the mask has {a} elements along axis " + std::to_string(k) +
                    " where the array has {b}");
  }
  Array count = reduceMapped(e, Combine::Sum, x, axes, false,
                             [&](Scalar s) { return cast(cast(s, DType::Bool), DType::Int64); });
  return e.routine(kNonzero, {}, {x}, {{DType::Int64, {e.size(e.rank(x)), e.element(count)}}});
}

//===--- ravelIndex ------------------------------------------------------------------===//

TypesOr ravelType(const TypeRequest &request) {
  auto length = vectorLength(request, 0);
  if (!length.ok())
    return length.status();
  if (size_t(*length) != request.size() - 1)
    return makeError(ErrorKind::ValueError, std::to_string(*length) + " extents but " +
                                                std::to_string(request.size() - 1) +
                                                " index arrays");
  for (size_t k = 1; k < request.size(); ++k)
    if (!isInteger(request.type(k).dtype()))
      return makeError(ErrorKind::TypeError, "indices are integers, not " +
                                                 std::string(dtypeName(request.type(k).dtype())));
  if (absl::Status s = checkTakeMode(request.attributes().string("mode"), true); !s.ok())
    return s;
  const IntList &axes = request.attributes().ints("axes");
  if (!axes.empty() && axes.size() != request.size() - 1)
    return makeError(ErrorKind::ValueError, "the axes must be as many as the index arrays");
  return inferShapes(request, {DType::Int64});
}

/// What the index arrays broadcast to. IndexError.
Extents indexShape(Emitter &e, absl::Span<const Array> arrays) {
  int rank = 0;
  for (Array a : arrays)
    rank = std::max(rank, e.rank(a));
  Extents shape(size_t(rank), e.size(1));
  for (int axis = 0; axis < rank; ++axis) {
    bool isGiven = false;
    for (Array a : arrays) {
      int own = axis - (rank - e.rank(a));
      if (own < 0 || e.broadcasts(a, own))
        continue;
      if (isGiven)
        e.require(e.dim(a, own), Predicate::Equal, shape[size_t(axis)], ErrorKind::IndexError,
                  "index arrays have {b} and {a} elements along axis " + std::to_string(axis) +
                      " of what they broadcast to");
      else
        shape[size_t(axis)] = e.dim(a, own);
      isGiven = true;
    }
  }
  return shape;
}

Arrays ravelEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  const IntList &axes = attributes.ints("axes");
  const size_t count = in.size() - 1;
  std::vector<TakePositions> positions;
  positions.reserve(count);
  for (size_t k = 0; k < count; ++k)
    positions.emplace_back(e, in[k + 1], e.element(in[0], int64_t(k)),
                           axes.empty() ? int(k) : int(axes[k]), attributes.string("mode"));
  Extents shape = indexShape(e, absl::MakeConstSpan(in).subspan(1));
  return {e.define(shape, [&](Indices i) {
    Scalar flat = e.index(0);
    for (size_t k = 0; k < count; ++k) {
      Array a = in[k + 1];
      Scalars at(i.end() - e.rank(a), i.end());
      for (int axis = 0; axis < e.rank(a); ++axis)
        if (e.broadcasts(a, axis))
          at[size_t(axis)] = e.index(0);
      Scalar position = positions[k].at(at).first;
      flat = k == 0 ? position : flat * e.scalar(e.element(in[0], int64_t(k))) + position;
    }
    return flat;
  })};
}

//===--- nonMaxSuppression -----------------------------------------------------------===//

TypesOr boxesType(const TypeRequest &request) {
  if (request.type(0).rank() != 3 || request.type(1).rank() != 3)
    return makeError(ErrorKind::ShapeError,
                     "boxes are (batch, n, 4) and scores (batch, classes, n)");
  for (size_t k : {0, 1, 3, 4})
    if (!isFloat(request.type(k).dtype()))
      return makeError(ErrorKind::TypeError, "operand " + std::to_string(k) + " must be of floats");
  for (size_t k : {2, 3, 4})
    if (request.type(k).rank() != 0)
      return makeError(ErrorKind::TypeError, "operand " + std::to_string(k) + " must be a scalar");
  if (!isInteger(request.type(2).dtype()))
    return makeError(ErrorKind::TypeError, "how many boxes are kept must be an integer");
  return inferShapes(request, {DType::Int64});
}

Arrays boxesEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array boxes = in[0], scores = in[1];
  e.requireEqual(e.dim(boxes, 0), e.dim(scores, 0), "boxes of {a} batches and scores of {b}");
  e.requireEqual(e.dim(boxes, 1), e.dim(scores, 2), "{a} boxes and {b} scores of each class");
  e.requireEqual(e.dim(boxes, 2), e.size(4), "a box has 4 numbers, not {a}");
  Array wanted = castArray(e, in[2], DType::Int64);
  Extent most = max(min(e.element(wanted), e.dim(boxes, 1)), e.size(0));
  Arrays operands = {castArray(e, boxes, DType::Float32), castArray(e, scores, DType::Float32),
                     wanted, castArray(e, in[3], DType::Float32),
                     castArray(e, in[4], DType::Float32)};
  Extent rows = e.dim(scores, 0) * e.dim(scores, 1) * most;
  Arrays made = e.routine(kNonMaxSuppression, {attributes.boolean("centered")}, operands,
                          {{DType::Int64, {rows, e.size(3)}}, {DType::Int64, {}}});
  return {e.define({e.element(made[1]), e.size(3)}, [&](Indices i) { return e.load(made[0], i); })};
}

} // namespace

std::vector<OpDef> positionOps() {
  return {
      {.name = "nonMaxSuppression",
       .doc = "Boxes of great scores that do not cover each other: int64 rows of batch, class and "
              "box.\nOf each batch and class, by descending scores above `score`, those whose "
              "intersection over union with each that is kept before is at most `overlap`, up to "
              "`most`. A box is two corners (y, x, y, x), or centre, width and height (x, y, w, "
              "h). In float32.",
       .operands = {{"boxes", "(batch, n, 4)"},
                    {"scores", "(batch, classes, n)"},
                    {"most", "of each class"},
                    {"overlap"},
                    {"score"}},
       .attributes = {{.name = "centered", .kind = AttributeKind::Bool, .defaultValue = false}},
       .type = boxesType,
       .emit = boxesEmission,
       .golden = {"non_max_suppression"},
       .section = section(kIndexing),
       .example = "nonMaxSuppression([[[0., 0., 1., 1.], [0., 0., 1., 2.]]], [[[0.5, 0.75]]], 2, "
                  "0.25, 0.) = [[0, 0, 1]]"},
      {.name = "nonzero",
       .doc = "The positions of the elements that are not 0, in row-major order: int64 of shape "
              "(rank, count).\nNaN is not 0. Where x is a mask, `extents` are those of the axes "
              "that it chooses from; others than x's: IndexError. Rank 0: ValueError.",
       .operands = {{"x"}, {"extents", "int64: one, or none"}},
       .variadic = true,
       .minOperands = 1,
       .literals = Literals::Int64,
       .type = nonzeroType,
       .emit = nonzeroEmission,
       .golden = {"nonzero", "flatnonzero"},
       .section = section(kIndexing),
       .example = "nonzero([[1, 0], [0, 2]]) = [[0, 1], [0, 1]]"},
      {.name = "ravelIndex",
       .doc = "The positions in the flattened array of the elements that integer arrays name, one "
              "array for each axis: int64.\nThey broadcast to each other (IndexError). raise: an "
              "index out of range is an IndexError, negative ones count from the end. label: these "
              "are out of range, too. clip and wrap: as take.",
       .operands = {{"extents", "int64: those of the axes"}, {"indices"}},
       .variadic = true,
       .minOperands = 2,
       .attributes = {{.name = "mode",
                       .kind = AttributeKind::String,
                       .defaultValue = std::string("raise")},
                      {.name = "axes",
                       .kind = AttributeKind::Ints,
                       .defaultValue = IntList(),
                       .doc = "their names in messages; empty: 0, 1, ..."}},
       .literals = Literals::Int64,
       .type = ravelType,
       .emit = ravelEmission,
       .golden = {"ravel_multi_index"},
       .section = section(kIndexing),
       .example = "ravelIndex([2, 3], [1, 0], [2, -1]) = [5, 2]"},
  };
}

} // namespace graphc
