//===- unittests/JIT/KernelsTest.cpp - loops to running code --------------===//
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <regex>

#include "Messages.h"
#include "TestKernels.h"
#include "absl/strings/str_cat.h"
#include "graphc/Status.h"
#include "gmock/gmock.h"

namespace graphc::testing {
namespace {

using ::testing::ElementsAre;

/// `body` in a kernel on rank-1 views %x1 and %o1 of f32 with %n elements each.
std::string f32Kernel(absl::string_view body) {
  return absl::StrCat(R"(
func.func @kernel(%x: memref<f32>, %out: memref<f32>, %n: index) -> i32
    attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
)",
                      body, R"(
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
}

/// Runs such a kernel on 1, 2, ..., n.
std::vector<float> runF32(absl::string_view body, int64_t n,
                          const TargetDescription &target = hostTarget()) {
  std::vector<float> x(n), out(n);
  std::iota(x.begin(), x.end(), 1.0f);
  auto code = load(f32Kernel(body), target);
  void *buffers[] = {x.data(), out.data()};
  EXPECT_TRUE(code && code->function(0)(buffers, &n) == 0);
  return out;
}

TEST(Kernels, Scalar) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    auto code = load(kScalar, target);
    ASSERT_TRUE(code);
    float x = 1.5f, y = 2.0f, z = 3.25f, out = 0;
    void *buffers[] = {&x, &y, &z, &out};
    EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
    EXPECT_EQ(out, 8.0f) << target.name;
  }
}

/// What is narrowed in front of a store of one lane writes that lane alone.
TEST(Kernels, OneLaneOfNarrowedElements) {
  for (const TargetDescription &target : hostAndRunnableTargets())
    for (int64_t lane : {0, 1, 15}) {
      const std::string text = absl::StrCat(R"(
func.func @kernel(%x: memref<i32>, %out: memref<i16>) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %begin = arith.constant dense<false> : vector<16xi1>
  %true = arith.constant true
  %mask = vector.insert %true, %begin [)",
                                            lane, R"(] : i1 into vector<16xi1>
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [16], strides: [1] : memref<i32> to memref<16xi32>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [16], strides: [1] : memref<i16> to memref<16xi16>
  %wide = vector.load %x1[%c0] : memref<16xi32>, vector<16xi32>
  %narrow = arith.trunci %wide : vector<16xi32> to vector<16xi16>
  vector.maskedstore %o1[%c0], %mask, %narrow : memref<16xi16>, vector<16xi1>, vector<16xi16>
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
      auto code = load(text, target);
      ASSERT_TRUE(code);
      std::vector<int32_t> x(16, 0x50005);
      std::vector<int16_t> out(18, -1), expected = out;
      expected[size_t(lane)] = 5;
      void *buffers[] = {x.data(), out.data()};
      EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
      EXPECT_EQ(out, expected) << target.name << ", lane " << lane;
    }
}

TEST(Kernels, VectorLoopWithMaskedTail) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    auto code = load(kVector, target);
    ASSERT_TRUE(code);
    for (int64_t n : {0, 1, 15, 16, 17, 31, 32, 100}) {
      std::vector<float> x(n), y(n), z(n), out(n + 1, -1.0f);
      for (int64_t i = 0; i < n; ++i)
        x[i] = i, y[i] = 2 * i, z[i] = 0.5f;
      void *buffers[] = {x.data(), y.data(), z.data(), out.data()};
      EXPECT_EQ(code->function(0)(buffers, &n), 0);
      for (int64_t i = 0; i < n; ++i)
        EXPECT_EQ(out[i], 2.0f * i) << target.name << " " << i << " of " << n;
      EXPECT_EQ(out[n], -1.0f) << "written behind the end";
    }
  }
}

