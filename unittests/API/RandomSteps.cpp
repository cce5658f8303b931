//===- RandomSteps.cpp - elementwise ops, reductions, movements, joins -----===//
#include "RandomProgram.h"
#include "graphc/Arrays.h"
#include "graphc/Ops.h"

namespace graphc::random {

using V = const Variables &;

//===--- elementwise ------------------------------------------------------===//

static Step smooth(Chooser &c, size_t a, size_t b) {
  double k = c.random.real(0.1, 0.9);
  switch (c.random.below(9)) {
  case 0:
    return {[](V in) { return list(tanh(in[0]) * in[1]); }, {a, b}};
  case 1:
    return {[](V in) { return list(sigmoid(in[0]) - in[1]); }, {a, b}};
  case 2:
    return {[](V in) { return list(sin(in[0]) + in[1]); }, {a, b}};
  case 3:
    return {[](V in) { return list(in[0] / (sqr(in[1]) + 2)); }, {a, b}};
  case 4:
    return {[](V in) { return list(exp(-sqr(in[0]))); }, {a}};
  case 5:
    return {[](V in) { return list(log1p(sqr(in[0]))); }, {a}};
  case 6:
    return {[](V in) { return list(erf(in[0]) * sqrt(sqr(in[1]) + 0.5)); }, {a, b}};
  case 7:
    return {[k](V in) { return Variables{in[0] * k + (1 - k), arctan(in[0])}; }, {a}};
  default:
    return {[](V in) { return list(gelu(in[0])); }, {a}};
  }
}

/// To another dtype; unsigned ones of magnitudes.
static Step casting(Chooser &c, size_t a) {
  DType from = c.values[a].dtype();
  static const std::vector<DType> all = {
      DType::Float64,  DType::Float64, DType::Float32, DType::Float32,   DType::Float16,
      DType::BFloat16, DType::Int64,   DType::Int32,   DType::Int16,     DType::Int8,
      DType::UInt8,    DType::UInt16,  DType::Bool,    DType::Complex128};
  DType to = c.random.of(all);
  if (isComplex(from))
    return {[](V in) { return Variables{real(in[0]), imag(in[0]), conj(in[0])}; }, {a}};
  if (to == DType::UInt8 || to == DType::UInt16)
    return {[to](V in) { return list(cast(abs(in[0]), to)); }, {a}};
  return {[to](V in) { return list(cast(in[0], to)); }, {a}};
}

Step elementwiseStep(Chooser &c) {
  std::optional<size_t> inexact =
      c.isExact && c.random.oneIn(3) ? c.where([](const Value &) { return true; }) : c.inexact();
  if (!inexact)
    return {};
  size_t a = *inexact, b = c.beside(a);
  if (c.random.oneIn(2))
    std::swap(a, b);
  if (!c.isExact) {
    if (c.random.oneIn(8))
      return {[to = c.random.oneIn(2) ? DType::Float32 : DType::Float64](V in) {
                return list(cast(in[0], to));
              },
              {a}};
    return smooth(c, a, b);
  }
  int k = int(c.from(2, 5));
  switch (c.random.below(15)) {
  case 0:
    return {[](V in) { return list(in[0] + in[1]); }, {a, b}};
  case 1:
    return {[](V in) { return list(in[0] - in[1]); }, {a, b}};
  case 2:
    return {[](V in) { return list(in[0] * in[1]); }, {a, b}};
  case 3:
    return {[](V in) { return list(maximum(in[0], in[1])); }, {a, b}};
  case 4:
    return {[](V in) { return list(minimum(in[0], in[1])); }, {a, b}};
  case 5:
    return {[](V in) { return Variables{lt(in[0], in[1]), eq(in[0], in[1])}; }, {a, b}};
  case 6:
    return {[](V in) { return list(where(gt(in[0], 0), in[0], in[1])); }, {a, b}};
  case 7: {
    std::optional<size_t> mask = c.where([](const Value &v) { return v.dtype() == DType::Bool; });
    return !mask ? Step{}
                 : Step{[](V in) { return list(where(in[0], in[1], in[2])); }, {*mask, a, b}};
  }
  case 8:
    return {[k](V in) { return Variables{in[0] * 2 + 1, mod(in[0], k)}; }, {a}};
  case 9:
    return {[k](V in) { return Variables{intDiv(in[0], k), abs(in[0])}; }, {a}};
  case 10:
    return {[k](V in) { return list(clip(in[0], -1, k - 2)); }, {a}};
  case 11:
    return {[](V in) { return Variables{-in[0], sgn(in[0])}; }, {a}};
  case 12:
    return {[](V in) { return list(complex(in[0], in[1])); }, {a, b}};
  default:
    return casting(c, a);
  }
}

//===--- reductions -------------------------------------------------------===//

/// One of a value, for axes that are chosen when it is called.
static std::function<Variable(const Variable &, const ReductionOptions &)> reduction(Chooser &c) {
  if (!c.isExact)
    switch (c.random.below(3)) {
    case 0:
      return [](const Variable &x, const ReductionOptions &o) { return sum(x, o) * 0.25; };
    case 1:
      return [](const Variable &x, const ReductionOptions &o) { return mean(x, o); };
    default:
      return [](const Variable &x, const ReductionOptions &o) {
        return logsumexp(x, {.axes = o.axes, .keepDims = o.keepDims});
      };
    }
  switch (c.random.below(10)) {
  case 0:
  case 1:
  case 2:
    return [](const Variable &x, const ReductionOptions &o) { return sum(x, o); };
  case 3:
  case 4:
    return [](const Variable &x, const ReductionOptions &o) { return max(x, o); };
  case 5:
    return [](const Variable &x, const ReductionOptions &o) { return min(x, o); };
  case 6: // -1, 0 and 1 alone: nothing overflows
    return [](const Variable &x, const ReductionOptions &o) { return prod(sgn(x), o); };
  case 7:
    return [](const Variable &x, const ReductionOptions &o) { return argmax(x, o); };
  case 8:
    return [](const Variable &x, const ReductionOptions &o) { return any(gt(x, 1), o); };
  default:
    return [](const Variable &x, const ReductionOptions &o) {
      return cast(countNonzero(x, o.axes), DType::Float32);
    };
  }
}

Step reductionStep(Chooser &c) {
  std::optional<size_t> a =
      c.random.oneIn(4) && c.isExact ? c.where([](const Value &) { return true; }) : c.inexact();
  if (!a)
    return {};
  ReductionOptions options{.axes = Axes(c.axesOf(*a)), .keepDims = c.random.oneIn(2)};
  auto reduce = reduction(c);
  if (!c.isExact && c.values[*a].rank() > 0 && c.random.oneIn(3))
    return {[axis = c.axisOf(*a), isLog = c.random.oneIn(2)](V in) {
              return list(isLog ? logSoftmax(in[0], Axis(axis)) : softmax(in[0], Axis(axis)));
            },
            {*a}};
  return {[=](V in) { return list(reduce(in[0], options)); }, {*a}};
}

Step besideStep(Chooser &c) {
  std::optional<size_t> a =
      c.where([](const Value &v) { return isFloat(v.dtype()) && v.rank() > 0; });
  if (!a)
    return {};
  int axis = c.axisOf(*a);
  auto reduce = reduction(c);
  // Of the whole, or of a part of its rows.
  Slice rows = c.random.oneIn(3) ? Slice(1, kEnd) : Slice();
  auto one = [=](const Variable &x) {
    return cast(reduce(x[{rows}], {.axes = Axis(axis), .keepDims = true}), x.dtype());
  };
  auto without = [=](const Variable &x) {
    return cast(reduce(x, {.axes = Axis(axis)}), x.dtype());
  };
  std::vector<Index> at = wholeAxes(axis);
  switch (c.random.below(7)) {
  case 0:
    return {[=](V in) { return list(concatenate({in[0], one(in[0])}, axis)); }, {*a}};
  case 1:
    return {[=](V in) { return list(concatenate({one(in[0]), in[0] * 2, one(in[0])}, axis)); },
            {*a}};
  case 2:
    at.push_back(Slice(0, 1));
    return {[=](V in) { return list(setSubtensor(in[0], at, one(in[0]))); }, {*a}};
  case 3:
    at.push_back(c.random.oneIn(2) ? 0 : -1);
    return {[=](V in) { return list(incSubtensor(in[0], at, without(in[0]))); }, {*a}};
  case 4:
    return {[=](V in) { return Variables{in[0] - one(in[0]), one(in[0])}; }, {*a}};
  case 5:
    at.push_back(Slice(kEnd, kEnd, 2));
    return {[=](V in) { return list(setSubtensor(in[0], at, one(in[0]))); }, {*a}};
  default:
    return {[=](V in) { return list(stack({without(in[0]), without(-in[0])}, 0)); }, {*a}};
  }
}

//===--- movements --------------------------------------------------------===//

Step movingStep(Chooser &c) {
  std::optional<size_t> found = c.where([](const Value &v) { return v.rank() > 0; });
  if (!found)
    return {};
  size_t a = *found;
  int rank = c.values[a].rank(), axis = c.axisOf(a), shift = int(c.from(-3, 3));
  auto count = int(c.from(1, 3));
  std::vector<Index> at = wholeAxes(axis);
  switch (c.random.below(16)) {
  case 0: {
    std::vector<int> order;
    for (int i = 0; i < rank; ++i)
      order.insert(order.begin() + int64_t(c.random.below(order.size() + 1)), i);
    return {[order](V in) { return list(transpose(in[0], order)); }, {a}};
  }
  case 1:
    return {[](V in) { return list(flatten(in[0])); }, {a}};
  case 2:
    return {
        [](V in) { return list(reshape(in[0], {shape(in[0], -1), shape(in[0], 0), Operand(-1)})); },
        {a}};
  case 3:
    return {[axis](V in) { return list(expandDims(in[0], Axis(axis))); }, {a}};
  case 4:
    return {[axis](V in) { return list(flip(in[0], Axis(axis))); }, {a}};
  case 5:
    return {[axis, shift](V in) { return list(roll(in[0], shift, axis)); }, {a}};
  case 6:
  case 7: { // any slice, also of negative steps
    auto bound = [&]() -> Operand { return c.random.oneIn(3) ? kEnd : c.from(-4, 4); };
    Operand start = bound(), stop = bound();
    int64_t step = c.from(1, 3) * (c.random.oneIn(3) ? -1 : 1);
    at.push_back(Slice(start, stop, step));
    return {[at](V in) { return list(subtensor(in[0], at)); }, {a}};
  }
  case 8:
    at.push_back(c.random.oneIn(2) ? 0 : -1);
    return {[at](V in) { return list(subtensor(in[0], at)); }, {a}};
  case 9: { // up to a computed place
    std::optional<size_t> n =
        c.where([](const Value &v) { return isInteger(v.dtype()) && v.rank() == 0; });
    if (!n)
      return {};
    return {[axis](V in) {
              std::vector<Index> at = wholeAxes(axis);
              at.push_back(Slice(0, abs(in[1])));
              return list(subtensor(in[0], at));
            },
            {a, *n}};
  }
  case 10: {
    static const std::vector<PadMode> modes = {PadMode::Constant,  PadMode::Edge,
                                               PadMode::Reflect,   PadMode::Wrap,
                                               PadMode::Symmetric, PadMode::Maximum};
    std::vector<std::pair<int, int>> widths(size_t(rank), {0, 0});
    widths[size_t(axis)] = {count - 1, count};
    PadOptions options{.mode = modes[c.random.below(c.isExact ? 6 : 5)]};
    return {[=](V in) { return list(pad(in[0], widths, options)); }, {a}};
  }
  case 11:
    return {[=](V in) { return list(repeat(in[0], count, axis)); }, {a}};
  case 12: {
    std::vector<int64_t> reps(size_t(rank), 1);
    reps[size_t(axis)] = count;
    return {[=](V in) { return list(tile(in[0], reps)); }, {a}};
  }
  case 13:
    return {[shift](V in) { return Variables{tril(in[0], shift), triu(in[0])}; }, {a}};
  case 14:
    return {[shift](V in) { return list(diag(in[0], shift)); }, {a}};
  default:
    return {[axis](V in) {
              Variable n = shape(in[0], axis);
              return Variables{n, cast(arange(n), DType::Float64)};
            },
            {a}};
  }
}

//===--- joins ------------------------------------------------------------===//

Step joiningStep(Chooser &c) {
  std::optional<size_t> found =
      c.where([](const Value &v) { return v.rank() > 0 && v.dtype() != DType::Bool; });
  if (!found)
    return {};
  size_t a = *found;
  const Value &value = c.values[a];
  int axis = c.axisOf(a);
  // Of other extents along the axis alone.
  size_t b = *c.where([&](const Value &v) {
    bool fits = v.rank() == value.rank();
    for (int i = 0; fits && i < v.rank(); ++i)
      fits = i == axis || v.extent(i) == value.extent(i);
    return fits;
  });
  size_t like = c.beside(a);
  int64_t n = value.extent(axis), low = c.from(-2, 2);
  std::vector<Index> at = wholeAxes(axis);
  auto put = [&](bool adds, std::vector<Index> at, size_t y) -> Step {
    return {[=](V in) {
              Variable with = cast(in[1], in[0].dtype());
              return list(adds ? incSubtensor(in[0], at, with) : setSubtensor(in[0], at, with));
            },
            {a, y}};
  };
  switch (c.random.below(11)) {
  case 0:
  case 1:
    return {[axis](V in) { return list(concatenate({in[0], in[1]}, axis)); }, {a, b}};
  case 2:
    return {[axis](V in) { return list(concatenate({in[1], in[0], in[1]}, axis)); }, {a, b}};
  case 3:
    return {[axis](V in) { return list(stack({in[0], in[1]}, axis)); }, {a, like}};
  case 4: // pieces, of which some may be empty
    return {[=](V in) { return split(in[0], {n / 2, n - n / 2 - n / 3, n / 3}, axis); }, {a}};
  case 5: // halves that change places
    return {[=](V in) {
              Variables halves = split(in[0], {n / 2, n - n / 2}, axis);
              return list(concatenate({halves[1] + 1, halves[0]}, axis));
            },
            {a}};
  case 6: // a part of the one in the place of a part of the other
  case 7: {
    at.push_back(Slice(low, kEnd, c.from(1, 2)));
    return {[=, adds = c.random.oneIn(2)](V in) {
              Variable y = cast(subtensor(in[1], at), in[0].dtype());
              return list(adds ? incSubtensor(in[0], at, y) : setSubtensor(in[0], at, y));
            },
            {a, like}};
  }
  case 8: { // one row
    at.push_back(c.random.oneIn(2) ? 0 : -1);
    std::optional<size_t> row = c.where([&](const Value &v) { return v.rank() < value.rank(); });
    return !row ? Step{} : put(c.random.oneIn(2), at, *row);
  }
  case 9: { // all of it at a computed place
    std::optional<size_t> place =
        c.where([](const Value &v) { return isInteger(v.dtype()) && v.rank() == 0; });
    if (!place)
      return {};
    return {[axis](V in) {
              std::vector<Index> at = wholeAxes(axis);
              at.push_back(Index(mod(in[1], shape(in[0], axis))));
              return list(setSubtensor(in[0], at, subtensor(in[0], at) + 1));
            },
            {a, *place}};
  }
  default:
    return {[](V in) { return list(second(in[1], in[0])); }, {c.random.oneIn(2) ? like : b, a}};
  }
}

} // namespace graphc::random
