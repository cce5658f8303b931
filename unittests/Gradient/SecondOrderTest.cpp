//===- SecondOrderTest.cpp - second derivatives of a perceptron (F-290) ----===//
//
// Expected numbers are central differences of the gradient; all is compiled.
//
// Their bound. Inputs and weights are in [-1, 1], so that with respect to one weight the
// derivatives of a unit's tanh are at most 1, 0.77, 2 and 4.1, and those of log(sum(exp)),
// cumulants of numbers in [-1, 1], at most 1, 1, 0.77 and 5, the target's logit adding 1 to the
// first. By Faa di Bruno's formula a fourth derivative of the cost is at most
//   2 * 4.1 + 4 * 2 + 3 * 0.77^2 + 6 * 0.77 * 0.77 + 5 < 32,
// which leaves h^2 / 6 * 32 for what the differences cut off: 2^-31.6 with the step h = 2^-17.
// Weights are floats: moving them rounds nothing. An element of the gradient is a mean of sums of
// at most 2 with some 32 roundings on the longest way, 2 * 32 * 2^-53 in error, and that of a
// difference is 2^-47 / h = 2^-30. Together they are below 2^-29.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using List = std::vector<double>;

constexpr double kStep = 0x1p-17, kDifferenceBound = 0x1p-29;
/// Between sums of the same 27 terms, each at most 2 and with some 100 roundings, in other orders.
constexpr double kRoundingBound = 0x1p-40;

constexpr int64_t kSamples = 5, kIn = 4, kHidden = 3, kClasses = 3;
const std::vector<std::vector<int64_t>> kShapes = {
    {kIn, kHidden}, {kHidden}, {kHidden, kClasses}, {kClasses}};
constexpr int64_t kWeights = kIn * kHidden + kHidden + kHidden * kClasses + kClasses;

/// Numbers in [-1, 1] without a pattern, each with a float's digits.
List numbers(int64_t count, double start) {
  List list(size_t(count), 0);
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = float(std::sin(start + double(i * i)));
  return list;
}

Tensor tensorOf(const List &list) {
  Tensor t = *Tensor::zeros(DType::Float64, {int64_t(list.size())});
  std::ranges::copy(list, t.mutableFlat<double>().begin());
  return t;
}

/// The softmax's cross-entropy of two layers with these weights.
Variable cost(const Variables &weights) {
  Tensor x = *tensorOf(numbers(kSamples * kIn, 0.5)).reshape({kSamples, kIn});
  Tensor target(
      {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}});
  Variable h = tanh(dot(constant(x), weights[0]) + weights[1]);
  Variable logits = dot(h, weights[2]) + weights[3];
  return mean(-sum(logSoftmax(logits) * constant(target), Axis(1)));
}

/// Parts of a vector that has all weights, in their shapes.
Variables partsOf(const Variable &whole) {
  Variables parts;
  int64_t begin = 0;
  for (const std::vector<int64_t> &shape : kShapes) {
    int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    parts.push_back(reshape(whole[{Slice(begin, begin + size)}], shape));
    begin += size;
  }
  return parts;
}

Variable flat(const Variables &parts) {
  Variables rows;
  for (const Variable &part : parts)
    rows.push_back(reshape(part, {-1}));
  return concatenate(rows);
}

Variable product(const Variables &a, const Variables &b) {
  Variable total = constant(0.0);
  for (size_t i = 0; i < a.size(); ++i)
    total = total + sum(a[i] * b[i]);
  return total;
}

class PerceptronCurvature : public ::testing::Test {
protected:
  void SetUp() override {
    // Row k: how element k of the gradient changes with each weight.
    auto f = function({p}, grad(cost(partsOf(p)), p));
    ASSERT_TRUE(f.ok()) << f.status();
    differences.assign(size_t(kWeights), List(size_t(kWeights)));
    double largest = 0;
    for (size_t j = 0; j < size_t(kWeights); ++j) {
      List gradients[2];
      for (int side : {0, 1}) {
        List moved = point;
        moved[j] += side ? kStep : -kStep;
        gradients[side] = listOf((*(*f)(tensorOf(moved)))[0]);
      }
      for (size_t k = 0; k < size_t(kWeights); ++k) {
        differences[k][j] = (gradients[1][k] - gradients[0][k]) / (2 * kStep);
        largest = std::max(largest, std::abs(differences[k][j]));
      }
    }
    EXPECT_GT(largest, 0.1); // far from the bounds
  }

