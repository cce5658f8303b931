//===- ImplicitTest.cpp - derivatives of draws that are rejected or searched -----------===//
//
// implicit.txt has what make_implicit.py gives: derivatives of quantiles at the draws.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>

#include "Calls.h"
#include "NumbersOfFile.h"
#include "Ops/Build.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

DrawOptions options(int64_t count) {
  return {.size = {count}, .dtype = DType::Float64, .reparameterized = true};
}

/// The draw of a distribution by its op.
Variable drawOf(const std::string &name, const Variables &parameters, int64_t count, DType dtype) {
  std::vector<Operand> operands = {constant(Tensor({1, 0}, DType::Int64)),
                                   constant(Tensor({count}, DType::Int64))};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  return build(builtin(drawOpName(name), {{"dtype", dtype}, {"reparameterized", true}}), operands);
}

// A line: the number of parameters, these, and for each of three draws it and its derivatives.
TEST(Implicit, EqualsDifferencesOfQuantiles) {
  const auto lines = numbersOfFile(GRAPHC_TEST_DATA "/implicit.txt");
  EXPECT_EQ(lines.size(), 21u);
  for (const auto &[label, numbers] : lines) {
    SCOPED_TRACE(label);
    const std::string name = label.substr(0, label.find('_'));
    const auto count = size_t(numbers[0]);
    ASSERT_EQ(numbers.size(), 1 + count + 3 * (1 + count));
    for (DType dtype : {DType::Float64, DType::Float32}) {
      // Of kernels, other bits make numbers in float32.
      if (dtype == DType::Float32 && (name == "triangular" || name == "truncexpon"))
        continue;
      Variables parameters;
      std::vector<Tensor> values;
      for (size_t k = 0; k < count; ++k) {
        parameters.push_back(tensor(dtype, {3}));
        values.push_back(Tensor({numbers[1 + k], numbers[1 + k], numbers[1 + k]}).cast(dtype));
      }
      Variable draw = drawOf(name, parameters, 3, dtype);
      Variables outputs = grad(sum(draw), parameters);
      outputs.insert(outputs.begin(), draw);
      auto f = function(parameters, outputs);
      ASSERT_TRUE(f.ok()) << f.status();
      auto results = f->call(values);
      ASSERT_TRUE(results.ok()) << results.status();
      for (size_t k = 0; k <= count; ++k) {
        Tensor column = (*results)[k].cast(DType::Float64);
        for (size_t i = 0; i < 3; ++i) {
          double want = numbers[1 + count + i * (1 + count) + k];
          double got = column.flat<double>()[i];
          // The functions lose some hundred units; parameters in float32 are another point, whose
          // derivatives are near.
          double bound = dtype == DType::Float64 ? 1e-12 : 1e-5;
          EXPECT_NEAR(got, want, bound * (1 + std::fabs(want))) << "draw " << i << " by " << k;
        }
      }
    }
  }
}

