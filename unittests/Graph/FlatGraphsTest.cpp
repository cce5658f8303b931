//===- FlatGraphsTest.cpp - what is kept of flat graphs --------------------===//
#include "Graph/FlatGraphs.h"

#include <gtest/gtest.h>

#include "Graph/InnerGraph.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

using detail::FlatGraphs;
using detail::InnerGraph;

/// A graph of one input and so many nodes.
FlatGraphs::Flat graphOf(int numNodes) {
  Variable x = dscalar(), y = x;
  for (int i = 0; i < numNodes; ++i)
    y = exp(y);
  return std::make_shared<const FrozenGraph>(*FunctionGraph::create({x}, {y})->freeze());
}

std::vector<Type> extent(int64_t n) { return {Type(DType::Float64, {n})}; }

// Whatever is asked for, what is kept is bounded, and what was asked for last stays.
TEST(FlatGraphs, AreBounded) {
  FlatGraphs all(100);
  auto *a = reinterpret_cast<const InnerGraph *>(16), *b = a + 1; // never looked into
  std::weak_ptr<const FrozenGraph> first;
  {
    FlatGraphs::Flat flat = graphOf(8); // of size 10, with its type
    first = *flat;
    EXPECT_EQ(*all.keep(a, extent(0), flat), *flat);
    EXPECT_EQ(*all.keep(a, extent(0), graphOf(8)), *flat); // the first one stays
  }
  for (int n = 1; n < 50; ++n) {
    EXPECT_TRUE(all.keep(n % 2 ? a : b, extent(n), graphOf(8)).ok());
    EXPECT_LE(all.size(), 100);
    EXPECT_TRUE(all.find(a, extent(0))) << n;
  }
  EXPECT_EQ(all.size(), 100);
  EXPECT_TRUE(all.find(a, extent(49)));
  EXPECT_FALSE(all.find(b, extent(49)));
  EXPECT_FALSE(all.find(a, extent(1)));
  EXPECT_FALSE(first.expired());
  // One that is larger than all may be drives out nothing.
  EXPECT_TRUE(all.keep(b, extent(1000), graphOf(100)).ok());
  EXPECT_FALSE(all.find(b, extent(1000)));
  EXPECT_EQ(all.size(), 100);
  all.forget(a);
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(all.size(), 40);
  all.forget(b);
  EXPECT_EQ(all.size(), 0);
}

// Those of a record go with it.
TEST(FlatGraphs, GoWithTheirRecords) {
  int64_t before = FlatGraphs::ofProcess().size();
  {
    Variable x = dvector("x");
    OpFromGraph op({x}, {exp(x) * 3.25}, {.name = "op"});
    for (int64_t n = 1; n <= 5; ++n)
      EXPECT_EQ(op(Variable(Type(DType::Float64, {n}))).type().extent(0), n);
    EXPECT_EQ(FlatGraphs::ofProcess().size() - before, 5 * (2 + 1 + 1)); // nodes, type, entry
  }
  EXPECT_EQ(FlatGraphs::ofProcess().size(), before);
}

} // namespace
} // namespace graphc
