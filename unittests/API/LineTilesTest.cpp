//===- LineTilesTest.cpp - convolutions of small pictures, called -----------===//
//
// Pictures with a border, whose lines are tiles where the processor has mask registers
// (lib/Transforms/LineTiles.cpp). WindowsTest.cpp compares them with sums in double precision.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cstring>

#include "AtEdgeOfPages.h"
#include "Support/LineTiles.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// Numbers that are no round ones.
Tensor filled(absl::Span<const int64_t> shape, int seed, DType dtype = DType::Float32) {
  Tensor t = *Tensor::zeros(DType::Float64, shape);
  auto *data = static_cast<double *>(t.data());
  for (int64_t i = 0; i < t.numElements(); ++i)
    data[i] = double((i * 7919 + seed * 104729) % 1000003) / 1000003.0 - 0.5;
  return t.cast(dtype);
}

ConvOptions withBorder(int stride = 1) {
  ConvOptions options;
  options.padding = 1;
  options.stride = {stride, stride};
  options.filterFlip = false;
  return options;
}

void expectSameBits(const Tensor &found, const Tensor &expected) {
  ASSERT_EQ(found.shape(), expected.shape());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), size_t(found.numBytes())), 0);
}

// As many pixels as fit without doing any twice, if there is such a number.
TEST(LineTiles, CutLines) {
  for (auto [line, tile] : {std::pair<int64_t, int64_t>{5, 5},
                            {14, 14},
                            {16, 8},
                            {20, 10},
                            {27, 9},
                            {28, 14},
                            {29, 10},
                            {55, 11},
                            {56, 14},
                            {64, 8}})
    EXPECT_EQ(tilePixels(line), tile) << line;
  for (int64_t line : {5, 14, 16, 27, 28, 29, 41, 56, 64})
    EXPECT_TRUE(areLinesWorthTiles(line)) << line;
  for (int64_t line : {-1, 0, 4, 15, 17, 19, 65})
    EXPECT_FALSE(areLinesWorthTiles(line)) << line;
  const WindowSums sums{.line = 28, .taps = 3, .terms = 576, .outputs = 64, .elementBytes = 4};
  EXPECT_TRUE(areDoneByLines(sums));
  auto with = [&](auto change) {
    WindowSums other = sums;
    change(other);
    return areDoneByLines(other);
  };
  EXPECT_FALSE(with([](WindowSums &s) { s.line = 17; }));
  EXPECT_FALSE(with([](WindowSums &s) { s.taps = 0; }));
  EXPECT_TRUE(with([](WindowSums &s) { s.taps = 7; }));
  EXPECT_FALSE(with([](WindowSums &s) { s.taps = 8; }));
  EXPECT_TRUE(with([](WindowSums &s) { s.line = 14, s.taps = 11; }));
  EXPECT_FALSE(with([](WindowSums &s) { s.line = 14, s.taps = 12; }));
  EXPECT_FALSE(with([](WindowSums &s) { s.terms = 127; }));
  EXPECT_TRUE(with([](WindowSums &s) { s.outputs = 61; }));
  EXPECT_FALSE(with([](WindowSums &s) { s.outputs = 60; }));
  EXPECT_FALSE(with([](WindowSums &s) { s.outputs = 16; }));
  EXPECT_TRUE(with([](WindowSums &s) { s.outputs = 16, s.elementBytes = 8; }));
}

// The runtime keeps panels of a constant, which kernels copy otherwise, for each thread's outputs.
TEST(LineTiles, ConstantsGiveTheBitsOfArguments) {
  for (DType dtype : {DType::Float32, DType::Float64})
    for (int64_t batch : {1, 3})
      for (auto [outputs, side] :
           {std::pair<int64_t, int64_t>{126, 7}, {62, 14}, {64, 28}, {94, 29}}) {
        SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(batch) + " x " +
                     std::to_string(outputs) + " x " + std::to_string(side));
        Tensor picture = filled({batch, 30, side, side}, 1, dtype),
               weights = filled({outputs, 30, 3, 3}, 2, dtype);
        Variable x = tensor(dtype, picture.shape(), "x"), w = tensor(dtype, weights.shape(), "w");
        auto given = function({x, w}, conv2d(x, w, withBorder()));
        ASSERT_TRUE(given.ok()) << given.status();
        Tensor expected = (*(*given)(picture, weights))[0];
        for (int threads : {1, 2, 3, 5}) {
          auto kept =
              function({x}, conv2d(x, constant(weights), withBorder()), {.threads = threads});
          ASSERT_TRUE(kept.ok()) << kept.status();
          for (int round = 0; round < 2; ++round) // the copy is made, and is there
            expectSameBits((*(*kept)(picture))[0], expected);
        }
      }
}

