// F-097, F-131, F-145 to F-147: the Features that come with graphc.
#include "graphc/Features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "TestOps.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct FeaturesTest : testing::Test {
  Op add = testOp("add", 2), exp = testOp("exp"), log = testOp("log");
  Variable x = dscalar("x"), y = dscalar("y");

  FunctionGraph graph(const Variables &outputs, Features features) {
    absl::StatusOr<FunctionGraph> made =
        FunctionGraph::create({x, y}, outputs, {.features = std::move(features)});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
};

// F-145, F-077: also what stood before, in the order in which nodes came.
TEST_F(FeaturesTest, NodeFinder) {
  auto finder = std::make_shared<NodeFinder>();
  FunctionGraph fg = graph({exp(exp(x)), log(y)}, {finder});
  Apply outer = fg.output(0).owner(), inner = outer.input(0).owner();
  EXPECT_THAT(finder->nodes(exp), ElementsAre(inner, outer));
  EXPECT_THAT(finder->nodes(add), IsEmpty());
  ASSERT_TRUE(fg.replace(fg.output(1), exp(fg.input(1))).ok());
  EXPECT_THAT(finder->nodes(exp), ElementsAre(inner, outer, fg.output(1).owner()));
  EXPECT_THAT(finder->nodes(log), IsEmpty());
  ASSERT_TRUE(fg.replace(inner.output(0), fg.input(1)).ok());
  EXPECT_THAT(finder->nodes(exp), ElementsAre(outer, fg.output(1).owner()));
  ASSERT_TRUE(fg.removeFeature(finder).ok());
  EXPECT_THAT(finder->nodes(exp), IsEmpty());
}

TEST_F(FeaturesTest, NodeFinderAgainstTheGraph) {
  std::mt19937 random(3);
  auto any = [&](size_t n) { return size_t(random() % n); };
  auto finder = std::make_shared<NodeFinder>();
  Variables made = {x, y};
  for (int i = 0; i < 50; ++i)
    made.push_back(i % 2 ? exp(made[any(made.size())])
                         : add(made[any(made.size())], made[any(made.size())]));
  FunctionGraph fg = graph({made.back(), made[30]}, {finder});
  for (int step = 0; step < 300; ++step) {
    Variables all = fg.variables();
    Variable old = all[any(all.size())], other = all[any(all.size())];
    (void)fg.replace(old, any(2) ? exp(other) : add(other, old));
    size_t count = 0;
    for (const Apply &node : fg.applyNodes())
      count += node.op() == exp;
    ASSERT_EQ(finder->nodes(exp).size(), count);
    for (const Apply &node : finder->nodes(exp))
      ASSERT_TRUE(fg.contains(node));
  }
}

// F-146
TEST_F(FeaturesTest, PrintListener) {
  std::ostringstream os;
  auto printer = std::make_shared<PrintListener>(os);
  FunctionGraph fg = graph({exp(add(x, y))}, {printer});
  Variable sum = fg.output(0).owner().input(0);
  ASSERT_TRUE(fg.replaceValidate(sum, log(fg.input(0)), "a rule").ok());
  ASSERT_TRUE(fg.replace(fg.output(0), fg.input(1)).ok());
  ASSERT_TRUE(fg.removeFeature(printer).ok());
  EXPECT_EQ(os.str(), "attach: 2 nodes\n"
                      "import: log (a rule)\n"
                      "prune: add (a rule)\n"
                      "change: input 0 of exp: add.0 -> log.0 (a rule)\n"
                      "validate: 2 nodes\n"
                      "prune: exp\n"
                      "prune: log\n"
                      "change: output 0: exp.0 -> y\n"
                      "detach: 0 nodes\n");
}

// F-097, F-147: the first of the three that F-147 names. DestroyHandlerTest shows the second,
// RewriteTest how checkValues tracks bad rewrites.
TEST_F(FeaturesTest, PreserveVariableAttributes) {
  Variable e = exp(x), l = log(y);
  e.setName("e");
  l.setName("l");
  FunctionGraph fg = graph({e, l}, {std::make_shared<PreserveVariableAttributes>()});
  Variable fresh = log(fg.input(0)), named = exp(fg.input(1));
  named.setName("own");
  ASSERT_TRUE(fg.replace(fg.output(0), fresh).ok());
  ASSERT_TRUE(fg.replace(fg.output(1), named).ok());
  EXPECT_EQ(fg.output(0).name(), "e");
  EXPECT_EQ(fg.output(1).name(), "own");
  // Constants neither give nor take a name.
  Variable c = constant(1.0), d = constant(2.0);
  d.setName("d");
  Variable unnamed = exp(d);
  ASSERT_TRUE(fg.replace(fg.output(0), c).ok());
  EXPECT_EQ(c.name(), "");
  ASSERT_TRUE(fg.replace(fg.output(0), d).ok());
  ASSERT_TRUE(fg.replace(fg.output(0), unnamed).ok());
  EXPECT_EQ(unnamed.name(), "");
}

