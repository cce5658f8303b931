//===- ProductsTest.cpp - products of matrices, called ----------------------===//
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <thread>

#include "AtEdgeOfPages.h"
#include "graphc/Function.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// Numbers that are no round ones.
Tensor filled(absl::Span<const int64_t> shape, int seed) {
  Tensor t = *Tensor::zeros(DType::Float32, shape);
  auto *data = static_cast<float *>(t.data());
  for (int64_t i = 0; i < t.numElements(); ++i)
    data[i] = float((i * 7919 + seed * 104729) % 1000003) / 1000003.0f - 0.5f;
  return t;
}

/// The same from -4 to 4, of any dtype.
Tensor numbers(absl::Span<const int64_t> shape, int seed, DType dtype) {
  Tensor t = filled(shape, seed);
  auto *data = static_cast<float *>(t.data());
  for (int64_t i = 0; i < t.numElements(); ++i)
    data[i] *= 8;
  return t.cast(dtype);
}

/// The kernel of a x b for these extents, as the linalg stage has it.
std::string kernelOf(int64_t m, int64_t n, int64_t k) {
  std::string folder = ::testing::TempDir() + "products." + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  Variable a = tensor(DType::Float32, {m, k}, "a"), b = tensor(DType::Float32, {k, n}, "b");
  auto f = function({a, b}, matmul(a, b), {.cache = false, .dumpStages = folder});
  EXPECT_TRUE(f.ok()) << f.status();
  std::stringstream text;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().find("linalg") != std::string::npos)
      text << std::ifstream(entry.path()).rdbuf();
  std::filesystem::remove_all(folder);
  return text.str();
}

/// Extents above 16 are told to a kernel when it is called, so that nothing is compiled for new
/// ones, but for sums of more than 1,024 terms, which one more serves. Extents that are known to be
/// equal are one argument.
TEST(Products, OneKernelServesAllExtents) {
  std::set<std::string> kernels, ofLongSums, ofSquares;
  for (auto [m, n, k] : {std::array<int64_t, 3>{17, 33, 65},
                         {64, 65, 66},
                         {777, 555, 333},
                         {1025, 32, 1024},
                         {100, 1000, 18}})
    kernels.insert(kernelOf(m, n, k));
  for (auto [m, n, k] : {std::array<int64_t, 3>{1024, 32, 2048}, {17, 33, 1025}, {64, 65, 100000}})
    ofLongSums.insert(kernelOf(m, n, k));
  for (int64_t n : {17, 64, 777, 1024})
    ofSquares.insert(kernelOf(n, n, n));
  EXPECT_EQ(kernels.size(), 1u);
  EXPECT_EQ(ofLongSums.size(), 1u);
  EXPECT_EQ(ofSquares.size(), 1u);
  EXPECT_NE(kernels.begin()->find("linalg.generic"), std::string::npos);
}

/// F-012: a sum is made in one order, wherever threads and blocks begin.
TEST(Products, ResultsDoNotDependOnThreads) {
  for (bool transposed : {false, true}) {
    Variable a = fmatrix("a"), b = fmatrix("b");
    Variable product = matmul(transposed ? swapaxes(a, 0, 1) : a, b);
    // The right operand is copied where a part has rows enough, and not elsewhere. One row, and one
    // column, are a vector.
    for (auto [rows, columns] :
         {std::pair<int64_t, int64_t>{203, 141}, {1, 9000}, {9000, 1}, {203, 3}}) {
      Tensor x =
          filled(transposed ? std::vector<int64_t>{300, rows} : std::vector<int64_t>{rows, 300}, 1);
      Tensor y = filled({300, columns}, 2);
      Tensor first;
      for (int threads = 1; threads <= 5; ++threads) {
        auto f = function({a, b}, product, {.threads = threads});
        ASSERT_TRUE(f.ok()) << f.status();
        for (int round = 0; round < 5; ++round) {
          Tensor result = (*(*f)(x, y))[0];
          if (!first.defined())
            first = result;
          ASSERT_EQ(std::memcmp(first.data(), result.data(), size_t(first.numBytes())), 0)
              << rows << " x " << columns << ", " << threads << " threads";
        }
      }
    }
  }
}

