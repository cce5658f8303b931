// F-076, F-077, F-089 to F-091, F-102 to F-113: what Features hear, when, and what follows from
// their errors.
#include "graphc/Feature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "TestOps.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Trace = std::vector<std::string>;

absl::Status refusal() { return makeError(ErrorKind::RuntimeError, "refused by the test"); }

/// Writes down what it hears; fails where told.
class Recorder : public Feature {
public:
  explicit Recorder(Trace &trace, std::string prefix = "")
      : trace_(&trace), prefix_(std::move(prefix)) {}

  std::string_view name() const override { return "recorder"; }
  std::vector<std::string> provides() const override { return provided; }
  absl::Status onAttach(FunctionGraph &graph) override {
    (void)write("attach " + std::to_string(graph.numNodes()));
    return attachResult;
  }
  absl::Status onDetach(FunctionGraph &) override {
    (void)write("detach");
    return detachResult;
  }
  absl::Status onImport(FunctionGraph &graph, const Apply &node, std::string_view why) override {
    EXPECT_TRUE(graph.contains(node));
    EXPECT_TRUE(graph.clients(node.output(0)).ok());
    return write("import " + std::string(node.op().name()), why);
  }
  absl::Status onPrune(FunctionGraph &graph, const Apply &node, std::string_view why) override {
    EXPECT_FALSE(graph.contains(node));
    EXPECT_TRUE(node.input(0).ok());
    return write("prune " + std::string(node.op().name()), why);
  }
  absl::Status onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                             const Variable &fresh, std::string_view why) override {
    EXPECT_EQ(client.isOutput() ? graph.output(client.index) : client.node.input(client.index),
              fresh);
    EXPECT_FALSE(old == fresh);
    return write(
        "change " +
            (client.isOutput() ? std::string("output") : std::string(client.node.op().name())) +
            " " + std::to_string(client.index),
        why);
  }
  absl::Status onValidate(FunctionGraph &) override { return write("validate"); }
  absl::StatusOr<Orderings> orderings(FunctionGraph &) override { return demanded; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Recorder>(*trace_, "copy "); }

  std::string failAt;
  bool failAlways = false;
  absl::Status attachResult, detachResult;
  std::vector<std::string> provided;
  absl::StatusOr<Orderings> demanded = Orderings();
  std::function<void()> during;

private:
  absl::Status write(const std::string &event, std::string_view why = {}) {
    trace_->push_back(prefix_ + event + (why.empty() ? "" : " (" + std::string(why) + ")"));
    if (std::function<void()> now = during) // which may change `during`
      now();
    bool fails = event == failAt && (failAlways || !failed_);
    failed_ |= fails;
    return fails ? refusal() : absl::OkStatus();
  }
  Trace *trace_;
  std::string prefix_;
  bool failed_ = false;
};

struct FeatureTest : testing::Test {
  Op add = testOp("add", 2), mul = testOp("mul", 2), exp = testOp("exp"), log = testOp("log");
  Variable x = dscalar("x"), y = dscalar("y");
  Trace trace;
  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>(trace);