// d E x[i] / d a[j] = (d(ij) a0 - a[i]) / a0^2, and E log x[i] = digamma(a[i]) - digamma(a0).
TEST(Implicit, OfDirichlet) {
  constexpr int64_t kDraws = 40000;
  Variable alpha = dvector("alpha");
  Variable x = random::dirichlet(constant(randomState(3)), alpha, options(kDraws)).value;
  Variable first = mean(x[{Slice(), 0}]), logs = mean(log(x[{Slice(), 1}]));
  auto f =
      function({alpha}, {grad(first, alpha), grad(logs, alpha), grad(mean(sum(x, Axis(1))), alpha),
                         pushforward(first, alpha, constant(Tensor({1.0, -2.0, 0.5})))});
  ASSERT_TRUE(f.ok()) << f.status();
  auto r = (*f)(Tensor({0.75, 2.0, 3.25}));
  ASSERT_TRUE(r.ok()) << r.status();
  const double a0 = 6, trigamma2 = 0.6449340668482264, trigamma6 = 0.1813229557370600;
  const double means[] = {(a0 - 0.75) / 36, -0.75 / 36, -0.75 / 36};
  const double ofLogs[] = {-trigamma6, trigamma2 - trigamma6, -trigamma6};
  for (size_t j = 0; j < 3; ++j) {
    // Five standard errors of numbers below 1 (measured: 0.1, and 0.5 of the logarithm).
    EXPECT_NEAR((*r)[0].flat<double>()[j], means[j], 5 * 0.2 / 200) << j;
    EXPECT_NEAR((*r)[1].flat<double>()[j], ofLogs[j], 5 * 0.6 / 200) << j;
    EXPECT_NEAR((*r)[2].flat<double>()[j], 0, 1e-12) << j;
  }
  double forward = means[0] - 2 * means[1] + 0.5 * means[2];
  double pulled =
      (*r)[0].flat<double>()[0] - 2 * (*r)[0].flat<double>()[1] + 0.5 * (*r)[0].flat<double>()[2];
  EXPECT_NEAR((*r)[3].item<double>(), pulled, 1e-12);
  EXPECT_NEAR(pulled, forward, 0.02);
}

// mean + L z at the same bits, of a covariance matrix made of any one.
TEST(Implicit, OfMultivariateNormal) {
  auto draw = [&](const Variables &p) {
    Variable cov = matmul(p[1], transpose(p[1])) + eye(3);
    return random::multivariateNormal(constant(randomState(5)), p[0], cov, options(4)).value;
  };
  std::vector<Tensor> point = {Tensor({0.5, -1.0, 2.0}),
                               Tensor({{1.0, 0.25, 0.0}, {0.5, 1.5, -0.5}, {0.0, 0.75, 2.0}})};
  absl::Status status = verifyGrad(draw, point, {.differences = Differences::Central});
  EXPECT_TRUE(status.ok()) << status;
  Variable mean = dvector(), a = dmatrix(), t = dmatrix(), h = constant(0x1p-20);
  Variable pushed = pushforward(draw({mean, a}), a, t);
  Variable difference = (draw({mean, a + h * t}) - draw({mean, a - h * t})) / (2.0 * h);
  auto f = function({mean, a, t}, max(abs(pushed - difference)));
  ASSERT_TRUE(f.ok()) << f.status();
  auto r = (*f)(point[0], point[1], Tensor({{1.0, 0.0, 0.5}, {0.0, -1.0, 0.0}, {0.25, 0.0, 1.0}}));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_LT((*r)[0].item<double>(), 1e-6); // h^2, and 2^-52 / h
  // By the mean alone, each row moves as that does.
  Variable moved = pushforward(draw({mean, a}), mean, constant(Tensor({1.0, 2.0, 3.0})));
  auto g = function({mean, a}, moved);
  ASSERT_TRUE(g.ok()) << g.status();
  auto rows = (*g)(point[0], point[1]);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(toString((*rows)[0], {.inlineList = true}),
            "[[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]]");
}

// Where scales are 0 and numbers have vanished there are derivatives, too.
TEST(Implicit, AtTheEnds) {
  Variable shape = dscalar("shape"), scale = dscalar("scale");
  for (const char *name : {"gamma", "invgamma"}) {
    Variable draw = drawOf(name, {shape, scale}, 2, DType::Float64);
    auto f = function({shape, scale}, grad(sum(draw), Variables{shape, scale}));
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)(2.0, 0.0);
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0].item<double>(), 0) << name;
    EXPECT_GT((*r)[1].item<double>(), 0) << name;
  }
  Variable draw = drawOf("gamma", {shape, scale}, 20, DType::Float64);
  auto f = function({shape, scale}, grad(sum(draw), shape));
  auto r = (*f)(1e-4, 1.0); // most are 0
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_TRUE(std::isfinite((*r)[0].item<double>()));
}

} // namespace
} // namespace graphc
