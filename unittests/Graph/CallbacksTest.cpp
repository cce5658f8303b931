// F-071, F-109, F-111, F-114, F-124: making graphs, the callbacks of Features, orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "TestOps.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Print.h"

namespace graphc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct CallbacksTest : testing::Test {
  Op add = testOp("add", 2), exp = testOp("exp"), log = testOp("log");
  Variable x = dscalar("x"), y = dscalar("y");

  FunctionGraph graph(const Variables &outputs, FunctionGraphOptions options = {}) {
    absl::StatusOr<FunctionGraph> made = FunctionGraph::create({x, y}, outputs, std::move(options));
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
};

// F-071: all that is given arrives; by default the user's graph is copied and never touched.
TEST_F(CallbacksTest, TheUsersGraphIsNotTouched) {
  Variable e = exp(x), sum = add(e, y);
  e.setName("e");
  std::string before = debugPrint(sum);
  auto finder = std::make_shared<NodeFinder>();
  FunctionGraph fg = graph({sum, log(e)}, {.features = {finder}, .updateMapping = {{1, 0}}});
  EXPECT_THAT(fg.updateMapping(), ElementsAre(std::pair(1, 0)));
  EXPECT_THAT(fg.features(), ElementsAre(finder));
  EXPECT_THAT(finder->nodes(exp), testing::SizeIs(1));
  for (const Variable &v : {x, y, e, sum})
    EXPECT_FALSE(fg.contains(v));
  EXPECT_EQ(fg.output(0).owner().input(0).name(), "e");
  ASSERT_TRUE(fg.replace(fg.output(0).owner().input(0), fg.input(1)).ok());
  ASSERT_TRUE(fg.removeInput(0).ok());
  ASSERT_TRUE(fg.replace(fg.input(0), exp(fg.input(0))).ok());
  EXPECT_EQ(debugPrint(sum), before);
  EXPECT_EQ(sum.owner().input(0), e);
  EXPECT_EQ(e.owner().input(0), x);
  // None of the options: no Features, no updates.
  FunctionGraph plain = graph({sum});
  EXPECT_THAT(plain.features(), IsEmpty());
  EXPECT_THAT(plain.updateMapping(), IsEmpty());
  // Without cloning the user's nodes are the graph's own.
  FunctionGraph own = graph({sum}, {.clone = false});
  EXPECT_TRUE(own.contains(sum));
  EXPECT_EQ(own.output(0), sum);
}

/// Refuses where told, and remembers that it was asked.
struct Judge : Feature {
  explicit Judge(std::string verdict) : verdict(std::move(verdict)) {}
  std::string_view name() const override { return "Judge"; }
  absl::Status onValidate(FunctionGraph &) override {
    ++asked;
    return verdict.empty() ? absl::OkStatus() : makeError(ErrorKind::Inconsistency, verdict);
  }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Judge>(verdict); }
  std::string verdict;
  int asked = 0;
};

// F-064, F-089: what comes in with a change is the graph's from then on; a copy keeps the user's.
TEST_F(CallbacksTest, WhatComesInIsTheGraphs) {
  Variable two = constant(2.0), user = log(exp(two)); // of no graph
  std::string before = debugPrint(user);
  FunctionGraph fg = graph({exp(x), log(y)});
  ASSERT_TRUE(fg.replace(fg.output(0), clone({}, {&user, 1}, false).outputs[0]).ok());
  EXPECT_FALSE(fg.contains(user));
  EXPECT_TRUE(fg.contains(two)) << "constants are shared";
  ASSERT_TRUE(fg.replace(two, fg.input(0)).ok());
  ASSERT_TRUE(fg.replace(fg.output(0).owner().input(0), fg.input(1)).ok());
  EXPECT_EQ(debugPrint(user), before);

  auto refusing = std::make_shared<Judge>("refused by the test");
  ASSERT_TRUE(fg.attachFeature(refusing).ok());
  EXPECT_FALSE(fg.replaceValidate(fg.output(0), user).ok());
  EXPECT_EQ(debugPrint(user), before);
  EXPECT_TRUE(graph({user}, {.clone = false}).contains(user)) << "it belongs to no graph";
  refusing->verdict.clear();

  ASSERT_TRUE(fg.replaceValidate(fg.output(0), user).ok());
  EXPECT_EQ(fg.output(0), user) << "the very node";
  EXPECT_EQ(errorKind(FunctionGraph::create({}, {user}, {.clone = false}).status()),
            ErrorKind::ValueError);
  ASSERT_TRUE(fg.replace(user.owner().input(0), fg.input(0)).ok());
  EXPECT_EQ(user.owner().input(0), fg.input(0)) << "so its changes show";
  // A constant of the user's keeps what it has.
  ASSERT_TRUE(fg.attachFeature(std::make_shared<PreserveVariableAttributes>()).ok());
  user.setName("user");
  ASSERT_TRUE(fg.replace(fg.output(0), two).ok());
  EXPECT_EQ(two.name(), "");
}

