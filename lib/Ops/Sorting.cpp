//===- Sorting.cpp - ops that put elements in order ----------------------------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Routines/Routines.h"
#include "Rules.h"
#include "graphc/Indexing.h"

namespace graphc {
namespace {

std::vector<AttributeSpec> sortAttributes(std::string other, std::string doc) {
  return {{.name = "axis", .kind = AttributeKind::Int, .doc = "from the end if negative"},
          {.name = std::move(other),
           .kind = AttributeKind::Bool,
           .defaultValue = false,
           .doc = std::move(doc)}};
}

TypesOr sortType(const TypeRequest &request) {
  if (absl::Status s = requireAxis(request); !s.ok())
    return s;
  return std::vector<Type>{request.type(0)};
}

TypesOr argsortType(const TypeRequest &request) {
  if (absl::Status s = requireAxis(request); !s.ok())
    return s;
  return std::vector<Type>{request.type(0).withDType(DType::Int64)};
}

TypesOr topType(const TypeRequest &request) {
  if (absl::Status s = requireAxis(request); !s.ok())
    return s;
  if (absl::Status s = requireIntegers(request, 1, 0); !s.ok())
    return s;
  return inferShapes(request, {DType::Int64});
}

TypesOr rowsType(const TypeRequest &request) {
  const Type &x = request.type(0);
  if (x.rank() != 2)
    return makeError(ErrorKind::TypeError,
                     "x must be a matrix of rows, not of rank " + std::to_string(x.rank()));
  return std::vector<Type>{Type(DType::Int64, {x.extent(0)})};
}

TypesOr searchType(const TypeRequest &request) {
  const Type &sorted = request.type(0), &values = request.type(1);
  if (sorted.rank() != 1 || sorted.dtype() != values.dtype())
    return makeError(ErrorKind::TypeError,
                     "the sorted elements must be a vector, and the values of their dtype");
  return std::vector<Type>{values.withDType(DType::Int64)};
}

//===--- emissions -------------------------------------------------------------------===//

/// x with one axis moved: `from` comes to `to`.
Array movedAxis(Emitter &e, Array x, int from, int to) {
  if (from == to)
    return x;
  std::vector<int> order; // of the result's axes, by x's
  for (int k = 0; k < e.rank(x); ++k)
    if (k != from)
      order.push_back(k);
  order.insert(order.begin() + to, from);
  Extents shape;
  for (int k : order)
    shape.push_back(e.dim(x, k));
  return e.define(shape, [&](Indices i) {
    Scalars at(i.size());
    for (size_t k = 0; k < order.size(); ++k)
      at[size_t(order[k])] = i[k];
    return e.load(x, at);
  });
}

/// A routine of rows on the lines of x along `axis`, of which `count` elements come out.
Array alongAxis(Emitter &e, const Routine &routine, bool parameter, Array x, int64_t axis,
                Extent count, DType result) {
  int rank = e.rank(x), from = *normalizeAxis(axis, rank);
  Array last = movedAxis(e, x, from, rank - 1);
  Extent rows = e.size(1);
  for (int k = 0; k < rank - 1; ++k)
    rows = rows * e.dim(last, k);
  Array sorted = e.routine(routine, {parameter}, {e.view(last, {rows, e.dim(x, from)})},
                           {{result, {rows, count}}})[0];
  Extents shape = e.shape(last);
  shape.back() = count;
  return movedAxis(e, e.view(sorted, shape), rank - 1, from);
}

Arrays sortEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  int axis = *normalizeAxis(a.integer("axis"), e.rank(in[0]));
  return {alongAxis(e, kSort, a.boolean("descending"), in[0], axis, e.dim(in[0], axis),
                    e.dtype(in[0]))};
}

Arrays argsortEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  int axis = *normalizeAxis(a.integer("axis"), e.rank(in[0]));
  return {alongAxis(e, kArgsort, a.boolean("descending"), in[0], axis, e.dim(in[0], axis),
                    DType::Int64)};
}

Arrays topEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  int axis = *normalizeAxis(a.integer("axis"), e.rank(in[0]));
  Extent k = e.element(in[1]), n = e.dim(in[0], axis);
  e.require(e.size(0), Predicate::LessEqual, k, ErrorKind::ValueError, "k is negative: {b}");
  e.require(k, Predicate::LessEqual, n, ErrorKind::ValueError,
            "k is {a} where axis " + std::to_string(axis) + " has {b} elements");
  return {alongAxis(e, kArgtopk, !a.boolean("smallest"), in[0], axis, k, DType::Int64)};
}

