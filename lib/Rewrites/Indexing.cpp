//===- Rewrites/Indexing.cpp - indices and joins --------------------------===//
//
// Indices are composed as text (Ops/IndexSpec.h). Where an extent is not known, only slices are
// that mean the same for every extent; a position out of range stays, and fails at the call.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Catalogue.h"
#include "Guards.h"
#include "Ops/IndexSpec.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using Kind = IndexEntry::Kind;

bool isNumberOrAbsent(const IndexTerm &t) { return t.kind != IndexTerm::Kind::Operand; }

/// The entries of an index of numbers, one for each axis; none where it has other ones.
std::optional<IndexSpec> plainIndex(const AttributeValue &text, int rank) {
  absl::StatusOr<IndexSpec> spec = parseIndex(std::get<std::string>(text));
  if (spec.ok())
    spec = expandIndex(*spec, rank);
  if (!spec.ok())
    return std::nullopt;
  for (const IndexEntry &e : *spec)
    if (e.kind == Kind::NewAxis || !isNumberOrAbsent(e.start) || !isNumberOrAbsent(e.stop) ||
        !isNumberOrAbsent(e.step) || e.step.is(0))
      return std::nullopt;
  return *std::move(spec);
}

/// start, start + step, ..., `length` of them.
struct Range {
  int64_t start, step, length;
};

/// What a slice takes of `n` elements, as Python says.
Range rangeOf(const IndexEntry &slice, int64_t n) {
  int64_t step = slice.step.isAbsent() ? 1 : slice.step.value;
  int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
  auto bound = [&](const IndexTerm &t, int64_t otherwise) {
    return t.isAbsent() ? otherwise : std::clamp(t.value < 0 ? t.value + n : t.value, low, high);
  };
  int64_t start = bound(slice.start, step < 0 ? high : low);
  int64_t stop = bound(slice.stop, step < 0 ? low : high);
  int64_t distance = step < 0 ? start - stop : stop - start;
  // A step of INT64_MIN has no opposite; both are further than any array is long.
  int64_t stride = step < 0 ? -std::max(step, -std::numeric_limits<int64_t>::max()) : step;
  return {start, step, distance <= 0 ? 0 : (distance - 1) / stride + 1};
}

IndexEntry sliceOf(const Range &range) {
  IndexEntry slice{Kind::Slice, {}, {}, {}};
  if (range.length == 0) {
    slice.start = slice.stop = IndexTerm::number(0);
    return slice;
  }
  int64_t last = range.start + (range.length - 1) * range.step;
  slice.start = IndexTerm::number(range.start);
  if (range.step > 0)
    slice.stop = IndexTerm::number(last + 1);
  else if (last > 0)
    slice.stop = IndexTerm::number(last - 1);
  if (range.step != 1)
    slice.step = IndexTerm::number(range.step);
  return slice;
}

IndexEntry positionOf(int64_t at) { return {Kind::Position, IndexTerm::number(at), {}, {}}; }

/// start:stop without a step, of numbers that do not count from the end.
bool isForward(const IndexEntry &e) {
  auto fits = [](const IndexTerm &t) { return t.isAbsent() || t.value >= 0; };
  return e.kind == Kind::Slice && fits(e.start) && fits(e.stop) &&
         (e.step.isAbsent() || e.step.is(1));
}

