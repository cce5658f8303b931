//===- Shapes.cpp - shapes of arrays, and the same elements in another one -===//
#include <algorithm>

#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"
#include "Support/BroadcastHint.h"
#include "Support/Text.h"

namespace graphc {
namespace {

//===--- extents as data ----------------------------------------------------------===//

Arrays shapeEmission(Emitter &e, const Arrays &in, const Attributes &) {
  Extents extents = e.shape(in[0]);
  return {e.define({e.size(int64_t(extents.size()))}, [&](Indices i) {
    Scalar value = e.index(0);
    for (size_t axis = extents.size(); axis-- > 0;)
      value = axis + 1 == extents.size()
                  ? e.scalar(extents[axis])
                  : select(equalTo(i[0], double(axis)), e.scalar(extents[axis]), value);
    return value;
  })};
}

TypesOr shapeIType(const TypeRequest &request) {
  if (absl::Status s = requireAxis(request); !s.ok())
    return s;
  return std::vector<Type>{Type(DType::Int64, {})};
}

Arrays shapeIEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  int64_t axis = attributes.integer("axis");
  Extent extent = e.dim(in[0], int(axis < 0 ? axis + e.rank(in[0]) : axis));
  return {e.define({}, [&](Indices) { return e.scalar(extent); })};
}

//===--- reshape -------------------------------------------------------------------===//

/// -1 takes what is left. Sizes that are no number yet may be -1 as well, so the choice is a
/// size expression.
Arrays reshapeEmission(Emitter &e, const Arrays &in, const Attributes &) {
  Array x = in[0];
  int rank = int(*e.constantValue(e.dim(in[1], 0)));
  Extent total = e.numElements(x), one = e.size(1), zero = e.size(0);
  Extents wanted, unknown;
  Extent known = one, numUnknown = zero;
  for (int axis = 0; axis < rank; ++axis) {
    Extent extent = e.element(in[1], axis);
    e.require(e.size(-1), Predicate::LessEqual, extent, ErrorKind::ShapeError,
              "extent {b} along axis " + std::to_string(axis) + " of the new shape is negative");
    Extent isUnknown = equal(extent, e.size(-1));
    wanted.push_back(extent);
    unknown.push_back(isUnknown);
    known = known * select(isUnknown, one, extent);
    numUnknown = numUnknown + isUnknown;
  }
  e.require(numUnknown, Predicate::LessEqual, one, ErrorKind::ShapeError,
            "only one extent of the new shape may be -1, not {a}");
  // Nothing determines -1 next to an extent of 0.
  e.require(less(zero, numUnknown), Predicate::LessEqual, less(zero, known), ErrorKind::ShapeError,
            "-1 in the new shape is undetermined, since another extent is 0");
  Extent rest = floorDiv(total, known), product = one;
  Extents shape;
  for (int axis = 0; axis < rank; ++axis) {
    shape.push_back(select(unknown[axis], rest, wanted[axis]));
    product = product * shape.back();
  }
  e.requireEqual(total, product, "{a} elements do not fit a shape of {b}");
  return {e.view(x, shape)};
}

TypesOr reshapeType(const TypeRequest &request) {
  if (auto length = vectorLength(request, 1); !length.ok())
    return length.status();
  return inferLikeFirst(request);
}

Arrays flattenEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  int ndim = int(attributes.integer("ndim"));
  Extents shape;
  Extent rest = e.size(1);
  for (int axis = 0; axis < e.rank(in[0]); ++axis) {
    if (axis < ndim - 1)
      shape.push_back(e.dim(in[0], axis));
    else
      rest = rest * e.dim(in[0], axis);
  }
  shape.push_back(rest);
  return {e.view(in[0], shape)};
}

TypesOr flattenType(const TypeRequest &request) {
  int64_t ndim = request.attributes().integer("ndim");
  int rank = request.type(0).rank();
  if (ndim < 1 || ndim > std::max(rank, 1))
    return makeError(ErrorKind::ValueError, "ndim = " + std::to_string(ndim) +
                                                " must be 1 to the operand's rank " +
                                                std::to_string(rank));
  return inferLikeFirst(request);
}

