//===- CheckpointsTest.cpp - gradients of loops in less memory -------------===//
//
// What loops that keep all states give is the reference; numbers beside them follow by hand.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>

#include "Calls.h"
#include "Messages.h"
#include "graphc/Embedding.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

using List = std::vector<double>;
using V = const Variables &;

class Checkpoints : public ::testing::Test {
protected:
  Variable n = lscalar("n"), x = dvector("x"), a = dscalar("a"), h0 = dvector("h0");

  /// Both functions at these values: equal but for the order of sums.
  static void expectEqual(const Variables &inputs, const Variables &kept, const Variables &again,
                          const std::vector<Tensor> &values, const std::string &what) {
    for (const char *mode : {"interpreter", "fast_run"}) {
      auto of = [&](const Variables &outputs) {
        return valuesOf(
            made(function(inputs, outputs, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore}))
                .call(values));
      };
      List expected = of(kept), actual = of(again);
      ASSERT_EQ(expected.size(), actual.size()) << what << mode;
      for (size_t i = 0; i < expected.size(); ++i) // sums of some ten terms of alike sign
        EXPECT_NEAR(expected[i], actual[i], 1e-14 * std::abs(expected[i])) << what << mode;
    }
  }
};

// F-328
TEST_F(Checkpoints, GiveWhatStoredStatesGive) {
  auto derivatives = [&](const ScanOptions &options, const ScanFunction &step) {
    ScanResult r = scan(step, options);
    Variable cost;
    Variables results = r.outputs;
    for (size_t k = 0; k < r.outputs.size(); ++k) {
      Variable part = sum(sqr(r.outputs[k]));
      if (r.last[k].ok())
        results.push_back(r.last[k]);
      if (r.last[k].ok())
        part = part + sum(r.last[k] * 3.0);
      cost = k == 0 ? part : cost + part;
    }
    for (const Variable &g :
         grad(cost, Variables{x, a, h0}, {.disconnectedInputs = DisconnectedInputs::Ignore}))
      results.push_back(g);
    return results;
  };
  struct Case {
    std::string name;
    ScanOptions options;
    ScanFunction step;
  };
  const std::vector<Case> cases = {
      {"a state and a sequence",
       {.sequences = {x}, .outputs = {ScanOutput(h0)}},
       [&](V in) { return in[1] * a + in[0]; }},
      {"taps, and a result that is no state",
       {.sequences = {ScanSequence(x, {-1, 1})},
        .outputs = {ScanOutput(h0, {-2, -1}), ScanOutput::none()}},
       [&](V in) {
         Variable next = in[2] * a + in[3] * in[0];
         return Variables{next, next * in[1]};
       }},
      {"backwards",
       {.sequences = {ScanSequence(x, {0, 2})}, .outputs = {ScanOutput(h0)}, .goBackwards = true},
       [&](V in) { return in[2] * in[0] + in[1]; }},
      {"a number of steps, two states",
       {.outputs = {ScanOutput(h0), ScanOutput(a)}, .numSteps = Operand(n)},
       [&](V in) { return Variables{in[0] * in[1], in[1] * 0.75 + 0.5}; }},
      {"backwards, fewer steps than there are elements",
       {.sequences = {x}, .outputs = {ScanOutput(h0)}, .numSteps = Operand(n), .goBackwards = true},
       [&](V in) { return in[1] * in[0] + a; }},
  };
  for (const Case &c : cases) {
    Variables kept = derivatives(c.options, c.step);
    for (int64_t every : {int64_t(1), int64_t(2), int64_t(3), int64_t(100), kSquareRootOfSteps}) {
      ScanOptions options = c.options;
      options.checkpointEvery = every;
      Variables again = derivatives(options, c.step);
      for (int64_t steps : {0, 1, 2, 5, 6}) {
        List values;
        for (int64_t i = 0; i < steps + 2; ++i)
          values.push_back(0.5 + 0.25 * double(i));
        expectEqual({n, x, a, h0}, kept, again,
                    {Tensor(steps),
                     *Tensor::fromSpan(absl::MakeConstSpan(values), {steps + 2}),
                     Tensor(0.75),
                     {0.5, 1.5}},
                    c.name + " " + std::to_string(every) + " of " + std::to_string(steps) + " ");
      }
    }
  }
}

