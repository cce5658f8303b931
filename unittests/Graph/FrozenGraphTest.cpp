// F-123: graphs that never change.
#include "graphc/FrozenGraph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unordered_set>

#include "OnStack.h"
#include "TestOps.h"

namespace graphc {
namespace {

using testing::ElementsAre;

struct Parts {
  Op add = testOp("add", 2), exp = testOp("exp");
};

const Parts &parts() {
  static const Parts &instance = *new Parts();
  return instance;
}

FrozenGraph freeze(const Variables &inputs, const Variables &outputs,
                   FunctionGraphOptions options = {}) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(inputs, outputs, std::move(options));
  EXPECT_TRUE(graph.ok()) << graph.status();
  absl::StatusOr<FrozenGraph> frozen = graph->freeze();
  EXPECT_TRUE(frozen.ok()) << frozen.status();
  return *std::move(frozen);
}

FrozenGraph example(std::string_view name, double c, DType dtype = DType::Float64) {
  Variable x = tensor(dtype, {kDynamic}, name), y = tensor(dtype, {kDynamic});
  Variable k = constant(*Tensor::fromSpan<double>({c}, {1}));
  return freeze({x, y}, {parts().add(parts().exp(x), y), parts().exp(k)});
}

// F-123
TEST(FrozenGraph, EqualStructureIsEqual) {
  FrozenGraph a = example("x", 2), b = example("another", 2);
  EXPECT_TRUE(a == b);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_FALSE(a == example("x", 3));
  EXPECT_FALSE(a == example("x", 2, DType::Float32));
  std::unordered_set<FrozenGraph> set = {a, b, example("x", 3)};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.contains(example("z", 2)));
  // -0.0 is equal to 0.0 and not the same constant; a NaN is the same as itself.
  EXPECT_FALSE(example("x", 0.0) == example("x", -0.0));
  EXPECT_TRUE(example("x", 0.0 / 0.0) == example("x", 0.0 / 0.0));
}

TEST(FrozenGraph, InputsArePositional) {
  const auto &[add, exp] = parts();
  Variable x = dvector("x"), y = dvector("y");
  Variables out = {add(exp(x), y)};
  EXPECT_FALSE(freeze({x, y}, out) == freeze({y, x}, out));
  EXPECT_TRUE(freeze({x, y}, {add(exp(x), y)}) == freeze({y, x}, {add(exp(y), x)}));
  EXPECT_FALSE(freeze({x, y}, {exp(x)}) == freeze({x}, {exp(x)}));
  EXPECT_FALSE(freeze({x}, {exp(x), exp(x)}) == freeze({x}, {exp(x)}));
  // One node twice is not two nodes.
  Variable e = exp(x);
  EXPECT_FALSE(freeze({x}, {add(e, e)}) == freeze({x}, {add(exp(x), exp(x))}));
  EXPECT_FALSE(freeze({x}, {exp(x)}, {.updateMapping = {{0, 0}}}) == freeze({x}, {exp(x)}));
}

TEST(FrozenGraph, NeverChanges) {
  const auto &[add, exp] = parts();
  Variable x = dvector("x");
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create({x}, {exp(exp(x))});
  FrozenGraph frozen = *graph->freeze();
  FrozenGraph same = frozen;
  ASSERT_TRUE(graph->replace(graph->output(0), graph->input(0)).ok());
  EXPECT_EQ(graph->numNodes(), 0u);
  EXPECT_EQ(frozen.numNodes(), 2u);
  EXPECT_TRUE(frozen == same);
  EXPECT_TRUE(frozen == freeze({x}, {exp(exp(x))}));
  // No graph can take over its nodes, and a thawed one has its own.
  EXPECT_FALSE(FunctionGraph::create(frozen.inputs(), frozen.outputs(), {.clone = false}).ok());
  FunctionGraph thawed = *frozen.thaw();
  ASSERT_TRUE(thawed.replace(thawed.output(0), thawed.input(0)).ok());
  EXPECT_EQ(frozen.numNodes(), 2u);
  EXPECT_TRUE(*frozen.thaw()->freeze() == frozen);
}

/// Runs the nodes in the order in which they came, last first where data allow.
struct Backwards : Feature {
  std::string_view name() const override { return "Backwards"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Backwards>(); }
  absl::StatusOr<Orderings> orderings(FunctionGraph &graph) override {
    return Orderings{{graph.output(0).owner(), {graph.output(1).owner()}}};
  }
};

// F-123: destroyers stay behind readers.
TEST(FrozenGraph, TheOrderSurvives) {
  const auto &[add, exp] = parts();
  Variable x = dvector("x"), y = dvector("y");
  Variables out = {exp(x), add(x, y)};
  FrozenGraph plain = freeze({x, y}, out);
  FrozenGraph ordered = freeze({x, y}, out, {.features = {std::make_shared<Backwards>()}});
  auto names = [](const FrozenGraph &graph) {
    std::vector<std::string> list;
    for (const Apply &node : graph.order())
      list.emplace_back(node.op().name());
    return list;
  };
  EXPECT_THAT(names(plain), ElementsAre("exp", "add"));
  EXPECT_THAT(names(ordered), ElementsAre("add", "exp"));
  EXPECT_TRUE(plain == ordered);
  EXPECT_EQ(ordered.order()[1].output(0), ordered.outputs()[0]);
}

TEST(FrozenGraph, AMillionNodesOnASmallStack) {
  onStack(1, [] {
    auto chain = [] {
      Variable x = dscalar("x"), v = x;
      for (int i = 0; i < 1'000'000; ++i)
        v = i % 3 ? parts().exp(v) : parts().add(v, x);
      return freeze({x}, {v});
    };
    FrozenGraph a = chain(), b = chain();
    EXPECT_TRUE(a == b);
    EXPECT_EQ(a.order().size(), 1'000'000u);
  });
}

} // namespace
} // namespace graphc
