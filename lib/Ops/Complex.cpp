//===- Complex.cpp - making complex numbers and taking them apart ---------===//
#include "Build.h"
#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

/// Of real operands: what a complex one with imaginary part 0 gives.
OpDef ofParts(std::string name, std::string doc, Result result, MapBody body, Partial partial,
              std::string example) {
  return withPartials({.name = name,
                       .doc = std::move(doc),
                       .operands = {{"x"}},
                       .type = elementwise(result),
                       .emit = mapRaw(std::move(body)),
                       .maxUlp = name == "angle" ? MaxUlp{0.51, 2.2} : MaxUlp{},
                       .golden = {name},
                       .section = section(kComplex),
                       .example = std::move(example)},
                      {std::move(partial)});
}

TypesOr complexType(const TypeRequest &request) {
  for (size_t i = 0; i < request.size(); ++i)
    if (isComplex(request.type(i).dtype()))
      return makeError(ErrorKind::TypeError, "the parts of a complex number are real");
  auto types = elementwise(Result::Floating)(request);
  if (types.ok())
    (*types)[0] = (*types)[0].withDType(complexDType((*types)[0].dtype()));
  return types;
}

Arrays complexEmission(Emitter &e, const Arrays &in, const Attributes &) {
  DType part = realDType(e.resultType(0).dtype());
  auto partOf = [&](size_t i) {
    return e.map(in, [&](const Scalars &s) { return cast(s[i], part); });
  };
  Array re = partOf(0), im = partOf(1);
  return {e.complex(re, im)};
}

Variables complexPullback(const Op &, Inputs, Outputs, Gradients g) {
  return {real(g[0]), imag(g[0])};
}

Variables complexPushforward(const Op &, Inputs in, Outputs, Tangents t) {
  if (!isPresent(t[0]) && !isPresent(t[1]))
    return {t[0].type().isTensor() ? t[0] : t[1]};
  return {complex(tangentOrZeros(t[0], in[0]), tangentOrZeros(t[1], in[1]))};
}

OpDef complexOp() {
  OpDef def = {.name = "complex",
               .doc = "The complex numbers re + i im.\ncomplex64 of operands whose promotion is a "
                      "float of 32 bits or less (bools and integers become floats first), else "
                      "complex128.",
               .operands = {{"re"}, {"im"}},
               .type = complexType,
               .emit = complexEmission,
               .pullback = complexPullback,
               .pushforward = complexPushforward,
               .elements = Elements::Elementwise,
               .golden = {"complex"},
               .section = section(kComplex),
               .example = "complex([1.0, 2.0], [-1.0, 0.5]) = [1-1j, 2+0.5j]"};
  def.complex.isNative = true;
  return def;
}

} // namespace

std::vector<OpDef> complexOps() {
  return {
      complexOp(),
      ofParts(
          "conj", "The conjugate: the imaginary part with the other sign.\nA real x as it is.",
          Result::Promoted, [](Emitter &, const Scalars &s, const Attributes &) { return s[0]; },
          [](const Variable &direction, const Point &) { return conj(direction); },
          "conj([1.5, -2.0]) = [1.5, -2.0]"),
      ofParts(
          "real", "The real part.\nA real x as it is.", Result::Promoted,
          [](Emitter &, const Scalars &s, const Attributes &) { return s[0]; },
          [](const Variable &direction, const Point &p) {
            return isComplex(direction.dtype()) && !isComplex(p.y.dtype()) ? real(direction)
                                                                           : direction;
          },
          "real([1.5, -2.0]) = [1.5, -2.0]"),
      ofParts(
          "imag", "The imaginary part.\n0 of a real x.", Result::Promoted,
          [](Emitter &e, const Scalars &s, const Attributes &) {
            return e.literal(s[0].dtype(), 0);
          },
          [](const Variable &direction, const Point &p) -> Variable {
            if (!isComplex(p.in[0].dtype()))
              return zeroDerivative();
            if (isComplex(direction.dtype())) // a tangent
              return imag(direction);
            return complex(second(direction, constant(Tensor(0.0).cast(direction.dtype()))),
                           direction);
          },
          "imag([1.5, -2.0]) = [0.0, 0.0]"),
      ofParts(
          "angle",
          "The angle from the positive real axis, in (-pi, pi].\nOf a real x, 0 or pi. The "
          "gradient at 0 is NaN, as arctan2's.",
          Result::Floating,
          [](Emitter &e, const Scalars &s, const Attributes &) {
            DType dtype = e.resultType(0).dtype();
            Scalar x = cast(s[0], computeDType(dtype));
            return cast(apply(ScalarOp::ArcTan2, {e.literal(x.dtype(), 0), x}), dtype);
          },
          Partial::zero(), "angle([2.0, -2.0]) = [0.0, 3.14159265]"),
  };
}

Variable conj(const Operand &x) { return build(builtin("conj"), {x}); }
Variable real(const Operand &x) { return build(builtin("real"), {x}); }
Variable imag(const Operand &x) { return build(builtin("imag"), {x}); }
Variable angle(const Operand &x) { return build(builtin("angle"), {x}); }
Variable complex(const Operand &re, const Operand &im) {
  return build(builtin("complex"), {re, im});
}

} // namespace graphc