//===--- dimshuffle --------------------------------------------------------------===//

/// A view where the axes with more than one element keep their order.
Arrays dimshuffleEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0];
  const IntList &order = attributes.ints("order");
  Extents shape;
  std::vector<int> position(e.rank(x), -1); // in the result
  int64_t last = -1;
  bool moves = false;
  for (size_t k = 0; k < order.size(); ++k) {
    shape.push_back(order[k] < 0 ? e.size(1) : e.dim(x, int(order[k])));
    if (order[k] < 0)
      continue;
    position[order[k]] = int(k);
    if (e.constantValue(shape.back()) == 1)
      continue;
    moves |= order[k] < last;
    last = order[k];
  }
  if (!moves)
    return {e.view(x, shape)};
  return {e.define(shape, [&](Indices i) {
    Scalars at;
    for (int p : position)
      at.push_back(p < 0 ? e.index(0) : i[p]);
    return e.load(x, at);
  })};
}

TypesOr dimshuffleType(const TypeRequest &request) {
  const Type &x = request.type(0);
  const IntList &order = request.attributes().ints("order");
  std::vector<bool> used(x.rank());
  std::vector<int64_t> shape;
  for (int64_t axis : order) {
    if (axis < -1 || axis >= x.rank())
      return makeError(ErrorKind::ValueError, "axis " + std::to_string(axis) +
                                                  " in order is out of range for rank " +
                                                  std::to_string(x.rank()));
    if (axis >= 0 && used[axis])
      return makeError(ErrorKind::ValueError,
                       "axis " + std::to_string(axis) + " is repeated in order");
    if (axis >= 0)
      used[axis] = true;
    shape.push_back(axis < 0 ? 1 : x.extent(int(axis)));
  }
  for (int axis = 0; axis < x.rank(); ++axis)
    if (!used[axis] && !x.broadcastable(axis))
      return makeError(ErrorKind::ValueError,
                       "axis " + std::to_string(axis) +
                           " is left out, which needs an extent that is statically 1");
  return std::vector<Type>{Type(x.dtype(), shape)};
}

//===--- squeeze -------------------------------------------------------------------===//

Arrays squeezeEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Extents shape;
  std::vector<int> axes = axesOf(attributes, e.rank(in[0]));
  for (int axis = 0; axis < e.rank(in[0]); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end())
      shape.push_back(e.dim(in[0], axis));
    else
      e.require(e.dim(in[0], axis), Predicate::Equal, e.size(1), ErrorKind::ValueError,
                "axis " + std::to_string(axis) + " has {a} elements, not 1");
  }
  return {e.view(in[0], shape)};
}

TypesOr squeezeType(const TypeRequest &request) {
  if (auto axes = normalizeAxes(request.attributes().ints("axes"), request.type(0).rank());
      !axes.ok())
    return axes.status();
  return inferLikeFirst(request);
}

//===--- specifyShape, broadcastTo -----------------------------------------------===//

Arrays specifyShapeEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  const IntList &claimed = attributes.ints("shape");
  Extents shape = e.shape(in[0]);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (claimed[axis] < 0)
      continue;
    e.requireEqual(shape[axis], e.size(claimed[axis]),
                   "the extent along axis " + std::to_string(axis) + " is {a} instead of {b}");
    shape[axis] = e.size(claimed[axis]);
  }
  return {e.view(in[0], shape)};
}

TypesOr specifyShapeType(const TypeRequest &request) {
  const Type &x = request.type(0);
  const IntList &claimed = request.attributes().ints("shape");
  if (int(claimed.size()) != x.rank())
    return makeError(ErrorKind::ShapeError, "the shape has " + counted(claimed.size(), "extent") +
                                                " for rank " + std::to_string(x.rank()));
  return inferLikeFirst(request);
}