// F-131
TEST_F(FeaturesTest, History) {
  auto history = std::make_shared<History>();
  FunctionGraph fg = graph({exp(add(x, y))}, {history});
  ASSERT_TRUE(fg.replace(fg.output(0).owner().input(0), log(fg.input(0))).ok());
  ASSERT_TRUE(fg.replace(fg.output(0), add(fg.output(0), fg.input(1))).ok());
  const char *states[] = {"add exp ", "log exp ", "log exp add "};
  EXPECT_EQ(history->end(), 2u);
  for (size_t k : {2, 0, 1, 2, 1, 0}) {
    ASSERT_TRUE(history->goTo(fg, k).ok());
    EXPECT_EQ(history->position(), k);
    EXPECT_EQ(text(fg), states[k]);
    EXPECT_TRUE(fg.checkIntegrity().ok());
  }
  EXPECT_EQ(history->back(fg).message(), "the history is at its start");
  ASSERT_TRUE(history->forward(fg).ok());
  EXPECT_EQ(text(fg), states[1]);
  ASSERT_TRUE(history->toEnd(fg).ok());
  ASSERT_TRUE(history->back(fg).ok());
  // A change made here truncates what followed.
  ASSERT_TRUE(fg.replace(fg.output(0), fg.input(0)).ok());
  EXPECT_EQ(history->end(), 2u);
  ASSERT_TRUE(history->toStart(fg).ok());
  EXPECT_EQ(text(fg), states[0]);
  ASSERT_TRUE(history->toEnd(fg).ok());
  EXPECT_EQ(text(fg), "");
  EXPECT_EQ(history->forward(fg).message(), "the history has states 0 to 2; there is no number 3");
}

// States are those of the same inputs and outputs.
TEST_F(FeaturesTest, HistoryEndsWhereOutputsChange) {
  auto history = std::make_shared<History>();
  FunctionGraph fg = graph({exp(x), log(y)}, {history});
  ASSERT_TRUE(fg.replace(fg.output(1), log(fg.input(0))).ok());
  ASSERT_TRUE(fg.removeOutput(1).ok());
  absl::Status status = history->toStart(fg);
  EXPECT_EQ(errorKind(status), ErrorKind::Inconsistency);
  EXPECT_EQ(status.message(), "the history ends where inputs or outputs were added or removed");
  EXPECT_EQ(text(fg), "exp ");
  EXPECT_EQ(history->position(), 1u);
  EXPECT_TRUE(fg.checkIntegrity().ok());
  // Another output at the same place is not the one whose states these are.
  ASSERT_TRUE(fg.addOutput(fg.input(1)).ok());
  EXPECT_EQ(errorKind(history->toStart(fg)), ErrorKind::Inconsistency);
  EXPECT_EQ(history->position(), 1u);
  EXPECT_TRUE(fg.checkIntegrity().ok());
}

// F-131, F-110: a Feature that fails on the way is removed; the graph has got there, and the
// position says so.
TEST_F(FeaturesTest, HistoryAfterAFailure) {
  struct Fails : Feature {
    std::string_view name() const override { return "fails"; }
    absl::Status onImport(FunctionGraph &, const Apply &node, std::string_view why) override {
      return why.starts_with("history: ") && node.op().name() == "add"
                 ? makeError(ErrorKind::RuntimeError, "no add")
                 : absl::OkStatus();
    }
    std::shared_ptr<Feature> clone() override { return std::make_shared<Fails>(); }
  };
  auto history = std::make_shared<History>();
  FunctionGraph fg = graph({exp(x)}, {history, std::make_shared<Fails>()});
  ASSERT_TRUE(fg.replace(fg.output(0), add(fg.input(0), fg.input(1))).ok());
  ASSERT_TRUE(fg.replace(fg.output(0), log(fg.input(0))).ok());
  absl::Status status = history->toStart(fg);
  EXPECT_EQ(errorKind(status), ErrorKind::RuntimeError);
  EXPECT_EQ(history->position(), 1u);
  EXPECT_EQ(history->end(), 2u);
  EXPECT_EQ(text(fg), "add ");
  EXPECT_EQ(fg.features().size(), 1u);
  EXPECT_TRUE(fg.checkIntegrity().ok());
  ASSERT_TRUE(history->toEnd(fg).ok());
  EXPECT_EQ(text(fg), "log ");
  ASSERT_TRUE(history->toStart(fg).ok());
  EXPECT_EQ(text(fg), "exp ");
}

// F-131: of one graph, and of the time since it was attached.
TEST_F(FeaturesTest, HistoryOfAnotherGraph) {
  auto history = std::make_shared<History>();
  FunctionGraph fg = graph({exp(x)}, {history}), other = graph({exp(x)}, {});
  ASSERT_TRUE(fg.replace(fg.output(0), log(fg.input(0))).ok());
  absl::Status status = history->toStart(other);
  EXPECT_EQ(errorKind(status), ErrorKind::KeyError);
  EXPECT_EQ(status.message(), "the History is not attached to this FunctionGraph");
  EXPECT_EQ(history->position(), 1u);
  EXPECT_EQ(text(other), "exp ");
  ASSERT_TRUE(fg.removeFeature(history).ok());
  EXPECT_EQ(errorKind(history->toStart(fg)), ErrorKind::KeyError);
  ASSERT_TRUE(fg.replace(fg.output(0), fg.input(1)).ok());
  ASSERT_TRUE(fg.attachFeature(history).ok());
  EXPECT_EQ(history->end(), 0u);
  EXPECT_EQ(history->back(fg).message(), "the history is at its start");
  EXPECT_EQ(text(fg), "");
}

