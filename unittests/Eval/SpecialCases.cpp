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
  return {
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