/// Sums are made in the order of k with one row as with many: the same bits.
TEST(Products, ARowOfManyIsTheRowAlone) {
  Variable a = fmatrix("a"), b = fmatrix("b"), v = fvector("v");
  auto f = function({a, b}, matmul(a, b)), ofVector = function({v, b}, dot(v, b));
  ASSERT_TRUE(f.ok() && ofVector.ok());
  Tensor x = filled({20, 333}, 1), y = filled({333, 150}, 2);
  Tensor row = filled({1, 333}, 1), alone = filled({333}, 1); // the first of x
  Tensor all = (*(*f)(x, y))[0], one = (*(*f)(row, y))[0], vector = (*(*ofVector)(alone, y))[0];
  ASSERT_EQ(one.numBytes(), 150 * 4);
  EXPECT_EQ(std::memcmp(all.data(), one.data(), size_t(one.numBytes())), 0);
  EXPECT_EQ(std::memcmp(all.data(), vector.data(), size_t(one.numBytes())), 0);
}

/// Sums of rows that are too long for the caches are made in parts, of which each goes on where the
/// one before has ended: the bits of seven rows alone, whose sums are not cut. 4400 float64 are
/// five parts, of which the last is shorter; 70 columns are two panels and six columns, 67 have dot
/// products.
TEST(Products, SumsInPartsAreThoseOfFewRows) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int32})
    for (bool transposed : {false, true})
      for (auto [length, columns] :
           {std::pair<int64_t, int64_t>{2500, 70}, {4400, 96}, {4097, 64}, {2500, 67}}) {
        SCOPED_TRACE(std::string(dtypeName(dtype)) + (transposed ? ", transposed, " : ", ") +
                     std::to_string(length) + " x " + std::to_string(columns));
        std::vector<int64_t> shape = {length, columns};
        if (transposed)
          std::swap(shape[0], shape[1]);
        Tensor weights = numbers(shape, 3, dtype), left = numbers({150, length}, 1, dtype);
        Variable x = tensor(dtype, {kDynamic, length}, "x"), w = tensor(dtype, shape, "w");
        auto product = [&](const Variable &right) {
          return dot(x, transposed ? swapaxes(right, 0, 1) : right);
        };
        for (int threads : {1, 3}) {
          FunctionOptions options{.rewrites = false, .threads = threads};
          auto given = function({x, w}, product(w), options);
          auto kept = function({x}, product(constant(weights)), options);
          ASSERT_TRUE(given.ok() && kept.ok());
          Tensor all = (*(*given)(left, weights))[0], ofKept = (*(*kept)(left))[0];
          EXPECT_TRUE(all.identical(ofKept));
          for (int64_t row : {0, 13, 143}) {
            Tensor few = *left.slice(0, row, 7, 1);
            EXPECT_TRUE(all.slice(0, row, 7, 1)->identical((*(*given)(few, weights))[0]))
                << "from row " << row;
          }
        }
      }
}

