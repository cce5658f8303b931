// F-298, rows 14 and 15 of the catalogue: chains of associative ops as a whole. Values are compared
// by the test over all rules; here is what becomes of chains, and at what cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Rewrite/Chains.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"

namespace graphc {
namespace {

using testing::ElementsAre;

struct Chains : testing::Test {
  Variable x = lvector("x"), y = lvector("y"), z = lvector("z");
  Variable narrow = bvector("n");
  Variable row = tensor(DType::Int64, {1}, "row"), four = tensor(DType::Int64, {4}, "four");
  Variable u = dvector("u"), v = dvector("v");
  Variables inputs = {x, y, z, narrow, row, four, u, v};

  FunctionGraph rewritten(const std::vector<ChainRule> &rules, const Variables &outputs,
                          Effects allowed = kDefaultEffects) {
    absl::StatusOr<FunctionGraph> fg = FunctionGraph::create(inputs, outputs);
    EXPECT_TRUE(fg.ok()) << fg.status();
    report = {};
    absl::Status status = equilibrium("t", {}, rules)->rewrite(*fg, {.allowed = allowed}, report);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_TRUE(fg->checkIntegrity().ok()) << fg->checkIntegrity();
    return *std::move(fg);
  }
  std::string after(const std::string &op, const Variable &output, bool floats = false,
                    Effects allowed = kDefaultEffects) {
    return pp(rewritten({{.name = "r", .op = op, .floats = floats}}, {output}, allowed).output(0));
  }
  RewriteReport report;
};

TEST_F(Chains, Sums) {
  EXPECT_EQ(after("add", x + y + x), "x * 2 + y");
  EXPECT_EQ(after("add", x * 2 + y + x * 3), "x * 5 + y");
  EXPECT_EQ(after("add", (x + 1) + (y + 2)), "x + y + 3");
  EXPECT_EQ(after("add", (x + 1) - (y - 2) - 3), "x - y");
  EXPECT_EQ(after("add", -x - y - x), "-(x * 2) - y");
  EXPECT_EQ(after("add", add({x, y, x, z, y})), "x * 2 + y * 2 + z");
  EXPECT_EQ(after("add", x * 2 - y + z - z * 3), "x * 2 - y - z * 2");
  // Nothing becomes shorter.
  EXPECT_EQ(after("add", x - (y + 1)), "x - (y + 1)");
  EXPECT_EQ(report.steps, 0);
  EXPECT_EQ(after("add", x + y + x, /*floats=*/true), "x + y + x");
}

// Floats keep their order but where a mode gives that up.
TEST_F(Chains, Floats) {
  for (const Variable &kept : {u + v - u, (u + 1.0) + (v - 1.0), u * 2.0 + v + u * 3.0})
    for (Effects allowed : {kStrictEffects, kDefaultEffects}) {
      absl::StatusOr<FunctionGraph> fg = FunctionGraph::create(inputs, {kept});
      ASSERT_TRUE(rewrite(*fg, {.allowed = allowed}).ok());
      EXPECT_EQ(pp(fg->output(0)), pp(kept));
    }
  absl::StatusOr<FunctionGraph> fg = FunctionGraph::create(inputs, {u * 2.0 + v + u * 3.0});
  ASSERT_TRUE(rewrite(*fg, {.allowed = kAllEffects}).ok());
  EXPECT_EQ(pp(fg->output(0)), "u * 5.0 + v");
}

// What vanishes takes part in the shape still.
TEST_F(Chains, Shapes) {
  EXPECT_EQ(after("add", x + y - x), pp(second(x, y)));
  EXPECT_EQ(after("add", x + y - x, false, kAllEffects), "y");
  EXPECT_EQ(after("add", x - y - x + y), pp(second(y, second(x, 0))));
  EXPECT_EQ(after("add", four + row - four), pp(second(four, row)));
  EXPECT_EQ(after("add", row + four - row), "four");
  // A constant that changes nothing but the shape stays.
  EXPECT_EQ(after("add", row + constant(Tensor({1, 2, 3}, DType::Int64)) -
                             constant(Tensor({1, 2, 3}, DType::Int64))),
            pp(row + constant(Tensor({0, 0, 0}, DType::Int64))));
}

// A term of few bits is not added to itself in those.
TEST_F(Chains, PromotedTerms) {
  EXPECT_EQ(after("add", x + narrow + narrow), pp(x + cast(narrow, DType::Int64) * 2));
  EXPECT_EQ(after("mul", x * narrow * narrow), pp(x * sqr(cast(narrow, DType::Int64))));
  EXPECT_EQ(after("add", (narrow + narrow) + x), "n * 2 + x"); // an int8 product
}

// A node that something else uses, too, ends a chain: it is computed anyhow.
TEST_F(Chains, SharedNodes) {
  Variable shared = x + y;
  FunctionGraph fg = rewritten({{.name = "r", .op = "add"}}, {shared + z + shared, shared});
  EXPECT_EQ(pp(fg.output(0)), "(x + y) * 2 + z");
  EXPECT_EQ(fg.output(0).owner().input(0).owner().input(0), fg.output(1));
}

TEST_F(Chains, Products) {
  EXPECT_EQ(after("mul", (x * 2) * (y * 3)), "x * y * 6");
  EXPECT_EQ(after("mul", (-x) * (-y)), "x * y");
  EXPECT_EQ(after("mul", (-x) * (y * 2)), "x * y * -2");
  EXPECT_EQ(after("mul", -x * y * -z * -x), "-(sqr(x) * y * z)");
  EXPECT_EQ(after("mul", x * x * x * x * x), "x * sqr(sqr(x))");
  EXPECT_EQ(after("mul", u * v / u, /*floats=*/true, kAllEffects), "v");
  EXPECT_EQ(after("mul", u / v / u, /*floats=*/true), pp(second(u, reciprocal(v))));
}

TEST_F(Chains, IdempotentOps) {
  EXPECT_EQ(after("maximum", maximum(maximum(x, 1), maximum(y, 3))), pp(maximum(maximum(x, y), 3)));
  EXPECT_EQ(after("maximum", maximum(maximum(u, v), u), /*floats=*/true), pp(maximum(u, v)));
  EXPECT_EQ(after("bitwiseAnd", bitwiseAnd(bitwiseAnd(x, 12), 10)), pp(bitwiseAnd(x, 8)));
  EXPECT_EQ(after("bitwiseXor", bitwiseXor(bitwiseXor(four, row), row)), "four");
}

// The chain's own name, its effects and all its places.
TEST_F(Chains, Told) {
  std::vector<std::string> steps;
  Variable once = x + y;
  RewriteOptions options;
  options.explain = [&](const RewriteStep &step) {
    steps.push_back(step.rule + ": " + step.before + " -> " + step.after);
    EXPECT_EQ(step.places.size(), 2u);
  };
  absl::StatusOr<FunctionGraph> fg = FunctionGraph::create(inputs, {once + x});
  GraphRewriterPtr chains = equilibrium("t", {}, {{.name = "terms", .op = "add"}});
  ASSERT_TRUE(chains->rewrite(*fg, options, report).ok());
  EXPECT_THAT(steps, ElementsAre("terms: x + y + x -> x * 2 + y"));

  RewriteDatabase database;
  absl::Status status = database.add(ChainRule{.name = "r", .op = "sub"}, {}, 1);
  EXPECT_EQ(errorKind(status), ErrorKind::ValueError);
  EXPECT_EQ(status.message(), "rule r: nothing is known of chains of 'sub'");
}

// Rules of the position run again on what a chain became, and the chain on what they made.
TEST_F(Chains, TogetherWithRules) {
  absl::StatusOr<FunctionGraph> fg =
      FunctionGraph::create(inputs, {-(-(x + y)) + x + invert(invert(y))});
  ASSERT_TRUE(rewrite(*fg, {}, {.include = {"canonicalize"}}).ok());
  EXPECT_EQ(pp(fg->output(0)), "x * 2 + y * 2");
}

// 10^5 terms: of 3 Variables, and of as many different ones; a pass is linear.
TEST_F(Chains, Long) {
  constexpr int kTerms = 100'000;
  Variable sum = x, constants = x;
  for (int i = 1; i < kTerms; ++i) {
    sum = i % 3 == 0 ? sum + x : i % 3 == 1 ? sum - y : sum + z;
    constants = i % 2 ? constants + i : constants + y;
  }
  EXPECT_EQ(after("add", sum), "x * 33334 + z * 33333 - y * 33333");
  EXPECT_EQ(report.steps, 1);
  EXPECT_EQ(after("add", constants), "x + y * 49999 + 2500000000");

  Variable different = x;
  for (int i = 1; i < kTerms; ++i)
    different = different + bitwiseXor(x, i);
  FunctionGraph fg = rewritten({{.name = "r", .op = "add"}}, {different + x});
  EXPECT_EQ(report.steps, 1);
  EXPECT_EQ(fg.numNodes(), size_t(2 * (kTerms - 1) + 1));
}

} // namespace
} // namespace graphc
