//===- PairsTest.cpp - products of bfloat16, two k at a time -----------------===//
//
// Expected is what AVX512-BF16's instruction is documented to compute for pairs of normal numbers,
// by std::fma: k 1, 0, 3, 2, ... of each sum, each rounded once; or what AMX's is: the even ones of
// 32 k, the odd ones, both sums together, and that to the sum before. On other processors k 0, 1,
// 2, ... Nothing of these takes subnormal numbers for zeros.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "API/EmulatedTiles.h"
#include "AtEdgeOfPages.h"
#include "Runtime/CpuIdentity.h"
#include "graphc/Function.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr std::string_view kBf16 = "x86-64-v4-bf16", kAmx = "x86-64-v4-amx";

/// What the tests make code for.
class Pairs : public ::testing::TestWithParam<std::string_view> {
protected:
  void SetUp() override {
    if (!hasFma() || (GetParam() == kAmx && !testing::EmulatedTiles::isPossible()))
      GTEST_SKIP();
    target = GetParam();
    if (target == kBf16 && !hasPairs())
      GTEST_SKIP();
    if (target == kAmx)
      tiles.emplace();
  }

  /// Fused where the processor can; what other processors of x86 do is not these tests' matter.
  static bool hasFma() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
  }
  static bool inTiles() { return target == kAmx || (target == "native" && mayUseTileRegisters()); }
  static bool hasPairs();
  static FunctionOptions options(int threads = 1);
  static std::vector<float> expected(const Tensor &x, const Tensor &y);
  static void expectProduct(const Tensor &x, const Tensor &y);

  static std::string_view target;
  std::optional<testing::EmulatedTiles> tiles;
};

std::string_view Pairs::target;

INSTANTIATE_TEST_SUITE_P(Targets, Pairs, ::testing::Values("native", kBf16, kAmx),
                         [](const auto &info) {
                           return info.param == kAmx    ? "Tiles"
                                  : info.param == kBf16 ? "Words"
                                                        : "Native";
                         });

/// Intel's processors have them only beside tile registers: vdpbf16ps is slow there.
bool Pairs::hasPairs() {
#if defined(__x86_64__)
  const bool hasSlowOnes = __builtin_cpu_is("intel") && !mayUseTileRegisters();
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         (target != "native" || !hasSlowOnes);
#else
  return false;
#endif
}

/// Without pairs the last few columns would be dot products, of every 16th k.
FunctionOptions Pairs::options(int threads) {
  FunctionOptions made;
  if (!hasPairs())
    made.mode = Mode().excluding({"last-columns"});
  made.threads = threads;
  made.target = std::string(target);
  return made;
}

float asFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float number;
  std::memcpy(&number, &wide, sizeof(number));
  return number;
}

const uint16_t *bitsOf(const Tensor &t) { return static_cast<const uint16_t *>(t.data()); }

/// A matrix of bfloat16 with exponents of [least, most], as they are stored; 0: subnormal numbers.
Tensor numbers(int64_t rows, int64_t columns, int seed, int least, int most) {
  Tensor t = *Tensor::zeros(DType::BFloat16, {rows, columns});
  auto *bits = static_cast<uint16_t *>(t.data());
  std::mt19937 random{unsigned(seed)};
  for (int64_t i = 0; i < t.numElements(); ++i) {
    int exponent = least + int(random() % unsigned(most - least + 1));
    bits[i] = uint16_t((random() & 0x807f) | unsigned(exponent) << 7);
  }
  return t;
}

Tensor transposed(const Tensor &t) {
  Tensor other = *Tensor::zeros(DType::BFloat16, {t.shape()[1], t.shape()[0]});
  auto *bits = static_cast<uint16_t *>(other.data());
  for (int64_t i = 0; i < t.shape()[0]; ++i)
    for (int64_t j = 0; j < t.shape()[1]; ++j)
      bits[j * t.shape()[0] + i] = bitsOf(t)[i * t.shape()[1] + j];
  return other;
}

/// x y in float32.
std::vector<float> Pairs::expected(const Tensor &x, const Tensor &y) {
  int64_t m = x.shape()[0], length = x.shape()[1], n = y.shape()[1];
  std::vector<float> sums(size_t(m * n), 0.0f);
  const int64_t group = hasPairs() ? 2 : 1, block = 32;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float &sum = sums[size_t(i * n + j)];
      auto add = [&](float &to, int64_t k) {
        to = std::fma(asFloat(bitsOf(x)[i * length + k]), asFloat(bitsOf(y)[k * n + j]), to);
      };
      for (int64_t first = 0; first < length && inTiles(); first += block) {
        float parts[2] = {};
        for (int64_t k = first; k < std::min(first + block, length); ++k)
          add(parts[k % 2], k);
        sum += parts[0] + parts[1];
      }
      for (int64_t first = 0; first < length && !inTiles(); first += group)
        for (int64_t k = std::min(first + group, length) - 1; k >= first; --k)
          add(sum, k);
    }
  return sums;
}

