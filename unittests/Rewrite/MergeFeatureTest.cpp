// F-146, F-302: merging as a Feature.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <set>

#include "Eval/Evaluate.h"
#include "Support/Work.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

struct MergeFeatureTest : testing::Test {
  Variable x = dvector("x"), y = dvector("y");
  std::shared_ptr<MergeFeature> merge = std::make_shared<MergeFeature>();

  FunctionGraph graph(const Variables &outputs, bool attach = true) {
    FunctionGraphOptions options;
    if (attach)
      options.features = {merge};
    absl::StatusOr<FunctionGraph> made = FunctionGraph::create({x, y}, outputs, options);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  /// How often it merged.
  int64_t merged(FunctionGraph &fg) {
    absl::StatusOr<int64_t> count = merge->merge(fg);
    EXPECT_TRUE(count.ok()) << count.status();
    EXPECT_TRUE(fg.checkIntegrity().ok()) << fg.checkIntegrity();
    return count.value_or(-1);
  }
};

TEST_F(MergeFeatureTest, OfItsOwnGraphAlone) {
  FunctionGraph fg = graph({exp(x), exp(x)}), other = graph({exp(x)}, /*attach=*/false);
  EXPECT_EQ(merge->merge(other).status().message(),
            "the MergeFeature is not attached to this FunctionGraph; attach it first");
  EXPECT_EQ(merged(fg), 1) << "what was to be merged is not forgotten";
}

/// Removes the graph's MergeFeature at the first change that it hears of.
struct Remover : Feature {
  explicit Remover(bool again) : again(again) {}
  std::string_view name() const override { return "Remover"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Remover>(again); }
  absl::Status onPrune(FunctionGraph &graph, const Apply &, std::string_view) override {
    for (const std::shared_ptr<Feature> &each : Features(graph.features()))
      if (dynamic_cast<MergeFeature *>(each.get()))
        EXPECT_TRUE(graph.removeFeature(each).ok());
    return again ? graph.attachFeature(std::make_shared<MergeFeature>()) : absl::OkStatus();
  }
  bool again;
};

// F-107: it may go while it merges, and another one come.
TEST_F(MergeFeatureTest, RemovedByAnother) {
  for (bool again : {false, true}) {
    FunctionGraph fg = graph({exp(x), exp(x), exp(x), y + 1.0, y + 1.0}, /*attach=*/false);
    ASSERT_TRUE(fg.attachFeature(std::make_shared<MergeFeature>()).ok());
    ASSERT_TRUE(fg.attachFeature(std::make_shared<Remover>(again)).ok());
    auto *first = fg.find<MergeFeature>(); // which nothing but the graph holds
    EXPECT_EQ(*first->merge(fg), 2) << "a constant, and the first node";
    EXPECT_EQ(fg.find<MergeFeature>() != nullptr, again);
    EXPECT_EQ(fg.numNodes(), 4u);
    EXPECT_TRUE(fg.checkIntegrity().ok());
  }
}

TEST_F(MergeFeatureTest, EqualSubgraphsMerge) {
  FunctionGraph fg = graph({exp(x) * sin(exp(x)), sin(exp(x)) * exp(x), exp(y)});
  EXPECT_EQ(fg.numNodes(), 9u);
  // exp twice, sin once, and mul, whose operands may be exchanged.
  EXPECT_EQ(merged(fg), 5);
  EXPECT_EQ(fg.numNodes(), 4u);
  EXPECT_EQ(fg.output(0), fg.output(1));
  EXPECT_EQ(merged(fg), 0) << "idempotent";
}

TEST_F(MergeFeatureTest, EqualConstantsMerge) {
  FunctionGraph fg = graph({x + 1.0, x + 1.0, x + 2.0, y * 1.0});
  EXPECT_EQ(merged(fg), 3); // two constants, one node
  EXPECT_EQ(fg.numNodes(), 3u);
  std::set<std::string> constants;
  for (const Variable &v : fg.variables())
    if (v.isConstant())
      EXPECT_TRUE(constants.insert(pp(v)).second) << pp(v);
  // -0.0 is not 0.0.
  FunctionGraph zeros = *FunctionGraph::create({x}, {x * 0.0, x * -0.0});
  auto other = std::make_shared<MergeFeature>();
  ASSERT_TRUE(zeros.attachFeature(other).ok());
  EXPECT_EQ(*other->merge(zeros), 0);
}

TEST_F(MergeFeatureTest, FindsWhatIsThere) {
  FunctionGraph fg = graph({exp(x) + 1.0, sin(y)});
  Variable e = fg.output(0).owner().input(0);
  EXPECT_EQ(merge->equalOf(exp(fg.input(0)).owner()), e.owner());
  EXPECT_EQ(merge->equalOf((e + 1.0).owner()), fg.output(0).owner());
  EXPECT_FALSE(merge->equalOf(exp(fg.input(1)).owner()));
  EXPECT_FALSE(merge->equalOf(e.owner())) << "only itself";
  EXPECT_FALSE(merge->equalOf(Apply()));
}

TEST_F(MergeFeatureTest, FollowsChanges) {
  FunctionGraph fg = graph({exp(sin(x)), exp(sin(y)), cos(x)});
  EXPECT_EQ(merged(fg), 0);
  Checkpoint start = fg.checkpoint();
  ASSERT_TRUE(fg.replace(fg.input(1), fg.input(0)).ok());
  EXPECT_EQ(merged(fg), 2);
  EXPECT_EQ(fg.output(0), fg.output(1));
  ASSERT_TRUE(fg.revert(std::move(start)).ok());
  EXPECT_NE(fg.output(0), fg.output(1));
  EXPECT_EQ(merged(fg), 0);
  // What was pruned is not found any more.
  Variable c = fg.output(2);
  ASSERT_TRUE(fg.replace(c, fg.input(1)).ok());
  EXPECT_FALSE(merge->equalOf(cos(fg.input(0)).owner()));
  ASSERT_TRUE(fg.changeInput(Client::output(2), exp(sin(fg.input(1)))).ok());
  EXPECT_EQ(merged(fg), 2);
  FunctionGraph copy = *fg.clone();
  ASSERT_NE(copy.find<MergeFeature>(), nullptr);
  EXPECT_EQ(*copy.find<MergeFeature>()->merge(copy), 0);
  ASSERT_TRUE(fg.removeFeature(merge).ok());
  EXPECT_FALSE(merge->equalOf(sin(fg.input(0)).owner()));
}

// F-302: two nodes that overwrite an input never merge.
TEST_F(MergeFeatureTest, DestroyersDoNotMerge) {
  OpDef def;
  def.name = "destroy";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &, const Arrays &in, const Attributes &) { return Arrays{in[0]}; };
  def.destroyMap = {0};
  Op destroy = *defineOp(def);
  FunctionGraph fg = graph({destroy(x), destroy(x), exp(x), exp(x)});
  EXPECT_EQ(merged(fg), 1);
  EXPECT_EQ(fg.numNodes(), 3u);
}

