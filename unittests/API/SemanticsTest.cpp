//===- SemanticsTest.cpp - values that every way of computing must agree on --===//
//
// Expected numbers follow from docs/Semantics.md and IEEE 754 by hand.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "graphc/Function.h"
#include "graphc/Ops.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

using Build = std::function<Variable(const Variables &)>;

/// A mode's name, or this: compiled without rewrites.
constexpr const char *kUnrewritten = "unrewritten";

/// The Status or value of build(operands) in a mode: of inputs with unknown extents, or of
/// constants, which are folded.
absl::StatusOr<Tensor> compute(const Build &build, const std::vector<Tensor> &operands,
                               const std::string &mode, bool folded) {
  Variables leaves;
  for (const Tensor &t : operands)
    leaves.push_back(folded ? Variable(constant(t))
                            : tensor(t.dtype(), std::vector<int64_t>(t.rank(), kDynamic)));
  FunctionOptions options;
  options.rewrites = mode != kUnrewritten;
  if (options.rewrites)
    options.mode = mode;
  auto f = function(folded ? Variables() : leaves, {build(leaves)}, options);
  if (!f.ok())
    return f.status();
  auto r = f->call(folded ? std::vector<Tensor>() : operands);
  if (!r.ok())
    return r.status();
  return (*r)[0];
}

/// Calls check(result, what) for each mode, with inputs and with constants.
void everyWay(const Build &build, const std::vector<Tensor> &operands,
              const std::function<void(const absl::StatusOr<Tensor> &)> &check) {
  for (const char *mode : {"interpreter", kUnrewritten, "fast_compile", "fast_run"})
    for (bool folded : {false, true}) {
      SCOPED_TRACE(std::string(mode) + (folded ? " of constants" : " of inputs"));
      check(compute(build, operands, mode, folded));
    }
}

/// Bits are compared: -0.0 is not 0.0; any NaN is NaN.
void expectValue(const Build &build, const std::vector<Tensor> &operands, const Tensor &wanted) {
  everyWay(build, operands, [&](const absl::StatusOr<Tensor> &value) {
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(value->identical(wanted)) << value->str() << " instead of " << wanted.str();
  });
}
void expectError(const Build &build, const std::vector<Tensor> &operands, ErrorKind wanted) {
  everyWay(build, operands, [&](const absl::StatusOr<Tensor> &value) {
    EXPECT_EQ(errorKind(value.status()), wanted) << value.status();
  });
}

using V = const Variables &;
Tensor none() { return *Tensor::zeros(DType::Float64, {0}); }

// F-307, F-308: what each mode may change. log(exp(x)) is x but where exp overflows; x * 0,
// 0 / x, x - x and x / x are no constants where x may be NaN, infinite or zero.
TEST(Semantics, ModesAllowEffects) {
  auto in = [](const char *mode, const Build &build, double x) {
    absl::StatusOr<Tensor> value = compute(build, {Tensor(x)}, mode, /*folded=*/false);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? value->item<double>() : 0;
  };
  Build overflows = [](V v) { return log(exp(v[0])); };
  EXPECT_EQ(in(kUnrewritten, overflows, 1000), kInf);
  EXPECT_EQ(in("strict", overflows, 1000), kInf);
  EXPECT_EQ(in("fast_run", overflows, 1000), 1000);
  EXPECT_EQ(in("fast_math", overflows, 1000), 1000);
  Build quotient = [](V v) { return v[0] / v[0]; };
  Build product = [](V v) { return v[0] * 0.0; };
  Build difference = [](V v) { return v[0] - v[0]; };
  Build ofZero = [](V v) { return 0.0 / v[0]; };
  for (const char *mode : {kUnrewritten, "strict", "fast_compile", "fast_run"}) {
    EXPECT_TRUE(std::isnan(in(mode, quotient, 0))) << mode;
    EXPECT_TRUE(std::isnan(in(mode, product, kInf))) << mode;
    EXPECT_TRUE(std::isnan(in(mode, difference, kInf))) << mode;
    EXPECT_TRUE(std::isnan(in(mode, ofZero, 0))) << mode;
  }
  EXPECT_EQ(in("fast_math", quotient, 0), 1);
  EXPECT_EQ(in("fast_math", product, kInf), 0);
  EXPECT_EQ(in("fast_math", ofZero, 0), 0);
}

// F-046, F-361
TEST(Semantics, CastsTruncateSaturateAndWrap) {
  Tensor x({2.9, -2.9, 300, -300, kNan, kInf, -kInf});
  auto to = [](DType dtype) { return [=](V v) { return cast(v[0], dtype); }; };
  expectValue(to(DType::Int8), {x}, Tensor({2, -2, 127, -128, 0, 127, -128}, DType::Int8));
  expectValue(to(DType::UInt8), {x}, Tensor({2, 0, 255, 0, 0, 255, 0}, DType::UInt8));
  expectValue(to(DType::Bool), {x}, Tensor({1, 1, 1, 1, 1, 1, 1}, DType::Bool));
  expectValue(to(DType::Int8), {Tensor({300, -1}, DType::Int32)}, Tensor({44, -1}, DType::Int8));
}

