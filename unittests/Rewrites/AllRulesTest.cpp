// F-301, F-307 to F-309: every rule keeps its word; and a test that finds wrong rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "Eval/Evaluate.h"
#include "Rewrites/Catalogue.h"
#include "RuleChecker.h"
#include "RuleReference.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr const char *kIntroduction =
    "# Rewrites\n\n"
    "The rules that come with graphc. `function` runs those that its mode allows. Made from\n"
    "their tables in `lib/Rewrites`; [AddARewrite.md](AddARewrite.md) explains formulas and "
    "effects. "
    "One test runs\n"
    "every rule on graphs of thirteen dtypes and fifteen choices of shapes and compares results "
    "before "
    "and "
    "after; the graph\n"
    "below each rule is one of them.\n";

TEST(AllRules, KeepTheirWord) {
  size_t count = 0;
  std::string page = kIntroduction;
  for (const RuleFamily &family : allFamilies()) {
    page += "\n## " + family.title + "\n\nTags:";
    for (const std::string &tag : family.tags)
      page += " " + tag;
    std::ostringstream position;
    position << family.position;
    page += ". Position " + position.str() + ".\n\n";
    for (const Rule &rule : family.rules) {
      ++count;
      absl::StatusOr<NodeRewriterPtr> compiled = compileRule(rule);
      ASSERT_TRUE(compiled.ok()) << compiled.status();
      RuleVerdict verdict = checkRule(rule);
      EXPECT_EQ(verdict.mismatch, "");
      EXPECT_GT(verdict.applied, 0) << rule.name << " was never applied";
      EXPECT_GT(verdict.compared, 0) << rule.name;
      page += ruleReference(rule, verdict.example) + "\n";
    }
    for (const ChainRule &rule : family.chains) {
      ++count;
      RuleVerdict verdict = checkRule(rule);
      EXPECT_EQ(verdict.mismatch, "");
      EXPECT_GT(verdict.applied, 0) << rule.name << " was never applied";
      EXPECT_GT(verdict.compared, 0) << rule.name;
      page += ruleReference(rule, verdict.example) + "\n";
    }
  }
  EXPECT_GE(count, 120u);
  page.pop_back();

  // With GRAPHC_UPDATE_DOCS=1 in the environment the page is written instead.
  std::string path = std::string(GRAPHC_TEST_DATA) + "/../../docs/Rewrites.md";
  if (std::getenv("GRAPHC_UPDATE_DOCS"))
    std::ofstream(path) << page;
  std::ifstream in(path);
  std::stringstream written;
  written << in.rdbuf();
  EXPECT_TRUE(written.str() == page)
      << "docs/Rewrites.md is out of date: run RewritesTests with GRAPHC_UPDATE_DOCS=1";
}

// A row whose replacement is more work than its pattern says so, and why it is worth that.
TEST(AllRules, StateWhatTheyCost) {
  for (const RuleFamily &family : allFamilies())
    for (const Rule &rule : family.rules) {
      if (rule.build) {
        EXPECT_TRUE(rule.cost) << rule.name << " has no formula to tell its cost";
        continue;
      }
      Rule plain = rule;
      plain.cost.reset();
      if (rule.cost)
        EXPECT_EQ(*rule.cost, ruleCost(plain)) << rule.name << " states another `.cost`";
      else
        EXPECT_LE(ruleCost(plain), 0)
            << rule.name << " is more work than its pattern: state `.cost = " << ruleCost(plain)
            << "`, and in `.doc` why it is worth it";
      if (rule.cost.value_or(0) > 0)
        EXPECT_NE(rule.doc, "") << rule.name << " is more work than its pattern: say in `.doc` why "
                                << "it is worth it";
    }
}

// By hand, of the model in Rewrite.h.
TEST(AllRules, CostModel) {
  auto cost = [](const char *pattern, const char *replacement) {
    return ruleCost({"r", pattern, replacement});
  };
  EXPECT_EQ(cost("log(1 + x)", "log1p(x)"), -1);
  EXPECT_EQ(cost("x * c / d", "x * (c / d)"), -5);
  EXPECT_EQ(cost("exp(x) / (1 + exp(x))", "sigmoid(x)"), 10 - (10 + 1 + 5));
  EXPECT_EQ(cost("sum(x * c)", "sum(x) * c"), 1 - 8);
  EXPECT_EQ(cost("subtensor(exp(x), index=p)", "exp(subtensor(x, index=p))"), 10 - 8 * 10);
  EXPECT_EQ(cost("shape(exp(x))", "shape(x)"), 0);
  // Of a product of matrices each element is 8 products and sums; of an average, a
  // division by an extent, which is converted.
  EXPECT_EQ(cost("matmul(x, y)", "x"), -16);
  EXPECT_EQ(cost("mean(x)", "sum(x)"), -5.5);
  EXPECT_EQ(ruleCost({.name = "r", .pattern = "x", .replacement = "-x", .cost = 7}), 7);
}

