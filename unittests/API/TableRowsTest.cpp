//===- TableRowsTest.cpp - tables and sums side by side --------------------===//
//
// lib/Transforms/GatherRows.cpp, ScatterRows.cpp: whether arrays have room in rows, and whether it
// pays, is asked when the kernel runs. On both sides of each bound results are those of plain
// loops.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graphc/graphc.h"

namespace graphc {
namespace {

/// Whole numbers from -3 to 3: no sum rounds.
std::vector<double> wholeNumbers(int64_t count, uint32_t seed) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(double((seed >> 16) % 7) - 3);
  }
  return numbers;
}

struct Numbers {
  std::vector<std::vector<double>> tables, terms;
  std::vector<int64_t> at; ///< from the end where negative
};

Numbers numbersOf(int64_t places, int64_t reads) {
  Numbers all;
  for (uint32_t i = 0; i < 3; ++i) {
    all.tables.push_back(wholeNumbers(places, i));
    all.terms.push_back(wholeNumbers(reads, 10 + i));
  }
  uint32_t seed = 7;
  for (int64_t i = 0; i < reads; ++i) {
    seed = seed * 1664525u + 1013904223u;
    all.at.push_back(int64_t((seed >> 8) % uint32_t(2 * places)) - places);
  }
  return all;
}

/// Takes of three tables, and three sums of terms at the places of the same tables.
absl::StatusOr<Function> tablesAndSums(DType dtype, int64_t places, int threads) {
  Variable at = lvector("at");
  Variables inputs = {at}, taken, outputs;
  for (const char *name : {"x", "y", "z"}) {
    inputs.push_back(tensor(dtype, {places}, name));
    taken.push_back(take(inputs.back(), at));
  }
  outputs.push_back(taken[0] * taken[1] - taken[2]);
  for (size_t i = 0; i < 3; ++i) {
    Variable terms = tensor(dtype, {kDynamic}, "terms" + std::to_string(i));
    inputs.push_back(terms);
    outputs.push_back(incTake(inputs[1 + i], at, terms * double(i + 1)));
  }
  return function(inputs, outputs, {.threads = threads});
}

std::vector<std::vector<double>> byLoops(const Numbers &numbers) {
  std::vector<std::vector<double>> results = {{}};
  results.insert(results.end(), numbers.tables.begin(), numbers.tables.end());
  for (size_t k = 0; k < numbers.at.size(); ++k) {
    const auto places = int64_t(numbers.tables[0].size());
    const auto p = size_t(numbers.at[k] < 0 ? numbers.at[k] + places : numbers.at[k]);
    results[0].push_back(numbers.tables[0][p] * numbers.tables[1][p] - numbers.tables[2][p]);
    for (size_t i = 0; i < 3; ++i)
      results[1 + i][p] += numbers.terms[i][k] * double(i + 1);
  }
  return results;
}

absl::StatusOr<Results> called(const Function &f, DType dtype, const Numbers &numbers) {
  std::vector<Tensor> arguments = {
      *Tensor::fromSpan(absl::MakeConstSpan(numbers.at), {int64_t(numbers.at.size())})};
  for (const auto *list : {&numbers.tables, &numbers.terms})
    for (const std::vector<double> &values : *list)
      arguments.push_back(
          Tensor::fromSpan(absl::MakeConstSpan(values), {int64_t(values.size())})->cast(dtype));
  return f.call(arguments);
}

// Rows of four: of float64 511 have room, of float32 1023. Four reads for each pay, two terms.
TEST(TableRows, ResultsAreThoseOfLoops) {
  for (DType dtype : {DType::Float64, DType::Float32})
    for (int64_t places : {1, 2, 7, 85, 511, 512, 1023, 1024})
      for (int threads : {1, 2}) {
        absl::StatusOr<Function> f = tablesAndSums(dtype, places, threads);
        ASSERT_TRUE(f.ok()) << f.status();
        for (int64_t reads : {int64_t(1), int64_t(7), int64_t(8), 2 * places - 2, 2 * places - 1,
                              4 * places - 1, 4 * places, 4 * places + 9}) {
          Numbers numbers = numbersOf(places, reads);
          absl::StatusOr<Results> results = called(*f, dtype, numbers);
          ASSERT_TRUE(results.ok()) << results.status();
          const std::vector<std::vector<double>> expected = byLoops(numbers);
          for (size_t i = 0; i < expected.size(); ++i) {
            Tensor result = (*results)[i].cast(DType::Float64);
            EXPECT_EQ(
                std::vector<double>(result.flat<double>().begin(), result.flat<double>().end()),
                expected[i])
                << "output " << i << ", " << places << " places, " << reads << " reads, " << threads
                << " threads";
          }
        }
      }
}

