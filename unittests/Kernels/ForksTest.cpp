//===- ForksTest.cpp - branches of a program side by side -----------------===//
#include <atomic>
#include <chrono>
#include <thread>

#include "Messages.h"
#include "Runtime/Forks.h"
#include "TestProgram.h"

namespace graphc {
namespace {

int32_t nothing(void **, const int64_t *) { return 0; }

/// Steps of one kernel each, which an estimate gives 10 microseconds.
struct ForkBuilder : Builder {
  int32_t x = input(DType::Float32);
  int32_t arena() { return array(Storage::Arena, DType::Float32, {0}); }
  void add(int32_t numInputs, Numbers arrays, KernelFunction function = nothing) {
    kernel(function, numInputs, std::move(arrays)).work.push_back({constant(1), 1e4f});
  }
  int32_t apply(Numbers inputs, KernelFunction function = nothing) {
    int32_t result = arena();
    auto numInputs = int32_t(inputs.size());
    inputs.push_back(result);
    add(numInputs, std::move(inputs), function);
    return result;
  }
  ProgramLayout layout() const {
    absl::StatusOr<ProgramLayout> layout = ProgramLayout::create(program);
    EXPECT_TRUE(layout.ok()) << layout.status();
    return *std::move(layout);
  }
  std::shared_ptr<const Plan> plan(bool forks = true) const {
    std::vector<SizeValue> sizes(program.sizes.size(), 0);
    sizes[0] = 1000;
    const StepOrder steps(program, layout());
    auto made = Plan::create(program, layout(), 0, sizes, nullptr, forks ? &steps : nullptr);
    EXPECT_TRUE(made.ok()) << made.status();
    return *made;
  }
  /// "1 3 | 2, 5 | 6": forks and their branches.
  std::string text() const {
    std::string all;
    std::shared_ptr<const Plan> made = plan();
    for (const Fork &fork : made->forks) {
      for (const std::vector<int32_t> &branch : fork.branches) {
        all += &branch == &fork.branches[0] ? all.empty() ? "" : "," : " |";
        for (int32_t step : branch)
          all += (all.empty() ? "" : " ") + std::to_string(step);
      }
    }
    return all;
  }
};

TEST(Forks, BranchesBeginBehindWhatTheyShare) {
  ForkBuilder b;
  int32_t shared = b.apply({b.apply({b.x})});
  int32_t left = b.apply({b.apply({shared})}), right = b.apply({b.apply({shared})});
  int32_t both = b.apply({left, right});
  int32_t one = b.apply({both}), two = b.apply({both}), three = b.apply({both, one});
  b.add(3, {one, two, three, b.output(DType::Float32, {0})});
  EXPECT_EQ(b.text(), "2 3 | 4 5, 7 9 | 8");
  EXPECT_TRUE(b.plan(false)->forks.empty());
}

// In the order of a walk by width, steps of the branches alternate.
TEST(Forks, BranchesMayAlternate) {
  ForkBuilder b;
  int32_t left = b.apply({b.x}), middle = b.apply({b.x}), right = b.apply({b.x});
  left = b.apply({left}), middle = b.apply({middle}), right = b.apply({right});
  b.add(3, {left, middle, right, b.output(DType::Float32, {0})});
  EXPECT_EQ(b.text(), "0 3 | 1 4 | 2 5");
}

TEST(Forks, OneIsWorthTheTimeThatItSaves) {
  ForkBuilder b;
  int32_t left = b.apply({b.x}), right = b.apply({b.x});
  b.add(2, {left, right, b.output(DType::Float32, {0})});
  EXPECT_EQ(b.text(), "0 | 1");
  b.program.steps[1].work[0].nanoseconds = 2e3f; // to wake a thread takes longer
  EXPECT_EQ(b.text(), "");
}

TEST(Forks, ChainsHaveNone) {
  ForkBuilder b;
  int32_t last = b.x;
  for (int k = 0; k < 2000; ++k)
    last = b.apply({last});
  EXPECT_EQ(b.text(), "");
}

TEST(Forks, StepsThatThreadsShareStandAlone) {
  ForkBuilder b;
  int32_t left = b.apply({b.x}), middle = b.apply({b.x}), right = b.apply({b.x});
  b.add(3, {left, middle, right, b.output(DType::Float32, {0})});
  EXPECT_EQ(b.text(), "0 | 1 | 2");
  b.split(b.program.steps[0], 0);
  EXPECT_EQ(b.text(), "1 | 2");
}

TEST(Forks, CallbacksAreCalledInOrder) {
  ForkBuilder b;
  int32_t left = b.apply({b.x}), middle = b.apply({b.x}), right = b.apply({b.x});
  b.add(3, {left, middle, right, b.output(DType::Float32, {0})});
  b.program.failures.push_back({ErrorKind::ValueError, ""});
  b.program.hosts.push_back(
      {[](absl::Span<const Tensor>, absl::Span<Tensor>) { return absl::OkStatus(); }});
  Program::Step &host = b.program.steps[0];
  host.kind = Program::Step::Kind::Host;
  host.callee = 0;
  host.failures = {0};
  EXPECT_EQ(b.text(), "1 | 2");
  // Routines are not, but for the one that prints.
  b.program.hosts[0] = {.routine = findRoutine("sort")};
  EXPECT_EQ(b.text(), "0 | 1 | 2");
  b.program.hosts[0] = {.routine = findRoutine("print")};
  EXPECT_EQ(b.text(), "1 | 2");
  // Within a branch or loop likewise.
  const ProgramLayout layout = b.layout();
  Program body;
  body.hosts = b.program.hosts;
  body.steps.push_back(host);
  Program::Control &control = b.program.controls.emplace_back();
  control.bodies.push_back(body);
  host.kind = Program::Step::Kind::Control;
  EXPECT_FALSE(StepOrder(b.program, layout).isUnseen(0));
  control.bodies[0].steps.clear();
  EXPECT_TRUE(StepOrder(b.program, layout).isUnseen(0));
}

// Memory that a step takes over is that of its operand, which others read before.
TEST(Forks, WhatIsOverwrittenHasBeenRead) {
  ForkBuilder b;
  int32_t shared = b.apply({b.x});
  int32_t left = b.apply({shared});
  int32_t right = b.array(Storage::Same, DType::Float32, {0}, shared);
  b.add(1, {shared, right});
  b.add(2, {left, right, b.output(DType::Float32, {0})});
  EXPECT_EQ(b.text(), "");
}

// Two parts of an array, of 600 and 400 elements, that are read as a whole.
TEST(Forks, PartsOfAnArrayNeverMeet) {
  ForkBuilder b;
  int32_t cut = b.constant(600), rest = b.constant(400);
  int32_t whole = b.arena();
  int32_t left = b.array(Storage::Same, DType::Float32, {cut}, whole);
  int32_t right = b.array(Storage::Same, DType::Float32, {rest}, whole);
  b.program.arrays[size_t(left)].begin = b.constant(0);
  b.program.arrays[size_t(right)].begin = cut;
  b.add(1, {b.x, left});
  b.add(1, {b.x, right});
  b.add(1, {left, b.arena()});
  b.add(1, {whole, b.output(DType::Float32, {0})});
  EXPECT_EQ(b.text(), "0 2 | 1");
  // One that is written again waits for those who read the whole, whose other readers do not care.
  b.add(1, {b.x, left});
  b.add(1, {whole, b.arena()});
  EXPECT_EQ(b.text(), "0 2 | 1");
}

// As in `SharedVariables` whose memory a call gives for their new values.
TEST(Forks, ResultsOverInputsComeAfterTheirReaders) {
  for (bool isOver : {false, true}) {
    ForkBuilder b;
    int32_t z = b.input(DType::Float32);
    b.apply({b.x});
    b.add(1, {z, b.output(DType::Float32, {0})});
    if (isOver)
      b.program.outputs[0].over = 0;
    EXPECT_EQ(b.text(), isOver ? "" : "0 | 1");
  }
}

TEST(Forks, BranchesShareNoMemory) {
  ForkBuilder b;
  int32_t left = b.apply({b.apply({b.apply({b.x})})});
  int32_t right = b.apply({b.apply({b.apply({b.x})})});
  b.add(2, {left, right, b.output(DType::Float32, {0})});
  EXPECT_EQ(b.text(), "0 1 2 | 3 4 5");
  auto shared = [&](const Plan &plan) {
    int count = 0;
    for (int32_t l = 1; l <= 3; ++l)
      for (int32_t r = 4; r <= 6; ++r)
        count += plan.offsets[size_t(l)] == plan.offsets[size_t(r)];
    return count;
  };
  EXPECT_GT(shared(*b.plan(false)), 0); // in order, memory is used again
  EXPECT_EQ(shared(*b.plan()), 0);
  // Behind the fork it is, too.
  int32_t last = b.apply({b.apply({b.x})});
  b.add(1, {last, b.output(DType::Float32, {0})});
  EXPECT_EQ(b.plan()->arenaBytes, 6 * 4032);
}

std::atomic<int> inside{0}, met{0}, failing{0}, scratchLost{0};

/// Waits for another one; fails with check number `buffers[1]` where tests want that.
template <int number> int32_t meet(void **buffers, const int64_t *) {
  auto *scratch = static_cast<int64_t *>(buffers[2]);
  *scratch = number;
  ++inside;
  for (int k = 0; k < 20 && inside < 2; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  met += inside >= 2;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  scratchLost += *scratch != number;
  --inside;
  return failing;
}

class ForkRun : public testing::Test {
protected:
  ForkRun() {
    int32_t left = b.apply({b.x}, meet<1>), right = b.apply({b.x}, meet<2>);
    b.add(2, {left, right, b.output(DType::Float32, {0})});
    b.program.failures = {{ErrorKind::ValueError, "first"}, {ErrorKind::ValueError, "second"}};
    for (int k = 0; k < 2; ++k) {
      b.program.steps[size_t(k)].scratch.push_back({DType::UInt8, {b.constant(64)}});
      b.program.steps[size_t(k)].failures = {k};
    }
    executable = b.executable();
    inside = met = failing = scratchLost = 0;
  }
  absl::Status call(int threads) {
    std::vector<Tensor> out;
    return run(*executable, {zeros(DType::Float32, 8)}, out, threads);
  }
  ForkBuilder b;
  std::shared_ptr<const Executable> executable;
};

TEST_F(ForkRun, TheThirdCallIsSideBySide) {
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(call(2).ok());
    EXPECT_EQ(met, 0);
  }
  EXPECT_EQ(executable->counters().forks, 0);
  ASSERT_TRUE(call(2).ok());
  EXPECT_EQ(met, 2);
  EXPECT_EQ(scratchLost, 0); // each thread's is its own
  EXPECT_EQ(executable->counters().forks, 1);
  EXPECT_EQ(executable->counters().kernels, 9);
  ASSERT_TRUE(call(1).ok()); // the same plan in order
  EXPECT_EQ(met, 2);
}

TEST_F(ForkRun, OfSeveralFailuresTheFirstCounts) {
  for (int k = 0; k < 2; ++k)
    ASSERT_TRUE(call(4).ok());
  failing = 1;
  for (int k = 0; k < 5; ++k)
    EXPECT_EQ(whole(call(4)), "ValueError first");
  EXPECT_EQ(executable->counters().forks, 5);
}

TEST_F(ForkRun, OneThreadHasNone) {
  for (int k = 0; k < 4; ++k)
    ASSERT_TRUE(call(1).ok());
  EXPECT_EQ(met, 0);
  EXPECT_EQ(executable->counters().forks, 0);
}

} // namespace
} // namespace graphc
