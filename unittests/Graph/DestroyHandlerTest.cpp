// F-036, F-132 to F-143: memory that ops overwrite and share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "TestOps.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Op aliasing(std::string name, int numOperands, std::vector<int> views, std::vector<int> destroys,
            std::function<void(OpDef &)> more = {}) {
  OpDef def = testDef(std::move(name), numOperands);
  def.numResults = int(std::max<size_t>({views.size(), destroys.size(), 1}));
  def.viewMap = std::move(views);
  def.destroyMap = std::move(destroys);
  if (more)
    more(def);
  return *defineOp(def);
}

struct DestroyHandlerTest : testing::Test {
  Op add = testOp("add", 2), exp = testOp("exp");
  Op view = aliasing("view", 1, {0}, {}), addInto = aliasing("addInto", 2, {}, {0});
  Op expInto = aliasing("expInto", 1, {}, {0});
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");

  FunctionGraph graph(const Variables &outputs, Features more = {}) {
    Features features = {std::make_shared<DestroyHandler>()};
    features.insert(features.end(), more.begin(), more.end());
    absl::StatusOr<FunctionGraph> made =
        FunctionGraph::create({x, y, z}, outputs, {.features = features});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  std::string refusal(const Variables &outputs) {
    FunctionGraph fg = graph(outputs);
    absl::Status status = fg.validate();
    EXPECT_EQ(errorKind(status), ErrorKind::Inconsistency) << status;
    return std::string(status.message());
  }
  bool valid(const Variables &outputs) { return graph(outputs).validate().ok(); }
  static std::vector<std::string> order(const FunctionGraph &fg) {
    std::vector<std::string> names;
    std::vector<Apply> sorted = *fg.toposort();
    for (const Apply &node : sorted)
      names.emplace_back(node.op().name());
    return names;
  }
};

// F-132
TEST_F(DestroyHandlerTest, OneForEachGraph) {
  FunctionGraph fg = graph({addInto(x, y)});
  EXPECT_TRUE(fg.attachFeature(std::make_shared<DestroyHandler>()).ok());
  EXPECT_EQ(fg.features().size(), 1u);
  absl::StatusOr<FunctionGraph> second =
      FunctionGraph::create({x}, {x}, {.features = fg.features()});
  EXPECT_EQ(errorKind(second.status()), ErrorKind::ValueError);
  EXPECT_EQ(second.status().message(),
            "the feature DestroyHandler is attached to another FunctionGraph; "
            "clone() makes one for each");
  auto *handler = fg.find<DestroyHandler>();
  EXPECT_THAT(handler->destroyers(fg, fg.input(0)), ElementsAre(fg.output(0).owner()));
  EXPECT_THAT(handler->destroyers(fg, fg.input(1)), IsEmpty());
  EXPECT_TRUE(handler->hasDestroyers(fg, {fg.input(1), fg.input(0)}));
  EXPECT_FALSE(handler->hasDestroyers(fg, {fg.input(1)}));
}

// F-133, F-134: one destroyer of a Variable with all its views; a result is a new root.
TEST_F(DestroyHandlerTest, MultipleDestroyers) {
  EXPECT_EQ(refusal({addInto(x, y), expInto(x)}),
            "expInto overwrites the memory of x, and so does addInto: multiple destroyers");
  EXPECT_EQ(refusal({addInto(view(view(x)), y), expInto(view(x))}),
            "expInto overwrites the memory of x, and so does addInto: multiple destroyers");
  EXPECT_TRUE(valid({expInto(addInto(x, y))}));
  EXPECT_EQ(DestroyHandler::root(view(view(x))), x);
  Variable made = addInto(x, y);
  EXPECT_EQ(DestroyHandler::root(view(made)), made);
  Op both = aliasing("both", 2, {}, {0, 1});
  EXPECT_TRUE(valid(both.callAll({x, y}, {})));
  EXPECT_EQ(refusal(both.callAll({x, view(x)}, {})),
            "both overwrites the memory of x by two inputs: multiple destroyers");
}

// F-036, F-135
TEST_F(DestroyHandlerTest, ConstantsAndProtected) {
  EXPECT_EQ(refusal({expInto(constant(2.0))}), "expInto overwrites a constant, 2.0");
  EXPECT_EQ(refusal({expInto(view(constant(2.0)))}), "expInto overwrites a constant, 2.0");
  FunctionGraph fg = graph({expInto(view(exp(x))), expInto(y)});
  EXPECT_TRUE(fg.validate().ok());
  auto *handler = fg.find<DestroyHandler>();
  handler->protect(fg.input(1));
  EXPECT_TRUE(fg.validate().ok()); // what has been looked at stays
  ASSERT_TRUE(fg.replace(fg.output(1).owner().input(0), view(fg.input(1))).ok());
  EXPECT_EQ(fg.validate().message(), "expInto overwrites y, which is protected");
}

// F-136
TEST_F(DestroyHandlerTest, ReadsWhatItDestroys) {
  EXPECT_EQ(refusal({addInto(x, x)}),
            "addInto overwrites its input 0, whose memory it reads as input 1 too");
  EXPECT_EQ(refusal({addInto(x, view(x))}),
            "addInto overwrites its input 0, whose memory it reads as input 1 too");
  Op same = aliasing("same", 2, {}, {0}, [](OpDef &d) { d.tolerateSame = {{0, 1}}; });
  Op alias = aliasing("alias", 2, {}, {0}, [](OpDef &d) { d.tolerateAliased = {{0, 1}}; });
  EXPECT_TRUE(valid({same(x, x)}));
  EXPECT_EQ(refusal({same(x, view(x))}),
            "same overwrites its input 0, whose memory it reads as input 1 too");
  EXPECT_TRUE(valid({alias(x, view(x))}));
  EXPECT_TRUE(valid({alias(x, x)}));
}

// F-137: readers of the root and of its views come first, and only they.
TEST_F(DestroyHandlerTest, ReadersComeFirst) {
  Variable e = exp(x), v = view(e), d = addInto(e, y), r = testOp("read")(v);
  FunctionGraph fg = graph({d, r, exp(z)});
  EXPECT_TRUE(fg.validate().ok());
  EXPECT_THAT(order(fg), ElementsAre("exp", "view", "read", "addInto", "exp"));
  Orderings all = *fg.orderings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].first, fg.output(0).owner());
  EXPECT_THAT(all[0].second, testing::UnorderedElementsAre(fg.output(1).owner(),
                                                           fg.output(1).owner().input(0).owner()));
}

