// F-086, F-097 to F-101, F-123 to F-131: checkpoints, validated replacement, inputs and outputs
// that come and go, and the order of nodes that all this must keep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "Graph/GraphState.h"
#include "TestOps.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Refuses graphs with a node of this name; writes down what it hears.
class Veto : public Feature {
public:
  explicit Veto(std::string op = {}) : op_(std::move(op)) {}
  std::string_view name() const override { return "veto"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Veto>(op_); }
  absl::Status onImport(FunctionGraph &, const Apply &node, std::string_view why) override {
    return note("import ", node, why);
  }
  absl::Status onPrune(FunctionGraph &, const Apply &node, std::string_view why) override {
    return note("prune ", node, why);
  }
  absl::Status onChangeInput(FunctionGraph &, const Client &c, const Variable &, const Variable &,
                             std::string_view why) override {
    return c.isOutput() ? absl::OkStatus() : note("change ", c.node, why);
  }
  absl::Status onValidate(FunctionGraph &graph) override {
    trace.push_back("validate");
    for (const Apply &node : graph.applyNodes())
      if (node.op().name() == op_)
        return makeError(ErrorKind::Inconsistency, op_ + " is not allowed");
    return absl::OkStatus();
  }
  std::vector<std::string> trace;
  std::string failAt;

private:
  absl::Status note(std::string what, const Apply &node, std::string_view why) {
    what += std::string(node.op().name());
    trace.push_back(what + (why.empty() ? "" : " (" + std::string(why) + ")"));
    return what == failAt ? makeError(ErrorKind::RuntimeError, "refused") : absl::OkStatus();
  }
  std::string op_;
};

struct GraphChangesTest : testing::Test {
  Op add = testOp("add", 2), mul = testOp("mul", 2), exp = testOp("exp"), log = testOp("log");
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  std::shared_ptr<Veto> veto = std::make_shared<Veto>("mul");