// F-328: a^n h0, whose derivative is n a^(n - 1) h0, and the one of that.
/// Fewer steps than lie between checkpoints: a loop of no steps has results without rows, of which
/// nobody knows the extents.
TEST_F(Checkpoints, SecondDerivativesOfFewSteps) {
  auto second = [&](int64_t every) {
    ScanResult s = scan([](V in) { return sin(in[0] * in[1] * in[2]); },
                        {.outputs = {ScanOutput(h0, {-2, -1})},
                         .nonSequences = {a},
                         .numSteps = n,
                         .checkpointEvery = every});
    Variables g = grad(sum(s.outputs[0]), {h0, a});
    return grad(sum(g[0] * g[0]) + g[1], {h0, a});
  };
  for (int64_t steps : {0, 1, 2, 5})
    expectEqual({n, h0, a}, second(0), second(2), {Tensor(steps), Tensor({0.3, 0.4}), Tensor(0.7)},
                std::to_string(steps) + " steps ");
  Function none = made(function({n, h0, a}, second(2), {.onUnusedInput = OnUnusedInput::Ignore}));
  absl::StatusOr<Results> zeros = none(Tensor(int64_t(0)), Tensor({0.3, 0.4}), Tensor(0.7));
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_EQ((*zeros)[0], Tensor({0.0, 0.0}));
}

TEST_F(Checkpoints, OfPowers) {
  ScanResult r = scan([&](V in) { return in[0] * a; },
                      {.outputs = {ScanOutput(h0)}, .numSteps = Operand(n), .checkpointEvery = 3});
  Variable slope = grad(r.last[0].sum(), a);
  for (const char *mode : {"interpreter", "fast_run", "fast_compile", "debug"}) {
    Function f = made(function({n, a, h0}, {r.last[0], slope, grad(slope, a)}, {.mode = mode}));
    EXPECT_EQ(valuesOf(f.call({Tensor(10), Tensor(2.0), {1, 3}})),
              (List{1024, 3072, 4 * 5120, 4 * 90 * 256}))
        << mode;
  }
}

// F-321, F-328
TEST_F(Checkpoints, UpdateSharedVariables) {
  SharedVariable s = shared(Tensor(1.0));
  ScanResult r = scan([&](V in) { return ScanStep({in[0] + s}, {{s, s * 2.0}}); },
                      {.outputs = {ScanOutput(h0)}, .numSteps = 5, .checkpointEvery = 2});
  Function f = made(function({h0}, {r.last[0]}, {.updates = r.updates}));
  EXPECT_EQ(valuesOf(f.call({{0}})), (List{31}));
  EXPECT_EQ(s.get().item<double>(), 32);
}

/// What is read of the end of a loop's results.
using ReadEnd = std::function<Variable(const ScanResult &)>;
struct EndCase {
  const char *name;
  ReadEnd read;
  int64_t leastSteps; // with fewer of them, its index is out of range
};
const std::vector<EndCase> &endCases() {
  static const auto &cases = *new std::vector<EndCase>{
      {"last", [](const ScanResult &r) { return r.last[0]; }, 0},
      {"[-1]", [](const ScanResult &r) { return r.outputs[0][-1]; }, 1},
      {"[-1:]", [](const ScanResult &r) { return r.outputs[0][{Slice(-1, kEnd)}]; }, 0},
      {"[-3:]", [](const ScanResult &r) { return r.outputs[0][{Slice(-3, kEnd)}]; }, 0},
      {"[-2], in columns",
       [](const ScanResult &r) { return r.outputs[0][{-2, Slice(kEnd, kEnd, -1)}]; }, 2},
      {"[-4::2][-1]", [](const ScanResult &r) { return r.outputs[0][{Slice(-4, kEnd, 2)}][-1]; },
       1},
      {"[-1:-4:-1]", [](const ScanResult &r) { return r.outputs[0][{Slice(-1, -4, -1)}]; }, 0},
      {"[-4:-1]", [](const ScanResult &r) { return r.outputs[0][{Slice(-4, -1)}]; }, 0},
      {"sums of two ends",
       [](const ScanResult &r) {
         return r.outputs[0][-1] * sum(exp(r.outputs[0][{Slice(-3, kEnd)}]), Axis(0));
       },
       1},
      {"a result that is no state", [](const ScanResult &r) { return r.outputs[1][-1]; }, 1},
      {"of one, [-2:]", [](const ScanResult &r) { return r.outputs[1][{Slice(-2, kEnd)}]; }, 0},
  };
  return cases;
}

