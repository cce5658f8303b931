#include "graphc/FunctionGraph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "Graph/Nodes.h"
#include "TestOps.h"

namespace graphc {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<Apply> &nodes) {
  std::vector<std::string> result;
  for (const Apply &node : nodes)
    result.emplace_back(node.op().name());
  return result;
}

std::string message(const absl::Status &status) { return std::string(status.message()); }

struct FunctionGraphTest : testing::Test {
  Op add = testOp("add", 2), mul = testOp("mul", 2), sub = testOp("sub", 2);
  Op exp = testOp("exp"), log = testOp("log"), sin = testOp("sin");
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");

  FunctionGraph graph(const Variables &inputs, const Variables &outputs,
                      FunctionGraphOptions options = {}) {
    absl::StatusOr<FunctionGraph> made = FunctionGraph::create(inputs, outputs, options);
    EXPECT_TRUE(made.ok()) << made.status();
    EXPECT_TRUE(made->checkIntegrity().ok()) << made->checkIntegrity();
    return *std::move(made);
  }
};

// F-078: the user's graph is copied and never touched; members.
TEST_F(FunctionGraphTest, CopiesTheGraph) {
  Variable e = add(x, mul(y, z)).setName("e");
  FunctionGraph fg = graph({x, y, z}, {e}, {.updateMapping = {{0, 1}}, .name = "f"});
  EXPECT_EQ(fg.numInputs(), 3);
  EXPECT_EQ(fg.input(0).name(), "x");
  EXPECT_FALSE(fg.input(0) == x);
  EXPECT_EQ(fg.output(0).name(), "e");
  EXPECT_EQ(fg.applyNodes().size(), 2u);
  EXPECT_EQ(fg.variables().size(), 5u);
  EXPECT_EQ(fg.name(), "f");
  EXPECT_EQ(fg.updateMapping().at(0), 1);
  ASSERT_TRUE(fg.replace(fg.output(0), fg.input(0)).ok());
  EXPECT_EQ(e.owner().op().name(), "add");
}

// F-078: all outputs of a member are Variables of the graph, used or not, and inputs that nothing
// uses.
TEST_F(FunctionGraphTest, UnusedVariablesAreMembers) {
  OpDef def = testDef("two");
  def.numResults = 2;
  Variables both = defineOp(def)->callAll({x}, Place());
  FunctionGraph fg = graph({x, y}, {both[1]}, {.clone = false});
  EXPECT_THAT(fg.variables(), testing::UnorderedElementsAre(x, y, both[0], both[1]));
  EXPECT_TRUE(fg.clients(both[0])->empty());
  EXPECT_TRUE(fg.clients(y)->empty());
  EXPECT_EQ(fg.clients(both[1])->size(), 1u);
}

// F-064, F-073, J17: without cloning the user's nodes are members, of one graph at a time.
TEST_F(FunctionGraphTest, TakesTheUsersNodes) {
  Variable e = exp(x), q = log(e);
  {
    FunctionGraph fg = graph({x}, {q}, {.clone = false});
    EXPECT_TRUE(fg.contains(e));
    EXPECT_EQ(fg.input(0), x);
    absl::StatusOr<FunctionGraph> second = FunctionGraph::create({x}, {q}, {.clone = false});
    EXPECT_EQ(errorKind(second.status()), ErrorKind::ValueError);
    EXPECT_EQ(message(second.status()),
              "input 0 of the FunctionGraph, x: f64, belongs to another FunctionGraph");
    EXPECT_EQ(errorKind(FunctionGraph::create({}, {e}, {.clone = false}).status()),
              ErrorKind::ValueError);
  }
  EXPECT_TRUE(FunctionGraph::create({x}, {q}, {.clone = false}).ok());
  absl::StatusOr<FunctionGraph> owned = FunctionGraph::create({e}, {q}, {.clone = false});
  EXPECT_EQ(errorKind(owned.status()), ErrorKind::ValueError);
  FunctionGraph cut = graph({e}, {q});
  EXPECT_FALSE(cut.input(0).hasOwner());
  EXPECT_THAT(names(*cut.toposort()), ElementsAre("log"));
}

