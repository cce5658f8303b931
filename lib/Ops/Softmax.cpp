//===- Softmax.cpp - softmax and its logarithm -----------------------------===//
//
// Three passes over rows: maxima, exponentials with their sums, normalisation. The exponentials
// are an array of their own, so the code generator may keep a row of them instead of computing
// each twice.
//
//===----------------------------------------------------------------------===//
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

struct Rows {
  Array shifted;      // x - max
  Array exponentials; // of shifted
  Array sums;         // of those, axes kept
};

Rows rowsOf(Emitter &e, Array operand, const Attributes &attributes, DType dtype) {
  std::vector<int> axes = axesOf(attributes, e.rank(operand));
  Array x = castArray(e, operand, dtype);
  auto same = [](Scalar s) { return s; };
  Array maxima = reduceMapped(e, Combine::Max, x, axes, true, same);
  Rows rows;
  rows.shifted =
      e.define(e.shape(x), [&](Indices i) { return e.load(x, i) - loadKept(e, maxima, i, axes); });
  rows.exponentials = e.map({rows.shifted}, [](const Scalars &s) { return exp(s[0]); });
  rows.sums = reduceMapped(e, Combine::Sum, rows.exponentials, axes, true, same);
  return rows;
}

Arrays softmaxEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype();
  Rows rows = rowsOf(e, in[0], attributes, computeDType(result));
  std::vector<int> axes = axesOf(attributes, e.rank(in[0]));
  return {e.define(e.shape(rows.exponentials), [&](Indices i) {
    return cast(e.load(rows.exponentials, i) / loadKept(e, rows.sums, i, axes), result);
  })};
}

Arrays logSoftmaxEmission(Emitter &e, const Arrays &in, const Attributes &attributes) {
  DType result = e.resultType(0).dtype();
  Rows rows = rowsOf(e, in[0], attributes, computeDType(result));
  std::vector<int> axes = axesOf(attributes, e.rank(in[0]));
  Array logs = e.map({rows.sums}, [](const Scalars &s) { return log(s[0]); });
  return {e.define(e.shape(rows.shifted), [&](Indices i) {
    return cast(e.load(rows.shifted, i) - loadKept(e, logs, i, axes), result);
  })};
}

TypesOr softmaxType(const TypeRequest &request) {
  const Type &x = request.type(0);
  if (!request.attributes().isNone("axes"))
    if (auto axes = normalizeAxes(request.attributes().ints("axes"), x.rank()); !axes.ok())
      return axes.status();
  return std::vector<Type>{x.withDType(promoteToFloat(x.dtype()))};
}

//===--- derivatives --------------------------------------------------------------===//

/// `v`, which is like x, joined along the rows.
Variable overRows(const Op &op, const Variable &v) {
  return sum(v, {.axes = Axes(axesOf(op.attributes(), v.rank())), .keepDims = true});
}

/// The Jacobian of softmax is symmetric: one formula for both directions.
Variables alongSoftmax(const Op &op, Inputs, Outputs out, Gradients v) {
  if (!isPresent(v[0]))
    return {v[0]};
  return {out[0] * (v[0] - overRows(op, v[0] * out[0]))};
}

Variables logSoftmaxPullback(const Op &op, Inputs, Outputs out, Gradients g) {
  return {g[0] - exp(out[0]) * overRows(op, g[0])};
}

Variables logSoftmaxPushforward(const Op &op, Inputs, Outputs out, Tangents t) {
  if (!isPresent(t[0]))
    return {t[0]};
  return {t[0] - overRows(op, exp(out[0]) * t[0])};
}

OpDef softmaxLike(std::string name, std::string doc, EmitRule emit, PullbackRule pullback,
                  PushforwardRule pushforward, std::string family, std::string example) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .operands = {{"x"}},
          .attributes = {{.name = "axes",
                          .kind = AttributeKind::Ints,
                          .defaultValue = IntList{-1},
                          .acceptsNone = true,
                          .doc = "axes of one distribution; none: all"}},
          .type = softmaxType,
          .emit = std::move(emit),
          .pullback = std::move(pullback),
          .pushforward = std::move(pushforward),
          .elements = Elements::Rows,
          .maxUlp = {-1, -1},
          .golden = {std::move(family)},
          .section = section(kReductions),
          .example = std::move(example)};
}

} // namespace

std::vector<OpDef> softmaxOps() {
  return {
      softmaxLike("softmax",
                  "exp(x - max) / sum(exp(x - max)) over axes.\n-inf gives 0; all -inf, an inf or "
                  "a NaN give NaN. The maximum is subtracted, so nothing overflows.",
                  softmaxEmission, alongSoftmax, alongSoftmax, "softmax",
                  "softmax([0.0, 0.0, -inf]) = [0.5, 0.5, 0.0]"),
      softmaxLike("logSoftmax",
                  "The logarithm of softmax: x - max - log(sum(exp(x - max))).\nFinite where "
                  "softmax underflows.",
                  logSoftmaxEmission, logSoftmaxPullback, logSoftmaxPushforward, "log_softmax",
                  "logSoftmax([0.0, -1000.0]) = [0.0, -1000.0]"),
  };
}

} // namespace graphc