/// The count of a mask may be larger than 2^32, and negative.
TEST(Kernels, MaskCountsAreNotCut) {
  auto code = load(R"(
func.func @kernel(%out: memref<i32>, %n: index) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [8], strides: [1] : memref<i32> to memref<8xi32>
  %mask = vector.create_mask %n : vector<8xi1>
  %ones = arith.extui %mask : vector<8xi1> to vector<8xi32>
  vector.store %ones, %o[%c0] : memref<8xi32>, vector<8xi32>
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
  ASSERT_TRUE(code);
  for (int64_t n : {int64_t(0), int64_t(3), int64_t(8), int64_t(1) << 32, (int64_t(1) << 32) + 1,
                    int64_t(-1), -(int64_t(1) << 32) + 1, int64_t(1) << 62}) {
    std::vector<int32_t> out(8, -1);
    void *buffers[] = {out.data()};
    EXPECT_EQ(code->function(0)(buffers, &n), 0);
    EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0), std::clamp<int64_t>(n, 0, 8)) << n;
  }
}

TEST(Kernels, Reduction) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    // Sums of small integers are exact in any order.
    EXPECT_EQ(runF32(R"(
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %init = arith.constant 0.0 : f32
  %sums = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %zero) -> vector<16xf32> {
    %rest = arith.subi %n, %i : index
    %mask = vector.create_mask %rest : vector<16xi1>
    %0 = vector.maskedload %x1[%i], %mask, %zero : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %1 = arith.addf %acc, %0 : vector<16xf32>
    scf.yield %1 : vector<16xf32>
  }
  %sum = vector.reduction <add>, %sums, %init fastmath<reassoc> : vector<16xf32> into f32
  memref.store %sum, %o1[%c0] : memref<?xf32>)",
                     100, target)[0],
              5050.0f)
        << target.name;
    EXPECT_EQ(runF32(R"(
  %0 = vector.load %x1[%c0] : memref<?xf32>, vector<16xf32>
  %max = vector.reduction <maximumf>, %0 : vector<16xf32> into f32
  memref.store %max, %o1[%c0] : memref<?xf32>)",
                     16, target)[0],
              16.0f)
        << target.name;
  }
}

/// Both of a kind: over four numbers, and joined with a fifth.
template <class T>
void expectReduction(const char *type, const char *kind, std::array<T, 5> x,
                     const std::function<T(T, T)> &join) {
  SCOPED_TRACE(absl::StrCat(kind, " of ", type));
  std::string text = R"(
func.func @kernel(%x: memref<T>, %out: memref<T>) -> i32 attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [5], strides: [1] : memref<T> to memref<5xT>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [2], strides: [1] : memref<T> to memref<2xT>
  %four = vector.load %x1[%c0] : memref<5xT>, vector<4xT>
  %fifth = memref.load %x1[%c4] : memref<5xT>
  %0 = vector.reduction <KIND>, %four : vector<4xT> into T
  %1 = vector.reduction <KIND>, %four, %fifth : vector<4xT> into T
  memref.store %0, %o1[%c0] : memref<2xT>
  memref.store %1, %o1[%c1] : memref<2xT>
  %ok = arith.constant 0 : i32
  return %ok : i32
})";
  auto code = load(std::regex_replace(std::regex_replace(text, std::regex("KIND"), kind),
                                      std::regex("([x<]|into )T\\b"), absl::StrCat("$1", type)));
  ASSERT_TRUE(code);
  T out[2] = {}, four = join(join(join(x[0], x[1]), x[2]), x[3]);
  void *buffers[] = {x.data(), out};
  EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
  EXPECT_EQ(out[0], four);
  EXPECT_EQ(out[1], join(four, x[4]));
}

TEST(Kernels, ReductionsOfAllKinds) {
  auto ints = [](const char *kind, const std::function<int32_t(int32_t, int32_t)> &join) {
    for (std::array<int32_t, 5> x : {std::array{7, -3, 12, 5, -9}, std::array{6, 3, 2, 15, -31}})
      expectReduction<int32_t>("i32", kind, x, join);
  };
  ints("add", [](int32_t x, int32_t y) { return x + y; });
  ints("mul", [](int32_t x, int32_t y) { return x * y; });
  ints("and", [](int32_t x, int32_t y) { return x & y; });
  ints("or", [](int32_t x, int32_t y) { return x | y; });
  ints("xor", [](int32_t x, int32_t y) { return x ^ y; });
  ints("minsi", [](int32_t x, int32_t y) { return std::min(x, y); });
  ints("maxsi", [](int32_t x, int32_t y) { return std::max(x, y); });
  ints("minui", [](uint32_t x, uint32_t y) { return int32_t(std::min(x, y)); });
  ints("maxui", [](uint32_t x, uint32_t y) { return int32_t(std::max(x, y)); });
  auto floats = [](const char *kind, const std::function<float(float, float)> &join) {
    for (std::array<float, 5> x : {std::array{7.0f, -3.0f, 12.0f, 5.0f, -9.0f},
                                   std::array{-6.0f, -3.0f, -2.0f, -15.0f, 31.0f}})
      expectReduction<float>("f32", kind, x, join);
  };
  floats("add", [](float x, float y) { return x + y; });
  floats("mul", [](float x, float y) { return x * y; });
  floats("minimumf", [](float x, float y) { return std::min(x, y); });
  floats("maximumf", [](float x, float y) { return std::max(x, y); });
  floats("minnumf", [](float x, float y) { return std::min(x, y); });
  floats("maxnumf", [](float x, float y) { return std::max(x, y); });
}

