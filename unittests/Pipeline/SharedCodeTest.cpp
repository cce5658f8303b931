//===- SharedCodeTest.cpp - kernels that functions of a process share -------===//
//
// What is counted is what the cache of kernels was asked for: how many it had, and how many it made
// (or read from a folder that an earlier process filled).
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include "JIT/KernelCache.h"
#include "Pipeline/Pipeline.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// Kernels that a compilation found in the process, and those that it had to make.
struct Counts {
  int64_t found, made;
  friend bool operator==(const Counts &, const Counts &) = default;
  friend std::ostream &operator<<(std::ostream &out, const Counts &counts) {
    return out << counts.found << " found, " << counts.made << " made";
  }
};

Counts compiled(const Variables &inputs, const Variables &outputs) {
  GraphModule module;
  module.inputs = inputs;
  module.outputs = outputs;
  CompileOptions options;
  Stages stages(options, "");
  KernelCache::Counters before = KernelCache::shared().counters();
  auto executable = compile(module, options, stages);
  EXPECT_TRUE(executable.ok()) << executable.status();
  KernelCache::Counters after = KernelCache::shared().counters();
  return {after.found - before.found, after.read + after.compiled - before.read - before.compiled};
}

/// Distinct functions of `cell`, with a factor that no other test has, so that nothing of it is
/// there before.
class SharedCode : public testing::Test {
protected:
  Variable x = dvector("x"), y = dvector("y");
  OpFromGraph cellWith(double factor) {
    return OpFromGraph({x, y}, {tanh(x * y) * factor + y}, {.name = "cell"});
  }
};

// F-239: code of a graph that is called is compiled once, for all functions of the process.
TEST_F(SharedCode, OfTwoFunctions) {
  OpFromGraph cell = cellWith(1.2345), again = cellWith(1.2345), other = cellWith(1.2346);
  EXPECT_EQ(compiled({x, y}, {cell(x, y)}), (Counts{0, 1}));
  EXPECT_EQ(compiled({x, y}, {cell(x, y)}), (Counts{1, 0}));
  // Other sites, inputs and outputs; an equal graph that was made apart; within another graph.
  EXPECT_EQ(compiled({y, x}, {cell(cell(y, x), x), x * 1.2347}), (Counts{1, 1}));
  EXPECT_EQ(compiled({x, y}, {again(x, again(x, y))}), (Counts{1, 0}));
  OpFromGraph outer({x, y}, {cell(y, cell(y, x))}, {.name = "outer"});
  EXPECT_EQ(compiled({x, y}, {outer(x, y)}), (Counts{1, 0}));
  // Another graph is not the same.
  EXPECT_EQ(compiled({x, y}, {other(x, y)}), (Counts{0, 1}));
}

// F-262: so is that of its gradient.
TEST_F(SharedCode, OfGradients) {
  OpFromGraph cell = cellWith(2.3456);
  auto withGradient = [&](const Variable &result) {
    Variables outputs = grad(sum(result), {x, y});
    outputs.push_back(result);
    return outputs;
  };
  Counts first = compiled({x, y}, withGradient(cell(x, y)));
  EXPECT_GE(first.made, 2); // and the ones to start from, which others may have made before
  Counts all{first.found + first.made, 0};
  EXPECT_EQ(compiled({x, y}, withGradient(cell(x, y))), all);
  // At two sites, the kernel that adds what comes from both is one more.
  Counts both = compiled({x, y}, withGradient(cell(cell(x, y), y)));
  EXPECT_EQ(both.found + both.made, all.found + 1);
  EXPECT_LE(both.made, 1);
}

} // namespace
} // namespace graphc