// F-072
TEST_F(FunctionGraphTest, FindsItsInputs) {
  absl::StatusOr<FunctionGraph> fg = FunctionGraph::createFromOutputs({add(y, 2), mul(x, y)});
  ASSERT_TRUE(fg.ok());
  ASSERT_EQ(fg->numInputs(), 2);
  EXPECT_EQ(fg->input(0).name(), "y");
  EXPECT_EQ(fg->input(1).name(), "x");
}

// F-074, J17: the missing Variable, its position and its user are named; nothing stays marked.
TEST_F(FunctionGraphTest, MissingInput) {
  Variable w = add(log(y), exp(x));
  for (bool clone : {true, false}) {
    absl::StatusOr<FunctionGraph> fg = FunctionGraph::create({x}, {w}, {.clone = clone});
    EXPECT_EQ(errorKind(fg.status()), ErrorKind::MissingInput);
    EXPECT_EQ(message(fg.status()),
              "y: f64 is no input of the FunctionGraph, but operand 0 of log");
    EXPECT_EQ(errorPlace(fg.status())->line, y.place().line);
  }
  EXPECT_TRUE(FunctionGraph::create({x, y}, {w}, {.clone = false}).ok());
  EXPECT_EQ(message(FunctionGraph::create({}, {x, y}).status()),
            "x: f64 is no input of the FunctionGraph, but output 0");
}

// F-075
TEST_F(FunctionGraphTest, NullType) {
  Variable none(Type::null("floor has no gradient"), "g");
  absl::StatusOr<FunctionGraph> fg = FunctionGraph::create({}, {none});
  EXPECT_EQ(errorKind(fg.status()), ErrorKind::TypeError);
  EXPECT_EQ(message(fg.status()), "output 0 is of Null type, not defined: floor has no gradient");
}

// F-035: constants are no inputs. Inputs twice are refused; errors are carried on.
TEST_F(FunctionGraphTest, RefusesInputs) {
  EXPECT_EQ(errorKind(FunctionGraph::create({constant(1)}, {x}).status()), ErrorKind::TypeError);
  EXPECT_EQ(errorKind(FunctionGraph::create({x, x}, {x}).status()), ErrorKind::ValueError);
  Variable wrong = add(dvector(), dvector()), bad = add.call({}, Place("a.cpp", 3, 4));
  EXPECT_TRUE(wrong.ok());
  EXPECT_EQ(FunctionGraph::create({x}, {bad}).status(), bad.status());
  EXPECT_EQ(FunctionGraph::create({bad}, {x}).status(), bad.status());
  EXPECT_EQ(errorKind(FunctionGraph::create({x}, {x}, {.updateMapping = {{0, 1}}}).status()),
            ErrorKind::ValueError);
}

// F-079, F-080, F-082: unused inputs, inputs as outputs, repeated outputs, strangers.
TEST_F(FunctionGraphTest, Clients) {
  FunctionGraph fg = graph({x, y}, {x, x});
  EXPECT_EQ(fg.variables().size(), 2u);
  EXPECT_TRUE(fg.clients(fg.input(1))->empty());
  EXPECT_THAT(*fg.clients(fg.input(0)), ElementsAre(Client::output(0), Client::output(1)));
  EXPECT_EQ(errorKind(fg.clients(x).status()), ErrorKind::KeyError);
}

// F-081, F-083, F-084, A10: clients of (v+1).sum().
TEST_F(FunctionGraphTest, SeedClients) {
  Op sum = testOp("sum");
  Variable v = dscalar("v");
  FunctionGraph fg = graph({v}, {sum(add(v, 1))});
  std::vector<Apply> order = *fg.toposort();
  EXPECT_THAT(names(order), ElementsAre("add", "sum"));
  EXPECT_THAT(*fg.clients(order[0].output(0)), ElementsAre(Client{order[1], 0}));
  EXPECT_THAT(*fg.clients(order[1].output(0)), ElementsAre(Client::output(0)));
  EXPECT_TRUE(fg.clients(order[1].output(0))->at(0).isOutput());
}