Arrays specifyShapeLikeEmission(Emitter &e, const Arrays &in, const Attributes &a) {
  Extents shape = e.shape(in[1]);
  const std::string &message = a.string("message");
  for (int axis = 0; axis < e.rank(in[0]); ++axis)
    e.requireEqual(e.dim(in[0], axis), shape[size_t(axis)],
                   !message.empty()
                       ? message
                       : "the extent along axis " + std::to_string(axis) +
                             " is {a}, that of its Variable {b}: give it the same shape");
  return {e.view(in[0], shape)};
}

TypesOr unbroadcastType(const TypeRequest &request) {
  const Type &x = request.type(0);
  absl::StatusOr<std::vector<int>> axes =
      normalizeAxes(request.attributes().ints("axes"), x.rank());
  if (!axes.ok())
    return axes.status();
  std::vector<int64_t> shape(x.shape().begin(), x.shape().end());
  for (int axis : *axes)
    shape[size_t(axis)] = kDynamic;
  return std::vector<Type>{Type(x.dtype(), shape)};
}

TypesOr specifyShapeLikeType(const TypeRequest &request) {
  const Type &x = request.type(0), &like = request.type(1);
  if (x.rank() != like.rank())
    return makeError(ErrorKind::ShapeError, "the ranks are " + std::to_string(x.rank()) + " and " +
                                                std::to_string(like.rank()));
  return inferLikeFirst(request);
}

Arrays broadcastToEmission(Emitter &e, const Arrays &in, const Attributes &) {
  Array x = in[0];
  int rank = int(*e.constantValue(e.dim(in[1], 0))), shift = rank - e.rank(x);
  Extents shape;
  for (int axis = 0; axis < rank; ++axis) {
    Extent extent = e.element(in[1], axis);
    const bool stays = axis >= shift && !e.broadcasts(x, axis - shift);
    e.require(e.size(0), Predicate::LessEqual, extent,
              stays ? ErrorKind::ShapeError : ErrorKind::ValueError,
              "extent {b} along axis " + std::to_string(axis) + " of the new shape is negative");
    if (stays)
      e.requireEqual(e.dim(x, axis - shift), extent,
                     "extent {a} along axis " + std::to_string(axis - shift) +
                         " cannot become {b}" + std::string(kBroadcastHint));
    shape.push_back(extent);
  }
  return {e.define(shape, [&](Indices i) {
    Scalars at;
    for (int axis = 0; axis < e.rank(x); ++axis)
      at.push_back(e.broadcasts(x, axis) ? e.index(0) : i[axis + shift]);
    return e.load(x, at);
  })};
}

TypesOr broadcastToType(const TypeRequest &request) {
  auto length = vectorLength(request, 1);
  if (!length.ok())
    return length.status();
  if (*length < request.type(0).rank())
    return makeError(ErrorKind::ShapeError, "rank " + std::to_string(request.type(0).rank()) +
                                                " cannot become rank " + std::to_string(*length));
  return inferLikeFirst(request);
}

//===--- derivatives --------------------------------------------------------------===//

/// x as it was.
Variables reshapePullback(const Op &, Inputs in, Outputs, Gradients g) {
  Variables gradients = {reshape(g[0], shape(in[0]))};
  gradients.resize(in.size(), Variable(Type::disconnected()));
  return gradients;
}

Variables dimshufflePullback(const Op &op, Inputs in, Outputs, Gradients g) {
  const Attributes &attributes = op.attributes();
  const IntList &order = attributes.ints("order");
  std::vector<int> inserted, back(size_t(in[0].rank()), -1);
  for (size_t k = 0; k < order.size(); ++k) {
    if (order[k] < 0)
      inserted.push_back(int(k));
    else
      back[size_t(order[k])] = int(k - inserted.size());
  }
  Variable v = inserted.empty() ? g[0] : squeeze(g[0], Axes(inserted));
  return {dimshuffle(v, back)};
}