/// x[inner][outer] of one axis of extent `n`.
std::optional<IndexEntry> composed(const IndexEntry &inner, const IndexEntry &outer, int64_t n) {
  if (inner.isWhole())
    return outer;
  if (outer.isWhole())
    return inner;
  if (n != kDynamic) {
    Range first = rangeOf(inner, n);
    if (outer.kind == Kind::Slice) {
      Range second = rangeOf(outer, first.length);
      if (second.length == 0)
        return sliceOf({0, 1, 0});
      // The step of one element is none, and may be any number.
      return sliceOf({first.start + second.start * first.step,
                      second.length == 1 ? 1 : first.step * second.step, second.length});
    }
    int64_t at = outer.start.value + (outer.start.value < 0 ? first.length : 0);
    if (at < 0 || at >= first.length)
      return std::nullopt;
    return positionOf(first.start + at * first.step);
  }
  if (!isForward(inner) || !isForward(outer))
    return std::nullopt;
  int64_t skipped = inner.start.isAbsent() ? 0 : inner.start.value, start = skipped, stop = skipped;
  if ((!outer.start.isAbsent() && __builtin_add_overflow(skipped, outer.start.value, &start)) ||
      (!outer.stop.isAbsent() && __builtin_add_overflow(skipped, outer.stop.value, &stop)))
    return std::nullopt;
  IndexEntry both{Kind::Slice, IndexTerm::number(start), inner.stop, {}};
  if (!outer.stop.isAbsent())
    both.stop = IndexTerm::number(inner.stop.isAbsent() ? stop : std::min(stop, inner.stop.value));
  return both;
}

Term mergedIndex(const Match &m) {
  const Variable &x = m["x"];
  std::optional<IndexSpec> inner = plainIndex(m.attribute("p"), x.rank());
  if (!inner)
    return {};
  auto rank = std::ranges::count(*inner, Kind::Slice, &IndexEntry::kind);
  std::optional<IndexSpec> outer = plainIndex(m.attribute("q"), int(rank));
  if (!outer)
    return {};
  IndexSpec merged;
  size_t next = 0;
  for (size_t axis = 0; axis < inner->size(); ++axis) {
    if ((*inner)[axis].kind == Kind::Position) {
      merged.push_back((*inner)[axis]);
      continue;
    }
    std::optional<IndexEntry> entry =
        composed((*inner)[axis], (*outer)[next++], x.type().shape()[axis]);
    if (!entry)
      return {};
    merged.push_back(*entry);
  }
  return AttributeValue(formatIndex(merged));
}

/// Positions from the end, counted from the front.
Term countedFromFront(const Match &m) {
  std::optional<IndexSpec> index = plainIndex(m.attribute("p"), m["x"].rank());
  bool changed = false;
  for (size_t axis = 0; index && axis < index->size(); ++axis) {
    IndexEntry &e = (*index)[axis];
    int64_t n = m["x"].type().shape()[axis];
    if (e.kind != Kind::Position || e.start.value >= 0 || n == kDynamic || e.start.value + n < 0)
      continue;
    e.start.value += n;
    changed = true;
  }
  return changed ? Term(AttributeValue(formatIndex(*index))) : Term();
}

/// join(x, y)[k] is in one of the parts.
Variables indexedPart(const Match &m) {
  Apply join = m["x"].hasOwner() ? m["x"].owner() : Apply();
  if (!join || join.op().name() != "join")
    return {};
  int rank = m["x"].rank();
  std::optional<IndexSpec> index = plainIndex(m.attribute("p"), rank);
  int64_t axis = join.op().attributes().integer("axis");
  axis += axis < 0 ? rank : 0;
  if (!index || (*index)[size_t(axis)].kind != Kind::Position)
    return {};
  int64_t at = (*index)[size_t(axis)].start.value, n = m["x"].type().shape()[size_t(axis)];
  if (at < 0 && n == kDynamic)
    return {};
  at += at < 0 ? n : 0;
  for (const Variable &part : join.inputs()) {
    int64_t extent = part.type().shape()[size_t(axis)];
    if (extent == kDynamic || at < 0 || part.dtype() != m["x"].dtype())
      return {};
    if (at < extent) {
      (*index)[size_t(axis)] = positionOf(at);
      return {make(m, "subtensor", {part}, {{"index", formatIndex(*index)}})};
    }
    at -= extent;
  }
  return {};
}

