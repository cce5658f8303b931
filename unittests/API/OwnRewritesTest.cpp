//===- OwnRewritesTest.cpp - modes with a program's own rewrites -----------===//
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>

#include "API/SavedFunction.h"
#include "Calls.h"
#include "Places.h"
#include "Runtime/TestData.h"
#include "graphc/Function.h"
#include "graphc/OpDef.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

/// cos(a) becomes a + `number`: a rule whose work is seen in results.
RewriteDatabase cosBecomes(const std::string &number, std::vector<std::string> tags = {"mine"}) {
  RewriteDatabase database;
  EXPECT_TRUE(database
                  .add({.name = "cos_gone",
                        .pattern = "cos(a)",
                        .replacement = "a + " + number,
                        .effects = kRounding},
                       std::move(tags), 1)
                  .ok());
  return database;
}

double at2(const Variable &x, const Variable &y, const Mode &mode) {
  return valuesOf(made(function({x}, y, {.mode = mode}))(2.0)).at(0);
}

const double kCos2 = -0.4161468365471424; // NumPy's cos(2)

TEST(OwnRewrites, RunInEveryMode) {
  Variable x = dscalar("x");
  RewriteDatabase mine = cosBecomes("10");
  for (const char *name : {"fast_run", "fast_math", "fast_compile", "nanguard"})
    EXPECT_EQ(at2(x, cos(x), Mode(name).withRewrites(mine)), 12) << name;
  EXPECT_DOUBLE_EQ(at2(x, cos(x), "fast_run"), kCos2) << "the Mode alone has them";
  // Effects that strict does not allow; a mode that rewrites nothing.
  EXPECT_DOUBLE_EQ(at2(x, cos(x), Mode("strict").withRewrites(mine)), kCos2);
  EXPECT_DOUBLE_EQ(at2(x, cos(x), Mode("interpreter").withRewrites(mine)), kCos2);
  EXPECT_DOUBLE_EQ(at2(x, cos(x), Mode("fast_run").withRewrites(RewriteDatabase())), kCos2);
  // Within called graphs, too, which are compiled once for each Mode.
  OpFromGraph inner({x}, {cos(x) * 2.0});
  for (const char *number : {"10", "20"})
    EXPECT_EQ(at2(x, inner(x), Mode("fast_run").withRewrites(cosBecomes(number))),
              2 * (2 + std::stod(number)));
  EXPECT_DOUBLE_EQ(at2(x, inner(x), "fast_run"), 2 * kCos2);
}

TEST(OwnRewrites, AreExcludedByNameAndTag) {
  Variable x = dscalar("x");
  Mode mode = Mode("fast_run").withRewrites(cosBecomes("10"));
  for (const char *name : {"cos_gone", "mine", "own", "Rule"})
    EXPECT_DOUBLE_EQ(at2(x, cos(x), mode.excluding({name})), kCos2) << name;
  EXPECT_EQ(at2(x, cos(x), mode.requiring({"mine"})), 12);
  EXPECT_DOUBLE_EQ(at2(x, cos(x), mode.requiring({"canonicalize"})), kCos2);
  EXPECT_EQ(at2(x, cos(x), mode.including({"mine"})), 12);
  // A second database comes to the first.
  RewriteDatabase more;
  ASSERT_TRUE(
      more.add({.name = "sin_gone", .pattern = "sin(a)", .replacement = "a + 1"}, {}, 1).ok());
  EXPECT_EQ(at2(x, cos(x) + sin(x), mode.withRewrites(more)), 15);
}

/// A pass over the whole graph.
class Negate : public GraphRewriter {
public:
  std::string_view name() const override { return "negate"; }
  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &,
                       RewriteReport &report) const override {
    ++report.steps;
    return graph.replace(graph.output(0), -graph.output(0), "negate");
  }
};

TEST(OwnRewrites, MayBePasses) {
  Variable x = dscalar("x");
  RewriteDatabase database;
  ASSERT_TRUE(database.add(std::make_shared<Negate>(), {}, 60).ok());
  EXPECT_EQ(at2(x, x * 3.0, Mode("fast_run").withRewrites(database)), -6);
}