// F-081: a node that uses a Variable twice is listed twice, oldest first.
TEST_F(FunctionGraphTest, ClientsInOrder) {
  Variable s = exp(x);
  FunctionGraph fg = graph({x}, {add(s, s), log(s)});
  Apply sum = fg.output(0).owner(), last = fg.output(1).owner();
  EXPECT_THAT(*fg.clients(sum.input(0)),
              ElementsAre(Client{sum, 0}, Client{sum, 1}, Client{last, 0}));
}

// The order follows the outputs' order.
TEST_F(FunctionGraphTest, Toposort) {
  Variable w = exp(x), t = log(y);
  EXPECT_THAT(names(*graph({x, y}, {w, t}).toposort()), ElementsAre("exp", "log"));
  EXPECT_THAT(names(*graph({x, y}, {t, w}).toposort()), ElementsAre("log", "exp"));
  Variable d = sub(sin(t), mul(w, t));
  EXPECT_THAT(names(*graph({x, y}, {d}).toposort()),
              ElementsAre("log", "sin", "exp", "mul", "sub"));
}

// J02, J03
TEST_F(FunctionGraphTest, Replaces) {
  FunctionGraph fg = graph({x, y, z}, {add(x, mul(y, z))});
  Variable fx = fg.input(0), fy = fg.input(1), fz = fg.input(2);
  Variable product = fg.output(0).owner().input(1);
  Variable n = sub(fy, exp(fz));
  ASSERT_TRUE(fg.replace(product, n, "r1").ok());
  expectSound(fg);
  EXPECT_THAT(names(*fg.toposort()), ElementsAre("exp", "sub", "add"));
  EXPECT_FALSE(fg.contains(product));
  EXPECT_THAT(*fg.clients(n), ElementsAre(Client{fg.output(0).owner(), 1}));
  ASSERT_TRUE(fg.replace(fg.output(0), fx, "r2").ok());
  expectSound(fg);
  EXPECT_EQ(fg.numNodes(), 0u);
  EXPECT_EQ(fg.output(0), fx);
  EXPECT_THAT(fg.inputs(), ElementsAre(fx, fy, fz));
  EXPECT_TRUE(fg.clients(fy)->empty());
}

// J04, F-092: every client, the output too.
TEST_F(FunctionGraphTest, ReplacesEveryClient) {
  Variable s = exp(x);
  FunctionGraph fg = graph({x}, {add(s, s), s});
  Variable q = log(fg.input(0));
  ASSERT_TRUE(fg.replace(fg.output(1), q).ok());
  Apply sum = fg.output(0).owner();
  EXPECT_THAT(*fg.clients(q), ElementsAre(Client{sum, 0}, Client{sum, 1}, Client::output(1)));
  EXPECT_THAT(names(*fg.toposort()), ElementsAre("log", "add"));
  expectSound(fg);
}

// J05
TEST_F(FunctionGraphTest, PrunesChains) {
  FunctionGraph fg = graph({x, y}, {sin(log(exp(x)))});
  ASSERT_TRUE(fg.replace(fg.output(0).owner().input(0), fg.input(1)).ok());
  EXPECT_THAT(names(*fg.toposort()), ElementsAre("sin"));
  EXPECT_TRUE(fg.clients(fg.input(0))->empty());
  expectSound(fg);
}

// J06, F-093: the replacement's own use of what is replaced stays, whether it is new or not.
TEST_F(FunctionGraphTest, ReplacementThatUsesTheReplaced) {
  FunctionGraph fg = graph({x}, {exp(x)});
  Variable fx = fg.input(0), next = add(fx, 1);
  ASSERT_TRUE(fg.replace(fx, next).ok());
  EXPECT_THAT(names(*fg.toposort()), ElementsAre("add", "exp"));
  EXPECT_THAT(*fg.clients(fx), ElementsAre(Client{next.owner(), 0}));
  expectSound(fg);

  FunctionGraph member = graph({x}, {exp(x), log(x)});
  ASSERT_TRUE(member.replace(member.input(0), member.output(1)).ok());
  EXPECT_THAT(names(*member.toposort()), ElementsAre("log", "exp"));
  EXPECT_EQ(member.output(0).owner().input(0), member.output(1));
  expectSound(member);
}