Variables squeezePullback(const Op &op, Inputs in, Outputs, Gradients g) {
  std::vector<int> axes = axesOf(op.attributes(), in[0].rank());
  return {axes.empty() ? g[0] : expandDims(g[0], Axes(axes))};
}

Variables specifyShapePullback(const Op &, Inputs in, Outputs, Gradients g) {
  Variables gradients(in.size(), Variable(Type::disconnected()));
  gradients[0] = g[0];
  return gradients;
}

/// Of extent 1 again where x's type says so.
Variables unbroadcastPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  std::vector<int> ones;
  for (int axis : axesOf(op.attributes(), in[0].rank()))
    if (in[0].type().broadcastable(axis))
      ones.push_back(axis);
  return {ones.empty() ? g[0] : sum(g[0], {.axes = Axes(ones), .keepDims = true})};
}

Variables broadcastToPullback(const Op &, Inputs in, Outputs, Gradients g) {
  return {unbroadcast(g[0], in[0]), Variable(Type::disconnected())};
}

OpDef shapeOp(OpDef def) {
  def.section = section(kShape);
  return def;
}

/// An op that only moves elements.
OpDef moving(OpDef def, PullbackRule pullback) {
  def.pullback = std::move(pullback);
  def.pushforward = sameOpOnTangent();
  def.elements = Elements::Moved;
  return shapeOp(std::move(def));
}

/// The same of one operand, whose memory the result has.
OpDef viewing(OpDef def, PullbackRule pullback) {
  def.operands = {{"x"}};
  def.viewMap = {0};
  return moving(std::move(def), std::move(pullback));
}

} // namespace