  FunctionGraph graph(const Variables &inputs, const Variables &outputs,
                      FunctionGraphOptions options = {}) {
    absl::StatusOr<FunctionGraph> made = FunctionGraph::create(inputs, outputs, options);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  static Variable product(const Op &op, const FunctionGraph &fg) {
    return op(fg.input(0), fg.input(1));
  }
};

// F-129
TEST_F(GraphChangesTest, RefusedReplacement) {
  FunctionGraph fg = graph({x, y}, {exp(add(x, y))}, {.features = {veto}});
  Variable s = fg.output(0).owner().input(0);
  absl::Status status = fg.replaceValidate(s, product(mul, fg), "why").status();
  EXPECT_EQ(errorKind(status), ErrorKind::Inconsistency);
  EXPECT_EQ(status.message(), "mul is not allowed");
  EXPECT_THAT(veto->trace, ElementsAre("import mul (why)", "prune add (why)", "change exp (why)",
                                       "validate", "import add (revert: why)",
                                       "prune mul (revert: why)", "change exp (revert: why)"));
  EXPECT_EQ(text(fg), "add exp ");
  EXPECT_EQ(fg.output(0).owner().input(0), s);
  expectSound(fg);
}

// F-127, F-128: all or nothing.
TEST_F(GraphChangesTest, AllOrNothing) {
  FunctionGraph fg = graph({x, y}, {exp(x), log(y), add(x, y)}, {.features = {veto}});
  Variables was = fg.outputs();
  Replacements pairs = {{was[0], fg.input(1)}, {was[1], log(fg.input(0))}};
  Replacements vetoed = pairs, mistyped = pairs, looping = pairs;
  vetoed.emplace_back(was[2], product(mul, fg));
  mistyped.emplace_back(was[2], dvector("v"));
  for (const Replacements &bad : {vetoed, mistyped}) {
    EXPECT_FALSE(fg.replaceAllValidate(bad).ok());
    EXPECT_EQ(fg.outputs(), was);
    EXPECT_EQ(text(fg), "exp log add ");
    expectSound(fg);
  }
  EXPECT_TRUE(fg.replaceAllValidate(pairs).ok());
  EXPECT_EQ(text(fg), "log add ");
}

// F-125, F-126
TEST_F(GraphChangesTest, Checkpoints) {
  FunctionGraph fg = graph({x, y}, {exp(add(x, y))});
  Variable s = fg.output(0).owner().input(0);
  Checkpoint outer = fg.checkpoint();
  ASSERT_TRUE(fg.replace(s, product(mul, fg)).ok());
  Checkpoint inner = fg.checkpoint();
  ASSERT_TRUE(fg.replace(fg.output(0), log(fg.output(0))).ok());
  ASSERT_TRUE(fg.replace(fg.output(0).owner().input(0), fg.input(1)).ok());
  EXPECT_EQ(text(fg), "log ");
  absl::Status status = fg.revert(std::move(outer));
  EXPECT_EQ(errorKind(status), ErrorKind::ValueError);
  EXPECT_EQ(status.message(),
            "only the youngest open checkpoint of a FunctionGraph can be reverted to");
  ASSERT_TRUE(fg.revert(std::move(inner)).ok());
  EXPECT_EQ(text(fg), "mul exp ");
  expectSound(fg);
  FunctionGraph other = graph({x}, {exp(x)});
  EXPECT_EQ(errorKind(fg.revert(other.checkpoint())), ErrorKind::ValueError);
}

TEST_F(GraphChangesTest, NestedCheckpoints) {
  FunctionGraph fg = graph({x, y}, {exp(add(x, y))});
  Variable s = fg.output(0).owner().input(0);
  Checkpoint outer = fg.checkpoint();
  ASSERT_TRUE(fg.replace(s, product(mul, fg)).ok());
  // One that succeeds joins the outer one's changes; one that is undone leaves no trace.
  ASSERT_TRUE(fg.replaceValidate(fg.output(0), log(fg.output(0))).ok());
  EXPECT_FALSE(fg.replaceAllValidate({{fg.output(0), x}, {fg.output(0), dvector()}}).ok());
  EXPECT_EQ(text(fg), "mul exp log ");
  ASSERT_TRUE(fg.revert(std::move(outer)).ok());
  EXPECT_EQ(text(fg), "add exp ");
  EXPECT_EQ(fg.output(0).owner().input(0), s);
  expectSound(fg);
}

// F-126: random changes undone; the graph is what it was, and can be changed on.
TEST_F(GraphChangesTest, RandomChangesUndone) {
  std::mt19937 random(7);
  auto any = [&](size_t n) { return size_t(random() % n); };
  Variables made = {x, y, z};
  for (int i = 0; i < 60; ++i)
    made.push_back(i % 3 ? add(made[any(made.size())], made[any(made.size())])
                         : exp(made[any(made.size())]));
  FunctionGraph fg = graph({x, y, z}, {made[62], made[61], made[40], made[20]});
  for (int round = 0; round < 200; ++round) {
    std::vector<Apply> order = *fg.toposort();
    std::vector<Variables> inputs;
    for (const Apply &node : order)
      inputs.push_back(node.inputs());
    Variables outputs = fg.outputs();
    Checkpoint start = fg.checkpoint();
    for (size_t k = any(6) + 1; k-- > 0;) {
      Variables all = fg.variables();
      Variable old = all[any(all.size())], other = all[any(all.size())];
      Variable fresh = any(2) ? other : any(2) ? add(old, other) : exp(other);
      absl::Status status = fg.replace(old, fresh);
      EXPECT_TRUE(status.ok() || errorKind(status) == ErrorKind::Cycle) << status;
    }
    expectSound(fg);
    if (round % 4 == 3)
      continue; // these changes stay
    ASSERT_TRUE(fg.revert(std::move(start)).ok());
    expectSound(fg);
    EXPECT_EQ(fg.outputs(), outputs);
    EXPECT_EQ(fg.numNodes(), order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      EXPECT_TRUE(fg.contains(order[i]));
      EXPECT_EQ(order[i].inputs(), inputs[i]);
    }
  }
}

// F-130
TEST_F(GraphChangesTest, ReplaceAndRemove) {
  std::vector<std::string> warnings;
  setLogSink([&](std::string_view text) { warnings.emplace_back(text); });
  FunctionGraph fg = graph({x, y}, {exp(add(x, y)), log(add(x, y))});
  Apply first = fg.output(0).owner(), sum = first.input(0).owner();
  std::string was = text(fg);
  // The sum is used by exp alone; log has one of its own.
  absl::Status status =
      fg.replaceAllValidateRemove({{fg.output(0), log(sum.output(0))}}, {sum}, "a rule").status();
  EXPECT_EQ(errorKind(status), ErrorKind::ReplacementDidNotRemove);
  EXPECT_EQ(status.message(), "a rule was to remove a node add, which is still used");
  EXPECT_THAT(warnings, ElementsAre(std::string(status.message())));
  EXPECT_EQ(text(fg), was);
  setLogSink({});
  absl::StatusOr<Checkpoint> start =
      fg.replaceAllValidateRemove({{sum.output(0), fg.input(0)}}, {sum});
  ASSERT_TRUE(start.ok());
  EXPECT_TRUE(fg.validate().ok());
  // Who takes it back has it back by right.
  ASSERT_TRUE(fg.revert(*std::move(start)).ok());
  EXPECT_EQ(text(fg), was);
  EXPECT_TRUE(fg.validate().ok());
  ASSERT_TRUE(fg.replaceAllValidateRemove({{sum.output(0), fg.input(0)}}, {sum}).ok());
  ASSERT_TRUE(fg.replace(fg.output(0), sum.output(0)).ok());
  status = fg.validate();
  EXPECT_EQ(errorKind(status), ErrorKind::Inconsistency);
  EXPECT_EQ(status.message(),
            "a node add is back in the FunctionGraph, after a rewrite had removed it for good");
  EXPECT_FALSE(fg.consistent());
}

// F-098, F-101
TEST_F(GraphChangesTest, AddsInputsAndOutputs) {
  FunctionGraph fg = graph({x}, {exp(x)}, {.features = {veto}});
  EXPECT_TRUE(fg.addInput(y).ok());
  EXPECT_TRUE(fg.addInput(y).ok());
  EXPECT_EQ(fg.inputs().size(), 2u);
  const size_t before = fg.toposort()->size();
  ASSERT_TRUE(fg.addOutput(log(add(y, fg.input(0))), "why").ok());
  EXPECT_EQ(fg.toposort()->size(), before + 2);
  EXPECT_THAT(veto->trace, ElementsAre("import add (why)", "import log (why)"));
  EXPECT_EQ(text(fg), "exp add log ");
  EXPECT_EQ(*fg.clients(fg.output(1)), Clients{Client::output(1)});
  expectSound(fg);

  auto refused = [&](const absl::Status &status, ErrorKind kind, std::string_view text) {
    EXPECT_EQ(errorKind(status), kind);
    EXPECT_EQ(std::string(status.message()), text);
  };
  refused(fg.addInput(exp(z)), ErrorKind::ValueError,
          "a result of exp: f64 cannot become an input: it is computed by exp");
  refused(fg.addInput(constant(1.0)), ErrorKind::TypeError,
          "a constant: f64 cannot become an input: it is a constant");
  FunctionGraph other = graph({z}, {exp(z)}, {.clone = false});
  refused(fg.addInput(z), ErrorKind::ValueError,
          "z: f64 cannot become an input: it belongs to another FunctionGraph");
  Variable w = dscalar("w");
  refused(fg.addOutput(exp(w)), ErrorKind::MissingInput,
          "w: f64 is no input of the FunctionGraph, but operand 0 of exp");
  Variable bad = Variable::invalid(makeError(ErrorKind::TypeError, "mistaken"));
  refused(fg.addInput(bad), ErrorKind::TypeError, "mistaken");
  refused(fg.addOutput(bad), ErrorKind::TypeError, "mistaken");
  // F-101
  ASSERT_TRUE(fg.addMissingInputs(exp(w)).ok());
  EXPECT_TRUE(fg.addOutput(exp(w)).ok());
  EXPECT_EQ(fg.input(2), w);
  Checkpoint open = fg.checkpoint();
  refused(fg.removeOutput(0), ErrorKind::Inconsistency,
          "inputs and outputs cannot be added or removed while a checkpoint is open");
}

TEST_F(GraphChangesTest, FailingFeatureUndoesAddedOutput) {
  FunctionGraph fg = graph({x, y}, {exp(x)}, {.features = {veto}});
  veto->failAt = "import log";
  EXPECT_EQ(fg.addOutput(log(product(add, fg))).message(), "refused");
  EXPECT_THAT(veto->trace, ElementsAre("import add", "import log", "prune log (revert: )",
                                       "prune add (revert: )"));
  EXPECT_EQ(text(fg), "exp ");
  EXPECT_EQ(fg.numOutputs(), 1);
  expectSound(fg);
}

// F-099
TEST_F(GraphChangesTest, RemovesOutputs) {
  Variable s = add(x, y);
  FunctionGraph fg = graph({x, y}, {exp(s), log(s), s},
                           {.features = {veto}, .updateMapping = {{0, 0}, {1, 1}, {2, 0}}});
  ASSERT_TRUE(fg.removeOutput(1, "why").ok());
  EXPECT_THAT(veto->trace, ElementsAre("prune log (why)"));
  EXPECT_EQ(text(fg), "add exp ");
  EXPECT_EQ(fg.updateMapping(), (std::map<int, int>{{0, 0}, {1, 0}}));
  EXPECT_EQ(fg.clients(fg.output(1))->back(), Client::output(1));
  expectSound(fg);
  ASSERT_TRUE(fg.removeOutput(0).ok());
  ASSERT_TRUE(fg.removeOutput(0).ok());
  EXPECT_EQ(fg.numNodes(), 0u);
  EXPECT_EQ(fg.numInputs(), 2);
  expectSound(fg);
  EXPECT_EQ(fg.removeOutput(0).message(), "the FunctionGraph has 0 outputs; there is no number 0");
  EXPECT_EQ(errorKind(fg.removeInput(-1)), ErrorKind::IndexError);
}

// F-099, F-100
TEST_F(GraphChangesTest, RemovesInputsAndNodes) {
  Variable s = add(x, y), e = exp(x);
  FunctionGraph fg = graph({x, y, z}, {log(s), e, mul(e, z), y},
                           {.updateMapping = {{0, 0}, {1, 1}, {2, 2}, {3, 1}}});
  FunctionGraph second = *fg.clone();
  ASSERT_TRUE(fg.removeInput(1).ok());
  EXPECT_EQ(text(fg), "exp mul ");
  EXPECT_EQ(fg.numInputs(), 2);
  EXPECT_EQ(fg.updateMapping(), (std::map<int, int>{{1, 1}}));
  expectSound(fg);
  ASSERT_TRUE(second.removeNode(second.output(1).owner()).ok());
  EXPECT_EQ(text(second), "add log ");
  EXPECT_EQ(second.numInputs(), 3);
  EXPECT_EQ(second.numOutputs(), 2);
  expectSound(second);
  EXPECT_TRUE(second.removeNode(e.owner()).ok()); // of the user's graph: nothing happens
  EXPECT_EQ(second.numOutputs(), 2);
}

TEST_F(GraphChangesTest, FailingFeatureUndoesRemoval) {
  Variable s = add(x, y);
  FunctionGraph fg =
      graph({x, y}, {exp(s), log(s), s}, {.features = {veto}, .updateMapping = {{1, 1}, {2, 0}}});
  Variables outputs = fg.outputs(), inputs = fg.inputs();
  std::string was = text(fg);
  for (const char *at : {"prune exp", "prune log", "prune add"}) {
    veto->failAt = at;
    EXPECT_EQ(fg.removeInput(0).message(), "refused") << at;
    EXPECT_EQ(fg.outputs(), outputs);
    EXPECT_EQ(fg.inputs(), inputs);
    EXPECT_EQ(fg.updateMapping(), (std::map<int, int>{{1, 1}, {2, 0}}));
    EXPECT_EQ(text(fg), was);
    expectSound(fg);
  }
  veto->failAt = "";
  ASSERT_TRUE(fg.removeInput(0).ok());
  EXPECT_EQ(fg.numOutputs(), 0);
  expectSound(fg);
}

/// Labels grow along every edge: what the cycle check relies on.
void expectLabels(const FunctionGraph &fg, const detail::GraphState &state) {
  for (const Apply &node : fg.applyNodes())
    for (int i = 0; i < node.numInputs(); ++i)
      ASSERT_LT(state.labelOf(node.input(i).node()), state.labelOf(node.node()));
}

TEST_F(GraphChangesTest, LabelsGrowAlongEdges) {
  std::mt19937 random(11);
  auto any = [&](size_t n) { return size_t(random() % n); };
  Variables made = {x, y, z};
  for (int i = 0; i < 100; ++i)
    made.push_back(add(made[any(made.size())], made[made.size() - 1 - any(3)]));
  FunctionGraph fg = graph({x, y, z}, {made.back(), made[50]});
  for (int round = 0; round < 2000; ++round) {
    Variables all = fg.variables();
    Variable old = all[any(all.size())], other = all[any(all.size())];
    Variable fresh = any(3) ? other : add(old, other);
    absl::Status status = fg.replace(old, fresh);
    EXPECT_TRUE(status.ok() || errorKind(status) == ErrorKind::Cycle) << status;
    if (fg.numNodes() > 0)
      expectLabels(fg, *fg.applyNodes()[0].node()->graph);
    if (fg.numNodes() < 10)
      break;
  }
  expectSound(fg);
}

} // namespace
} // namespace graphc
