// F-090, F-107, F-110, F-125, F-128: what a callback may do to the graph that calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "TestOps.h"
#include "graphc/Features.h"
#include "graphc/FrozenGraph.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Does something in every callback, whose name it is told.
class Acting : public Feature {
public:
  using Act = std::function<absl::Status(FunctionGraph &, std::string_view)>;
  explicit Acting(Act act, std::string name = "acting")
      : act_(std::move(act)), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Acting>(act_, name_); }
  absl::Status onAttach(FunctionGraph &fg) override { return act_(fg, "onAttach"); }
  absl::Status onDetach(FunctionGraph &fg) override { return act_(fg, "onDetach"); }
  absl::Status onImport(FunctionGraph &fg, const Apply &, std::string_view) override {
    return act_(fg, "onImport");
  }
  absl::Status onPrune(FunctionGraph &fg, const Apply &, std::string_view) override {
    return act_(fg, "onPrune");
  }
  absl::Status onChangeInput(FunctionGraph &fg, const Client &, const Variable &, const Variable &,
                             std::string_view) override {
    return act_(fg, "onChangeInput");
  }
  absl::Status onValidate(FunctionGraph &fg) override { return act_(fg, "onValidate"); }
  absl::StatusOr<Orderings> orderings(FunctionGraph &fg) override {
    if (absl::Status status = act_(fg, "orderings"); !status.ok())
      return status;
    return Orderings();
  }

private:
  Act act_;
  std::string name_;
};

/// What a Bookkeeper knows must be what it has heard of, exactly.
class Mirror : public Bookkeeper {
public:
  std::string_view name() const override { return "mirror"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Mirror>(); }
  absl::Status onImport(FunctionGraph &, const Apply &node, std::string_view) override {
    for (const Variable &input : node.inputs())
      if (input.hasOwner())
        EXPECT_TRUE(nodes.contains(input.owner().node())) << "a consumer came first";
    EXPECT_TRUE(nodes.insert(node.node()).second) << "twice";
    return absl::OkStatus();
  }
  absl::Status onPrune(FunctionGraph &, const Apply &node, std::string_view) override {
    EXPECT_EQ(nodes.erase(node.node()), 1u) << "unknown";
    return absl::OkStatus();
  }
  bool matches(const FunctionGraph &fg) const {
    std::set<void *> members;
    for (const Apply &node : fg.applyNodes())
      members.insert(node.node());
    return members == nodes;
  }
  std::set<void *> nodes;
};

struct InCallbacksTest : testing::Test {
  Op add = testOp("add", 2), mul = testOp("mul", 2), exp = testOp("exp"), log = testOp("log");
  Variable x = dscalar("x"), y = dscalar("y");

