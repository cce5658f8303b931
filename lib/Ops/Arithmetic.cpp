//===- Arithmetic.cpp - elementwise arithmetic -----------------------------===//
#include <algorithm>
#include <limits>
#include <numbers>

#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

std::vector<OperandSpec> xy() { return {{"x"}, {"y"}}; }

/// Bool arithmetic is logic (F-013).
EmitRule mapOrLogic(ScalarOp op, ScalarOp onBool) {
  return [=](Emitter &e, const Arrays &in, const Attributes &attributes) {
    return mapTo(isBool(e.resultType(0).dtype()) ? onBool : op)(e, in, attributes);
  };
}

/// How many of `n` operands, joined from left to right, one nest joins: kMaxJoined, or somewhat
/// less where all nests are equal then, which are one kernel.
size_t joinedAtOnce(size_t n) {
  for (size_t count = kMaxJoined; count > kMaxJoined / 2 && n > kMaxJoined; --count)
    if ((n - 1) % (count - 1) == 0)
      return count;
  return kMaxJoined;
}

/// Joins any number of operands from left to right, some in a nest.
EmitRule mapChain(ScalarOp op, ScalarOp onBool) {
  return [=](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    DType dtype = e.resultType(0).dtype();
    auto chain = [&](const Scalars &s) {
      Scalar joined = cast(s[0], dtype);
      for (size_t i = 1; i < s.size(); ++i)
        joined = apply(isBool(dtype) ? onBool : op, {joined, cast(s[i], dtype)});
      return joined;
    };
    if (in.size() > kMaxJoined)
      e.broadcastShape(in); // its messages count the axes of the result, not of a part
    Array joined = in[0];
    size_t next = 1, count = joinedAtOnce(in.size());
    do {
      size_t end = std::min(in.size(), next + count - 1);
      Arrays part = {joined};
      part.insert(part.end(), in.begin() + next, in.begin() + end);
      joined = e.map(part, chain);
      next = end;
    } while (next < in.size());
    return {joined};
  };
}

/// F-010: integers divide as float64.
TypesOr trueDivType(const TypeRequest &request) {
  auto types = elementwise(Result::Promoted)(request);
  if (types.ok() && !isFloat((*types)[0].dtype()))
    (*types)[0] = (*types)[0].withDType(DType::Float64);
  return types;
}

TypesOr powType(const TypeRequest &request) {
  auto types = elementwise(Result::Promoted)(request);
  if (types.ok() && isBool((*types)[0].dtype()))
    (*types)[0] = (*types)[0].withDType(DType::Int8);
  return types;
}

/// P of the second and third operand; the shape of all.
TypesOr switchType(const TypeRequest &request) {
  auto types = elementwise(Result::Promoted)(request);
  if (!types.ok())
    return types;
  DType dtype = promote(request.type(1).dtype(), request.type(2).dtype());
  return std::vector<Type>{(*types)[0].withDType(dtype)};
}

TypesOr secondType(const TypeRequest &request) {
  auto types = elementwise(Result::Promoted)(request);
  if (!types.ok())
    return types;
  return std::vector<Type>{(*types)[0].withDType(request.type(1).dtype())};
}

//===--- derivatives ------------------------------------------------------------===//

/// Of a product: for each operand the others, those in front of it times those behind, which takes
/// three products an operand.
Partials productsOfOthers(const Point &p) {
  size_t n = p.x.size();
  Variables behind(n);
  for (size_t i = n; i-- > 1;)
    behind[i - 1] = i + 1 == n ? p.x[i] : p.x[i] * behind[i];
  Partials partials;
  Variable front;
  for (size_t i = 0; i < n; ++i) {
    Variable others = i == 0 ? behind[i] : i + 1 == n ? front : front * behind[i];
    partials.push_back(n == 1 ? Partial::one()
                              : Partial([others](const Point &) { return others; }));
    front = i == 0 ? p.x[i] : front * p.x[i];
  }
  return partials;
}

/// y * x ** (y - 1), and 0 where y is 0, whatever x ** -1 is.
Variable powerByBase(const Point &p) {
  Variable power = pow(p.x[0], p.x[1] - 1.0);
  Variable isConstant = logicalAnd(eq(p.x[1], 0.0), logicalNot(isfinite(power)));
  return where(isConstant, 0.0, p.x[1] * power);
}