// Pictures, weights, and the gradient's weights, which are read by pieces.
TEST(LineTiles, ReadNothingAroundOperands) {
  for (int stride : {1, 2})
    for (int64_t side : {5, 7, 9, 14, 27, 28, 29}) {
      Tensor picture = filled({1, 15, side * stride, side * stride}, 1),
             weights = filled({62, 15, 3, 3}, 2);
      Variable x = tensor(DType::Float32, picture.shape(), "x"),
               w = tensor(DType::Float32, weights.shape(), "w"),
               g = tensor(DType::Float32, {1, 40, side, side}, "g"),
               v = tensor(DType::Float32, {40, 61, 3, 3}, "v"),
               y = tensor(DType::Float32, {1, 61, side, side}, "y");
      Variable gradient = pullback(conv2d(y, v, withBorder()), y, g);
      auto f = function({x, w}, conv2d(x, w, withBorder(stride)));
      auto df = function({v, g, y}, gradient);
      ASSERT_TRUE(f.ok() && df.ok()) << f.status() << df.status();
      Tensor pieces = filled(v.type().shape(), 3), output = filled(g.type().shape(), 4),
             shape = filled(y.type().shape(), 5);
      Tensor expected = (*(*f)(picture, weights))[0],
             expectedGradient = (*(*df)(pieces, output, shape))[0];
      for (bool isBegin : {false, true}) {
        const testing::AtEdgeOfPages atPicture(picture, isBegin), atWeights(weights, isBegin),
            atPieces(pieces, isBegin), atOutput(output, isBegin);
        expectSameBits((*(*f)(atPicture.tensor(), atWeights.tensor()))[0], expected);
        expectSameBits((*(*df)(atPieces.tensor(), atOutput.tensor(), shape))[0], expectedGradient);
      }
    }
}

