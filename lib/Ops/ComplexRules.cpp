//===- ComplexRules.cpp ---------------------------------------------------===//
#include "ComplexRules.h"

#include <functional>
#include <map>
#include <numbers>
#include <string>

#include "Build.h"
#include "ComplexNumber.h"
#include "Derivatives.h"

namespace graphc {
namespace {

using Request = const ComplexRequest &;
using Results = std::vector<Parts>;
using Rule = std::function<Results(Request)>;
using D = ComplexDerivatives;

/// Results in the dtypes that the op's are to have.
ComplexRule rule(Rule parts, D derivatives = D::ByParts, std::vector<bool> realResults = {}) {
  ComplexRule made;
  made.derivatives = derivatives;
  made.realResults = std::move(realResults);
  made.parts = [parts = std::move(parts)](Request r) {
    Results results = parts(r);
    for (size_t i = 0; i < results.size() && i < r.results.size(); ++i) {
      DType dtype = realDType(r.results[i].dtype());
      results[i].re = inDType(results[i].re, dtype);
      if (results[i].im)
        results[i].im = inDType(*results[i].im, dtype);
    }
    return results;
  };
  return made;
}

ComplexRule unary(Parts (*function)(const Parts &), D derivatives = D::Holomorphic) {
  return rule([function](Request r) { return Results{function(r.in[0])}; }, derivatives);
}

/// A function of numbers to real ones, or to truths.
ComplexRule toReal(std::function<Variable(const Parts &)> function) {
  return rule([function = std::move(function)](Request r) { return Results{{function(r.in[0])}}; },
              D::ByParts, {true});
}

/// The same op on real and on imaginary parts. `isData`: operands that are split; others are as
/// they are, or their real parts.
ComplexRule eachPart(std::function<bool(size_t)> isData, D derivatives = D::Linear) {
  return rule(
      [isData = std::move(isData)](Request r) {
        const Op op = onParts(r.op);
        std::vector<Operand> re, im;
        for (size_t i = 0; i < r.in.size(); ++i) {
          re.emplace_back(r.in[i].re);
          im.emplace_back(isData(i) ? imaginaryOf(r.in[i]) : r.in[i].re);
        }
        Place place;
        Variables res = op.callAll(re, place), ims = op.callAll(im, place);
        Results results;
        for (size_t k = 0; k < res.size(); ++k)
          results.push_back({res[k], ims[k]});
        return results;
      },
      derivatives);
}
bool isFirst(size_t i) { return i == 0; }
bool isOfFirstTwo(size_t i) { return i < 2; }
bool isAny(size_t) { return true; }
bool isNotFirst(size_t i) { return i > 0; }

/// Joins operands from left to right.
ComplexRule chain(Parts (*join)(const Parts &, const Parts &), D derivatives = D::Holomorphic) {
  return rule(
      [join](Request r) {
        Parts joined = r.in[0];
        for (size_t i = 1; i < r.in.size(); ++i)
          joined = join(joined, r.in[i]);
        return Results{joined};
      },
      derivatives);
}

/// The same op on truths.
ComplexRule onTruths() {
  return rule([](Request r) {
    std::vector<Operand> truths;
    for (const Parts &z : r.in)
      truths.emplace_back(isNonzero(z));
    return Results{{build(r.op, truths)}};
  });
}

/// Holds where `test` does for one part, or for both.
ComplexRule tested(Variable (*test)(const Operand &), bool forBoth) {
  return toReal([=](const Parts &z) {
    if (!z.im)
      return test(z.re);
    return forBoth ? logicalAnd(test(z.re), test(*z.im)) : logicalOr(test(z.re), test(*z.im));
  });
}

Variable equal(const Parts &x, const Parts &y) {
  return logicalAnd(eq(x.re, y.re), eq(imaginaryOf(x), imaginaryOf(y)));
}

Variable isFinite(const Parts &z) { return logicalAnd(isfinite(z.re), isfinite(imaginaryOf(z))); }

Results isCloseOf(Request r) {
  const Parts &x = r.in[0], &y = r.in[1];
  Variable limit = r.op.attributes().real("atol") + r.op.attributes().real("rtol") * magnitude(y);
  Variable close = logicalOr(equal(x, y), logicalAnd(isFinite(y), magnitude(x - y) <= limit));
  auto hasNaN = [](const Parts &z) { return logicalOr(isnan(z.re), isnan(imaginaryOf(z))); };
  if (r.op.attributes().boolean("equalNan"))
    close = logicalOr(close, logicalAnd(hasNaN(x), hasNaN(y)));
  return {{close}};
}

Results castOf(Request r) {
  const Parts &z = r.in[0];
  if (isBool(r.results[0].dtype()))
    return {{isNonzero(z)}};
  DType dtype = realDType(r.results[0].dtype());
  return {{cast(z.re, dtype), z.im ? std::optional(cast(*z.im, dtype)) : std::nullopt}};
}

/// var or stddev: of the parts, joined.
ComplexRule spread(Variable (*join)(const Variable &, const Variable &)) {
  return rule(
      [join](Request r) {
        Variable re = build(r.op, {r.in[0].re});
        return Results{{r.in[0].im ? join(re, build(r.op, {*r.in[0].im})) : re}};
      },
      D::ByParts, {true});
}

Results sigmoidOf(Request r) {
  Parts z = r.in[0];
  Parts e = exponentialOf(-z);
  return {Parts{second(z.re, constant(Tensor(1.0).cast(z.re.dtype())))} / Parts{1.0 + e.re, e.im}};
}

Parts timesNumber(const Parts &z, double factor) {
  return {z.re * factor, imaginaryOf(z) * factor};
}

using Table = std::map<std::string, ComplexRule, std::less<>>;

void addArithmetic(Table &t) {
  t["add"] = chain(operator+, D::Linear);
  t["sub"] = chain(operator-, D::Linear);
  t["mul"] = chain(operator*);
  t["trueDiv"] = chain(operator/);
  t["pow"] = chain(powerOf, D::ByParts);
  t["neg"] = unary(operator-, D::Linear);
  t["abs"] = toReal(magnitude);
  t["sqr"] = unary(squareOf);
  t["sqrt"] = unary(squareRootOf);
  auto inverse = [](const Parts &z) {
    return Parts{second(z.re, constant(Tensor(1.0).cast(z.re.dtype())))} / z;
  };
  t["reciprocal"] = rule([=](Request r) { return Results{inverse(r.in[0])}; }, D::Holomorphic);
  t["rsqrt"] =
      rule([=](Request r) { return Results{inverse(squareRootOf(r.in[0]))}; }, D::Holomorphic);
  t["conj"] = unary(conjugate, D::Linear);
  t["real"] = toReal([](const Parts &z) { return z.re; });
  t["imag"] = toReal([](const Parts &z) { return imaginaryOf(z); });
  t["angle"] = toReal([](const Parts &z) { return arctan2(imaginaryOf(z), z.re); });
  t["eq"] = rule([](Request r) { return Results{{equal(r.in[0], r.in[1])}}; });
  t["neq"] = rule([](Request r) { return Results{{logicalNot(equal(r.in[0], r.in[1]))}}; });
  t["isclose"] = rule(isCloseOf);
  t["isnan"] = tested(isnan, false);
  t["isinf"] = tested(isinf, false);
  t["isfinite"] = tested(isfinite, true);
  for (const char *name :
       {"logicalAnd", "logicalOr", "logicalXor", "logicalNot", "any", "all", "nonzero"})
    t[name] = onTruths();
  t["cast"] = rule(castOf, D::Linear);
  t["cast"].makesComplex = true;
}

void addFunctions(Table &t) {
  t["exp"] = unary(exponentialOf);
  t["exp2"] = rule(
      [](Request r) { return Results{exponentialOf(timesNumber(r.in[0], std::numbers::ln2))}; },
      D::Holomorphic);
  t["expm1"] = unary(exponentialLessOne);
  t["log"] = unary(logarithmOf);
  t["log1p"] = unary(logarithmOfOnePlus);
  for (auto [name, factor] :
       {std::pair("log2", std::numbers::log2e), std::pair("log10", std::numbers::log10e)})
    t[name] = rule(
        [factor = factor](Request r) { return Results{timesNumber(logarithmOf(r.in[0]), factor)}; },
        D::Holomorphic);
  t["sin"] = unary(sineOf);
  t["cos"] = unary(cosineOf);
  t["tan"] = unary([](const Parts &z) { return turnedRight(hyperbolicTangentOf(turnedLeft(z))); });
  t["sinh"] = unary(hyperbolicSineOf);
  t["cosh"] = unary(hyperbolicCosineOf);
  t["tanh"] = unary(hyperbolicTangentOf);
  t["arcsin"] =
      unary([](const Parts &z) { return turnedRight(hyperbolicArcsineOf(turnedLeft(z))); });
  t["arccos"] = unary(arccosineOf);
  t["arctan"] =
      unary([](const Parts &z) { return turnedRight(hyperbolicArctangentOf(turnedLeft(z))); });
  t["arcsinh"] = unary(hyperbolicArcsineOf, D::ByParts); // its rule has a real hypotenuse
  t["arccosh"] = unary(hyperbolicArccosineOf);
  t["arctanh"] = unary(hyperbolicArctangentOf);
  t["sigmoid"] = rule(sigmoidOf, D::Holomorphic);
}

void addArrays(Table &t) {
  for (const char *name : {"identity",      "copy",        "reshape",      "flatten",
                           "dimshuffle",    "squeeze",     "specifyShape", "specifyShapeLike",
                           "unbroadcast",   "broadcastTo", "splitPiece",   "padFold",
                           "subtensor",     "take",        "zeroGrad",     "disconnectedGrad",
                           "undefinedGrad", "gradScale",   "assert",       "sum",
                           "mean",          "cumsum",      "fitAxis"})
    t[name] = eachPart(isFirst);
  for (const char *name : {"setSubtensor", "incSubtensor", "incTake", "setTake", "pad"})
    t[name] = eachPart(isOfFirstTwo);
  t["join"] = t["joinChunks"] = eachPart(isAny);
  t["ifElse"] = eachPart(isNotFirst);
  t["second"] = eachPart([](size_t i) { return i == 1; });
  t["switch"] = rule(
      [](Request r) {
        Variable condition = r.in[0].im ? isNonzero(r.in[0]) : r.in[0].re;
        return Results{{where(condition, r.in[1].re, r.in[2].re),
                        where(condition, imaginaryOf(r.in[1]), imaginaryOf(r.in[2]))}};
      },
      D::Linear);
  for (const char *name : {"shape", "shapeI", "size"})
    t[name] = rule([](Request r) { return Results{{build(r.op, {r.in[0].re})}}; });
  t["var"] = spread([](const Variable &x, const Variable &y) { return x + y; });
  t["stddev"] = spread([](const Variable &x, const Variable &y) { return hypot(x, y); });
  for (const char *name : {"dot", "matmul", "batchedDot", "tensordot", "outer"})
    t[name] =
        rule([](Request r) { return Results{bilinear(r.op, r.in[0], r.in[1])}; }, D::Holomorphic);
}

void addWindows(Table &t) {
  // Four real convolutions: three (Gauss) lose digits where one part is small beside the other.
  for (const char *name : {"conv1d", "conv2d", "conv3d", "convInputGradient", "convKernelGradient"})
    t[name] = rule(
        [](Request r) {
          std::vector<Operand> others; // the shape of a gradient
          for (const Parts &extents : r.in.subspan(2))
            others.emplace_back(extents.re);
          return Results{bilinear(r.op, r.in[0], r.in[1], others)};
        },
        D::Holomorphic);
  t["poolSpread"] = eachPart(isFirst);
}

} // namespace

Op onParts(const Op &op) {
  Attributes attributes = op.attributes();
  for (const auto &[name, value] : op.attributes().entries())
    if (const DType *dtype = std::get_if<DType>(&value))
      attributes.set(name, realDType(*dtype));
  absl::StatusOr<Op> made = Op::create(op.def(), attributes);
  return made.ok() ? *std::move(made) : op;
}

ComplexRule complexRuleOf(std::string_view op) {
  static const Table &table = *[] {
    auto *t = new Table;
    addArithmetic(*t);
    addFunctions(*t);
    addArrays(*t);
    addWindows(*t);
    for (auto *family : {complexProductRules, fourierRules})
      for (NamedComplexRule &named : family()) {
        ComplexRule made = rule(named.rule.parts, named.rule.derivatives, named.rule.realResults);
        made.makesComplex = named.rule.makesComplex;
        t->insert_or_assign(named.name, std::move(made));
      }
    return t;
  }();
  auto found = table.find(op);
  return found == table.end() ? ComplexRule() : found->second;
}

} // namespace graphc