std::vector<OpDef> shapeOps() {
  return {
      shapeOp({.name = "shape",
               .doc = "The extents of x, an int64 vector.",
               .operands = {{"x"}},
               .type = [](const TypeRequest &request) -> TypesOr {
                 return std::vector<Type>{TensorType(DType::Int64, {request.type(0).rank()})};
               },
               .emit = shapeEmission,
               .connection = {{false}},
               .golden = {"shape"},
               .example = "shape([[1, 2, 3], [4, 5, 6]]) = [2, 3]"}),
      shapeOp({.name = "shapeI",
               .doc = "One extent of x, an int64 scalar.\nAxisError for an axis out of range.",
               .operands = {{"x"}},
               .attributes = {{"axis", AttributeKind::Int}},
               .type = shapeIType,
               .emit = shapeIEmission,
               .connection = {{false}},
               .golden = {"shape_i"},
               .example = "shapeI([[1, 2, 3], [4, 5, 6]]) {axis = 1} = 3"}),
      shapeOp({.name = "size",
               .doc = "The number of elements of x, an int64 scalar.",
               .operands = {{"x"}},
               .type = [](const TypeRequest &) -> TypesOr {
                 return std::vector<Type>{Type(DType::Int64, {})};
               },
               .emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
                 return {e.define({}, [&](Indices) { return e.scalar(e.numElements(in[0])); })};
               },
               .connection = {{false}},
               .golden = {"size"},
               .example = "size([[1, 2, 3], [4, 5, 6]]) = 6"}),
      moving({.name = "reshape",
              .doc = "The elements of x in row-major order with another shape.\nThe shape is an "
                     "integer vector of known length; one extent may be -1. ShapeError where the "
                     "number of elements differs, for two -1, for -1 next to 0 and for other "
                     "negative extents.",
              .operands = {{"x"}, {"shape"}},
              .type = reshapeType,
              .emit = reshapeEmission,
              .viewMap = {0},
              .connection = {{true}, {false}},
              .golden = {"reshape"},
              .example = "reshape([1, 2, 3, 4], [2, -1]) = [[1, 2], [3, 4]]"},
             reshapePullback),
      viewing({.name = "flatten",
               .doc = "x with its first ndim - 1 axes kept and the rest joined to one.",
               .attributes = {{"ndim", AttributeKind::Int, int64_t(1)}},
               .type = flattenType,
               .emit = flattenEmission,
               .golden = {"flatten"},
               .example = "flatten([[1, 2], [3, 4]]) = [1, 2, 3, 4]"},
              reshapePullback),
      viewing({.name = "dimshuffle",
               .doc =
                   "Axis order[k] of x becomes axis k; -1 inserts an axis of extent 1.\nAxes may "
                   "be left out where their extent is statically 1. ValueError for others, for "
                   "repeated axes and for axes out of range.",
               .attributes = {{"order", AttributeKind::Ints}},
               .type = dimshuffleType,
               .emit = dimshuffleEmission,
               .golden = {"dimshuffle", "transpose", "expand_dims", "moveaxis", "swapaxes",
                          "atleast_2d"},
               .example = "dimshuffle([[1, 2], [3, 4]]) {order = [1, -1, 0]} = "
                          "[[[1, 3]], [[2, 4]]]"},
              dimshufflePullback),
      viewing({.name = "squeeze",
               .doc = "x without axes whose extent is 1.\nWhere the extent is not known it is "
                      "checked at run time; another one is a ValueError.",
               .attributes = {{"axes", AttributeKind::Ints}},
               .type = squeezeType,
               .emit = squeezeEmission,
               .golden = {"squeeze"},
               .example = "squeeze([[1, 2]]) {axes = [0]} = [1, 2]"},
              squeezePullback),
      viewing({.name = "specifyShape",
               .doc = "x, with extents that are checked at run time and known from here on.\n-1 is "
                      "any extent. ShapeError where one differs.",
               .attributes = {{"shape", AttributeKind::Ints}},
               .type = specifyShapeType,
               .emit = specifyShapeEmission,
               .golden = {"specify_shape"},
               .example = "specifyShape([1, 2]) {shape = [2]} = [1, 2]"},
              specifyShapePullback),
      viewing({.name = "unbroadcast",
               .doc = "x, whose extents along the axes its type does not tell: where they are 1, "
                      "they do not broadcast any more (F-019).\nThe gradient is summed to an "
                      "extent of 1 where x's type has one.",
               .attributes = {{"axes", AttributeKind::Ints}},
               .type = unbroadcastType,
               .emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
                 return {e.view(in[0], e.shape(in[0]))};
               },
               .golden = {"unbroadcast"},
               .example = "unbroadcast([[1, 2]]) {axes = [0]} = [[1, 2]]"},
              unbroadcastPullback),
      moving({.name = "specifyShapeLike",
              .doc =
                  "x, whose shape is checked at run time to be that of `like`.\nShapeError where "
                  "an extent differs, and for another rank.",
              .operands = {{"x"}, {"like"}},
              .attributes = {{.name = "message",
                              .kind = AttributeKind::String,
                              .defaultValue = std::string(),
                              .doc = "of the error, in the place of its own"}},
              .type = specifyShapeLikeType,
              .emit = specifyShapeLikeEmission,
              .viewMap = {0},
              .connection = {{true}, {false}},
              .golden = {"specify_shape_like"},
              .example = "specifyShapeLike([1, 2], [3, 4]) = [1, 2]"},
             specifyShapePullback),
      moving({.name = "broadcastTo",
              .doc = "x repeated to a shape.\nThe shape is an integer vector of known length, at "
                     "least x's rank. Extents that are not statically 1 must stay (ShapeError, "
                     "where they would be negative, too); other negative ones: ValueError.",
              .operands = {{"x"}, {"shape"}},
              .type = broadcastToType,
              .emit = broadcastToEmission,
              .connection = {{true}, {false}},
              .golden = {"broadcast_to", "full"},
              .example = "broadcastTo([1, 2], [2, 2]) = [[1, 2], [1, 2]]"},
             broadcastToPullback),
  };
}

} // namespace graphc
