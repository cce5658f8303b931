//===- Indexing.cpp - subtensor and take -----------------------------------===//
#include <limits>

#include "Families.h"
#include "IndexSpec.h"
#include "Rules.h"

namespace graphc {
namespace {

//===--- subtensor ----------------------------------------------------------------===//

/// Where one axis of x is read: start + i * step along an axis of the result, or at one position.
struct Source {
  bool isPosition = false;
  Extent start, length;
  Extent step;
  /// A position that is only known inside loops: a 0-d array, loaded and checked there.
  Array loaded;
};

class IndexReader {
public:
  IndexReader(Emitter &e, const Arrays &in) : e_(e), in_(in) {}

  Source position(const IndexTerm &term, Extent n, int axis);
  Source slice(const IndexEntry &entry, Extent n);

private:
  /// The value of a term as a size.
  Extent size(const IndexTerm &term) {
    if (term.kind == IndexTerm::Kind::Number)
      return e_.size(term.value);
    return e_.element(in_[term.value + 1], 0);
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
};

Source IndexReader::position(const IndexTerm &term, Extent n, int axis) {
  Source source;
  source.isPosition = true;
  if (term.kind == IndexTerm::Kind::Operand) {
    Array operand = in_[term.value + 1];
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

Arrays subtensorEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  Array x = in[0];
  IndexSpec index = *expandIndex(*parseIndex(attributes.string("index")), e.rank(x));
  IndexReader reader(e, in);
  std::vector<Source> sources;
  Extents shape;
  std::vector<int> axisInResult; // of each source that is a slice
  bool whole = true;
  for (const IndexEntry &entry : index) {
    if (entry.kind == IndexEntry::Kind::NewAxis) {
      shape.push_back(e.size(1));
      continue;
    }
    int axis = int(sources.size());
    Extent n = e.dim(x, axis);
    axisInResult.push_back(int(shape.size()));
    if (entry.kind == IndexEntry::Kind::Position) {
      sources.push_back(reader.position(entry.start, n, axis));
    } else {
      sources.push_back(reader.slice(entry, n));
      shape.push_back(sources.back().length);
    }
    whole &= entry.isWhole();
  }
  if (whole)
    return {e.view(x, shape)};
  return {e.define(shape, [&](Indices i) {
    Scalars at;
    Scalar valid = e.literal(DType::Bool, 1);
    bool guarded = false;
    for (size_t axis = 0; axis < sources.size(); ++axis) {
      const Source &s = sources[axis];
      if (s.loaded.id >= 0) {
        Scalar n = e.scalar(e.dim(x, int(axis))), k = cast(e.load(s.loaded, {}), DType::Int64);
        Scalar inRange = k >= -n && k < n;
        e.checkIndex(inRange, int(axis), e.dim(x, int(axis)), s.loaded);
        valid = guarded ? valid && inRange : inRange;
        guarded = true;
        at.push_back(select(k < 0.0, k + n, k));
      } else if (s.isPosition) {
        at.push_back(e.scalar(s.start));
      } else {
        at.push_back(e.scalar(s.start) + i[axisInResult[axis]] * e.scalar(s.step));
      }
    }
    return guarded ? e.loadIf(valid, x, at, e.literal(e.dtype(x), 0)) : e.load(x, at);
  })};
}

TypesOr subtensorType(const TypeRequest &request) {
  auto index = parseIndex(request.attributes().string("index"));
  if (!index.ok())
    return index.status();
  auto expanded = expandIndex(*index, request.type(0).rank());
  if (!expanded.ok())
    return expanded.status();
  for (const IndexEntry &entry : *expanded)
    for (const IndexTerm *term : {&entry.start, &entry.stop, &entry.step})
      if (term->kind == IndexTerm::Kind::Operand && term->value + 1 >= int64_t(request.size()))
        return makeError(ErrorKind::ValueError, "the index names operand $" +
                                                    std::to_string(term->value) +
                                                    ", which is not there");
  for (size_t i = 1; i < request.size(); ++i)
    if (absl::Status s = requireIntegers(request, i, 0); !s.ok())
      return s;
  return inferLikeFirst(request);
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

TypesOr takeType(const TypeRequest &request) {
  const Attributes &a = request.attributes();
  if (!isInteger(request.type(1).dtype()))
    return makeError(ErrorKind::TypeError, "indices are integers, not " +
                                               std::string(dtypeName(request.type(1).dtype())));
  if (!a.isNone("axis"))
    if (auto axis = normalizeAxis(a.integer("axis"), request.type(0).rank()); !axis.ok())
      return axis.status();
  const std::string &mode = a.string("mode");
  if (mode != "raise" && mode != "clip" && mode != "wrap")
    return makeError(ErrorKind::ValueError,
                     "mode is \"raise\", \"clip\" or \"wrap\", not \"" + mode + "\"");
  return inferLikeFirst(request);
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
       .viewMap = {0},
       .golden = {"subtensor"},
       .section = section(kIndexing),
       .example = "subtensor([[1, 2, 3], [4, 5, 6]], 1) {index = \"$0, ::-2\"} = [6, 4]"},
      {.name = "take",
       .doc = "Slices of x at integer indices along an axis, or elements of the flattened x.\n"
              "The indices' axes take the place of the axis. raise: an index out of range is an "
              "IndexError, negative ones count from the end. clip: the nearest end, 0 for negative "
              "ones. wrap: modulo.",
       .operands = {{"x"}, {"indices"}},
       .attributes = {{.name = "axis",
                       .kind = AttributeKind::Int,
                       .defaultValue = NoneAttr(),
                       .acceptsNone = true,
                       .doc = "none: of the flattened x"},
                      {.name = "mode",
                       .kind = AttributeKind::String,
                       .defaultValue = std::string("raise")}},
       .literals = Literals::Int64,
       .type = takeType,
       .emit = takeEmission,
       .connection = {{true}, {false}},
       .golden = {"take"},
       .section = section(kIndexing),
       .example = "take([[1, 2], [3, 4], [5, 6]], [2, 0]) {axis = 0} = [[5, 6], [1, 2]]"},
  };
}

} // namespace graphc
