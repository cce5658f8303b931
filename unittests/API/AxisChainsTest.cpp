//===- AxisChainsTest.cpp - chains along an axis that is not the last -----===//
//
// Softmax and its kin along any axis: against their formulas in double precision, and bit by bit
// with other threads.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "graphc/graphc.h"

namespace graphc {
namespace {

Tensor numbers(const std::vector<int64_t> &shape, DType dtype) {
  Tensor values = *Tensor::zeros(DType::Float64, shape);
  std::mt19937 random(unsigned(values.numElements()));
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (int64_t i = 0; i < values.numElements(); ++i)
    static_cast<double *>(values.data())[i] = uniform(random);
  return values.cast(dtype);
}

Tensor resultOf(const Variable &x, const Variable &y, const Tensor &value, const Mode &mode,
                int threads) {
  FunctionOptions options{.mode = mode};
  options.threads = threads;
  absl::StatusOr<Function> f = function({x}, y, options);
  EXPECT_TRUE(f.ok()) << f.status();
  absl::StatusOr<Results> results = f->call({value});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0] : Tensor();
}

/// What becomes of one column.
using Formula = std::vector<double> (*)(std::vector<double>);

std::vector<double> softmaxOf(std::vector<double> column) {
  double most = *std::max_element(column.begin(), column.end()), total = 0;
  for (double &each : column)
    total += each = std::exp(each - most);
  for (double &each : column)
    each /= total;
  return column;
}

std::vector<double> logSoftmaxOf(std::vector<double> column) {
  double total = 0;
  for (double each : column)
    total += std::exp(each);
  for (double &each : column)
    each -= std::log(total);
  return column;
}

std::vector<double> normalizedOf(std::vector<double> column) {
  double mean = 0, variance = 0;
  for (double each : column)
    mean += each / double(column.size());
  for (double each : column)
    variance += (each - mean) * (each - mean) / double(column.size());
  for (double &each : column)
    each = (each - mean) / std::sqrt(variance + 1e-5);
  return column;
}

struct Chain {
  const char *name;
  Formula formula;
  std::vector<int64_t> shape;
  int axis;
  DType dtype = DType::Float32;
  double tolerance = 4e-6; ///< some ten roundings of numbers around 1; of bf16, of one
};

void PrintTo(const Chain &chain, std::ostream *out) {
  *out << chain.name << " of " << testing::PrintToString(chain.shape) << " along " << chain.axis;
}

Variable resultOf(const Chain &chain, const Variable &x) {
  if (chain.formula == &softmaxOf)
    return softmax(x, Axis(chain.axis));
  if (chain.formula == &logSoftmaxOf)
    return logSoftmax(x, Axis(chain.axis));
  ReductionOptions options;
  options.axes = Axis(chain.axis);
  options.keepDims = true;
  return (x - mean(x, options)) / sqrt(var(x, options) + 1e-5f);
}

class AxisChains : public ::testing::TestWithParam<Chain> {};

TEST_P(AxisChains, GiveWhatFormulasSay) {
  const Chain &chain = GetParam();
  Variable x = tensor(chain.dtype, std::vector<int64_t>(chain.shape.size(), kDynamic), "x");
  Variable y = resultOf(chain, x);
  Tensor value = numbers(chain.shape, chain.dtype);
  Tensor result = resultOf(x, y, value, "fast_run", 1);
  EXPECT_EQ(result, resultOf(x, y, value, "fast_run", 3));

  Tensor in = value.cast(DType::Float64), out = result.cast(DType::Float64);
  int64_t outer = 1, rows = chain.shape[size_t(chain.axis)], inner = 1;
  for (size_t axis = 0; axis < chain.shape.size(); ++axis)
    (int(axis) < chain.axis ? outer : inner) *= int(axis) == chain.axis ? 1 : chain.shape[axis];
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      auto at = [&](const Tensor &of, int64_t row) {
        return static_cast<const double *>(of.data())[(o * rows + row) * inner + i];
      };
      std::vector<double> column;
      for (int64_t row = 0; row < rows; ++row)
        column.push_back(at(in, row));
      column = chain.formula(column);
      for (int64_t row = 0; row < rows; ++row)
        ASSERT_NEAR(at(out, row), column[size_t(row)],
                    chain.tolerance * std::max(1.0, std::abs(column[size_t(row)])))
            << o << " " << row << " " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AxisChains,
    // Many rows and columns, few, none, three axes, other dtypes.
    ::testing::Values(
        Chain{"softmax", &softmaxOf, {300, 2999}, 0}, Chain{"softmax", &softmaxOf, {70, 9001}, 0},
        Chain{"softmax", &softmaxOf, {1000, 77}, 0}, Chain{"softmax", &softmaxOf, {1, 600}, 0},
        Chain{"softmax", &softmaxOf, {5, 1}, 0}, Chain{"softmax", &softmaxOf, {4, 0}, 0},
        Chain{"softmax", &softmaxOf, {3, 100, 1700}, 1},
        Chain{"softmax", &softmaxOf, {100, 3, 700}, 0},
        Chain{"softmax", &softmaxOf, {90, 1300}, 0, DType::Float64, 1e-14},
        Chain{"softmax", &softmaxOf, {90, 1300}, 0, DType::BFloat16, 5e-3},
        Chain{"logSoftmax", &logSoftmaxOf, {300, 2999}, 0},
        Chain{"logSoftmax", &logSoftmaxOf, {2, 65, 600}, 1},
        Chain{"normalized", &normalizedOf, {300, 2999}, 0},
        Chain{"normalized", &normalizedOf, {2, 130, 1111}, 1}));

// Rows that stand beside those of the matrix are loads behind a condition.
TEST(AxisChains, ReadRowsOfTheirOwnBehindConditions) {
  ReductionOptions options;
  options.axes = Axis(0);
  options.keepDims = true;
  for (auto [rows, columns] : {std::pair{300, 2999}, {70, 9001}, {3, 600}, {2, 2}, {1, 1}, {5, 0}})
    for (bool isKnown : {false, true}) {
      int64_t known[] = {rows, columns};
      Variable x = isKnown ? tensor(DType::Float64, {known[0], known[1]}, "x") : dmatrix("x");
      Variable most = max(x, options);
      Variables outputs = {concatenate({x, most}, 0), concatenate({most, x * 2.0, most}, 0),
                           setSubtensor(x, {Slice(0, 1)}, most),
                           incSubtensor(x, {0}, max(x, {.axes = Axis(0)}))};
      Tensor value = numbers({rows, columns}, DType::Float64);
      const auto *in = static_cast<const double *>(value.data());
      for (size_t k = 0; k < outputs.size(); ++k) {
        Tensor result = resultOf(x, outputs[k], value, "fast_run", 1);
        ASSERT_EQ(result, resultOf(x, outputs[k], value, "fast_run", 3));
        const auto *out = static_cast<const double *>(result.data());
        for (int64_t j = 0; j < columns; ++j) {
          double top = in[j];
          for (int64_t i = 0; i < rows; ++i)
            top = std::max(top, in[i * columns + j]);
          std::vector<double> expected; // the column
          if (k == 1 || k == 2)
            expected.push_back(top);
          if (k == 3)
            expected.push_back(in[j] + top);
          for (int64_t i = k < 2 ? 0 : 1; i < rows; ++i)
            expected.push_back(in[i * columns + j] * (k == 1 ? 2.0 : 1.0));
          if (k < 2)
            expected.push_back(top);
          ASSERT_EQ(result.shape()[0], int64_t(expected.size()));
          for (size_t i = 0; i < expected.size(); ++i)
            ASSERT_EQ(out[i * size_t(columns) + size_t(j)], expected[i])
                << k << ": " << i << ", " << j << " of " << rows << " x " << columns;
        }
      }
    }
}

// The exponentials are memory for somebody else, too; a result may overwrite nothing that is read.
TEST(AxisChains, KeepWhatOthersRead) {
  Variable x = fmatrix("x"), z = fmatrix("z");
  ReductionOptions options;
  options.axes = Axis(0);
  options.keepDims = true;
  Variable e = exp(x - max(x, options)), y = e / sum(e, options) + z * 2.0f;
  Tensor a = numbers({200, 1999}, DType::Float32), b = numbers({200, 1999}, DType::Float32);
  for (const Variables &outputs : {Variables{y}, Variables{e, y}}) {
    auto run = [&](const Mode &mode) {
      absl::StatusOr<Function> f = function({x, z}, OutputList(outputs), {.mode = mode});
      EXPECT_TRUE(f.ok()) << f.status();
      absl::StatusOr<Results> results = f->call({a, b});
      EXPECT_TRUE(results.ok()) << results.status();
      return *results;
    };
    Results with = run("fast_run"), without = run(Mode("fast_run").excluding({"fusion"}));
    for (size_t k = 0; k < outputs.size(); ++k)
      EXPECT_EQ(with[int(k)], without[int(k)]);
  }
}

} // namespace
} // namespace graphc