// F-138
TEST_F(DestroyHandlerTest, ReaderOfTheResult) {
  EXPECT_EQ(refusal({add(x, addInto(x, y))}),
            "addInto overwrites memory that add reads, which runs after it");
  EXPECT_EQ(refusal({add(view(x), exp(addInto(x, y)))}),
            "addInto overwrites memory that add reads, which runs after it");
}

// F-138 over several destroyers: add(x, b) before a's op, add(y, a) before b's.
TEST_F(DestroyHandlerTest, CycleOverSeveral) {
  Op mix = testOp("mix", 2);
  Variable a = expInto(x), b = expInto(y);
  EXPECT_EQ(refusal({mix(x, b), mix(y, a)}),
            "expInto overwrites memory that mix reads, which runs after it");
  EXPECT_TRUE(valid({mix(x, b), a}));
}

// F-139: a replacement that would depend on itself is refused without any destroyer.
TEST_F(DestroyHandlerTest, SelfDependence) {
  FunctionGraph fg = graph({exp(add(x, y))});
  Apply sum = fg.output(0).owner().input(0).owner();
  EXPECT_EQ(errorKind(fg.changeInput({sum, 0}, fg.output(0))), ErrorKind::Cycle);
  EXPECT_TRUE(fg.validate().ok());
}

TEST_F(DestroyHandlerTest, RefusedReplacementIsUndone) {
  FunctionGraph fg = graph({exp(x), add(x, y)});
  EXPECT_TRUE(fg.replaceValidate(fg.output(0), expInto(fg.input(0))).ok());
  std::vector<std::string> was = order(fg);
  EXPECT_THAT(was, ElementsAre("add", "expInto"));
  absl::Status status =
      fg.replaceValidate(fg.output(1), addInto(fg.input(0), fg.input(1))).status();
  EXPECT_EQ(std::string(status.message()),
            "addInto overwrites the memory of x, and so does expInto: multiple destroyers");
  EXPECT_EQ(order(fg), was);
  EXPECT_TRUE(fg.validate().ok());
  EXPECT_TRUE(fg.checkIntegrity().ok());
  // A copy has a handler of its own.
  FunctionGraph copy = *fg.clone();
  EXPECT_EQ(order(copy), was);
  EXPECT_NE(copy.find<DestroyHandler>(), fg.find<DestroyHandler>());
}

