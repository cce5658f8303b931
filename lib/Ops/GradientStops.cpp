//===- GradientStops.cpp - what differentiation is told in the graph -------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

/// x itself, in the same memory.
OpDef stop(std::string name, std::string doc, std::string example,
           std::vector<AttributeSpec> attributes = {}) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .operands = {{"x"}},
          .attributes = std::move(attributes),
          .type = elementwise(Result::Promoted),
          .emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
            return {e.view(in[0], e.shape(in[0]))};
          },
          .viewMap = {0},
          .golden = {"identity"},
          .section = section(kStops),
          .example = std::move(example)};
}

double number(const Op &op, std::string_view name) {
  return std::get<double>(*op.attributes().find(name));
}

absl::StatusOr<std::vector<Type>> gradClipType(const TypeRequest &request) {
  if (!(number(request.op, "low") <= number(request.op, "high")))
    return makeError(ErrorKind::ValueError, "low and high are numbers, and low is not above high");
  return elementwise(Result::Promoted)(request);
}

OpDef gradClipOp() {
  OpDef def = stop("gradClip",
                   "x itself; a gradient that arrives is clipped to [low, high].\nTangents pass as "
                   "they are. A bound that is NaN, and low > high: ValueError.",
                   "gradClip(3.0) {low = -1.0, high = 1.0} = 3.0",
                   {{"low", AttributeKind::Float}, {"high", AttributeKind::Float}});
  def.type = gradClipType;
  def.elements = Elements::Elementwise;
  def.pullback = [](const Op &op, Inputs, Outputs, Gradients g) -> Variables {
    return {clip(g[0], number(op, "low"), number(op, "high"))};
  };
  def.pushforward = [](const Op &, Inputs, Outputs, Tangents t) -> Variables { return {t[0]}; };
  return def;
}

} // namespace

std::vector<OpDef> gradientStopOps() {
  return {
      withPartials(stop("zeroGrad",
                        "x itself, whose gradient is zero.\nThe result still depends on "
                        "it.",
                        "zeroGrad([1, 2]) = [1, 2]"),
                   {Partial::zero()}),
      withPartials(stop("disconnectedGrad",
                        "x itself, on which the result counts as not depending.",
                        "disconnectedGrad([1, 2]) = [1, 2]"),
                   {Partial::none()}),
      withPartials(stop("undefinedGrad", "x itself, whose gradient is not defined (Null).",
                        "undefinedGrad([1, 2]) = [1, 2]"),
                   {Partial::undefined("undefinedGrad says so")}),
      gradClipOp(),
      withPartials(stop("gradScale", "x itself; a gradient that arrives is multiplied by `factor`.",
                        "gradScale(3.0) {factor = 0.5} = 3.0", {{"factor", AttributeKind::Float}}),
                   {[](const Point &p) {
                     return constant(Tensor(number(p.op, "factor")).cast(p.y.dtype()));
                   }}),
  };
}

//===--- functions --------------------------------------------------------------===//

Variable zeroGrad(const Operand &x) { return build(builtin("zeroGrad"), {x}); }
Variable disconnectedGrad(const Operand &x) { return build(builtin("disconnectedGrad"), {x}); }
Variable undefinedGrad(const Operand &x) { return build(builtin("undefinedGrad"), {x}); }
Variable gradClip(const Operand &x, double low, double high) {
  return build(builtin("gradClip", {{"low", low}, {"high", high}}), {x});
}
Variable gradScale(const Operand &x, double factor) {
  return build(builtin("gradScale", {{"factor", factor}}), {x});
}

} // namespace graphc
