//===- Reductions.cpp - reductions and arg reductions ----------------------===//
#include "Import/Translations.h"

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

/// The sum in x's own dtype, as ONNX has it.
Variable total(OnnxNode &n, const Variable &x, ReductionOptions options) {
  options.dtype = x.dtype();
  return sum(n.at(x), options);
}

Variables reduceSum(OnnxNode &n) {
  Variable x = n.in(0);
  return {total(n, x, optionsOf(n, x))};
}
Variables reduceProd(OnnxNode &n) {
  Variable x = n.in(0);
  ReductionOptions options = optionsOf(n, x);
  options.dtype = x.dtype();
  return {prod(n.at(x), options)};
}
Variables reduceMean(OnnxNode &n) {
  Variable x = n.in(0);
  return {cast(n.at(mean(n.at(x), optionsOf(n, x))), x.dtype())};
}
Variables reduceMax(OnnxNode &n) { return {max(n.arg(0), optionsOf(n, n.in(0)))}; }
Variables reduceMin(OnnxNode &n) { return {min(n.arg(0), optionsOf(n, n.in(0)))}; }
Variables reduceL1(OnnxNode &n) {
  Variable x = n.in(0);
  return {total(n, abs(n.at(x)), optionsOf(n, x))};
}
Variables reduceSumSquare(OnnxNode &n) {
  Variable x = n.in(0);
  return {total(n, sqr(n.at(x)), optionsOf(n, x))};
}
Variables reduceL2(OnnxNode &n) {
  Variable squares = reduceSumSquare(n)[0];
  return {cast(n.at(sqrt(n.at(squares))), squares.dtype())};
}
Variables reduceLogSum(OnnxNode &n) { return {log(n.at(reduceSum(n)[0]))}; }
Variables reduceLogSumExp(OnnxNode &n) { return {logsumexp(n.arg(0), optionsOf(n, n.in(0)))}; }

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
  static constexpr Translation kTable[] = {
      {"ArgMax", argReduction<argmax>},
      {"ArgMin", argReduction<argmin>},
      {"ReduceL1", reduceL1, 1, "axes constant"},
      {"ReduceL2", reduceL2, 1, "axes constant"},
      {"ReduceLogSum", reduceLogSum, 1, "axes constant"},
      {"ReduceLogSumExp", reduceLogSumExp, 1, "axes constant"},
      {"ReduceMax", reduceMax, 1, "axes constant"},
      {"ReduceMean", reduceMean, 1, "axes constant"},
      {"ReduceMin", reduceMin, 1, "axes constant"},
      {"ReduceProd", reduceProd, 1, "axes constant"},
      {"ReduceSum", reduceSum, 1, "axes constant"},
      {"ReduceSumSquare", reduceSumSquare, 1, "axes constant"},
  };
  return kTable;
}

} // namespace graphc
