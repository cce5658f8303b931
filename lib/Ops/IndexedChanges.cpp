//===- IndexedChanges.cpp - arrays changed where an index reads ---------------===//
//
// setSubtensor and incSubtensor, which are also the derivatives of subtensor.
//
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "IndexSpec.h"
#include "Indexing.h"
#include "Support/BroadcastHint.h"

namespace graphc {
namespace {

//===--- setSubtensor, incSubtensor -------------------------------------------------===//

/// Where x may have no elements nothing would look at an index that is loaded: then it is looked at
/// by itself, in front of the loops over x.
void checkLoaded(Emitter &e, Array x, IndexRegion &region) {
  bool hasElements = true;
  for (Extent extent : e.shape(x))
    hasElements &= e.constantValue(extent).value_or(0) > 0;
  for (size_t axis = 0; !hasElements && axis < region.sources.size(); ++axis)
    if (IndexSource &s = region.sources[axis]; s.loaded.id >= 0) {
      s.loaded =
          e.define({}, [&](Indices) { return IndexRegion::loaded(e, x, int(axis), s).first; });
      s.isChecked = true;
    }
}

/// The element of the region that the one at `i` of x is: where in y it is, and whether there is
/// one.
Scalars positionInRegion(Emitter &e, Array x, Array y, const IndexRegion &region, Indices i,
                         IndexGuard &inside) {
  Scalars at(size_t(e.rank(y)), e.index(0));
  int missing = int(region.shape.size()) - e.rank(y);
  for (size_t axis = 0; axis < region.sources.size(); ++axis) {
    const IndexSource &s = region.sources[axis];
    if (s.loaded.id >= 0) {
      inside.also(equalTo(i[axis], s.isChecked ? e.load(s.loaded, {})
                                               : IndexRegion::loaded(e, x, int(axis), s).first));
      continue;
    }
    if (s.isPosition) {
      inside.also(equalTo(i[axis], e.scalar(s.start)));
      continue;
    }
    Scalar distance = i[axis] - e.scalar(s.start), k = distance;
    std::optional<int64_t> step = e.constantValue(s.step), start = e.constantValue(s.start);
    if (step == -1) {
      k = -distance;
    } else if (step != 1) {
      k = intDiv(distance, e.scalar(s.step));
      inside.also(equalTo(k * e.scalar(s.step), distance));
    }
    if (step != 1 || start != 0)
      inside.also(k >= 0.0);
    if (!s.isWhole)
      inside.also(k < e.scalar(s.length));
    int axisOfY = region.axisInResult[axis] - missing;
    if (axisOfY >= 0 && !e.broadcasts(y, axisOfY))
      at[size_t(axisOfY)] = k;
  }
  return at;
}

/// x where the index reads nothing, else `join` of its element and y's.
EmitRule changeEmission(std::function<Scalar(Scalar x, Scalar y)> join) {
  return [join = std::move(join)](Emitter &e, const Arrays &in,
                                  const Attributes &attributes) -> Arrays {
    Array x = in[0], y = castArray(e, in[1], e.dtype(x));
    IndexRegion region(e, in, 2, attributes);
    checkLoaded(e, x, region);
    int missing = int(region.shape.size()) - e.rank(y);
    for (int axis = 0; axis < e.rank(y); ++axis)
      if (!e.broadcasts(y, axis))
        e.require(e.dim(y, axis), Predicate::Equal, region.shape[size_t(axis) + size_t(missing)],
                  ErrorKind::ValueError,
                  "y has {a} elements along axis " + std::to_string(axis) +
                      " where the index reads {b}" + std::string(kBroadcastHint));
    return {e.define(e.shape(x), [&](Indices i) {
      IndexGuard inside;
      Scalars at = positionInRegion(e, x, y, region, i, inside);
      Scalar old = e.load(x, i);
      if (!inside.any())
        return join(old, e.load(y, at));
      Scalar changed = e.loadIf(inside.all(), y, at, e.literal(e.dtype(x), 0));
      return select(inside.all(), join(old, changed), old);
    })};
  };
}

TypesOr changeType(const TypeRequest &request) {
  const Type &x = request.type(0), &y = request.type(1);
  if (absl::Status s = checkFits(y.dtype(), x.dtype()); !s.ok())
    return s;
  auto index = parseIndex(request.attributes().string("index"));
  if (index.ok()) {
    int rank = 0;
    if (auto expanded = expandIndex(*index, x.rank()); expanded.ok())
      for (const IndexEntry &entry : *expanded)
        rank += entry.kind != IndexEntry::Kind::Position;
    else
      return expanded.status();
    if (y.rank() > rank)
      return makeError(ErrorKind::ValueError, "y has rank " + std::to_string(y.rank()) +
                                                  " where the index reads an array of rank " +
                                                  std::to_string(rank));
  }
  return indexedType(request, 2);
}

//===--- their derivatives ----------------------------------------------------------===//

/// `v` at the node's index, whose terms are operands 2 and on.
Variable atIndex(const Op &op, Inputs in, const Variable &v) {
  std::vector<Operand> operands = {v};
  operands.insert(operands.end(), in.begin() + 2, in.end());
  return build(builtin("subtensor", op.attributes()), operands);
}

Variables withoutTerms(Variables gradients, Inputs in) {
  gradients.resize(in.size(), Variable(Type::disconnected()));
  return gradients;
}

Variables incPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return withoutTerms({g[0], unbroadcast(atIndex(op, in, g[0]), in[1])}, in);
}

Variables setPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  std::vector<Operand> operands = {g[0], constant(Tensor(0.0).cast(g[0].dtype()))};
  operands.insert(operands.end(), in.begin() + 2, in.end());
  return withoutTerms({build(op, operands), unbroadcast(atIndex(op, in, g[0]), in[1])}, in);
}

