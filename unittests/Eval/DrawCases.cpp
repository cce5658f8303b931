#include "DrawCases.h"

#include <cmath>
#include <map>

#include "graphc/Ops.h"

namespace graphc {
namespace {

using V = const Variables &;
using Shapes = std::vector<std::vector<int64_t>>;

/// Two values of each parameter of ops that take no ascending numbers.
const std::map<std::string, std::vector<std::pair<double, double>>> &parameters() {
  static const auto &table = *new std::map<std::string, std::vector<std::pair<double, double>>>{
      {"randomIntegers", {{3, 5}, {13, 15}}},
      {"randomBinomial", {{4, 30}, {0.25, 0.5}}},
      {"randomNegativeBinomial", {{0.5, 2}, {0.25, 0.5}}},
      {"randomHypergeometric", {{4, 7}, {5, 20}, {3, 4}}},
      {"randomBetabinom", {{4, 30}, {0.5, 2}, {1, 3}}},
  };
  return table;
}

Variable numbers(const Variable &x, double low, double high) {
  Variable isHigh = gt(x, ones(ShapeList(std::vector<int64_t>()), x.dtype()));
  return cast(where(isHigh, high, low), x.dtype());
}

/// Parameter k, by the elements of x. By default positive numbers that ascend with k, of which the
/// first is a probability.
Variable parameter(const std::string &op, size_t k, const Variable &x) {
  if (isBool(x.dtype()) && op == "randomIntegers")
    return x; // is refused
  if (auto found = parameters().find(op); found != parameters().end()) {
    auto [low, high] = found->second[k];
    bool isWhole = !isFloat(x.dtype());
    return isBool(x.dtype())
               ? cast(onesLike(x), x.dtype())
               : numbers(x, isWhole ? std::ceil(low) : low, isWhole ? std::ceil(high) : high);
  }
  double least = double(k);
  if (isFloat(x.dtype()))
    return numbers(x, least + 0.25, least + 0.5);
  // True is 1, which is no number k + 1.
  Variable whole = cast(onesLike(x), DType::Int64) * (k + 1);
  return cast(whole, isBool(x.dtype()) && k > 0 ? DType::Int64 : x.dtype());
}

Variable drawOf(const OpDef &def, std::vector<int64_t> size, const Variables &given) {
  DType first = given[0].dtype();
  bool drawsIntegers = def.attributes[0].defaultValue == AttributeValue(DType::Int64);
  Attributes attributes;
  attributes.set("dtype", drawsIntegers ? DType::Int64 : isFloat(first) ? first : DType::Float64);
  Variables operands = {constant(Tensor({7, 5}, DType::Int64)),
                        ShapeList(size).operand().variable()};
  operands.insert(operands.end(), given.begin(), given.end());
  return callBuiltin(def.name, attributes, operands);
}

/// 1 at the first place of the last axis.
Variable certain(const Variable &x) {
  return cast(second(x, eq(arange(shape(x, -1)), 0)), x.dtype());
}

std::vector<OpCase> ofRows(const OpDef &def) {
  auto draw = [&def](std::vector<int64_t> size, const Variables &given) {
    return drawOf(def, std::move(size), given);
  };
  using Call = std::function<Variables(V)>;
  auto with = [=](std::vector<int64_t> size, Call call) {
    return [=](V x) { return draw(size, call(x)); };
  };
  Call given = [](V x) -> Variables { return {certain(x[0])}; };
  if (def.name == "randomMultinomial")
    given = [](V x) -> Variables { return {constant(7), certain(x[0])}; };
  else if (def.name == "randomDirichlet")
    given = [](V x) -> Variables { return {parameter("", 0, x[0])}; };
  else if (def.name == "randomMultivariateNormal")
    given = [](V x) -> Variables { return {parameter("", 0, x[0]), eye(5, 5) * 0.25}; };
  else if (def.name == "randomWeightedPermutation")
    given = [](V x) -> Variables { return {certain(x[0]), constant(1)}; };
  else if (def.name == "randomPermutation") {
    Call one = [](V x) -> Variables {
      Variable n = isBool(x[0].dtype()) ? cast(onesLike(x[0]), DType::Bool) : numbers(x[0], 3, 5);
      return {n, constant(1)};
    };
    return {{{{}}, with({}, one)}, {{{3}}, with({}, one)}, {{{3}}, with({2, 3}, one)}};
  }
  return {{{{3, 5}}, with({}, given)},
          {{{5}}, with({2, 3}, given)},
          {{{0, 5}}, with({}, given)},
          {{{1, 5}}, with({}, given), false, -1, 1, true}};
}

} // namespace

std::vector<OpCase> drawCases(const OpDef &def) {
  for (const char *rows :
       {"randomCategorical", "randomMultinomial", "randomDirichlet", "randomMultivariateNormal",
        "randomPermutation", "randomWeightedPermutation"})
    if (def.name == rows)
      return ofRows(def);
  size_t n = def.operands.size() - 2;
  auto with = [&def](std::vector<int64_t> size) {
    return [=, &def](V x) {
      Variables given;
      for (size_t k = 0; k < x.size(); ++k)
        given.push_back(parameter(def.name, k, x[k]));
      return drawOf(def, size, given);
    };
  };
  std::vector<int64_t> row = {5}, column = {3, 1};
  Shapes broadcast(n, row);
  broadcast[0] = column;
  OpCase ofUnknownOnes{Shapes(n, {1, 3, 1}), with({})};
  ofUnknownOnes.hasUnknownOnes = true;
  return {{Shapes(n, {3, 5}), with({})},
          {broadcast, with({2, 3, 5})},
          {Shapes(n, {0, 4}), with({})},
          {Shapes(n, std::vector<int64_t>()), with({37})},
          ofUnknownOnes};
}

} // namespace graphc