/// dimshuffle(x, order=[-1, ...])[0]: the axis that was put in is taken away.
Variables withoutNewAxis(const Match &m) {
  const IntList &order = std::get<IntList>(m.attribute("q"));
  std::optional<IndexSpec> index = plainIndex(m.attribute("p"), int(order.size()));
  if (!index)
    return {};
  IntList left;
  IndexSpec rest;
  for (size_t axis = 0; axis < order.size(); ++axis) {
    const IndexEntry &e = (*index)[axis];
    if (order[axis] < 0 && e.kind == Kind::Position && (e.start.is(0) || e.start.is(-1)))
      continue;
    left.push_back(order[axis]);
    rest.push_back(e);
  }
  if (left.size() == order.size())
    return {};
  Variable moved = make(m, "dimshuffle", {m["x"]}, {{"order", left}});
  if (std::ranges::all_of(rest, &IndexEntry::isWhole))
    return {moved};
  return {make(m, "subtensor", {moved}, {{"index", formatIndex(rest)}})};
}

/// take by a constant start, start + step, ...: a slice.
Variables regularSlice(const Match &m) {
  const Variable &x = m["x"];
  const Tensor &c = m.data("c");
  const auto *given = std::get_if<int64_t>(&m.attribute("a"));
  if ((!given && x.rank() != 1) || c.rank() != 1 || c.numElements() < 2 || c.numElements() > 4096)
    return {};
  size_t axis = size_t(given ? *given + (*given < 0 ? x.rank() : 0) : 0);
  int64_t n = x.type().shape()[axis];
  Tensor whole = c.cast(DType::Int64).contiguous();
  absl::Span<const int64_t> at = whole.flat<int64_t>();
  auto counted = [&](size_t i) { return at[i] + (at[i] < 0 ? n : 0); };
  if (n == kDynamic || at.empty()) // no memory
    return {};
  int64_t step = counted(1) - counted(0);
  for (size_t i = 0; i < at.size(); ++i)
    if (counted(i) < 0 || counted(i) >= n || counted(i) != counted(0) + int64_t(i) * step)
      return {};
  if (step == 0)
    return {};
  IndexSpec index(size_t(x.rank()), IndexEntry{Kind::Slice, {}, {}, {}});
  index[axis] = sliceOf({counted(0), step, int64_t(at.size())});
  return {make(m, "subtensor", {x}, {{"index", formatIndex(index)}})};
}

Condition emptyAlong(std::string name) {
  std::string text = name + " has no elements along axis p";
  return {[name](const Match &m) {
            const Type &type = m[name].type();
            int64_t axis = std::get<int64_t>(m.attribute("p"));
            axis += axis < 0 ? type.rank() : 0;
            return type.shape()[size_t(axis)] == 0;
          },
          text};
}

