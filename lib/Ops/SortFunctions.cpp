//===- SortFunctions.cpp - elements in order ------------------------------------===//
#include "graphc/Sorting.h"

#include <cmath>
#include <limits>

#include "Build.h"
#include "CallScope.h"
#include "Rules.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"

namespace graphc {
namespace {

/// What a function with an optional axis works on.
struct Along {
  Variable x;
  int axis = 0;

  Along(const Operand &operand, std::optional<int> wanted) : x(asVariable(operand)) {
    if (!x.ok())
      return;
    if (!wanted)
      x = flatten(x);
    axis = int(plainAxis(wanted.value_or(0), x));
  }
};

Variable sorted(std::string_view op, const Operand &x, const SortOptions &options) {
  Along along(x, options.axis);
  if (!along.x.ok())
    return along.x;
  return build(builtin(op, {{"axis", int64_t(along.axis)}, {"descending", options.descending}}),
               {Operand(along.x, x.place())});
}

Variable part(const Variable &x, int axis, const Operand &first, const Operand &end) {
  std::vector<Index> index(size_t(axis) + 1, Index(Slice()));
  index.back() = Slice(first, end);
  return subtensor(x, index);
}

/// The element at a position along an axis.
Variable at(const Variable &x, int axis, const Operand &position) {
  return take(x, position, {.axis = axis});
}

} // namespace

Variable sort(const Operand &x, SortOptions options) { return sorted("sort", x, options); }
Variable argsort(const Operand &x, SortOptions options) { return sorted("argsort", x, options); }

Variable argtopk(const Operand &x, int64_t k, AxisOption options) {
  CallScope scope(x);
  Along along(x, options.axis);
  if (!along.x.ok())
    return along.x;
  if (k == 0 || k == INT64_MIN)
    return invalidAt(x, ErrorKind::ValueError, "argtopk",
                     "k = " + std::to_string(k) + " is no number of elements");
  return build(builtin("argtopk", {{"axis", int64_t(along.axis)}, {"smallest", k < 0}}),
               {Operand(along.x, x.place()), Operand(k < 0 ? -k : k)});
}

Variable topk(const Operand &x, int64_t k, AxisOption options) {
  CallScope scope(x);
  Along along(x, options.axis);
  Variable positions = argtopk(x, k, options);
  if (!positions.ok())
    return positions;
  return takeAlongAxis(Operand(along.x, x.place()), positions, {.axis = along.axis});
}

Variable searchsorted(const Operand &sorted, const Operand &values, SearchOptions options) {
  CallScope scope(sorted);
  Variable table = asVariable(sorted), wanted = asVariable(values);
  if (!table.ok() || !wanted.ok())
    return table.ok() ? wanted : table;
  DType dtype = values.isWeak() && promote(table.dtype(), wanted.dtype()) != table.dtype() &&
                        isFloat(table.dtype())
                    ? table.dtype()
                    : promote(table.dtype(), wanted.dtype());
  if (options.sorter)
    table = take(table, *options.sorter, {.axis = 0});
  return build(builtin("searchsorted", {{"right", options.right}}),
               {Operand(cast(table, dtype), sorted.place()), Operand(cast(wanted, dtype))});
}

Unique unique(const Operand &operand, std::optional<int> axis) {
  CallScope scope(operand);
  Along along(operand, axis);
  Variable x = along.x;
  auto invalid = [](const Variable &v) { return Unique{v, v, v, v}; };
  if (!x.ok())
    return invalid(x);
  if (isComplex(x.dtype()))
    return invalid(invalidAt(operand, ErrorKind::TypeError, "unique",
                             "complex numbers have no order; of a vector take the rows of "
                             "stack({real(x), imag(x)}, 1): unique(..., 0)"));
  if (auto plain = normalizeAxis(along.axis, x.rank()); !plain.ok())
    return invalid(invalidAt(operand, "unique", plain.status()));
  Variable lines = axis && along.axis != 0 ? moveaxis(x, {along.axis}, {0}) : x;
  Variable n = shape(lines, 0), order;
  if (x.rank() == 1) {
    order = argsort(lines);
  } else {
    Variable all = constant(Tensor(int64_t(1)));
    for (int k = 1; k < lines.rank(); ++k)
      all = all * shape(lines, k);
    lines = reshape(lines, {n, all});
    order = build(builtin("argsortRows"), {lines});
  }
  Variable inOrder = take(lines, order, {.axis = 0});
  // Where something else begins than stood before; NaNs are one value.
  Variable before = part(inOrder, 0, 0, -1), own = part(inOrder, 0, 1, kEnd);
  Variable differs = neq(before, own);
  if (isFloat(x.dtype()))
    differs = logicalAnd(differs, logicalNot(logicalAnd(isnan(before), isnan(own))));
  if (lines.rank() == 2)
    differs = any(differs, Axis(1));
  Variable first = onesLike(part(order, 0, 0, 1));
  Variable isNew = concatenate({cast(first, DType::Bool), differs});
  Variable starts = flatnonzero(isNew), index = take(order, starts, {.axis = 0});
  Unique result;
  result.values = take(axis ? x : flatten(x), index, {.axis = along.axis});
  result.index = index;
  Variable group = sub(cumsum(cast(isNew, DType::Int64), 0), 1);
  result.inverse = setTake(zerosLike(group), order, group, {.axis = 0});
  if (Variable whole = asVariable(operand); !axis && whole.rank() != 1)
    result.inverse = reshape(result.inverse, shape(whole));
  result.counts = diff(concatenate({starts, reshape(n, {1})}));
  return result;
}

Variable bincount(const Operand &x, const std::optional<Operand> &weights, int64_t minLength) {
  CallScope scope(x);
  Variable v = asVariable(x);
  if (!v.ok())
    return v;
  if (v.rank() != 1 || isFloat(v.dtype()))
    return invalidAt(x, ErrorKind::TypeError, "bincount", "x must be a vector of integers");
  v = cast(v, DType::Int64);
  // The greatest of none is -1.
  Variable most = max(concatenate({stack({Operand(minLength - 1)}), v}));
  Variable isGood = ge(min(concatenate({stack({Operand(0)}), v})), 0);
  Variable length = assertTrue(most + 1, isGood, "bincount: a number is negative");
  Variable terms = weights ? cast(asVariable(*weights), DType::Float64) : onesLike(v);
  return incTake(zeros({length}, terms.dtype()), v, terms, {.axis = 0});
}

//===--- histograms -----------------------------------------------------------------------===//

Histogram histogramOf(const Operand &operand, const Operand &edgesOperand,
                      const HistogramOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand), edges = asVariable(edgesOperand);
  std::optional<Variable> weights;
  if (options.weights)
    weights = asVariable(*options.weights);
  auto invalid = [](const Variable &v) { return Histogram{v, v}; };
  for (const Variable &v : {x, edges, weights.value_or(x)})
    if (!v.ok())
      return invalid(v);
  if (edges.rank() != 1 || (edges.type().extent(0) != kDynamic && edges.type().extent(0) < 2))
    return invalid(invalidAt(operand, ErrorKind::ValueError, "histogram",
                             "edges are a sorted vector of at least two numbers"));
  DType dtype = promote(x.dtype(), edges.dtype());
  x = cast(flatten(x), dtype), edges = cast(edges, dtype);
  Variable last = shape(edges, 0) - 1, first = take(edges, 0, {.axis = 0}),
           end = take(edges, last, {.axis = 0});
  Variable bin = searchsorted(edges, x, {.right = true}) - 1;
  bin = clip(bin, 0, last - 1); // the last one with its end
  Variable isInside = logicalAnd(ge(x, first), le(x, end));
  Variable term = weights ? cast(flatten(*weights), DType::Float64) : constant(Tensor(int64_t(1)));
  Variable none = constant(Tensor(int64_t(0)).cast(term.dtype()));
  Variable counts =
      incTake(zeros({last}, term.dtype()), bin, where(isInside, term, none), {.axis = 0});
  if (options.isDensity) {
    Variable widths = cast(part(edges, 0, 1, kEnd) - part(edges, 0, 0, -1), DType::Float64);
    Variable wide = cast(counts, DType::Float64);
    counts = wide / (sum(wide) * widths);
  }
  return {counts, edges};
}