// J07, F-086, F-095
TEST_F(FunctionGraphTest, RefusesOtherTypes) {
  FunctionGraph fg = graph({x, y}, {exp(x)});
  Variable fx = fg.input(0);
  EXPECT_TRUE(fg.replace(z, fx).ok());
  EXPECT_TRUE(fg.replace(fx, fx).ok());
  absl::Status status = fg.replace(fx, fvector("v"), "why");
  EXPECT_EQ(errorKind(status), ErrorKind::TypeError);
  EXPECT_EQ(message(status),
            "cannot replace x: f64 by v: f32[?]: the type of the replacement, Vector(float32, "
            "shape=(?,)), is neither Scalar(float64, shape=()) nor a narrower one (why)");
  EXPECT_EQ(fg.output(0).owner().input(0), fx);
  expectSound(fg);
}

// F-086: a narrower type may take the place of a wider one, not the reverse.
TEST_F(FunctionGraphTest, Narrowing) {
  Variable wide = dvector("wide"), narrow = tensor(DType::Float64, {3}, "narrow");
  FunctionGraph fg = graph({wide, narrow}, {exp(wide), exp(narrow)});
  Apply first = fg.output(0).owner(), second = fg.output(1).owner();
  EXPECT_TRUE(fg.changeInput({first, 0}, fg.input(1)).ok());
  EXPECT_EQ(first.input(0), fg.input(1));
  EXPECT_EQ(errorKind(fg.changeInput({second, 0}, fg.input(0))), ErrorKind::TypeError);
  // F-095: replace converts.
  ASSERT_TRUE(fg.replace(second.output(0), fg.input(0)).ok());
  EXPECT_EQ(fg.output(1).type(), narrow.type());
  EXPECT_EQ(fg.output(1).owner().op().name(), "specifyShape");
  expectSound(fg);
}

// J08, F-087, F-088, F-352, F-354: everything is checked before anything changes.
TEST_F(FunctionGraphTest, RefusedChangesChangeNothing) {
  FunctionGraph fg = graph({x}, {log(exp(x))});
  Apply last = fg.output(0).owner(), first = last.input(0).owner();
  Variable w = dscalar("w");
  EXPECT_EQ(errorKind(fg.replace(fg.input(0), w)), ErrorKind::MissingInput);
  EXPECT_EQ(errorKind(fg.replace(first.output(0), sin(add(fg.input(0), w)))),
            ErrorKind::MissingInput);
  EXPECT_EQ(errorKind(fg.changeInput({first, 0}, last.output(0))), ErrorKind::Cycle);
  EXPECT_EQ(errorKind(fg.changeInput({first, 0}, sin(last.output(0)))), ErrorKind::Cycle);
  EXPECT_EQ(errorKind(fg.changeInput({first, 0}, first.output(0))), ErrorKind::Cycle);
  EXPECT_EQ(errorKind(fg.changeInput({first, 1}, fg.input(0))), ErrorKind::IndexError);
  EXPECT_EQ(errorKind(fg.changeInput(Client::output(1), fg.input(0))), ErrorKind::IndexError);
  EXPECT_EQ(errorKind(fg.changeInput({exp(x).owner(), 0}, fg.input(0))), ErrorKind::KeyError);
  FunctionGraph other = graph({x}, {exp(x)});
  EXPECT_EQ(errorKind(fg.replace(first.output(0), other.output(0))), ErrorKind::ValueError);
  EXPECT_EQ(errorKind(fg.replace(first.output(0), sin(other.input(0)))), ErrorKind::ValueError);
  EXPECT_THAT(names(*fg.toposort()), ElementsAre("exp", "log"));
  EXPECT_EQ(fg.variables().size(), 3u);
  expectSound(fg);
}

// F-085: the Variable that is there already.
TEST_F(FunctionGraphTest, NoChange) {
  FunctionGraph fg = graph({x}, {add(x, x)});
  EXPECT_TRUE(fg.changeInput({fg.output(0).owner(), 0}, fg.input(0)).ok());
  EXPECT_EQ(fg.clients(fg.input(0))->at(0).index, 0);
}