std::vector<Rule> indexing() {
  return {
      {.name = "subtensor_merge",
       .pattern = "subtensor(subtensor(x, index=p), index=q)",
       .replacement = "subtensor(x, index=r)",
       .terms = {{"r", mergedIndex}},
       .doc = "r is q of p; where an extent is not known, of slices start:stop that do not count "
              "from the end.",
       .examples = {"subtensor(subtensor(x, index=\"1:\"), index=\"::-1\")",
                    "subtensor(subtensor(x, index=\"::-2\"), index=\"::-1\")",
                    "subtensor(subtensor(x, index=\":-1\"), index=\"0\")",
                    "subtensor(subtensor(x, index=\"1\"), index=\"1:\")",
                    "subtensor(subtensor(x, index=\"1:3\"), index=\":1\")",
                    "subtensor(subtensor(x, index=\"::-1\"), index=\"1:-1:-1\")",
                    "subtensor(subtensor(x, index=\":, 1:\"), index=\"1, -1\")",
                    "subtensor(subtensor(x, index=\"-2:\"), index=\"5\")"}},
      {.name = "negative_index",
       .pattern = "subtensor(x, index=p)",
       .replacement = "subtensor(x, index=r)",
       .terms = {{"r", countedFromFront}},
       .doc = "r counts positions from the front; the extent is known.",
       .examples = {"subtensor(x, index=\"-1\")", "subtensor(x, index=\"..., -2\")"}},
      {.name = "set_then_get",
       .pattern = "subtensor(setSubtensor(x, y, index=p), index=p)",
       .replacement = "y",
       .effects = kShapeUnsafe,
       .when = {[](const Match &m) { return m["y"].type() == m.root().output(0).type(); },
                "y has the result's type"},
       .examples = {"subtensor(setSubtensor(x, subtensor(z, index=\"1:\"), index=\"1:\"), "
                    "index=\"1:\")"}},
      {.name = "get_then_set",
       .pattern = "setSubtensor(x, subtensor(x, index=p), index=p)",
       .replacement = "x",
       .effects = kShapeUnsafe,
       .examples = {"setSubtensor(x, subtensor(x, index=\"1:\"), index=\"1:\")"}},
      {.name = "increased_by_zero",
       .pattern = "incSubtensor(x, 0, index=p)",
       .replacement = "x",
       .effects = kZeroSign | kShapeUnsafe,
       .examples = {"incSubtensor(x, 0, index=\"1:\")"}},
      {.name = "join_index",
       .pattern = "subtensor(x, index=p)",
       .replacement = "subtensor(part, index=r) where x is a join of parts",
       .effects = kShapeUnsafe,
       .cost = -4,
       .build = indexedPart,
       .doc = "The extents of the parts in front of it are known.",
       .examples = {"subtensor(join(x, y, axis=0), index=\"1\")",
                    "subtensor(join(x, y, axis=0), index=\"-1\")",
                    "subtensor(join(x, y, axis=1), index=\":, 4\")"}},
      {.name = "new_axis_index",
       .pattern = "subtensor(dimshuffle(x, order=q), index=p)",
       .replacement = "dimshuffle(x, order=r)",
       .cost = -4,
       .build = withoutNewAxis,
       .doc = "A new axis at position 0 is none.",
       .examples = {"subtensor(dimshuffle(x, order=[-1, 0]), index=\"0\")",
                    "subtensor(dimshuffle(x, order=[0, -1]), index=\"::2, -1\")"}},
      {.name = "take_to_slice",
       .pattern = "take(x, c, axis=a, mode=\"raise\")",
       .replacement = "subtensor(x, index=r)",
       .cost = 0,
       .build = regularSlice,
       .doc = "c is start, start + step, ..., all in range of an extent that is known.",
       .examples = {"take(x, n, axis=0)"}},
      {.name = "split_one",
       .pattern = "splitPiece(x, c, piece=0, axis=a)",
       .replacement = "x",
       .when = {[](const Match &m) {
                  int64_t axis = std::get<int64_t>(m.attribute("a"));
                  axis += axis < 0 ? m["x"].rank() : 0;
                  const Tensor &sizes = m.data("c");
                  return sizes.numElements() == 1 && sizes.cast(DType::Int64).item<int64_t>() ==
                                                         m["x"].type().shape()[size_t(axis)];
                },
                "c is the extent"},
       .examples = {"splitPiece(x, n, piece=0, axis=0)"}},
      {"join_join_left", "join(join(x, y, axis=p), z, axis=p)", "join(x, y, z, axis=p)"},
      {"join_join_right", "join(x, join(y, z, axis=p), axis=p)", "join(x, y, z, axis=p)"},
      {"join_of_joins", "join(join(x, y, axis=p), join(z, w, axis=p), axis=p)",
       "join(x, y, z, w, axis=p)"},
      {.name = "join_empty_last",
       .pattern = "join(x, y, axis=p)",
       .replacement = "x",
       .effects = kShapeUnsafe,
       .when = emptyAlong("y"),
       .examples = {"join(x, subtensor(x, index=\"0:0\"), axis=0)"}},
      {.name = "join_empty_first",
       .pattern = "join(y, x, axis=p)",
       .replacement = "x",
       .effects = kShapeUnsafe,
       .when = emptyAlong("y"),
       .examples = {"join(subtensor(x, index=\"0:0\"), x, axis=0)"}},
  };
}

} // namespace

RuleFamily indexingRules() {
  return {"Indices and joins", {"canonicalize", "indexing", "fast_run"}, kCanonicalize, indexing()};
}

} // namespace graphc
