// F-297, F-298, F-300: what queries select, what runs when, and what node rewriters may propose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphc/Features.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

using testing::ElementsAre;

struct DatabasesTest : testing::Test {
  Variable x = dvector("x"), y = dvector("y");

  FunctionGraph graph(const Variables &outputs) {
    absl::StatusOr<FunctionGraph> made = FunctionGraph::create({x, y}, outputs);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }
  std::string after(const GraphRewriterPtr &rewriter, const Variable &output,
                    const RewriteOptions &options = {}) {
    FunctionGraph fg = graph({output});
    RewriteReport report;
    absl::Status status = rewriter->rewrite(fg, options, report);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(fg.checkIntegrity().ok()) << fg.checkIntegrity();
    return pp(fg.output(0));
  }
};

/// Replaces the graph's first output by an op of it, up to `most` times; notes that it ran.
struct Wrap : GraphRewriter {
  Wrap(std::string name, std::vector<std::string> &log, int most = 0)
      : wrapName(std::move(name)), log(log), most(most) {}
  std::string_view name() const override { return wrapName; }
  std::string_view className() const override { return "Wrap"; }
  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &,
                       RewriteReport &report) const override {
    log.push_back(wrapName + " of " + pp(graph.output(0)));
    if (done == most)
      return absl::OkStatus();
    ++done;
    ++report.steps;
    return graph.replace(graph.output(0), exp(graph.output(0)), "wrap");
  }
  std::string wrapName;
  std::vector<std::string> &log;
  int most;
  mutable int done = 0;
};

// F-297: names of classes are tags, of rules, rewriters and databases.
TEST_F(DatabasesTest, ClassNamesAreTags) {
  std::vector<std::string> log;
  RewriteDatabase inner, database;
  ASSERT_TRUE(inner.add(Rule{"inner", "sin(a)", "cos(a)"}, {"all"}, 1).ok());
  ASSERT_TRUE(database.add(Rule{"rule", "exp(a)", "sin(a)"}, {"all"}, 1).ok());
  ASSERT_TRUE(database.add(constantFolding(), {"all"}, 1).ok());
  ASSERT_TRUE(database.add(std::make_shared<Wrap>("wrap", log), {"all"}, 2).ok());
  ASSERT_TRUE(database.add("nested", inner, {"all"}, 3).ok());
  std::vector<std::string> classes;
  for (const RewriteDatabase::Entry &entry : database.entries())
    classes.push_back(entry.className);
  EXPECT_THAT(classes, ElementsAre("Rule", "ConstantFolding", "Wrap", "RewriteDatabase"));
  Variable v = exp(x) + (constant(1.0) + constant(2.0));
  EXPECT_EQ(after(database.select({.include = {"Rule"}}), v), "sin(x) + (1.0 + 2.0)");
  EXPECT_EQ(after(database.select({.include = {"ConstantFolding"}}), v), "exp(x) + 3.0");
  EXPECT_EQ(after(database.select({.include = {"all"}, .exclude = {"Rule"}}), v), "exp(x) + 3.0");
  EXPECT_EQ(after(database.select({.include = {"all"}, .exclude = {"RewriteDatabase"}}), v),
            "sin(x) + 3.0");
  log.clear();
  after(database.select({.include = {"all"}, .require = {"Wrap"}}), v);
  EXPECT_EQ(log.size(), 1u);
}

