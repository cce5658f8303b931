//===- StepDrawsTest.cpp - streams that draw within loops ----------------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graphc/Gradient.h"
#include "graphc/Random.h"
#include "graphc/Scan.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// The first numbers of generator k of a stream with that seed: element i of a draw is a function
/// of the key and of position + i.
std::vector<double> drawn(int64_t seed, int64_t k, int64_t count) {
  Variable state = lvector("state");
  Draw draw = random::normal(state, 0.0, 1.0, {.size = {count}});
  auto f = function({state}, draw.value);
  EXPECT_TRUE(f.ok()) << f.status();
  Tensor value = (*(*f)(randomState(seed, k)))[0].contiguous();
  absl::Span<const double> flat = value.flat<double>();
  return {flat.begin(), flat.end()};
}

/// The results of so many calls, one after the other.
std::vector<double> calls(const absl::StatusOr<Function> &f, int count) {
  EXPECT_TRUE(f.ok()) << f.status();
  std::vector<double> all;
  for (int i = 0; f.ok() && i < count; ++i) {
    auto r = f->call({});
    EXPECT_TRUE(r.ok()) << r.status();
    if (!r.ok())
      return all;
    Tensor value = (*r)[0].contiguous();
    absl::Span<const double> flat = value.flat<double>();
    all.insert(all.end(), flat.begin(), flat.end());
  }
  return all;
}

int numLoops(const Function &f) {
  int count = 0;
  for (const Apply &node : f.graph()->applyNodes())
    count += node.op().name() == "scan";
  return count;
}

// Whether or not the parameters depend on a state; the generator goes on from call to call, by
// itself or by the result's updates.
TEST(StepDraws, EachStepDrawsAnew) {
  for (const char *mode : {"fast_run", "fast_compile", "interpreter"})
    for (bool hasUpdates : {false, true}) {
      SCOPED_TRACE(mode);
      RandomStream stream(7);
      ScanResult r =
          scan([&](const Variables &) { return stream.normal(DrawOptions{}); }, {.numSteps = 3});
      FunctionOptions options;
      options.mode = Mode(mode);
      if (hasUpdates)
        options.updates = r.updates;
      absl::StatusOr<Function> f = function({}, r.outputs[0], options);
      EXPECT_EQ(calls(f, 2), drawn(7, 0, 6));
      if (std::string_view(mode) != "interpreter") // which merges nothing
        EXPECT_EQ(numLoops(*f), 1) << "values and state are of one loop";
    }
  RandomStream stream(7);
  ScanResult walk = scan([&](const Variables &in) { return stream.normal(in[0], 1.0); },
                         {.outputs = {0.0}, .numSteps = 3});
  std::vector<double> z = drawn(7, 0, 6);
  std::vector<double> found = calls(function({}, walk.outputs[0]), 2);
  ASSERT_EQ(found.size(), 6u);
  for (int call = 0; call < 2; ++call)
    for (int step = 0; step < 3; ++step) {
      double before = step == 0 ? 0 : found[size_t(3 * call + step - 1)];
      EXPECT_DOUBLE_EQ(found[size_t(3 * call + step)], before + z[size_t(3 * call + step)]);
    }
}

TEST(StepDraws, StreamsKnowTheirGenerators) {
  RandomStream stream(3);
  ScanResult r = scan(
      [&](const Variables &) { return stream.normal(DrawOptions{}) + stream.normal(0.0, 1.0); },
      {.numSteps = 2});
  EXPECT_EQ(stream.generators().size(), 2u);
  EXPECT_EQ(stream.stateUpdates().size(), 2u);
  absl::StatusOr<Function> f = function({}, r.outputs[0]);
  std::vector<double> first = calls(f, 1), a = drawn(3, 0, 2), b = drawn(3, 1, 2);
  EXPECT_THAT(first, testing::ElementsAre(a[0] + b[0], a[1] + b[1]));
  EXPECT_NE(calls(f, 1), first);
  ASSERT_TRUE(stream.seed(3).ok());
  EXPECT_EQ(calls(f, 1), first);
  FunctionOptions still;
  still.noDefaultUpdates = true;
  EXPECT_EQ(calls(function({}, r.outputs[0], still), 2),
            calls(function({}, r.outputs[0], still), 2));
}

// A step's draw is the loop's around it as well; one that is made before the loop is one number.
TEST(StepDraws, LoopsWithinLoopsAndDrawsBefore) {
  RandomStream stream(11);
  auto inner = [&](const Variables &) { return stream.normal(DrawOptions{}); };
  ScanResult r = scan([&](const Variables &) { return scan(inner, {.numSteps = 2}).outputs[0]; },
                      {.numSteps = 3});
  EXPECT_EQ(calls(function({}, r.outputs[0]), 2), drawn(11, 0, 12));

  // The step may hand on what the inner loop updates, which is the same.
  RandomStream again(11);
  auto innerAgain = [&](const Variables &) { return again.normal(DrawOptions{}); };
  ScanResult given = scan(
      [&](const Variables &) {
        ScanResult r = scan(innerAgain, {.numSteps = 2});
        return ScanStep(r.outputs, r.updates);
      },
      {.numSteps = 3});
  EXPECT_EQ(calls(function({}, given.outputs[0]), 2), drawn(11, 0, 12));

  RandomStream other(12);
  Variable before = other.normal(DrawOptions{});
  ScanResult same = scan([&](const Variables &) { return before * 1.0; }, {.numSteps = 2});
  double z = drawn(12, 0, 1)[0];
  EXPECT_THAT(calls(function({}, same.outputs[0]), 1), testing::ElementsAre(z, z));
}

