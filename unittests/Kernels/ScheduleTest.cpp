//===- ScheduleTest.cpp - when kernels run ---------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>

#include "Kernels/Fuse.h"
#include "TestGraphs.h"

namespace graphc {
namespace {

/// A graph of host calls, which keep their order and join no kernel.
class ScheduleTest : public ::testing::Test {
protected:
  TestGraph g;
  Emitter &e = g.e;
  Array x = g.input(DType::Float64, {8, 8});

  Array host(Array from, std::vector<int64_t> shape = {8, 8}, DType dtype = DType::Float64) {
    Extents extents;
    for (int64_t extent : shape)
      extents.push_back(e.size(extent));
    auto nothing = [](absl::Span<const Tensor>, absl::Span<Tensor>) { return absl::OkStatus(); };
    return e.hostCall(nothing, {from}, {{dtype, extents}})[0];
  }
  Array adds(Array a, Array b) {
    return e.map({a, b}, [](const Scalars &s) { return s[0] + s[1]; });
  }
  Array sumOf(Array a) { return e.reduceAxes(Combine::Sum, a, {0, 1}, false); }

  /// The steps: h for a host call, k for a kernel, c for a copy.
  std::string order() {
    absl::StatusOr<KernelGraph> graph = fuse(g.finish());
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok())
      return "";
    program = graph->program;
    std::string steps;
    for (const Program::Step &step : program.steps)
      steps += "khc"[int(step.kind)];
    return steps;
  }
  /// The most arrays that wait at a time for the step that reads them last.
  int mostAlive() const {
    std::vector<size_t> last(program.arrays.size(), 0);
    for (size_t s = 0; s < program.steps.size(); ++s)
      for (int32_t array : program.steps[s].arrays)
        last[size_t(array)] = s;
    std::vector<int> alive(program.steps.size() + 1, 0);
    std::vector<bool> seen(program.arrays.size(), false);
    for (size_t s = 0; s < program.steps.size(); ++s)
      for (int32_t array : program.steps[s].arrays) {
        size_t number = size_t(array);
        if (seen[number] || program.arrays[number].storage != Program::Array::Storage::Arena)
          continue;
        seen[number] = true;
        ++alive[s];
        --alive[last[number] + 1];
      }
    int now = 0, most = 0;
    for (int change : alive)
      most = std::max(most, now += change);
    return most;
  }
  Program program;
};

// The gradient of what a hundred calls share: terms first, then one sum of all. A kernel reads 16
// arrays at most (kMaxReads).
TEST_F(ScheduleTest, SumsFollowTheirTerms) {
  std::vector<Array> terms;
  for (int k = 0; k < 100; ++k)
    terms.push_back(host(x));
  Array sum = terms[0];
  for (int k = 1; k < 100; ++k)
    sum = adds(sum, terms[size_t(k)]);
  g.output(sum);
  EXPECT_NE(order().find("khhhhh"), std::string::npos);
  EXPECT_LE(mostAlive(), 17);
}

TEST_F(ScheduleTest, RunBehindTheLastOperand) {
  Array a = host(x), b = host(x);
  Array late = host(x);
  g.output(sumOf(late));
  host(x);
  g.output(sumOf(adds(a, b)));
  EXPECT_EQ(order(), "hhkhkh");
}

TEST_F(ScheduleTest, InTheOrderOfTheGraphBehindOneStep) {
  Array a = host(x), b = host(x), c = host(x);
  host(x);
  Array first = sumOf(adds(a, c));
  g.output(host(first, {}));
  g.output(e.map({sumOf(b), first}, [](const Scalars &s) { return s[0] - s[1]; }));
  ASSERT_EQ(order(), "hhhkkhh");
  const Numbers &one = program.steps[3].arrays, &two = program.steps[4].arrays;
  EXPECT_EQ(std::count(two.begin(), two.begin() + program.steps[4].numInputs, one.back()), 1);
}

// An output is nobody's to free, and takes no memory of the program's.
TEST_F(ScheduleTest, OutputsAreNotFreed) {
  Array a = host(x);
  host(x);
  g.output(a);
  Array s = sumOf(a);
  g.output(host(s, {}));
  EXPECT_EQ(order(), "hhkh");
}
TEST_F(ScheduleTest, OutputsUnderAnotherShapeAreNotFreed) {
  Array a = host(x);
  host(x);
  g.output(e.view(a, {e.size(8), e.size(1), e.size(8)}));
  Array s = sumOf(a);
  g.output(host(s, {}));
  EXPECT_EQ(order(), "hhkh");
}
TEST_F(ScheduleTest, OutputsAreNotMade) {
  Array a = host(x);
  host(x);
  g.output(e.map({a}, [](const Scalars &s) { return exp(s[0]); }));
  EXPECT_EQ(order(), "hkh");
}

TEST_F(ScheduleTest, NothingIsGainedFromLargeResults) {
  Array a = host(x, {8});
  host(x);
  // 8 numbers become 64, which wait for the last call.
  Array wide = e.define({e.size(8), e.size(8)},
                        [&](Indices i) { return e.load(a, {i[0]}) * cast(i[1], DType::Float64); });
  g.output(host(wide, {}));
  EXPECT_EQ(order(), "hhkh");
}
TEST_F(ScheduleTest, WhatStaysInTheKernelTakesNoMemory) {
  Array a = host(x, {8, 8}, DType::Float32);
  host(x);
  // Read twice, so computed in a nest of its own, with twice the bytes of `a`.
  Array wide = e.map({a}, [](const Scalars &s) { return exp(cast(s[0], DType::Float64)); });
  Array most = e.reduceAxes(Combine::Max, wide, {1}, false);
  Array all = e.reduce(Combine::Sum, {e.size(8)}, {e.size(8)}, [&](Indices i, Indices r) {
    return e.load(wide, {i[0], r[0]}) - e.load(most, {i[0]});
  });
  g.output(host(all, {}));
  EXPECT_EQ(order(), "hkhh");
}

TEST_F(ScheduleTest, InputsAreNotFreed) {
  Array y = g.input(DType::Float64, {8, 8}), a = host(x, {8});
  host(x);
  Array sums =
      e.reduce(Combine::Sum, {e.size(8), e.size(2)}, {e.size(8)}, [&](Indices i, Indices r) {
        return e.load(y, {i[0], r[0]}) * e.load(a, {i[0]}) + cast(i[1], DType::Float64);
      });
  g.output(host(sums, {}));
  EXPECT_EQ(order(), "hhkh");
}

TEST_F(ScheduleTest, CallsKeepTheirPlace) {
  Array a = host(x);
  g.output(sumOf(x));
  g.output(host(a));
  EXPECT_EQ(order(), "hkh");
}

// What another step reads later stays alive.
TEST_F(ScheduleTest, LaterReaders) {
  Array a = host(x);
  host(x);
  Array s = sumOf(a);
  g.output(host(s, {}));
  g.output(host(a, {}));
  EXPECT_EQ(order(), "hhkhh");
}
TEST_F(ScheduleTest, ReadersBetween) {
  Array a = host(x);
  g.output(host(a, {}));
  Array s = sumOf(a);
  g.output(host(s, {}));
  EXPECT_EQ(order(), "hhkh");
}

// The error is that of the first step that fails.
TEST_F(ScheduleTest, WhatMayFailKeepsItsPlace) {
  Array a = host(x);
  host(x);
  Array checked = e.map({a}, [&](const Scalars &s) {
    e.check(s[0] > 0, ErrorKind::ValueError, "not positive");
    return cast(s[0], DType::Float32);
  });
  g.output(host(checked, {}));
  EXPECT_EQ(order(), "hhkh");
}

// A size that is an element of an array has a value when that has been computed.
TEST_F(ScheduleTest, SizesFromArraysKeepEverythingInPlace) {
  Array a = host(x), count = host(x, {}, DType::Int64);
  host(x);
  Array repeated =
      e.define({e.element(count)}, [&](Indices) { return e.load(a, {e.index(0), e.index(0)}); });
  g.output(repeated);
  EXPECT_EQ(order(), "hhhk");
}

} // namespace
} // namespace graphc
