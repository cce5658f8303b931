//===- unittests/JIT/HalfFloatsTest.cpp - 16-bit floats in kernels --------===//
//
// The expected numbers come from rounding with libm's nearbyint in f64, where scaling by powers of
// two is exact.
//
//===----------------------------------------------------------------------===//
#include <bit>
#include <cmath>
#include <random>

#include "TestKernels.h"
#include "absl/strings/str_replace.h"

namespace graphc::testing {
namespace {

/// A format with `precision` significant bits and a smallest normal of 2^minExponent; `bias` of the
/// stored exponent.
struct Format {
  const char *name;
  int precision, minExponent, maxExponent, bias;
};
constexpr Format kF16 = {"f16", 11, -14, 15, 15};
constexpr Format kBF16 = {"bf16", 8, -126, 127, 127};

/// The bits of the value of `format` nearest to x, ties to even.
uint16_t nearest(double x, const Format &format) {
  int fraction = format.precision - 1, infinity = (2 * format.bias + 1) << fraction;
  uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isinf(x))
    return sign | infinity;
  int exponent = x == 0 ? format.minExponent : std::max(std::ilogb(x), format.minExponent);
  double units = std::nearbyint(std::ldexp(std::fabs(x), fraction - exponent));
  double value = std::ldexp(units, exponent - fraction);
  if (value >= std::ldexp(1.0, format.maxExponent + 1))
    return sign | infinity;
  // Rounding up to the next power of two carries into the exponent by itself.
  return sign | static_cast<uint16_t>(((exponent + format.bias - 1) << fraction) +
                                      static_cast<int>(units));
}

/// The value of the bits. NaN for NaN.
double value(uint16_t bits, const Format &format) {
  int fraction = format.precision - 1;
  int exponent = (bits & 0x7fff) >> fraction, mantissa = bits & ((1 << fraction) - 1);
  double magnitude;
  if (exponent == 2 * format.bias + 1)
    magnitude = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, format.minExponent - fraction);
  else
    magnitude = std::ldexp(mantissa + (1 << fraction), exponent - format.bias - fraction);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// out[i] = OP(x[i]), as scalars and on vectors of 16.
std::string conversion(const char *op, const char *from, const char *to, bool vectors) {
  const char *scalar = R"(
func.func @kernel(%x: memref<FROM>, %out: memref<TO>, %n: index) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<FROM> to memref<?xFROM>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<TO> to memref<?xTO>
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x1[%i] : memref<?xFROM>
    %1 = arith.OP %0 : FROM to TO
    memref.store %1, %o1[%i] : memref<?xTO>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
})";
  const char *vector = R"(
func.func @kernel(%x: memref<FROM>, %out: memref<TO>, %n: index) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<FROM> to memref<?xFROM>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<TO> to memref<?xTO>
  scf.for %i = %c0 to %n step %c16 {
    %0 = vector.load %x1[%i] : memref<?xFROM>, vector<16xFROM>
    %1 = arith.OP %0 : vector<16xFROM> to vector<16xTO>
    vector.store %1, %o1[%i] : memref<?xTO>, vector<16xTO>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
})";
  return absl::StrReplaceAll(vectors ? vector : scalar, {{"FROM", from}, {"TO", to}, {"OP", op}});
}

template <typename In, typename Out>
std::vector<Out> run(const std::string &text, const TargetDescription &target,
                     std::vector<In> input) {
  std::vector<Out> output(input.size());
  auto code = load(text, target);
  int64_t size = static_cast<int64_t>(input.size());
  void *buffers[] = {input.data(), output.data()};
  EXPECT_TRUE(code && code->function(0)(buffers, &size) == 0);
  return output;
}

/// Values around those where the result changes: all of the format, the midpoints, their
/// neighbours; and random ones.
template <typename T> std::vector<T> hardValues(const Format &format) {
  std::vector<T> values;
  for (int bits = 0; bits < 0x8000; ++bits) {
    double v = value(static_cast<uint16_t>(bits), format),
           next = value(static_cast<uint16_t>(bits + 1), format);
    if (std::isnan(v) || !std::isfinite(next))
      continue;
    T middle = static_cast<T>((v + next) / 2);
    for (T x : {static_cast<T>(v), middle, std::nextafter(middle, T(INFINITY)),
                std::nextafter(middle, T(-1))})
      values.push_back(bits % 2 ? x : -x);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    T x = sizeof(T) == 4 ? static_cast<T>(std::bit_cast<float>(static_cast<uint32_t>(random())))
                         : static_cast<T>(std::bit_cast<double>(random()));
    if (!std::isnan(x))
      values.push_back(x);
  }
  for (T x :
       {T(0), T(-0.0), T(INFINITY), T(-INFINITY), T(65504), T(65519.99), T(65520), T(3.3895e38),
        T(3.4e38), std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()})
    values.push_back(x);
  values.resize((values.size() + 15) / 16 * 16);
  return values;
}

template <typename T> void checkRounding(const char *from, const Format &format) {
  std::vector<T> input = hardValues<T>(format);
  for (const TargetDescription &target : hostAndRunnableTargets())
    for (bool vectors : {false, true}) {
      auto output =
          run<T, uint16_t>(conversion("truncf", from, format.name, vectors), target, input);
      int wrong = 0;
      for (size_t i = 0; i < input.size() && wrong < 5; ++i) {
        EXPECT_EQ(output[i], nearest(input[i], format))
            << target.name << (vectors ? " vector " : " scalar ") << std::hexfloat << input[i]
            << std::defaultfloat << " to " << format.name;
        wrong += output[i] != nearest(input[i], format);
      }
      auto nan = run<T, uint16_t>(conversion("truncf", from, format.name, vectors), target,
                                  std::vector<T>(16, std::numeric_limits<T>::quiet_NaN()));
      EXPECT_TRUE(std::isnan(value(nan[0], format))) << target.name;
    }
}

