//===- ProgramTest.cpp - programs made by hand ----------------------------===//
//
// Kernels here are C++ functions, so that a test sees what a kernel is called with.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "Messages.h"
#include "TestProgram.h"
#include "graphc/Type.h"

namespace graphc {
namespace {

template <int64_t value, int position> int32_t writeInteger(void **buffers, const int64_t *) {
  *static_cast<int64_t *>(buffers[position]) = value;
  return 0;
}
int32_t writeNothing(void **, const int64_t *) { return 0; }

TEST(Program, ElementsStayUntilTheyAreRead) {
  Builder b;
  int32_t first = b.array(Storage::Arena, DType::Int64, {});
  int32_t second = b.array(Storage::Arena, DType::Int64, {});
  int32_t zero = b.constant(0);
  int32_t length = b.size(SizeOp::Element, first, zero);
  int32_t y = b.output(DType::Float32, {length});
  b.kernel(writeInteger<3, 0>, 0, {first});
  b.kernel(writeInteger<99, 0>, 0, {second}); // may not lie where the first is
  b.kernel(writeNothing, 1, {second, y});
  std::vector<Tensor> out;
  ASSERT_TRUE(run(*b.executable(), {}, out).ok());
  EXPECT_EQ(out[0].shape(), absl::Span<const int64_t>({3}));
}

/// Of an array that nobody writes but its parts, and of a part: where each begins.
TEST(Program, ElementsOfPartsAreRead) {
  Builder b;
  int32_t zero = b.constant(0), one = b.constant(1), two = b.constant(2);
  int32_t whole = b.array(Storage::Arena, DType::Int64, {two});
  int32_t parts[2];
  for (int32_t k = 0; k < 2; ++k) {
    parts[k] = b.array(Storage::Same, DType::Int64, {one}, whole);
    b.program.arrays.back().begin = k == 0 ? zero : one;
  }
  int32_t ofWhole = b.size(SizeOp::Element, whole, one);
  int32_t ofPart = b.size(SizeOp::Element, parts[1], zero);
  int32_t first = b.size(SizeOp::Element, parts[0], zero);
  b.output(DType::Float32, {ofWhole, ofPart, first});
  b.kernel(writeInteger<3, 0>, 0, {parts[1]});
  b.kernel(writeInteger<5, 0>, 0, {parts[0]});
  b.kernel(writeNothing, 0, {b.program.outputs[0].array});
  std::vector<Tensor> out;
  ASSERT_TRUE(run(*b.executable(), {}, out).ok());
  EXPECT_EQ(out[0].shape(), absl::Span<const int64_t>({3, 3, 5}));
}

TEST(Program, ElementsBeyondTheEndAreErrors) {
  Builder b;
  int32_t x = b.input(DType::Int64);
  b.input(DType::Float32);
  int32_t length = b.size(SizeOp::Element, x, 1); // of x, as far in as x1 is long
  b.kernel(writeNothing, 0, {b.output(DType::Float32, {length})});
  auto executable = b.executable();
  std::vector<Tensor> out;
  Tensor values({4, 5, 6}, DType::Int64);
  ASSERT_TRUE(run(*executable, {values, zeros(DType::Float32, 2)}, out).ok());
  EXPECT_EQ(out[0].shape(), absl::Span<const int64_t>({6}));
  absl::Status status = run(*executable, {values, zeros(DType::Float32, 3)}, out);
  EXPECT_EQ(whole(status), "IndexError a size is element 3 of an array of 3 elements");
}

/// Sizes and bytes of a plan for one vector `x` of length `n`.
absl::StatusOr<std::shared_ptr<Plan>> planFor(const Builder &b, int64_t n) {
  absl::StatusOr<ProgramLayout> layout = ProgramLayout::create(b.program);
  EXPECT_TRUE(layout.ok()) << layout.status();
  std::vector<SizeValue> sizes(b.program.sizes.size(), 0);
  sizes[0] = n;
  return Plan::create(b.program, *layout, 0, sizes);
}

TEST(Plan, ScratchIsThatOfTheStepThatWantsMost) {
  Builder b;
  int32_t x = b.input(DType::Float32);
  int32_t y = b.output(DType::Float32, {0});
  for (int64_t bytes : {256, 4096, 64}) {
    int32_t size = b.constant(bytes);
    b.kernel(writeNothing, 1, {x, y}).scratch.push_back({DType::UInt8, {size}});
  }
  EXPECT_EQ((*planFor(b, 7))->scratchBytes, 4096);
}

TEST(Plan, ImpossibleExtentsAreErrors) {
  Builder b;
  int32_t x = b.input(DType::Float32), y = b.output(DType::Float32, {0});
  int32_t square = b.size(SizeOp::Mul, 0, 0), less = b.size(SizeOp::Sub, 0, b.constant(5));
  int32_t large = b.array(Storage::Arena, DType::Float64, {0, square});
  int32_t short_ = b.array(Storage::Arena, DType::Float32, {less});
  b.kernel(writeNothing, 1, {x, large});
  b.kernel(writeNothing, 2, {x, large, short_});
  b.kernel(writeNothing, 1, {short_, y});
  EXPECT_TRUE(planFor(b, 5).ok());
  absl::Status negative = planFor(b, 4).status();
  EXPECT_EQ(errorKind(negative), ErrorKind::ValueError);
  EXPECT_EQ(negative.message(), "negative extent in shape (-1,)");
  // n^3 of them: 2^60 elements of 8 bytes, and more than 64 bits can count.
  for (int64_t n : {int64_t(1) << 20, int64_t(1) << 22}) {
    absl::Status large = planFor(b, n).status();
    EXPECT_EQ(errorKind(large), ErrorKind::ValueError);
    std::string shape = "(" + std::to_string(n) + ", " + std::to_string(n * n) + ")";
    EXPECT_EQ(large.message(), "shape " + shape + " is too large");
  }
}

// Each array could be, all together could not. Two, or four, of 2^62 bytes are no 64-bit number.
TEST(Plan, TotalsAreBounded) {
  Builder b;
  int32_t x = b.input(DType::UInt8), y = b.output(DType::UInt8, {0});
  Numbers all = {x};
  for (int k = 0; k < 4; ++k)
    all.push_back(b.array(Storage::Arena, DType::UInt8, {0}));
  all.push_back(y);
  b.kernel(writeNothing, 1, all);
  for (auto [extent, bytes] : {std::pair(int64_t(1) << 60, "3458764513820540928"),
                               std::pair(int64_t(1) << 62, "4611686018427387904")}) {
    absl::Status status = planFor(b, extent).status();
    EXPECT_EQ(errorKind(status), ErrorKind::OutOfMemory);
    EXPECT_EQ(status.message(),
              "no memory for " + std::string(bytes) + " bytes between the kernels");
  }
}

// A number in an op's body that no kernel can be given.
TEST(Plan, ArgumentsFitInt64) {
  Builder b;
  int32_t x = b.input(DType::UInt8), y = b.output(DType::UInt8, {0});
  int32_t square = b.size(SizeOp::Mul, 0, 0);
  b.kernel(writeNothing, 1, {x, y}).sizes = {square};
  EXPECT_EQ((*planFor(b, 1000))->arguments[0], 1000000);
  absl::Status status = planFor(b, int64_t(1) << 32).status();
  EXPECT_EQ(errorKind(status), ErrorKind::ValueError);
  EXPECT_EQ(status.message(), "a size does not fit into 64 bits");
}

TEST(Plan, MemoryIsUsedAgain) {
  Builder b;
  int32_t x = b.input(DType::Float32), last = x;
  for (int k = 0; k < 6; ++k) { // a chain: two arrays live at a time
    int32_t next = b.array(Storage::Arena, DType::Float32, {0});
    b.kernel(writeNothing, 1, {last, next});
    last = next;
  }
  // As large as both, where both were.
  int32_t twice = b.size(SizeOp::Mul, 0, b.constant(2));
  int32_t small = b.array(Storage::Arena, DType::Float32, {b.constant(1)});
  b.kernel(writeNothing, 1, {last, small});
  int32_t large = b.array(Storage::Arena, DType::Float32, {twice});
  b.kernel(writeNothing, 1, {small, large});
  b.kernel(writeNothing, 1, {large, b.output(DType::Float32, {0})});
  auto plan = planFor(b, 1024);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->arenaBytes, 2 * 4096 + 64);
}

TEST(Plan, MalformedProgramsAreRefused) {
  auto refused = [](auto spoil) {
    Builder b;
    int32_t x = b.input(DType::Float32);
    int32_t sum = b.size(SizeOp::Add, 0, 0);
    b.program.checks.push_back({Predicate::Equal, sum, sum, ErrorKind::ShapeError, "", -1});
    b.kernel(writeNothing, 1, {x, b.output(DType::Float32, {sum})});
    EXPECT_TRUE(ProgramLayout::create(b.program).ok());
    spoil(b.program);
    return errorKind(ProgramLayout::create(b.program).status()) == ErrorKind::Internal;
  };
  EXPECT_TRUE(refused([](Program &p) { p.sizes[1].a = 1; })); // itself
  EXPECT_TRUE(refused([](Program &p) { p.sizes[1].b = 7; }));
  EXPECT_TRUE(refused([](Program &p) { p.sizes[0].a = 1; }));
  EXPECT_TRUE(refused([](Program &p) { p.sizes[0].b = 1; }));
  EXPECT_TRUE(refused([](Program &p) { p.arrays[0].number = 1; }));
  EXPECT_TRUE(refused([](Program &p) { p.arrays[1].shape[0] = 2; }));
  EXPECT_TRUE(refused([](Program &p) { p.arrays[1] = {Storage::Same, DType::Float32, 1, {}}; }));
  EXPECT_TRUE(refused([](Program &p) { p.arrays[1].begin = 0; })); // of no other array
  EXPECT_TRUE(
      refused([](Program &p) { p.arrays[1] = {Storage::Same, DType::Float32, 0, {1}, 2}; }));
  EXPECT_TRUE(refused([](Program &p) { p.steps[0].callee = 1; }));
  EXPECT_TRUE(refused([](Program &p) { p.steps[0].arrays[1] = 2; }));
  EXPECT_TRUE(refused([](Program &p) { p.steps[0].numInputs = 3; }));
  EXPECT_TRUE(refused([](Program &p) { p.steps[0].sizes = {2}; }));
  EXPECT_TRUE(refused([](Program &p) { p.steps[0].failures = {0}; }));
  EXPECT_TRUE(refused([](Program &p) { p.checks[0].b = -1; }));
  EXPECT_TRUE(refused([](Program &p) { p.outputs[0].array = 2; }));
  // Complex numbers are pairs of numbers, along a last axis of two.
  EXPECT_TRUE(refused([](Program &p) { p.arrays[0].dtype = DType::Complex64; }));
  EXPECT_TRUE(refused([](Program &p) { p.arrays[1].dtype = DType::Complex128; }));
  EXPECT_TRUE(refused([](Program &p) { p.outputs[0].isComplex = true; }));
  EXPECT_TRUE(refused([](Program &p) {
    p.steps[0].scratch.push_back({});
    p.steps[0].scratch.back().dtype = DType::Complex64;
  }));
}

/// The part that begins at 0 fails last, with check 0; the others at once, with check 1.
int32_t failLate(void **, const int64_t *sizes) {
  if (sizes[0] > 0)
    return 2;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return 1;
}
/// The same the other way round.
int32_t failEarly(void **, const int64_t *sizes) {
  if (sizes[0] == 0)
    return 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return 2;
}

TEST(Program, OfSeveralFailuresTheFirstCounts) {
  for (KernelFunction function : {failLate, failEarly}) {
    Builder b;
    int32_t x = b.input(DType::Float32);
    Program::Step &step = b.kernel(function, 1, {x, b.output(DType::Float32, {0})});
    b.split(step, 0);
    step.failures = {0, 1};
    b.program.failures = {{ErrorKind::ValueError, "first", -1},
                          {ErrorKind::ValueError, "second", -1}};
    std::vector<Tensor> out;
    absl::Status status = run(*b.executable(), {zeros(DType::Float32, 4)}, out, 4);
    EXPECT_EQ(status.message(), "first");
    EXPECT_FALSE(out[0].defined());
  }
}

/// Marks its scratch, lets others run, and fails where the mark has changed.
int32_t markScratch(void **buffers, const int64_t *sizes) {
  auto *scratch = static_cast<int64_t *>(buffers[2]);
  scratch[0] = scratch[31] = sizes[0];
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return scratch[0] == sizes[0] && scratch[31] == sizes[0] ? 0 : 1;
}

TEST(Program, ThreadsHaveScratchOfTheirOwn) {
  Builder b;
  int32_t x = b.input(DType::Float32);
  int32_t bytes = b.constant(256);
  Program::Step &step = b.kernel(markScratch, 1, {x, b.output(DType::Float32, {0})});
  b.split(step, 0);
  step.scratch.push_back({DType::UInt8, {bytes}});
  step.failures = {0};
  b.program.failures = {{ErrorKind::Internal, "another thread wrote here", -1}};
  auto executable = b.executable();
  std::vector<Tensor> out;
  for (int threads : {6, 2, 8}) {
    absl::Status status = run(*executable, {zeros(DType::Float32, 32)}, out, threads);
    EXPECT_TRUE(status.ok()) << status;
  }
}

std::atomic<int> partsRun{0};
int32_t countParts(void **, const int64_t *) {
  ++partsRun;
  return 0;
}

/// A product copies its panels into scratch memory, in each part anew: a part for each thread.
/// Others are cut finer, so that a thread that is held up holds up no other.
TEST(Program, PartsThatCopyAreAsManyAsThreads) {
  for (int64_t bytes : {0, 4096, 1 << 20}) {
    Builder b;
    int32_t x = b.input(DType::Float32);
    int32_t size = b.constant(bytes);
    Program::Step &step = b.kernel(countParts, 1, {x, b.output(DType::Float32, {0})});
    b.split(step, 0);
    step.scratch.push_back({DType::UInt8, {size}});
    auto executable = b.executable();
    std::vector<Tensor> out;
    for (int threads : {1, 2, 3, 8}) {
      partsRun = 0;
      ASSERT_TRUE(run(*executable, {zeros(DType::Float32, 1000)}, out, threads).ok());
      if (threads == 1 || bytes == 1 << 20)
        EXPECT_EQ(partsRun, threads) << bytes;
      else
        EXPECT_GT(partsRun, 2 * threads) << bytes;
    }
    // Fewer elements than threads.
    partsRun = 0;
    ASSERT_TRUE(run(*executable, {zeros(DType::Float32, 3)}, out, 8).ok());
    EXPECT_EQ(partsRun, 3) << bytes;
  }
}

/// An array of the arena, and scratch.
int32_t checkAlignment(void **buffers, const int64_t *) {
  return (reinterpret_cast<uintptr_t>(buffers[1]) | reinterpret_cast<uintptr_t>(buffers[2])) % 64;
}

TEST(Program, ArenaAndScratchAreAligned) {
  Builder b;
  int32_t x = b.input(DType::Float32), middle = b.array(Storage::Arena, DType::Float32, {0});
  Program::Step &step = b.kernel(checkAlignment, 1, {x, middle});
  step.scratch.push_back({DType::UInt8, {0}});
  step.failures.assign(64, 0);
  b.program.failures = {{ErrorKind::Internal, "memory is not aligned", -1}};
  b.kernel(writeNothing, 1, {middle, b.output(DType::Float32, {0})});
  auto executable = b.executable();
  std::vector<Tensor> out;
  for (int64_t n : {1, 3, 17, 100, 1000, 100000}) {
    absl::Status status = run(*executable, {zeros(DType::Float32, n)}, out);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(Program, CallbacksMustKeepToTheirTypes) {
  for (Tensor result : {Tensor({1, 2}, DType::Int32), Tensor({1}, DType::Float32), Tensor()}) {
    Builder b;
    int32_t x = b.input(DType::Float32);
    Program::Step &step = b.program.steps.emplace_back();
    step.kind = Program::Step::Kind::Host;
    step.callee = 0;
    step.numInputs = 1;
    step.arrays = {x, b.output(DType::Float32, {0})};
    step.failures = {0};
    b.program.failures = {{ErrorKind::RuntimeError, "", -1}};
    b.program.hosts = {{.callback = [&](absl::Span<const Tensor>, absl::Span<Tensor> outputs) {
      outputs[0] = result;
      return absl::OkStatus();
    }}};
    std::vector<Tensor> out;
    absl::Status status = run(*b.executable(), {zeros(DType::Float32, 2)}, out);
    EXPECT_EQ(whole(status), "RuntimeError the callback's result 0 has another type than declared");
  }
}

TEST(Program, PlansAreKeptUpToABound) {
  Builder b;
  int32_t x = b.input(DType::Float32);
  b.kernel(writeNothing, 1, {x, b.output(DType::Float32, {0})});
  auto executable = b.executable();
  std::vector<Tensor> out;
  for (int round = 0; round < 2; ++round)
    for (int64_t n = 0; n < 256; ++n)
      ASSERT_TRUE(run(*executable, {zeros(DType::Float32, n)}, out).ok());
  EXPECT_EQ(executable->counters().plans, 256);
  ASSERT_TRUE(run(*executable, {zeros(DType::Float32, 1000)}, out).ok());
  ASSERT_TRUE(run(*executable, {zeros(DType::Float32, 0)}, out).ok());
  EXPECT_EQ(executable->counters().plans, 258); // the new one, and one that had to go for it
}

TEST(Program, OutputsThatAreViewsHaveTheirOwnShape) {
  Builder b;
  b.input(DType::Float32);
  int32_t two = b.constant(2), half = b.size(SizeOp::FloorDiv, 0, two);
  int32_t computed = b.array(Storage::Output, DType::Float32, {0}, 0);
  int32_t view = b.array(Storage::Same, DType::Float32, {half, two}, computed);
  b.program.outputs.push_back({"", view});
  b.kernel(writeNothing, 1, {0, computed});
  std::vector<Tensor> out;
  ASSERT_TRUE(run(*b.executable(), {zeros(DType::Float32, 6)}, out).ok());
  EXPECT_EQ(out[0].shape(), absl::Span<const int64_t>({3, 2}));
}

} // namespace
} // namespace graphc