TEST(OwnRewrites, Messages) {
  Variable x = dscalar("x");
  RewriteDatabase taken;
  ASSERT_TRUE(taken.add({.name = "merge", .pattern = "cos(a)", .replacement = "a"}, {}, 1).ok());
  RewriteDatabase mine = cosBecomes("10");
  Mode mode = Mode("fast_run").withRewrites(mine);
  auto fails = [&](const Mode &with) { return function({x}, cos(x), {.mode = with}).status(); };
  expectMessages({
      {fails(Mode("fast_run").withRewrites(taken)),
       "ValueError: function: mode: there is a rewrite called 'merge' already"},
      {fails(mode.withRewrites(mine)),
       "ValueError: function: mode: there is a rewrite called 'cos_gone' already"},
      {fails(mode.excluding({"cos_gon"})),
       "KeyError: function: mode: no rewrite and no tag is called 'cos_gon'; did you mean "
       "'cos_gone'?"},
      {fails(Mode("fast_run").excluding({"own"})),
       "KeyError: function: mode: no rewrite and no tag is called 'own'"},
  });
}

// What a mode could not name alone, or order.
TEST(OwnRewrites, NamesAndPositions) {
  RewriteDatabase database;
  auto added = [&](const std::string &name, double position) {
    return database.add({.name = name, .pattern = "cos(a)", .replacement = "a"}, {}, position);
  };
  const double inf = std::numeric_limits<double>::infinity();
  expectMessages({
      {added("", 1), "ValueError: a rewrite has no name, by which a mode could exclude it: give it "
                     "one"},
      {added("fusion", 1),
       "ValueError: a rewrite is called 'fusion', as an optimization is, which Mode::excluding "
       "would exclude with it: give it another name"},
      {added("mine", std::nan("")),
       "ValueError: the position of the rewrite 'mine' is not a finite number"},
      {added("mine", -inf),
       "ValueError: the position of the rewrite 'mine' is not a finite number"},
      {database.add("products", RewriteDatabase(), {}, 1),
       "ValueError: a rewrite is called 'products', as an optimization is, which Mode::excluding "
       "would exclude with it: give it another name"},
      {database.add(std::make_shared<Negate>(), {}, inf),
       "ValueError: the position of the rewrite 'negate' is not a finite number"},
      {database.add({.name = "", .op = "add"}, {}, 0),
       "ValueError: a rewrite has no name, by which a mode could exclude it: give it one"},
      {database.add(localGroup("", {}), {}, 0),
       "ValueError: a rewrite has no name, by which a mode could exclude it: give it one"},
  });
  EXPECT_TRUE(database.entries().empty());
  EXPECT_TRUE(added("mine", -1e9).ok());
}

// The file has the graph before them and the code after them.
TEST(OwnRewrites, AreNamesInSavedFunctions) {
  Variable x = dscalar("x");
  Mode mode = Mode("fast_run").withRewrites(cosBecomes("10"));
  Function f = made(function({x}, cos(x), {.mode = mode}));
  TemporaryFile saved("own.graphc");
  ASSERT_TRUE(f.save(saved.path()).ok());
  EXPECT_EQ(valuesOf(made(loadFunction(saved.path(), {.trustCode = true}))(2.0)).at(0), 12);
  EXPECT_EQ(valuesOf(made(loadFunction(saved.path(), {.mode = mode}))(2.0)).at(0), 12);
  // What would be compiled anew without them is refused.
  Function trusted = made(loadFunction(saved.path(), {.trustCode = true}));
  for (const absl::Status &status :
       {trusted.save(saved.path()), trusted.graph().status(),
        trusted.call({Tensor(2.0)}, {}, {.outputSubset = OutputSubset({0})}).status()})
    EXPECT_EQ(errorKind(status), ErrorKind::KeyError) << status;
  EXPECT_DOUBLE_EQ(valuesOf(made(loadFunction(saved.path(), {.mode = "fast_run"}))(2.0)).at(0),
                   kCos2);
  expectMessages({{loadFunction(saved.path()).status(),
                   "KeyError: " + saved.path() +
                       ": function: mode: no rewrite and no tag is called 'cos_gone' (rewrites and "
                       "callbacks of a program's own are in no file: give them in "
                       "LoadOptions::mode)"}});
}

// No program of a file is kept for who has other rules under the same name.
TEST(OwnRewrites, AreInNoCache) {
  TemporaryFile file("own.mlir");
  std::ofstream(file.path()) << "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n"
                                "  %0 = graph.cos %x : (tensor<f64>) -> tensor<f64>\n"
                                "  return %0 : tensor<f64>\n}\n";
  for (const char *number : {"10", "20", "10"}) {
    Mode mode = Mode("fast_run").withRewrites(cosBecomes(number));
    EXPECT_EQ(valuesOf(made(compileFile(file.path(), {.mode = mode}))(2.0)).at(0),
              2 + std::stod(number));
  }
  EXPECT_DOUBLE_EQ(valuesOf(made(compileFile(file.path()))(2.0)).at(0), kCos2);
}