/// A state and a result that is none, of `numSteps` steps.
ScanResult twoResults(const Variable &n, const Variable &h0, const Variable &a, int64_t every) {
  return scan([&](V in) { return Variables{tanh(in[0] * a + 0.5), sqr(in[0]) * a}; },
              {.outputs = {ScanOutput(h0), ScanOutput::none()},
               .numSteps = Operand(n),
               .checkpointEvery = every});
}

// F-325, F-328
TEST_F(Checkpoints, GiveTheEndAndItsGradients) {
  for (const EndCase &c : endCases()) {
    auto results = [&](int64_t every) {
      Variable end = c.read(twoResults(n, h0, a, every));
      Variables list = {end};
      for (const Variable &g : grad(sum(sqr(end)), {h0, a}))
        list.push_back(g);
      list.push_back(grad(sum(list[1]), a));
      return list;
    };
    const Variables kept = results(0);
    for (const auto &[mode, lengths] :
         {std::pair("fast_run", std::vector<int64_t>{2, kSquareRootOfSteps}),
          std::pair("interpreter", std::vector<int64_t>{3}),
          std::pair("fast_compile", std::vector<int64_t>{3})}) {
      auto of = [&, mode = mode](const Variables &outputs) {
        return made(function({n, h0, a}, outputs, {.mode = mode}));
      };
      const Function expected = of(kept);
      for (int64_t every : lengths) {
        const Function actual = of(results(every));
        for (int64_t steps : {0, 1, 2, 3, 4, 5, 6, 11}) {
          const std::string what = std::string(c.name) + ", " + std::to_string(every) + " of " +
                                   std::to_string(steps) + ", " + mode;
          const std::vector<Tensor> values = {Tensor(steps), {0.5, 1.5}, Tensor(0.75)};
          if (steps < c.leastSteps) {
            EXPECT_FALSE(expected.call(values).ok()) << what;
            EXPECT_EQ(firstLine(actual.call(values).status()),
                      firstLine(expected.call(values).status()))
                << what;
            continue;
          }
          const List wanted = valuesOf(expected.call(values)), got = valuesOf(actual.call(values));
          ASSERT_EQ(wanted.size(), got.size()) << what;
          for (size_t i = 0; i < wanted.size(); ++i) // sums of some ten terms, of both signs
            EXPECT_NEAR(wanted[i], got[i], 1e-13) << what;
        }
      }
    }
  }
}

