//===- FunctionsTest.cpp - functions that are made of ops -------------------===//
//
// Golden vectors test most of them (unittests/Eval); here is what they do not have, beside NumPy's
// and PyTorch's numbers, and the mistakes.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "Messages.h"
#include "NumbersOfFile.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

Variable wave(std::vector<int64_t> shape, int start = 1) {
  Tensor values = *Tensor::zeros(DType::Float64, shape);
  for (double &value : values.mutableFlat<double>())
    value = std::sin(start++);
  return Constant(values);
}

// 20 roundings of sums of a few numbers of at most 1, each a unit of 2^-53; variances divide by
// what is some tenths.
constexpr double kBound = 100 * 20 * 0x1p-53;

TEST(Functions, AreThoseOfNumPyAndPyTorch) {
  Variable x = wave({2, 4, 3}), gain = wave({4}, 30), shift = wave({4}, 50), grid = wave({3, 4});
  std::map<std::string, Variable> made = {
      {"rot90_axes", rot90(wave({2, 3, 2}), 1, 2, 0)},
      {"roll_axes", roll(grid, {1, -2}, {0, 1})},
      {"diagonal_batch", diagonal(wave({2, 3, 4}), 1, 2, 0)},
      {"trace_batch", trace(wave({3, 4, 2}), -1)},
      {"diff_bool", diff(gt(wave({7}), 0.0))},
      {"ptp_all", ptp(grid)},
      {"count_nonzero", countNonzero(floor(grid + 0.5), Axis(1))},
      {"argwhere", argwhere(gt(grid, 0.0))},
      {"lstsq", lstsq(wave({4, 2}), wave({4}, 9))},
      {"lstsq_columns", lstsq(wave({2, 3}), wave({2, 2}, 9))},
      {"kron_ranks", kron(wave({3}), wave({2, 2}))},
      {"tile_more", tile(wave({2, 2}), {2, 1, 3})},
      {"repeat_middle", repeat(wave({2, 3, 2}), std::vector<int64_t>{2, 0, 1}, 1)},
      {"meshgrid_xy", stack(meshgrid({wave({2}), wave({3})}))},
      {"instance_norm", instanceNorm(x, gain, shift)},
      {"batch_variance", batchNormTrain(x, gain, shift).unbiasedVariance},
      {"batch_activations",
       batchNormTrain(x, wave({4, 3}, 30), wave({4, 3}, 50), 1e-5, Axis(0)).result},
      {"batch_rows", batchNormTrain(x, wave({2, 3}, 30), wave({2, 3}, 50), 1e-5, Axis(-2)).result},
      {"batch_rows_variance",
       batchNormTrain(x, wave({2, 3}), wave({2, 3}), 1e-5, Axis(1)).unbiasedVariance},
      {"l1_loss", meanAbsoluteError(grid, wave({3, 4}, 5))},
      {"hinge", hinge(wave({6}), sgn(wave({6}, 3)))},
      {"gru",
       gruCell(wave({5, 3}, 60), wave({5, 2}, 80), wave({6, 3}), wave({6, 2}, 20), wave({6}, 40))},
      {"attention_batch", attention(wave({2, 3, 4}), wave({2, 5, 4}, 9), wave({2, 5, 2}, 17))},
  };
  for (int k = -1; k < 4; ++k)
    made["rot90_" + std::to_string(k)] = rot90(wave({2, 3}), k);
  std::map<std::string, std::vector<double>> all = numbersOfFile(GRAPHC_TEST_DATA "/functions.txt");
  EXPECT_EQ(all.size(), made.size());
  for (const auto &[name, expected] : all) {
    SCOPED_TRACE(name);
    for (const char *mode : {"interpreter", "fast_run"}) {
      absl::StatusOr<Function> f = function({}, made[name], {.mode = mode});
      ASSERT_TRUE(f.ok()) << f.status();
      absl::StatusOr<Results> results = (*f)();
      ASSERT_TRUE(results.ok()) << results.status();
      Tensor found = (*results)[0].cast(DType::Float64);
      ASSERT_EQ(found.numElements(), int64_t(expected.size()));
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found.flat<double>()[i], expected[i], kBound) << i;
    }
  }
}