// A weak number as first state, whose step is called again; foldl, map; whileLoop, whose condition
// may draw as well.
TEST(StepDraws, AllKindsOfLoops) {
  auto total = [](const std::vector<double> &list) {
    double sum = 0;
    for (double number : list)
      sum += number;
    return sum;
  };
  RandomStream stream(5);
  Variable x = constant(Tensor({1.0, 2.0, 3.0}));
  auto add = [&](const Variables &in) { return in.back() + stream.normal(DrawOptions{}); };
  Variable sum = foldl(add, {x}, Operand(constant(Tensor(0.0))));
  EXPECT_NEAR(calls(function({}, sum), 1)[0], total(drawn(5, 0, 3)), 1e-14);
  Variable noise =
      map([&](const Variables &in) { return in[0] * 0.0 + stream.normal(DrawOptions{}); }, {x});
  EXPECT_EQ(calls(function({}, noise), 2), drawn(5, 1, 6));
  ScanResult weak = scan([&](const Variables &) { return stream.normal(DrawOptions{}); },
                         {.outputs = {0}, .numSteps = 3});
  EXPECT_EQ(calls(function({}, weak.outputs[0]), 1), drawn(5, 3, 3)); // 2 was of the first call

  RandomStream walker(6);
  auto step = [&](const Variables &in) {
    return ScanStep({in[0] + walker.normal(DrawOptions{}), in[1] + 1.0});
  };
  auto goesOn = [&](const Variables &in) { return lt(abs(in[0]), 2.0); };
  ScanResult left = whileLoop(goesOn, step, {0.0, 0.0});
  std::vector<double> z = drawn(6, 0, 1000);
  double at = 0, count = 0;
  for (; std::abs(at) < 2; ++count)
    at += z[size_t(count)];
  auto walk = function({}, {left.outputs[0], left.outputs[1]});
  ASSERT_TRUE(walk.ok()) << walk.status();
  Results r = *walk->call({});
  EXPECT_DOUBLE_EQ(r[0].item<double>(), at);
  EXPECT_EQ(r[1].item<double>(), count);
  Tensor state = walker.generators()[0].get();
  EXPECT_EQ(state.flat<int64_t>()[1], int64_t(count));

  // Steps until a coin says no: each question is a throw of its own.
  RandomStream coins(8);
  ScanResult tries = whileLoop([&](const Variables &) { return coins.bernoulli(0.9); },
                               [](const Variables &in) { return in[0] + 1.0; }, {0.0});
  std::vector<double> counts = calls(function({}, tries.outputs[0]), 400);
  // The number before the first no is geometric: mean 9, standard deviation 9.5.
  EXPECT_NEAR(total(counts) / 400, 9, 5 * 9.5 / 20);
}

// By the mean it is 1 at each step; with checkpoints the same numbers are drawn again.
TEST(StepDraws, Gradients) {
  for (int64_t every : {int64_t(0), int64_t(2)}) {
    RandomStream stream(9);
    SharedVariable scale = shared(1.5, "scale");
    ScanResult r = scan(
        [&](const Variables &in) {
          return in[0] * 0.5 + stream.normal(0.0, scale, {.reparameterized = true});
        },
        {.outputs = {0.0}, .numSteps = 5, .checkpointEvery = every});
    std::vector<double> z = drawn(9, 0, 5);
    double expected = 0;
    for (double number : z)
      expected = expected * 0.5 + number;
    auto f = function({}, grad(r.last[0], scale));
    EXPECT_NEAR(calls(f, 1).at(0), expected, 1e-14);
  }
}

// In a branch the state goes on whether or not it is taken.
TEST(StepDraws, Branches) {
  RandomStream stream(10);
  ScanResult r = scan(
      [&](const Variables &in) {
        return ifElse(gt(in[0], 0.0), stream.normal(DrawOptions{}), constant(Tensor(-1.0)));
      },
      {.sequences = {constant(Tensor({1.0, -1.0, 1.0}))}});
  std::vector<double> z = drawn(10, 0, 3);
  EXPECT_THAT(calls(function({}, r.outputs[0]), 1), testing::ElementsAre(z[0], -1.0, z[2]));
}

// The loop's mistake is told; no generator keeps an update of a loop that is not there.
TEST(StepDraws, LoopsThatFail) {
  RandomStream stream(1);
  ScanResult r = scan(
      [&](const Variables &) {
        return ScanStep(Variables{stream.normal(DrawOptions{}), constant(Tensor(1.0))});
      },
      {.outputs = {0.0}, .numSteps = 3});
  EXPECT_EQ(errorKind(r.outputs[0].status()), ErrorKind::ValueError);
  EXPECT_TRUE(stream.stateUpdates().empty());
  EXPECT_EQ(calls(function({}, stream.normal(DrawOptions{})), 1), drawn(1, 1, 1));
}

} // namespace
} // namespace graphc