/// Refuses graphs with fewer than three nodes.
struct Stubborn : Feature {
  std::string_view name() const override { return "Stubborn"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Stubborn>(); }
  absl::Status onValidate(FunctionGraph &graph) override {
    return graph.numNodes() < 3 ? makeError(ErrorKind::Inconsistency, "too few") : absl::OkStatus();
  }
};

TEST_F(MergeFeatureTest, RefusalsStay) {
  FunctionGraph fg = graph({exp(x), exp(x), exp(x), exp(x)});
  ASSERT_TRUE(fg.attachFeature(std::make_shared<Stubborn>()).ok());
  EXPECT_EQ(merged(fg), 1);
  EXPECT_EQ(fg.numNodes(), 3u);
}

Variable randomGraph(std::mt19937 &random, const Variables &inputs, int size) {
  Variables made = inputs;
  auto any = [&] { return made[random() % made.size()]; };
  for (int i = 0; i < size; ++i)
    switch (random() % 4) {
    case 0:
      made.push_back(exp(any()));
      break;
    case 1:
      made.push_back(any() + any());
      break;
    case 2:
      made.push_back(any() - any());
      break;
    default:
      made.push_back(any() * double(random() % 3));
    }
  Variable all = made.back();
  for (size_t i = made.size() - 8; i < made.size(); ++i)
    all = all + made[i];
  return all;
}