/// x ** y * log(x), and 0 where x is 0 and y is not below.
Variable powerByExponent(const Point &p) {
  Variable isFlat = logicalAnd(eq(p.x[0], 0.0), p.x[1] >= 0.0);
  return where(isFlat, 0.0, p.y * log(p.x[0]));
}

/// Of a maximum or minimum: ties go to the first operand, NaN to the second.
Variable isFirst(const Point &p) { return eq(p.y, p.x[0]); }

/// x / hypot(x, y), and 0 at the origin.
Partial hypotBy(size_t i) {
  return [i](const Point &p) { return p.x[i] / where(eq(p.y, 0.0), 1.0, p.y); };
}

//===--- ops --------------------------------------------------------------------===//

/// maximum or minimum: one of the operands.
OpDef extremum(std::string name, std::string doc, EmitRule emit, std::string example) {
  return withPartials({.name = name,
                       .doc = std::move(doc),
                       .operands = xy(),
                       .type = elementwise(Result::Promoted),
                       .emit = std::move(emit),
                       .golden = {name},
                       .section = section(kArithmetic),
                       .example = std::move(example)},
                      {Partial::where(isFirst), Partial::unless(isFirst)});
}

std::vector<OpDef> binaryOps() {
  return {
      withPartials({.name = "add",
                    .doc =
                        "Sum of the operands, from left to right.\n"
                        "Integers wrap; on bool it is logical or. inf - inf is NaN; -0 + -0 is -0.",
                    .operands = {{"terms"}},
                    .variadic = true,
                    .minOperands = 1,
                    .type = elementwise(Result::Promoted),
                    .emit = mapChain(ScalarOp::Add, ScalarOp::Or),
                    .golden = {"add"},
                    .section = section(kArithmetic),
                    .example = "add([1, 2], 0.5) = [1.5, 2.5]"},
                   [](const Point &p) { return Partials(p.x.size(), Partial::one()); }),
      withPartials({.name = "sub",
                    .doc = "x - y.\nIntegers wrap; bool operands are refused (TypeError).",
                    .operands = xy(),
                    .type = elementwise(Result::Promoted, Accept::NotBool),
                    .emit = mapTo(ScalarOp::Sub),
                    .golden = {"sub"},
                    .section = section(kArithmetic),
                    .example = "sub([3, 5], [1, 7]) = [2, -2]"},
                   {Partial::one(), Partial::minusOne()}),
      withPartials({.name = "mul",
                    .doc = "Product of the operands, from left to right.\n"
                           "Integers wrap; on bool it is logical and. 0 * inf is NaN.",
                    .operands = {{"factors"}},
                    .variadic = true,
                    .minOperands = 1,
                    .type = elementwise(Result::Promoted),
                    .emit = mapChain(ScalarOp::Mul, ScalarOp::And),
                    .golden = {"mul"},
                    .section = section(kArithmetic),
                    .example = "mul([1.5, -2.0], [2.0, 4.0]) = [3.0, -8.0]"},
                   productsOfOthers),
      withPartials(
          {.name = "trueDiv",
           .doc =
               "x / y as a float; two integers or bools divide as float64, whatever their width.\n"
               "x / 0 is an infinity, 0 / 0 is NaN.",
           .operands = xy(),
           .type = trueDivType,
           .emit = mapTo(ScalarOp::Div),
           .golden = {"true_div"},
           .section = section(kArithmetic),
           .example = "trueDiv([1, 3], 2) = [0.5, 1.5]"},
          {Partial::over([](const Point &p) { return p.x[1]; }),
           [](const Point &p) { return -(p.y / p.x[1]); }}),
      withPartials(
          {.name = "intDiv",
           .doc = "The floor of x / y.\n"
                  "Integers: x // 0 is 0, the least value // -1 is itself. Floats as NumPy's floor "
                  "division, (x - mod(x, y)) / y rounded: x // 0 is an infinity or NaN.",
           .operands = xy(),
           .type = elementwise(Result::Promoted),
           .emit = mapOrLogic(ScalarOp::IntDiv, ScalarOp::And),
           .maxUlp = {.f32 = 0.51, .f64 = 0},
           .golden = {"int_div"},
           .section = section(kArithmetic),
           .example = "intDiv([7, -7, 7], [2, 2, 0]) = [3, -4, 0]"},
          {Partial::zero(), Partial::zero()}),
      withPartials(
          {.name = "mod",
           .doc =
               "x - floor(x / y) * y, with the sign of y.\n"
               "Integers: x % 0 is 0. Floats: x % 0 is NaN, x % inf is x or, if the signs differ, "
               "an infinity of y's sign; a zero has y's sign.",
           .operands = xy(),
           .type = elementwise(Result::Promoted),
           .emit = mapRaw([](Emitter &e, const Scalars &s, const Attributes &) {
             DType dtype = e.resultType(0).dtype();
             if (isBool(dtype)) // x % true and x % false are both 0
               return e.literal(DType::Bool, 0);
             return mod(cast(s[0], dtype), cast(s[1], dtype));
           }),
           .golden = {"mod"},
           .section = section(kArithmetic),
           .example = "mod([7, -7, 7], [3, 3, 0]) = [1, 2, 0]"},
          {Partial::one(), [](const Point &p) { return -intDiv(p.x[0], p.x[1]); }}),
      withPartials(
          {.name = "pow",
           .doc = "x to the power of y.\n"
                  "x ** 0 and 1 ** y are 1 even for NaN; a negative base with a fraction is NaN. "
                  "Integers wrap; negative integer powers truncate 1 / x ** n, and are 0 at x = 0. "
                  "bool ** bool is int8.",
           .operands = xy(),
           .type = powType,
           .emit = mapTo(ScalarOp::Pow),
           .maxUlp = {.f32 = 0.51, .f64 = 2.7},
           .golden = {"pow"},
           .section = section(kArithmetic),
           .example = "pow([2.0, 9.0, -8.0], [3.0, 0.5, 2.0]) = [8.0, 3.0, 64.0]"},
          {powerByBase, powerByExponent}),
      extremum("maximum",
               "The larger operand.\nNaN if either is; +0 is larger than -0, in any order (IEEE "
               "754-2019).",
               mapOrLogic(ScalarOp::Maximum, ScalarOp::Or),
               "maximum([1.0, nan], [2.0, 0.0]) = [2.0, nan]"),
      extremum("minimum",
               "The smaller operand.\nNaN if either is; -0 is smaller than +0, in any order (IEEE "
               "754-2019).",
               mapOrLogic(ScalarOp::Minimum, ScalarOp::And),
               "minimum([1.0, nan], [2.0, 0.0]) = [1.0, nan]"),
      withPartials(
          {.name = "copysign",
           .doc = "The magnitude of x with the sign of y.",
           .operands = xy(),
           .type = elementwise(Result::Floating),
           .emit = mapTo(ScalarOp::CopySign),
           .golden = {"copysign"},
           .section = section(kArithmetic),
           .example = "copysign([1.0, -2.0], [-0.0, 3.0]) = [-1.0, 2.0]"},
          {[](const Point &p) { return sgn(p.x[0]) * copysign(1.0, p.x[1]); }, Partial::zero()}),
      withoutDerivative(
          {.name = "nextafter",
           .doc = "The next number after x towards y.\nNaN if either is; y where they are equal.",
           .operands = xy(),
           .type = elementwise(Result::Floating),
           .emit = mapTo(ScalarOp::NextAfter),
           .golden = {"nextafter"},
           .section = section(kArithmetic),
           .example = "nextafter(0.0, 1.0) = 5e-324"},
          "nextafter steps from number to number"),
      withPartials({.name = "hypot",
                    .doc = "sqrt(x * x + y * y) without overflow.\nAn infinity wins over NaN.",
                    .operands = xy(),
                    .type = elementwise(Result::Floating),
                    .emit = mapTo(ScalarOp::Hypot),
                    .maxUlp = {.f32 = 0.51, .f64 = 0.51},
                    .golden = {"hypot"},
                    .section = section(kArithmetic),
                    .example = "hypot(3.0, 4.0) = 5.0"},
                   {hypotBy(0), hypotBy(1)}),
      withPartials(
          {.name = "second",
           .doc = "y, broadcast to the shape that x and y have together.",
           .operands = xy(),
           .type = secondType,
           .emit = mapRaw([](Emitter &, const Scalars &s, const Attributes &) { return s[1]; }),
           .golden = {"second", "zeros_like", "ones_like"},
           .section = section(kArithmetic),
           .example = "second([1, 2], 7.0) = [7.0, 7.0]"},
          {Partial::none(), Partial::one()}),
  };
}