// F-141, F-142
TEST_F(DestroyHandlerTest, Supervisor) {
  auto supervised = [&](const Variables &outputs, Supervisor::Options options = {}) {
    return std::string(
        graph(outputs, {std::make_shared<Supervisor>(options)}).validate().message());
  };
  EXPECT_EQ(supervised({exp(x)}), "");
  EXPECT_EQ(supervised({expInto(x)}),
            "input 0, which is not mutable, x, is overwritten by expInto");
  EXPECT_EQ(supervised({expInto(view(x))}),
            "input 0, which is not mutable, x, is overwritten by expInto");
  EXPECT_EQ(supervised({expInto(x)}, {.mutableInputs = {0}}), "");
  Variable e = exp(x);
  EXPECT_EQ(supervised({e, expInto(e)}), "output 0, exp.0, is overwritten by expInto");
  EXPECT_EQ(supervised({e, view(e)}),
            "output 1, view.0, shares memory with output 0 and is not borrowed");
  EXPECT_EQ(supervised({view(y)}),
            "output 0, view.0, shares memory with the input y and is not borrowed");
  EXPECT_EQ(supervised({e, view(e)}, {.borrowedOutputs = {1}}), "");
  // It brings the DestroyHandler along.
  FunctionGraph fg = *FunctionGraph::create(
      {x, y}, {e}, {.features = {std::make_shared<Supervisor>(Supervisor::Options{})}});
  ASSERT_NE(fg.find<DestroyHandler>(), nullptr);
  ASSERT_TRUE(fg.removeFeature(fg.features()[0]).ok());
  EXPECT_EQ(fg.validate().message(),
            "the Supervisor needs the DestroyHandler, which has been removed");
}

// F-141, F-142: what came to share or lose memory since the last validate.
TEST_F(DestroyHandlerTest, SupervisorSeesWhatChanged) {
  auto supervised = [&](const Variables &outputs) {
    FunctionGraph fg =
        graph(outputs, {std::make_shared<Supervisor>(Supervisor::Options{.mutableInputs = {0}})});
    EXPECT_TRUE(fg.validate().ok());
    return fg;
  };
  // An output becomes what a node has overwritten all along.
  FunctionGraph fg = supervised({exp(expInto(exp(x))), exp(y)});
  Variable overwritten = fg.output(0).owner().input(0).owner().input(0);
  ASSERT_TRUE(fg.replace(fg.output(1), overwritten).ok());
  EXPECT_EQ(fg.validate().message(), "output 1, exp.0, is overwritten by expInto");
  // A view below which there are others shows the memory of an input now.
  FunctionGraph shown = supervised({view(view(exp(x))), exp(y)});
  Apply inner = shown.output(0).owner().input(0).owner();
  ASSERT_TRUE(shown.changeInput({inner, 0}, shown.input(1)).ok());
  EXPECT_EQ(shown.validate().message(),
            "output 0, view.0, shares memory with the input y and is not borrowed");
}

// F-143, F-147
TEST_F(DestroyHandlerTest, NoOutputFromInplace) {
  auto feature = std::make_shared<NoOutputFromInplace>(std::set<int>{1, 9});
  EXPECT_TRUE(graph({expInto(x), exp(y)}, {feature}).validate().ok());
  EXPECT_EQ(graph({exp(y), expInto(x)}, {feature->clone()}).validate().message(),
            "output 1, expInto.0, is made by expInto in the memory of an input");
  EXPECT_TRUE(graph({exp(y), exp(expInto(x))}, {feature->clone()}).validate().ok());
}

//===--- against the rules read literally ---------------------------------===//

/// F-133 to F-138 without any table: what a graph that may be used looks like.
bool allowed(const FunctionGraph &fg) {
  std::vector<Apply> nodes = fg.applyNodes();
  Orderings before;
  for (const Apply &d : nodes)
    for (int output = 0; output < d.numOutputs(); ++output) {
      const std::vector<int> &map = d.op().def().destroyMap;
      int input = size_t(output) < map.size() ? map[size_t(output)] : -1;
      if (input < 0)
        continue;
      Variable root = DestroyHandler::root(d.input(input));
      if (root.isConstant())
        return false;
      for (const Apply &n : nodes)
        for (int i = 0; i < n.numInputs(); ++i) {
          if (DestroyHandler::root(n.input(i)) != root)
            continue;
          if (n == d) {
            if (i != input)
              return false;
            continue;
          }
          const std::vector<int> &other = n.op().def().destroyMap;
          if (std::find(other.begin(), other.end(), i) != other.end())
            return false;
          before.push_back({d, {n}});
        }
    }
  // Kahn's algorithm over data and those edges.
  std::unordered_map<Apply, std::vector<Apply>> next;
  std::unordered_map<Apply, int> waits;
  auto edge = [&](const Apply &from, const Apply &to) {
    next[from].push_back(to);
    ++waits[to];
  };
  for (const Apply &n : nodes)
    for (int i = 0; i < n.numInputs(); ++i)
      if (n.input(i).hasOwner())
        edge(n.input(i).owner(), n);
  for (const auto &[d, readers] : before)
    edge(readers[0], d);
  std::vector<Apply> ready;
  for (const Apply &n : nodes)
    if (!waits[n])
      ready.push_back(n);
  for (size_t i = 0; i < ready.size(); ++i)
    for (const Apply &n : next[ready[i]])
      if (!--waits[n])
        ready.push_back(n);
  return ready.size() == nodes.size();
}