  FunctionGraph graph(const Variables &outputs, Features features = {}) {
    absl::StatusOr<FunctionGraph> made =
        FunctionGraph::create({x, y}, outputs, {.features = std::move(features)});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  /// exp(add(x, y)) with the recorder, whose trace is empty.
  FunctionGraph expOfSum() {
    FunctionGraph fg = graph({exp(add(x, y))}, {recorder});
    trace.clear();
    return fg;
  }
  static Variable sum(const FunctionGraph &fg) { return fg.output(0).owner().input(0); }
  Variable product(const FunctionGraph &fg) { return mul(fg.input(0), fg.input(1)); }
};

// F-076: attached to the complete graph, in order; the nodes that stand are not announced.
TEST_F(FeatureTest, AttachedWhenTheGraphStands) {
  auto second = std::make_shared<Recorder>(trace, "2 ");
  FunctionGraph fg = graph({exp(add(x, y))}, {recorder, second});
  EXPECT_THAT(trace, ElementsAre("attach 2", "2 attach 2"));
  EXPECT_THAT(fg.features(), ElementsAre(recorder, second));
}

// F-089 to F-091: import, prune, change; each to all Features before the next.
TEST_F(FeatureTest, OrderOfEvents) {
  FunctionGraph fg = graph({exp(add(x, y))}, {recorder, std::make_shared<Recorder>(trace, "2 ")});
  trace.clear();
  ASSERT_TRUE(fg.replace(sum(fg), log(product(fg)), "why").ok());
  EXPECT_THAT(trace, ElementsAre("import mul (why)", "2 import mul (why)", "import log (why)",
                                 "2 import log (why)", "prune add (why)", "2 prune add (why)",
                                 "change exp 0 (why)", "2 change exp 0 (why)"));
  // Consumers leave before producers.
  trace.clear();
  ASSERT_TRUE(fg.replace(fg.output(0), fg.input(0)).ok());
  EXPECT_THAT(trace,
              ElementsAre("prune exp", "2 prune exp", "prune log", "2 prune log", "prune mul",
                          "2 prune mul", "change output 0", "2 change output 0"));
  expectSound(fg);
}

// F-092: one event per client, in the clients' order; the last one prunes.
TEST_F(FeatureTest, OneEventPerClient) {
  Variable s = add(x, y);
  FunctionGraph fg = graph({exp(s), mul(s, s), s}, {recorder});
  trace.clear();
  ASSERT_TRUE(fg.replace(fg.output(2), product(fg)).ok());
  EXPECT_THAT(trace, ElementsAre("import mul", "change exp 0", "change mul 0", "change mul 1",
                                 "prune add", "change output 2"));
}

// F-085: nothing to do, nothing told.
TEST_F(FeatureTest, NoChangeNoEvent) {
  FunctionGraph fg = expOfSum();
  EXPECT_TRUE(fg.changeInput({fg.output(0).owner(), 0}, sum(fg)).ok());
  EXPECT_TRUE(fg.replace(sum(fg), sum(fg)).ok());
  EXPECT_THAT(trace, IsEmpty());
}

// F-110: after an error at any step the graph is as before and the steps are told backwards.
TEST_F(FeatureTest, ErrorUndoesTheChange) {
  struct Case {
    std::string at;
    Trace expected;
  };
  const Case cases[] = {
      {"import mul", {"1 import mul", "import mul", "prune mul", "1 prune mul"}},
      {"prune add",
       {"1 import mul", "import mul", "1 prune add", "prune add", "import add", "1 import add",
        "prune mul", "1 prune mul"}},
      {"change exp 0",
       {"1 import mul", "import mul", "1 prune add", "prune add", "1 change exp 0", "change exp 0",
        "change exp 0", "1 change exp 0", "import add", "1 import add", "prune mul",
        "1 prune mul"}},
  };
  for (const Case &c : cases) {
    auto before = std::make_shared<Recorder>(trace, "1 ");
    auto failing = std::make_shared<Recorder>(trace);
    auto after = std::make_shared<Recorder>(trace, "3 ");
    FunctionGraph fg = graph({exp(add(x, y))}, {before, failing, after});
    std::string was = text(fg);
    Variable s = sum(fg);
    failing->failAt = c.at;
    trace.clear();
    absl::Status status = fg.replace(s, product(fg), "why");
    EXPECT_EQ(status, refusal());
    // Who stands behind the failing one hears of what came before only, and of its reverse.
    Trace heard, third;
    for (std::string event : trace) {
      for (const char *why : {" (why)", " (revert: why)"})
        if (size_t at = event.find(why); at != std::string::npos)
          event.erase(at);
      (event.starts_with("3 ") ? third : heard).push_back(event);
    }
    EXPECT_EQ(heard, c.expected) << c.at;
    EXPECT_EQ(third.size() % 2, 0u);
    EXPECT_EQ(text(fg), was) << c.at;
    EXPECT_EQ(sum(fg), s);
    EXPECT_EQ(fg.features().size(), 3u);
    expectSound(fg);
    ASSERT_TRUE(fg.replace(s, product(fg)).ok()); // it works the second time
    EXPECT_EQ(text(fg), "mul exp ");
  }
}

// F-110: one that fails in undoing, too, is removed and named.
TEST_F(FeatureTest, FailingAgainDetaches) {
  FunctionGraph fg = expOfSum();
  recorder->failAt = "change exp 0";
  recorder->failAlways = true;
  absl::Status status = fg.replace(sum(fg), product(fg));
  EXPECT_EQ(errorKind(status), ErrorKind::RuntimeError);
  EXPECT_EQ(status.message(), "refused by the test\nthe feature recorder failed while a change was "
                              "undone, and has been removed: refused by the test");
  EXPECT_THAT(fg.features(), IsEmpty());
  EXPECT_EQ(text(fg), "add exp ");
  expectSound(fg);
}

// F-096: pairs before the failing one stay.
TEST_F(FeatureTest, ReplaceAllKeepsWhatPrecedes) {
  FunctionGraph fg = graph({exp(x), log(y)}, {recorder});
  recorder->failAt = "change output 1";
  Variable a = fg.output(0), b = fg.output(1);
  EXPECT_EQ(fg.replaceAll({{a, fg.input(0)}, {b, fg.input(1)}}), refusal());
  EXPECT_EQ(fg.output(0), fg.input(0));
  EXPECT_EQ(fg.output(1), b);
  expectSound(fg);
}

// F-102: twice is once; AlreadyThere cancels; other errors are returned.
TEST_F(FeatureTest, Attaching) {
  FunctionGraph fg = expOfSum();
  EXPECT_TRUE(fg.attachFeature(recorder).ok());
  EXPECT_THAT(trace, IsEmpty());
  auto shy = std::make_shared<Recorder>(trace);
  shy->attachResult = makeError(ErrorKind::AlreadyThere, "there is one");
  EXPECT_TRUE(fg.attachFeature(shy).ok());
  shy->attachResult = refusal();
  EXPECT_EQ(fg.attachFeature(shy), refusal());
  EXPECT_EQ(errorKind(fg.attachFeature(nullptr)), ErrorKind::ValueError);
  EXPECT_EQ(fg.attachFeature(nullptr).message(),
            "there is no feature to attach: the pointer is null");
  EXPECT_THAT(fg.features(), ElementsAre(recorder));
  auto options = FunctionGraphOptions{.features = {shy}};
  EXPECT_EQ(FunctionGraph::create({x}, {exp(x)}, options).status(), refusal());
}

// F-104, F-110: when one of a new graph's Features fails, those before it are told that it is over,
// the newest first, and are free for another graph.
TEST_F(FeatureTest, AFailureOfOneDetachesTheOthers) {
  auto second = std::make_shared<Recorder>(trace, "2 "),
       third = std::make_shared<Recorder>(trace, "3 ");
  auto never = std::make_shared<Recorder>(trace, "4 ");
  third->attachResult = refusal();
  auto options = FunctionGraphOptions{.features = {recorder, second, third, never}};
  EXPECT_EQ(FunctionGraph::create({x}, {exp(x)}, options).status(), refusal());
  EXPECT_THAT(trace, ElementsAre("attach 1", "2 attach 1", "3 attach 1", "2 detach", "detach"));
  FunctionGraph fg = graph({exp(x)}, {recorder, second});
  EXPECT_THAT(fg.features(), ElementsAre(recorder, second));
}

// F-076, F-110: a Bookkeeper that refuses a node hears the reverse of what it has heard.
TEST_F(FeatureTest, ABookkeeperThatFailsHearsTheReverse) {
  struct Keeper : Bookkeeper {
    explicit Keeper(Trace &trace) : trace(trace) {}
    std::string_view name() const override { return "keeper"; }
    absl::Status onImport(FunctionGraph &, const Apply &node, std::string_view why) override {
      trace.push_back("import " + std::string(node.op().name()) + " " + std::string(why));
      return node.op().name() == "mul" ? refusal() : absl::OkStatus();
    }
    absl::Status onPrune(FunctionGraph &, const Apply &node, std::string_view why) override {
      trace.push_back("prune " + std::string(node.op().name()) + " " + std::string(why));
      return absl::OkStatus();
    }
    std::shared_ptr<Feature> clone() override { return std::make_shared<Keeper>(trace); }
    Trace &trace;
  };
  FunctionGraph fg = graph({exp(mul(add(x, y), y))}, {recorder});
  trace.clear();
  EXPECT_EQ(fg.attachFeature(std::make_shared<Keeper>(trace)), refusal());
  EXPECT_THAT(trace, ElementsAre("import add attach", "import mul attach",
                                 "prune mul revert: attach", "prune add revert: attach"));
  EXPECT_THAT(fg.features(), ElementsAre(recorder));
  expectSound(fg);
}

// F-104: what a Feature attached before it failed, or found itself there, leaves with it.
TEST_F(FeatureTest, AFailingFeatureTakesItsHelpersAlong) {
  struct Chief : Feature {
    explicit Chief(Features helpers, absl::Status result) : helpers(helpers), result(result) {}
    std::string_view name() const override { return "chief"; }
    absl::Status onAttach(FunctionGraph &fg) override {
      for (const std::shared_ptr<Feature> &helper : helpers)
        EXPECT_TRUE(fg.attachFeature(helper).ok());
      return result;
    }
    std::shared_ptr<Feature> clone() override { return std::make_shared<Chief>(helpers, result); }
    Features helpers;
    absl::Status result;
  };
  FunctionGraph fg = expOfSum();
  Features helpers = {std::make_shared<Recorder>(trace, "2 "),
                      std::make_shared<Recorder>(trace, "3 "), recorder};
  EXPECT_EQ(fg.attachFeature(std::make_shared<Chief>(helpers, refusal())), refusal());
  EXPECT_THAT(trace, ElementsAre("2 attach 2", "3 attach 2", "3 detach", "2 detach"));
  EXPECT_THAT(fg.features(), ElementsAre(recorder));
  absl::Status isThere = makeError(ErrorKind::AlreadyThere, "there is one");
  EXPECT_TRUE(fg.attachFeature(std::make_shared<Chief>(helpers, isThere)).ok());
  EXPECT_THAT(fg.features(), ElementsAre(recorder));
  EXPECT_TRUE(fg.attachFeature(std::make_shared<Chief>(helpers, absl::OkStatus())).ok());
  EXPECT_EQ(fg.features().size(), 4u);
}

// F-103
TEST_F(FeatureTest, Removing) {
  FunctionGraph fg = expOfSum();
  auto other = std::make_shared<Recorder>(trace, "2 ");
  EXPECT_TRUE(fg.removeFeature(other).ok());
  recorder->detachResult = refusal();
  EXPECT_EQ(fg.removeFeature(recorder), refusal());
  EXPECT_THAT(trace, ElementsAre("detach"));
  EXPECT_THAT(fg.features(), IsEmpty());
  ASSERT_TRUE(fg.replace(sum(fg), fg.input(0)).ok());
  EXPECT_THAT(trace, ElementsAre("detach"));
}

// F-104, F-105
TEST_F(FeatureTest, ProvidedNames) {
  FunctionGraph fg = expOfSum();
  auto first = std::make_shared<Recorder>(trace), second = std::make_shared<Recorder>(trace);
  first->provided = {"destroyers"};
  second->provided = {"shapes", "destroyers"};
  ASSERT_TRUE(fg.attachFeature(first).ok());
  absl::Status status = fg.attachFeature(second);
  EXPECT_EQ(errorKind(status), ErrorKind::AlreadyThere);
  EXPECT_EQ(status.message(), "the feature recorder provides 'destroyers', as the feature recorder "
                              "of this FunctionGraph does");
  second->provided = {"onImport"};
  status = fg.attachFeature(second);
  EXPECT_EQ(errorKind(status), ErrorKind::ValueError);
  EXPECT_EQ(status.message(),
            "the feature recorder provides 'onImport', which is the name of a callback");
  EXPECT_EQ(fg.find<Recorder>(), recorder.get());
}

struct Counting {
  virtual ~Counting() = default;
  virtual absl::Status countTo(FunctionGraph &, int n) = 0;
  virtual int twice(int n) = 0;
};

class Counter : public Feature, public Counting {
public:
  std::string_view name() const override { return "counter"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Counter>(); }
  absl::Status countTo(FunctionGraph &graph, int n) override {
    counted += n + int(graph.numNodes());
    return n < 0 ? refusal() : absl::OkStatus();
  }
  int twice(int n) override { return 2 * n; }
  int counted = 0;
};

// F-106, F-108: user-written callbacks; Features without them are skipped; time is accumulated.
TEST_F(FeatureTest, UsersCallbacks) {
  FunctionGraph fg = expOfSum();
  auto a = std::make_shared<Counter>(), b = std::make_shared<Counter>();
  ASSERT_TRUE(fg.attachFeature(a).ok());
  ASSERT_TRUE(fg.attachFeature(b).ok());
  EXPECT_TRUE(fg.executeCallbacks(&Counting::countTo, 3).ok());
  EXPECT_EQ(a->counted, 5);
  EXPECT_EQ(fg.executeCallbacks(&Counting::countTo, -1), refusal());
  EXPECT_EQ(a->counted, 6);
  EXPECT_EQ(b->counted, 5); // not called after the first error
  std::vector<std::pair<std::shared_ptr<Feature>, int>> doubled =
      fg.collectCallbacks(&Counting::twice, 21);
  EXPECT_THAT(doubled, ElementsAre(testing::Pair(a, 42), testing::Pair(b, 42)));
  EXPECT_TRUE(fg.executeCallbacks(&Feature::onValidate).ok());
  EXPECT_THAT(trace, ElementsAre("validate"));
  EXPECT_GT(fg.secondsIn(*a), 0);
  EXPECT_EQ(fg.secondsIn(Counter()), 0);
}

// F-107, F-351: Features come and go from inside callbacks.
TEST_F(FeatureTest, ListChangesDuringAnEvent) {
  FunctionGraph fg = expOfSum();
  auto second = std::make_shared<Recorder>(trace, "2 ");
  auto late = std::make_shared<Recorder>(trace, "late ");
  ASSERT_TRUE(fg.attachFeature(second).ok());
  trace.clear();
  recorder->during = [&] {
    recorder->during = nullptr;
    EXPECT_TRUE(fg.removeFeature(second).ok());
    EXPECT_TRUE(fg.attachFeature(late).ok());
  };
  ASSERT_TRUE(fg.replace(sum(fg), product(fg)).ok());
  // Who comes sees the graph as it is now, and hears of the next change.
  EXPECT_THAT(trace,
              ElementsAre("import mul", "2 detach", "late attach 2", "prune add", "change exp 0"));
  trace.clear();
  ASSERT_TRUE(fg.replace(sum(fg), fg.input(0)).ok());
  EXPECT_THAT(trace,
              ElementsAre("prune mul", "late prune mul", "change exp 0", "late change exp 0"));
  EXPECT_THAT(fg.features(), ElementsAre(recorder, late));
}

// F-112, F-113, F-115, F-116
TEST_F(FeatureTest, OrderingsAreMerged) {
  FunctionGraph fg = graph({exp(x), log(y)}, {recorder});
  auto second = std::make_shared<Recorder>(trace);
  ASSERT_TRUE(fg.attachFeature(second).ok());
  Apply e = fg.output(0).owner(), l = fg.output(1).owner();
  EXPECT_EQ(text(fg), "exp log ");
  recorder->demanded = Orderings{{e, {l}}};
  second->demanded = Orderings{{e, {l, l}}};
  EXPECT_EQ(text(fg), "log exp ");
  EXPECT_THAT(*fg.orderings(), ElementsAre(testing::Pair(e, ElementsAre(l, l, l))));
  for (const Orderings &none : {Orderings{{Apply(), {e}}}, Orderings{{e, {Apply()}}}}) {
    second->demanded = none;
    EXPECT_EQ(fg.toposort().status().message(), "recorder orders an Apply that is none");
  }
  // F-115
  second->demanded = Orderings{{l, {e}}};
  EXPECT_EQ(errorKind(fg.toposort().status()), ErrorKind::Cycle);
  EXPECT_EQ(fg.toposort().status().message(),
            "there is a cycle through exp, of data and of what Features order");
  second->demanded = refusal();
  EXPECT_EQ(fg.toposort().status(), refusal());
  // F-116: asked even where there is nothing to order.
  ASSERT_TRUE(fg.replace(fg.output(0), fg.input(0)).ok());
  ASSERT_TRUE(fg.replace(fg.output(1), fg.input(1)).ok());
  EXPECT_EQ(fg.toposort().status(), refusal());
  second->demanded = Orderings{{e, {l}}};
  EXPECT_EQ(fg.toposort().status().message(),
            "a Feature orders log before exp, which are not both in the FunctionGraph");
}

// F-119, F-120, F-353: a copy has its own Features.
TEST_F(FeatureTest, CopiesGetTheirOwn) {
  FunctionGraph fg = expOfSum();
  absl::StatusOr<FunctionGraph> copy = fg.clone();
  ASSERT_TRUE(copy.ok());
  EXPECT_THAT(trace, ElementsAre("copy attach 2"));
  ASSERT_EQ(copy->features().size(), 1u);
  EXPECT_NE(copy->features()[0], recorder);
  EXPECT_THAT(fg.clone({.attachFeatures = false})->features(), IsEmpty());
}

// F-121, F-122, F-351
TEST_F(FeatureTest, Disown) {
  Variable s = add(x, y), e = exp(s);
  Features all;
  for (const char *prefix : {"1 ", "2 ", "3 ", "4 "})
    all.push_back(std::make_shared<Recorder>(trace, prefix));
  absl::StatusOr<FunctionGraph> fg =
      FunctionGraph::create({x, y}, {e}, {.features = all, .clone = false});
  ASSERT_TRUE(fg.ok());
  trace.clear();
  ASSERT_TRUE(fg->disown().ok());
  EXPECT_THAT(trace, ElementsAre("1 detach", "2 detach", "3 detach", "4 detach"));
  EXPECT_EQ(fg->numNodes(), 0u);
  EXPECT_FALSE(fg->contains(e));
  for (absl::Status status :
       {fg->replace(s, x), fg->validate(), fg->disown(), fg->attachFeature(recorder),
        fg->toposort().status(), fg->addInput(x), fg->checkIntegrity(), fg->clone().status()})
    EXPECT_EQ(status.message(), "the FunctionGraph has been disowned or moved from");
  EXPECT_TRUE(FunctionGraph::create({x, y}, {e}, {.clone = false}).ok());
}

} // namespace
} // namespace graphc
