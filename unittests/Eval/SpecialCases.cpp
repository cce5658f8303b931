#include "SpecialCases.h"

#include "graphc/Special.h"

namespace graphc {
namespace {

using V = const Variables &;
using Call = std::function<Variable(const Variables &)>;

/// Of one operand, the others being numbers: there are no second derivatives by these. In the
/// operand's domain: `low` + a number in [0, width), without a rounding that compiled code might do
/// otherwise.
std::vector<OpCase> ofOne(double low, double width, const Call &call) {
  Call within = [=](V x) {
    Variable v = isFloat(x[0].dtype()) ? x[0] : cast(x[0], DType::Float64);
    return call({low + mod(v, 1.0) * width});
  };
  return {{{{3, 5}}, within}, {{{}}, within}, {{{0, 2}}, within}, {{{2, 1, 3}}, within}};
}

/// Of numbers (times, batch, classes) in (-1, 0], as logarithms of probabilities.
std::vector<OpCase> sequences(const char *op, bool hasDirection) {
  auto call = [=, name = std::string(op)](const Tensor &labels, const Tensor &times,
                                          const Tensor &counts) {
    return [=](V x) {
      Variable v = isFloat(x[0].dtype()) ? x[0] : cast(x[0], DType::Float64);
      Variables all = {mod(v, 1.0) - 1.0};
      for (const Tensor &t : {labels, times, counts})
        all.push_back(constant(t.cast(DType::Int64)));
      if (hasDirection)
        all.push_back(cast(x[1], v.dtype()));
      return callBuiltin(name, {}, all);
    };
  };
  auto shapes = [&](std::vector<int64_t> shape) {
    return std::vector<std::vector<int64_t>>(hasDirection ? 2 : 1, std::move(shape));
  };
  Tensor none = *Tensor::zeros(DType::Int64, {0});
  return {
      {shapes({4, 2, 3}), call(Tensor({{1, 1}, {2, 0}}), Tensor({4, 3}), Tensor({2, 1}))},
      {shapes({1, 1, 2}), call(*Tensor::fromSpan<int64_t>({1}, {1, 1}), Tensor({1}), Tensor({1}))},
      {shapes({2, 0, 2}), call(*Tensor::zeros(DType::Int64, {0, 1}), none, none)}};
}

Variable silent(V x) { return callBuiltin("print", {}, {x[0], constant(Tensor(0))}); }

} // namespace

std::map<std::string, std::vector<OpCase>> specialCases() {
  auto bessel = [](Variable (*function)(const Operand &, const Operand &)) {
    std::vector<OpCase> cases;
    for (double order : {0.0, 1.0, 2.5, -0.25})
      for (OpCase &c : ofOne(0.5, 6, [=](V x) { return function(order, x[0]); }))
        cases.push_back(std::move(c));
    // Orders that broadcast.
    cases.push_back({{{4}}, [=](V x) {
                       Variable at = 0.5 + mod(cast(x[0], DType::Float64), 1.0) * 3.0;
                       Variable orders = constant(Tensor({{0.0}, {1.5}}));
                       return function(orders, at);
                     }});
    return cases;
  };
  auto built = [](const char *op, const Attributes &attributes, double low, double width,
                  const std::vector<double> &shapes) {
    return ofOne(low, width, [=, name = std::string(op)](V x) {
      Variables operands;
      for (double shape : shapes)
        operands.push_back(constant(Tensor(shape).cast(x[0].dtype())));
      operands.push_back(x[0]);
      return callBuiltin(name, attributes, operands);
    });
  };
  std::vector<OpCase> shapes = built("betaincShape", {}, 0.1, 0.8, {1.5, 2.25});
  for (OpCase &c : built("betaincShape", {{"byB", int64_t(1)}}, 0.1, 0.8, {1.5, 2.25}))
    shapes.push_back(std::move(c));
  std::vector<OpCase> gauss = built("hyp2f1", {}, -1.5, 2.25, {0.5, 1.25, 2.5});
  for (OpCase &c : built("hyp2f1", {}, -1.5, 2.25, {-2, 1.25, 2.5}))
    gauss.push_back(std::move(c));
  return {
      {"hyp2f1", gauss},
      {"ctcLoss", sequences("ctcLoss", false)},
      {"ctcGradient", sequences("ctcGradient", false)},
      {"ctcGradientAlong", sequences("ctcGradientAlong", true)},
      {"print", {{{{2, 3}}, silent}, {{{}}, silent}, {{{0, 2}}, silent}}},
      {"jv", bessel(jv)},
      {"iv", bessel(iv)},
      {"ive", bessel(ive)},
      {"kv", bessel(kv)},
      {"kve", bessel(kve)},
      {"erfinv", ofOne(-0.9, 1.8, [](V x) { return erfinv(x[0]); })},
      {"erfcinv", ofOne(0.1, 1.8, [](V x) { return erfcinv(x[0]); })},
      {"gammainc", built("gammainc", {}, 0.25, 4, {1.75})},
      {"gammaincc", built("gammaincc", {}, 0.25, 4, {1.75})},
      {"gammaincinv", built("gammaincinv", {}, 0.1, 0.8, {1.75})},
      {"gammainccinv", built("gammainccinv", {}, 0.1, 0.8, {1.75})},
      {"gammaincShape", built("gammaincShape", {}, 0.25, 4, {1.75})},
      {"betainc", built("betainc", {}, 0.1, 0.8, {1.5, 2.25})},
      {"betaincinv", built("betaincinv", {}, 0.1, 0.8, {1.5, 2.25})},
      {"betaincShape", shapes},
  };
}

} // namespace graphc
