// F-301, F-307 to F-309: every rule keeps its word; and a test that finds wrong rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "Rewrites/Catalogue.h"
#include "Rewrites/Reference.h"
#include "RuleChecker.h"

namespace graphc {
namespace {

constexpr const char *kIntroduction =
    "# Rewrites\n\n"
    "The rules that come with graphc. `function` runs those that its mode allows. Made from\n"
    "their tables in `lib/Rewrites`; [AddARewrite.md](AddARewrite.md) explains formulas and "
    "effects. "
    "One test runs\n"
    "every rule on graphs of seven dtypes and ten choices of shapes and compares results before "
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

TEST(AllRules, NamesAreUnique) {
  std::set<std::string> names;
  for (const RuleFamily &family : allFamilies())
    for (const Rule &rule : family.rules)
      EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
  // And folding, merging (3), the DestroyHandler, in-place.
  EXPECT_EQ(builtinRewrites().entries().size(), names.size() + 6);
}

// Each is wrong in another way; the test must find all.
TEST(AllRules, WrongRulesAreFound) {
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
  };
  for (const Rule &rule : wrong)
    EXPECT_NE(checkRule(rule).mismatch, "") << rule.name;
}

} // namespace
} // namespace graphc