// F-344: mode debug makes them on each call's arguments, like graphc's own.
TEST(OwnRewrites, AreCheckedByModeDebug) {
  Variable x = dscalar("x");
  std::vector<BadOptimization> told;
  DebugOptions options{.badOptimization = [&](const BadOptimization &bad) { told.push_back(bad); }};
  Function f = made(
      function({x}, cos(x) * 2.0, {.mode = Mode::debug(options).withRewrites(cosBecomes("10"))}));
  EXPECT_EQ(wholeWithoutLines(f(2.0).status()),
            "DebugMismatch OwnRewritesTest.cpp: after the rewrite cos_gone: cos(x) became x + 10: "
            "element 0 is 12.0 instead of -0.4161468365471424\n"
            "  greatest difference: 12.416146836547142, relative 29.83597554066857\n"
            "  before: f64 -0.4161468365471424\n"
            "    cos [id A]\n"
            "     └─ x [id B]\n"
            "  after: f64 12\n"
            "    add [id A]\n"
            "     ├─ x [id B]\n"
            "     └─ 10 [id C]");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].rule, "cos_gone");
  EXPECT_EQ(pp(told[0].before), "cos(x)");
  EXPECT_EQ(pp(told[0].after), "x + 10");
  EXPECT_DOUBLE_EQ(told[0].valueBefore.item<double>(), kCos2);
  EXPECT_EQ(told[0].valueAfter.item<double>(), 12);
  EXPECT_EQ(told[0].maxAbsolute, 12 - kCos2);
  EXPECT_EQ(told[0].maxRelative, (12 - kCos2) / -kCos2);
  EXPECT_TRUE(function({x}, sin(x), {.mode = Mode::debug({}).withRewrites(cosBecomes("10"))}).ok());
}

/// cos, the first time; then what is more by the number of times that it was computed before.
Op worseCos() {
  auto calls = std::make_shared<std::atomic<int>>(0);
  OpDef def;
  def.name = "worse";
  def.doc = "A cosine that gets worse.";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [calls](Emitter &e, const Arrays &in, const Attributes &) {
    HostFunction host = [calls](absl::Span<const Tensor> from, absl::Span<Tensor> to) {
      to[0].mutableFlat<double>()[0] = std::cos(from[0].flat<double>()[0]) + (*calls)++;
      return absl::OkStatus();
    };
    return e.hostCall(host, in, {{e.dtype(in[0]), e.shape(in[0])}});
  };
  return *defineOp(def);
}

// F-344: nodes that only rewriting makes are run and compared, too.
TEST(OwnRewrites, MakeNodesThatModeDebugRuns) {
  Variable x = dscalar("x");
  RewriteDatabase database;
  ASSERT_TRUE(database
                  .add({.name = "worse_cos",
                        .pattern = "cos(a)",
                        .replacement = "worse(a)",
                        .effects = kRounding,
                        .cost = -1,
                        .build = [op = worseCos()](
                                     const Match &m) { return Proposal(Variables{op(m["a"])}); }},
                       {}, 1)
                  .ok());
  Function f = made(function({x}, cos(x), {.mode = Mode("debug").withRewrites(database)}));
  std::string text = wholeWithoutLines(f(2.0).status());
  EXPECT_EQ(text.substr(0, text.find(" is ")),
            "DebugMismatch OwnRewritesTest.cpp: after the rewrites: worse: result 0 as compiled "
            "differs from the interpreter's: element 0");
}

// F-346: tolerances are the caller's.
TEST(OwnRewrites, AreComparedAsTheOptionsSay) {
  Variable x = dscalar("x");
  RewriteDatabase near;
  ASSERT_TRUE(near.add({.name = "near",
                        .pattern = "cos(a)",
                        .replacement = "cos(a) * 1.0001",
                        .effects = kRounding,
                        .cost = 1},
                       {}, 1.7)
                  .ok());
  auto kind = [&](DebugOptions options) {
    RewriteOptions once{.stopAfter = 1, .check = checkValues({Tensor(2.0)}, std::move(options))};
    absl::StatusOr<FunctionGraph> graph = FunctionGraph::create({x}, {cos(x)});
    RewriteReport report;
    return errorKind(near.select({.include = {"near"}})->rewrite(*graph, once, report));
  };
  EXPECT_EQ(kind({}), ErrorKind::DebugMismatch);
  EXPECT_EQ(kind({.float64 = 1e-3}), ErrorKind::None);
  EXPECT_EQ(kind({.comparesValues = false}), ErrorKind::None);
}

} // namespace
} // namespace graphc