// The same tables at two positions in one kernel: each has loads of its own.
TEST(TableRows, OtherPositionsAreOtherLoads) {
  Variable x = tensor(DType::Float64, {9}, "x"), y = tensor(DType::Float64, {9}, "y"),
           at = lvector("at"), to = lvector("to");
  absl::StatusOr<Function> f =
      function({x, y, at, to}, (take(x, at) + take(y, at)) * 10.0 - take(x, to) * take(y, to));
  ASSERT_TRUE(f.ok()) << f.status();
  const std::vector<double> tables[] = {wholeNumbers(9, 1), wholeNumbers(9, 2)};
  std::vector<int64_t> positions[2];
  std::vector<double> expected;
  for (int64_t k = 0; k < 50; ++k) {
    const auto a = size_t(k * 5 % 9), b = size_t(k * 7 % 9);
    positions[0].push_back(int64_t(a));
    positions[1].push_back(int64_t(b));
    expected.push_back((tables[0][a] + tables[1][a]) * 10 - tables[0][b] * tables[1][b]);
  }
  std::vector<Tensor> arguments;
  for (const std::vector<double> &table : tables)
    arguments.push_back(*Tensor::fromSpan(absl::MakeConstSpan(table), {9}));
  for (const std::vector<int64_t> &position : positions)
    arguments.push_back(*Tensor::fromSpan(absl::MakeConstSpan(position), {50}));
  absl::StatusOr<Results> results = f->call(arguments);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(
      std::vector<double>((*results)[0].flat<double>().begin(), (*results)[0].flat<double>().end()),
      expected);
}

// A table that is also read in other ways: at every fifth element, from the end, as it stands.
TEST(TableRows, TablesThatAreReadInOtherWays) {
  for (DType dtype : {DType::Float64, DType::Float32}) {
    Variable x = tensor(dtype, {85}, "x"), y = tensor(dtype, {85}, "y"), at = lvector("at");
    struct Way {
      Variable read;
      int64_t first, step, count;
    };
    const Way ways[] = {{x[{Slice(0, kEnd, 5)}], 0, 5, 17},
                        {x[{Slice(kEnd, kEnd, -1)}], 84, -1, 85},
                        {x[{Slice(84, kEnd, -5)}], 84, -5, 17},
                        {x, 0, 1, 85}};
    for (const Way &way : ways) {
      absl::StatusOr<Function> f =
          function({x, y, at}, take(x, at) * take(y, at) + way.read * 100.0);
      ASSERT_TRUE(f.ok()) << f.status();
      const std::vector<double> numbers[] = {wholeNumbers(85, 1), wholeNumbers(85, 2)};
      std::vector<int64_t> places;
      std::vector<double> expected;
      for (int64_t k = 0; k < way.count; ++k) {
        places.push_back(k * 7 % 85);
        const auto p = size_t(places.back());
        expected.push_back(numbers[0][p] * numbers[1][p] +
                           numbers[0][size_t(way.first + k * way.step)] * 100);
      }
      std::vector<Tensor> arguments;
      for (const std::vector<double> &table : numbers)
        arguments.push_back(Tensor::fromSpan(absl::MakeConstSpan(table), {85})->cast(dtype));
      arguments.push_back(*Tensor::fromSpan(absl::MakeConstSpan(places), {way.count}));
      absl::StatusOr<Results> results = f->call(arguments);
      ASSERT_TRUE(results.ok()) << results.status();
      Tensor result = (*results)[0].cast(DType::Float64);
      EXPECT_EQ(std::vector<double>(result.flat<double>().begin(), result.flat<double>().end()),
                expected)
          << way.first << " " << way.step;
    }
  }
}

// An index out of range in any lane is told of, whether rows are read or not.
TEST(TableRows, IndicesAreChecked) {
  for (int64_t places : {5, 600}) {
    absl::StatusOr<Function> f = tablesAndSums(DType::Float64, places, 1);
    ASSERT_TRUE(f.ok()) << f.status();
    for (size_t bad : {size_t(0), size_t(7), size_t(8), size_t(36)}) {
      Numbers numbers = numbersOf(places, 37);
      numbers.at[bad] = bad % 2 ? places : -places - 1;
      absl::StatusOr<Results> results = called(*f, DType::Float64, numbers);
      EXPECT_EQ(errorKind(results.status()), ErrorKind::IndexError) << places << " " << bad;
      numbers.at[bad] = 0;
      EXPECT_TRUE(called(*f, DType::Float64, numbers).ok());
    }
  }
}

} // namespace
} // namespace graphc