/// The most memory that arrays had at once.
class PeakAllocator : public Allocator {
public:
  void *allocate(size_t bytes, size_t alignment) override {
    std::lock_guard lock(mutex_);
    now_ += int64_t(bytes);
    peak = std::max(peak, now_);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void deallocate(void *memory, size_t bytes) override {
    std::lock_guard lock(mutex_);
    now_ -= int64_t(bytes);
    std::free(memory);
  }
  int64_t peak = 0;

private:
  std::mutex mutex_;
  int64_t now_ = 0;
};

constexpr int64_t kRow = 100 * 8; // bytes of a state

/// Of a call with so many steps.
int64_t bytesOf(const Function &f, int64_t steps) {
  Tensor start = *Tensor::zeros(DType::Float64, {100});
  auto allocator = std::make_shared<PeakAllocator>();
  setAllocator(allocator);
  EXPECT_TRUE(f.call({Tensor(steps), start, Tensor(0.5)}).ok());
  setAllocator(nullptr);
  return allocator->peak;
}

// F-325, F-328: memory grows as the square root of the number of steps.
TEST_F(Checkpoints, NeedLittleMemory) {
  Variables all = grad(sum(sqr(twoResults(n, h0, a, 0).last[0])), Variables{a, h0});
  EXPECT_GT(bytesOf(made(function({n, h0, a}, all, {.threads = 1})), 10000), 9000 * kRow);
  for (const EndCase &c : endCases())
    for (const std::string mode : {"fast_run", "interpreter", "fast_compile"})
      for (const bool isGradient : {false, true}) {
        if (mode != "fast_run" && c.name != std::string("[-3:]"))
          continue;
        Variable end = c.read(twoResults(n, h0, a, kSquareRootOfSteps));
        Variables results = isGradient ? grad(sum(sqr(end)), Variables{a, h0}) : Variables{end};
        Function f = made(function({n, h0, a}, results, {.mode = Mode(mode), .threads = 1}));
        const int64_t root = mode == "interpreter" ? 50 : 100, most = bytesOf(f, root * root);
        // As many states between chunks, four chunks of which rows are read at most, of two arrays
        // and their gradients, and within one some arrays of what its gradient reads.
        EXPECT_LT(most, root * 24 * kRow) << c.name << ", " << mode << ": " << most / kRow;
        EXPECT_LT(most, root / 10 * bytesOf(f, 100) + 16 * kRow) << c.name << ", " << mode;
      }
}

// F-325: loops of which nothing but the last state is read need memory for that alone.
TEST_F(Checkpoints, LastStatesNeedTheMemoryOfOne) {
  for (const int64_t every : {int64_t(0), kSquareRootOfSteps})
    for (const char *mode : {"interpreter", "fast_run", "fast_compile"}) {
      Variable last = twoResults(n, h0, a, every).last[0];
      Function f = made(function({n, h0, a}, {last}, {.mode = mode, .threads = 1}));
      EXPECT_LT(bytesOf(f, 1000), 16 * kRow) << every << " " << mode;
    }
  for (const char *mode : {"interpreter", "fast_run", "fast_compile"}) { // what is counted so
    Variable all = twoResults(n, h0, a, 0).outputs[0];
    Function f = made(function({n, h0, a}, {all}, {.mode = mode, .threads = 1}));
    EXPECT_GT(bytesOf(f, 1000), 999 * kRow) << mode;
  }
}

// F-328
TEST_F(Checkpoints, AreRefused) {
  auto step = [&](V in) { return in[0] * a; };
  ScanOptions options{.outputs = {ScanOutput(h0)}, .numSteps = 3, .checkpointEvery = 2};
  options.truncateGradient = 2;
  const std::string rest = "scan: checkpointEvery is for loops without `until` and "
                           "truncateGradient: count the steps by whileLoop first";
  EXPECT_EQ(firstLine(scan(step, options).outputs[0].status()), "ValueError: " + rest);
  options.truncateGradient = -1;
  EXPECT_EQ(firstLine(scan([&](V in) { return ScanStep({in[0] * a}, {}, gt(a, 1)); }, options)
                          .last[0]
                          .status()),
            "ValueError: " + rest);
  ScanResult r = scan(
      [](V in) { return in[0] + in[1]; },
      {.sequences = {x}, .outputs = {ScanOutput(a)}, .numSteps = Operand(n), .checkpointEvery = 2});
  for (const char *mode : {"interpreter", "fast_run"}) {
    Function f = made(function({n, x, a}, r.outputs, {.mode = mode}));
    EXPECT_EQ(firstLine(f.call({Tensor(4), {1, 2, 3}, Tensor(0.0)}).status()),
              "ValueError: assert: there are more steps than sequence 0 `x` is enough for");
  }
}

} // namespace
} // namespace graphc
