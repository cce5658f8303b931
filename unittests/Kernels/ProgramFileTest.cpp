//===- ProgramFileTest.cpp - Programs as bytes ----------------------------===//
#include "Runtime/ProgramFile.h"

#include <gtest/gtest.h>
#include <random>

#include "TestGraphs.h"

namespace graphc {
namespace {

/// Constants, checks, two kernels, views and places.
Program program() {
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic, 3}), y = g.input(DType::Float32, {kDynamic, 3});
  g.e.beginNode(0, {});
  Array sum = g.e.map({x, y, g.e.constant(Tensor({1, 2, 3}, DType::Float32))},
                      [](const Scalars &s) { return s[0] + s[1] * s[2]; });
  g.output(g.e.reduceAxes(Combine::Sum, sum, {0}, false));
  g.output(g.e.reduceAxes(Combine::Max, sum, {1}, false));
  GraphRecord record = g.finish();
  record.describe = [](int32_t) {
    return Program::Node{"add", Place("model.cpp", 42, 21), "total", {{"x", DType::Float32, {0}}}};
  };
  Program made = fuse(std::move(record))->program;
  made.name = "two sums";
  for (size_t i = 0; i < made.kernels.size(); ++i)
    made.kernels[i].symbol = "kernel" + std::to_string(i);
  return made;
}

TEST(ProgramFile, RoundTrip) {
  Program before = program();
  ASSERT_FALSE(before.steps.empty());
  std::optional<std::string> bytes = programToBytes(before);
  ASSERT_TRUE(bytes);
  std::optional<Program> after = programFromBytes(*bytes);
  ASSERT_TRUE(after);
  EXPECT_EQ(toString(*after), toString(before));
  EXPECT_EQ(after->name, "two sums");
  ASSERT_EQ(after->constants.size(), before.constants.size());
  for (size_t i = 0; i < before.constants.size(); ++i)
    EXPECT_TRUE(after->constants[i].identical(before.constants[i]));
  ASSERT_EQ(after->nodes.size(), before.nodes.size());
  for (size_t i = 0; i < before.nodes.size(); ++i)
    EXPECT_EQ(after->nodes[i].place.str(), before.nodes[i].place.str());
  ASSERT_EQ(after->checks.size(), before.checks.size());
  for (size_t i = 0; i < before.checks.size(); ++i)
    EXPECT_EQ(after->checks[i].message, before.checks[i].message);
  // What toString does not show.
  EXPECT_EQ(*programToBytes(*after), *bytes);
}

TEST(ProgramFile, HostCallbacksStayInTheProcess) {
  Program p = program();
  p.hosts.push_back(
      {.callback = [](absl::Span<const Tensor>, absl::Span<Tensor>) { return absl::OkStatus(); }});
  EXPECT_FALSE(programToBytes(p));
}

TEST(ProgramFile, RoutinesAreNamed) {
  Program p = program();
  p.hosts.push_back(
      {.routine = findRoutine("sort"), .parameters = {1}, .numLevels = 2, .levels = {3, 0}});
  std::string bytes = *programToBytes(p);
  std::optional<Program> after = programFromBytes(bytes);
  ASSERT_TRUE(after);
  ASSERT_EQ(after->hosts.size(), 1u);
  EXPECT_EQ(after->hosts[0].routine, findRoutine("sort"));
  EXPECT_EQ(after->hosts[0].parameters, std::vector<int64_t>{1});
  EXPECT_EQ(after->hosts[0].numLevels, 2);
  EXPECT_EQ(after->hosts[0].levels, (std::vector<uint32_t>{3, 0}));
  // One of another version.
  bytes.replace(bytes.find("sort"), 4, "xort");
  EXPECT_FALSE(programFromBytes(bytes));
}

// Whatever the bytes are: a Program, or none; and Executable::create looks at what it is.
TEST(ProgramFile, DamagedBytes) {
  std::string bytes = *programToBytes(program());
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = bytes;
    if (i % 2)
      damaged.resize(random() % bytes.size());
    else
      damaged[random() % bytes.size()] ^= char(1 << random() % 8);
    std::optional<Program> p = programFromBytes(damaged);
    read += p.has_value();
    EXPECT_FALSE(i % 2 && p) << "truncated";
    if (p)
      (void)Executable::create(*std::move(p), nullptr);
  }
  EXPECT_GT(read, 0);
}

} // namespace
} // namespace graphc
