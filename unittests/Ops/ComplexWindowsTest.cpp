//===- ComplexWindowsTest.cpp - convolutions and pools of complex arrays ------===//
#include <gtest/gtest.h>

#include "ComplexValues.h"
#include "Messages.h"

namespace graphc {
namespace {

PoolOptions pooling(PoolMode mode) {
  return {.stride = {2, 2}, .padding = Padding({{0, 0}, {1, 1}}), .mode = mode};
}

/// Of the operands of make_complex_windows.py, cast by `of`.
std::map<std::string, Variable> results(const std::function<Variable(const Variable &)> &of) {
  Variable line = of(waves({2, 3, 7}, 1)), lines = of(waves({4, 3, 3}, 60));
  Variable picture = of(waves({2, 4, 6, 5}, 1)), pictures = of(waves({6, 2, 3, 2}, 300));
  Variable solid = of(waves({1, 2, 4, 3, 5}, 1)), solids = of(waves({2, 2, 2, 2, 3}, 300));
  Variable small = of(waves({1, 4, 3, 2}, 1)), up = of(waves({4, 3, 3, 2}, 300));
  return {
      {"line", conv1d(line, lines)},
      {"picture", conv2d(picture, pictures,
                         {.stride = {2, 1},
                          .padding = Padding({{1, 0}, {0, 2}}),
                          .dilation = {1, 2},
                          .groups = 2,
                          .filterFlip = false})},
      {"solid", conv3d(solid, solids, {.stride = {1, 1, 2}, .padding = 1})},
      {"of_real_kernel",
       conv1d(line, real(lines), {.stride = {2}, .padding = 1, .filterFlip = false})},
      {"up", conv2dTranspose(small, up, {.stride = {2, 3}, .groups = 2})},
      {"sum", pool(picture, {2, 3}, pooling(PoolMode::Sum))},
      {"inc", pool(picture, {2, 3}, pooling(PoolMode::AverageIncPad))},
      {"exc", pool(picture, {2, 3}, pooling(PoolMode::AverageExcPad))},
  };
}

// Sums of at most 24 products of numbers up to 2: 100 roundings of numbers below 50.
TEST(ComplexWindows, AreThoseOfTheirDefinitions) {
  for (DType dtype : {DType::Complex128, DType::Complex64})
    expectNumbers(results([&](const Variable &v) { return cast(v, dtype); }), "complex_windows.txt",
                  dtype, 100 * 50);
}

// First and second derivatives with respect to both parts of a factor of all operands.
TEST(ComplexWindows, HaveGradients) {
  const std::vector<Tensor> point = {Tensor(0.75), Tensor(-0.5)};
  for (const auto &[key, result] : results([](const Variable &v) { return v; })) {
    const std::string &name = key;
    SCOPED_TRACE(name);
    GradFunction f = [&](const Variables &in) {
      Variable factor = complex(in[0], in[1]);
      Variable y = results([&](const Variable &v) { return v * factor; }).at(name);
      return stack({real(y), imag(y)});
    };
    absl::Status status = verifyGrad(f, point, {.differences = Differences::Central});
    EXPECT_TRUE(status.ok()) << status;
    GradFunction second = [&](const Variables &in) {
      Variable y = f(in);
      return stack(grad(sum(y * y), in));
    };
    status = verifyGrad(second, point, {.differences = Differences::Central});
    EXPECT_TRUE(status.ok()) << status;
  }
}

// Each element of both operands.
TEST(ComplexWindows, HaveGradientsOfEachElement) {
  const std::vector<Tensor> point = {wave({1, 4, 3, 4}, 1), wave({1, 4, 3, 4}, 101),
                                     wave({2, 2, 2, 2}, 300), wave({2, 2, 2, 2}, 400)};
  GradFunction f = [&](const Variables &in) {
    Variable y = conv2d(complex(in[0], in[1]), complex(in[2], in[3]),
                        {.stride = {2, 1}, .padding = 1, .groups = 2});
    Variable pooled = pool(y, {2, 2}, {.stride = {1, 1}, .mode = PoolMode::AverageIncPad});
    return stack({real(pooled), imag(pooled)});
  };
  absl::Status status = verifyGrad(f, point, {.differences = Differences::Central});
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ComplexWindows, HaveNoMaximum) {
  Variable z(TensorType(DType::Complex64, {4}), "z");
  EXPECT_EQ(
      said(pool(z, {2}).status()),
      "TypeError: pool: complex64 operands are refused: complex numbers have no maximum; take "
      "sums or averages, or real, imag, abs or angle of them\n  pool{window = "
      "[2]}(z: complex<f32>[4])");
}

} // namespace
} // namespace graphc
