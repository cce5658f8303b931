//===- Indexing.cpp - subtensor and take -------------------------------------===//
#include "Indexing.h"

#include <limits>

#include "Build.h"
#include "Derivatives.h"
#include "Families.h"

namespace graphc {

std::vector<AttributeSpec> takeAttributes() {
  return {optionalAttribute("axis", AttributeKind::Int, "none: of the flattened x"),
          {.name = "mode", .kind = AttributeKind::String, .defaultValue = std::string("raise")}};
}

absl::Status checkTaking(const TypeRequest &request, size_t indices) {
  const Attributes &a = request.attributes();
  DType dtype = request.type(indices).dtype();
  if (!isInteger(dtype))
    return makeError(ErrorKind::TypeError,
                     "indices are integers, not " + std::string(dtypeName(dtype)));
  if (!a.isNone("axis"))
    if (absl::Status s = requireAxis(request); !s.ok())
      return s;
  return checkTakeMode(a.string("mode"), false);
}

std::string takeModeName(TakeMode mode) {
  constexpr std::string_view kModes[] = {"raise", "clip", "wrap"};
  return std::string(kModes[int(mode)]);
}

absl::Status checkTakeMode(std::string_view mode, bool acceptsLabel) {
  if (mode == "raise" || mode == "clip" || mode == "wrap" || (acceptsLabel && mode == "label"))
    return absl::OkStatus();
  return makeError(ErrorKind::ValueError,
                   "mode is \"raise\", \"clip\" or \"wrap\", not \"" + std::string(mode) + "\"");
}

namespace {

//===--- subtensor ----------------------------------------------------------------===//

Arrays subtensorEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0];
  IndexRegion region(e, in, 1, attributes);
  if (region.isWhole)
    return {e.view(x, region.shape)};
  return {e.define(region.shape, [&](Indices i) {
    Scalars at;
    IndexGuard valid;
    for (size_t axis = 0; axis < region.sources.size(); ++axis) {
      const IndexSource &s = region.sources[axis];
      if (s.loaded.id >= 0) {
        auto [position, inRange] = IndexRegion::loaded(e, x, int(axis), s);
        valid.also(inRange);
        at.push_back(position);
      } else if (s.isPosition) {
        at.push_back(e.scalar(s.start));
      } else {
        at.push_back(e.scalar(s.start) + i[region.axisInResult[axis]] * e.scalar(s.step));
      }
    }
    return valid.any() ? e.loadIf(valid.all(), x, at, e.literal(e.dtype(x), 0)) : e.load(x, at);
  })};
}

TypesOr subtensorType(const TypeRequest &request) { return indexedType(request, 1); }

/// What the gradient is added to.
Variable zerosLikeOperand(const Variable &x, const Variable &g) {
  return second(x, constant(Tensor(0.0).cast(g.dtype())));
}

Variables subtensorPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  std::vector<Operand> operands = {zerosLikeOperand(in[0], g[0]), g[0]};
  operands.insert(operands.end(), in.begin() + 1, in.end());
  Variables gradients(in.size(), Variable(Type::disconnected()));
  gradients[0] = build(builtin("incSubtensor", op.attributes()), operands);
  return gradients;
}

//===--- take -----------------------------------------------------------------------===//

/// Indices as int64; what is above its range is out of range anyway.
Scalar asIndex(Emitter &e, Scalar s) {
  if (s.dtype() == DType::UInt64)
    s = minimum(s, e.literalInt(DType::UInt64, std::numeric_limits<int64_t>::max()));
  return cast(s, DType::Int64);
}

/// Whether the elements are constants that are all in [-n, n), or, of labels, in [0, n).
bool surelyInRange(Emitter &e, Array indices, Extent n, bool areLabels) {
  std::optional<int64_t> extent = e.constantValue(n);
  const Numbers &elements = e.emission().arrays[indices.id].elements;
  if (!extent || elements.empty())
    return false;
  for (int32_t id : elements) {
    std::optional<int64_t> value = e.constantValue(Extent(&e, id));
    if (!value || *value < (areLabels ? 0 : -*extent) || *value >= *extent)
      return false;
  }
  return true;
}

