//===- Special.cpp - special functions ----------------------------------------===//
#include "graphc/Special.h"

#include <limits>
#include <numbers>

#include "Build.h"
#include "CallScope.h"
#include "Derivatives.h"
#include "Families.h"
#include "Graph/CalledAs.h"
#include "Routines/Special.h"
#include "Rules.h"
#include "SpecialBodies.h"

namespace graphc {
namespace {

/// The greatest order of polygamma: its values' factorials end at 170.
constexpr int kMaxOrder = 100;

//===--- emission -----------------------------------------------------------------===//

/// By a routine on float64 vectors; what is one number for all elements stays one.
EmitRule bySpecial(const Routine &routine, std::string parameter) {
  return [&routine, parameter](Emitter &e, const Arrays &in, const Attributes &a) -> Arrays {
    const DType dtype = e.resultType(0).dtype();
    const Extents shape = e.broadcastShape(in);
    std::vector<int64_t> parameters;
    if (!parameter.empty())
      parameters.push_back(a.integer(parameter));
    Extent length = e.size(1);
    for (Extent extent : shape)
      length = length * extent;
    Arrays vectors;
    for (size_t k = 0; k < in.size(); ++k) {
      bool isOne = e.rank(in[k]) == 0;
      Array wide = isOne ? castArray(e, in[k], DType::Float64)
                         : e.map(in, [&](const Scalars &s) { return cast(s[k], DType::Float64); });
      vectors.push_back(e.view(wide, {isOne ? e.size(1) : length}));
    }
    Arrays made = e.routine(routine, std::move(parameters), vectors, {{DType::Float64, {length}}});
    return {castArray(e, e.view(made[0], shape), dtype)};
  };
}

using Body = Scalar (*)(Emitter &e, Scalar x);

/// In float64, as code of the loops around.
EmitRule byBody(Body body) {
  return mapRaw([body](Emitter &e, const Scalars &s, const Attributes &) {
    return cast(body(e, cast(s[0], DType::Float64)), e.resultType(0).dtype());
  });
}

/// The same where x > 0; elsewhere by the routine, which passes over NaNs.
EmitRule byBodyAboveZero(Body body, EmitRule routine) {
  return [body, routine](Emitter &e, const Arrays &in, const Attributes &a) -> Arrays {
    const DType dtype = e.resultType(0).dtype();
    Array rest = e.map(in, [&](const Scalars &s) {
      Scalar x = cast(s[0], DType::Float64);
      return select(x > 0.0, e.literal(DType::Float64, std::numeric_limits<double>::quiet_NaN()),
                    x);
    });
    Array other = routine(e, {rest}, a)[0];
    return {e.map({in[0], other}, [&](const Scalars &s) {
      Scalar x = cast(s[0], DType::Float64);
      return cast(select(x > 0.0, body(e, x), cast(s[1], DType::Float64)), dtype);
    })};
  };
}

//===--- derivatives --------------------------------------------------------------===//

Partial noOrder() {
  return Partial::undefined("Bessel functions have no derivative by their order here");
}
Partial noSecond(std::string_view function) {
  return Partial::undefined(std::string(function) +
                            " has no second derivative by the parameters of the distribution");
}

Variable byShape(const Variable &a, const Variable &x) {
  return build(builtin("gammaincShape"), {a, x});
}
Variable byShape(const Variable &a, const Variable &b, const Variable &x, bool byB) {
  return build(builtin("betaincShape", {{"byB", int64_t(byB)}}), {a, b, x});
}

/// Half the sum of the neighbours' values, with these signs.
Variable neighbours(Variable (*function)(const Operand &, const Operand &), const Point &p,
                    double below, double above) {
  return function(p.x[0] - 1.0, p.x[1]) * below + function(p.x[0] + 1.0, p.x[1]) * above;
}

/// The derivative of y = exp(+-abs(x)) f(x), f' given with that factor.
Variable scaledSlope(const Variable &slope, const Variable &factor, const Point &p) {
  return slope + factor * p.y;
}

//===--- ops ----------------------------------------------------------------------===//

struct Special {
  std::string name, doc;
  std::vector<OperandSpec> operands;
  const Routine &routine;
  MaxUlp maxUlp;
  std::vector<std::string> golden;
  std::string example;
  Partials partials;
  std::vector<AttributeSpec> attributes = {};
};

OpDef defined(Special s) {
  OpDef def = {.name = std::move(s.name),
               .doc = std::move(s.doc),
               .operands = std::move(s.operands),
               .attributes = s.attributes,
               .type = elementwise(Result::Floating),
               .emit = bySpecial(s.routine, s.attributes.empty() ? "" : s.attributes[0].name),
               .maxUlp = s.maxUlp,
               .golden = std::move(s.golden),
               .section = section(kSpecial),
               .example = std::move(s.example)};
  return withPartials(std::move(def), std::move(s.partials));
}

OpDef polygammaDef() {
  Partial next([](const Point &p) {
    int64_t order = p.op.attributes().integer("order");
    return polygamma(int(order) + 1, p.x[0]);
  });
  OpDef def = defined(
      {"polygamma",
       "The derivative of the logarithm of the gamma function of order `order` + 1: "
       "digamma for 0, trigamma for 1.\n"
       "At 0, -1, -2, ...: inf for odd orders; for even ones NaN, and at 0 an infinity of the "
       "sign of -x.",
       {{"x"}},
       kPolygamma,
       {0.51, 4},
       {"digamma", "trigamma"},
       "polygamma(1.0) {order = 1} = 1.64493407",
       {next},
       {{.name = "order",
         .kind = AttributeKind::Int,
         .defaultValue = int64_t(0),
         .doc = "0 to 100"}}});
  def.type = [rule = def.type](const TypeRequest &request) -> TypesOr {
    int64_t order = request.attributes().integer("order");
    if (order < 0 || order > kMaxOrder)
      return makeError(ErrorKind::ValueError, "order is between 0 and " +
                                                  std::to_string(kMaxOrder) + ", not " +
                                                  std::to_string(order));
    return rule(request);
  };
  // digamma, which likelihoods' gradients have.
  def.emit = [general = def.emit, first = byBodyAboveZero(digammaBody, def.emit)](
                 Emitter &e, const Arrays &in, const Attributes &a) {
    return (a.integer("order") == 0 ? first : general)(e, in, a);
  };
  return def;
}

OpDef withBody(OpDef def, Body body, MaxUlp maxUlp) {
  def.emit = byBody(body);
  def.maxUlp = maxUlp;
  return def;
}

OpDef withBodyAboveZero(OpDef def, Body body, MaxUlp maxUlp) {
  def.emit = byBodyAboveZero(body, def.emit);
  def.maxUlp = maxUlp;
  return def;
}

std::vector<OpDef> gammaFunctions() {
  return {
      withBody(defined({"erfinv",
                        "The inverse of erf.\nAn infinity at -1 and 1, NaN outside.",
                        {{"x"}},
                        kErfinv,
                        {0.51, 1},
                        {"erfinv"},
                        "erfinv([0.5, 1.0]) = [0.476936276, inf]",
                        {[](const Point &p) {
                          return exp(sqr(p.y)) * (0.5 / std::numbers::inv_sqrtpi);
                        }}}),
               erfinvBody, {0.51, 4}),
      withBody(defined({"erfcinv",
                        "The inverse of erfc.\ninf at 0, -inf at 2, NaN outside.",
                        {{"x"}},
                        kErfcinv,
                        {0.51, 1},
                        {"erfcinv"},
                        "erfcinv([1e-100, 1.5]) = [15.065574703, -0.476936276]",
                        {[](const Point &p) {
                          return exp(sqr(p.y)) * (-0.5 / std::numbers::inv_sqrtpi);
                        }}}),
               erfcinvBody, {0.51, 4}),
      withBodyAboveZero(
          defined({"gammaln",
                   "The logarithm of the magnitude of the gamma function.\ninf at 0, -1, -2, ...",
                   {{"x"}},
                   kGammaln,
                   {0.51, 2},
                   {"gammaln"},
                   "gammaln([0.5, 10.0]) = [0.572364943, 12.801827480]",
                   {[](const Point &p) { return digamma(p.x[0]); }}}),
          gammalnBody, {0.51, 6}),
      defined(
          {"gamma",
           "The gamma function.\nAn infinity at -0 and 0, NaN at -1, -2, ...; inf beyond 171.62 "
           "(float64).",
           {{"x"}},
           kGamma,
           {0.51, 1},
           {"gamma"},
           "gamma([0.5, 5.0]) = [1.77245385, 24.0]",
           {[](const Point &p) { return p.y * digamma(p.x[0]); }}}),
      polygammaDef(),
      defined(
          {"beta",
           "Gamma(a) * Gamma(b) / Gamma(a + b).",
           {{"a"}, {"b"}},
           kBeta,
           {0.51, 1},
           {"beta"},
           "beta(2.0, 3.0) = 0.0833333333",
           {[](const Point &p) { return p.y * (digamma(p.x[0]) - digamma(p.x[0] + p.x[1])); },
            [](const Point &p) { return p.y * (digamma(p.x[1]) - digamma(p.x[0] + p.x[1])); }}}),
      defined({"betaln",
               "The logarithm of the magnitude of beta(a, b).",
               {{"a"}, {"b"}},
               kBetaln,
               {0.51, 2},
               {"betaln"},
               "betaln(1e6, 1e6) = -1386300.00336",
               {[](const Point &p) { return digamma(p.x[0]) - digamma(p.x[0] + p.x[1]); },
                [](const Point &p) { return digamma(p.x[1]) - digamma(p.x[0] + p.x[1]); }}}),
  };
}

std::vector<OpDef> incompleteFunctions() {
  Partial::Formula gammaSlope = [](const Point &p) { return gammaDensity(p.x[0], p.x[1]); };
  Partial::Formula gammaShape = [](const Point &p) { return byShape(p.x[0], p.x[1]); };
  // Where x is the result, its density divides.
  Partial::Formula atResult = [](const Point &p) { return gammaDensity(p.x[0], p.y); };
  auto negated = [](Partial::Formula formula) {
    return Partial([formula](const Point &p) { return -formula(p); });
  };
  auto betaShape = [](bool byB) {
    return Partial([byB](const Point &p) { return byShape(p.x[0], p.x[1], p.x[2], byB); });
  };
  auto inverseBetaShape = [](bool byB) {
    return Partial([byB](const Point &p) {
      return -byShape(p.x[0], p.x[1], p.y, byB) / betaDensity(p.x[0], p.x[1], p.y);
    });
  };
  return {
      defined({"gammainc",
               "The regularised lower incomplete gamma function P(a, x).\n"
               "0 where x is 0, 1 where a is 0; NaN for negative operands. By Boost, in the "
               "tails of a >= 1000 by the power series and the continued fraction, from a = 1e7 on "
               "by Temme's uniform expansion.",
               {{"a"}, {"x"}},
               kGammainc,
               {0.51, 4},
               {"gammainc"},
               "gammainc(2.0, 3.0) = 0.800851727",
               {Partial(gammaShape), Partial(gammaSlope)}}),
      defined({"gammaincc",
               "The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x), without "
               "cancellation.",
               {{"a"}, {"x"}},
               kGammaincc,
               {0.51, 4},
               {"gammaincc"},
               "gammaincc(2.0, 30.0) = 2.90086312034e-12",
               {negated(gammaShape), negated(gammaSlope)}}),
      defined({"gammaincinv",
               "The x for which gammainc(a, x) = p.\nNaN for a that is not positive.",
               {{"a"}, {"p"}},
               kGammaincinv,
               {0.51, 4},
               {"gammaincinv"},
               "gammaincinv(2.0, 0.5) = 1.67834699",
               {Partial([](const Point &p) {
                  return -byShape(p.x[0], p.y) / gammaDensity(p.x[0], p.y);
                }),
                Partial::over(atResult)}}),
      defined({"gammainccinv",
               "The x for which gammaincc(a, x) = p.\nNaN for a that is not positive.",
               {{"a"}, {"p"}},
               kGammainccinv,
               {0.51, 4},
               {"gammainccinv"},
               "gammainccinv(2.0, 1e-12) = 31.0998731958",
               {Partial([](const Point &p) {
                  return -byShape(p.x[0], p.y) / gammaDensity(p.x[0], p.y);
                }),
                Partial::over([](const Point &p) { return -gammaDensity(p.x[0], p.y); })}}),
      defined(
          {"gammaincShape",
           "The derivative of gammainc(a, x) by a.\nBy the power series below a + 1, above by the "
           "continued fraction, from a = 1e7 on by the uniform expansion, on numbers with "
           "derivatives.",
           {{"a"}, {"x"}},
           kGammaincShape,
           {0.51, 16},
           {"gammainc_shape"},
           "gammaincShape(2.0, 3.0) = -0.197425419579",
           {noSecond("gammainc"),
            [](const Point &p) {
              return gammaDensity(p.x[0], p.x[1]) * (log(p.x[1]) - digamma(p.x[0]));
            }}}),
      defined({"betainc",
               "The regularised incomplete beta function I_x(a, b).\n"
               "NaN for x outside [0, 1] and for negative a and b. By the continued fraction, "
               "where a and b are 1e7 and more by Temme's uniform expansion.",
               {{"a"}, {"b"}, {"x"}},
               kBetainc,
               {0.51, 4},
               {"betainc"},
               "betainc(2.0, 3.0, 0.5) = 0.6875",
               {betaShape(false), betaShape(true),
                [](const Point &p) { return betaDensity(p.x[0], p.x[1], p.x[2]); }}}),
      defined({"betaincinv",
               "The x for which betainc(a, b, x) = p.\nNaN for a and b that are not positive.",
               {{"a"}, {"b"}, {"p"}},
               kBetaincinv,
               {0.51, 4},
               {"betaincinv"},
               "betaincinv(2.0, 3.0, 0.6875) = 0.5",
               {inverseBetaShape(false), inverseBetaShape(true),
                Partial::over([](const Point &p) { return betaDensity(p.x[0], p.x[1], p.y); })}}),
      defined({"betaincShape",
               "The derivative of betainc(a, b, x) by a, or by b.\nBy the continued fraction, and "
               "the uniform expansion where a and b are 1e7 and more, on numbers with derivatives.",
               {{"a"}, {"b"}, {"x"}},
               kBetaincShape,
               {0.51, 16},
               {"betainc_shape"},
               "betaincShape(2.0, 3.0, 0.5) = -0.195288686635",
               {noSecond("betainc"), noSecond("betainc"),
                [](const Point &p) {
                  bool byB = p.op.attributes().integer("byB");
                  const Variable &a = p.x[0], &b = p.x[1], &x = p.x[2];
                  Variable slope = byB ? log1p(-x) - digamma(b) : log(x) - digamma(a);
                  return betaDensity(a, b, x) * (slope + digamma(a + b));
                }},
               {{.name = "byB",
                 .kind = AttributeKind::Int,
                 .defaultValue = int64_t(0),
                 .doc = "1: by b"}}}),
  };
}

std::vector<OpDef> besselFunctions() {
  constexpr MaxUlp kUlp = {0.51, 4}; // by special_points.txt of the tests, to orders of 3000
  return {
      defined(
          {"jv",
           "The Bessel function of the first kind of order v.\nNaN below 0 unless v is an integer, "
           "and for orders beyond 100000.",
           {{"v"}, {"x"}},
           kBesselJ,
           kUlp,
           {"j0", "j1", "jv"},
           "jv([0.0, 0.5], 2.0) = [0.223890779, 0.513016136]",
           {noOrder(), [](const Point &p) { return neighbours(jv, p, 0.5, -0.5); }}}),
      defined(
          {"iv",
           "The modified Bessel function of the first kind of order v.\nNaN below 0 unless v is "
           "an integer. Where v^2 + x^2 is 11000^2 and more by Hankel's expansion if 4 v^2 < x, "
           "else "
           "by Debye's.",
           {{"v"}, {"x"}},
           kBesselI,
           kUlp,
           {"i0", "i1", "iv"},
           "iv([0.0, 0.5], 2.0) = [2.27958530, 2.04623686]",
           {noOrder(), [](const Point &p) { return neighbours(iv, p, 0.5, 0.5); }}}),
      defined({"ive",
               "exp(-abs(x)) * iv(v, x), without overflow.\nAs iv.",
               {{"v"}, {"x"}},
               kBesselIScaled,
               kUlp,
               {"ive"},
               "ive(1.0, [2.0, 1e6]) = [0.215269289, 0.00039894213]",
               {noOrder(),
                [](const Point &p) {
                  return scaledSlope(neighbours(ive, p, 0.5, 0.5), -sgn(p.x[1]), p);
                }}}),
      defined({"kv",
               "The modified Bessel function of the second kind of order v.\ninf at 0, NaN below. "
               "Expansions as iv.",
               {{"v"}, {"x"}},
               kBesselK,
               kUlp,
               {"kv"},
               "kv([0.0, 0.5], 2.0) = [0.113893873, 0.119937772]",
               {noOrder(), [](const Point &p) { return neighbours(kv, p, -0.5, -0.5); }}}),
      defined({"kve",
               "exp(x) * kv(v, x), without underflow.\nAs kv.",
               {{"v"}, {"x"}},
               kBesselKScaled,
               kUlp,
               {"kve"},
               "kve(1.0, [2.0, 1e6]) = [1.033476847, 0.00125331461]",
               {noOrder(),
                [](const Point &p) {
                  return scaledSlope(neighbours(kve, p, -0.5, -0.5),
                                     constant(Tensor(1.0).cast(p.y.dtype())), p);
                }}}),
  };
}

OpDef hypergeometricDef() {
  auto noParameter = [] {
    return Partial::undefined("hyp2f1 has no derivative by its parameters here");
  };
  return defined(
      {"hyp2f1",
       "Gauss' hypergeometric function 2F1(a, b; c; z) of real numbers, z <= 1.\nNaN beyond 1 "
       "unless a or b is 0, -1, ..., when it is a polynomial; inf where c is one of these, and at "
       "1 where c <= a + b. What cancels is summed again, by another series or with 500 bits; "
       "NaN where these are not enough, or 1000000 terms, or 20000 with 500 bits.",
       {{"a"}, {"b"}, {"c"}, {"z"}},
       kHyp2f1,
       {0.51, 8},
       {"hyp2f1"},
       "hyp2f1(1.0, 1.0, 2.0, 0.5) = 1.38629436112",
       {noParameter(), noParameter(), noParameter(), [](const Point &p) {
          const Variable &a = p.x[0], &b = p.x[1], &c = p.x[2];
          return a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, p.x[3]);
        }}});
}

} // namespace