/// Panels of a constant are kept, those of an argument are copied at each call, or not at all: the
/// same bits, whatever the dtype, the rows, and how the operand lies.
TEST(Products, ConstantsGiveTheBitsOfArguments) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int32, DType::Int64})
    for (bool transposed : {false, true}) {
      // 300 columns are no whole panels; with 83 and 67 some are dot products. 300 rows of 1,100
      // numbers are copied at each call, beside a kept copy of the right operand.
      for (auto [length, columns] :
           {std::pair<int64_t, int64_t>{129, 300}, {640, 83}, {1100, 67}}) {
        SCOPED_TRACE(std::string(dtypeName(dtype)) + (transposed ? ", transposed, " : ", ") +
                     std::to_string(length) + " x " + std::to_string(columns));
        std::vector<int64_t> shape = {length, columns};
        if (transposed)
          std::swap(shape[0], shape[1]);
        Tensor weights = numbers(shape, 3, dtype);
        Variable x = tensor(dtype, {kDynamic, length}, "x"), w = tensor(dtype, shape, "w");
        auto product = [&](const Variable &right) {
          return dot(x, transposed ? swapaxes(right, 0, 1) : right);
        };
        // Rewrites would transpose the constant.
        auto kept = function({x}, product(constant(weights)), {.rewrites = false});
        auto threaded =
            function({x}, product(constant(weights)), {.rewrites = false, .threads = 3});
        auto given = function({x, w}, product(w), {.rewrites = false});
        ASSERT_TRUE(kept.ok() && threaded.ok() && given.ok());
        for (int64_t rows : {0, 1, 2, 5, 14, 57, 300}) {
          Tensor left = numbers({rows, length}, 1, dtype);
          Tensor expected = (*(*given)(left, weights))[0];
          for (const auto &f : {*kept, *threaded})
            for (int round = 0; round < 2; ++round) { // the copy is made, and is there
              Tensor found = (*f(left))[0];
              ASSERT_EQ(found.shape(), expected.shape());
              EXPECT_EQ(std::memcmp(found.data(), expected.data(), size_t(found.numBytes())), 0)
                  << rows << " rows";
            }
        }
      }
    }
}

/// Rows that stand together are copied to scratch memory, which is there beside kept panels.
TEST(Products, TransposedRowsBesideKeptPanels) {
  Tensor weights = numbers({1100, 99}, 3, DType::Float32),
         left = numbers({1100, 300}, 1, DType::Float32);
  Variable x = fmatrix("x"), w = fmatrix("w");
  auto kept = function({x}, dot(swapaxes(x, 0, 1), constant(weights)));
  auto given = function({x, w}, dot(swapaxes(x, 0, 1), w));
  ASSERT_TRUE(kept.ok() && given.ok());
  Tensor found = (*(*kept)(left))[0], expected = (*(*given)(left, weights))[0];
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), size_t(expected.numBytes())), 0);
}

// Fewer columns than a vector has lanes.
TEST(Products, ReadNothingBehindOperands) {
  const int64_t k = 8192;
  for (auto [target, m, n] :
       {std::tuple{"native", 120, 7}, {"x86-64-v3", 120, 7}, {"x86-64", 120, 3}}) {
    Tensor a = filled({k, m}, 1), b = filled({k, n}, 2);
    Variable left = tensor(DType::Float32, {k, m}, "a"),
             right = tensor(DType::Float32, {k, n}, "b");
    absl::StatusOr<Function> f =
        function({left, right}, {dot(transpose(left), right)}, {.target = target});
    ASSERT_TRUE(f.ok()) << f.status();
    const testing::AtEdgeOfPages atEnd(b);
    auto there = f->call({a, atEnd.tensor()}), elsewhere = f->call({a, b});
    ASSERT_TRUE(there.ok() && elsewhere.ok()) << there.status();
    EXPECT_EQ((*there)[0], (*elsewhere)[0]) << target;
  }
}