Histogram histogram(const Operand &operand, int64_t bins, const HistogramOptions &options) {
  CallScope scope(operand);
  Variable x = asVariable(operand);
  if (!x.ok())
    return {x, x};
  auto wrong = [&](const std::string &why) {
    Variable v = invalidAt(operand, ErrorKind::ValueError, "histogram", why);
    return Histogram{v, v};
  };
  if (bins < 1)
    return wrong("there are " + std::to_string(bins) + " bins");
  DType dtype = isFloat(x.dtype()) ? x.dtype() : DType::Float64;
  Variable low, high;
  if (options.range) {
    auto [from, to] = *options.range;
    if (!(from <= to) || !std::isfinite(from) || !std::isfinite(to))
      return wrong("the range is not finite, or begins behind its end");
    low = constant(Tensor(from).cast(dtype)), high = constant(Tensor(to).cast(dtype));
  } else {
    // Of no elements: 0 and 1, of which the neutral elements are outside.
    Variable all = cast(flatten(x), dtype), isNone = graphc::eq(size(x), 0);
    auto number = [&](double value) {
      return reshape(constant(Tensor(value).cast(dtype)), std::vector<int64_t>{1});
    };
    const double inf = std::numeric_limits<double>::infinity();
    low = where(isNone, 0.0, min(concatenate({all, number(inf)})));
    high = where(isNone, 1.0, max(concatenate({all, number(-inf)})));
    Variable isGood = logicalAnd(isfinite(low), isfinite(high));
    low = assertTrue(low, isGood, "histogram: the least or the greatest element is not finite");
    low = cast(low, dtype), high = cast(high, dtype);
  }
  Variable half = where(graphc::eq(low, high), constant(Tensor(0.5).cast(dtype)),
                        constant(Tensor(0.0).cast(dtype)));
  return histogramOf(Operand(x, operand.place()), linspace(low - half, high + half, bins + 1),
                     options);
}