/// Counts its callbacks.
struct Counting : Feature {
  std::map<std::string, int> calls;
  std::string_view name() const override { return "Counting"; }
  absl::Status count(const char *callback) {
    ++calls[callback];
    return absl::OkStatus();
  }
  absl::Status onAttach(FunctionGraph &) override { return count("onAttach"); }
  absl::Status onDetach(FunctionGraph &) override { return count("onDetach"); }
  absl::Status onImport(FunctionGraph &, const Apply &, std::string_view) override {
    return count("onImport");
  }
  absl::Status onPrune(FunctionGraph &, const Apply &, std::string_view) override {
    return count("onPrune");
  }
  absl::Status onChangeInput(FunctionGraph &, const Client &, const Variable &, const Variable &,
                             std::string_view) override {
    return count("onChangeInput");
  }
  absl::Status onValidate(FunctionGraph &) override { return count("onValidate"); }
  absl::StatusOr<Orderings> orderings(FunctionGraph &) override {
    (void)count("orderings");
    return Orderings();
  }
  std::shared_ptr<Feature> clone() override {
    (void)count("clone");
    return std::make_shared<Counting>();
  }
};

// F-109: each of the eight is called for what it is there for, and for nothing else.
TEST_F(CallbacksTest, TheSetOfCallbacks) {
  auto counting = std::make_shared<Counting>();
  std::map<std::string, int> expected;
  auto calledAlso = [&](std::vector<std::string> callbacks) {
    for (const std::string &each : callbacks)
      ++expected[each];
    EXPECT_EQ(counting->calls, expected);
  };
  FunctionGraph fg = graph({exp(x)}, {.features = {counting}});
  calledAlso({"onAttach"});
  ASSERT_TRUE(fg.replace(fg.output(0), log(fg.input(0))).ok());
  calledAlso({"onImport", "onPrune", "onChangeInput"});
  ASSERT_TRUE(fg.validate().ok());
  calledAlso({"onValidate"});
  ASSERT_TRUE(fg.orderings().ok());
  calledAlso({"orderings"});
  ASSERT_TRUE(fg.toposort().ok());
  calledAlso({"orderings"});
  ASSERT_TRUE(fg.clone({.checkIntegrity = false}).ok());
  calledAlso({"clone"});
  ASSERT_TRUE(fg.removeFeature(counting).ok());
  calledAlso({"onDetach"});
  // One that overrides nothing but what it must hears of nothing.
  struct Silent : Feature {
    std::string_view name() const override { return "Silent"; }
    std::shared_ptr<Feature> clone() override { return itself(); }
  };
  ASSERT_TRUE(fg.attachFeature(std::make_shared<Silent>()).ok());
  EXPECT_TRUE(fg.replaceValidate(fg.output(0), exp(fg.input(1))).ok());
  EXPECT_TRUE(fg.toposort().ok());
}

// F-111: what keeps nothing is its own copy and may serve many graphs; what keeps something gives a
// fresh one, and serves one graph at a time.
TEST_F(CallbacksTest, ClonesOfFeatures) {
  std::ostringstream os;
  std::vector<std::shared_ptr<Feature>> stateless = {
      std::make_shared<PrintListener>(os), std::make_shared<PreserveVariableAttributes>(),
      std::make_shared<NoOutputFromInplace>(std::set<int>{0})};
  for (const std::shared_ptr<Feature> &feature : stateless) {
    EXPECT_EQ(feature->clone(), feature) << feature->name();
    FunctionGraph first = graph({exp(x)}), second = graph({exp(x)});
    EXPECT_TRUE(first.attachFeature(feature).ok());
    EXPECT_TRUE(second.attachFeature(feature).ok());
  }
  std::vector<std::shared_ptr<Feature>> stateful = {
      std::make_shared<NodeFinder>(),
      std::make_shared<History>(),
      std::make_shared<DestroyHandler>(),
      std::make_shared<ShapeFeature>(),
      std::make_shared<MergeFeature>(),
      std::make_shared<Counting>(),
      std::make_shared<Supervisor>(Supervisor::Options())};
  for (const std::shared_ptr<Feature> &feature : stateful) {
    std::shared_ptr<Feature> copy = feature->clone();
    EXPECT_NE(copy, feature);
    EXPECT_EQ(copy->name(), feature->name());
    FunctionGraph second = graph({exp(x)});
    {
      FunctionGraph first = graph({exp(x)});
      ASSERT_TRUE(first.attachFeature(feature).ok());
      EXPECT_TRUE(first.attachFeature(feature).ok()) << "the very object twice changes nothing";
      absl::Status refused = second.attachFeature(feature);
      EXPECT_EQ(errorKind(refused), ErrorKind::ValueError);
      EXPECT_EQ(refused.message(), "the feature " + std::string(feature->name()) +
                                       " is attached to another FunctionGraph; clone() makes one "
                                       "for each");
      EXPECT_THAT(second.features(), IsEmpty());
      EXPECT_TRUE(second.attachFeature(copy).ok());
      ASSERT_TRUE(second.removeFeature(copy).ok());
      // Removed, it is free.
      ASSERT_TRUE(first.removeFeature(feature).ok());
      EXPECT_TRUE(second.attachFeature(feature).ok());
      ASSERT_TRUE(second.removeFeature(feature).ok());
      ASSERT_TRUE(first.attachFeature(feature).ok());
    }
    // So it is when its graph is gone (FeaturesTest.TheGraphIsDestroyed).
    EXPECT_TRUE(second.attachFeature(feature).ok());
    EXPECT_TRUE(second.validate().ok());
  }
}