// F-299: the standard positions, and what mode fast_compile takes of them.
TEST_F(DatabasesTest, StandardPositions) {
  auto has = [](const std::vector<std::string> &tags, std::string_view tag) {
    return std::ranges::find(tags, tag) != tags.end();
  };
  const std::map<std::string, double> byTag = {
      {"canonicalize", 1}, {"stabilize", 1.5}, {"specialize", 2}};
  const std::map<std::string, double> byName = {
      {"inline_graphs", -1},         {"merge", 0},    {"merge2", 49},
      {"add_destroy_handler", 49.5}, {"inplace", 50}, {"merge3", 100}};
  std::map<std::string, double> quickTags, names;
  for (const RewriteDatabase::Entry &e : builtinRewrites().entries()) {
    bool isQuick = has(e.tags, "fast_compile");
    for (const auto &[tag, position] : byTag)
      if (has(e.tags, tag)) {
        EXPECT_EQ(e.position, position) << e.name;
        if (isQuick)
          quickTags[tag] = position;
      }
    if (e.whole)
      names[e.name] = e.position;
    EXPECT_TRUE(!isQuick || has(e.tags, "fast_run")) << e.name;
    EXPECT_FALSE(isQuick && (has(e.tags, "inplace") || has(e.tags, "shape"))) << e.name;
  }
  EXPECT_EQ(names, byName);
  EXPECT_EQ(quickTags, byTag);
}

// F-297: what is selected of a database in a database.
TEST_F(DatabasesTest, Subqueries) {
  RewriteDatabase inner, database;
  ASSERT_TRUE(inner.add(Rule{"one", "sin(a)", "cos(a)"}, {"all"}, 1).ok());
  ASSERT_TRUE(inner.add(Rule{"two", "cos(a)", "tan(a)"}, {"all", "late"}, 2).ok());
  ASSERT_TRUE(database.add("nested", inner, {"all"}, 2).ok());
  ASSERT_TRUE(database.add(Rule{"before", "exp(a)", "sin(a)"}, {"all"}, 1).ok());
  EXPECT_EQ(database.add("before", inner, {}, 1).message(),
            "there is a rewrite called 'before' already");
  EXPECT_EQ(after(database.select({.include = {"all"}}), exp(x)), "tan(x)");
  EXPECT_EQ(after(database.select({.include = {"all"}, .exclude = {"late"}}), exp(x)), "cos(x)");
  EXPECT_EQ(
      after(database.select({.include = {"all"}, .subquery = {{"nested", {.include = {"one"}}}}}),
            exp(x)),
      "cos(x)");
  EXPECT_EQ(after(database.select(
                      {.include = {"before"}, .subquery = {{"nested", {.include = {"one"}}}}}),
                  exp(x)),
            "sin(x)");
}

// F-298: whole rewriters of one position run by name.
TEST_F(DatabasesTest, TiesGoByName) {
  std::vector<std::string> log;
  RewriteDatabase database;
  for (const char *name : {"b", "c", "a"})
    ASSERT_TRUE(database.add(std::make_shared<Wrap>(name, log), {"all"}, 1).ok());
  ASSERT_TRUE(database.add(std::make_shared<Wrap>("d", log), {"all"}, 0.5).ok());
  after(database.select({.include = {"all"}}), x + y);
  EXPECT_THAT(log, ElementsAre("d of x + y", "a of x + y", "b of x + y", "c of x + y"));
}

// F-298: cleanup runs when no rule applies any more, final when cleanup changes nothing, and rules
// again after what either changed.
TEST_F(DatabasesTest, CleanupAndFinal) {
  std::vector<std::string> log;
  RewriteDatabase database;
  ASSERT_TRUE(database.add(Rule{"r", "exp(a)", "sin(a)"}, {"all"}, 1).ok());
  ASSERT_TRUE(database.add(std::make_shared<Wrap>("clean", log, 1), {"all", "cleanup"}, 1).ok());
  ASSERT_TRUE(database.add(std::make_shared<Wrap>("last", log, 1), {"all", "final"}, 1).ok());
  EXPECT_EQ(after(database.select({.include = {"all"}}), exp(x)), "sin(sin(sin(x)))");
  EXPECT_THAT(log, ElementsAre("clean of sin(x)", "clean of sin(sin(x))", "last of sin(sin(x))",
                               "clean of sin(sin(sin(x)))", "last of sin(sin(sin(x)))"));
}

