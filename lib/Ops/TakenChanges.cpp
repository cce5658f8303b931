//===- TakenChanges.cpp - arrays changed where take reads ----------------------===//
//
// incTake, which is also the derivative of take, and setTake.
//
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "Derivatives.h"
#include "Emit/Scatter.h"
#include "Families.h"
#include "Indexing.h"
#include "Routines/Routines.h"

namespace graphc {
namespace {

/// What both changes need: x with its axes, or flattened, and where the elements of y come to.
struct TakenChange {
  Array x, y; // y has one axis where take has as many as the indices
  Array positions;
  int axis = 0;

  TakenChange(Emitter &e, const Arrays &in, const Attributes &attributes) : x(in[0]), y(in[1]) {
    Array indices = in[2];
    if (attributes.isNone("axis"))
      x = e.view(x, {e.numElements(x)});
    else
      axis = *normalizeAxis(attributes.integer("axis"), e.rank(x));
    Extents shape = e.shape(x);
    const Extent n = shape[size_t(axis)];
    Extents taken(shape.begin(), shape.begin() + axis);
    for (Extent extent : e.shape(indices))
      taken.push_back(extent);
    taken.insert(taken.end(), shape.begin() + axis + 1, shape.end());
    TakePositions take(e, indices, n, axis, attributes.string("mode"));
    for (int k = 0; k < e.rank(y); ++k)
      e.requireEqual(e.dim(y, k), taken[size_t(k)],
                     "y has {a} elements along axis " + std::to_string(k) +
                         " where take gives {b}");
    // By themselves, so that each is looked at where x and y have no elements.
    positions = e.define(e.shape(indices), [&](Indices i) { return take.at(i).first; });
    positions = e.view(positions, {e.numElements(indices)});
    shape[size_t(axis)] = e.dim(positions, 0);
    y = e.view(y, shape);
  }
};

Arrays incTakeEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  TakenChange change(e, in, attributes);
  DType dtype = e.dtype(in[0]), wide = computeDType(dtype);
  Array sums = scatter(e, castArray(e, change.x, wide), castArray(e, change.y, wide),
                       change.positions, change.axis);
  if (isFloat(dtype)) {
    Array x = change.x;
    sums = e.define(e.shape(x), [&](Indices i) {
      Scalar old = e.load(x, i), sum = e.load(sums, i);
      // -0 stays where nothing is added.
      return select(equalTo(sum, cast(old, wide)), old, cast(sum, dtype));
    });
  }
  return {e.view(sums, e.shape(in[0]))};
}

Arrays setTakeEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  TakenChange change(e, in, attributes);
  Array x = change.x, y = castArray(e, change.y, e.dtype(x));
  Array writers =
      e.routine(kLastWriters, {}, {change.positions}, {{DType::Int64, {e.dim(x, change.axis)}}})[0];
  Array changed = e.define(e.shape(x), [&](Indices i) {
    Scalar writer = e.load(writers, {i[size_t(change.axis)]}), isWritten = writer >= 0.0;
    Scalars at(i.begin(), i.end());
    at[size_t(change.axis)] = writer;
    return select(isWritten, e.loadIf(isWritten, y, at, e.literal(e.dtype(x), 0)), e.load(x, i));
  });
  return {e.view(changed, e.shape(in[0]))};
}

TypesOr takenChangeType(const TypeRequest &request) {
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

/// Where a position is named again, only its last element of y counts.
Variables setTakePullback(const Op &op, Inputs in, Outputs, Gradients g) {
  auto apply = [&](std::string_view name, const Variables &operands) {
    return build(builtin(name, op.attributes()),
                 std::vector<Operand>(operands.begin(), operands.end()));
  };
  Variable zeros = second(in[1], constant(Tensor(0.0).cast(g[0].dtype())));
  Variable taken = apply("take", {g[0], in[2]});
  // Elements of y by number: those that are found again have come through.
  Variable numbers = reshape(arange(size(in[1])), shape(in[1]));
  Variable places = second(in[0], constant(Tensor(int64_t(-1))));
  Variable last = apply("take", {apply("setTake", {places, numbers, in[2]}), in[2]});
  return {apply("setTake", {g[0], zeros, in[2]}),
          where(graphc::eq(last, numbers), taken, zerosLike(taken)),
          Variable(Type::disconnected())};
}

} // namespace

std::vector<OpDef> takenChangeOps() {
  return {
      {.name = "incTake",
       .doc =
           "x with y added where take reads, as often as a position is named.\ny has take's shape "
           "(ShapeError); a dtype that x's does not hold: TypeError. One after the other in the "
           "order of the indices; each addition rounds, halves are joined in float32 and rounded "
           "once. Integers wrap, bools are joined by or.",
       .operands = {{"x"}, {"y"}, {"indices"}},
       .attributes = takeAttributes(),
       .type = takenChangeType,
       .emit = incTakeEmission,
       .pullback = incTakePullback,
       .pushforward = linearIn(2),
       .elements = Elements::Moved,
       .connection = {{true}, {true}, {false}},
       .maxUlp = {-1, -1},
       .golden = {"take_gradient0", "inc_take"},
       .section = section(kIndexing),
       .example = "incTake([1, 2, 3], [10, 20, 30], [0, 2, 0]) {axis = 0} = [41, 2, 23]"},
      {.name = "setTake",
       .doc = "x with y in the place of what take reads.\ny has take's shape (ShapeError); a dtype "
              "that x's does not hold: TypeError. Of a position that is named more than once the "
              "last element of y counts.",
       .operands = {{"x"}, {"y"}, {"indices"}},
       .attributes = takeAttributes(),
       .type = takenChangeType,
       .emit = setTakeEmission,
       .pullback = setTakePullback,
       .pushforward = linearIn(2),
       .elements = Elements::Moved,
       .connection = {{true}, {true}, {false}},
       .golden = {"set_take"},
       .section = section(kIndexing),
       .example = "setTake([1, 2, 3], [10, 20, 30], [0, 2, 0]) {axis = 0} = [30, 2, 20]"},
  };
}

} // namespace graphc
