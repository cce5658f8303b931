//===- GuardProgramTest.cpp - programs of text and their memory -----------===//
//
// With sanitizers the last test sees each byte that a program reads or writes outside of its
// memory.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>
#include <random>

#include "Kernels/ReadKernels.h"
#include "Messages.h"
#include "RunKernel.h"

namespace graphc {
namespace {

constexpr std::string_view kKernels = R"(kernel @neg(%0: f32[n0]) -> (%1: f32[n0]) {
  for (i0 < n0)
    %1[i0] = neg(%0[i0])
}
kernel @add(%0: f32[n0, n1], %1: f32[n0]) -> (%2: f32[n0, n1]) {
  for (i0 < n0, i1 < n1)
    %2[i0, i1] = add(%0[i0, i1], %1[i0])
}
)";

/// x: f32[s0, 4], y: f32[s1]; s0 and s1 must be equal. %6 is computed in the memory of %4.
constexpr std::string_view kProgram = R"(program `p` {
  s0 = dim(input 0, 0)
  s1 = dim(input 1, 0)
  s2 = mul(s0, 4)
  check s0 == s1 else ShapeError "{a} and {b}"
  %0: f32[s0, 4] = input 0
  %1: f32[s1] = input 1
  %2: f32[2] = constant 0
  %3: f32[s0] = arena
  %4: f32[s0, 4] = arena
  %5: f32[s2] = memory of %4
  %6: f32[s2] = memory of %4
  %7: f32[s2] = output 0
  %8: f32[s0, 4] = memory of %7
  %9: f32[2] = output 1
  %10: i64[2] = arena
  kernel @neg (%1) -> (%3) sizes [s0]
  kernel @add (%0, %3) -> (%4) sizes [s1, 4]
  kernel @neg (%5) -> (%6) sizes [s2]
  kernel @neg (%6) -> (%7) sizes [s2]
  copy (%2) -> (%9)
  return %8
  return %9
}
constants {
  0: f32[2] = 1.0
}
)";

std::string with(std::string_view old, std::string_view now,
                 std::string text = std::string(kKernels) + std::string(kProgram)) {
  size_t at = text.find(old);
  EXPECT_NE(at, text.npos) << old;
  return text.replace(at, old.size(), now);
}

std::string readError(std::string_view old, std::string_view now) {
  return whole(readKernels(with(old, now), "a.k").status());
}

/// What a call says whose inputs are f32[3, 4] and f32[3].
std::string callError(std::string_view text) {
  absl::StatusOr<KernelGraph> graph = readKernels(text, "a.k");
  if (!graph.ok())
    return "read: " + whole(graph.status());
  auto program = Executable::create(std::move(graph->program), touch(std::move(graph->kernels)));
  if (!program.ok())
    return "create: " + whole(program.status());
  std::vector<Tensor> outputs((*program)->program().outputs.size());
  Tensor inputs[] = {*Tensor::full(DType::Float32, {3, 4}, Tensor(2.0)),
                     *Tensor::full(DType::Float32, {3}, Tensor(2.0))};
  absl::Status status = (*program)->run(inputs, absl::MakeSpan(outputs));
  EXPECT_TRUE(inputs[0].identical(*Tensor::full(DType::Float32, {3, 4}, Tensor(2.0)))) << text;
  EXPECT_TRUE(inputs[1].identical(*Tensor::full(DType::Float32, {3}, Tensor(2.0)))) << text;
  return whole(status);
}

TEST(GuardProgram, GoodOnesGetNoChecks) {
  absl::StatusOr<KernelGraph> graph = readKernels(with("s2 =", "s2 ="), "a.k");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->program.checks.size(), 1u);
  EXPECT_EQ(callError(with("s2 =", "s2 =")), "OK");
}