  static List listOf(const Tensor &t) {
    Tensor whole = t.contiguous();
    return List(whole.flat<double>().begin(), whole.flat<double>().end());
  }

  /// The elements of `output` at the point and the direction.
  List at(const Variable &output) {
    auto f = function({p, v}, output, {.onUnusedInput = OnUnusedInput::Ignore});
    EXPECT_TRUE(f.ok()) << f.status();
    if (!f.ok())
      return {};
    absl::StatusOr<Results> results = (*f)(tensorOf(point), tensorOf(direction));
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? listOf((*results)[0]) : List();
  }

  void expectNear(const List &got, const List &expected, double bound) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], bound) << i;
  }

  /// `rows` times the direction.
  List timesDirection(const std::vector<List> &rows) {
    List result;
    for (const List &row : rows)
      result.push_back(std::inner_product(row.begin(), row.end(), direction.begin(), 0.0));
    return result;
  }

  /// Of a row's product with the direction, if its elements are known to kDifferenceBound.
  double productBound() const {
    double bound = 0;
    for (double d : direction)
      bound += std::abs(d) * kDifferenceBound;
    return bound;
  }

  Variable p = dvector("p"), v = dvector("v");
  List point = numbers(kWeights, 1), direction = numbers(kWeights, 2);
  std::vector<List> differences;
};

TEST_F(PerceptronCurvature, HessianEqualsDifferences) {
  List got = at(hessian(cost(partsOf(p)), p)), expected;
  for (const List &row : differences)
    expected.insert(expected.end(), row.begin(), row.end());
  expectNear(got, expected, kDifferenceBound);
}

TEST_F(PerceptronCurvature, HessianOfSomeWeights) {
  // The biases, as vectors: each its own block of the diagonal.
  Variables weights = partsOf(p);
  Variables blocks = hessian(cost(weights), {weights[1], weights[3]});
  size_t begins[] = {kIn * kHidden, size_t(kWeights - kClasses)};
  for (size_t b : {0, 1}) {
    List expected;
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 3; ++j)
        expected.push_back(differences[begins[b] + i][begins[b] + j]);
    expectNear(at(blocks[b]), expected, kDifferenceBound);
  }
}

TEST_F(PerceptronCurvature, ForwardOverReverseEqualsDifferences) {
  List expected = timesDirection(differences);
  expectNear(at(hessianVectorProduct(cost(partsOf(p)), p, v)), expected, productBound());
  // With respect to matrices and vectors, along matrices and vectors.
  Variables weights = partsOf(p);
  expectNear(at(flat(hessianVectorProduct(cost(weights), weights, partsOf(v)))), expected,
             productBound());
}

TEST_F(PerceptronCurvature, ReverseOverReverseEqualsDifferences) {
  List expected = timesDirection(differences);
  Variable c = cost(partsOf(p));
  expectNear(at(grad(sum(grad(c, p) * v), p)), expected, productBound());
  Variables weights = partsOf(p);
  c = cost(weights);
  expectNear(at(flat(grad(product(grad(c, weights), partsOf(v)), weights))), expected,
             productBound());
}

TEST_F(PerceptronCurvature, AllThreeAgree) {
  Variable c = cost(partsOf(p));
  List whole = at(hessian(c, p));
  ASSERT_EQ(whole.size(), size_t(kWeights * kWeights));
  std::vector<List> rows;
  for (size_t k = 0; k < size_t(kWeights); ++k)
    rows.emplace_back(whole.begin() + ptrdiff_t(k * kWeights),
                      whole.begin() + ptrdiff_t((k + 1) * kWeights));
  List product = timesDirection(rows);
  expectNear(at(hessianVectorProduct(c, p, v)), product, kRoundingBound);
  expectNear(at(grad(sum(grad(c, p) * v), p)), product, kRoundingBound);
  for (size_t k : {0, 7, 14, 26}) // one element's gradient at a time: a row
    expectNear(at(grad(grad(c, p)[{int64_t(k)}], p)), rows[k], kRoundingBound);
}

} // namespace
} // namespace graphc