OpDef changing(OpDef def, std::function<Scalar(Scalar x, Scalar y)> join) {
  def.operands = {{"x"}, {"y"}, {"terms", "0-d integers that the index names"}};
  def.variadic = true;
  def.minOperands = 2;
  def.attributes = {{"index", AttributeKind::String}};
  def.type = changeType;
  def.emit = changeEmission(std::move(join));
  def.pushforward = linearIn(2);
  def.elements = Elements::Moved;
  def.connection = {{true}, {true}, {false}};
  def.section = section(kIndexing);
  return def;
}

} // namespace

absl::Status checkFits(DType y, DType x) {
  if (promote(x, y) == x)
    return absl::OkStatus();
  return makeError(ErrorKind::TypeError, std::string(dtypeName(y)) + " elements do not fit into " +
                                             std::string(dtypeName(x)) + "; cast y");
}

std::vector<OpDef> indexedChangeOps() {
  return {
      changing({.name = "setSubtensor",
                .doc = "x with y in place of what subtensor reads at the index.\n"
                       "y broadcasts to the shape that subtensor gives. $k in the index is integer "
                       "operand k after y. Errors as subtensor's; a y of another shape: "
                       "ValueError, of a dtype that x's does not hold: TypeError.",
                .pullback = setPullback,
                .golden = {"set_subtensor"},
                .example = "setSubtensor([1, 2, 3, 4], [8, 9]) {index = \"::2\"} = [8, 2, 9, 4]"},
               [](Scalar, Scalar y) { return y; }),
      changing({.name = "incSubtensor",
                .doc = "x with y added to what subtensor reads at the index.\nAs setSubtensor; "
                       "integers wrap, bools are joined by or.",
                .pullback = incPullback,
                .golden = {"inc_subtensor"},
                .example = "incSubtensor([1, 2, 3], 5) {index = \"1:\"} = [1, 7, 8]"},
               [](Scalar x, Scalar y) { return isBool(x.dtype()) ? x || y : x + y; }),
  };
}

} // namespace graphc