uint16_t rounded(float number) {
  if (std::isnan(number))
    return 0x7fc0;
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16); // to nearest even
}

/// `found` is `expected`, of bfloat16 rounded.
void expectBits(const std::vector<float> &expected, const Tensor &found) {
  ASSERT_EQ(size_t(found.numElements()), expected.size());
  const bool isHalf = found.dtype() == DType::BFloat16;
  for (size_t i = 0; i < expected.size(); ++i) {
    float here = isHalf ? asFloat(bitsOf(found)[i]) : static_cast<const float *>(found.data())[i];
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(here)) << i;
    else
      ASSERT_EQ(isHalf ? asFloat(rounded(expected[i])) : expected[i], here) << i;
  }
}

/// x y with operands as they are and transposed, given and constant, on one thread and several.
void Pairs::expectProduct(const Tensor &x, const Tensor &y) {
  const std::vector<float> sums = expected(x, y);
  for (bool left : {false, true})
    for (bool right : {false, true}) {
      SCOPED_TRACE(std::to_string(left) + std::to_string(right));
      Tensor inX = left ? transposed(x) : x, inY = right ? transposed(y) : y;
      Variable a = tensor(DType::BFloat16, {kDynamic, kDynamic}, "a"),
               w = tensor(DType::BFloat16, {kDynamic, kDynamic}, "w");
      Variable first = left ? swapaxes(a, 0, 1) : a;
      auto second = [&](const Variable &v) { return right ? swapaxes(v, 0, 1) : v; };
      for (int threads : {1, 3}) {
        auto wide =
            function({a, w}, dot(cast(first, DType::Float32), cast(second(w), DType::Float32)),
                     options(threads));
        auto given = function({a, w}, dot(first, second(w)), options(threads));
        FunctionOptions asWritten = options(threads);
        asWritten.rewrites = false; // these would transpose the constant
        auto kept = function({a}, dot(first, second(constant(inY))), asWritten);
        ASSERT_TRUE(wide.ok() && given.ok() && kept.ok());
        expectBits(sums, (*(*wide)(inX, inY))[0]);
        expectBits(sums, (*(*given)(inX, inY))[0]);
        for (int round = 0; round < 2; ++round) // the copy is made, and is there
          expectBits(sums, (*(*kept)(inX))[0]);
      }
    }
}

TEST_P(Pairs, AreBitsOfFma) {
  for (auto [m, length, n] : std::vector<std::array<int64_t, 3>>{{1, 40, 70},
                                                                 {17, 33, 65},
                                                                 {50, 129, 97},
                                                                 {31, 1, 32},
                                                                 {5, 2, 3},
                                                                 {29, 300, 160},
                                                                 {200, 30, 20}, // blocks of rows
                                                                 {5, 9, 1090},  // and of columns
                                                                 {64, 1024, 64}}) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(length) + "x" + std::to_string(n));
    expectProduct(numbers(m, length, 1, 115, 135), numbers(length, n, 2, 115, 135));
  }
}

/// Where the instruction would take numbers for zeros, they are none: subnormal operands beside
/// large ones, products and sums that are subnormal, on either side.
TEST_P(Pairs, KeepSubnormalNumbers) {
  const int64_t m = 23, length = 151, n = 175; // panels are kept
  for (auto [left, right] : std::vector<std::pair<std::pair<int, int>, std::pair<int, int>>>{
           {{0, 0}, {250, 253}}, // subnormal by large
           {{250, 253}, {0, 0}},
           {{0, 5}, {120, 130}},    // some of them
           {{60, 62}, {60, 64}}}) { // products below the least normal number
    SCOPED_TRACE(std::to_string(left.first) + " " + std::to_string(right.first));
    expectProduct(numbers(m, length, 3, left.first, left.second),
                  numbers(length, n, 4, right.first, right.second));
  }
}