// Vectors along k, of one last column or several, end where the row ends: every second row of
// infinities leaves others as they are, and nothing is read behind the operands.
TEST(Products, LastColumnsReadTheirRowAlone) {
  const int64_t m = 13;
  for (const char *target : {"native", "x86-64-v3", "x86-64"})
    for (DType dtype : {DType::Float32, DType::Float64})
      for (int64_t n : {2, 3, 4, 17, 18, 19, 20})
        for (bool isKnown : {false, true}) {
          Variable a = tensor(dtype, {kDynamic, kDynamic}, "a"),
                   b = tensor(dtype, {kDynamic, isKnown ? n : kDynamic}, "b");
          absl::StatusOr<Function> f = function({a, b}, {dot(a, b)}, {.target = target});
          ASSERT_TRUE(f.ok()) << f.status();
          for (int64_t k : {64, 65, 66, 67, 1030}) {
            Tensor finite = filled({m, k}, 1), infinite = finite.copy();
            auto *data = static_cast<float *>(infinite.data());
            for (int64_t i = 0; i < m * k; ++i)
              if (i / k % 2 == 0)
                data[i] = INFINITY;
            // Copies are not filled up with what their memory had before.
            Tensor right8 = *Tensor::full(dtype, {k + 8, n}, Tensor(INFINITY));
            ASSERT_TRUE(f->call({numbers({m, k + 8}, 3, dtype), right8}).ok());
            const testing::AtEdgeOfPages left(infinite.cast(dtype)),
                right(numbers({k, n}, 2, dtype));
            auto some = f->call({left.tensor(), right.tensor()});
            auto all = f->call({finite.cast(dtype), right.tensor()});
            ASSERT_TRUE(some.ok() && all.ok()) << some.status() << all.status();
            for (int64_t row = 1; row < m; row += 2) {
              int64_t bytes = n * byteSize(dtype);
              EXPECT_EQ(std::memcmp(static_cast<const char *>((*some)[0].data()) + row * bytes,
                                    static_cast<const char *>((*all)[0].data()) + row * bytes,
                                    size_t(bytes)),
                        0)
                  << target << " " << k << "x" << n << ", row " << row;
            }
          }
        }
}

// Whole squares of transposed panels, and what is left of columns and k.
TEST(Products, SquaresReadNothingAroundTheirLines) {
  Variable a = fmatrix("a"), b = fmatrix("b");
  for (const char *target : {"native", "x86-64-v3", "x86-64"}) {
    absl::StatusOr<Function> f = function({a, b}, {dot(a, transpose(b))}, {.target = target});
    ASSERT_TRUE(f.ok()) << f.status();
    for (int64_t n : {8, 15, 16, 17, 31, 32, 33, 48})
      for (int64_t k : {7, 8, 9, 12, 15, 16, 20, 64}) {
        Tensor left = filled({15, k}, 1), right = filled({n, k}, 2);
        auto elsewhere = f->call({left, right});
        for (bool isBegin : {false, true}) {
          const testing::AtEdgeOfPages atEdge(right, isBegin);
          auto there = f->call({left, atEdge.tensor()});
          ASSERT_TRUE(there.ok() && elsewhere.ok()) << there.status();
          EXPECT_EQ((*there)[0], (*elsewhere)[0]) << target << " " << n << "x" << k;
        }
      }
  }
}

// Lines of less than half a vector with AVX-512, of one, and of more, whose length kernels know or
// not. The last element of the picture is that of a window or not.
TEST(Products, ReadNothingAroundPictures) {
  for (int stride : {1, 2, 3})
    for (int64_t length : {5, 7, 8, 9, 14, 15, 16, 17, 20, 28, 33})
      for (int64_t more : {0, 1}) {
        const int64_t height = 15 * stride + 3 + more, width = (length - 1) * stride + 3 + more;
        Tensor picture = filled({1, 5, height, width}, 1), weights = filled({20, 5, 3, 3}, 2);
        Variable x = tensor(DType::Float32, picture.shape(), "x"),
                 w = tensor(DType::Float32, weights.shape(), "w");
        ConvOptions options;
        options.stride = {stride, stride};
        absl::StatusOr<Function> f = function({x, w}, {conv2d(x, w, options)});
        ASSERT_TRUE(f.ok()) << f.status();
        auto elsewhere = f->call({picture, weights});
        ASSERT_TRUE(elsewhere.ok()) << elsewhere.status();
        for (bool isBegin : {false, true}) {
          const testing::AtEdgeOfPages atEdge(picture, isBegin);
          auto there = f->call({atEdge.tensor(), weights});
          ASSERT_TRUE(there.ok()) << there.status();
          EXPECT_EQ((*there)[0], (*elsewhere)[0]) << length << " pixels, stride " << stride;
        }
      }
}

/// Operands of a b^T with exact sums, since rows of a have two ones at most, and the result.
struct ExactProduct {
  Tensor left, right, expected;