TEST(GuardProgram, ReadsAndWrites) {
  EXPECT_EQ(readError("kernel @neg (%1) -> (%3) sizes [s0]\n", ""),
            "ValueError a.k:25:5: %3 is read before it is written");
  EXPECT_EQ(readError("kernel @neg (%6) -> (%7)", "kernel @neg (%5) -> (%7)"),
            "ValueError a.k:28:3: %5 is read after its memory was written over");
  EXPECT_EQ(readError("(%1) -> (%3) sizes [s0]", "(%3) -> (%1) sizes [s0]"),
            "ValueError a.k:25:3: %3 is read before it is written");
  EXPECT_EQ(readError("(%0, %3) -> (%4)", "(%0, %3) -> (%0)"),
            "ValueError a.k:26:3: %0 is written, and is in the memory of an input");
  EXPECT_EQ(readError("copy (%2) -> (%9)", "copy (%2) -> (%2)"),
            "ValueError a.k:29:3: %2 is written, and is in the memory of a constant");
  EXPECT_EQ(readError("(%0, %3) -> (%4)", "(%8, %3) -> (%7)"),
            "ValueError a.k:26:3: %8 is read before it is written");
  EXPECT_EQ(readError("(%6) -> (%7) sizes [s2]\n",
                      "(%6) -> (%7) sizes [s2]\n  kernel @add (%8, %3) -> (%7) sizes [s0, 4]\n"),
            "OK")
      << "of the same shape, in the output's own nest";
  EXPECT_EQ(readError("  kernel @neg (%6)", "  copy (%6) -> (%4)\n  kernel @neg (%6)"),
            "ValueError a.k:28:3: %4 is written, and shares the memory of %6, which the step reads "
            "too");
  std::string two =
      with("kernel @add(%0", "kernel @two(%0: f32[n0]) -> (%1: f32[n0], %2: f32[n0]) {\n"
                             "  for (i0 < n0)\n    %1[i0] = %0[i0]\n"
                             "  for (i0 < n0)\n    %2[i0] = %0[i0]\n}\nkernel @add(%0");
  two = with("-> (%1: f32[n0], %2: f32[n0]) {", "-> (%1: f32[n0], %2: f32[n0]) shared 1 {", two);
  two = with("kernel @neg (%6) -> (%7)", "kernel @two (%6) -> (%8, %7)", two);
  EXPECT_EQ(
      whole(readKernels(two, "a.k").status()),
      "ValueError a.k:34:3: %8 is written, and shares the memory of %7, which the step writes "
      "too");
  EXPECT_EQ(readError("return %9", "return %2"),
            "ValueError a.k:9:1: %2 is not in the memory of output 1");
  EXPECT_EQ(readError("copy (%2) -> (%9)\n", ""),
            "ValueError a.k:9:1: %9 is an output, and no step leaves its contents there");
  EXPECT_EQ(readError("mul(s0, 4)", "element(%10, 0)"),
            "ValueError a.k:9:1: an element of %10 is a size, and no step writes that array");
}

TEST(GuardProgram, NumbersOfElements) {
  EXPECT_EQ(readError("%9: f32[2]", "%9: f32[3]"),
            "ValueError a.k:29:3: the copy of %2 to %9: 2 elements and 3");
  EXPECT_EQ(readError("%6: f32[s2] = memory of %4", "%6: f64[s2] = memory of %4"),
            "ValueError a.k:27:3: %6 is of f64, and the kernel's %1 of f32");
  EXPECT_EQ(readError("%10: i64[2] = arena", "%10: i64[s2] = memory of %4"),
            "ValueError a.k:9:1: %10 and %4, whose memory it is, have elements of 8 and 4 bytes");
  // Known when the program is called.
  EXPECT_EQ(callError(with("(%5) -> (%6) sizes [s2]", "(%5) -> (%6) sizes [s0]")),
            "ShapeError %5 and the kernel's %0: 12 elements and 3");
  EXPECT_EQ(callError(with("%0: f32[n0, n1], %1", "%0: f32[n0, 8], %1")),
            "ShapeError %0 and the kernel's %0: 12 elements and 24");
  EXPECT_EQ(callError(with("[s1, 4]\n", "[s1, s2]\n")),
            "ShapeError %0 and the kernel's %0: 12 elements and 36");
  EXPECT_EQ(callError(with("mul(s0, 4)", "add(s0, 9)")), "OK") << "by chance: 3 + 9";
  EXPECT_EQ(callError(with("mul(s0, 4)", "add(s0, 8)")),
            "ShapeError %5 and %4, whose memory it is: 11 elements and 12");
  EXPECT_EQ(callError(with("%0: f32[s0, 4] = input 0", "%0: f32[s2, 4] = input 0 declared [?, 4]")),
            "ShapeError %0 and input 0: 48 elements and 12");
}

/// Three times y, negated: of %2, the first two of which are %3; and of that one.
constexpr std::string_view kParts = R"(program `parts` {
  s0 = dim(input 0, 0)
  s1 = dim(input 1, 0)
  s2 = add(s1, s1)
  s3 = add(s2, s1)
  %0: f32[s0, 4] = input 0
  %1: f32[s1] = input 1
  %2: f32[s3] = arena
  %3: f32[s2] = memory of %2 from 0
  %4: f32[s1] = memory of %3 from 0
  %5: f32[s1] = memory of %3 from s1
  %6: f32[s1] = memory of %2 from s2
  %7: f32[s3] = output 0
  %8: f32[s1] = output 1
  kernel @neg (%1) -> (%4) sizes [s1]
  kernel @neg (%1) -> (%5) sizes [s1]
  kernel @neg (%4) -> (%6) sizes [s1]
  kernel @neg (%2) -> (%7) sizes [s3]
  copy (%6) -> (%8)
  return %7
  return %8
}
)";

