//===- IfElse.cpp - one of two arrays --------------------------------------===//
//
// The op alone copies one of two arrays that have been computed. That what only the other one needs
// is not computed is a change of the whole graph: lib/Control/Sink.
//
//===----------------------------------------------------------------------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"
#include "graphc/ControlFlow.h"

namespace graphc {
namespace {

TypesOr ifElseType(const TypeRequest &request) {
  const Type &condition = request.type(0), &a = request.type(1), &b = request.type(2);
  if (condition.rank() != 0)
    return makeError(ErrorKind::TypeError,
                     "the condition must be one number, not an array; switch chooses elements");
  if (a.rank() != b.rank())
    return makeError(ErrorKind::TypeError, "the branches must have one rank, but have " +
                                               std::to_string(a.rank()) + " and " +
                                               std::to_string(b.rank()) + "; reshape one of them");
  std::vector<int64_t> shape;
  for (int axis = 0; axis < a.rank(); ++axis)
    shape.push_back(a.extent(axis) == b.extent(axis) ? a.extent(axis) : kDynamic);
  return std::vector<Type>{Type(promote(a.dtype(), b.dtype()), shape)};
}

Arrays emitIfElse(Emitter &e, const Arrays &in, const Attributes &) {
  Array condition = in[0], a = in[1], b = in[2];
  DType dtype = e.resultType(0).dtype();
  auto isTrue = [&] { return cast(e.load(condition, {}), DType::Bool); };
  Extents shape;
  bool isOneShape = true;
  for (int axis = 0; axis < e.rank(a); ++axis)
    isOneShape &= e.dim(a, axis).id() == e.dim(b, axis).id();
  if (isOneShape) {
    shape = e.shape(a);
    return {e.define(shape, [&](Indices i) {
      return select(isTrue(), cast(e.load(a, i), dtype), cast(e.load(b, i), dtype));
    })};
  }
  Array chosen = e.define({}, [&](Indices) { return cast(isTrue(), DType::Int64); });
  Extent first = e.element(chosen);
  for (int axis = 0; axis < e.rank(a); ++axis)
    shape.push_back(select(first, e.dim(a, axis), e.dim(b, axis)));
  return {e.define(shape, [&](Indices i) {
    Scalar takes = isTrue();
    Scalar x = e.loadIf(takes, a, i, e.literal(e.dtype(a), 0));
    Scalar y = e.loadIf(!takes, b, i, e.literal(e.dtype(b), 0));
    return select(takes, cast(x, dtype), cast(y, dtype));
  })};
}

/// `v` where the condition leads to branch `i`, else zeros like that branch. Gradients of graphs do
/// without: Backward pulls back within branches.
Variable onlyIf(Inputs in, size_t i, const Variable &v) {
  Variable zeros = inDType(zerosLike(in[i]), v.dtype());
  return i == 1 ? ifElse(in[0], v, zeros) : ifElse(in[0], zeros, v);
}

Variables pullIfElse(const Op &, Inputs in, Outputs, Gradients g) {
  return {Variable(Type::disconnected()), onlyIf(in, 1, g[0]), onlyIf(in, 2, g[0])};
}

Variables pushIfElse(const Op &, Inputs in, Outputs out, Tangents t) {
  for (size_t i : {1, 2})
    if (t[i].type().kind() == Type::Kind::Null)
      return {t[i]};
  if (!isPresent(t[1]) && !isPresent(t[2])) // zero, if one of them is, and not disconnected
    return {t[1].type().isTensor() ? t[1] : t[2]};
  auto tangentOf = [&](size_t i) {
    return inDType(isPresent(t[i]) ? t[i] : zerosLike(in[i]), out[0].dtype());
  };
  return {ifElse(in[0], tangentOf(1), tangentOf(2))};
}

} // namespace

Variable ifElse(const Operand &condition, const Operand &x, const Operand &y) {
  static const Op &op = *new Op(builtin("ifElse"));
  return build(op, {condition, x, y});
}

Variables ifElse(const Operand &condition, const Variables &x, const Variables &y) {
  if (x.size() == y.size()) {
    Variables chosen;
    for (size_t i = 0; i < x.size(); ++i)
      chosen.push_back(ifElse(condition, x[i], y[i]));
    return chosen;
  }
  Variable mistake = invalidAt(condition, ErrorKind::ValueError, "ifElse",
                               "the branches must have as many results, but have " +
                                   std::to_string(x.size()) + " and " + std::to_string(y.size()));
  return Variables(x.size(), mistake);
}

std::vector<OpDef> controlFlowOps() {
  return {{.name = "ifElse",
           .doc = "x if the condition is not 0, else y, as a whole.\n"
                  "Only what the chosen one needs is computed, and can fail. NaN counts as not 0. "
                  "The result has the shape of the chosen one.",
           .operands = {{"condition", "one number or bool"}, {"x"}, {"y", "of the rank of x"}},
           .type = ifElseType,
           .emit = emitIfElse,
           .pullback = pullIfElse,
           .pushforward = pushIfElse,
           .connection = {{false}, {true}, {true}},
           .section = section(kControl),
           .example = "ifElse(true, [1, 2], [3]) = [1, 2]"}};
}

} // namespace graphc