Variable gammaDensity(const Variable &a, const Variable &x) {
  constexpr double kLarge = 1000; // from which on two terms of Stirling's series are enough
  Variable small = exp(xlogy(a - 1.0, x) - x - gammaln(a));
  Variable isLarge = a > kLarge, at = where(isLarge, x, a), u = (at - a) / a;
  // u - log(1 + u); by its series where little is left.
  Variable series = u * (-1.0 / 9) + 1.0 / 8;
  for (int k = 7; k >= 2; --k)
    series = series * u + (k % 2 == 0 ? 1.0 : -1.0) / k;
  Variable gap = where(abs(u) < 0.015625, series * sqr(u), u - log1p(u));
  Variable rest = (1.0 / 12 - 1.0 / (360.0 * sqr(a))) / a;
  Variable large = sqrt(a * (0.5 * std::numbers::inv_pi)) * exp(-a * gap - rest) / at;
  return where(isLarge, where(eq(at, 0.0), 0.0, large), small);
}

Variable betaDensity(const Variable &a, const Variable &b, const Variable &x, double power) {
  return exp(xlogy(a - power, x) + xlog1py(b - power, -x) - betaln(a, b));
}

std::vector<OpDef> specialOps() {
  std::vector<OpDef> ops = gammaFunctions();
  for (auto *more : {&incompleteFunctions, &besselFunctions})
    for (OpDef &def : more())
      ops.push_back(std::move(def));
  ops.push_back(hypergeometricDef());
  return ops;
}