// Other layouts, slices, and windows that are read backwards along one axis alone: weights of an
// output that do not stand together. Beside them are numbers that nothing may read.
TEST(LineTiles, WeightsThatDoNotStandTogether) {
  Tensor picture = filled({1, 48, 14, 14}, 1), column = filled({1, 1, 14, 14}, 2),
         stored = filled({64, 3, 3, 48}, 3), lines = filled({64, 1, 131, 3}, 4),
         single = filled({64, 1, 131, 1}, 5);
  Variable x = tensor(DType::Float32, picture.shape(), "x"),
           c = tensor(DType::Float32, column.shape(), "c"),
           w = tensor(DType::Float32, stored.shape(), "w"),
           v = tensor(DType::Float32, lines.shape(), "v"),
           u = tensor(DType::Float32, single.shape(), "u");
  struct Case {
    Variable picture, weights;
    ConvOptions options;
  };
  auto along = [](std::pair<int, int> rows, bool flips, int columns = 0) {
    ConvOptions options;
    options.padding = Padding(std::vector<std::pair<int, int>>{rows, {columns, columns}});
    options.filterFlip = flips;
    return options;
  };
  std::vector<Case> cases;
  for (bool flips : {false, true}) {
    for (const std::vector<int> &order : {std::vector<int>{0, 3, 1, 2}, {0, 3, 2, 1}})
      cases.push_back({x, dimshuffle(w, order), along({1, 1}, flips, 1)});
    cases.push_back({x, dimshuffle(w, {0, 3, 1, 2})[{Slice(), Slice(), Slice(), Slice(1, 2)}],
                     along({1, 1}, flips)});
    cases.push_back({c, v[{Slice(), Slice(), Slice(), Slice(1, 2)}], along({65, 65}, flips)});
    cases.push_back({c, u, along({65, 65}, flips)});
  }
  // Up to 432 terms of up to a quarter, added in any order, with an error of 2^-24 of the sum each.
  constexpr double kBound = 2 * 432 * 0x1p-24 * (432 * 0.25);
  for (const Case &one : cases) {
    auto weights = function({w, v, u}, one.weights, {.onUnusedInput = OnUnusedInput::Ignore});
    Variable given = tensor(DType::Float32, one.weights.type().shape(), "given");
    auto together = function({x, c, given}, conv2d(one.picture, given, one.options),
                             {.onUnusedInput = OnUnusedInput::Ignore});
    auto apart = function({x, c, w, v, u}, conv2d(one.picture, one.weights, one.options),
                          {.onUnusedInput = OnUnusedInput::Ignore});
    ASSERT_TRUE(weights.ok() && together.ok() && apart.ok())
        << weights.status() << together.status() << apart.status();
    Tensor expected =
        (*(*together)(picture, column, (*(*weights)(stored, lines, single))[0].contiguous()))[0];
    Tensor found = (*(*apart)(picture, column, stored, lines, single))[0];
    ASSERT_EQ(found.shape(), expected.shape());
    for (int64_t i = 0; i < found.numElements(); ++i)
      ASSERT_NEAR(static_cast<const float *>(found.data())[i],
                  static_cast<const float *>(expected.data())[i], kBound)
          << i << " of " << one.weights.type().shape().size();
  }
}

// 29 pixels are three tiles of ten: one pixel is in two of them, and added to once where the sums
// overwrite what they are added to, which the second product reads alone.
TEST(LineTiles, AddOnceToWhatTheyOverwrite) {
  Tensor picture = filled({1, 20, 29, 29}, 1), weights = filled({62, 20, 3, 3}, 2),
         others = filled({62, 20, 3, 3}, 3), last = filled({8, 62, 1, 1}, 4);
  Variable x = tensor(DType::Float32, picture.shape(), "x"),
           w = tensor(DType::Float32, {62, 20, 3, 3}, "w"),
           v = tensor(DType::Float32, {62, 20, 3, 3}, "v"),
           u = tensor(DType::Float32, last.shape(), "u");
  Variable sums = conv2d(x, v, withBorder()) + conv2d(x, w, withBorder());
  Variable result = conv2d(sums, u);
  auto shared = function({x, w, v, u}, result);
  auto apart = function({x, w, v, u}, result, {.mode = Mode().excluding({"share-memory"})});
  ASSERT_TRUE(shared.ok() && apart.ok()) << shared.status() << apart.status();
  expectSameBits((*(*shared)(picture, weights, others, last))[0],
                 (*(*apart)(picture, weights, others, last))[0]);
}

// What a window has beside the border adds nothing, wherever it is done.
TEST(LineTiles, FiniteWeightsBesideTheBorderAddNothing) {
  for (int64_t side : {7, 14, 28, 29, 41}) {
    Tensor picture = *Tensor::full(DType::Float32, {1, 16, side, side}, Tensor(1.0f)),
           weights = *Tensor::full(DType::Float32, {32, 16, 3, 3}, Tensor(1.0f));
    Variable x = tensor(DType::Float32, picture.shape(), "x"),
             w = tensor(DType::Float32, weights.shape(), "w");
    auto f = function({x, w}, conv2d(x, w, withBorder()));
    ASSERT_TRUE(f.ok()) << f.status();
    Tensor result = (*(*f)(picture, weights))[0];
    auto *sums = static_cast<const float *>(result.data());
    for (int64_t i = 0; i < result.numElements(); ++i) {
      auto meets = [&](int64_t at) { return at == 0 || at == side - 1 ? 2 : 3; };
      ASSERT_EQ(sums[i], float(16 * meets(i % side) * meets(i / side % side))) << side << " " << i;
    }
  }
}

} // namespace
} // namespace graphc