TEST(HalfFloats, F32ToF16) { checkRounding<float>("f32", kF16); }
TEST(HalfFloats, F32ToBF16) { checkRounding<float>("f32", kBF16); }
TEST(HalfFloats, F64ToF16RoundsOnce) { checkRounding<double>("f64", kF16); }
TEST(HalfFloats, F64ToBF16RoundsOnce) { checkRounding<double>("f64", kBF16); }

/// A NaN whose payload is in the bits that are dropped must stay one.
TEST(HalfFloats, NaNPayloads) {
  std::vector<float> input(16, std::bit_cast<float>(0x7f800001u));
  input[1] = std::bit_cast<float>(0xffffffffu);
  for (const TargetDescription &target : hostAndRunnableTargets())
    for (const Format &format : {kF16, kBF16})
      for (uint16_t bits :
           run<float, uint16_t>(conversion("truncf", "f32", format.name, true), target, input))
        EXPECT_TRUE(std::isnan(value(bits, format)))
            << target.name << " " << format.name << " " << bits;
}

TEST(HalfFloats, EveryValueWidens) {
  std::vector<uint16_t> input(65536);
  for (int i = 0; i < 65536; ++i)
    input[i] = static_cast<uint16_t>(i);
  for (const TargetDescription &target : hostAndRunnableTargets())
    for (const Format &format : {kF16, kBF16})
      for (bool vectors : {false, true}) {
        auto f32 =
            run<uint16_t, float>(conversion("extf", format.name, "f32", vectors), target, input);
        auto f64 =
            run<uint16_t, double>(conversion("extf", format.name, "f64", vectors), target, input);
        int wrong = 0;
        for (int i = 0; i < 65536; ++i) {
          double expected = value(input[i], format);
          wrong += std::isnan(expected) ? !std::isnan(f32[i]) || !std::isnan(f64[i])
                                        : f32[i] != expected || f64[i] != expected ||
                                              std::signbit(f32[i]) != std::signbit(expected);
        }
        EXPECT_EQ(wrong, 0) << target.name << " " << format.name
                            << (vectors ? " vector" : " scalar");
      }
}

/// Everything that moves halves and computes with them: whole vectors, masked ones, gathers,
/// constants, selects, scalars, arithmetic, ops of the LLVM dialect.
std::string movesAndSums(const char *type) {
  return absl::StrReplaceAll(R"(
func.func @kernel(%x: memref<T>, %out: memref<T>, %n: index) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<T> to memref<?xT>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<T> to memref<?xT>
  %one = arith.constant dense<1.0> : vector<16xT>
  %two = arith.constant 2.0 : T
  %steps = arith.constant dense<[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : vector<16xindex>
  scf.for %i = %c0 to %n step %c16 {
    %left = arith.subi %n, %i : index
    %mask = vector.create_mask %left : vector<16xi1>
    %a = vector.maskedload %x1[%i], %mask, %one : memref<?xT>, vector<16xi1>, vector<16xT> into vector<16xT>
    %b = vector.gather %x1[%c0] [%steps], %mask, %one : memref<?xT>, vector<16xindex>, vector<16xi1>, vector<16xT> into vector<16xT>
    %greater = arith.cmpf ogt, %a, %b : vector<16xT>
    %c = arith.select %greater, %a, %b : vector<16xi1>, vector<16xT>
    %d = arith.addf %c, %one : vector<16xT>
    %bits = arith.bitcast %d : vector<16xT> to vector<16xi16>
    %e = arith.bitcast %bits : vector<16xi16> to vector<16xT>
    vector.maskedstore %o1[%i], %mask, %e : memref<?xT>, vector<16xi1>, vector<16xT>
  }
  scf.for %i = %c0 to %c16 step %c1 {
    %a = memref.load %o1[%i] : memref<?xT>
    %b = arith.mulf %a, %two : T
    %c = math.absf %b : T
    memref.store %c, %o1[%i] : memref<?xT>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
})",
                             {{"T", type}});
}

/// Small integers, which both formats hold.
TEST(HalfFloats, MovesAndArithmetic) {
  for (const TargetDescription &target : hostAndRunnableTargets())
    for (const Format &format : {kF16, kBF16}) {
      std::vector<uint16_t> input;
      for (int i = 0; i < 21; ++i)
        input.push_back(nearest(i % 5 - 6, format));
      auto output = run<uint16_t, uint16_t>(movesAndSums(format.name), target, input);
      for (int i = 0; i < 21; ++i) {
        int greater = std::max(i % 5, (15 - i % 16) % 5) - 6;
        int expected = i < 16 ? std::abs((greater + 1) * 2) : greater + 1;
        EXPECT_EQ(value(output[i], format), expected)
            << target.name << " " << format.name << " " << i;
      }
    }
}

/// Objects for every processor need nothing that a library of the compiler's would have; `compile`
/// looks.
TEST(HalfFloats, EveryTargetDoesWithoutCalls) {
  for (const char *name :
       {"native", "x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-amx", "aarch64"})
    for (const Format &format : {kF16, kBF16}) {
      auto object = compileText(movesAndSums(format.name), *parseTarget(name));
      EXPECT_TRUE(object.ok()) << name << " " << format.name << ": " << object.status();
    }
}

} // namespace
} // namespace graphc::testing
