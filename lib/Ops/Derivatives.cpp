//===- Derivatives.cpp - what pullbacks and pushforwards share -------------===//
#include "Derivatives.h"

#include <numeric>

#include "Build.h"

namespace graphc {

//===--- Zero -------------------------------------------------------------------===//

Variable zeroDerivative() {
  static const Constant &zero = *new Constant(constant(0.0));
  return zero;
}

bool isZeroDerivative(const Variable &v) {
  std::optional<Constant> c = Constant::from(v);
  return c && v.rank() == 0 && c->data() == Tensor(0.0);
}

bool isPresent(const Variable &v) { return v.type().isTensor() && !isZeroDerivative(v); }

//===--- Elementwise ------------------------------------------------------------===//

/// As an operand of a choice, whatever the condition's dtype is.
static Variable zeroOf(DType dtype) { return Constant::adopt(Tensor(0.0).cast(dtype)); }

Partial Partial::over(Formula divisor) {
  return Partial([divisor = std::move(divisor)](const Variable &direction, const Point &point) {
    return direction / divisor(point);
  });
}

Partial Partial::where(Formula condition) {
  return Partial([condition = std::move(condition)](const Variable &direction, const Point &point) {
    return graphc::where(condition(point), direction, zeroOf(direction.dtype()));
  });
}

Partial Partial::unless(Formula condition) {
  return Partial([condition = std::move(condition)](const Variable &direction, const Point &point) {
    return graphc::where(condition(point), zeroOf(direction.dtype()), direction);
  });
}

Variable Partial::times(const Variable &direction, const Point &point) const {
  switch (kind_) {
  case Kind::Product:
    return product_(direction, point);
  case Kind::One:
    return direction;
  case Kind::MinusOne:
    return -direction;
  case Kind::Zero:
    return zeroDerivative();
  case Kind::None:
    return Variable(Type::disconnected());
  case Kind::Undefined:
    return Variable(Type::null(reason_));
  }
  return {};
}

Variable inDType(const Variable &v, DType dtype) { return v.dtype() == dtype ? v : cast(v, dtype); }

namespace {

/// Both rules of an elementwise op.
struct ElementwiseRules {
  std::function<Partials(const Point &)> partials;

  template <class F> void at(const Op &op, Inputs in, Outputs out, F each) const {
    Variables x;
    x.reserve(in.size());
    for (const Variable &operand : in)
      x.push_back(inDType(operand, out[0].dtype()));
    Point point{op, in, x, out[0]};
    Partials derivatives = partials(point);
    for (size_t i = 0; i < in.size(); ++i)
      each(point, i, derivatives[i]);
  }

  Variables pullback(const Op &op, Inputs in, Outputs out, Gradients g) const {
    Variables results;
    at(op, in, out, [&](const Point &point, size_t, const Partial &derivative) {
      results.push_back(derivative.times(g[0], point));
    });
    return results;
  }