  ExactProduct(DType dtype, int64_t m, int64_t k, int64_t n) {
    left = *Tensor::zeros(DType::Float64, {m, k});
    right = *Tensor::zeros(DType::Float64, {n, k});
    expected = *Tensor::zeros(DType::Float64, {m, n});
    auto *a = static_cast<double *>(left.data()), *b = static_cast<double *>(right.data()),
         *sums = static_cast<double *>(expected.data());
    for (int64_t i = 0; i < m * k; ++i)
      a[i] = i % k == i / k % k || i % k == k - 1;
    for (int64_t i = 0; i < n * k; ++i)
      b[i] = double(i % 11 - 5);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t x = 0; x < k; ++x)
          sums[i * n + j] += a[i * k + x] * b[j * k + x];
    left = left.cast(dtype);
    right = right.cast(dtype);
    expected = expected.cast(dtype);
  }
};

/// How often `isRight` says no, asked 50 times by each of three threads at once.
int countWrong(const std::function<bool()> &isRight) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        wrong += !isRight();
    });
  for (std::thread &thread : threads)
    thread.join();
  return wrong;
}

/// Columns that do not stand together are copied, and an odd number of bfloat16: small products are
/// called at once, with scratch memory of the thread that all functions use in turn.
TEST(Products, SmallOnesShareScratchMemory) {
  std::vector<std::pair<Function, ExactProduct>> examples;
  for (DType dtype : {DType::Float32, DType::BFloat16})
    for (auto [m, k, n] : {std::array<int64_t, 3>{17, 65, 33}, {60, 91, 130}, {3, 7, 5}}) {
      Variable a = tensor(dtype, {kDynamic, kDynamic}, "a"),
               b = tensor(dtype, {kDynamic, kDynamic}, "b");
      auto f = function({a, b}, dot(a, swapaxes(b, 0, 1)));
      ASSERT_TRUE(f.ok()) << f.status();
      examples.emplace_back(*f, ExactProduct(dtype, m, k, n));
    }
  EXPECT_EQ(countWrong([&] {
              return std::ranges::all_of(examples, [](const auto &example) {
                const auto &[f, product] = example;
                absl::StatusOr<Results> results = f(product.left, product.right);
                return results.ok() && (*results)[0].identical(product.expected);
              });
            }),
            0);
}

/// Typed calls of them, too, which the general way would count.
TEST(Products, BoundOnesShareScratchMemory) {
  using Call = absl::Status(View<const float, 2>, View<const float, 2>, View<float, 2>);
  struct Example {
    Function function;
    Bound<Call> bound;
    ExactProduct product;
  };
  std::vector<Example> examples;
  for (auto [m, k, n] : {std::array<int64_t, 3>{17, 65, 33}, {60, 91, 130}, {64, 64, 64}}) {
    Variable a = tensor(DType::Float32, {m, k}, "a"), b = tensor(DType::Float32, {n, k}, "b");
    auto f = function({a, b}, dot(a, swapaxes(b, 0, 1)));
    ASSERT_TRUE(f.ok()) << f.status();
    auto bound = f->bind<Call>();
    ASSERT_TRUE(bound.ok()) << bound.status();
    examples.push_back({*f, *bound, ExactProduct(DType::Float32, m, k, n)});
  }
  EXPECT_EQ(countWrong([&] {
              return std::ranges::all_of(examples, [](const Example &example) {
                const auto &[left, right, expected] = example.product;
                Tensor result = *Tensor::zeros(DType::Float32, expected.shape());
                return example
                           .bound(left.view<const float, 2>(), right.view<const float, 2>(),
                                  result.view<float, 2>())
                           .ok() &&
                       result.identical(expected);
              });
            }),
            0);
  for (const Example &example : examples)
    EXPECT_EQ(example.function.counters().calls, 0);
}