std::vector<OpDef> ternaryOps() {
  return {
      withPartials({.name = "clip",
                    .doc = "x < low ? low : x > high ? high : x.\nNaN in x stays.",
                    .operands = {{"x"}, {"low"}, {"high"}},
                    .type = elementwise(Result::Promoted),
                    .emit = mapRaw([](Emitter &e, const Scalars &s, const Attributes &) {
                      DType dtype = e.resultType(0).dtype();
                      Scalar x = cast(s[0], dtype), low = cast(s[1], dtype),
                             high = cast(s[2], dtype);
                      return select(x < low, low, select(x > high, high, x));
                    }),
                    .golden = {"clip"},
                    .section = section(kArithmetic),
                    .example = "clip([-3, 0, 9], -1, 1) = [-1, 0, 1]"},
                   {Partial::where([](const Point &p) {
                      return logicalAnd(p.x[0] >= p.x[1], p.x[0] <= p.x[2]);
                    }),
                    Partial::where([](const Point &p) { return p.x[0] < p.x[1]; }),
                    Partial::where([](const Point &p) {
                      return logicalAnd(p.x[0] >= p.x[1], p.x[0] > p.x[2]);
                    })}),
      withPartials(
          {.name = "switch",
           .doc = "x where the condition is true (not 0; NaN is true), else y. `where` in C++.",
           .operands = {{"condition"}, {"x"}, {"y"}},
           .type = switchType,
           .emit = mapRaw([](Emitter &e, const Scalars &s, const Attributes &) {
             DType dtype = e.resultType(0).dtype();
             return select(cast(s[0], DType::Bool), cast(s[1], dtype), cast(s[2], dtype));
           }),
           .golden = {"switch", "where1"},
           .section = section(kArithmetic),
           .example = "switch([true, false], [1, 2], 0) = [1, 0]"},
          {Partial::zero(), Partial::where([](const Point &p) { return p.in[0]; }),
           Partial::unless([](const Point &p) { return p.in[0]; })}),
      withPartials({.name = "fma",
                    .doc = "x * y + z with one rounding.",
                    .operands = {{"x"}, {"y"}, {"z"}},
                    .type = elementwise(Result::Floating),
                    .emit = mapTo(ScalarOp::Fma),
                    .golden = {"fma"},
                    .section = section(kArithmetic),
                    .example = "fma(2.0, 3.0, 4.0) = 10.0"},
                   {[](const Point &p) { return p.x[1]; }, [](const Point &p) { return p.x[0]; },
                    Partial::one()}),
  };
}