TEST(AllRules, NamesAreUnique) {
  std::set<std::string> names;
  for (const RuleFamily &family : allFamilies()) {
    for (const Rule &rule : family.rules)
      EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    for (const ChainRule &rule : family.chains)
      EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
  }
  // And graphs of OpFromGraphs, folding, upcasts, merging (3), the DestroyHandler, in-place.
  EXPECT_EQ(builtinRewrites().entries().size(), names.size() + 8);
}

// Row 43 of the catalogue, where erfc underflows and short of it. By mpmath 1.3, 40 digits. The doc
// of log_erfc says 8 ULP; float32 has its squares rounded, half an ULP each, and the like.
TEST(AllRules, LogErfc) {
  const std::pair<double, double> kValues[] = {
      {9.5, -93.07912219224849376}, {10, -102.87988902484488857},   {10.5, -113.17822504314959167},
      {12, -147.06071417798700949}, {20, -403.56934333410423496},   {26, -679.83119976319423026},
      {40, -1604.2615566532735557}, {1000, -1000007.4801207219062},
  };
  for (DType dtype : {DType::Float64, DType::Float32}) {
    Variable x = tensor(dtype, {}, "x");
    FunctionGraph fg = *FunctionGraph::create({x}, {log(erfc(x))});
    ASSERT_TRUE(rewrite(fg, {}, {.include = {"log_erfc"}}).ok());
    double epsilon = dtype == DType::Float64 ? 0x1p-52 : 0x1p-23;
    for (auto [at, wanted] : kValues) {
      TensorsOr got = evaluate(fg.outputs(), fg.inputs(), {Tensor(at).cast(dtype)});
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_NEAR((*got)[0].cast(DType::Float64).item<double>(), wanted,
                  8 * epsilon * std::abs(wanted));
    }
  }
}

// Each is wrong in another way; the test must find all.
TEST(AllRules, WrongRulesAreFound) {
  auto isDType = [](DType dtype) {
    return Condition([=](const Match &m) { return m["x"].dtype() == dtype; });
  };
  const Rule wrong[] = {
      {"no_abs", "abs(x)", "x"},
      {"sign", "log(1 + x)", "log1p(-x)", kRounding | kOverflow | kZeroSign},
      {"nan_lost", "x * 0", "second(x, 0)", kZeroSign},
      {"nan_in_minimum", "minimum(x, y)", "switch(lt(x, y), x, y)", kZeroSign},
      {"zero_sign_lost", "x + 0", "x"},
      {"scaled", "sum(x, axes=p, keepDims=q)", "sum(x * 2, axes=p, keepDims=q)",
       kRounding | kOverflow | kZeroSign},
      {"overflow_made", "x - y", "(x * 1e300 - y * 1e300) / 1e300",
       kRounding | kZeroSign | kNanInf},
      {"not_composed", "dimshuffle(dimshuffle(x, order=p), order=q)", "dimshuffle(x, order=q)"},
      // For no elements only: all of them are.
      {"empty", "all(second(x, 0), axes=p, keepDims=q)", "any(second(x, 0), axes=p, keepDims=q)"},
      // For unsigned integers only: -x is not below 0.
      {"unsigned", "abs(x)", "maximum(x, -x)", kZeroSign},
      // For NaN only.
      {"unordered", "logicalNot(lt(x, y))", "ge(x, y)"},
      // Of matrices of other extents the type promises too much.
      {"wrong_extent", "-(-x)", "specifyShape(x, shape=[4])"},
      // Near 0, where nearly all digits are lost.
      {"cancels", "expm1(x)", "exp(x) - 1", kRounding},
      // For float64 only.
      {"few_digits", "x * 3.141592653589793", "x * 3.14159265359", kRounding},
      // Where the condition's extent is another one.
      {"error_hidden", "switch(p, x, x)", "x"},
      // For results that nothing over- or underflows on the way to.
      {"no_overflow", "x * y + z", "x * y + z * 2", kRounding | kOverflow},
      // Small results are off by more than rounding.
      {"absolute", "x * y", "x * y + 0.000000000001", kRounding},
      // For bfloat16 only, 20 of whose epsilons that is; for float16 only, 10.
      {"bfloat16", "tanh(x)", "tanh(x) * 1.15625", kRounding, isDType(DType::BFloat16)},
      {"float16", "tanh(x)", "tanh(x) * 1.009765625", kRounding, isDType(DType::Float16)},
  };
  for (const Rule &rule : wrong)
    EXPECT_NE(checkRule(rule).mismatch, "") << rule.name;
}

} // namespace
} // namespace graphc
