//===- Ctc.cpp - the loss of unsegmented sequences -------------------------------------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Routines/Routines.h"
#include "Rules.h"
#include "graphc/Neural.h"

namespace graphc {
namespace {

constexpr std::string_view kNoThird = "ctcLoss has no third derivative";

TypesOr ctcTypes(const TypeRequest &request) {
  if (request.type(0).rank() != 3 || !isFloat(request.type(0).dtype()))
    return makeError(ErrorKind::TypeError,
                     "the logarithms of probabilities are floats, (times, batch, classes)");
  for (size_t i : {1, 2, 3})
    if (absl::Status bad = requireIntegers(request, i, i == 1 ? 2 : 1); !bad.ok())
      return bad;
  if (request.size() > 4 && request.type(4).rank() != 3)
    return makeError(ErrorKind::TypeError, "the direction has the rank of the logarithms, 3");
  return inferLikeFirst(request);
}

EmitRule ctcEmission(const Routine &routine, bool isGradient) {
  return [&routine, isGradient](Emitter &e, const Arrays &in, const Attributes &a) -> Arrays {
    DType dtype = e.dtype(in[0]);
    Extent batch = e.dim(in[0], 1);
    for (size_t i : {1, 2, 3})
      e.requireEqual(e.dim(in[i], 0), batch,
                     "there are labels or lengths of {a} elements where the batch has {b}");
    Arrays wide = {castArray(e, in[0], DType::Float64)};
    for (size_t i : {1, 2, 3})
      wide.push_back(castArray(e, in[i], DType::Int64));
    if (in.size() > 4) {
      wide.push_back(castArray(e, in[4], DType::Float64));
      for (int axis = 0; axis < 3; ++axis)
        e.requireEqual(e.dim(in[4], axis), e.dim(in[0], axis),
                       "the direction has extent {a} where the operand has {b}");
    }
    Extents shape = isGradient ? e.shape(in[0]) : Extents{batch};
    Arrays made = e.routine(routine, {a.integer("blank")}, wide, {{DType::Float64, shape}});
    return {castArray(e, made[0], dtype)};
  };
}

Variable slope(const Op &op, Inputs in) {
  return build(builtin("ctcGradient", {{"blank", op.attributes().integer("blank")}}),
               {in[0], in[1], in[2], in[3]});
}

Variables ctcPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  Variable none(Type::disconnected());
  return {slope(op, in) * dimshuffle(g[0], {-1, 0, -1}), none, none, none};
}

Variables ctcPushforward(const Op &op, Inputs in, Outputs, Tangents t) {
  return {sum(slope(op, in) * t[0], Axes{0, 2})};
}

/// The second derivatives are symmetric: both rules give them times what comes.
Variable curvature(const Op &op, Inputs in, const Variable &direction) {
  return build(builtin("ctcGradientAlong", {{"blank", op.attributes().integer("blank")}}),
               {in[0], in[1], in[2], in[3], direction});
}

Variables ctcGradientPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  Variable none(Type::disconnected());
  return {curvature(op, in, g[0]), none, none, none};
}

Variables ctcGradientPushforward(const Op &op, Inputs in, Outputs, Tangents t) {
  return {curvature(op, in, t[0])};
}

/// Linear and symmetric in the direction.
Variables ctcAlongPullback(const Op &op, Inputs in, Outputs, Gradients g) {
  Variable none(Type::disconnected());
  return {Variable(Type::null(std::string(kNoThird))), none, none, none, curvature(op, in, g[0])};
}

Variables ctcAlongPushforward(const Op &op, Inputs in, Outputs, Tangents t) {
  return {sumOverTangents(t, {0, 4}, [&](size_t operand) {
    return operand == 4 ? curvature(op, in, t[4]) : Variable(Type::null(std::string(kNoThird)));
  })};
}

OpDef ctcOp(OpDef def) {
  std::vector<OperandSpec> more = std::move(def.operands);
  def.operands = {{"logProbabilities", "(times, batch, classes)"},
                  {"labels", "integers, (batch, labels)"},
                  {"times", "integers, (batch)"},
                  {"counts", "of labels: integers, (batch)"}};
  def.attributes = {{.name = "blank",
                     .kind = AttributeKind::Int,
                     .defaultValue = int64_t(0),
                     .doc = "the class of no label"}};
  def.type = ctcTypes;
  def.connection = {{true}, {false}, {false}, {false}};
  for (OperandSpec &operand : more) {
    def.operands.push_back(std::move(operand));
    def.connection.push_back({true});
  }
  def.maxUlp = {-1, -1};
  return def;
}

} // namespace

std::vector<OpDef> ctcOps() {
  return {
      ctcOp({.name = "ctcLoss",
             .doc = "The loss of connectionist temporal classification: for each element of the "
                    "batch, -log of the sum of the probabilities of all paths that give its labels."
                    "\nGraves et al. 2006, in logarithms and float64. inf where the times are too "
                    "few. IndexError for labels that are the blank or no class, ValueError for "
                    "counts out of range. The gradient is 0 where the loss is inf.",
             .emit = ctcEmission(kCtcLoss, false),
             .pullback = ctcPullback,
             .pushforward = ctcPushforward,
             .golden = {"ctc"},
             .section = section(kActivations),
             .example = "ctcLoss([[[-1.0, -0.5]], [[-0.5, -1.0]]], [[1]], [2], [1]) = "
                        "[0.319730330]"}),
      ctcOp({.name = "ctcGradient",
             .doc = "The gradient of ctcLoss by the logarithms of probabilities: minus the "
                    "probability, of all paths, of those through a class at a time.",
             .emit = ctcEmission(kCtcGradient, true),
             .pullback = ctcGradientPullback,
             .pushforward = ctcGradientPushforward,
             .golden = {"ctc_gradient"},
             .section = section(kDerivatives),
             .example = "ctcGradient([[[-1.0, -0.5]]], [[1]], [1], [1]) = [[[0.0, -1.0]]]"}),
      ctcOp({.name = "ctcGradientAlong",
             .doc = "The derivative of ctcGradient in a direction, by sums of numbers with "
                    "derivatives.",
             .operands = {{"direction"}},
             .emit = ctcEmission(kCtcGradientAlong, true),
             .pullback = ctcAlongPullback,
             .pushforward = ctcAlongPushforward,
             .golden = {"ctc_gradient_along"},
             .section = section(kDerivatives),
             .example = "ctcGradientAlong([[[-1.0, -0.5]]], [[1]], [1], [1], "
                        "[[[1.0, 1.0]]]) = [[[0.0, 0.0]]]"}),
  };
}

Variable ctcLoss(const Operand &logProbabilities, const Operand &labels, const Operand &times,
                 const Operand &counts, int64_t blank) {
  return build(builtin("ctcLoss", {{"blank", blank}}), {logProbabilities, labels, times, counts});
}

} // namespace graphc
