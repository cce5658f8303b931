//===- HalfPowerTest.cpp - powers with a constant exponent of halves ------===//
//
// x^(k/2) is code of its own, and on AVX-512 it starts from an estimate that no C++ has: compiled
// code is compared with powers in a wider type, and with mpmath's, within the bounds of pow.
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "Bounds.h"
#include "JitHarness.h"
#include "Lowering/Math/FormulaCore.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace graphc::math {
namespace {

using graphc::testing::KernelModule;
using graphc::testing::runnableTargets;

/// The exponents of a module, one kernel each.
void addPowers(KernelModule &module, DType dtype, int lanes, const std::vector<double> &exponents,
               const MathTarget &target) {
  for (size_t k = 0; k < exponents.size(); ++k) {
    double exponent = exponents[k];
    auto body = [=](mlir::ImplicitLocOpBuilder &b, mlir::ValueRange args) {
      mlir::Type type = args[0].getType(), element = mlir::getElementTypeOrSelf(type);
      mlir::TypedAttr value = b.getFloatAttr(element, exponent);
      if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
        value = mlir::DenseElementsAttr::get(vector, mlir::Attribute(value));
      mlir::Value y = mlir::arith::ConstantOp::create(b, value);
      return buildMath(b, MathFunction::Pow, {args[0], y}, target);
    };
    module.add({"kernel_" + std::to_string(k), {dtype}, dtype, lanes, body});
  }
}

/// Expects that `got` is x^y within the bound of pow; `slack` is the error of `exact`.
template <class T>
::testing::AssertionResult isPower(T x, double y, T got, Wider<T> exact, double slack) {
  if (isWithin<T>(got, exact, limit<T>(MathFunction::Pow) + slack))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "pow(" << x << ", " << y << ") = " << got << ", not " << exact;
}

/// Zeros, infinities, NaN, borders of the range, subnormals, and numbers of all magnitudes.
template <class T> std::vector<T> bases(int64_t n) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           1,
                           2,
                           4,
                           T(0.25),
                           T(0.75),
                           T(1.5),
                           3,
                           Limits::infinity(),
                           Limits::max(),
                           Limits::min(),
                           Limits::denorm_min(),
                           3 * Limits::denorm_min(),
                           std::nextafter(Limits::min(), T(0)),
                           std::nextafter(T(1), T(0)),
                           std::nextafter(T(1), T(2)),
                           Limits::quiet_NaN()};
  for (size_t i = 0, count = values.size(); i < count; ++i)
    values.push_back(-values[i]);
  std::mt19937_64 random(7);
  while (int64_t(values.size()) < n) {
    uint64_t bits = random();
    T any; // any bits, mostly positive
    std::memcpy(&any, &bits, sizeof any);
    double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    values.push_back(random() % 2 ? (random() % 8 ? std::fabs(any) : any)
                                  : static_cast<T>(std::exp2(unit * 20 - 10)));
  }
  return values;
}

const std::vector<double> kExponents = {-1.5, 1.5, -0.5, 0.5, 2.5, -2.5, 3.5, -7.5, 31.5, -31.5, 1,
                                        -1,   2,   -2,   3,   -3,  4,    -6,  17,   32,   -32};

template <class T> void expectPowers(DType dtype, int lanes, const TargetDescription &target) {
  KernelModule module;
  addPowers(module, dtype, lanes, kExponents, graphc::testing::mathTarget(target));
  auto code = module.load(target);
  ASSERT_TRUE(code);
  const int64_t n = 48 * 400;
  std::vector<T> x = bases<T>(n), y(n);
  for (size_t k = 0; k < kExponents.size(); ++k) {
    graphc::testing::call(*code, k, n, x, y);
    for (int64_t i = 0; i < n; ++i) // powl is off by less than a unit of 2^-63
      ASSERT_TRUE(isPower(x[i], kExponents[k], y[i],
                          std::pow(Wider<T>(x[i]), Wider<T>(kExponents[k])), 0x1p-10))
          << lanes << " lanes on " << target.name;
  }
}

class HalfPower : public ::testing::TestWithParam<int> {};
TEST_P(HalfPower, SingleIsWithinTheBoundOfPow) {
  for (const TargetDescription &target : runnableTargets())
    expectPowers<float>(DType::Float32, GetParam(), target);
}
TEST_P(HalfPower, DoubleIsWithinTheBoundOfPow) {
  for (const TargetDescription &target : runnableTargets())
    expectPowers<double>(DType::Float64, GetParam(), target);
}
INSTANTIATE_TEST_SUITE_P(Lanes, HalfPower, ::testing::Values(0, 8, 24));

/// 0, fractions that are no halves, and what is out of reach take the formula with the logarithm.
TEST(HalfPowers, OtherExponentsAreNotTouched) {
  const TargetDescription target = runnableTargets().front();
  for (double exponent : {0.0, 0.3, 32.5, 1e300, -1e300}) {
    KernelModule module;
    addPowers(module, DType::Float64, 8, {exponent}, graphc::testing::mathTarget(target));
    auto code = module.load(target);
    ASSERT_TRUE(code);
    std::vector<double> x = {0, -0.0, 1, 1.5, 0.7, -2, INFINITY, NAN}, y(8);
    graphc::testing::call(*code, 0, 8, x, y);
    for (int i = 0; i < 8; ++i)
      EXPECT_TRUE(isPower<double>(
          x[i], exponent, y[i],
          std::pow(static_cast<long double>(x[i]), static_cast<long double>(exponent)), 0x1p-10));
  }
}

/// The lines of mpmath's values whose exponent is a multiple of 1/2.
template <class T> void expectVectors(DType dtype, const char *type) {
  std::ifstream file(GRAPHC_TEST_DATA "/Vectors.txt");
  std::vector<T> x;
  std::vector<double> exponents, expected;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, kind, xs, ys, rs;
    words >> name >> kind >> xs >> ys >> rs;
    double y = std::strtod(ys.c_str(), nullptr);
    if (name != "pow" || kind != type || 2 * y != std::trunc(2 * y) ||
        std::fabs(2 * y) > kMaxHalfPower)
      continue;
    x.push_back(static_cast<T>(std::strtod(xs.c_str(), nullptr)));
    exponents.push_back(y), expected.push_back(std::strtod(rs.c_str(), nullptr));
  }
  ASSERT_GT(x.size(), 30u);
  for (const TargetDescription &target : runnableTargets()) {
    KernelModule module;
    addPowers(module, dtype, 16, exponents, graphc::testing::mathTarget(target));
    auto code = module.load(target);
    ASSERT_TRUE(code);
    for (size_t k = 0; k < x.size(); ++k) {
      std::vector<T> in(16, x[k]), out(16);
      graphc::testing::call(*code, k, 16, in, out);
      EXPECT_TRUE(isPower<T>(x[k], exponents[k], out[0], expected[k], 0.5))
          << target.name; // rounded itself
    }
  }
}
TEST(HalfPowers, MpMathSingle) { expectVectors<float>(DType::Float32, "f32"); }
TEST(HalfPowers, MpMathDouble) { expectVectors<double>(DType::Float64, "f64"); }

} // namespace
} // namespace graphc::math