// F-298: a group tries its rules in their order, and takes the first; a pass visits each node once.
TEST_F(DatabasesTest, GroupsAndPasses) {
  RewriteDatabase database;
  ASSERT_TRUE(database.add(Rule{"never", "exp(a) + b", "b"}, {"all"}, 1).ok());
  ASSERT_TRUE(database.add(Rule{"second", "exp(a)", "cos(a)"}, {"all"}, 3).ok());
  ASSERT_TRUE(database.add(Rule{"first", "exp(a)", "exp(sin(a))"}, {"all"}, 2).ok());
  NodeRewriterPtr group = database.selectGroup("group", {.include = {"all"}});
  EXPECT_EQ(after(onePass("pass", {group}), exp(exp(x))), "exp(sin(exp(sin(x))))");
  NodeRewriterPtr swapped =
      localGroup("group", {nullptr, *compileRule({"second", "exp(a)", "cos(a)"}),
                           *compileRule({"first", "exp(a)", "exp(sin(a))"})});
  EXPECT_EQ(after(equilibrium("e", {swapped}), exp(exp(x))), "cos(cos(x))");
}

// Of several rules that match a node the one that saves most is tried first.
TEST_F(DatabasesTest, CheapestFirst) {
  auto dear = *compileRule({"dear", "log(1 + a)", "log(1 + abs(a))", kNoEffects});
  auto cheap = *compileRule({"cheap", "log(1 + a)", "log1p(a)", kRounding});
  auto stated = *compileRule({.name = "stated",
                              .pattern = "log(1 + a)",
                              .replacement = "sin(tan(a))",
                              .effects = kRounding,
                              .cost = -100});
  EXPECT_EQ(after(equilibrium("e", {dear, cheap}), log(1.0 + x)), "log1p(x)");
  EXPECT_EQ(after(equilibrium("e", {dear, cheap, stated}), log(1.0 + x)), "sin(tan(x))");
}

// F-300: a list with none for an output keeps it; a map replaces any Variables of the graph.
TEST_F(DatabasesTest, MapsAndLists) {
  Rule keeps{.name = "keeps", .pattern = "exp(a)", .cost = 0, .build = [](const Match &) {
               return Proposal(Variables{Variable()});
             }};
  EXPECT_EQ(after(equilibrium("e", {*compileRule(keeps)}), exp(x)), "exp(x)");
  Rule both{.name = "both", .pattern = "exp(a)", .cost = 0, .build = [](const Match &m) {
              Variable inner = m.root().input(0);
              if (!inner.hasOwner() || inner.owner().op().name() != "sin")
                return Proposal();
              return Proposal(Replacements{{m.root().output(0), log(m.root().output(0))},
                                           {inner, cos(inner.owner().input(0))}});
            }};
  // The one that reads sin(x) besides gets its replacement, too.
  Variable inner = sin(x);
  FunctionGraph fg = graph({exp(inner), inner});
  RewriteReport report;
  ASSERT_TRUE(equilibrium("e", {*compileRule(both)})->rewrite(fg, {}, report).ok());
  EXPECT_EQ(report.steps, 1);
  EXPECT_EQ(pp(fg.output(0)), "log(exp(cos(x)))");
  EXPECT_EQ(pp(fg.output(1)), "cos(x)");
}

// F-300, F-130: what must be gone afterwards, and is not, undoes the change.
TEST_F(DatabasesTest, Removals) {
  auto rule = [](bool removes) {
    return *compileRule(
        {.name = "drop", .pattern = "exp(a)", .cost = 0, .build = [removes](const Match &m) {
           Variable inner = m.root().input(0);
           if (!inner.hasOwner())
             return Proposal();
           return Proposal(Replacements{{m.root().output(0), cos(inner.owner().input(0))}},
                           removes ? std::vector<Apply>{inner.owner()} : std::vector<Apply>{});
         }});
  };
  EXPECT_EQ(after(equilibrium("e", {rule(true)}), exp(sin(x))), "cos(x)");
  for (bool removes : {false, true}) {
    Variable shared = sin(x);
    FunctionGraph fg = graph({exp(shared), shared});
    RewriteReport report;
    absl::Status status =
        equilibrium("e", {rule(removes)})->rewrite(fg, {.refusals = Refusals::Raise}, report);
    EXPECT_EQ(pp(fg.output(0)), removes ? "exp(sin(x))" : "cos(x)");
    EXPECT_EQ(report.steps, removes ? 0 : 1);
    EXPECT_EQ(status.ok(), !removes) << status;
    EXPECT_TRUE(fg.checkIntegrity().ok());
  }
}