/// With several threads a typed call of a large product goes the way on which they share it.
TEST(Products, BoundOnesUseThreads) {
  using Call = absl::Status(View<const float, 2>, View<const float, 2>, View<float, 2>);
  const int64_t n = 160;
  Variable a = tensor(DType::Float32, {n, n}, "a"), b = tensor(DType::Float32, {n, n}, "b");
  Tensor left = filled({n, n}, 1), right = filled({n, n}, 2);
  for (int threads : {1, 2}) {
    auto f = function({a, b}, dot(a, b), {.threads = threads});
    ASSERT_TRUE(f.ok()) << f.status();
    auto bound = f->bind<Call>();
    ASSERT_TRUE(bound.ok()) << bound.status();
    Tensor result = *Tensor::zeros(DType::Float32, {n, n});
    ASSERT_TRUE(
        (*bound)(left.view<const float, 2>(), right.view<const float, 2>(), result.view<float, 2>())
            .ok());
    EXPECT_EQ(f->counters().calls, threads == 1 ? 0 : 1);
    EXPECT_TRUE(result.identical((*(*f)(left, right))[0]));
  }
}

// Rows so few that they are one tile are no two threads': each would make all of them, the second
// behind the result. Seed 1340 of RandomPrograms.
TEST(Products, FewRowsAreOfOneThread) {
  const int64_t k = 2000;
  for (DType dtype : {DType::Float64, DType::Float32})
    for (int64_t m : {4, 5, 8, 11, 14, 16})
      for (int64_t n : {m / 2, m, m + 1}) {
        Variable a = tensor(dtype, {m, k}, "a"), b = tensor(dtype, {k, n}, "b");
        const Tensor x = numbers({m, k}, 1, dtype), y = numbers({k, n}, 2, dtype);
        // A map behind the product, and one whose rows another product shares.
        Variable product = matmul(a, b);
        Variables outputs = {product * 2, dot(tanh(product), transpose(b))};
        auto one = function({a, b}, outputs, {.threads = 1});
        ASSERT_TRUE(one.ok()) << one.status();
        Results expected = *(*one)(x, y);
        for (int threads : {2, 3}) {
          auto f = function({a, b}, outputs, {.threads = threads});
          ASSERT_TRUE(f.ok()) << f.status();
          for (int round = 0; round < 3; ++round) {
            Results got = *(*f)(x, y);
            for (size_t i = 0; i < 2; ++i)
              ASSERT_TRUE(got[i].identical(expected[i])) << m << " x " << n << ": " << i;
          }
        }
        if (dtype != DType::Float64)
          continue;
        // What stands behind the result stays.
        using Call = absl::Status(View<const double, 2>, View<const double, 2>, View<double, 2>);
        auto bound = function({a, b}, product, {.threads = 2})->bind<Call>();
        ASSERT_TRUE(bound.ok()) << bound.status();
        std::vector<double> memory(size_t(m * n + 16 * n), -1);
        ASSERT_TRUE((*bound)(x.view<double, 2>(), y.view<double, 2>(),
                             View<double, 2>(memory.data(), {m, n}))
                        .ok());
        for (int64_t i = m * n; i < int64_t(memory.size()); ++i)
          ASSERT_EQ(memory[size_t(i)], -1) << m << " x " << n << ", " << i - m * n << " behind";
      }
}

// Nor are they where other passes stand between two products: what of them would be a thread's part
// is all of them.
TEST(Products, FewRowsBetweenProductsAreOfOneThread) {
  const int64_t inner = 64, keys = 256;
  for (DType dtype : {DType::Float64, DType::Float32})
    for (int64_t rows : {7, 8, 9, 12, 14, 15}) {
      Variable q = tensor(dtype, {rows, inner}, "q"), k = tensor(dtype, {inner, keys}, "k"),
               v = tensor(dtype, {keys, inner}, "v");
      Variable y = dot(softmax(dot(q, k), Axis(1)), v);
      const std::vector<Tensor> values = {numbers({rows, inner}, 1, dtype),
                                          numbers({inner, keys}, 2, dtype),
                                          numbers({keys, inner}, 3, dtype)};
      Results expected = *function({q, k, v}, y, {.threads = 1})->call(values);
      for (int threads : {2, 3})
        ASSERT_TRUE(
            (*function({q, k, v}, y, {.threads = threads})->call(values))[0].identical(expected[0]))
            << rows << " rows, " << threads << " threads";
    }
}

} // namespace
} // namespace graphc
