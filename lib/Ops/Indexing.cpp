//===- Indexing.cpp - subtensor and take, and arrays changed where they read ===//
#include <algorithm>
#include <limits>

#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "IndexSpec.h"
#include "Rules.h"
#include "Support/BroadcastHint.h"

namespace graphc {
namespace {

//===--- subtensor ----------------------------------------------------------------===//

/// Where one axis of x is read (or changed): start + i * step along an axis of the result, or at
/// one position.
struct Source {
  bool isPosition = false;
  bool isWhole = false; // a slice of all in order
  Extent start, length;
  Extent step;
  /// A position that is only known inside loops: a 0-d array, loaded and checked there.
  Array loaded;
};

class IndexReader {
public:
  /// The index names operands from `firstTerm` on.
  IndexReader(Emitter &e, const Arrays &in, size_t firstTerm)
      : e_(e), in_(in), firstTerm_(firstTerm) {}

  Source position(const IndexTerm &term, Extent n, int axis);
  Source slice(const IndexEntry &entry, Extent n);

private:
  /// The value of a term as a size.
  Extent size(const IndexTerm &term) {
    if (term.kind == IndexTerm::Kind::Number)
      return e_.size(term.value);
    return e_.element(in_[size_t(term.value) + firstTerm_], 0);
  }
  /// A start or stop, negative ones counted from the end, clipped to [lower, upper].
  Extent clipped(const IndexTerm &term, Extent n, Extent lower, Extent upper) {
    Extent value = size(term);
    Extent fromEnd = select(less(value, e_.size(0)), value + n, value);
    return max(min(fromEnd, upper), lower);
  }
  Extent step(const IndexTerm &term, Extent n);

  Emitter &e_;
  const Arrays &in_;
  size_t firstTerm_;
};

Source IndexReader::position(const IndexTerm &term, Extent n, int axis) {
  Source source;
  source.isPosition = true;
  if (term.kind == IndexTerm::Kind::Operand) {
    Array operand = in_[size_t(term.value) + firstTerm_];
    if (e_.emission().arrays[operand.id].elements.empty()) {
      source.loaded = operand;
      return source;
    }
  }
  Extent index = size(term), zero = e_.size(0);
  std::string where = " is out of range for axis " + std::to_string(axis);
  if (std::optional<int64_t> number = e_.constantValue(index)) {
    // Counted from the end, -1 - index is what an index from the start would be.
    e_.require(e_.size(*number < 0 ? -1 - *number : *number), Predicate::Less, n,
               ErrorKind::IndexError,
               "index " + std::to_string(*number) + where + " with {b} elements");
    // No axis is so long; MLIR folds addresses with such constants, and fails.
    constexpr int64_t kMost = int64_t(1) << 60;
    if (*number > kMost || *number < -kMost)
      index = zero;
  } else {
    e_.require(index, Predicate::Less, n, ErrorKind::IndexError,
               "index {a}" + where + " with {b} elements");
    e_.require(zero - n, Predicate::LessEqual, index, ErrorKind::IndexError,
               "index {b}" + where + ", where {a} is the first element");
  }
  source.start = select(less(index, zero), index + n, index);
  return source;
}

/// A step as wide as the axis takes one element, as any wider one does; so nothing overflows where
/// positions are computed with it.
Extent IndexReader::step(const IndexTerm &term, Extent n) {
  if (term.kind == IndexTerm::Kind::Absent)
    return e_.size(1);
  Extent step = size(term);
  e_.require(equal(step, e_.size(0)), Predicate::Equal, e_.size(0), ErrorKind::ValueError,
             "the step of a slice is 0");
  // A number that no sum with an extent makes overflow stays a number, for simpler loops.
  constexpr int64_t kSmall = int64_t(1) << 31;
  std::optional<int64_t> number = e_.constantValue(step);
  if (number && *number >= -kSmall && *number <= kSmall)
    return step;
  Extent widest = max(n, e_.size(1));
  return max(min(step, widest), e_.size(0) - widest);
}

/// Python's slice.indices.
Source IndexReader::slice(const IndexEntry &entry, Extent n) {
  using Kind = IndexTerm::Kind;
  Source source;
  Extent zero = e_.size(0), minusOne = e_.size(-1);
  Extent step = this->step(entry.step, n);
  Extent backward = less(step, zero);
  Extent lower = select(backward, minusOne, zero), upper = select(backward, n - 1, n);
  Extent start = entry.start.kind == Kind::Absent ? select(backward, upper, lower)
                                                  : clipped(entry.start, n, lower, upper);
  Extent stop = entry.stop.kind == Kind::Absent ? select(backward, lower, upper)
                                                : clipped(entry.stop, n, lower, upper);
  Extent distance = select(backward, start - stop, stop - start);
  Extent stride = select(backward, zero - step, step);
  source.length = max(floorDiv(distance - 1, stride) + 1, zero);
  source.start = start;
  source.step = step;
  return source;
}

/// What an index says of x.
struct Region {
  std::vector<Source> sources;   // for each axis of x
  std::vector<int> axisInResult; // of each source that is a slice
  Extents shape;
  bool isWhole = true;

