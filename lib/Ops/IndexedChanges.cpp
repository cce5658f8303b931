//===- IndexedChanges.cpp - arrays changed where an index reads ---------------===//
//
// setSubtensor and incSubtensor, which are also the derivatives of subtensor, and incTake, which is
// that of take.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

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

absl::Status checkFits(DType y, DType x) {
  if (promote(x, y) == x)
    return absl::OkStatus();
  return makeError(ErrorKind::TypeError, std::string(dtypeName(y)) + " elements do not fit into " +
                                             std::string(dtypeName(x)) + "; cast y");
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

//===--- incTake --------------------------------------------------------------------===//

/// Axes before and behind the one that is taken along, and its extent, of an array of that shape.
struct Lines {
  int64_t outer = 1, extent = 1, inner = 1;

  Lines(absl::Span<const int64_t> shape, std::optional<int> axis) {
    for (size_t k = 0; k < shape.size(); ++k)
      (!axis || int(k) == *axis ? extent : int(k) < *axis ? outer : inner) *= shape[k];
  }
};

/// Where `index` is among `extent` positions, or nothing.
std::optional<int64_t> positionOf(int64_t index, int64_t extent, const std::string &mode) {
  if (mode == "clip")
    return std::clamp<int64_t>(index, 0, extent - 1);
  if (mode == "wrap")
    return (index % extent + extent) % extent;
  if (index < -extent || index >= extent)
    return std::nullopt;
  return index < 0 ? index + extent : index;
}

/// out = x, and y's lines added to it one after the other. T: the dtype in which that is done.
template <class T>
void addLines(const Tensor &x, const Tensor &y, absl::Span<const int64_t> positions,
              const Lines &lines, Tensor &out) {
  absl::Span<T> to = out.mutableFlat<T>();
  absl::Span<const T> from = x.flat<T>(), terms = y.flat<T>();
  std::copy(from.begin(), from.end(), to.begin());
  int64_t next = 0;
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t position : positions) {
      T *line = to.data() + (o * lines.extent + position) * lines.inner;
      for (int64_t i = 0; i < lines.inner; ++i, ++next) {
        if constexpr (std::is_same_v<T, bool>)
          line[i] = line[i] || terms[next];
        else if constexpr (std::is_integral_v<T>)
          line[i] = T(uint64_t(line[i]) + uint64_t(terms[next])); // wraps
        else if constexpr (std::is_floating_point_v<T>)           // halves come as float32
          line[i] += terms[next];
      }
    }
}

HostFunction incTakeOnHost(std::optional<int> axis, std::string mode) {
  return [=](absl::Span<const Tensor> in, absl::Span<Tensor> out) -> absl::Status {
    Lines lines(in[0].shape(), axis);
    std::vector<int64_t> positions;
    for (int64_t index : in[2].flat<int64_t>()) {
      std::optional<int64_t> position = positionOf(index, lines.extent, mode);
      if (!position)
        return makeError(ErrorKind::IndexError, "index " + std::to_string(index) +
                                                    " is out of range for axis " +
                                                    std::to_string(axis.value_or(0)) + " with " +
                                                    std::to_string(lines.extent) + " elements");
      positions.push_back(*position);
    }
    dispatch(in[0].dtype(),
             [&](auto zero) { addLines<decltype(zero)>(in[0], in[1], positions, lines, out[0]); });
    return absl::OkStatus();
  };
}

Arrays incTakeEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0], y = in[1], indices = in[2];
  DType dtype = e.dtype(x), wide = computeDType(dtype);
  std::optional<int> axis;
  if (!attributes.isNone("axis"))
    axis = int(attributes.integer("axis")) + (attributes.integer("axis") < 0 ? e.rank(x) : 0);
  const std::string &mode = attributes.string("mode");
  Extents shape;
  for (int k = 0; axis && k < *axis; ++k)
    shape.push_back(e.dim(x, k));
  for (Extent extent : e.shape(indices))
    shape.push_back(extent);
  for (int k = axis ? *axis + 1 : e.rank(x); k < e.rank(x); ++k)
    shape.push_back(e.dim(x, k));
  if (mode != "raise")
    e.require(min(e.numElements(indices), e.size(1)), Predicate::LessEqual,
              axis ? e.dim(x, *axis) : e.numElements(x), ErrorKind::IndexError,
              "there is nothing to take from an empty axis");
  for (int k = 0; k < e.rank(y); ++k)
    e.requireEqual(e.dim(y, k), shape[size_t(k)],
                   "y has {a} elements along axis " + std::to_string(k) + " where take gives {b}");
  Arrays sums =
      e.hostCall(incTakeOnHost(axis, mode), {castArray(e, x, wide), castArray(e, y, wide), indices},
                 {{wide, e.shape(x)}});
  return {castArray(e, sums[0], dtype)};
}

TypesOr incTakeType(const TypeRequest &request) {
  if (absl::Status s = checkTaking(request, 2); !s.ok())
    return s;
  const Type &x = request.type(0), &y = request.type(1);
  if (absl::Status s = checkFits(y.dtype(), x.dtype()); !s.ok())
    return s;
  bool isFlat = request.attributes().isNone("axis");
  int rank = request.type(2).rank() + (isFlat ? 0 : x.rank() - 1);
  if (y.rank() != rank)
    return makeError(ErrorKind::ShapeError, "y has rank " + std::to_string(y.rank()) +
                                                " where take gives rank " + std::to_string(rank));
  return inferLikeFirst(request);
}

Variables incTakePullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {g[0], build(builtin("take", op.attributes()), {g[0], in[2]}),
          Variable(Type::disconnected())};
}

} // namespace

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
      {.name = "incTake",
       .doc =
           "x with y added where take reads, in the order of the indices, as often as a position "
           "is named.\ny has take's shape (ShapeError); a dtype that x's does not hold: "
           "TypeError. Each addition rounds; halves are joined in float32 and rounded once. "
           "Integers wrap, bools are joined by or. The host computes it: libraries ahead of "
           "time refuse it.",
       .operands = {{"x"}, {"y"}, {"indices"}},
       .attributes = takeAttributes(),
       .type = incTakeType,
       .emit = incTakeEmission,
       .pullback = incTakePullback,
       .pushforward = linearIn(2),
       .elements = Elements::Moved,
       .connection = {{true}, {true}, {false}},
       .maxUlp = {-1, -1},
       .golden = {"take_gradient0", "inc_take"},
       .section = section(kIndexing),
       .example = "incTake([1, 2, 3], [10, 20, 30], [0, 2, 0]) {axis = 0} = [41, 2, 23]"},
  };
}

} // namespace graphc
