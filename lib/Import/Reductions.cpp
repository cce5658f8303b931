//===- Reductions.cpp - reductions and arg reductions ----------------------===//
#include <algorithm>

#include "Import/DTypeEnds.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "graphc/ControlFlow.h"

namespace graphc {
namespace {

/// What all reductions have: axes as an attribute or, in newer sets, input 1; all by default.
ReductionOptions optionsOf(OnnxNode &n, const Variable &x) {
  ReductionOptions options;
  options.keepDims = n.getBool("keepdims", true);
  std::optional<Ints> axes = n.attributeOrInput("axes", 1);
  if (axes && !axes->empty())
    options.axes = Axes(n.plainAxes(*axes, x.rank()));
  else if (n.getBool("noop_with_empty_axes", false))
    options.axes = Axes::none();
  return options;
}

using Reduce = Variable (*)(OnnxNode &n, const Variable &x, ReductionOptions options);

/// Sums and products in x's own dtype, as ONNX has it.
template <Variable (*f)(const Operand &, const ReductionOptions &)>
Variable inOwnDType(OnnxNode &n, const Variable &x, ReductionOptions options) {
  options.dtype = x.dtype();
  return f(n.at(x), options);
}
template <Variable (*f)(const Operand &, const ReductionOptions &)>
Variable plainly(OnnxNode &n, const Variable &x, ReductionOptions options) {
  return cast(n.at(f(n.at(x), options)), x.dtype());
}

/// max or min, and over no elements the end of the dtype, as ONNX has it (max itself fails there).
template <Variable (*f)(const Operand &, const ReductionOptions &), Tensor (*end)(DType)>
Variable extreme(OnnxNode &n, const Variable &x, ReductionOptions options) {
  if (!x.ok() || !n.status().ok())
    return x;
  const std::optional<IntList> &list = options.axes.list();
  Operand count(int64_t(1)); // of the elements along reduced axes that may be none
  bool isEmpty = false;
  Terms extents;
  for (int axis = 0; axis < x.rank(); ++axis) {
    Operand extent = extentTerm(n, x, axis);
    if (list && !std::ranges::count(*list, axis)) {
      extents.push_back(extent);
      continue;
    }
    if (options.keepDims)
      extents.emplace_back(int64_t(1));
    isEmpty |= x.type().extent(axis) == 0;
    if (!extent.isWeak())
      count = product(n, count, extent);
  }
  if (count.isWeak() && !isEmpty)
    return plainly<f>(n, x, options);
  Variable none = broadcastTo(n.at(n.adopt(end(x.dtype()))), shapeOf(n, extents));
  if (isEmpty)
    return none;
  return ifElse(n.at(eq(count, int64_t(0))), none, plainly<f>(n, x, options));
}

/// Along one axis after the other, each if it is among the computed ones. All reductions here are
/// those of reductions.
Variable overComputedAxes(OnnxNode &n, const Variable &x, Reduce reduce) {
  Variable axes = n.in(1), result = x;
  if (axes.rank() != 1 || !isInteger(axes.dtype()))
    return n.fail(ErrorKind::TypeError,
                  "input 1 must be a vector of integers, is " + axes.type().brief());
  Variable none = n.getBool("noop_with_empty_axes", false) ? n.scalar(0, DType::Bool)
                                                           : eq(n.at(size(n.at(axes))), 0);
  for (int k = 0; k < x.rank(); ++k) {
    Variable isReduced = logicalOr(n.at(isAmong(n, axes, k, x.rank())), none);
    Variable reduced = reduce(n, result, {.axes = Axis(k), .keepDims = true});
    result = ifElse(n.at(isReduced), reduced, result);
  }
  return n.getBool("keepdims", true) ? result : withoutAxes(n, result, axes);
}

Variable reduced(OnnxNode &n, const Variable &x, Reduce reduce) {
  return n.isComputed(1) ? overComputedAxes(n, x, reduce) : reduce(n, x, optionsOf(n, x));
}

Variable total(OnnxNode &n, const Variable &x) { return reduced(n, x, inOwnDType<sum>); }

template <Reduce f> Variables reduction(OnnxNode &n) { return {reduced(n, n.in(0), f)}; }

Variables reduceL1(OnnxNode &n) { return {total(n, abs(n.arg(0)))}; }
Variables reduceSumSquare(OnnxNode &n) { return {total(n, sqr(n.arg(0)))}; }
Variables reduceL2(OnnxNode &n) {
  Variable squares = reduceSumSquare(n)[0];
  return {cast(n.at(sqrt(n.at(squares))), squares.dtype())};
}
Variables reduceLogSum(OnnxNode &n) { return {log(n.at(total(n, n.in(0))))}; }

/// Of equals the first, or the last: then the axis is looked at from its end.
template <Variable (*f)(const Operand &, const ReductionOptions &)>
Variables argReduction(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", 0), x.rank());
  ReductionOptions options{.axes = Axis(axis), .keepDims = n.getBool("keepdims", true)};
  if (!n.getBool("select_last_index", false))
    return {f(n.at(x), options)};
  std::vector<Index> index(axis, Index(Slice()));
  index.push_back(Slice(kEnd, kEnd, -1));
  Variable fromEnd = f(n.at(subtensor(n.at(x), index)), options);
  Variable last = sub(n.at(shape(n.at(x), axis)), 1);
  return {sub(n.at(last), fromEnd)};
}

} // namespace

absl::Span<const Translation> reductionTranslations() {
  constexpr std::string_view kLimits =
      "computed axes without keepdims must be known in number, or the rank declared";
  static constexpr Translation kTable[] = {
      {"ArgMax", argReduction<argmax>},
      {"ArgMin", argReduction<argmin>},
      {"ReduceL1", reduceL1, 1, kLimits},
      {"ReduceL2", reduceL2, 1, kLimits},
      {"ReduceLogSum", reduceLogSum, 1, kLimits},
      {"ReduceLogSumExp", reduction<plainly<logsumexp>>, 1, kLimits},
      {"ReduceMax", reduction<extreme<max, leastOf>>, 1, kLimits},
      {"ReduceMean", reduction<plainly<mean>>, 1, kLimits},
      {"ReduceMin", reduction<extreme<min, greatestOf>>, 1, kLimits},
      {"ReduceProd", reduction<inOwnDType<prod>>, 1, kLimits},
      {"ReduceSum", reduction<inOwnDType<sum>>, 1, kLimits},
      {"ReduceSumSquare", reduceSumSquare, 1, kLimits},
  };
  return kTable;
}

} // namespace graphc