  Region(Emitter &e, const Arrays &in, size_t firstTerm, const Attributes &attributes);
  /// The position along an axis of a loaded index, and whether it is in range, which is checked.
  static std::pair<Scalar, Scalar> loaded(Emitter &e, Array x, int axis, const Source &s);
};

Region::Region(Emitter &e, const Arrays &in, size_t firstTerm, const Attributes &attributes) {
  IndexSpec index = *expandIndex(*parseIndex(attributes.string("index")), e.rank(in[0]));
  IndexReader reader(e, in, firstTerm);
  for (const IndexEntry &entry : index) {
    if (entry.kind == IndexEntry::Kind::NewAxis) {
      shape.push_back(e.size(1));
      continue;
    }
    int axis = int(sources.size());
    Extent n = e.dim(in[0], axis);
    axisInResult.push_back(int(shape.size()));
    if (entry.kind == IndexEntry::Kind::Position) {
      sources.push_back(reader.position(entry.start, n, axis));
    } else {
      sources.push_back(reader.slice(entry, n));
      sources.back().isWhole = entry.isWhole();
      shape.push_back(sources.back().length);
    }
    isWhole &= entry.isWhole();
  }
}

std::pair<Scalar, Scalar> Region::loaded(Emitter &e, Array x, int axis, const Source &s) {
  Scalar n = e.scalar(e.dim(x, axis)), k = cast(e.load(s.loaded, {}), DType::Int64);
  Scalar inRange = k >= -n && k < n;
  e.checkIndex(inRange, axis, e.dim(x, axis), s.loaded);
  return {select(k < 0.0, k + n, k), inRange};
}

/// A conjunction that starts with nothing.
class Guard {
public:
  void also(Scalar condition) { all_ = any_ ? all_ && condition : condition, any_ = true; }
  bool any() const { return any_; }
  Scalar all() const { return all_; }

private:
  Scalar all_;
  bool any_ = false;
};

Arrays subtensorEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0];
  Region region(e, in, 1, attributes);
  if (region.isWhole)
    return {e.view(x, region.shape)};
  return {e.define(region.shape, [&](Indices i) {
    Scalars at;
    Guard valid;
    for (size_t axis = 0; axis < region.sources.size(); ++axis) {
      const Source &s = region.sources[axis];
      if (s.loaded.id >= 0) {
        auto [position, inRange] = Region::loaded(e, x, int(axis), s);
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

/// `first`: the operand at which the index' terms begin.
TypesOr indexedType(const TypeRequest &request, size_t first) {
  auto index = parseIndex(request.attributes().string("index"));
  if (!index.ok())
    return index.status();
  auto expanded = expandIndex(*index, request.type(0).rank());
  if (!expanded.ok())
    return expanded.status();
  for (const IndexEntry &entry : *expanded)
    for (const IndexTerm *term : {&entry.start, &entry.stop, &entry.step})
      if (term->kind == IndexTerm::Kind::Operand &&
          term->value + int64_t(first) >= int64_t(request.size()))
        return makeError(ErrorKind::ValueError, "the index names operand $" +
                                                    std::to_string(term->value) +
                                                    ", which is not there");
  for (size_t i = first; i < request.size(); ++i)
    if (absl::Status s = requireIntegers(request, i, 0); !s.ok())
      return s;
  return inferLikeFirst(request);
}

TypesOr subtensorType(const TypeRequest &request) { return indexedType(request, 1); }

//===--- setSubtensor, incSubtensor -------------------------------------------------===//

/// The element of the region that the one at `i` of x is: where in y it is, and whether there is
/// one.
Scalars positionInRegion(Emitter &e, Array x, Array y, const Region &region, Indices i,
                         Guard &inside) {
  Scalars at(size_t(e.rank(y)), e.index(0));
  int missing = int(region.shape.size()) - e.rank(y);
  for (size_t axis = 0; axis < region.sources.size(); ++axis) {
    const Source &s = region.sources[axis];
    if (s.loaded.id >= 0) {
      inside.also(equalTo(i[axis], Region::loaded(e, x, int(axis), s).first));
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
    Region region(e, in, 2, attributes);
    int missing = int(region.shape.size()) - e.rank(y);
    for (int axis = 0; axis < e.rank(y); ++axis)
      if (!e.broadcasts(y, axis))
        e.require(e.dim(y, axis), Predicate::Equal, region.shape[size_t(axis) + size_t(missing)],
                  ErrorKind::ValueError,
                  "y has {a} elements along axis " + std::to_string(axis) +
                      " where the index reads {b}" + std::string(kBroadcastHint));
    return {e.define(e.shape(x), [&](Indices i) {
      Guard inside;
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

/// `v` at the index of a node whose terms begin at operand `first`.
Variable atIndex(const Op &op, Inputs in, size_t first, const Variable &v) {
  std::vector<Operand> operands = {v};
  operands.insert(operands.end(), in.begin() + ptrdiff_t(first), in.end());
  return build(builtin("subtensor", op.attributes()), operands);
}

Variable changed(std::string_view name, const Op &op, Inputs in, size_t first, const Variable &x,
                 const Variable &y) {
  std::vector<Operand> operands = {x, y};
  operands.insert(operands.end(), in.begin() + ptrdiff_t(first), in.end());
  return build(builtin(name, op.attributes()), operands);
}

Variable zeroOf(const Variable &v) { return constant(Tensor(0.0).cast(v.dtype())); }

Variables withoutTerms(Variables gradients, Inputs in) {
  gradients.resize(in.size(), Variable(Type::disconnected()));
  return gradients;
}

Variables subtensorPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  Variable zeros = second(in[0], zeroOf(g[0]));
  return withoutTerms({changed("incSubtensor", op, in, 1, zeros, g[0])}, in);
}

Variables incPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return withoutTerms({g[0], unbroadcast(atIndex(op, in, 2, g[0]), in[1])}, in);
}

Variables setPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return withoutTerms({changed("setSubtensor", op, in, 2, g[0], zeroOf(g[0])),
                       unbroadcast(atIndex(op, in, 2, g[0]), in[1])},
                      in);
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

//===--- take -----------------------------------------------------------------------===//

/// Indices as int64; what is above its range is out of range anyway.
Scalar asIndex(Emitter &e, Scalar s) {
  if (s.dtype() == DType::UInt64)
    s = minimum(s, e.literalInt(DType::UInt64, std::numeric_limits<int64_t>::max()));
  return cast(s, DType::Int64);
}

/// Whether the elements are constants that are all in [-n, n).
bool surelyInRange(Emitter &e, Array indices, Extent n) {
  std::optional<int64_t> extent = e.constantValue(n);
  const std::vector<int32_t> &elements = e.emission().arrays[indices.id].elements;
  if (!extent || elements.empty())
    return false;
  for (int32_t id : elements) {
    std::optional<int64_t> value = e.constantValue(Extent(&e, id));
    if (!value || *value < -*extent || *value >= *extent)
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
  const std::string &mode = attributes.string("mode");
  Extent n = e.dim(x, axis);
  if (mode != "raise")
    e.require(min(e.numElements(indices), e.size(1)), Predicate::LessEqual, n,
              ErrorKind::IndexError, "there is nothing to take from an empty axis");
  bool checked = mode == "raise" && !surelyInRange(e, indices, n);

  Extents shape;
  for (int k = 0; k < axis; ++k)
    shape.push_back(e.dim(x, k));
  for (Extent extent : e.shape(indices))
    shape.push_back(extent);
  for (int k = axis + 1; k < e.rank(x); ++k)
    shape.push_back(e.dim(x, k));
  int taken = e.rank(indices);
  return {e.define(shape, [&](Indices i) {
    Scalar k = asIndex(e, e.load(indices, i.subspan(axis, taken))), extent = e.scalar(n);
    Scalars at(i.begin(), i.begin() + axis);
    at.push_back(mode == "clip"   ? maximum(minimum(k, extent - 1.0), 0.0)
                 : mode == "wrap" ? mod(k, extent)
                                  : select(k < 0.0, k + extent, k));
    at.insert(at.end(), i.begin() + axis + taken, i.end());
    if (!checked)
      return e.load(x, at);
    Scalar inRange = k >= -extent && k < extent;
    e.checkIndex(inRange, axis, n, indices);
    return e.loadIf(inRange, x, at, e.literal(e.dtype(x), 0));
  })};
}

/// What is wrong with indices and the attributes of take, x being operand 0.
absl::Status checkTaking(const TypeRequest &request, size_t indices) {
  const Attributes &a = request.attributes();
  DType dtype = request.type(indices).dtype();
  if (!isInteger(dtype))
    return makeError(ErrorKind::TypeError,
                     "indices are integers, not " + std::string(dtypeName(dtype)));
  if (!a.isNone("axis"))
    if (auto axis = normalizeAxis(a.integer("axis"), request.type(0).rank()); !axis.ok())
      return axis.status();
  const std::string &mode = a.string("mode");
  if (mode != "raise" && mode != "clip" && mode != "wrap")
    return makeError(ErrorKind::ValueError,
                     "mode is \"raise\", \"clip\" or \"wrap\", not \"" + mode + "\"");
  return absl::OkStatus();
}

TypesOr takeType(const TypeRequest &request) {
  if (absl::Status s = checkTaking(request, 1); !s.ok())
    return s;
  return inferLikeFirst(request);
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

//===--- their derivatives ----------------------------------------------------------===//

Variables takePullback(const Op &op, Inputs in, Outputs, Gradients g) {
  Variable zeros = second(in[0], zeroOf(g[0]));
  return {build(builtin("incTake", op.attributes()), {zeros, g[0], in[1]}),
          Variable(Type::disconnected())};
}

Variables incTakePullback(const Op &op, Inputs in, Outputs, Gradients g) {
  return {g[0], build(builtin("take", op.attributes()), {g[0], in[2]}),
          Variable(Type::disconnected())};
}

std::vector<AttributeSpec> takeAttributes() {
  return {{.name = "axis",
           .kind = AttributeKind::Int,
           .defaultValue = NoneAttr(),
           .acceptsNone = true,
           .doc = "none: of the flattened x"},
          {.name = "mode", .kind = AttributeKind::String, .defaultValue = std::string("raise")}};
}

} // namespace

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
       .golden = {"take_gradient0"},
       .section = section(kIndexing),
       .example = "incTake([1, 2, 3], [10, 20, 30], [0, 2, 0]) {axis = 0} = [41, 2, 23]"},
  };
}

} // namespace graphc
