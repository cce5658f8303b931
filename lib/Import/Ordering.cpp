//===- Ordering.cpp - what is in order, what is chosen ----------------------===//
#include <cmath>

#include "Import/PerAxis.h"
#include "Import/Translations.h"
#include "Ops/Build.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

using Cumulate = Variable (*)(const Operand &, std::optional<int>, CumulativeOptions);

template <Cumulate f> Variables cumulative(OnnxNode &n) {
  Variable x = n.in(0);
  CumulativeOptions options{.exclusive = n.getBool("exclusive", false),
                            .reverse = n.getBool("reverse", false)};
  return {alongGivenAxis(n, 1, x.rank(), [&](int axis) { return f(n.at(x), axis, options); })};
}

Variables topK(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", -1), x.rank());
  if (!n.status().ok())
    return {};
  Operand count(n.opset() < 10 ? n.getInt("k", 0) : 0);
  if (n.opset() >= 10) {
    Terms terms = vectorTerms(n, 1, 1);
    if (terms.size() != 1)
      return {n.fail(ErrorKind::ValueError, "k must be one number")};
    count = terms[0];
  }
  bool largest = n.opset() < 11 || n.getBool("largest", true);
  Variable positions = build(builtin("argtopk", {{"axis", int64_t(axis)}, {"smallest", !largest}}),
                             {n.at(x), count});
  return {takeAlongAxis(n.at(x), positions, {.axis = axis}), positions};
}

/// The first `lengths[b]` elements along the time axis in reverse, for each batch b.
Variables reverseSequence(OnnxNode &n) {
  Variable x = n.in(0);
  int batch = n.plainAxis(n.getInt("batch_axis", 1), x.rank());
  int time = n.plainAxis(n.getInt("time_axis", 0), x.rank());
  if (!n.status().ok())
    return {};
  Variable lengths = dimshuffle(n.arg(1), orderAlong(batch, x.rank()));
  Variable t = positionsAlong(n, extentTerm(n, x, time), time, x.rank());
  Variable reversed = sub(n.at(sub(n.at(lengths), 1)), t);
  Variable along = where(n.at(lt(n.at(t), lengths)), reversed, t);
  along = broadcastTo(n.at(cast(n.at(along), DType::Int64)), ShapeList(shape(n.at(x))));
  return {gatherAlong(n, x, along, time)};
}

Variables nonZero(OnnxNode &n) {
  // Of a scalar, as of a vector of it.
  Variable x = atleastNd(n.arg(0), 1);
  return {build(builtin("nonzero"), {n.at(x)})};
}

Variables compressed(OnnxNode &n) {
  std::optional<int> axis;
  if (n.hasAttribute("axis"))
    axis = n.plainAxis(n.getInt("axis", 0), n.in(0).rank());
  if (!n.status().ok())
    return {};
  return {compress(n.arg(1), n.arg(0), axis)};
}

/// In order, or as they stand first.
Variables uniqueElements(OnnxNode &n) {
  Variable x = n.in(0);
  std::optional<int> axis;
  if (n.hasAttribute("axis"))
    axis = n.plainAxis(n.getInt("axis", 0), x.rank());
  if (!n.status().ok())
    return {};
  Unique all = unique(n.at(x), axis);
  if (!all.values.ok())
    return {all.values};
  if (!n.getBool("sorted", true)) {
    Variable order = argsort(n.at(all.index)), place = argsort(n.at(order));
    all.values = take(n.at(all.values), order, {.axis = axis.value_or(0)});
    all.index = take(n.at(all.index), order);
    all.counts = take(n.at(all.counts), order);
    all.inverse = take(n.at(place), all.inverse);
  }
  return {all.values, all.index, flatten(n.at(all.inverse)), all.counts};
}

/// An optional array of one element.
Operand oneElement(OnnxNode &n, size_t i, const Operand &otherwise) {
  return n.has(i) ? n.at(scalarOf(n, i)) : otherwise;
}

Variables suppressed(OnnxNode &n) {
  SuppressionOptions options{.most = oneElement(n, 2, Operand(int64_t(0))),
                             .overlap = oneElement(n, 3, Operand(0.0f)),
                             // Without one all scores count.
                             .score = oneElement(n, 4, Operand(-INFINITY)),
                             .centered = n.getBool("center_point_box", false)};
  return {nonMaxSuppression(n.arg(0), n.arg(1), options)};
}

} // namespace

absl::Span<const Translation> orderingTranslations() {
  static constexpr Translation kTable[] = {
      {"Compress", compressed, 9},
      {"CumProd", cumulative<cumprod>, 26},
      {"CumSum", cumulative<cumsum>, 11},
      {"NonMaxSuppression", suppressed, 10},
      {"NonZero", nonZero, 9},
      {"ReverseSequence", reverseSequence, 10},
      {"TopK", topK, 1, "NaN is the greatest number"},
      {"Unique", uniqueElements, 11},
  };
  return kTable;
}

} // namespace graphc
