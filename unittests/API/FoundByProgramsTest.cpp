//===- FoundByProgramsTest.cpp - what random programs found -----------------===//
//
// Each made small, with the numbers that it must give (RandomProgramsTest.cpp).
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include "Choices.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

// Seed 20. argmax over no axis is 0 and reads nothing; the sum in front of it, made for it, was in
// a kernel without memory.
TEST(FoundByPrograms, NobodyReadsWhatIsComputedForArgmaxOverNoAxis) {
  auto x = dmatrix("x"), y = dmatrix("y");
  Variable added = incTake(x, 1, y[{0}], {.axis = 0});
  Variables outputs = {argmax(added, {.axes = Axes::none(), .keepDims = true}),
                       argmin(dot(x, y), Axes::none())};
  EXPECT_EQ(runEverywhere({x, y}, outputs, {Tensor({{1, 2}, {3, 4}}), Tensor({{5, 6}, {7, 8}})}),
            List(8, 0));
}

// Seed 1091. The sums lie in the memory of the last result, whose loop went in front of the one
// that reads them at other rows.
TEST(FoundByPrograms, WhatLiesInAResultIsReadBeforeItIsOverwritten) {
  auto x = dmatrix("x"), y = dmatrix("y");
  Variable total = -sum(x, {.axes = Axis(0), .keepDims = true});
  Variable sums = x + incSubtensor(y, {Slice()}, total * x);
  Variables outputs = {incSubtensor(y, {Slice(1, kEnd)}, sums[{Slice(1, kEnd)}]),
                       setSubtensor(sums, {Slice(1, kEnd)}, 0.0)};
  Tensor a({{1, 2}, {3, 4}, {5, 6}}), zeros({{0, 0}, {0, 0}, {0, 0}});
  EXPECT_EQ(runEverywhere({x, y}, outputs, {a, zeros}),
            (List{0, 0, -24, -44, -40, -66, -8, -22, 0, 0, 0, 0}));
}

} // namespace
} // namespace graphc
