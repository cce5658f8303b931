//===- PlacesTest.cpp - every node knows the line of the user's that made it --===//
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "graphc/Function.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

bool isHere(Place place) {
  return place.known() && std::string_view(place.file).find("PlacesTest.cpp") != std::string::npos;
}

/// All nodes and constants that `results` are made of.
void expectPlaces(const std::string &name, Variables results) {
  std::vector<Variable> seen;
  while (!results.empty()) {
    Variable v = results.back();
    results.pop_back();
    if (std::find(seen.begin(), seen.end(), v) != seen.end())
      continue;
    seen.push_back(v);
    ASSERT_TRUE(v.ok()) << name << ": " << v.status();
    EXPECT_TRUE(isHere(v.place())) << name << ": " << v.type() << " at " << v.place().str();
    if (!v.hasOwner())
      continue;
    EXPECT_TRUE(isHere(v.owner().place())) << name << ": " << v.owner().op().str();
    for (const Variable &input : v.owner().inputs())
      results.push_back(input);
  }
}

TEST(Places, OfAllFunctions) {
  auto x = dmatrix("x"), y = dmatrix("y"), t = tensor(DType::Float64, {1, 3, 1}, "t");
  auto v = dvector("v");
  auto i = lmatrix("i"), j = lmatrix("j");
  auto n = lscalar("n"), k = lscalar("k");
  auto sizes = lvector("sizes");
  Tensor number(2.0);
  auto image = tensor(DType::Float64, {kDynamic, kDynamic, kDynamic, kDynamic}, "image");
  auto line = tensor(DType::Float64, {kDynamic, kDynamic, kDynamic}, "line");
  auto body = tensor(DType::Float64, {kDynamic, kDynamic, kDynamic, kDynamic, kDynamic}, "body");
  std::vector<std::pair<std::string, Variables>> cases = {
      {"operators", {x + y, x - 1, 2 * x, x / 3, x % 2, x<0, x> y, x <= 1, x >= number, -x}},
      {"sums", {add({x, y, 1.0}), mul({x, 2, y}), clip(x, 0, 1), where(x, 1.0, y), second(x, 0)}},
      {"divmod", {divmod(x, 2).first, divmod(x, 2).second, isclose(x, 1.0)}},
      {"binary",
       {pow(x, 2), maximum(x, 0), hypot(x, 1), fma(x, 2, 1), arctan2(x, 1), logaddexp(x, 0),
        xlogy(x, 2), copysign(x, -1.0), nextafter(x, 1.0), trueDiv(x, 2), intDiv(x, 2)}},
      {"bits", {bitwiseAnd(i, 3), leftShift(i, 1), invert(i), logicalOr(x, 1), eq(i, j)}},
      {"unary", {exp(x), abs(x), sqr(x), round(x), cast(x, DType::Int8), deg2rad(x), sigmoid(x)}},
      {"with numbers", {elu(x, 0.5), leakyRelu(x), hardSigmoid(x), hardTanh(x), relu(x)}},
      {"reductions",
       {sum(x), sum(x, Axis(-1)), prod(x, {.keepDims = true}), max(x), argmin(x, Axis(0)), any(x),
        mean(x), var(x, {.ddof = 1}), stddev(x), logsumexp(x), softmax(x), logSoftmax(x)}},
      {"products",
       {dot(x, y), matmul(x, y), outer(v, v), tensordot(x, y, 1), tensordot(x, y, {0}, {1}),
        batchedDot(line, line)}},
      {"convolutions",
       {conv1d(line, line), conv2d(image, image), conv3d(body, body), pool(image, {2, 2})}},
      {"shapes",
       {shape(x), shape(x, -1), size(x), flatten(x), transpose(x), transpose(x, {1, 0}),
        swapaxes(x, 0, 1), moveaxis(x, {0}, {-1}), dimshuffle(x, {1, -1, 0}),
        expandDims(x, Axis(0)), squeeze(t), squeeze(x, Axis(0)), atleastNd(v, 3),
        specifyShape(x, {2, 3})}},
      {"reshape",
       {reshape(x, {6}), reshape(x, {n, 2}), reshape(x, {-1, n}), reshape(x, shape(y)),
        reshape(x, std::vector<int64_t>{3, 2}), broadcastTo(v, {2, n}), broadcastTo(number, {3})}},
      {"joining",
       {concatenate({x, y}, 1), concatenate(std::vector<Operand>{x, y}),
        concatenate(Variables{x, y}), stack({x, y}), stack(Variables{x, y}, -1)}},
      {"split", split(x, {1, 2})},
      {"split by values", split(x, sizes, 2, 1)},
      {"pad", {pad(x, {{1, 1}, {0, 2}}), pad(x, {{1, 0}, {0, 0}}, {.value = Operand(3.0)})}},
      {"indices",
       {x[0], x[{1, n}], x[n], subtensor(x, {Slice(1, n, 2), 0}), take(v, i),
        take(x, i, {.axis = 1}), gather(x, n)}},
      {"making",
       {arange(5), arange(n), arange(1, n), arange(0, 5, 2), arange(0.0, 1.0, 0.25), eye(3),
        eye(n, k, 1), full({2, 3}, 1.5), full({n, 3}, 1, DType::Int8), zeros({2}, DType::Float32),
        zeros({n, k}, DType::Float32), ones({n}, DType::Int8), zerosLike(x), onesLike(x),
        zeros(std::vector<int64_t>{2, 3}, DType::Bool)}},
      {"methods",
       {x.sum(), x.max(0), x.T(), x.reshape({-1}), x.transpose({1, 0}), x.dimshuffle({1, 0}),
        x.astype(DType::Float32), x.shape(), x.flatten()}},
  };
  for (const auto &[name, results] : cases)
    expectPlaces(name, results);
}