  Variables pushforward(const Op &op, Inputs in, Outputs out, Tangents t) const {
    std::vector<Operand> terms;
    std::optional<Variable> null;
    bool depends = false;
    at(op, in, out, [&](const Point &point, size_t i, const Partial &derivative) {
      if (t[i].type().kind() == Type::Kind::Disconnected || derivative.isNone())
        return;
      depends = true;
      if (isZeroDerivative(t[i]))
        return;
      Variable direction = t[i].type().isTensor() ? inDType(t[i], out[0].dtype()) : t[i];
      Variable term = direction.type().isTensor() ? derivative.times(direction, point) : direction;
      if (term.type().kind() == Type::Kind::Null)
        null = term;
      else if (!isZeroDerivative(term))
        terms.push_back(term);
    });
    if (null)
      return {*null};
    if (terms.empty())
      return {depends ? zeroDerivative() : Variable(Type::disconnected())};
    return {terms.size() == 1 ? terms[0].variable() : build(builtin("add"), terms)};
  }
};

} // namespace

OpDef withPartials(OpDef def, std::function<Partials(const Point &)> partials) {
  def.elements = Elements::Elementwise;
  ElementwiseRules rules{std::move(partials)};
  def.pullback = [rules](const Op &op, Inputs in, Outputs out, Gradients g) {
    return rules.pullback(op, in, out, g);
  };
  def.pushforward = [rules](const Op &op, Inputs in, Outputs out, Tangents t) {
    return rules.pushforward(op, in, out, t);
  };
  return def;
}

OpDef withPartials(OpDef def, Partials partials) {
  for (const Partial &partial : partials)
    def.connection.push_back({!partial.isNone()});
  return withPartials(std::move(def),
                      [partials = std::move(partials)](const Point &) { return partials; });
}

//===--- Others -----------------------------------------------------------------===//

OpDef withoutDerivative(OpDef def, std::string reason) {
  def.pullback = [reason](const Op &, Inputs in, Outputs, Gradients) {
    return Variables(in.size(), Variable(Type::null(reason)));
  };
  def.pushforward = [reason](const Op &, Inputs, Outputs out, Tangents) {
    return Variables(out.size(), Variable(Type::null(reason)));
  };
  return def;
}

Variable sumOverTangents(Tangents t, absl::Span<const size_t> operands,
                         const std::function<Variable(size_t operand)> &term) {
  Variable sum(Type::disconnected());
  for (size_t i : operands) {
    if (t[i].type().kind() == Type::Kind::Null)
      return t[i];
    if (isPresent(t[i]))
      sum = isPresent(sum) ? sum + term(i) : term(i);
    else if (t[i].type().isTensor() && !sum.type().isTensor())
      sum = t[i]; // zero
  }
  return sum;
}

PushforwardRule multilinear(size_t count) {
  return [count](const Op &op, Inputs in, Outputs, Tangents t) -> Variables {
    std::vector<size_t> first(std::min(count, t.size()));
    std::iota(first.begin(), first.end(), size_t(0));
    return {sumOverTangents(t, first, [&](size_t i) {
      std::vector<Operand> operands(in.begin(), in.end());
      operands[i] = t[i];
      return build(op, operands);
    })};
  };
}

Variable tangentOrZeros(const Variable &t, const Variable &x) {
  DType dtype = isFloat(x.dtype()) ? x.dtype() : DType::Float64;
  return isPresent(t) ? t : second(x, constant(Tensor(0.0).cast(dtype)));
}

PushforwardRule linearIn(size_t count) {
  return [count](const Op &op, Inputs in, Outputs out, Tangents t) -> Variables {
    size_t n = std::min(count, t.size());
    Variable other(Type::disconnected());
    bool any = false;
    for (size_t i = 0; i < n; ++i) {
      if (t[i].type().kind() == Type::Kind::Null)
        return {t[i]};
      any |= isPresent(t[i]);
      if (t[i].type().isTensor())
        other = t[i]; // zero
    }
    if (!any)
      return {other};
    std::vector<Operand> operands(in.begin(), in.end());
    for (size_t i = 0; i < n; ++i)
      operands[i] = inDType(tangentOrZeros(t[i], in[i]), out[0].dtype());
    return {build(op, operands)};
  };
}

//===--- Shapes -----------------------------------------------------------------===//

Variable withOnesOf(const Variable &v, const Variable &like) {
  std::vector<int64_t> known; // made where something is to be said, which is seldom
  for (int axis = 0; axis < std::min(v.rank(), like.rank()); ++axis)
    if (like.type().broadcastable(axis) && !v.type().broadcastable(axis)) {
      known.resize(size_t(v.rank()), kDynamic);
      known[size_t(axis)] = 1;
    }
  return known.empty() ? v : specifyShape(v, known);
}

Variable unbroadcast(const Variable &term, const Variable &like) {
  int leading = term.rank() - like.rank();
  if (leading < 0)
    return term;
  std::vector<int> outer, inner, kept;
  for (int axis = 0; axis < term.rank(); ++axis) {
    if (axis < leading)
      outer.push_back(axis);
    else if (like.type().broadcastable(axis - leading) && !term.type().broadcastable(axis))
      inner.push_back(axis);
    if (axis >= leading)
      kept.push_back(axis);
  }
  auto joined = [&](const std::vector<int> &axes, bool keepDims) {
    ReductionOptions options{.axes = Axes(axes), .keepDims = keepDims};
    return term.dtype() == DType::Bool ? any(term, options) : sum(term, options);
  };
  if (inner.empty())
    return outer.empty() ? term : joined(outer, false);
  if (outer.empty())
    return joined(inner, true);
  outer.insert(outer.end(), inner.begin(), inner.end());
  return dimshuffle(joined(outer, true), kept);
}

} // namespace graphc
