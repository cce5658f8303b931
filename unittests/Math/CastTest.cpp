//===- CastTest.cpp - F-046: conversions between dtypes -------------------===//
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "JitHarness.h"
#include "gmock/gmock.h"

namespace graphc {
namespace {

using graphc::testing::KernelModule;

constexpr DType kAll[] = {DType::Bool,   DType::Int8,    DType::Int16,    DType::Int32,
                          DType::Int64,  DType::UInt8,   DType::UInt16,   DType::UInt32,
                          DType::UInt64, DType::Float16, DType::BFloat16, DType::Float32,
                          DType::Float64};

/// A value as an exact number: 64 bits of mantissa hold every element of every dtype.
template <class T> long double number(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return static_cast<float>(value);
  else
    return static_cast<long double>(value);
}

/// F-046 by its words, in exact numbers. Rounding to a 16-bit float goes by its spacing.
template <class To, class From> To expected(From from) {
  long double x = number(from);
  if constexpr (std::is_same_v<To, bool>) {
    return x != 0; // NaN is true
  } else if constexpr (std::is_integral_v<To>) {
    if constexpr (std::is_integral_v<From>)
      return static_cast<To>(from); // wraps
    using Limits = std::numeric_limits<To>;
    if (std::isnan(x))
      return 0;
    if (x <= static_cast<long double>(Limits::min()))
      return Limits::min();
    if (x >= static_cast<long double>(Limits::max()))
      return Limits::max();
    return static_cast<To>(x);
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(x);
  } else {
    constexpr bool kHalf = std::is_same_v<To, Half>;
    constexpr int kDigits = kHalf ? 11 : 8, kLeast = kHalf ? -24 : -133;
    if (std::isnan(x) || std::isinf(x) || x == 0)
      return To(static_cast<float>(x));
    int exponent;
    std::frexp(x, &exponent);
    long double unit = std::ldexp(1.0L, std::max(exponent - kDigits, kLeast));
    long double rounded = std::nearbyint(x / unit) * unit, max = kHalf ? 65504.0L : 0x1.fep127L;
    return To(static_cast<float>(std::fabs(rounded) > max ? std::copysign(INFINITY, x) : rounded));
  }
}

template <class T> bool same(T a, T b) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return a.bits == b.bits || (std::isnan(float(a)) && std::isnan(float(b)));
  else if constexpr (std::is_floating_point_v<T>)
    return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
  else
    return a == b;
}

/// Borders of all types, ties of the roundings, random values. `Memory` is what an array holds.
template <class T> auto values(int64_t n) {
  using Memory = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  std::vector<Memory> result;
  std::mt19937_64 random(3);
  if constexpr (std::is_same_v<T, bool>) {
    while (static_cast<int64_t>(result.size()) < n)
      result.push_back(random() & 1);
  } else if constexpr (std::is_integral_v<T>) {
    for (int shift = 0; shift < 64; ++shift)
      for (int64_t offset : {-2, -1, 0, 1, 2})
        for (uint64_t sign : {~uint64_t(0), uint64_t(1)}) // -1 and 1, without overflow
          for (uint64_t low : {uint64_t(0), uint64_t(1) << (shift / 2),
                               uint64_t(1) << (shift > 8 ? shift - 8 : 0)})
            result.push_back(
                static_cast<T>(sign * ((uint64_t(1) << shift) + low + uint64_t(offset))));
    while (static_cast<int64_t>(result.size()) < n)
      result.push_back(static_cast<T>(random() >> random() % 64));
  } else {
    auto make = [](double v) {
      if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(v);
      else
        return T(static_cast<float>(v));
    };
    for (double v : {0.0,           0.5,
                     0.999,         1.5,
                     2.5,           127.5,
                     128.0,         255.5,
                     256.0,         32767.5,
                     32768.0,       65504.0,
                     65519.0,       65520.0,
                     65535.5,       65536.0,
                     2147483647.0,  2147483648.0,
                     4294967295.0,  4294967296.0,
                     0x1p53,        0x1.fffffffffffffp62,
                     0x1p63,        0x1.fffffffffffffp63,
                     0x1p64,        1e30,
                     1e300,         1e-30,
                     0x1p-24,       0x1.8p-25,
                     0x1p-25,       0x1.0000001p-25,
                     0x1.002p0,     0x1.00200001p0,
                     0x1.006p0,     0x1.01p0,
                     0x1.0100001p0, 0x1.03p0,
                     0x1p-133,      0x1.8p-134,
                     0x1.ff8p127,   5e-324,
                     1.0 / 0.0}) {
      result.push_back(make(v)), result.push_back(make(-v));
    }
    result.push_back(make(std::nan("")));
    while (static_cast<int64_t>(result.size()) < n) {
      double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      result.push_back(make((unit - 0.5) * std::exp2(static_cast<double>(random() % 80) - 10)));
    }
  }
  result.resize(n);
  return result;
}

template <class From, class To>
void check(const LoadedCode &code, size_t kernel, const std::string &where) {
  using Memory = std::conditional_t<std::is_same_v<To, bool>, uint8_t, To>;
  const int64_t n = 2048;
  auto in = values<From>(n);
  std::vector<Memory> out(n);
  graphc::testing::call(code, kernel, n, in, out);
  for (int64_t i = 0; i < n; ++i) {
    To want = expected<To>(static_cast<From>(in[i]));
    EXPECT_TRUE(same(static_cast<To>(out[i]), want)) << where << ": " << number(in[i]) << " became "
                                                     << number(out[i]) << ", not " << number(want);
    if (::testing::Test::HasFailure())
      return;
  }
}

class Casts : public ::testing::TestWithParam<int> {};

/// Every cast as one kernel.
void addCasts(KernelModule &module, int lanes) {
  for (DType from : kAll)
    for (DType to : kAll)
      module.add({std::string(dtypeName(from)) + "_to_" + std::string(dtypeName(to)),
                  {from},
                  to,
                  lanes,
                  [=](mlir::ImplicitLocOpBuilder &b, mlir::ValueRange args) {
                    return buildCast(b, args[0], from, to);
                  }});
}

TEST_P(Casts, FollowF046) {
  for (const TargetDescription &target : graphc::testing::runnableTargets()) {
    KernelModule module;
    addCasts(module, GetParam());
    auto code = module.load(target);
    ASSERT_TRUE(code);
    size_t kernel = 0;
    for (DType from : kAll)
      for (DType to : kAll) {
        std::string where = module.names[kernel] + " on " + target.name;
        dispatch(from, [&](auto f) {
          dispatch(to, [&](auto t) { check<decltype(f), decltype(t)>(*code, kernel, where); });
        });
        ++kernel;
      }
  }
}

/// No help from compiler-rt, which objects made by graphc are not linked with.
TEST_P(Casts, CallNothing) {
  for (const TargetDescription &target : graphc::testing::allTargets()) {
    KernelModule module;
    addCasts(module, GetParam());
    auto object = module.object(target);
    ASSERT_TRUE(object.ok()) << object.status();
    EXPECT_THAT(graphc::testing::undefinedSymbols(*object), ::testing::IsEmpty()) << target.name;
  }
}
INSTANTIATE_TEST_SUITE_P(Lanes, Casts, ::testing::Values(0, 8, 16));

} // namespace
} // namespace graphc