Arrays takeEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0], indices = in[1];
  int axis = 0;
  if (attributes.isNone("axis"))
    x = e.view(x, {e.numElements(x)});
  else
    axis = int(attributes.integer("axis"));
  if (axis < 0)
    axis += e.rank(x);
  TakePositions take(e, indices, e.dim(x, axis), axis, attributes.string("mode"));

  Extents shape;
  for (int k = 0; k < axis; ++k)
    shape.push_back(e.dim(x, k));
  for (Extent extent : e.shape(indices))
    shape.push_back(extent);
  for (int k = axis + 1; k < e.rank(x); ++k)
    shape.push_back(e.dim(x, k));
  int taken = e.rank(indices);
  return {e.define(shape, [&](Indices i) {
    auto [position, inRange] = take.at(i.subspan(axis, taken));
    Scalars at(i.begin(), i.begin() + axis);
    at.push_back(position);
    at.insert(at.end(), i.begin() + axis + taken, i.end());
    if (inRange.id() < 0)
      return e.load(x, at);
    return e.loadIf(inRange, x, at, e.literal(e.dtype(x), 0));
  })};
}

TypesOr takeType(const TypeRequest &request) {
  if (absl::Status s = checkTaking(request, 1); !s.ok())
    return s;
  return inferLikeFirst(request);
}

Variables takePullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {build(builtin("incTake", op.attributes()), {zerosLikeOperand(in[0], g[0]), g[0], in[1]}),
          Variable(Type::disconnected())};
}

} // namespace

TakePositions::TakePositions(Emitter &e, Array indices, Extent n, int axis, const std::string &mode)
    : e_(e), indices_(indices), n_(n), axis_(axis), mode_(mode),
      isChecked_((mode == "raise" || mode == "label") &&
                 !surelyInRange(e, indices, n, mode == "label")) {
  if (mode == "clip" || mode == "wrap")
    e.require(min(e.numElements(indices), e.size(1)), Predicate::LessEqual, n,
              ErrorKind::IndexError, "there is nothing to take from an empty axis");
}

std::pair<Scalar, Scalar> TakePositions::at(Indices i) const {
  Scalar own = e_.load(indices_, i), extent = e_.scalar(n_);
  if (mode_ == "wrap" && own.dtype() == DType::UInt64) // what is beyond int64 has a rest, too
    return {cast(mod(own, cast(extent, DType::UInt64)), DType::Int64), {}};
  Scalar k = asIndex(e_, own);
  if (mode_ == "clip")
    return {maximum(minimum(k, extent - 1.0), 0.0), {}};
  if (mode_ == "wrap")
    return {mod(k, extent), {}};
  bool isLabel = mode_ == "label";
  Scalar position = isLabel ? k : select(k < 0.0, k + extent, k);
  if (!isChecked_)
    return {position, {}};
  Scalar inRange = (isLabel ? k >= 0.0 : k >= -extent) && k < extent;
  e_.checkIndex(inRange, axis_, n_, indices_);
  return {position, inRange};
}

std::vector<OpDef> indexingOps() {
  return {
      {.name = "subtensor",
       .doc = "x at an index: positions, slices start:stop:step, newaxis, ellipsis (...). "
              "`x[{...}]` in C++.\n"
              "As Python's slices: bounds are clipped, negative ones count from the end, steps may "
              "be negative. $k in the index is integer operand k after x. A position out of range "
              "and too many entries: IndexError; step 0: ValueError.",
       .operands = {{"x"}, {"terms", "0-d integers that the index names"}},
       .variadic = true,
       .minOperands = 1,
       .attributes = {{"index", AttributeKind::String}},
       .literals = Literals::Int64,
       .type = subtensorType,
       .emit = subtensorEmission,
       .pullback = subtensorPullback,
       .pushforward = sameOpOnTangent(),
       .elements = Elements::Moved,
       .viewMap = {0},
       .connection = {{true}, {false}},
       .golden = {"subtensor"},
       .section = section(kIndexing),
       .example = "subtensor([[1, 2, 3], [4, 5, 6]], 1) {index = \"$0, ::-2\"} = [6, 4]"},
      {.name = "take",
       .doc = "Slices of x at integer indices along an axis, or elements of the flattened x.\n"
              "The indices' axes take the place of the axis. raise: an index out of range is an "
              "IndexError, negative ones count from the end. clip: the nearest end, 0 for negative "
              "ones. wrap: modulo.",
       .operands = {{"x"}, {"indices"}},
       .attributes = takeAttributes(),
       .literals = Literals::Int64,
       .type = takeType,
       .emit = takeEmission,
       .pullback = takePullback,
       .pushforward = sameOpOnTangent(),
       .elements = Elements::Moved,
       .connection = {{true}, {false}},
       .golden = {"take"},
       .section = section(kIndexing),
       .example = "take([[1, 2], [3, 4], [5, 6]], [2, 0]) {axis = 0} = [[5, 6], [1, 2]]"},
  };
}

} // namespace graphc
