//===- CheckKernelTest.cpp - kernels that are none --------------------------===//
#include "Kernels/CheckKernel.h"

#include <gtest/gtest.h>

#include <functional>

#include "Messages.h"
#include "TestGraphs.h"

namespace graphc {
namespace {

/// b[i] = sum over j of x[i, j]; exp(b) y, in two nests.
Kernel rowKernel() {
  TestGraph g;
  Array x = g.input(DType::Float64, {kDynamic, kDynamic}), y = g.input(DType::Float64, {kDynamic});
  Array sums = g.e.reduceAxes(Combine::Sum, x, {1}, false);
  g.output(g.e.map({sums, y}, [](const Scalars &s) { return exp(s[0]) * s[1]; }));
  absl::StatusOr<KernelGraph> graph = fuse(g.finish());
  EXPECT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->kernels.size(), 1u);
  return graph->kernels[0];
}

/// Of the first nest, the number of its first node of that op.
int32_t nodeOf(const Nest &nest, ScalarOp op) {
  for (size_t id = 0; id < nest.body.size(); ++id)
    if (nest.body[id].op == op)
      return int32_t(id);
  ADD_FAILURE() << "no such node";
  return 0;
}

TEST(CheckKernel, TakesWhatFusionMakes) {
  Kernel good = rowKernel();
  EXPECT_EQ(good.nests.size(), 2u);
  EXPECT_EQ(said(checkKernel(good)), "OK");
}

// A counter beyond the loops, an operand behind its user, ...
TEST(CheckKernel, SaysWhatIsWrong) {
  const Kernel good = rowKernel();
  const Nest &sum = good.nests[0];
  const int32_t load = nodeOf(sum, ScalarOp::Load), counter = nodeOf(sum, ScalarOp::Index);
  auto text = [](int64_t number) { return std::to_string(number); };
  const std::string sizes = text(int64_t(good.sizes.size())),
                    arrays = text(int64_t(good.arrays.size()));
  struct Mistake {
    std::function<void(Kernel &)> make;
    std::string what;
  };
  const std::vector<Mistake> mistakes = {
      {[&](Kernel &k) { k.nests[0].body[size_t(counter)].payload = 2; },
       "nest 0: node " + text(counter) + " is the counter of loop 2 of 2"},
      {[&](Kernel &k) { k.nests[0].indices[0] = load; }, "nest 0: an index of node " + text(load) +
                                                             " is node " + text(load) +
                                                             ", which does not stand before it"},
      {[&](Kernel &k) { k.nests[0].indices.pop_back(); },
       "nest 0: node " + text(load) + " loads at fewer than 2 indices"},
      {[&](Kernel &k) { k.nests[0].body[size_t(counter)].dtype = DType::Int32; },
       "nest 0: an index of node " + text(load) + " is no Int64"},
      {[&](Kernel &k) { k.nests[0].body[size_t(load)].args[0] = load; },
       "nest 0: an operand of node " + text(load) + " is node " + text(load) +
           ", which does not stand before it"},
      {[&](Kernel &k) { k.nests[0].body[size_t(load)].payload = uint64_t(99) << 32; },
       "nest 0: node " + text(load) + " loads array 99 of " + arrays},
      {[&](Kernel &k) { std::swap(k.nests[0], k.nests[1]); },
       "nest 0: node 1 loads array 3, which is not stored yet"},
      {[&](Kernel &k) {
         k.nests[0].body.push_back({ScalarOp::Index, DType::Int64, {-1, -1, -1}, 0});
       },
       "nest 0: nothing reads node " + text(int64_t(sum.body.size()))},
      {[&](Kernel &k) { k.nests[0].root = 99; }, "nest 0: the value of node " +
                                                     text(int64_t(sum.body.size())) +
                                                     " is node 99, which does not stand before it"},
      {[&](Kernel &k) { k.checks.push_back({0, 99}); },
       "nest 0: a condition of node " + text(int64_t(sum.body.size())) +
           " is node 99, which does not stand before it"},
      {[&](Kernel &k) {
         k.nests[0].body[size_t(counter)] = {ScalarOp::Size, DType::Int64, {-1, -1, -1}, 99};
       },
       "nest 0: node " + text(counter) + " is size 99 of " + sizes},
      {[&](Kernel &k) { k.nests[0].extents[1] = 99; },
       "nest 0: a loop's extent is size 99 of " + sizes},
      {[&](Kernel &k) { k.nests[1].numParallel = 0; }, "nest 1: 0 of 1 loops are parallel"},
      {[&](Kernel &k) { k.nests[1].result = 99; }, "nest 1: it stores array 99 of " + arrays},
      {[&](Kernel &k) { k.nests[1].result = 0; }, "nest 1: it stores array 0, an input"},
      {[&](Kernel &k) { k.nests.push_back(k.nests[1]); },
       "nest 2: it stores array " + text(good.nests[1].result) + " once more"},
      {[&](Kernel &k) { k.arrays[size_t(k.nests[1].result)].shape.clear(); },
       "nest 1: its loops are not those of the shape of array " + text(good.nests[1].result)},
      {[&](Kernel &k) { k.nests.pop_back(); },
       "no nest stores array " + text(good.nests[1].result)},
      {[&](Kernel &k) { k.arrays[0].shape[0] = 99; },
       "an extent of array 0 is size 99 of " + sizes},
      {[&](Kernel &k) { k.numSizeArguments = 1; }, "a size is argument 1 of 1"},
      {[&](Kernel &k) { k.splitExtent = 99; }, "the loop that is split has size 99 of " + sizes},
  };
  for (const Mistake &mistake : mistakes) {
    Kernel kernel = good;
    mistake.make(kernel);
    EXPECT_EQ(said(checkKernel(kernel)),
              "Internal: kernel " + kernel.symbol() + ": " + mistake.what);
  }
}

} // namespace
} // namespace graphc