/// What all predicates say of two numbers, one bit each.
int64_t comparisons(const char *type, const std::vector<const char *> &predicates,
                    std::array<double, 2> numbers) {
  const bool isFloat = type[0] == 'f';
  std::string body;
  for (size_t i = 0; i < predicates.size(); ++i)
    absl::StrAppend(&body, "  %b", i, " = arith.", isFloat ? "cmpf " : "cmpi ", predicates[i],
                    ", %a, %b : ", type, "\n  %w", i, " = arith.extui %b", i, " : i1 to i64\n  %n",
                    i, " = arith.constant ", i, " : i64\n  %s", i, " = arith.shli %w", i, ", %n", i,
                    " : i64\n  %o", i + 1, " = arith.ori %o", i, ", %s", i, " : i64\n");
  auto code = load(absl::StrCat(
      "func.func @kernel(%x: memref<", type, ">, %y: memref<", type,
      ">, %out: memref<i64>) -> i32 attributes {graphc.kernel} {\n",
      "  %a = memref.load %x[] : memref<", type, ">\n  %b = memref.load %y[] : memref<", type,
      ">\n", "  %o0 = arith.constant 0 : i64\n", body, "  memref.store %o", predicates.size(),
      ", %out[] : memref<i64>\n", "  %ok = arith.constant 0 : i32\n  return %ok : i32\n}"));
  EXPECT_TRUE(code);
  int64_t out = -1, integers[] = {std::isnan(numbers[0]) ? 0 : int64_t(numbers[0]),
                                  std::isnan(numbers[1]) ? 0 : int64_t(numbers[1])};
  void *floats[] = {&numbers[0], &numbers[1], &out}, *ints[] = {&integers[0], &integers[1], &out};
  EXPECT_TRUE(code && code->function(0)(isFloat ? floats : ints, nullptr) == 0);
  return out;
}

TEST(Kernels, Predicates) {
  // Bits from the right, in this order.
  const std::vector<const char *> ints = {"eq",  "ne",  "slt", "sle", "sgt",
                                          "sge", "ult", "ule", "ugt", "uge"};
  EXPECT_EQ(comparisons("i64", ints, {1, 2}), 0b0011001110);
  EXPECT_EQ(comparisons("i64", ints, {2, 1}), 0b1100110010);
  EXPECT_EQ(comparisons("i64", ints, {2, 2}), 0b1010101001);
  EXPECT_EQ(comparisons("i64", ints, {-1, 2}), 0b1100001110);
  const std::vector<const char *> floats = {"false", "oeq", "ogt", "oge", "olt", "ole",
                                            "one",   "ord", "ueq", "ugt", "uge", "ult",
                                            "ule",   "une", "uno", "true"};
  EXPECT_EQ(comparisons("f64", floats, {1, 2}), 0b1011100011110000);
  EXPECT_EQ(comparisons("f64", floats, {2, 1}), 0b1010011011001100);
  EXPECT_EQ(comparisons("f64", floats, {2, 2}), 0b1001010110101010);
  EXPECT_EQ(comparisons("f64", floats, {NAN, 2}), 0b1111111100000000);
}