/// An op of one operand of any dtype that keeps the dtype.
OpDef keeping(std::string name, std::string doc, Accept accept, MapBody body, Partial partial,
              std::string example) {
  std::string family = name;
  return withPartials({.name = std::move(name),
                       .doc = std::move(doc),
                       .operands = {{"x"}},
                       .type = elementwise(Result::Promoted, accept),
                       .emit = mapRaw(std::move(body)),
                       .golden = {family},
                       .section = section(kArithmetic),
                       .example = std::move(example)},
                      {std::move(partial)});
}

/// An op of one operand whose result is a float.
OpDef floating(std::string name, std::string doc, MapBody body, MaxUlp maxUlp, Partial partial,
               std::string example) {
  std::string family = name;
  return withPartials({.name = std::move(name),
                       .doc = std::move(doc),
                       .operands = {{"x"}},
                       .type = elementwise(Result::Floating),
                       .emit = mapWith(std::move(body)),
                       .maxUlp = maxUlp,
                       .golden = {family},
                       .section = section(kArithmetic),
                       .example = std::move(example)},
                      {std::move(partial)});
}

/// The constant is off by half a unit, which can be one of the product's; its rounding is another
/// half.
constexpr MaxUlp kTimesConstant = {1.5, 1.5};

std::vector<OpDef> unaryOps() {
  return {
      keeping(
          "neg", "-x.\nIntegers wrap; bool is refused (TypeError).", Accept::NotBool,
          [](Emitter &, const Scalars &s, const Attributes &) { return -s[0]; },
          Partial::minusOne(), "neg([1.5, -2.0]) = [-1.5, 2.0]"),
      keeping(
          "abs", "Magnitude of x.\nThe least signed integer stays.", Accept::Any,
          [](Emitter &, const Scalars &s, const Attributes &) {
            bool magnitude = isSignedInt(s[0].dtype()) || isFloat(s[0].dtype());
            return magnitude ? abs(s[0]) : s[0];
          },
          [](const Point &p) { return sgn(p.x[0]); }, "abs([-3, 2]) = [3, 2]"),
      keeping(
          "sgn", "-1, 0 or 1.\nNaN stays; both zeros give 0; bool is refused (TypeError).",
          Accept::NotBool,
          [](Emitter &, const Scalars &s, const Attributes &) {
            if (isUnsignedInt(s[0].dtype()))
              return cast(notEqualTo(s[0], 0.0), s[0].dtype());
            return apply(ScalarOp::Sgn, {s[0]});
          },
          Partial::zero(), "sgn([-3.0, 0.0, 2.0]) = [-1.0, 0.0, 1.0]"),
      keeping(
          "sqr", "x * x.\nIntegers wrap.", Accept::Any,
          [](Emitter &, const Scalars &s, const Attributes &) {
            return isBool(s[0].dtype()) ? s[0] : s[0] * s[0];
          },
          [](const Point &p) { return p.x[0] * 2.0; }, "sqr([-3, 2]) = [9, 4]"),
      floating(
          "sqrt", "Square root, correctly rounded.\nx < 0 gives NaN, -0 stays.",
          [](Emitter &, const Scalars &s, const Attributes &) { return sqrt(s[0]); }, {0, 0},
          Partial::over([](const Point &p) { return p.y * 2.0; }),
          "sqrt([4.0, 2.25]) = [2.0, 1.5]"),
      floating(
          "rsqrt", "1 / sqrt(x).\n0 gives inf, -0 gives -inf, inf gives 0.",
          [](Emitter &, const Scalars &s, const Attributes &) {
            return apply(ScalarOp::Rsqrt, {s[0]});
          },
          {0.51, 1.5}, [](const Point &p) { return p.y / (p.x[0] * -2.0); },
          "rsqrt([4.0, 0.25]) = [0.5, 2.0]"),
      floating(
          "cbrt", "Cube root, odd.",
          [](Emitter &, const Scalars &s, const Attributes &) {
            return apply(ScalarOp::Cbrt, {s[0]});
          },
          {0.51, 0.55}, Partial::over([](const Point &p) { return sqr(p.y) * 3.0; }),
          "cbrt([-8.0, 27.0]) = [-2.0, 3.0]"),
      floating(
          "reciprocal", "1 / x, correctly rounded.\nA zero gives the infinity of its sign.",
          [](Emitter &, const Scalars &s, const Attributes &) { return 1.0 / s[0]; }, {0, 0},
          [](const Point &p) { return -sqr(p.y); }, "reciprocal([4.0, -0.5]) = [0.25, -2.0]"),
      floating(
          "deg2rad", "x * pi / 180.",
          [](Emitter &, const Scalars &s, const Attributes &) {
            return s[0] * (std::numbers::pi / 180);
          },
          kTimesConstant,
          [](const Variable &direction, const Point &) { return deg2rad(direction); },
          "deg2rad(180.0) = 3.14159265"),
      floating(
          "rad2deg", "x * 180 / pi.",
          [](Emitter &, const Scalars &s, const Attributes &) {
            return s[0] * (180 / std::numbers::pi);
          },
          kTimesConstant,
          [](const Variable &direction, const Point &) { return rad2deg(direction); },
          "rad2deg(1.0) = 57.2957795"),
      withPartials({.name = "identity",
                    .doc = "x itself; the result may share its memory.",
                    .operands = {{"x"}},
                    .type = elementwise(Result::Promoted),
                    .emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
                      return {e.view(in[0], e.shape(in[0]))};
                    },
                    .viewMap = {0},
                    .golden = {"identity"},
                    .section = section(kArithmetic),
                    .example = "identity([1, 2]) = [1, 2]"},
                   {Partial::one()}),
      keeping(
          "copy", "x in memory of its own.", Accept::Any,
          [](Emitter &, const Scalars &s, const Attributes &) { return s[0]; }, Partial::one(),
          "copy([1, 2]) = [1, 2]"),
  };
}

} // namespace

std::vector<OpDef> arithmeticOps() {
  std::vector<OpDef> ops = binaryOps();
  for (auto *more : {&ternaryOps, &unaryOps})
    for (OpDef &def : more())
      ops.push_back(std::move(def));
  return ops;
}

} // namespace graphc
