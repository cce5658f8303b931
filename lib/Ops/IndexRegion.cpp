//===- IndexRegion.cpp - where an index reads --------------------------------===//
#include "IndexSpec.h"
#include "Indexing.h"

namespace graphc {
namespace {

class IndexReader {
public:
  /// The index names operands from `firstTerm` on.
  IndexReader(Emitter &e, const Arrays &in, size_t firstTerm)
      : e_(e), in_(in), firstTerm_(firstTerm) {}

  IndexSource position(const IndexTerm &term, Extent n, int axis);
  IndexSource slice(const IndexEntry &entry, Extent n);

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

IndexSource IndexReader::position(const IndexTerm &term, Extent n, int axis) {
  IndexSource source;
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
IndexSource IndexReader::slice(const IndexEntry &entry, Extent n) {
  using Kind = IndexTerm::Kind;
  IndexSource source;
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

} // namespace

IndexRegion::IndexRegion(Emitter &e, const Arrays &in, size_t firstTerm,
                         const Attributes &attributes) {
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

std::pair<Scalar, Scalar> IndexRegion::loaded(Emitter &e, Array x, int axis, const IndexSource &s) {
  Scalar n = e.scalar(e.dim(x, axis)), k = cast(e.load(s.loaded, {}), DType::Int64);
  Scalar inRange = k >= -n && k < n;
  e.checkIndex(inRange, axis, e.dim(x, axis), s.loaded);
  return {select(k < 0.0, k + n, k), inRange};
}

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

} // namespace graphc