TEST(GuardProgram, Parts) {
  const std::string text = std::string(kKernels) + std::string(kParts);
  absl::StatusOr<KernelGraph> graph = readKernels(text, "a.k");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->program.checks.size(), 0u);
  EXPECT_EQ(callError(text), "OK");
  auto error = [&](std::string_view old, std::string_view now) {
    return whole(readKernels(with(old, now, text), "a.k").status());
  };
  auto call = [&](std::string_view old, std::string_view now) {
    return callError(with(old, now, text));
  };
  // They follow each other, from the begin to the end.
  EXPECT_EQ(error("memory of %2 from 0", "memory of %2 from 1"),
            "ValueError a.k:9:1: what is before %3 in %2: 1 elements and 0");
  EXPECT_EQ(call("%2 from s2", "%2 from s1"),
            "ShapeError what is before %6 in %2: 3 elements and 6");
  EXPECT_EQ(call("%2: f32[s3]", "%2: f32[s2]"),
            "ShapeError the parts of %2 and all of it: 9 elements and 6");
  EXPECT_EQ(call("%3 from 0", "%3 from s1"),
            "ShapeError what is before %4 in %3: 3 elements and 0");
  std::string negative = with("s3 = add(s2, s1)", "s3 = add(s2, s1)\n  s4 = sub(s1, 4)", text);
  EXPECT_EQ(callError(with("%4: f32[s1]", "%4: f32[s4]", negative)),
            "ShapeError %4 has -1 elements");
  EXPECT_EQ(error("%8: f32[s1] = output 1", "%8: f32[s1] = output 1\n  %9: f64[1] = memory of %8 "
                                            "from 0"),
            "ValueError a.k:9:1: %9 and %8, whose part it is, have elements of 8 and 4 bytes");
  EXPECT_EQ(error("%8: f32[s1] = output 1", "%8: f32[s1] = output 1\n  %9: f32[s3] = memory of %2\n"
                                            "  %10: f32[s3] = memory of %9 from 0"),
            "ValueError a.k:9:1: %10 is a part of %9, which has the memory of %2");
  std::string deep = "%8: f32[s1] = output 1\n  %9: f32[s1] = arena\n";
  for (int k = 9; k < 80; ++k)
    deep +=
        "  %" + std::to_string(k + 1) + ": f32[s1] = memory of %" + std::to_string(k) + " from 0\n";
  EXPECT_EQ(error("%8: f32[s1] = output 1\n", deep),
            "ValueError a.k:9:1: %74 is a part of a part, more than 64 deep");
  // All of it is there when all parts are; each is, until it is written over.
  EXPECT_EQ(error("kernel @neg (%1) -> (%5) sizes [s1]\n", ""),
            "ValueError a.k:25:3: %2 is read before it is written");
  EXPECT_EQ(error("kernel @neg (%4) -> (%6)",
                  "kernel @neg (%3) -> (%3) sizes [s2]\n  kernel @neg (%4) -> (%6)"),
            "ValueError a.k:26:3: %4 is read after its memory was written over");
  EXPECT_EQ(error("kernel @neg (%4) -> (%6)", "kernel @neg (%3) -> (%5)"),
            "ValueError a.k:25:3: %5 is written, and shares the memory of %3, which the step reads "
            "too");
  EXPECT_EQ(error("memory of %2 from s2", "memory of %1 from s2"),
            "ValueError a.k:25:3: %6 is written, and is in the memory of an input");
}

/// Texts with words exchanged, lost or doubled and bytes changed: what is read runs in its memory.
void runDamaged(const std::string &text, int count) {
  std::mt19937 random(7);
  auto below = [&](size_t end) { return size_t(random() % end); };
  std::vector<std::string> words;
  for (char c : text) {
    bool inWord = isalnum(c) || c == '_' || c == '.' || c == '%';
    if (words.empty() || !inWord || !isalnum(words.back().back()))
      words.emplace_back();
    words.back() += c;
  }
  std::map<std::string, int> ends;
  for (int i = 0; i < count; ++i) {
    std::string damaged;
    if (i % 4 == 0) {
      damaged = text;
      damaged[below(damaged.size())] ^= char(1 << below(8));
    } else {
      std::vector<std::string> changed = words;
      for (size_t changes = 1 + below(2); changes > 0; --changes)
        changed[below(changed.size())] = i % 4 == 1 ? "" : changed[below(changed.size())];
      for (const std::string &word : changed)
        damaged += word;
    }
    std::string end = callError(damaged);
    ++ends[end.substr(0, end.find(' '))];
  }
  EXPECT_GT(ends["OK"], count / 100) << "texts that stay good";
  EXPECT_GT(ends["ShapeError"], count / 300) << "texts that calls find wrong";
  EXPECT_EQ(ends["create:"], 0);
}

TEST(GuardProgram, DamagedTextsStayInTheirMemory) {
  runDamaged(with("s2 =", "s2 ="), 6000);
  runDamaged(std::string(kKernels) + std::string(kParts), 2000);
}

} // namespace
} // namespace graphc