/// Whichever of all numbers is the only one that is no zero: of the first vector of a panel and the
/// second one, of whole vectors of a row and what is left, of the first block of columns and the
/// second.
TEST_P(Pairs, FindEachSubnormalNumber) {
  auto onlyAt = [](int64_t row, int64_t column, int64_t rows, int64_t columns) {
    Tensor t = *Tensor::zeros(DType::BFloat16, {rows, columns});
    // Of either sign.
    static_cast<uint16_t *>(t.data())[row * columns + column] = column % 2 ? 1 : 0x8001;
    return t;
  };
  const int64_t m = 23, length = 151, n = 175;
  const Tensor x = numbers(m, length, 5, 240, 244), y = numbers(length, n, 6, 240, 244);
  for (int64_t term : {0, 1, 34, 65, 150}) {
    for (int64_t row : {0, 16, 22}) {
      SCOPED_TRACE("row " + std::to_string(row) + ", " + std::to_string(term));
      expectProduct(onlyAt(row, term, m, length), y);
    }
    for (int64_t column : {0, 16, 31, 174}) {
      SCOPED_TRACE("column " + std::to_string(column) + ", " + std::to_string(term));
      expectProduct(x, onlyAt(term, column, length, n));
    }
  }
  for (int64_t column : {2, 1089})
    expectProduct(numbers(6, 5, 5, 240, 244), onlyAt(3, column, 5, 1090));
}

TEST_P(Pairs, ShareKeptPanels) {
  const Tensor x = numbers(23, 151, 1, 115, 135), other = numbers(7, 151, 2, 115, 135),
               y = numbers(151, 175, 3, 115, 135);
  Variable a = tensor(DType::BFloat16, {kDynamic, kDynamic}, "a"),
           c = tensor(DType::BFloat16, {kDynamic, kDynamic}, "c"), w = constant(y);
  auto f = function({a, c}, {dot(a, w), dot(c, w)}, options());
  ASSERT_TRUE(f.ok()) << f.status();
  for (bool isTurned : {false, true}) {
    const Tensor &first = isTurned ? other : x, &second = isTurned ? x : other;
    Results found = *(*f)(first, second);
    expectBits(expected(first, y), found[0]);
    expectBits(expected(second, y), found[1]);
  }
}

/// What is narrowed in front of a product, whether it is wanted elsewhere or not.
TEST_P(Pairs, OfNarrowedOperands) {
  const Tensor x = numbers(17, 33, 1, 115, 135), y = numbers(33, 65, 2, 115, 135);
  Variable a = fmatrix("a"), w = fmatrix("w");
  Variable left = cast(a, DType::BFloat16), right = cast(w, DType::BFloat16);
  for (const Variables &outputs :
       {Variables{dot(left, right)}, Variables{dot(left, right), left}}) {
    auto f = function({a, w}, outputs, options());
    ASSERT_TRUE(f.ok()) << f.status();
    expectBits(expected(x, y), (*(*f)(x.cast(DType::Float32), y.cast(DType::Float32)))[0]);
  }
}

/// (1 + 2^-7)^2 - (1 + 2^-6) is 2^-14: of numbers from 2^-57 on, a subnormal sum of normal
/// products.
TEST_P(Pairs, KeepSubnormalDifferences) {
  for (auto [left, right, length] : std::vector<std::array<int, 3>>{
           {70, 70, 2}, {70, 71, 2}, {71, 70, 2}, {71, 71, 2}, {70, 71, 40}, {71, 71, 40}}) {
    SCOPED_TRACE(std::to_string(left) + " " + std::to_string(right));
    auto bits = [](int exponent, int last) { return uint16_t(exponent << 7 | last); };
    Tensor x = *Tensor::zeros(DType::BFloat16, {3, length}),
           y = *Tensor::zeros(DType::BFloat16, {length, 40});
    for (int64_t i = 0; i < 3; ++i) {
      static_cast<uint16_t *>(x.data())[length * i] = bits(left, 1);
      static_cast<uint16_t *>(x.data())[length * i + 1] = uint16_t(0x8000 | bits(left, 2));
    }
    for (int64_t j = 0; j < 40; ++j) {
      static_cast<uint16_t *>(y.data())[j] = bits(right, 1);
      static_cast<uint16_t *>(y.data())[40 + j] = bits(right, 0);
    }
    ASSERT_EQ(expected(x, y)[0], std::ldexp(1.0f, left + right - 254 - 14));
    expectProduct(x, y);
  }
}

TEST_P(Pairs, OfZerosInfinitiesAndNaN) {
  Tensor zeros = *Tensor::zeros(DType::BFloat16, {20, 37});
  Tensor x = numbers(20, 37, 7, 120, 130), y = numbers(37, 50, 8, 120, 130);
  expectProduct(zeros, y);
  expectProduct(x, *Tensor::zeros(DType::BFloat16, {37, 50}));
  auto *bits = static_cast<uint16_t *>(x.data());
  bits[3 * 37] = 0x7f80; // infinity
  bits[5 * 37] = 0x7fc0; // NaN, behind the last term of an odd number of them
  bits[7 * 37 + 36] = 0xff80;
  static_cast<uint16_t *>(y.data())[49] = 0x7f80; // behind the last column
  expectProduct(x, y);
}