TEST(Kernels, GatherAndShuffles) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    EXPECT_THAT(runF32(R"(
  %0 = vector.load %x1[%c0] : memref<?xf32>, vector<4xf32>
  %1 = vector.shuffle %0, %0 [3, 6, 1, 0] : vector<4xf32>, vector<4xf32>
  vector.store %1, %o1[%c0] : memref<?xf32>, vector<4xf32>)",
                       4, target),
                ElementsAre(4, 3, 2, 1))
        << target.name;
    EXPECT_THAT(runF32(R"(
  %index = arith.constant dense<[3, 0, 2, 1]> : vector<4xi32>
  %mask = arith.constant dense<[true, true, false, true]> : vector<4xi1>
  %other = arith.constant dense<-1.0> : vector<4xf32>
  %0 = vector.gather %x1[%c0][%index], %mask, %other
    : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.store %0, %o1[%c0] : memref<?xf32>, vector<4xf32>)",
                       4, target),
                ElementsAre(4, 1, -1, 2))
        << target.name;
    EXPECT_THAT(runF32(R"(
  %step = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %numbers = arith.index_cast %step : vector<4xindex> to vector<4xi32>
  %floats = arith.sitofp %numbers : vector<4xi32> to vector<4xf32>
  %a = vector.load %x1[%c0] : memref<?xf32>, vector<4xf32>
  %c2 = arith.constant 2 : index
  %e = vector.extract %a[%c2] : f32 from vector<4xf32>
  %f = vector.insert %e, %floats[0] : f32 into vector<4xf32>
  %g = math.fma %f, %a, %f : vector<4xf32>
  vector.store %g, %o1[%c0] : memref<?xf32>, vector<4xf32>)",
                       4, target),
                ElementsAre(6, 3, 8, 15))
        << target.name;
  }
}

TEST(Kernels, LoopsInLoopsAndBranches) {
  // out[i] = the sum of x[j], j <= i; of which odd ones are negated.
  for (const TargetDescription &target : hostAndRunnableTargets())
    EXPECT_THAT(runF32(R"(
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    %end = arith.addi %i, %c1 : index
    %sum, %last = scf.for %j = %c0 to %end step %c1 iter_args(%s = %zero, %l = %zero) -> (f32, f32) {
      %0 = memref.load %x1[%j] : memref<?xf32>
      %1 = arith.addf %s, %0 : f32
      scf.yield %1, %0 : f32, f32
    }
    %odd = arith.remui %i, %c2 : index
    %isOdd = arith.cmpi eq, %odd, %c1 : index
    %r = scf.if %isOdd -> (f32) {
      %2 = arith.negf %sum : f32
      scf.yield %2 : f32
    } else {
      scf.yield %sum : f32
    } {graphc.seldom}
    memref.store %r, %o1[%i] : memref<?xf32>
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
      %3 = arith.addf %r, %last : f32
      memref.store %3, %o1[%i] : memref<?xf32>
    }
  })",
                       4, target),
                ElementsAre(2, -3, 6, -10))
        << target.name;
}

/// Of an alloca in a loop there is one, aligned as it says.
TEST(Kernels, StackInLoops) {
  EXPECT_EQ(runF32(R"(
  %many = arith.constant 1000000 : index
  scf.for %i = %c0 to %many step %c1 {
    %m = memref.alloca() {alignment = 4096 : i64} : memref<1024xf32>
    %0 = memref.load %x1[%c0] : memref<?xf32>
    memref.store %0, %m[%c16] : memref<1024xf32>
    %1 = memref.load %m[%c16] : memref<1024xf32>
    %address = memref.extract_aligned_pointer_as_index %m : memref<1024xf32> -> index
    %page = arith.constant 4096 : index
    %beyond = arith.remui %address, %page : index
    %off = arith.index_cast %beyond : index to i32
    %offset = arith.sitofp %off : i32 to f32
    %2 = arith.addf %1, %offset : f32
    memref.store %2, %o1[%c0] : memref<?xf32>
  })",
                   1)[0],
            1.0f);
}

