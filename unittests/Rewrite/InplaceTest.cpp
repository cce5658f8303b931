// F-304: ops in the memory of their operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphc/Features.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

using testing::ElementsAre;

/// x + y of one type, perhaps in the memory of an operand.
OpDef plusDef(std::string name, std::vector<int> destroys = {}) {
  OpDef def;
  def.name = std::move(name);
  def.operands = {{"x"}, {"y"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{e.map(in, [](const Scalars &s) { return s[0] + s[1]; })};
  };
  def.destroyMap = std::move(destroys);
  return def;
}

struct InplaceTest : testing::Test {
  Op into0 = *defineOp(plusDef("plusInto0", {0})), into1 = *defineOp(plusDef("plusInto1", {1}));
  Op plus = [this] {
    OpDef def = plusDef("plus");
    def.inplace = [a = into0, b = into1](const Op &, int input) -> std::optional<Op> {
      return input == 0 ? a : b;
    };
    return *defineOp(def);
  }();
  Variable x = dvector("x"), y = dvector("y");

  /// The ops of the graph, in the order of toposort, after the in-place stage.
  std::vector<std::string> after(const Variables &outputs, Features features,
                                 RewriteReport *report = nullptr) {
    absl::StatusOr<FunctionGraph> graph =
        FunctionGraph::create({x, y}, outputs, {.features = std::move(features)});
    EXPECT_TRUE(graph.ok()) << graph.status();
    RewriteReport own;
    EXPECT_TRUE(inplaceRewriter()->rewrite(*graph, {}, report ? *report : own).ok());
    EXPECT_TRUE(graph->checkIntegrity().ok());
    EXPECT_TRUE(graph->validate().ok()) << graph->validate();
    std::vector<std::string> names;
    std::vector<Apply> order = *graph->toposort();
    for (const Apply &node : order)
      names.emplace_back(node.op().name());
    return names;
  }
  static Features handler(Supervisor::Options options = {}) {
    return {std::make_shared<Supervisor>(options)};
  }
};

// F-304: candidates from the last operand to the first.
TEST_F(InplaceTest, LastOperandFirst) {
  Variable both = plus(sin(x), cos(y));
  EXPECT_THAT(after({exp(both)}, handler()), ElementsAre("sin", "cos", "plusInto1", "exp"));
  Variable first = plus(sin(x), y);
  EXPECT_THAT(after({exp(first)}, handler()), ElementsAre("sin", "plusInto0", "exp"));
  // Along a chain: each result is memory of its own.
  EXPECT_THAT(after({plus(plus(sin(x), y), y)}, handler()),
              ElementsAre("sin", "plusInto0", "plusInto0"));
}

// F-304: nothing happens before there is a DestroyHandler.
TEST_F(InplaceTest, NeedsTheDestroyHandler) {
  Variable both = plus(sin(x), cos(y));
  EXPECT_THAT(after({both}, {}), ElementsAre("sin", "cos", "plus"));
  EXPECT_THAT(after({both}, {std::make_shared<DestroyHandler>()}),
              ElementsAre("sin", "cos", "plusInto1"));
}

/// Counts what is tried.
struct Trials : Feature {
  std::string_view name() const override { return "Trials"; }
  std::shared_ptr<Feature> clone() override { return std::make_shared<Trials>(); }
  absl::Status onValidate(FunctionGraph &graph) override {
    ++count;
    for (const Apply &node : graph.applyNodes())
      if (node.op().name() == refused)
        return makeError(ErrorKind::Inconsistency, "refused by the test");
    return absl::OkStatus();
  }
  std::string refused;
  int count = 0;
};

// F-304: each is validated, and the next one tried where it is refused.
TEST_F(InplaceTest, EachIsValidated) {
  auto trials = std::make_shared<Trials>();
  trials->refused = "plusInto1";
  Features features = {std::make_shared<DestroyHandler>(), trials};
  RewriteReport report;
  EXPECT_THAT(after({plus(sin(x), cos(y))}, features, &report),
              ElementsAre("sin", "cos", "plusInto0"));
  EXPECT_EQ(report.steps, 1);
  EXPECT_EQ(trials->count, 3); // refused, accepted; and the test's own
}

// F-304: what is protected, constant, an output, or read elsewhere is not even tried.
TEST_F(InplaceTest, Skipped) {
  auto untried = [&](const Variables &outputs, Supervisor::Options options = {}) {
    auto trials = std::make_shared<Trials>();
    std::vector<std::string> names =
        after(outputs, {std::make_shared<Supervisor>(options), trials});
    EXPECT_EQ(trials->count, 1) << "the test's own";
    return names;
  };
  // Inputs that are not mutable, and views of them.
  EXPECT_THAT(untried({plus(x, y)}), ElementsAre("plus"));
  Variable view = dimshuffle(dimshuffle(x, {-1, 0}), {1});
  EXPECT_THAT(untried({plus(view, y)}), ElementsAre("dimshuffle", "dimshuffle", "plus"));
  // Constants.
  Variable c = constant(*Tensor::zeros(DType::Float64, {3}));
  EXPECT_THAT(untried({plus(c, c)}), ElementsAre("plus"));
  // Outputs, and results that are outputs of an in-place op before.
  Variable s = sin(x);
  EXPECT_THAT(untried({plus(s, y), s}), ElementsAre("sin", "plus"));
  // Memory that something else reads, though it could be read before.
  EXPECT_THAT(untried({plus(s, y), exp(s)}), ElementsAre("sin", "plus", "exp"));
  EXPECT_THAT(untried({plus(s, s)}), ElementsAre("sin", "plus"));
  // A mutable input is memory as any other.
  EXPECT_THAT(after({plus(x, y)}, handler({.mutableInputs = {0}})), ElementsAre("plusInto0"));
  // What became an output of an in-place op stays protected.
  Variable p = plus(sin(x), y);
  EXPECT_THAT(after({p, plus(p, y)}, handler()), ElementsAre("sin", "plusInto0", "plus"));
}

// Ops whose in-place form takes one operand only, or is none.
TEST_F(InplaceTest, NoForm) {
  OpDef def = plusDef("plusFirst");
  def.inplace = [a = into0](const Op &, int input) {
    return input == 0 ? std::optional<Op>(a) : std::nullopt;
  };
  Op plusFirst = *defineOp(def);
  EXPECT_THAT(after({plusFirst(sin(x), cos(y))}, handler()),
              ElementsAre("sin", "cos", "plusInto0"));
  EXPECT_THAT(after({plusFirst(x, cos(y))}, handler()), ElementsAre("cos", "plusFirst"));
}

// The DestroyHandler at 49.5, in-place rewrites from 50 on, merging once more at 100; in the
// rewrites of `function`, whose results stay the same.
TEST_F(InplaceTest, InTheBuiltinRewrites) {
  auto position = [](std::string_view name) {
    for (const RewriteDatabase::Entry &entry : builtinRewrites().entries())
      if (entry.name == name)
        return entry.position;
    return -1.0;
  };
  EXPECT_EQ(position("merge"), 0);
  EXPECT_EQ(position("merge2"), 49);
  EXPECT_EQ(position("add_destroy_handler"), 49.5);
  EXPECT_EQ(position("inplace"), 50);
  EXPECT_EQ(position("merge3"), 100);

  Variable output = plus(x * 2.0, y * 3.0);
  FunctionGraph graph = *FunctionGraph::create({x, y}, {output});
  ASSERT_TRUE(rewrite(graph).ok());
  EXPECT_EQ(graph.output(0).owner().op().name(), "plusInto1");
  EXPECT_NE(graph.find<DestroyHandler>(), nullptr);
  // Without an op that could, nothing is attached.
  FunctionGraph other = *FunctionGraph::create({x, y}, {x * 2.0});
  ASSERT_TRUE(rewrite(other).ok());
  EXPECT_TRUE(other.features().empty());

  absl::StatusOr<Function> f = function({x, y}, {output, plus(x, y)});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor a = *Tensor::fromSpan<double>({1, 2, 3}, {3}),
         b = *Tensor::fromSpan<double>({10, 20, 30}, {3});
  auto results = f->call({a, b});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0], *Tensor::fromSpan<double>({32, 64, 96}, {3}));
  EXPECT_EQ((*results)[1], *Tensor::fromSpan<double>({11, 22, 33}, {3}));
  EXPECT_EQ(a, *Tensor::fromSpan<double>({1, 2, 3}, {3}));
}

} // namespace
} // namespace graphc