// F-361
TEST(Semantics, IntegerDivisionAndShiftsAreDefinedEverywhere) {
  Tensor least({-128, 7, 5}, DType::Int8), divisor({-1, 0, -2}, DType::Int8);
  expectValue([](V v) { return intDiv(v[0], v[1]); }, {least, divisor},
              Tensor({-128, 0, -3}, DType::Int8));
  expectValue([](V v) { return mod(v[0], v[1]); }, {least, divisor},
              Tensor({0, 0, -1}, DType::Int8));
  Tensor x({1, 1, 1, -5}, DType::Int8), count({7, 8, -1, 100}, DType::Int8);
  expectValue([](V v) { return leftShift(v[0], v[1]); }, {x, count},
              Tensor({-128, 0, 0, 0}, DType::Int8));
  expectValue([](V v) { return rightShift(v[0], v[1]); }, {x, count},
              Tensor({0, 0, 0, -1}, DType::Int8));
}

// F-362
TEST(Semantics, ModHasTheSignOfTheDivisor) {
  for (DType dtype : {DType::Float64, DType::Int32})
    expectValue([](V v) { return mod(v[0], v[1]); },
                {Tensor({7, -7, 7, -7}, dtype), Tensor({3, 3, -3, -3}, dtype)},
                Tensor({1, 2, -2, -1}, dtype));
}

// F-363
TEST(Semantics, RoundIsHalfToEven) {
  Tensor x({0.5, 1.5, 2.5, -0.5, 0.49999999999999994});
  expectValue([](V v) { return round(v[0]); }, {x}, Tensor({0.0, 2.0, 2.0, -0.0, 0.0}));
  expectValue([](V v) { return roundHalfAwayFromZero(v[0]); }, {x},
              Tensor({1.0, 2.0, 3.0, -1.0, 0.0}));
}

// F-364
TEST(Semantics, MaximaPropagateNan) {
  Tensor x({1, kNan, 3}), nan = Tensor(kNan);
  expectValue([](V v) { return max(v[0]); }, {x}, nan);
  expectValue([](V v) { return min(v[0]); }, {x}, nan);
  expectValue([](V v) { return maximum(v[0], v[1]); }, {nan, Tensor(1.0)}, nan);
  expectValue([](V v) { return minimum(v[0], v[1]); }, {Tensor(1.0), nan}, nan);
  expectValue([](V v) { return argmax(v[0]); }, {Tensor({1, kNan, 3, kNan})}, Tensor(1));
  expectValue([](V v) { return argmin(v[0]); }, {Tensor({1, kNan, 0, kNan})}, Tensor(1));
}

// F-364: maximum and minimum of IEEE 754-2019, for which operands may be exchanged and grouped:
// +0 is larger than -0, in loops over whole vectors and what is left of them, beside constants, and
// in reductions, whatever the order.
TEST(Semantics, MaximaOfZeros) {
  for (DType dtype : {DType::Float64, DType::Float32, DType::Float16, DType::BFloat16}) {
    SCOPED_TRACE(std::string(dtypeName(dtype)));
    std::vector<double> xs, ys, larger, less;
    for (int i = 0; i < 45; ++i) {
      bool xIsNegative = i % 2, yIsNegative = i / 2 % 2;
      xs.push_back(xIsNegative ? -0.0 : 0.0);
      ys.push_back(yIsNegative ? -0.0 : 0.0);
      larger.push_back(xIsNegative && yIsNegative ? -0.0 : 0.0);
      less.push_back(xIsNegative || yIsNegative ? -0.0 : 0.0);
    }
    auto of = [&](const std::vector<double> &values) {
      return Tensor::fromSpan<double>(values, {int64_t(values.size())})->cast(dtype);
    };
    Tensor x = of(xs), y = of(ys), positive = of({0.0}), negative = of({-0.0});
    expectValue([](V v) { return maximum(v[0], v[1]); }, {x, y}, of(larger));
    expectValue([](V v) { return minimum(v[0], v[1]); }, {x, y}, of(less));
    for (double zero : {0.0, -0.0}) {
      Variable c = constant(Tensor(zero).cast(dtype));
      auto with = [&](double wins) {
        std::vector<double> wanted = xs;
        if (std::signbit(zero) == std::signbit(wins))
          wanted.assign(xs.size(), zero);
        return of(wanted);
      };
      expectValue([&](V v) { return maximum(v[0], c); }, {x}, with(0.0));
      expectValue([&](V v) { return maximum(c, v[0]); }, {x}, with(0.0));
      expectValue([&](V v) { return minimum(v[0], c); }, {x}, with(-0.0));
    }
    for (size_t at : {0, 20, 44}) {
      std::vector<double> one(45, -0.0), other(45, 0.0);
      one[at] = 0.0;
      other[at] = -0.0;
      auto first = [](const Tensor &t) { return *t.reshape({}); };
      expectValue([](V v) { return max(v[0]); }, {of(one)}, first(positive));
      expectValue([](V v) { return min(v[0]); }, {of(other)}, first(negative));
    }
  }
  // So equal they are in mode strict, too.
  Variable a = dvector("a"), b = dvector("b");
  FunctionGraph graph =
      *FunctionGraph::create({a, b}, {maximum(a, b), maximum(b, a), minimum(a, b), minimum(b, a)});
  ASSERT_TRUE(rewrite(graph, {.allowed = kStrictEffects}).ok());
  EXPECT_EQ(graph.numNodes(), 2);
}