// J11, F-096: pairs one after the other; what precedes a failure stays.
TEST_F(FunctionGraphTest, ReplaceAll) {
  FunctionGraph fg = graph({x, y}, {exp(x)});
  ASSERT_TRUE(fg.replaceAll({{fg.output(0), fg.input(1)}, {fg.input(1), fg.input(0)}}).ok());
  EXPECT_EQ(fg.output(0), fg.input(0));
  FunctionGraph half = graph({x, y}, {exp(x), y});
  EXPECT_FALSE(half.replaceAll({{half.output(0), half.input(1)}, {half.input(1), z}}).ok());
  EXPECT_EQ(half.output(0), half.input(1));
  expectSound(half);
}

// F-094: constants leave with their last use; one constant may be in many graphs.
TEST_F(FunctionGraphTest, SharedConstants) {
  Constant c = constant(2.0);
  FunctionGraph a = graph({x}, {exp(x)}), b = graph({x}, {exp(x)});
  ASSERT_TRUE(a.replace(a.output(0), add(a.input(0), c)).ok());
  ASSERT_TRUE(b.replace(b.input(0), c).ok());
  EXPECT_TRUE(a.contains(c) && b.contains(c));
  expectSound(a);
  expectSound(b);
  ASSERT_TRUE(a.replace(a.output(0), a.input(0)).ok());
  EXPECT_FALSE(a.contains(c));
  EXPECT_TRUE(b.contains(c));
  expectSound(a);
  FunctionGraph direct = graph({}, {c, add(c, c)}, {.clone = false});
  ASSERT_TRUE(direct.replace(direct.output(1), c).ok());
  EXPECT_EQ(direct.clients(c)->size(), 2u);
  expectSound(direct);
}

// F-118, F-037, F-353, J14
TEST_F(FunctionGraphTest, Clone) {
  FunctionGraph fg = graph({x, y}, {add(exp(x), 1)}, {.updateMapping = {{0, 1}}, .name = "n"});
  GraphClone copy = *fg.cloneGetEquiv();
  expectSound(copy.graph);
  EXPECT_EQ(copy.graph.name(), "n");
  EXPECT_EQ(copy.graph.updateMapping(), fg.updateMapping());
  EXPECT_EQ(copy.nodes.size(), 2u);
  EXPECT_EQ(copy.variables.size(), fg.variables().size());
  EXPECT_EQ(copy.variables.at(fg.output(0)), copy.graph.output(0));
  EXPECT_EQ(copy.variables.at(fg.input(1)), copy.graph.input(1));
  EXPECT_EQ(copy.nodes.at(fg.output(0).owner()), copy.graph.output(0).owner());
  for (const auto &[old, fresh] : copy.variables)
    EXPECT_FALSE(old == fresh);
  EXPECT_TRUE(
      equalComputations(fg.outputs(), copy.graph.outputs(), fg.inputs(), copy.graph.inputs()));
  auto dataOf = [](const FunctionGraph &g) {
    return Constant::from(g.output(0).owner().input(1))->data().data();
  };
  EXPECT_EQ(dataOf(fg), dataOf(copy.graph));
  FunctionGraph second = *fg.clone();
  ASSERT_TRUE(second.replace(second.output(0), second.input(0)).ok());
  EXPECT_EQ(fg.numNodes(), 2u);
}

