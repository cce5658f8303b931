//===- ComplexGradientsTest.cpp - gradients of complex numbers ---------------===//
//
// The gradient with respect to z = x + i y is dc/dx + i dc/dy: verifyGrad moves both parts.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <complex>

#include "Eval/Evaluate.h"
#include "Messages.h"
#include "graphc/Arrays.h"
#include "graphc/Fourier.h"
#include "graphc/Gradient.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using C = std::complex<double>;
using V = const Variables &;

const Tensor kZ({{C(0.5, 1.25), C(-1.5, 0.75)}, {C(1.25, -0.5), C(0.25, 0.375)}},
                DType::Complex128);
const Tensor kW({{C(1.5, -0.25), C(0.75, 1.0)}, {C(-0.5, 0.5), C(2.0, 0.125)}}, DType::Complex128);
const Tensor kR({{0.75, -1.25}, {1.5, 0.5}});

void expectGradients(const std::string &name, const std::function<Variable(V)> &f,
                     const std::vector<Tensor> &point) {
  absl::Status status = verifyGrad(f, point, {.differences = Differences::Central});
  EXPECT_TRUE(status.ok()) << name << ": " << status;
}

TEST(ComplexGradients, OfFunctions) {
  using F = Variable (*)(const Operand &);
  for (auto [name, f] : std::vector<std::pair<const char *, F>>{{"neg", neg},
                                                                {"sqr", sqr},
                                                                {"sqrt", sqrt},
                                                                {"rsqrt", rsqrt},
                                                                {"reciprocal", reciprocal},
                                                                {"exp", exp},
                                                                {"exp2", exp2},
                                                                {"expm1", expm1},
                                                                {"log", log},
                                                                {"log2", log2},
                                                                {"log10", log10},
                                                                {"log1p", log1p},
                                                                {"sin", sin},
                                                                {"cos", cos},
                                                                {"tan", tan},
                                                                {"sinh", sinh},
                                                                {"cosh", cosh},
                                                                {"tanh", tanh},
                                                                {"arcsin", arcsin},
                                                                {"arccos", arccos},
                                                                {"arctan", arctan},
                                                                {"arcsinh", arcsinh},
                                                                {"arccosh", arccosh},
                                                                {"arctanh", arctanh},
                                                                {"sigmoid", sigmoid},
                                                                {"abs", abs},
                                                                {"angle", angle},
                                                                {"conj", conj},
                                                                {"real", real},
                                                                {"imag", imag},
                                                                {"copy", copy}})
    expectGradients(name, [f = f](V v) { return f(v[0]); }, {kZ});
}

// Complex beside complex, and beside real operands on either side.
TEST(ComplexGradients, OfTwoOperands) {
  using F = Variable (*)(const Operand &, const Operand &);
  for (auto [name, f] : std::vector<std::pair<const char *, F>>{{"add", add},
                                                                {"sub", sub},
                                                                {"mul", mul},
                                                                {"trueDiv", trueDiv},
                                                                {"pow", pow},
                                                                {"dot", dot},
                                                                {"matmul", matmul},
                                                                {"outer", outer}}) {
    auto call = [f = f](V v) { return f(v[0], v[1]); };
    expectGradients(name, call, {kZ, kW});
    expectGradients(name, call, {kZ, kR});
    expectGradients(name, call, {kR, kZ});
  }
  expectGradients("z^3", [](V v) { return pow(v[0], 3); }, {kZ});
  expectGradients("the same twice", [](V v) { return v[0] * conj(v[0]) + dot(v[0], v[0]); }, {kZ});
  expectGradients("complex", [](V v) { return sqr(complex(v[0], v[0] * v[1])); }, {kR, kR});
}