/// Nor is anything written behind the result. Odd and even numbers of terms, one and several, rows
/// that are copied and not, whole vectors of columns and not.
TEST_P(Pairs, ReadNothingAroundOperands) {
  using Call = absl::Status(View<const BFloat16, 2>, View<const BFloat16, 2>, View<float, 2>);
  for (bool left : {false, true})
    for (bool right : {false, true}) {
      Variable a = tensor(DType::BFloat16, {kDynamic, kDynamic}, "a"),
               w = tensor(DType::BFloat16, {kDynamic, kDynamic}, "w");
      auto factor = [](const Variable &v, bool isTransposed) {
        return cast(isTransposed ? swapaxes(v, 0, 1) : v, DType::Float32);
      };
      auto f = function({a, w}, dot(factor(a, left), factor(w, right)), options());
      ASSERT_TRUE(f.ok()) << f.status();
      auto bound = f->bind<Call>();
      ASSERT_TRUE(bound.ok()) << bound.status();
      for (auto [m, length, n] : std::vector<std::array<int64_t, 3>>{{3, 1, 17},
                                                                     {17, 2, 16},
                                                                     {5, 7, 1},
                                                                     {16, 31, 33},
                                                                     {29, 130, 47},
                                                                     {14, 129, 32},
                                                                     {33, 256, 65}})
        for (bool isSmall : {false, true})
          for (bool isBegin : {false, true}) {
            SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(length) + "x" +
                         std::to_string(n) + (isSmall ? " small" : ""));
            Tensor x = numbers(m, length, 1, isSmall ? 0 : 115, 130),
                   y = numbers(length, n, 2, isSmall ? 0 : 115, 130);
            const testing::AtEdgeOfPages ofX(left ? transposed(x) : x, isBegin),
                ofY(right ? transposed(y) : y, isBegin),
                result(*Tensor::zeros(DType::Float32, {m, n}), isBegin);
            Tensor found = result.tensor(); // the same memory
            ASSERT_TRUE((*bound)(ofX.tensor().view<BFloat16, 2>(), ofY.tensor().view<BFloat16, 2>(),
                                 View<float, 2>(found.mutableFlat<float>().data(), {m, n}))
                            .ok());
            expectBits(expected(x, y), found);
          }
    }
}

TEST_P(Pairs, OfEmptyOperands) {
  for (auto [m, length, n] :
       std::vector<std::array<int64_t, 3>>{{0, 40, 70}, {20, 0, 30}, {20, 40, 0}}) {
    Variable a = tensor(DType::BFloat16, {kDynamic, kDynamic}, "a"),
             w = tensor(DType::BFloat16, {kDynamic, kDynamic}, "w");
    auto f = function({a, w}, dot(a, w), options());
    ASSERT_TRUE(f.ok()) << f.status();
    auto found = (*f)(*Tensor::zeros(DType::BFloat16, {m, length}),
                      *Tensor::zeros(DType::BFloat16, {length, n}));
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ((*found)[0], *Tensor::zeros(DType::BFloat16, {m, n}));
  }
}

/// The instructions are there: 40 rows are two heights of tiles, 70 columns two and a half panels,
/// of which the last has a register of its own alone, 100 terms four steps. Setting tiles up takes
/// longer than a few of their products: once for each height beside each panel.
TEST_P(Pairs, AreCounted) {
  if (GetParam() != kAmx || mayUseTileRegisters())
    GTEST_SKIP();
  Variable a = tensor(DType::BFloat16, {kDynamic, kDynamic}, "a"),
           w = tensor(DType::BFloat16, {kDynamic, kDynamic}, "w");
  auto f = function({a, w}, dot(a, w), options());
  ASSERT_TRUE(f.ok()) << f.status();
  auto countOf = [&](int64_t m, int64_t length, int64_t n) {
    int64_t products = testing::EmulatedTiles::numProducts(),
            configurations = testing::EmulatedTiles::numConfigurations();
    EXPECT_TRUE(f->call({numbers(m, length, 1, 115, 135), numbers(length, n, 2, 115, 135)}).ok());
    EXPECT_EQ(testing::EmulatedTiles::numHeld(), 0);
    return std::pair(testing::EmulatedTiles::numProducts() - products,
                     testing::EmulatedTiles::numConfigurations() - configurations);
  };
  EXPECT_EQ(countOf(40, 100, 70), std::pair(int64_t(4 * (4 + 2) * 2 + 4 * (2 + 1)), int64_t(6)));
  EXPECT_EQ(countOf(64, 32, 32), std::pair(int64_t(8), int64_t(1)));
  EXPECT_EQ(countOf(1, 31, 1), std::pair(int64_t(1), int64_t(1)));
  EXPECT_EQ(countOf(64, 30, 64), std::pair(int64_t(0), int64_t(0))); // fewer than 16 pairs
}

} // namespace
} // namespace graphc