//===--- functions ------------------------------------------------------------------===//

#define GRAPHC_SPECIAL_1(NAME)                                                                     \
  Variable NAME(const Operand &x) {                                                                \
    static const Op &op = *new Op(builtin(#NAME));                                                 \
    return build(op, {x});                                                                         \
  }
#define GRAPHC_SPECIAL_2(NAME)                                                                     \
  Variable NAME(const Operand &x, const Operand &y) {                                              \
    static const Op &op = *new Op(builtin(#NAME));                                                 \
    return build(op, {x, y});                                                                      \
  }
#define GRAPHC_SPECIAL_3(NAME)                                                                     \
  Variable NAME(const Operand &x, const Operand &y, const Operand &z) {                            \
    static const Op &op = *new Op(builtin(#NAME));                                                 \
    return build(op, {x, y, z});                                                                   \
  }
GRAPHC_SPECIAL_1(erfinv)
GRAPHC_SPECIAL_1(erfcinv)
GRAPHC_SPECIAL_1(gammaln)
GRAPHC_SPECIAL_1(gamma)
GRAPHC_SPECIAL_2(beta)
GRAPHC_SPECIAL_2(betaln)
GRAPHC_SPECIAL_2(gammainc)
GRAPHC_SPECIAL_2(gammaincc)
GRAPHC_SPECIAL_2(gammaincinv)
GRAPHC_SPECIAL_2(gammainccinv)
GRAPHC_SPECIAL_3(betainc)
GRAPHC_SPECIAL_3(betaincinv)
GRAPHC_SPECIAL_2(jv)
GRAPHC_SPECIAL_2(iv)
GRAPHC_SPECIAL_2(ive)
GRAPHC_SPECIAL_2(kv)
GRAPHC_SPECIAL_2(kve)

Variable hyp2f1(const Operand &a, const Operand &b, const Operand &c, const Operand &z) {
  static const Op &op = *new Op(builtin("hyp2f1"));
  return build(op, {a, b, c, z});
}

Variable xlogx(const Operand &x) {
  CallScope scope(x);
  return xlogy(x, x);
}
Variable entr(const Operand &x) {
  CallScope scope(x);
  return neg(xlogx(x));
}
Variable relEntr(const Operand &x, const Operand &y) {
  CallScope scope(x);
  return xlogy(x, trueDiv(x, y));
}
Variable klDiv(const Operand &x, const Operand &y) {
  CallScope scope(x);
  return relEntr(x, y) - x + y;
}

Variable ndtri(const Operand &p) {
  CallScope scope(p);
  return erfcinv(asVariable(p) * 2.0) * -std::numbers::sqrt2;
}

Variable polygamma(int order, const Operand &x) {
  return build(builtin("polygamma", {{"order", int64_t(order)}}), {x});
}
Variable digamma(const Operand &x) {
  static const Op &op = *new Op(calledAs(builtin("polygamma"), "digamma"));
  return build(op, {x});
}
Variable trigamma(const Operand &x) {
  static const Op &op =
      *new Op(calledAs(builtin("polygamma", {{"order", int64_t(1)}}), "trigamma"));
  return build(op, {x});
}

Variable j0(const Operand &x) { return jv(0.0, x); }
Variable j1(const Operand &x) { return jv(1.0, x); }
Variable i0(const Operand &x) { return iv(0.0, x); }
Variable i1(const Operand &x) { return iv(1.0, x); }

} // namespace graphc