TEST(Kernels, WholeNumbers) {
  struct {
    const char *op;
    std::function<int64_t(int64_t, int64_t)> expected;
  } const cases[] = {
      {"arith.floordivsi", [](int64_t x, int64_t y) { return int64_t(std::floor(x / double(y))); }},
      {"arith.ceildivsi", [](int64_t x, int64_t y) { return int64_t(std::ceil(x / double(y))); }},
      {"arith.ceildivui", [](uint64_t x, uint64_t y) { return int64_t(x / y + (x % y != 0)); }},
      {"arith.divsi", [](int64_t x, int64_t y) { return x / y; }},
      {"arith.remsi", [](int64_t x, int64_t y) { return x % y; }},
      {"arith.divui", [](uint64_t x, uint64_t y) { return int64_t(x / y); }},
      {"arith.remui", [](uint64_t x, uint64_t y) { return int64_t(x % y); }},
      {"arith.maxsi", [](int64_t x, int64_t y) { return std::max(x, y); }},
      {"arith.maxui", [](uint64_t x, uint64_t y) { return int64_t(std::max(x, y)); }},
      {"arith.minsi", [](int64_t x, int64_t y) { return std::min(x, y); }},
      {"arith.minui", [](uint64_t x, uint64_t y) { return int64_t(std::min(x, y)); }},
      {"arith.shrsi", [](int64_t x, int64_t y) { return x >> (y & 31); }},
      {"arith.shrui", [](uint64_t x, uint64_t y) { return int64_t(x >> (y & 31)); }},
  };
  for (const auto &[op, expected] : cases) {
    SCOPED_TRACE(op);
    const bool isShift = std::string_view(op).starts_with("arith.shr");
    auto code = load(absl::StrCat(R"(
func.func @kernel(%x: memref<i64>, %y: memref<i64>, %out: memref<i64>) -> i32
    attributes {graphc.kernel} {
  %a = memref.load %x[] : memref<i64>
  %c = memref.load %y[] : memref<i64>
  %m = arith.constant )",
                                  isShift ? 31 : -1, R"( : i64
  %b = arith.andi %c, %m : i64
  %r = )",
                                  op, R"( %a, %b : i64
  memref.store %r, %out[] : memref<i64>
  %ok = arith.constant 0 : i32
  return %ok : i32
})"));
    ASSERT_TRUE(code);
    for (int64_t x : {7, -7, 6, -6, 0, 1, -1})
      for (int64_t y : {2, -2, 3, -3, 1, -1}) {
        int64_t out = 0;
        void *buffers[] = {&x, &y, &out};
        EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
        EXPECT_EQ(out, expected(x, y)) << x << ", " << y;
      }
  }
}

/// The results of ops that have two, and of the one that is its own negative.
TEST(Kernels, BothHalves) {
  auto code = load(R"(
func.func @kernel(%x: memref<i64>, %y: memref<i64>, %out: memref<i64>) -> i32
    attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [7], strides: [1] : memref<i64> to memref<7xi64>
  %a = memref.load %x[] : memref<i64>
  %b = memref.load %y[] : memref<i64>
  %low, %high = arith.mului_extended %a, %b : i64
  %slow, %shigh = arith.mulsi_extended %a, %b : i64
  %sum, %overflow = arith.addui_extended %a, %b : i64, i1
  %carry = arith.extui %overflow : i1 to i64
  %size = math.absi %a : i64
  %0 = vector.broadcast %low : i64 to vector<7xi64>
  %1 = vector.insert %high, %0[1] : i64 into vector<7xi64>
  %2 = vector.insert %slow, %1[2] : i64 into vector<7xi64>
  %3 = vector.insert %shigh, %2[3] : i64 into vector<7xi64>
  %4 = vector.insert %sum, %3[4] : i64 into vector<7xi64>
  %5 = vector.insert %carry, %4[5] : i64 into vector<7xi64>
  %6 = vector.insert %size, %5[6] : i64 into vector<7xi64>
  vector.store %6, %o[%c0] : memref<7xi64>, vector<7xi64>
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
  ASSERT_TRUE(code);
  for (int64_t x : {int64_t(3), int64_t(-3), INT64_MIN, INT64_MAX})
    for (int64_t y : {int64_t(5), int64_t(-5), INT64_MIN, INT64_MAX}) {
      int64_t out[7];
      void *buffers[] = {&x, &y, out};
      EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
      auto whole = static_cast<unsigned __int128>(uint64_t(x)) * uint64_t(y);
      auto isSigned = static_cast<__int128>(x) * y;
      uint64_t sum = uint64_t(x) + uint64_t(y);
      EXPECT_THAT(out, ElementsAre(int64_t(whole), int64_t(whole >> 64), int64_t(isSigned),
                                   int64_t(isSigned >> 64), int64_t(sum), sum < uint64_t(x),
                                   x < 0 ? int64_t(-uint64_t(x)) : x));
    }
}

TEST(Kernels, MathAndLibm) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    std::vector<float> out = runF32(R"(
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %x1[%i] : memref<?xf32>
    %1 = llvm.intr.sin(%0) : (f32) -> f32
    %2 = math.absf %1 : f32
    %3 = math.sqrt %2 : f32
    %4 = math.copysign %3, %1 : f32
    memref.store %4, %o1[%i] : memref<?xf32>
  })",
                                    5, target);
    for (int i = 0; i < 5; ++i) {
      float x = i + 1, s = std::sin(x), expected = std::copysign(std::sqrt(std::fabs(s)), s);
      EXPECT_EQ(out[i], expected) << target.name;
    }
    // Rounding functions exist on every target, as instructions or in libm.
    EXPECT_THAT(runF32(R"(
  %quarter = arith.constant dense<0.5> : vector<4xf32>
  %0 = vector.load %x1[%c0] : memref<?xf32>, vector<4xf32>
  %1 = arith.mulf %0, %quarter : vector<4xf32>
  %2 = math.roundeven %1 : vector<4xf32>
  %3 = math.floor %1 : vector<4xf32>
  %4 = arith.addf %2, %3 : vector<4xf32>
  vector.store %4, %o1[%c0] : memref<?xf32>, vector<4xf32>)",
                       4, target),
                ElementsAre(0, 2, 3, 4))
        << target.name;
  }
}