TEST(ComplexGradients, OfArrays) {
  auto onBoth = [](const char *name, const std::function<Variable(V)> &f) {
    expectGradients(name, f, {kZ, kW});
  };
  onBoth("sum", [](V v) { return sum(v[0] * v[1], Axis(0)); });
  onBoth("prod", [](V v) { return prod(v[0] * v[1], Axis(1)); });
  onBoth("prod of all", [](V v) { return prod(v[0]); });
  onBoth("mean", [](V v) { return mean(v[0] * v[1]); });
  onBoth("var", [](V v) { return var(v[0], Axis(0)); });
  onBoth("stddev", [](V v) { return stddev(v[0]); });
  onBoth("cumsum", [](V v) { return cumsum(v[0], 1) * v[1]; });
  onBoth("cumprod", [](V v) { return cumprod(v[0], 0); });
  onBoth("join", [](V v) { return sqr(concatenate({v[0], v[1], abs(v[0])}, 0)); });
  onBoth("index", [](V v) { return v[0][Index(1)] * v[1].T()[Index(0)]; });
  onBoth("set", [](V v) { return sqr(setSubtensor(v[0], {Index(0)}, v[1][Index(1)])); });
  onBoth("where", [](V v) { return where(gt(real(v[0]), 0.0), v[0] * v[1], sqr(v[1])); });
  onBoth("broadcast", [](V v) { return v[0] * sum(v[1], Axis(0)); });
  onBoth("solve", [](V v) { return solve(v[0], v[1]); });
  onBoth("inv", [](V v) { return inv(v[0]); });
}

TEST(ComplexGradients, OfTransforms) {
  for (FourierNorm norm : {FourierNorm::Backward, FourierNorm::Ortho, FourierNorm::Forward})
    for (int axis : {0, 1}) {
      FourierOptions options{.axis = axis, .norm = norm};
      expectGradients("fft", [=](V v) { return sqr(fft(v[0], options)); }, {kZ});
      expectGradients("ifft", [=](V v) { return sqr(ifft(v[0], options)); }, {kZ});
      expectGradients("fft of reals", [=](V v) { return sqr(fft(v[0], options)); }, {kR});
      expectGradients("rfft", [=](V v) { return sqr(rfft(v[0], options)); }, {kR});
      expectGradients("irfft", [=](V v) { return sqr(irfft(v[0], options)); }, {kZ});
      for (int64_t n : {1, 3, 4}) {
        FourierOptions other{.n = n, .axis = axis, .norm = norm};
        expectGradients("fft n", [=](V v) { return sqr(fft(v[0], other)); }, {kZ});
        expectGradients("rfft n", [=](V v) { return sqr(rfft(v[0], other)); }, {kR});
        expectGradients("irfft n", [=](V v) { return sqr(irfft(v[0], other)); }, {kZ});
      }
    }
}

// The tangent is f'(z) t, and the pullback is adjoint to it in Re(conj(a) b).
TEST(ComplexGradients, PushforwardsAreAdjoint) {
  Variable z = zmatrix("z"), t = zmatrix("t"), g = zmatrix("g");
  for (const Variable &f :
       {exp(z), z * z, abs(z) * z, fft(z), dot(z, z), conj(z) / z, cumprod(z, 0)}) {
    Variable tangent = pushforward(f, z, t), gradient = pullback(f, z, g);
    ASSERT_TRUE(tangent.ok()) << tangent.status();
    ASSERT_TRUE(gradient.ok()) << gradient.status();
    Variable difference = sum(real(conj(g) * tangent)) - sum(real(conj(gradient) * t));
    absl::StatusOr<std::vector<Tensor>> value = evaluate({difference}, {z, t, g}, {kZ, kW, kZ});
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_NEAR((*value)[0].item<double>(), 0, 1e-12);
  }
}

// Of |z|^2 it points away from 0: 2 z, where JAX gives 2 conj(z).
TEST(ComplexGradients, PointUphill) {
  Variable z = zscalar("z");
  Variable g = grad(sqr(abs(z)), z), h = grad(real(z * C(2, 3)), z);
  absl::StatusOr<std::vector<Tensor>> value = evaluate({g, h}, {z}, {Tensor(C(3, 4))});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_NEAR(std::abs((*value)[0].item<C>() - C(6, 8)), 0, 1e-14);
  EXPECT_NEAR(std::abs((*value)[1].item<C>() - C(2, -3)), 0, 1e-14);
  EXPECT_EQ(
      said(grad(z, z).status()),
      "TypeError: grad: the cost, z, is complex<f64>: a cost is real; take abs or real of it");
}

} // namespace
} // namespace graphc