// F-124: all are asked, in their order, until the first refuses; consistent() is its truth.
TEST_F(CallbacksTest, Validate) {
  auto a = std::make_shared<Judge>(""), b = std::make_shared<Judge>("b refuses"),
       c = std::make_shared<Judge>("c refuses");
  FunctionGraph fg = graph({exp(x)}, {.features = {a, b, c}});
  absl::Status status = fg.validate();
  EXPECT_EQ(errorKind(status), ErrorKind::Inconsistency);
  EXPECT_EQ(status.message(), "b refuses");
  EXPECT_EQ(std::vector({a->asked, b->asked, c->asked}), std::vector({1, 1, 0}));
  EXPECT_FALSE(fg.consistent());
  b->verdict.clear();
  EXPECT_EQ(fg.validate().message(), "c refuses");
  EXPECT_FALSE(fg.consistent());
  c->verdict.clear();
  EXPECT_TRUE(fg.validate().ok());
  EXPECT_TRUE(fg.consistent());
  EXPECT_EQ(std::vector({a->asked, b->asked, c->asked}), std::vector({6, 6, 4}));
}

/// Demands an order between nodes.
struct Demanding : Feature {
  Orderings demanded;
  std::string_view name() const override { return "Demanding"; }
  absl::StatusOr<Orderings> orderings(FunctionGraph &) override { return demanded; }
  std::shared_ptr<Feature> clone() override { return nullptr; }
};

// F-114: every node once, producers first, demanded predecessors first; depth-first from the
// outputs in their order, inputs left to right.
TEST_F(CallbacksTest, Toposort) {
  Variable w = exp(x), t = log(y);
  auto names = [](const FunctionGraph &fg) {
    std::vector<std::string> list;
    std::vector<Apply> order = *fg.toposort();
    for (const Apply &node : order)
      list.emplace_back(node.op().name());
    return list;
  };
  EXPECT_THAT(names(graph({w, t})), ElementsAre("exp", "log"));
  EXPECT_THAT(names(graph({t, w})), ElementsAre("log", "exp"));
  EXPECT_THAT(names(graph({add(w, t)})), ElementsAre("exp", "log", "add"));
  EXPECT_THAT(names(graph({add(t, w)})), ElementsAre("log", "exp", "add"));
  EXPECT_THAT(names(graph({})), IsEmpty());

  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    Variables made = {x, y};
    for (int i = 0; i < 30; ++i)
      made.push_back(random() % 2
                         ? exp(made[random() % made.size()])
                         : add(made[random() % made.size()], made[random() % made.size()]));
    auto demanding = std::make_shared<Demanding>();
    FunctionGraph fg = graph({made.back(), made[20]}, {.features = {demanding}});
    // The same graph sorts the same way.
    FunctionGraph again = graph({made.back(), made[20]});
    EXPECT_EQ(names(fg), names(again));
    // Demands along one order of the data: they close no cycle.
    std::vector<Apply> nodes = *fg.toposort();
    for (int i = 0; i < 6; ++i) {
      size_t first = random() % nodes.size(), last = random() % nodes.size();
      if (first < last)
        demanding->demanded.push_back({nodes[last], {nodes[first]}});
    }
    std::vector<Apply> order = *fg.toposort();
    ASSERT_EQ(order.size(), fg.numNodes());
    std::map<void *, size_t> position;
    for (size_t i = 0; i < order.size(); ++i)
      EXPECT_TRUE(position.emplace(order[i].node(), i).second) << "once";
    for (const Apply &node : order)
      for (const Variable &input : node.inputs())
        if (input.hasOwner())
          EXPECT_LT(position.at(input.owner().node()), position.at(node.node()));
    for (const auto &[node, before] : demanding->demanded)
      EXPECT_LT(position.at(before[0].node()), position.at(node.node()));
  }
}

} // namespace
} // namespace graphc