// A reader of a folded constant comes from what was folded, too.
TEST_F(DatabasesTest, PlacesOfFoldedConstants) {
  Variable sum = constant(1.0) + constant(2.0);
  Variable product = sum * constant(3.0);
  FunctionGraph fg = graph({x + product});
  std::vector<Place> wanted = {fg.output(0).place(), product.place(), sum.place()};
  ASSERT_TRUE(rewrite(fg, {}, {.include = {"constant_folding"}}).ok());
  ASSERT_EQ(pp(fg.output(0)), "x + 9.0");
  EXPECT_THAT(fg.output(0).owner().origins(), testing::UnorderedElementsAreArray(wanted));
  EXPECT_EQ(fg.output(0).owner().origins()[0], wanted[0]);
}

// A step is told in a text that does not grow with what it stands on.
TEST_F(DatabasesTest, StepsAreToldShortly) {
  Variable deep = x;
  for (int k = 0; k < 1000; ++k)
    deep = sin(deep) + y;
  EXPECT_EQ(pp(deep, 200), "sin(sin(sin(sin(... + y) + y) + y) + y) + y");
  EXPECT_EQ(pp(sin(x) + y, 5), "sin(x ...");
  EXPECT_EQ(pp(sin(x) + y, 10), "sin(x) + y");
  size_t longest = 0;
  RewriteOptions options;
  options.explain = [&](const RewriteStep &step) {
    longest = std::max(longest, step.after.size());
  };
  Variable chain = x;
  for (int k = 0; k < 20'000; ++k)
    chain = -(-sin(chain));
  FunctionGraph fg = graph({chain});
  RewriteReport report;
  ASSERT_TRUE(
      equilibrium("e", {*compileRule({"n", "-(-a)", "a"})})->rewrite(fg, options, report).ok());
  EXPECT_EQ(report.steps, 20'000);
  EXPECT_LE(longest, 204u);
}

// Checked steps cost what they change: at each the whole graph, 30,000 nodes, would be minutes.
TEST_F(DatabasesTest, ChecksOfLongChains) {
  Variable chain = x;
  for (int k = 0; k < 10'000; ++k)
    chain = -(-sin(chain));
  FunctionGraph fg = graph({chain});
  RewriteOptions options;
  options.check = checkValues({Tensor({1.0}), Tensor({1.0})});
  RewriteReport report;
  ASSERT_TRUE(
      equilibrium("e", {*compileRule({"n", "-(-a)", "a"})})->rewrite(fg, options, report).ok());
  EXPECT_EQ(report.steps, 10'000);
}

// The rule after which an error vanishes is named, unless it says so.
TEST_F(DatabasesTest, VanishedErrorsAreBlamed) {
  auto check = [&](Effects effects) {
    FunctionGraph fg = graph({x + y - y});
    RewriteOptions options{.allowed = kAllEffects};
    options.check = checkValues({Tensor({1.0, 2.0}), Tensor({1.0, 2.0, 3.0})});
    RewriteReport report;
    return std::string(equilibrium("e", {*compileRule({"hides", "a + b - b", "a", effects})})
                           ->rewrite(fg, options, report)
                           .message());
  };
  EXPECT_THAT(
      check(kNoEffects),
      testing::StartsWith("after the rewrite hides: x + y - y became x: no error any more: "));
  EXPECT_THAT(check(kNoEffects), testing::HasSubstr("\n  before: no value\n    sub [id A]\n"));
  EXPECT_THAT(check(kNoEffects), testing::EndsWith("\n  after: f64[2] [1, 2]\n    x [id A]"));
  EXPECT_EQ(check(kShapeUnsafe), "");
}

} // namespace
} // namespace graphc