// The same graph as the rewriter's, also after changes; the shape of what is left is compared by
// freezing. Few inputs and ops, so that much is equal.
TEST_F(MergeFeatureTest, AgreesWithTheRewriter) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    merge = std::make_shared<MergeFeature>();
    FunctionGraph fg = graph({randomGraph(random, {x, y}, 40)});
    for (int step = 0; step < 5; ++step) {
      merged(fg);
      FunctionGraph other = *fg.clone({.attachFeatures = false});
      RewriteReport report;
      ASSERT_TRUE(mergeRewriter()->rewrite(other, {}, report).ok());
      ASSERT_EQ(other.numNodes(), fg.numNodes()) << pp(fg.output(0));
      ASSERT_EQ(report.steps, 0);
      Variables all = fg.variables();
      Variable old = all[random() % all.size()];
      (void)fg.replace(old, all[random() % all.size()]);
    }
  }
}

// From an unmerged graph both come to as many nodes.
TEST_F(MergeFeatureTest, AgreesFromTheStart) {
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    merge = std::make_shared<MergeFeature>();
    Variable output = randomGraph(random, {x, y}, 60);
    FunctionGraph fg = graph({output}), other = graph({output}, /*attach=*/false);
    RewriteReport report;
    ASSERT_TRUE(mergeRewriter()->rewrite(other, {}, report).ok());
    EXPECT_EQ(merged(fg), report.steps);
    EXPECT_EQ(fg.numNodes(), other.numNodes());
    EXPECT_EQ(pp(fg.output(0)), pp(other.output(0)));
  }
}

// Near-linear: a hundred thousand equal nodes, and as many changes.
TEST_F(MergeFeatureTest, ManyEqualNodes) {
  Variable sum = x;
  for (int i = 0; i < 50'000; ++i)
    sum = sum + exp(sin(x));
  FunctionGraph fg = graph({sum});
  EXPECT_EQ(merged(fg), 2 * 49'999);
  EXPECT_EQ(fg.numNodes(), 50'002u);
}

// One of many operands costs one: a thousand changes of a join of a thousand look at each operand a
// few times.
TEST_F(MergeFeatureTest, ManyOperands) {
  constexpr int kOperands = 4000;
  Variables parts;
  for (int i = 0; i < kOperands; ++i)
    parts.push_back(x * double(i));
  FunctionGraph fg = graph({concatenate(parts)});
  EXPECT_EQ(merged(fg), 0);
  uint64_t before = detail::workDone;
  Apply join = fg.output(0).owner();
  while (join.numInputs() < kOperands)
    join = join.input(0).owner();
  for (int i = 0; i < join.numInputs(); ++i) {
    ASSERT_TRUE(fg.changeInput({join, i}, exp(join.input(i))).ok());
    ASSERT_EQ(*merge->merge(fg), 0);
  }
  EXPECT_LT(detail::workDone - before, 40u * kOperands);
}

// Rules over a graph that has one leave no two equal nodes.
TEST_F(MergeFeatureTest, RulesFindWhatIsThere) {
  FunctionGraph fg = graph({log(exp(x) + 1.0), log1p(exp(x)), exp(x)});
  merged(fg);
  NodeRewriterPtr rule = *compileRule({"log1p", "log(1 + a)", "log1p(a)", kRounding});
  RewriteReport report;
  ASSERT_TRUE(equilibrium("test", {rule})->rewrite(fg, {}, report).ok());
  EXPECT_EQ(fg.output(0), fg.output(1));
  EXPECT_EQ(fg.numNodes(), 2u);
}

} // namespace
} // namespace graphc
