//===- BuilderTest.cpp - compiled expansions against the C++ backend ------===//
#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "Bounds.h"
#include "FormulaRuns.h"
#include "JitHarness.h"
#include "absl/algorithm/container.h"

namespace graphc::math {
namespace {

using graphc::testing::KernelModule;

constexpr MathFunction kFunctions[] = {
#define GRAPHC_FUNCTION(id, name, operands) MathFunction::id,
    GRAPHC_MATH_FUNCTIONS(GRAPHC_FUNCTION)
#undef GRAPHC_FUNCTION
};

void addFunctions(KernelModule &module, DType dtype, int lanes, const MathTarget &target) {
  for (MathFunction function : kFunctions) {
    auto body = [=](mlir::ImplicitLocOpBuilder &b, mlir::ValueRange args) {
      return buildMath(b, function, args.take_front(mathFunctionOperands(function)), target);
    };
    module.add(
        {"kernel_" + std::string(mathFunctionName(function)), {dtype, dtype}, dtype, lanes, body});
  }
}

template <class T> std::vector<T> operands(int64_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  using Limits = std::numeric_limits<T>;
  const T special[] = {0,
                       -T(0),
                       1,
                       -1,
                       0.5,
                       -0.5,
                       2,
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       Limits::min(),
                       Limits::max(),
                       -Limits::max(),
                       T(710.3),
                       T(-745),
                       T(88.7),
                       T(-103.5),
                       T(1e6),
                       T(1e12)};
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits = random();
    double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    if (i % 16 == 0) { // any bit pattern
      std::memcpy(&values[i], &bits, sizeof(T));
    } else if (i % 16 == 1) {
      values[i] = special[bits % std::size(special)];
    } else {
      values[i] = static_cast<T>((unit - 0.5) * (i % 2 ? 4 : 200));
    }
  }
  return values;
}

/// Of f32, with AVX-512: they start from an estimate that no C++ has.
constexpr MathFunction kEstimated[] = {MathFunction::Rsqrt, MathFunction::Erfc};

/// The formulas promise the same bits from every backend, since all operations are exact or rounded
/// as IEEE 754 says, but where they start from an estimate.
template <class T> void expectSameBits(DType dtype, int lanes, const TargetDescription &target) {
  KernelModule module;
  MathTarget expansions = graphc::testing::mathTarget(target);
  addFunctions(module, dtype, lanes, expansions);
  auto code = module.load(target);
  ASSERT_TRUE(code);
  Form form = expansions.avx512 && lanes ? Form::FmaAndTables
              : expansions.fma           ? Form::Fma
                                         : Form::Plain;
  const int64_t n = 48 * 128; // a multiple of all lane counts below
  auto x = operands<T>(n, 1), y = operands<T>(n, 2);
  std::vector<T> compiled(n), expected(n);
  for (size_t k = 0; k < std::size(kFunctions); ++k) {
    MathFunction function = kFunctions[k];
    graphc::testing::call(*code, k, n, x, y, compiled);
    run(function, form, x.data(), y.data(), expected.data(), n);
    int64_t different = 0, first = -1;
    for (int64_t i = 0; i < n; ++i) {
      bool same = std::memcmp(&compiled[i], &expected[i], sizeof(T)) == 0 ||
                  (std::isnan(compiled[i]) && std::isnan(expected[i]));
      if (sizeof(T) == 4 && absl::c_linear_search(kEstimated, function)) // both within one unit
        same |= std::fabs(compiled[i] - expected[i]) <= 2 * unitAt<T>(expected[i]);
      if (!same && different++ == 0)
        first = i;
    }
    EXPECT_EQ(different, 0) << mathFunctionName(function) << " " << lanes << " lanes on "
                            << target.name << ": f(" << x[first] << ", " << y[first]
                            << ") = " << compiled[first] << ", not " << expected[first];
  }
}

class Builder : public ::testing::TestWithParam<int> {
protected:
  void SetUp() override {
    if (!canRun())
      GTEST_SKIP();
  }
};

TEST_P(Builder, SingleEqualsCppBackend) {
  for (const TargetDescription &target : graphc::testing::runnableTargets())
    expectSameBits<float>(DType::Float32, GetParam(), target);
}
TEST_P(Builder, DoubleEqualsCppBackend) {
  for (const TargetDescription &target : graphc::testing::runnableTargets())
    expectSameBits<double>(DType::Float64, GetParam(), target);
}
// Scalars; half a register of f32 and a whole one of f64; one and a half, and three.
INSTANTIATE_TEST_SUITE_P(Lanes, Builder, ::testing::Values(0, 8, 24));

/// What the comparison above lets pass: every 997th operand.
TEST(Builder, EstimatesAreWithinTheBound) {
  std::vector<float> x, y;
  for (uint64_t bits = 0; bits < 1ull << 32; bits += 997) {
    uint32_t pattern = static_cast<uint32_t>(bits);
    std::memcpy(&x.emplace_back(), &pattern, sizeof pattern);
  }
  x.resize(x.size() / 16 * 16), y.resize(x.size());
  for (const TargetDescription &target : graphc::testing::runnableTargets()) {
    for (MathFunction function : kEstimated) {
      KernelModule module;
      MathTarget expansions = graphc::testing::mathTarget(target);
      auto body = [=](mlir::ImplicitLocOpBuilder &b, mlir::ValueRange args) {
        return buildMath(b, function, args, expansions);
      };
      module.add({"kernel", {DType::Float32}, DType::Float32, 16, body});
      auto code = module.load(target);
      ASSERT_TRUE(code);
      graphc::testing::call(*code, 0, static_cast<int64_t>(x.size()), x, y);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_TRUE(isWithin<float>(y[i], reference<double>(function, double(x[i]), 0.0),
                                    limit<float>(function)))
            << mathFunctionName(function) << "(" << x[i] << ") = " << y[i] << " on " << target.name;
    }
  }
}

/// Objects must not depend on anything but libm (and not on libm's fma, a call for every step).
TEST(Builder, CallsOnlyLibm) {
  const std::set<std::string> allowed = {"sin",  "sinf", "sinl", "cos", "cosf",
                                         "cosl", "tan",  "tanl", "fmod"};
  for (const TargetDescription &target : graphc::testing::allTargets()) {
    for (DType dtype : {DType::Float32, DType::Float64}) {
      for (int lanes : {0, 16}) {
        KernelModule module;
        addFunctions(module, dtype, lanes, graphc::testing::mathTarget(target));
        auto bytes = module.object(target);
        ASSERT_TRUE(bytes.ok()) << target.name << ": " << bytes.status();
        for (const std::string &name : graphc::testing::undefinedSymbols(*bytes))
          EXPECT_TRUE(allowed.count(name)) << name << " for " << target.name;
      }
    }
  }
}

/// 16-bit floats: computed in f32, rounded once.
TEST(Builder, Halves) {
  for (const TargetDescription &target : graphc::testing::runnableTargets()) {
    for (DType dtype : {DType::Float16, DType::BFloat16}) {
      KernelModule module;
      MathTarget expansions = graphc::testing::mathTarget(target);
      auto body = [=](mlir::ImplicitLocOpBuilder &b, mlir::ValueRange args) {
        return buildMath(b, MathFunction::Exp, args, expansions);
      };
      module.add({"kernel_exp", {dtype}, dtype, 16, body});
      auto code = module.load(target);
      ASSERT_TRUE(code);
      std::vector<uint16_t> x(65536), y(65536);
      for (int i = 0; i < 65536; ++i)
        x[i] = static_cast<uint16_t>(i);
      graphc::testing::call(*code, 0, 65536, x, y);
      auto value = [&](uint16_t bits) {
        Half half;
        BFloat16 brain;
        half.bits = brain.bits = bits;
        return dtype == DType::Float16 ? float(half) : float(brain);
      };
      for (int i = 0; i < 65536; ++i) {
        // The f32 function is off by at most one unit, so the rounded one by one of its own.
        float exact = static_cast<float>(std::exp(static_cast<double>(value(x[i]))));
        uint16_t nearest = dtype == DType::Float16 ? Half(exact).bits : BFloat16(exact).bits;
        if (std::isnan(exact))
          EXPECT_TRUE(std::isnan(value(y[i]))) << target.name << " " << i;
        else
          EXPECT_LE(std::abs(int(y[i]) - int(nearest)), 1) << target.name << " " << value(x[i]);
      }
    }
  }
}

} // namespace
} // namespace graphc::math
