// Issue 4, part 7: what changes cost, counted in steps (Support/Work.h), which do not depend on the
// machine. Bounds are a small number of steps for each change, times the logarithm where lists of
// nodes are kept in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "Graph/NodeOrder.h"
#include "Support/Work.h"
#include "TestOps.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

using detail::NodeOrder;
using detail::workDone;

// Against a plain list.
TEST(NodeOrderTest, LabelsGrowAlongTheList) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    NodeOrder order;
    std::vector<uint32_t> list, unused;
    for (uint32_t i = 0; i < 400; ++i)
      unused.push_back(i);
    std::shuffle(unused.begin(), unused.end(), random);
    size_t favourite = round % 3 == 0 ? 0 : random() % 50; // many go to one place
    for (int step = 0; step < 1500; ++step) {
      if (unused.empty() || (!list.empty() && random() % 4 == 0)) {
        size_t at = random() % list.size();
        order.remove(list[at]);
        EXPECT_EQ(order.label(list[at]), 0u);
        unused.push_back(list[at]);
        list.erase(list.begin() + ptrdiff_t(at));
        continue;
      }
      size_t count = std::min<size_t>(unused.size(), random() % 5);
      std::vector<uint32_t> fresh(unused.end() - ptrdiff_t(count), unused.end());
      unused.resize(unused.size() - count);
      size_t at = std::min(list.size(), random() % 8 ? favourite : random() % (list.size() + 1));
      order.insertAfter(at == 0 ? NodeOrder::kStart : list[at - 1], fresh);
      list.insert(list.begin() + ptrdiff_t(at), fresh.begin(), fresh.end());
      uint64_t before = 0;
      for (uint32_t each : list) {
        ASSERT_GT(order.label(each), before);
        before = order.label(each);
      }
      ASSERT_LT(before, NodeOrder::kEnd);
    }
  }
}

struct CostTest : testing::Test {
  static constexpr int kMany = 100'000;
  Op add = testOp("add", 2), exp = testOp("exp"), destroy = destroyer();
  Variable x = dscalar("x"), y = dscalar("y");

  static Op destroyer() {
    OpDef def = testDef("destroy");
    def.destroyMap = {0};
    return *defineOp(def);
  }
  FunctionGraph graph(const Variables &outputs, Features features = {}) {
    absl::StatusOr<FunctionGraph> made =
        FunctionGraph::create({x, y}, outputs, {.features = std::move(features)});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
};

// A chain grows at one edge: always next to its start, next to its end, and next to the last node
// that came, where each gap between labels is half of the one before.
TEST_F(CostTest, InsertionsAtOneEdge) {
  enum Where { Start, End, Last };
  for (Where where : {Start, End, Last}) {
    FunctionGraph fg = graph({exp(exp(x))});
    Apply first = fg.output(0).owner().input(0).owner(), last = fg.output(0).owner();
    Apply user = where == Start ? first : last;
    uint64_t before = workDone;
    for (int i = 0; i < kMany; ++i) {
      Variable fresh = exp(user.input(0));
      ASSERT_TRUE(fg.changeInput({user, 0}, fresh).ok());
      if (where == Last && i % 2)
        user = fresh.owner();
    }
    EXPECT_EQ(fg.numNodes(), size_t(kMany) + 2);
    EXPECT_LT(workDone - before, uint64_t(kMany * 2 * std::log2(kMany))) << where;
    EXPECT_TRUE(fg.checkIntegrity().ok());
  }
}

// What a long chain starts from is replaced by nodes that stand behind all of it: each rises with
// the one node that it is computed from, and the chain stays.
TEST_F(CostTest, ReplacementsThatStandBehind) {
  constexpr int kLate = 2000, kLong = 2000;
  Variable chain = exp(x);
  for (int i = 0; i < kLong; ++i)
    chain = exp(chain);
  Variables outputs = {chain};
  for (int i = 0; i < kLate; ++i)
    outputs.push_back(exp(add(y, x)));
  FunctionGraph fg = graph(outputs);
  Apply second = fg.toposort()->at(1);
  uint64_t before = workDone;
  for (int i = 1; i <= kLate; ++i)
    ASSERT_TRUE(fg.replace(second.input(0), fg.output(i)).ok());
  EXPECT_LT(workDone - before, uint64_t(kLate + kLong) * 30);
  EXPECT_TRUE(fg.checkIntegrity().ok());
}

// A hundred thousand readers of one memory that is overwritten in the end: each comes, changes and
// leaves at the same cost.
TEST_F(CostTest, ManyReaders) {
  Variable root = exp(x);
  Variables outputs = {destroy(root)};
  for (int i = 0; i < kMany; ++i)
    outputs.push_back(add(root, y));
  FunctionGraph fg = graph(outputs, {std::make_shared<DestroyHandler>()});
  ASSERT_TRUE(fg.validate().ok());
  Variable memory = fg.output(0).owner().input(0);
  uint64_t before = workDone;
  for (int i = 1; i <= kMany; ++i) {
    Variable reader = fg.output(i);
    ASSERT_TRUE(fg.changeInput({reader.owner(), 1}, fg.input(0)).ok());
    ASSERT_TRUE(fg.validate().ok());
    ASSERT_TRUE(fg.replaceValidate(reader, add(fg.input(1), memory)).ok());
    ASSERT_TRUE(fg.changeInput({fg.output(i).owner(), 1}, fg.input(0)).ok());
    ASSERT_TRUE(fg.validate().ok());
  }
  EXPECT_LT(workDone - before, uint64_t(kMany) * 40);
  EXPECT_EQ(fg.orderings()->size(), 0u) << "none is left";
  EXPECT_TRUE(fg.checkIntegrity().ok());
}

// As many destroyers, each of a memory of its own, which come one by one, and as many outputs that
// may not share memory.
TEST_F(CostTest, ManyDestroyers) {
  Variables outputs;
  for (int i = 0; i < kMany; ++i)
    outputs.push_back(exp(exp(x)));
  FunctionGraph fg = graph(outputs, {std::make_shared<Supervisor>(Supervisor::Options())});
  uint64_t before = workDone;
  for (int i = 0; i < kMany; ++i)
    ASSERT_TRUE(fg.replaceValidate(fg.output(i), destroy(fg.output(i).owner().input(0))).ok());
  for (int i = 0; i < kMany; ++i)
    ASSERT_TRUE(fg.replaceValidate(fg.output(i), fg.output(i).owner().input(0)).ok());
  EXPECT_LT(workDone - before, uint64_t(kMany) * 60);
}

} // namespace
} // namespace graphc