//===--- quantiles ------------------------------------------------------------------------===//

Variable quantile(const Operand &operand, double q, std::optional<int> axis,
                  QuantileMethod method) {
  CallScope scope(operand);
  Along along(operand, axis);
  Variable x = along.x;
  if (!x.ok())
    return x;
  if (!(q >= 0 && q <= 1))
    return invalidAt(operand, ErrorKind::ValueError, "quantile", "q is not between 0 and 1");
  if (!isFloat(x.dtype()))
    x = cast(x, promoteToFloat(x.dtype()));
  Variable inOrder = sort(Operand(x, operand.place()), {.axis = along.axis});
  if (!inOrder.ok())
    return inOrder;
  Variable place = cast(shape(x, along.axis) - 1, DType::Float64) * q;
  if (method == QuantileMethod::Lower)
    place = floor(place);
  else if (method == QuantileMethod::Higher)
    place = ceil(place);
  else if (method == QuantileMethod::Nearest)
    place = roundHalfToEven(place);
  else if (method == QuantileMethod::Midpoint)
    place = (floor(place) + ceil(place)) * 0.5;
  Variable low = floor(place), part = cast(place - low, x.dtype());
  Variable first = cast(low, DType::Int64), second = cast(ceil(place), DType::Int64);
  Variable a = at(inOrder, along.axis, first), b = at(inOrder, along.axis, second);
  Variable result = where(graphc::eq(a, b), a, a + (b - a) * part);
  // NaNs are the last.
  Variable last = at(inOrder, along.axis, -1);
  return where(isnan(last), last, result);
}

Variable median(const Operand &x, std::optional<int> axis) { return quantile(x, 0.5, axis); }

} // namespace graphc