  FunctionGraph graph(const Variables &outputs, Features features = {}) {
    absl::StatusOr<FunctionGraph> made =
        FunctionGraph::create({x, y}, outputs, {.features = std::move(features)});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  /// One of each event: exp(add(x, y)) gets log(mul(x, y)) for the sum.
  absl::Status change(FunctionGraph &fg) {
    return fg.replace(fg.output(0).owner().input(0), log(mul(fg.input(0), fg.input(1))), "why");
  }
};

// A change is told when it has been made, its reverse when it has been unmade: whoever reads finds
// a whole graph.
TEST_F(InCallbacksTest, GraphsAreWhole) {
  for (std::string failAt : {"", "onImport", "onPrune", "onChangeInput"}) {
    FunctionGraph fg = graph({exp(add(x, y))});
    std::vector<size_t> sizes;
    int refused = 0;
    auto reader = std::make_shared<Acting>([&](FunctionGraph &g, std::string_view where) {
      EXPECT_TRUE(g.checkIntegrity().ok()) << where << g.checkIntegrity();
      EXPECT_EQ(ioToposort(g.inputs(), g.outputs()).size(), g.numNodes()) << where;
      EXPECT_TRUE(g.clone({.attachFeatures = false}).ok());
      auto finder = std::make_shared<NodeFinder>();
      EXPECT_TRUE(g.attachFeature(finder).ok());
      EXPECT_EQ(finder->nodes(exp).size(), 1u);
      EXPECT_TRUE(g.removeFeature(finder).ok());
      EXPECT_THAT(finder->nodes(exp), IsEmpty());
      bool told = where == "onImport" || where == "onPrune" || where == "onChangeInput";
      for (absl::Status status : {g.toposort().status(), g.freeze().status()}) {
        EXPECT_EQ(status.ok(), !told);
        if (told)
          EXPECT_EQ(status.message(),
                    "the feature acting asked for the order of the FunctionGraph in its " +
                        std::string(where) +
                        ", when not all Features know of the change; ioToposort gives the order of "
                        "the data");
        refused += told;
      }
      if (told)
        sizes.push_back(g.numNodes());
      return where == failAt && sizes.size() < 5
                 ? makeError(ErrorKind::RuntimeError, "refused by the test")
                 : absl::OkStatus();
    });
    ASSERT_TRUE(fg.attachFeature(reader).ok());
    EXPECT_EQ(change(fg).ok(), failAt.empty());
    // Two nodes before and three after.
    if (failAt.empty())
      EXPECT_THAT(sizes, ElementsAre(3, 3, 3, 3));
    else if (failAt == "onImport")
      EXPECT_THAT(sizes, ElementsAre(3, 2));
    EXPECT_EQ(refused, int(2 * sizes.size()));
    EXPECT_EQ(fg.numNodes(), failAt.empty() ? 3u : 2u);
    ASSERT_TRUE(fg.removeFeature(reader).ok());
    EXPECT_TRUE(fg.checkIntegrity().ok());
  }
}

// No callback of Feature changes, judges or ends the graph.
TEST_F(InCallbacksTest, ChangesAreRefused) {
  std::set<std::string_view> tried;
  auto meddler = std::make_shared<Acting>(
      [&](FunctionGraph &g, std::string_view where) {
        tried.insert(where);
        auto expectRefused = [&](const absl::Status &status, std::string_view what) {
          EXPECT_EQ(errorKind(status), ErrorKind::Inconsistency);
          EXPECT_EQ(status.message(), "the feature meddler tried to " + std::string(what) +
                                          " the FunctionGraph in its " + std::string(where) +
                                          "; note what to do and do it afterwards");
        };
        Variable out = g.output(0), in = g.input(0);
        for (absl::Status status :
             {g.replace(out, in), g.changeInput(Client::output(0), in), g.addInput(dscalar("n")),
              g.addOutput(in), g.removeOutput(0), g.removeInput(0), g.removeNode(out.owner()),
              g.replaceValidate(out, in).status(), g.revert(g.checkpoint())})
          expectRefused(status, "change");
        expectRefused(g.validate(), "validate");
        expectRefused(g.disown(), "disown");
        EXPECT_FALSE(g.consistent());
        return absl::OkStatus();
      },
      "meddler");
  FunctionGraph fg = graph({exp(add(x, y))}, {meddler});
  ASSERT_TRUE(change(fg).ok());
  EXPECT_TRUE(fg.validate().ok());
  EXPECT_TRUE(fg.executeCallbacks(&Feature::onValidate).ok());
  EXPECT_TRUE(fg.toposort().ok());
  ASSERT_TRUE(fg.removeFeature(meddler).ok());
  EXPECT_EQ(tried.size(), 7u);
  EXPECT_EQ(fg.numNodes(), 3u);
  EXPECT_TRUE(fg.checkIntegrity().ok());
}

struct Editor {
  virtual ~Editor() = default;
  virtual absl::Status edit(FunctionGraph &graph) = 0;
};
struct LogsToExp : Feature, Editor {
  std::string_view name() const override { return "LogsToExp"; }
  std::shared_ptr<Feature> clone() override { return itself(); }
  absl::Status edit(FunctionGraph &graph) override {
    EXPECT_EQ(graph.disown().message(),
              "the feature LogsToExp tried to disown the FunctionGraph in its callback; note what "
              "to do and do it afterwards");
    return graph.replaceValidate(graph.output(0), graph.input(0)).status();
  }
};

// F-106: a callback of the user's own is no event: it may change the graph.
TEST_F(InCallbacksTest, UsersCallbacksMayChange) {
  FunctionGraph fg = graph({exp(x)}, {std::make_shared<LogsToExp>()});
  ASSERT_TRUE(fg.executeCallbacks(&Editor::edit).ok());
  EXPECT_EQ(fg.output(0), fg.input(0));
}

// Orders are asked of Features, not by them while they are asked.
TEST_F(InCallbacksTest, OrdersInOrderings) {
  auto curious = std::make_shared<Acting>([](FunctionGraph &g, std::string_view where) {
    return where == "orderings" ? g.toposort().status() : absl::OkStatus();
  });
  FunctionGraph fg = graph({exp(x)}, {curious});
  EXPECT_EQ(fg.toposort().status().message(),
            "the feature acting asked for the order of the FunctionGraph in its orderings, when "
            "Features are being asked for theirs; ioToposort gives the order of the data");
  EXPECT_EQ(fg.orderings().status(), fg.toposort().status());
}

// Who calls without end gets an error, and so does the caller.
TEST_F(InCallbacksTest, EndlessCallbacks) {
  Acting::Act attachAnother = [&](FunctionGraph &g, std::string_view where) {
    return where == "onAttach" ? g.attachFeature(std::make_shared<Acting>(attachAnother, "heir"))
                               : absl::OkStatus();
  };
  FunctionGraph fg = graph({exp(x)});
  absl::Status status = fg.attachFeature(std::make_shared<Acting>(attachAnother));
  EXPECT_EQ(errorKind(status), ErrorKind::Inconsistency);
  EXPECT_EQ(status.message(), "callbacks of Features lead to each other without end, now to "
                              "onAttach of the feature heir");
  EXPECT_THAT(fg.features(), IsEmpty());

  // One that comes back whenever it is removed.
  std::shared_ptr<Feature> lasting;
  absl::Status last;
  lasting = std::make_shared<Acting>(
      [&](FunctionGraph &g, std::string_view where) {
        if (where != "onDetach")
          return absl::OkStatus();
        absl::Status attached = g.attachFeature(lasting);
        return attached.ok() ? g.removeFeature(lasting) : attached;
      },
      "lasting");
  ASSERT_TRUE(fg.attachFeature(lasting).ok());
  EXPECT_THAT(std::string(fg.removeFeature(lasting).message()), testing::EndsWith("lasting"));
  // One that attaches itself is attached once.
  std::shared_ptr<Feature> eager;
  eager = std::make_shared<Acting>([&](FunctionGraph &g, std::string_view where) {
    if (where == "onAttach")
      (void)g.attachFeature(eager);
    return absl::OkStatus();
  });
  ASSERT_TRUE(fg.attachFeature(eager).ok());
  EXPECT_EQ(std::count(fg.features().begin(), fg.features().end(), eager), 1);
  EXPECT_TRUE(fg.checkIntegrity().ok());
}

// F-104: what is being attached counts.
TEST_F(InCallbacksTest, NamesTakenWhileAttaching) {
  struct Taking : Feature {
    std::string_view name() const override { return "taking"; }
    std::vector<std::string> provides() const override { return {"nodes"}; }
    absl::Status onAttach(FunctionGraph &g) override {
      return g.attachFeature(std::make_shared<NodeFinder>());
    }
    std::shared_ptr<Feature> clone() override { return std::make_shared<Taking>(); }
  };
  FunctionGraph fg = graph({exp(x)});
  // AlreadyThere cancels the one that asked for it.
  EXPECT_TRUE(fg.attachFeature(std::make_shared<Taking>()).ok());
  EXPECT_THAT(fg.features(), IsEmpty());
}

// F-125, F-128: a checkpoint of a callback cannot keep a refused change from being undone.
TEST_F(InCallbacksTest, CheckpointsInCallbacks) {
  for (std::string where : {"onImport", "onPrune", "onChangeInput", "onValidate"}) {
    std::vector<Checkpoint> kept;
    auto keeping = std::make_shared<Acting>([&](FunctionGraph &g, std::string_view now) {
      if (now == where)
        kept.push_back(g.checkpoint());
      return now == "onValidate" ? makeError(ErrorKind::Inconsistency, "refused by the test")
                                 : absl::OkStatus();
    });
    FunctionGraph fg = graph({exp(add(x, y))}, {keeping});
    Checkpoint outer = fg.checkpoint();
    Variable sum = fg.output(0).owner().input(0);
    absl::Status status = fg.replaceValidate(sum, mul(fg.input(0), fg.input(1))).status();
    EXPECT_EQ(status.message(), "refused by the test") << where;
    EXPECT_EQ(fg.output(0).owner().input(0), sum) << where;
    EXPECT_TRUE(fg.checkIntegrity().ok());
    ASSERT_FALSE(kept.empty());
    EXPECT_EQ(errorKind(fg.revert(std::move(kept[0]))), ErrorKind::ValueError);
    // The user's own is as good as before.
    ASSERT_TRUE(fg.replace(sum, fg.input(0)).ok());
    ASSERT_TRUE(fg.revert(std::move(outer)).ok());
    EXPECT_EQ(fg.output(0).owner().input(0), sum);
  }
}

// F-107: Features come, go and fail in callbacks; what each has heard leads from the graph at its
// coming to the graph at its going.
TEST_F(InCallbacksTest, FeaturesComeAndGo) {
  std::mt19937 random(7);
  std::vector<std::shared_ptr<Mirror>> mirrors;
  int failures = 0;
  auto conductor = std::make_shared<Acting>([&](FunctionGraph &g, std::string_view where) {
    if (where == "onAttach" || where == "onDetach")
      return absl::OkStatus();
    if (random() % 2) {
      mirrors.push_back(std::make_shared<Mirror>());
      EXPECT_TRUE(g.attachFeature(mirrors.back()).ok());
    } else if (!mirrors.empty()) {
      std::swap(mirrors[random() % mirrors.size()], mirrors.back());
      EXPECT_TRUE(g.removeFeature(mirrors.back()).ok());
      EXPECT_THAT(mirrors.back()->nodes, IsEmpty());
      mirrors.pop_back();
    }
    bool fails = random() % 4 == 0 && where != "onValidate";
    failures += fails;
    return fails ? makeError(ErrorKind::RuntimeError, "refused by the test") : absl::OkStatus();
  });
  FunctionGraph fg = graph({exp(add(x, y)), log(x)}, {std::make_shared<Mirror>()});
  int done = 0, refused = 0;
  for (int round = 0; round < 500; ++round) {
    // It is removed where it fails twice; so are Mirrors, never.
    ASSERT_TRUE(fg.attachFeature(conductor).ok());
    std::vector<Apply> nodes = fg.applyNodes();
    Variable old =
        nodes.empty() ? fg.output(int(random() % 2)) : nodes[random() % nodes.size()].output(0);
    Variable fresh =
        random() % 3 ? log(exp(fg.input(int(random() % 2)))) : add(fg.input(0), fg.input(1));
    (fg.replace(old, fresh).ok() ? done : refused)++;
    for (const std::shared_ptr<Feature> &feature : fg.features())
      if (auto *mirror = dynamic_cast<Mirror *>(feature.get()))
        EXPECT_TRUE(mirror->matches(fg));
    ASSERT_TRUE(fg.checkIntegrity().ok());
  }
  EXPECT_GT(done, 50);
  EXPECT_GT(refused, 50);
}

// F-131: a history walks on nobody's callback, and may be removed while it walks.
TEST_F(InCallbacksTest, HistoryInCallbacks) {
  FunctionGraph fg = graph({exp(add(x, y))}, {std::make_shared<History>()});
  ASSERT_TRUE(change(fg).ok());
  auto *history = fg.find<History>();
  absl::Status inside;
  ASSERT_TRUE(fg.attachFeature(std::make_shared<Acting>([&](FunctionGraph &g, std::string_view w) {
                  if (w == "onPrune") {
                    inside = history->toStart(g);
                    EXPECT_TRUE(g.removeFeature(g.features()[0]).ok());
                  }
                  return absl::OkStatus();
                }))
                  .ok());
  // The graph held it; back() goes on all the same.
  EXPECT_TRUE(history->back(fg).ok());
  EXPECT_EQ(inside.message(),
            "the feature acting tried to change the FunctionGraph in its onPrune; "
            "note what to do and do it afterwards");
  EXPECT_EQ(fg.find<History>(), nullptr);
  EXPECT_EQ(fg.numNodes(), 2u);
}

} // namespace
} // namespace graphc
