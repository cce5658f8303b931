// F-061: nothing recurses over a graph. Each test runs on a stack of 1 MiB, an eighth of what a
// process has: recursion of a million calls needs at least 16 MiB.
#include <gtest/gtest.h>

#include "OnStack.h"
#include "TestOps.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Print.h"

namespace graphc {
namespace {

constexpr int kDepth = 1'000'000;

Variable chainOver(const Variable &x, const Variable &y, const Variable &z) {
  Op add = testOp("add", 2), mul = testOp("mul", 2);
  Variable v = x;
  for (int i = 0; i < kDepth; ++i)
    v = i % 2 ? add(v, y) : mul(v, z);
  return v;
}

TEST(LargeGraph, Chain) {
  onStack(1, [] {
    Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
    Variable v = chainOver(x, y, z);
    Variables inputs = {x, y, z};
    EXPECT_EQ(graphInputs({v}).size(), 3u);
    EXPECT_EQ(ancestors({v}).size(), size_t(kDepth) + 3);
    EXPECT_EQ(applysBetween(inputs, {v}).size(), size_t(kDepth));
    EXPECT_EQ(varsBetween(inputs, {v}).size(), size_t(kDepth) + 3);
    EXPECT_EQ(ioToposort(inputs, {v}).size(), size_t(kDepth));
    EXPECT_TRUE(isInAncestors(x, {v}));
    InputsOutputs copy = clone(inputs, {v});
    EXPECT_TRUE(equalComputations(copy.outputs, {v}, copy.inputs, inputs));
    Variable replaced = cloneReplace({v}, {{x, y}})->at(0);
    EXPECT_FALSE(isInAncestors(x, {replaced}));
  });
}

TEST(LargeGraph, ChainInFunctionGraph) {
  onStack(1, [] {
    Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
    absl::StatusOr<FunctionGraph> fg = FunctionGraph::create({x, y, z}, {chainOver(x, y, z)});
    ASSERT_TRUE(fg.ok());
    EXPECT_EQ(fg->toposort()->size(), size_t(kDepth));
    EXPECT_TRUE(fg->checkIntegrity().ok());
    FunctionGraph copy = *fg->clone();
    EXPECT_EQ(copy.cloneGetEquiv()->nodes.size(), size_t(kDepth));
    ASSERT_TRUE(copy.replace(copy.input(0), copy.input(1)).ok());
    ASSERT_TRUE(copy.replace(copy.output(0), copy.input(2)).ok());
    EXPECT_EQ(copy.numNodes(), 0u);
  });
}

// F-065, F-070: the texts are linear in size.
TEST(LargeGraph, ChainPrinted) {
  onStack(1, [] {
    Variable v = chainOver(dscalar("x"), dscalar("y"), dscalar("z"));
    EXPECT_LT(debugPrint(v).size(), size_t(kDepth) * 500);
    EXPECT_LT(pp(v).size(), size_t(kDepth) * 8);
    EXPECT_LT(toDot(v).size(), size_t(kDepth) * 200);
  });
}

TEST(LargeGraph, Diamond) {
  onStack(1, [] {
    Op add = testOp("add", 2);
    Variable x = dscalar("x"), v = x;
    for (int i = 0; i < 1000; ++i)
      v = add(v, v);
    EXPECT_EQ(ancestors({v}).size(), 1001u);
    FunctionGraph fg = *FunctionGraph::create({x}, {v});
    EXPECT_EQ(fg.toposort()->size(), 1000u);
    EXPECT_LT(debugPrint(v).size(), 1'000'000u);
    EXPECT_LT(pp(v).size(), 100'000u);
    EXPECT_LT(toDot(v).size(), 200'000u);
    EXPECT_EQ(cloneReplace({v}, {{x, dscalar("y")}})->size(), 1u);
  });
}

} // namespace
} // namespace graphc