// F-117: each kind of damage is found and named.
TEST_F(FunctionGraphTest, Integrity) {
  FunctionGraph fg = graph({x, y}, {add(exp(x), y)});
  Apply sum = fg.output(0).owner();
  Variable old = sum.input(0), stranger = log(fg.input(0)), w = dscalar("w");
  auto damage = [&](const Variable &v) {
    detail::setInput(sum.node(), 0, v.node());
    absl::Status status = fg.checkIntegrity();
    detail::setInput(sum.node(), 0, old.node());
    EXPECT_EQ(status.ok() ? ErrorKind::None : errorKind(status), ErrorKind::Inconsistency);
    return message(status);
  };
  EXPECT_EQ(damage(fg.input(0)),
            "the FunctionGraph is inconsistent:\n  excess node: exp\n  excess Variable: a result "
            "of exp: f64\n  stale client of a result of exp: f64\n  x: f64 lacks a client");
  EXPECT_EQ(damage(stranger), "the FunctionGraph is inconsistent:\n  excess node: exp\n  excess "
                              "Variable: a result of exp: f64\n  stale client of a result of exp: "
                              "f64\n  a result of log: f64 lacks a client\n  missing node: log");
  EXPECT_EQ(damage(w), "the FunctionGraph is inconsistent:\n  excess node: exp\n  excess Variable: "
                       "a result of exp: f64\n  stale client of a result of exp: f64\n  w: f64 "
                       "lacks a client\n  undeclared input: w: f64");
  sum.output(0).node()->index = 1;
  EXPECT_EQ(message(fg.checkIntegrity()),
            "the FunctionGraph is inconsistent:\n  output 0 of add has another owner or index");
  sum.output(0).node()->index = 0;
  expectSound(fg);
}

// Random changes against all invariants, and against a copy where one is refused.
TEST_F(FunctionGraphTest, RandomChanges) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    Variables pool = {x, y, z};
    auto pick = [&](const Variables &from) { return from[random() % from.size()]; };
    for (int i = 0; i < 30; ++i)
      pool.push_back(random() % 2 ? add(pick(pool), pick(pool)) : exp(pick(pool)));
    FunctionGraph fg = graph({x, y, z}, {pool.back(), pick(pool), pick(pool)});
    for (int i = 0; i < 60; ++i) {
      Variables members = fg.variables();
      Variable old = pick(members), fresh = pick(members);
      if (random() % 3 == 0)
        fresh = add(fresh, exp(pick(members)));
      if (random() % 2) {
        ASSERT_TRUE(fg.replace(old, fresh).ok());
      } else if (std::vector<Apply> nodes = fg.applyNodes(); !nodes.empty()) {
        Apply node = nodes[random() % nodes.size()];
        bool cyclic = isInAncestors(node.output(0), {fresh});
        absl::Status status = fg.changeInput({node, 0}, fresh);
        ASSERT_EQ(status.ok(), !cyclic) << status;
      }
      ASSERT_TRUE(fg.checkIntegrity().ok()) << fg.checkIntegrity();
      ASSERT_EQ(fg.toposort()->size(), fg.numNodes());
    }
  }
}

// Replacing a Variable of very many clients, and each link of a chain, changes each client once.
// (graphc-bench's rewrite_users shows that the time is linear.)
TEST_F(FunctionGraphTest, LargeChanges) {
  struct Count : Feature {
    std::string_view name() const override { return "Count"; }
    std::shared_ptr<Feature> clone() override { return std::make_shared<Count>(); }
    absl::Status onChangeInput(FunctionGraph &, const Client &, const Variable &, const Variable &,
                               std::string_view) override {
      ++changes;
      return absl::OkStatus();
    }
    int changes = 0;
  };
  auto inWide = std::make_shared<Count>(), inDeep = std::make_shared<Count>();
  constexpr int kCount = 100'000;
  Variables outputs;
  for (int i = 0; i < kCount; ++i)
    outputs.push_back(exp(x));
  FunctionGraph wide = graph({x, y}, outputs);
  ASSERT_TRUE(wide.attachFeature(inWide).ok());
  ASSERT_TRUE(wide.replace(wide.input(0), wide.input(1)).ok());
  for (int i = 0; i < kCount; ++i)
    ASSERT_TRUE(wide.replace(wide.output(i), log(wide.input(0))).ok());
  Variable chain = x;
  for (int i = 0; i < kCount; ++i)
    chain = exp(chain);
  FunctionGraph deep = graph({x}, {chain});
  ASSERT_TRUE(deep.attachFeature(inDeep).ok());
  std::vector<Apply> order = *deep.toposort();
  for (const Apply &node : order)
    ASSERT_TRUE(deep.replace(node.output(0), log(node.input(0))).ok());
  EXPECT_EQ(inWide->changes, 2 * kCount);
  EXPECT_EQ(inDeep->changes, kCount);
  expectSound(wide);
  expectSound(deep);
}

} // namespace
} // namespace graphc