Arrays rowsEmission(Emitter &e, const Arrays &in, const Attributes &) {
  return e.routine(kArgsortRows, {}, in, {{DType::Int64, {e.dim(in[0], 0)}}});
}

Arrays searchEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  return e.routine(kSearchSorted, {a.boolean("right")}, in, {{DType::Int64, e.shape(in[1])}});
}

//===--- derivatives -----------------------------------------------------------------===//

Variable orderOf(const Op &op, const Variable &x) {
  return build(builtin("argsort", op.attributes()), {x});
}

Variables sortPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  Variable zeros = second(in[0], constant(Tensor(0.0).cast(g[0].dtype())));
  return {addAlongAxis(zeros, orderOf(op, in[0]), g[0], int(op.attributes().integer("axis")))};
}

Variables sortPushforward(const Op &op, Inputs in, Outputs, Tangents t) {
  return {takeAlongAxis(t[0], orderOf(op, in[0]), {.axis = int(op.attributes().integer("axis"))})};
}

constexpr std::string_view kOrder =
    " NaNs stand behind all numbers, -0 equals 0, and equal elements keep their order; descending "
    "the other way round, with equal ones in their order, too.";

} // namespace

std::vector<OpDef> sortingOps() {
  return {
      {.name = "sort",
       .doc = "x's elements in ascending order along an axis.\n" + std::string(kOrder.substr(1)),
       .operands = {{"x"}},
       .attributes = sortAttributes("descending", "whether the greatest comes first"),
       .type = sortType,
       .emit = sortEmission,
       .pullback = sortPullback,
       .pushforward = sortPushforward,
       .golden = {"sort", "sort_descending"},
       .section = section(kIndexing),
       .example = "sort([3, 1, 2]) {axis = 0, descending = true} = [3, 2, 1]"},
      {.name = "argsort",
       .doc = "The positions of x's elements in ascending order along an axis: int64.\n" +
              std::string(kOrder.substr(1)),
       .operands = {{"x"}},
       .attributes = sortAttributes("descending", "whether the greatest comes first"),
       .type = argsortType,
       .emit = argsortEmission,
       .golden = {"argsort", "argsort_descending"},
       .section = section(kIndexing),
       .example = "argsort([3, 1, 2]) {axis = 0} = [1, 2, 0]"},
      {.name = "argtopk",
       .doc = "The positions of the k greatest elements along an axis, the greatest first: int64.\n"
              "Or of the smallest, the smallest first. Of equal elements those that stand first; "
              "NaN counts as the greatest. ValueError unless 0 <= k <= n.",
       .operands = {{"x"}, {"k"}},
       .attributes = sortAttributes("smallest", "whether the smallest are wanted"),
       .literals = Literals::Int64,
       .type = topType,
       .emit = topEmission,
       .golden = {"argtopk"},
       .section = section(kIndexing),
       .example = "argtopk([3, 1, 2], 2) {axis = 0} = [0, 2]"},
      {.name = "argsortRows",
       .doc = "The positions of a matrix' rows in lexicographic order: int64.\nElements are "
              "compared as sort does.",
       .operands = {{"x"}},
       .type = rowsType,
       .emit = rowsEmission,
       .golden = {"argsort_rows"},
       .section = section(kIndexing),
       .example = "argsortRows([[2, 1], [1, 3], [1, 2]]) = [2, 1, 0]"},
      {.name = "searchsorted",
       .doc = "Where each value belongs in a sorted vector: int64, how many elements are less.\n"
              "right: how many are not greater. As sort compares; of a vector that is not sorted "
              "any number from 0 to its length.",
       .operands = {{"sorted"}, {"values"}},
       .attributes = {{.name = "right",
                       .kind = AttributeKind::Bool,
                       .defaultValue = false,
                       .doc = "whether equal elements count as well"}},
       .type = searchType,
       .emit = searchEmission,
       .golden = {"searchsorted"},
       .section = section(kIndexing),
       .example = "searchsorted([1, 2, 2, 3], [2, 5]) {right = true} = [3, 4]"},
  };
}

} // namespace graphc