// F-365
TEST(Semantics, ClipKeepsNan) {
  expectValue([](V v) { return clip(v[0], 0.0, 1.0); }, {Tensor({kNan, 2.0, -1.0})},
              Tensor({kNan, 1.0, 0.0}));
}

// F-366
TEST(Semantics, ReductionsOverNoElements) {
  expectValue([](V v) { return sum(v[0]); }, {none()}, Tensor(0.0));
  expectValue([](V v) { return prod(v[0]); }, {none()}, Tensor(1.0));
  expectValue([](V v) { return any(v[0]); }, {none()}, Tensor(0).cast(DType::Bool));
  expectValue([](V v) { return all(v[0]); }, {none()}, Tensor(1).cast(DType::Bool));
  expectValue([](V v) { return mean(v[0]); }, {none()}, Tensor(kNan));
  expectError([](V v) { return max(v[0]); }, {none()}, ErrorKind::ValueError);
  expectError([](V v) { return min(v[0]); }, {none()}, ErrorKind::ValueError);
  expectError([](V v) { return argmax(v[0]); }, {none()}, ErrorKind::ValueError);
  expectError([](V v) { return argmin(v[0]); }, {none()}, ErrorKind::ValueError);
}

// F-367
TEST(Semantics, SignOfNanAndZero) {
  everyWay([](V v) { return sgn(v[0]); }, {Tensor({kNan, -0.0, -3.0})},
           [](const absl::StatusOr<Tensor> &value) {
             ASSERT_TRUE(value.ok()) << value.status();
             EXPECT_TRUE(std::isnan(value->flat<double>()[0]));
             EXPECT_EQ(value->flat<double>()[1], 0);
             EXPECT_EQ(value->flat<double>()[2], -1);
           });
}

// F-368
TEST(Semantics, SoftmaxSubtractsTheMaximum) {
  expectValue([](V v) { return softmax(v[0]); }, {Tensor({1000, 1000})}, Tensor({0.5, 0.5}));
  expectValue([](V v) { return logsumexp(v[0]); }, {Tensor({-kInf, -kInf})}, Tensor(-kInf));
  expectValue([](V v) { return softmax(v[0]); }, {Tensor({-kInf, -kInf})}, Tensor({kNan, kNan}));
}

// F-047: subnormals are kept, and signs of zeros.
TEST(Semantics, SubnormalsAndNegativeZerosAreKept) {
  expectValue([](V v) { return v[0] * v[1]; },
              {Tensor({0x1p-1000, -0x1p-1000, 0x1p-1000}), Tensor({0x1p-70, 0x1p-70, -0x1p-200})},
              Tensor({0x1p-1070, -0x1p-1070, -0.0}));
  expectValue([](V v) { return v[0] + v[1]; },
              {Tensor({0x1p-149, -0.0}, DType::Float32), Tensor({0x1p-149, -0.0}, DType::Float32)},
              Tensor({0x1p-148, -0.0}, DType::Float32));
  // exp(-740) is 85.003 units of 2^-1074.
  expectValue([](V v) { return exp(v[0]); }, {Tensor(-740.0)}, Tensor(85 * 0x1p-1074));
}

// F-046, F-047: narrowing keeps the sign of a NaN, as NumPy's and ml_dtypes' casts do.
TEST(Semantics, NarrowedNansKeepTheirSign) {
  for (DType from : {DType::Float32, DType::Float64})
    for (DType to : {DType::Float16, DType::BFloat16, DType::Float32})
      expectValue([=](V v) { return copysign(cast(1.0, to), cast(v[0], to)); },
                  {Tensor({kNan, -kNan}, from)}, Tensor({1, -1}, to));
}

} // namespace
} // namespace graphc