/// Errors of functions that are several ops, or none.
TEST(Places, OfErrors) {
  auto x = dmatrix("x");
  auto v = dvector("v");
  auto n = lscalar("n");
  std::pair<const char *, Variable> cases[] = {
      {"zeros", zeros({-1, 2}, DType::Float32)},
      {"zeros of a list", zeros(std::vector<int64_t>{-1}, DType::Float32)},
      {"ones", ones({-2, 1}, DType::Float32)},
      {"full", full({-1}, 1.0)},
      {"arange", arange(x)},
      {"eye", eye(-1)},
      {"reshape", reshape(constant(Tensor({1, 2, 3})), {2, 2})},
      {"broadcastTo", broadcastTo(x, {3})},
      {"stack", stack({x, v})},
      {"concatenate", concatenate({x, v})},
      {"split", split(v, {-1, 2})[0]},
      {"take", take(x, 0.5)},
      {"gather", gather(x, n, 2)},
      {"transpose", transpose(x, {0})},
      {"swapaxes", swapaxes(x, 0, 2)},
      {"moveaxis", moveaxis(x, {0, 1}, {0})},
      {"expandDims", expandDims(x, Axes())},
      {"squeeze", squeeze(x, Axis(5))},
      {"sum", sum(x, Axis(2))},
      {"max", max(x, {.dtype = DType::Float32})},
      {"dot", dot(x, tensor(DType::Float64, {2, 2, 2}))[{0, 0, 0, 0, 0}]},
      {"pool", pool(x, {2, 2}, {.padding = Padding::Kind::Half})},
      {"pad", pad(x, {{1, 1}})},
      {"x[...]", x[{0, 0, 0}]},
  };
  for (const auto &[name, result] : cases) {
    EXPECT_FALSE(result.ok()) << name;
    std::optional<Place> place = errorPlace(result.status());
    EXPECT_TRUE(place && isHere(*place)) << name << ": " << result.status();
  }
}

} // namespace
} // namespace graphc