TEST(Functions, TellMistakes) {
  Variable m = dmatrix("m"), v = dvector("v"), s = dscalar("s"),
           x = tensor(DType::Float64, {2, 6, 5}, "x");
  auto said = [](const Variable &made) { return made.status(); };
  expectMessages({
      {said(tril(v)), "ValueError: tril: a matrix has at least two axes\n  tril(v: f64[?])"},
      {said(diag(s)), "ValueError: diag: x is neither a vector nor a matrix\n  diag(s: f64)"},
      {said(diagonal(m, 0, 1, -1)),
       "ValueError: diagonal: the two axes are one\n  diagonal(m: f64[?,?])"},
      {said(rot90(m, 1, 0, 0)), "ValueError: rot90: the two axes are one\n  rot90(m: f64[?,?])"},
      {said(tile(v, {2, -1})),
       "ValueError: tile: a number of copies is negative: -1\n  tile(v: f64[?])"},
      {said(repeat(v, -2)),
       "ValueError: repeat: the number of copies is negative: -2\n  repeat(v: f64[?])"},
      {said(repeat(v, std::vector<int64_t>{1, -3})),
       "ValueError: repeat: the number of copies is negative: -3\n  repeat(v: f64[?])"},
      {said(repeat(x, std::vector<int64_t>{1, 2, 3}, 0)),
       "ValueError: repeat: there are 3 numbers of copies for 2 elements\n  repeat(x: f64[2,6,5])"},
      {said(roll(m, {1, 2}, {0})),
       "ValueError: roll: there are 2 shifts for 1 axes\n  roll(m: f64[?,?])"},
      {said(diff(v, -1)), "ValueError: diff: the order is negative: -1\n  diff(v: f64[?])"},
      {said(linspace(s, 1.0, -3)),
       "ValueError: linspace: the number of elements is negative: -3\n  linspace(s: f64)"},
      {said(linspace(v, 1.0)),
       "TypeError: linspace: start and stop must be numbers\n  linspace(v: f64[?])"},
      {said(meshgrid({v, v}, "yx")[1]),
       "ValueError: meshgrid: indexing is neither xy nor ij: yx\n  meshgrid(v: f64[?])"},
      {said(groupNorm(x, 4, v, v)), "ValueError: groupNorm: 6 channels do not make 4 groups of "
                                    "equal size\n  groupNorm(x: f64[2,6,5])"},
      {said(instanceNorm(v, v, v)), "ValueError: instanceNorm: x is [batch, channels, ...], of at "
                                    "least two axes\n  instanceNorm(v: f64[?])"},
      {said(batchNormTrain(x, m, v).mean),
       "ValueError: batchNormTrain: gain, shift, mean and variance are vectors, a number for each "
       "channel\n  batchNormTrain(x: f64[2,6,5])"},
      {said(batchNormTrain(x, v, v, 1e-5, Axis(0)).mean),
       "ValueError: batchNormTrain: gain and shift must have rank 2, the axes of x that are left\n "
       " "
       "batchNormTrain(x: f64[2,6,5])"},
      {said(attention(m, v, m)), "ValueError: attention: queries, keys and values are matrices, or "
                                 "batches of them\n  attention(m: f64[?,?])"},
  });
  for (const Variable &made : {flip(v, Axis(1)), roll(v, 1, 3), repeat(v, 2, -2), diff(v, 1, 1),
                               diagonal(m, 0, 0, 2), rot90(m, 1, 0, 5)})
    EXPECT_EQ(errorKind(made.status()), ErrorKind::AxisError) << made.status();
  // What is a mistake already goes through.
  for (const Variable &made : {flip(Variable()), tile(Variable(), {2}), kron(v, Variable()),
                               layerNorm(Variable(), v, v), attention(m, m, Variable())})
    EXPECT_EQ(errorKind(made.status()), ErrorKind::ValueError) << made.status();
}

} // namespace
} // namespace graphc