/// A kernel returns the number of the check that failed.
TEST(Kernels, StatusCode) {
  for (const TargetDescription &target : hostAndRunnableTargets()) {
    auto code = load(R"(
func.func @kernel(%x: memref<i64>, %n: index, %m: index) -> i32 attributes {graphc.kernel} {
  %0 = memref.load %x[] : memref<i64>
  %index = arith.index_cast %0 : i64 to index
  %bad = arith.cmpi uge, %index, %n : index
  %1 = scf.if %bad -> (i32) {
    %c1 = arith.constant 1 : i32
    scf.yield %c1 : i32
  } else {
    %same = arith.cmpi eq, %n, %m : index
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %2 = arith.select %same, %c0, %c2 : i32
    scf.yield %2 : i32
  }
  return %1 : i32
})",
                     target);
    ASSERT_TRUE(code);
    int64_t x = 3, sizes[] = {4, 4}, less[] = {3, 4}, other[] = {4, 5};
    void *buffers[] = {&x};
    EXPECT_EQ(code->function(0)(buffers, sizes), 0);
    EXPECT_EQ(code->function(0)(buffers, less), 1);
    EXPECT_EQ(code->function(0)(buffers, other), 2);
  }
}

TEST(Kernels, ScratchOnTheStack) {
  auto code = load(R"(
func.func @kernel(%x: memref<f32>, %out: memref<f32>) -> i32 attributes {graphc.kernel} {
  %scratch = memref.alloca() : memref<4xf32>
  %c3 = arith.constant 3 : index
  %0 = memref.load %x[] : memref<f32>
  memref.store %0, %scratch[%c3] : memref<4xf32>
  %1 = memref.load %scratch[%c3] : memref<4xf32>
  %2 = arith.addf %1, %1 : f32
  memref.store %2, %out[] : memref<f32>
  %ok = arith.constant 0 : i32
  return %ok : i32
})");
  ASSERT_TRUE(code);
  float x = 3, out = 0;
  void *buffers[] = {&x, &out};
  EXPECT_EQ(code->function(0)(buffers, nullptr), 0);
  EXPECT_EQ(out, 6.0f);
}