// F-140: after any changes exactly those graphs are accepted which the rules, read literally,
// allow; there is no other mode.
TEST_F(DestroyHandlerTest, RandomGraphs) {
  std::mt19937 random(5);
  auto any = [&](size_t n) { return size_t(random() % n); };
  int refused = 0, accepted = 0;
  for (int round = 0; round < 60; ++round) {
    auto grow = [&](Variables &made, int count) {
      for (int i = 0; i < count; ++i) {
        Variable a = made[any(made.size())], b = made[any(made.size())];
        switch (any(8)) {
        case 0:
          made.push_back(addInto(a, b));
          break;
        case 1:
        case 2:
          made.push_back(view(a));
          break;
        default:
          made.push_back(add(a, b));
        }
      }
    };
    Variables made = {x, y, z, exp(x), exp(y), exp(z)};
    grow(made, 10);
    FunctionGraph fg = graph({made[15], made[14], made[13]});
    for (int step = 0; step < 60; ++step) {
      Variables fresh = fg.variables();
      Variable old = fresh[any(fresh.size())];
      grow(fresh, 2);
      bool was = fg.validate().ok();
      absl::StatusOr<Checkpoint> done = fg.replaceValidate(old, fresh.back());
      if (!done.ok()) {
        // Nothing has changed, whatever state that was.
        EXPECT_EQ(fg.validate().ok(), was);
      }
      ASSERT_EQ(fg.validate().ok(), allowed(fg)) << round << " " << step << " " << fg.validate();
      (fg.validate().ok() ? accepted : refused) += 1;
      if (fg.validate().ok()) {
        // The order that it demands keeps its own rules.
        std::vector<Apply> sorted = *fg.toposort();
        Orderings demanded = *fg.orderings();
        auto at = [&](const Apply &n) { return std::find(sorted.begin(), sorted.end(), n); };
        for (const auto &[d, readers] : demanded)
          for (const Apply &n : readers)
            EXPECT_LT(at(n), at(d));
      }
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(accepted, 300);
}

// F-141, F-142: what a Supervisor says after changes is what one says that sees the graph for the
// first time.
TEST_F(DestroyHandlerTest, SupervisorFollowsChanges) {
  std::mt19937 random(8);
  auto any = [&](size_t n) { return size_t(random() % n); };
  int refused = 0, accepted = 0;
  for (int round = 0; round < 100; ++round) {
    Supervisor::Options options;
    if (any(2))
      options = {.mutableInputs = {0}, .borrowedOutputs = {1}};
    Variable e = exp(x), l = exp(y);
    FunctionGraph fg =
        graph({exp(e), add(e, l), exp(l), exp(z)}, {std::make_shared<Supervisor>(options)});
    for (int step = 0; step < 40; ++step) {
      Variables all = fg.variables();
      Variable old = all[any(all.size())], other = all[any(all.size())];
      Variable fresh = any(3) == 0 ? expInto(other) : any(3) == 0 ? view(other) : add(other, old);
      if (any(8) == 0 && fg.numOutputs() > 1)
        (void)fg.removeOutput(int(any(size_t(fg.numOutputs()))));
      else if (any(8) == 0)
        (void)fg.addOutput(other);
      else if (any(2))
        (void)fg.replace(old, fresh);
      else
        (void)fg.replaceValidate(old, fresh);
      absl::Status status = fg.validate();
      EXPECT_EQ(status.ok(), fg.clone()->validate().ok()) << round << " " << step << status;
      (status.ok() ? accepted : refused) += 1;
      if (!status.ok() && any(3) == 0)
        break;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(accepted, 100);
}

} // namespace
} // namespace graphc