// F-131: what the graph refuses keeps the position. A node that left may belong to another graph by
// now.
TEST_F(FeaturesTest, HistoryOfWhatIsElsewhere) {
  auto history = std::make_shared<History>();
  Variable one = exp(constant(1.0));
  FunctionGraph fg = graph({log(x)}, {history});
  ASSERT_TRUE(fg.replace(fg.output(0), one).ok());
  ASSERT_TRUE(fg.replace(fg.output(0), fg.input(0), "a rule").ok());
  absl::StatusOr<FunctionGraph> other = FunctionGraph::create({}, {one}, {.clone = false});
  ASSERT_TRUE(other.ok());
  absl::Status status = history->toStart(fg);
  EXPECT_EQ(errorKind(status), ErrorKind::ValueError);
  EXPECT_EQ(
      status.message(),
      "cannot replace x: f64 by a result of exp: f64: a result of exp: f64 belongs to another "
      "FunctionGraph (history: a rule)");
  EXPECT_EQ(history->position(), 2u);
  EXPECT_EQ(fg.output(0), fg.input(0));
  EXPECT_TRUE(fg.checkIntegrity().ok());
  EXPECT_TRUE(other->checkIntegrity().ok());
  ASSERT_TRUE(other->disown().ok());
  ASSERT_TRUE(history->toStart(fg).ok());
  EXPECT_EQ(history->position(), 0u);
  EXPECT_EQ(text(fg), "log ");
}

// F-131: a History that a callback attaches anew knows of no state to go on to.
TEST_F(FeaturesTest, HistoryAttachedAnewWhileItWalks) {
  struct Again : Feature {
    explicit Again(std::shared_ptr<Feature> other) : other(std::move(other)) {}
    std::string_view name() const override { return "again"; }
    absl::Status onChangeInput(FunctionGraph &fg, const Client &, const Variable &,
                               const Variable &, std::string_view) override {
      EXPECT_TRUE(fg.removeFeature(other).ok());
      return fg.attachFeature(other);
    }
    std::shared_ptr<Feature> clone() override { return std::make_shared<Again>(other); }
    std::shared_ptr<Feature> other;
  };
  auto history = std::make_shared<History>();
  FunctionGraph fg = graph({log(x)}, {history});
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(fg.replace(fg.output(0), exp(fg.output(0))).ok());
  ASSERT_TRUE(history->toStart(fg).ok());
  ASSERT_TRUE(fg.attachFeature(std::make_shared<Again>(history)).ok());
  EXPECT_TRUE(history->toEnd(fg).ok());
  EXPECT_EQ(text(fg), "log exp ");
  EXPECT_EQ(history->end(), 0u);
  EXPECT_EQ(history->position(), 0u);
}

// F-111: a graph that is destroyed lets go of its Features. They begin anew in another one.
TEST_F(FeaturesTest, TheGraphIsDestroyed) {
  auto finder = std::make_shared<NodeFinder>();
  auto history = std::make_shared<History>();
  auto handler = std::make_shared<DestroyHandler>();
  auto supervisor = std::make_shared<Supervisor>(Supervisor::Options());
  Features all = {finder, history, handler, supervisor};
  OpDef def = testDef("destroy");
  def.destroyMap = {0};
  Op destroy = *defineOp(def);
  for (int round = 0; round < 3; ++round) {
    FunctionGraph fg = graph({destroy(exp(x)), log(y)}, all);
    EXPECT_EQ(finder->nodes(exp).size(), 1u);
    EXPECT_EQ(history->end(), 0u);
    EXPECT_EQ(handler->destroyers(fg, fg.output(0).owner().input(0)).size(), 1u);
    ASSERT_TRUE(fg.replaceValidate(fg.output(1), exp(fg.input(1))).ok());
    EXPECT_EQ(finder->nodes(exp).size(), 2u);
    FunctionGraph other = graph({x}, {});
    EXPECT_EQ(errorKind(other.attachFeature(finder)), ErrorKind::ValueError);
    EXPECT_TRUE(handler->destroyers(other, other.output(0)).empty());
    if (round == 1)
      fg = std::move(other); // destroys it, too
  }
}

// What is undone leaves no state.
TEST_F(FeaturesTest, HistoryOfUndoneChanges) {
  auto history = std::make_shared<History>();
  FunctionGraph fg = graph({exp(x), exp(y)}, {history});
  EXPECT_FALSE(
      fg.replaceAllValidate({{fg.output(0), fg.input(0)}, {fg.output(1), dvector()}}).ok());
  EXPECT_EQ(history->end(), 0u);
  EXPECT_EQ(text(fg), "exp exp ");
}

} // namespace
} // namespace graphc