TEST(Kernels, LLVMDialectInside) {
  EXPECT_THAT(runF32(R"(
  %address = memref.extract_aligned_pointer_as_index %x1 : memref<?xf32> -> index
  %number = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
  %0 = llvm.load %pointer {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %1 = llvm.call_intrinsic "llvm.vector.reverse"(%0) : (vector<4xf32>) -> vector<4xf32>
  %2 = llvm.call_intrinsic "llvm.fptosi.sat"(%1) : (vector<4xf32>) -> vector<4xi32>
  %3 = arith.sitofp %2 : vector<4xi32> to vector<4xf32>
  vector.store %3, %o1[%c0] : memref<?xf32>, vector<4xf32>
  %one = arith.constant 1 : i64
  %opaque = llvm.inline_asm "", "=r,0" %one : (i64) -> i64
  %hidden = arith.index_cast %opaque : i64 to index
  %v = memref.load %x1[%hidden] : memref<?xf32>
  memref.store %v, %o1[%c0] : memref<?xf32>)",
                     4),
              ElementsAre(2, 3, 2, 1));
}

TEST(Kernels, ErrorsAreStatus) {
  // Ops that are none of the loops stage, and forms of its ops that it does not have: also of a
  // module that graphc made.
  struct {
    const char *text, *place, *op;
  } const wrong[] = {
      {"%m = memref.alloc(%n) : memref<?xf32>", "9:6", "memref.alloc"},
      {"%m = memref.alloca(%n) : memref<?xf32>", "9:6", "memref.alloca"},
      {"%r = arith.constant 1.0 : f32\n"
       "%v = vector.broadcast %r : f32 to vector<4xf32>\n"
       "%w = vector.broadcast %v : vector<4xf32> to vector<2x4xf32>\n"
       "%e = vector.extract %w[0] : vector<4xf32> from vector<2x4xf32>",
       "11:6", "vector.broadcast"},
      {"%x2 = memref.reinterpret_cast %x to offset: [1], sizes: [%n], strides: [2] : "
       "memref<f32> to memref<?xf32, strided<[2], offset: 1>>",
       "9:7", "memref.reinterpret_cast"},
      {"%i = arith.constant 64 : i64\n"
       "%p = llvm.inttoptr %i : i64 to !llvm.ptr\n"
       "%v = llvm.load volatile %p : !llvm.ptr -> f32",
       "11:6", "llvm.load"},
      {"%i = arith.constant 1 : i64\n"
       "%v = llvm.call_intrinsic \"llvm.nothing\"(%i) : (i64) -> i64",
       "10:6", "llvm.call_intrinsic"},
      {"%v = arith.constant dense<1.0> : vector<16xf32>\n"
       "%w = llvm.call_intrinsic \"llvm.x86.avx512.rsqrt14.ps.512\"(%v) : (vector<16xf32>) -> "
       "vector<16xf32>",
       "10:6", "llvm.call_intrinsic"},
      {"%v = arith.constant 1 : i32\n"
       "%w = llvm.call_intrinsic \"llvm.fptosi.sat\"(%v) : (i32) -> i32",
       "10:6", "llvm.call_intrinsic"},
      {"%v = arith.constant 1.0 : f64\n%w = arith.truncf %v to_nearest_away : f64 to f32", "10:6",
       "arith.truncf"},
  };
  for (const auto &[text, place, op] : wrong) {
    const std::string said =
        absl::StrCat("op, or form of it, that has no place in loops (", op, ")");
    absl::Status status = compileText(f32Kernel(text), hostTarget(), /*trusted=*/false).status();
    EXPECT_EQ(errorText(status), absl::StrCat("-:", place, ": ValueError: ", said));
    status = compileText(f32Kernel(text)).status();
    EXPECT_EQ(errorText(status),
              absl::StrCat("Internal: loops to LLVM IR: -:", place, ": ValueError: ", said));
  }
  // Signatures that are none of a kernel's.
  for (const char *text :
       {"func.func @kernel(%x: f32) -> i32 attributes {graphc.kernel} {\n"
        "  %0 = arith.constant 0 : i32\n  return %0 : i32\n}",
        "func.func @kernel(%x: memref<f32>) attributes {graphc.kernel} {\n  return\n}",
        "func.func private @kernel(%x: memref<f32>) -> i32"})
    EXPECT_EQ(
        errorText(compileText(text, hostTarget(), /*trusted=*/false).status()),
        "-:1:1: ValueError: a kernel takes memref<T> of rank 0 and then index, and returns i32 "
        "(func.func)");
}

} // namespace
} // namespace graphc::testing
