//===- SummaryTest.cpp - geometric means of groups, computed by hand --------===//
#include "Summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "Examples.h"

namespace graphc::bench {
namespace {

const Group kFirst{"first", {{"oneDNN", 1, 1.2}}}, kSecond{"second"};

Measurement rowOf(const char *name, const Group *group, std::vector<Beside> rivals) {
  Measurement m;
  m.name = name;
  m.group = group;
  m.rivals = std::move(rivals);
  return m;
}

Beside ratioTo(const char *peer, Median ratio) { return {peer, {}, ratio, {}}; }

/// Ratios whose products are squares and cubes of numbers that have few digits.
std::vector<Measurement> rows() {
  std::vector<Measurement> rows = {
      rowOf("a", &kFirst, {ratioTo("oneDNN", {0.5, 0.4, 0.6}), ratioTo("NumPy", {0.1, 0.1, 0.1})}),
      rowOf("b", &kFirst, {ratioTo("oneDNN", {2, 1.06, 2.5})}),
      rowOf("c", &kFirst,
            {ratioTo("oneDNN", {0.125, 0.1, 0.2}), ratioTo("NumPy", {0.4, 0.3, 0.5})}),
      rowOf("d", &kSecond,
            {ratioTo("plain call", {40, 39, 41}), ratioTo("C++", {1.25, 1.05, 1.3})}),
      rowOf("alone", &kSecond, {}),
      rowOf("no group", nullptr, {ratioTo("C++", {9, 9, 9})}),
      rowOf("at the limit", &kSecond, {ratioTo("C++", {1.5, 1.4, 1.6})}),
      rowOf("itself", &kSecond, {ratioTo("forward", {3, 3, 3})}),
      rowOf("arithmetic", &kSecond, {ratioTo("C++", {0.8, 0.7, 0.9})})};
  rows[3].rivals[0].isPeer = false;
  rows[6].limit = Limit{"memory", 0.9, true};
  rows[7].rivals[0].isPeer = false;
  rows[8].limit = Limit{"f32", 0.99, false}; // as fast as it can be, but no bandwidth
  return rows;
}

TEST(Statistics, GeometricMeans) {
  EXPECT_DOUBLE_EQ(geometricMean({2, 8}), 4);
  EXPECT_DOUBLE_EQ(geometricMean({0.5, 2, 8}), 2);
  EXPECT_DOUBLE_EQ(geometricMean({3}), 3);
  EXPECT_EQ(geometricMean({}), 0);
}

TEST(Summary, HasGroupsInOrderAllRowsAndThoseAtTheLimit) {
  std::vector<std::string> names;
  std::vector<int> counts;
  for (const Summary &summary : summariesOf(rows())) {
    names.emplace_back(summary.group->name);
    counts.push_back(summary.best.rows);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "all", "at the machine's limit"}));
  EXPECT_EQ(counts, (std::vector{3, 2, 5, 1}));
}

TEST(Summary, MeansAreOfTheBestOneOfEachRowAndOfEachSystem) {
  std::vector<Summary> summaries = summariesOf(rows());
  const Ratios &best = summaries[0].best;
  EXPECT_DOUBLE_EQ(best.mean, std::cbrt(0.5 * 2 * 0.4)); // c is beside NumPy
  EXPECT_EQ(best.greatest, 2);
  EXPECT_EQ(best.row, "b");
  EXPECT_EQ(best.greatestLow, 1.06);
  EXPECT_EQ(best.behind, 1); // 1.06 > 1 / 0.95 > 1.05
  const Ratios *oneDnn = summaries[0].beside("oneDNN"), *numPy = summaries[0].beside("NumPy");
  ASSERT_TRUE(oneDnn && numPy);
  EXPECT_DOUBLE_EQ(oneDnn->mean, 0.5); // the third root of 1/8
  EXPECT_EQ(oneDnn->rows, 3);
  EXPECT_DOUBLE_EQ(numPy->mean, 0.2); // the root of 4/100
  EXPECT_EQ(numPy->rows, 2);
  EXPECT_EQ(numPy->row, "c");
  EXPECT_EQ(summaries[0].beside("C++"), nullptr);

  EXPECT_DOUBLE_EQ(summaries[1].best.mean, 1); // of 1.25 and 0.8
  EXPECT_EQ(summaries[1].best.behind, 0);
  EXPECT_EQ(summaries[1].beside("plain call"), nullptr);
  EXPECT_DOUBLE_EQ(summaries[2].best.mean, std::pow(0.4, 0.2));
  EXPECT_EQ(summaries[2].best.behind, 1);
  EXPECT_EQ(summaries[3].best.mean, 1.5);
}

TEST(Summary, ABarIsReachedByTheMeanAndBySomeOfEachInterval) {
  EXPECT_EQ(summariesOf(rows())[0].reached(), true);
  EXPECT_EQ(summariesOf(rows())[1].reached(), std::nullopt);
  auto reachedWith = [](Group group) {
    Measurement a = rowOf("a", &group, {ratioTo("oneDNN", {0.5, 0.4, 0.6})}),
                b = rowOf("b", &group, {ratioTo("oneDNN", {2, 1.06, 2.5})});
    return summariesOf({a, b})[0].reached(); // the mean is 1
  };
  EXPECT_EQ(reachedWith({"", {{"oneDNN", 1}}}), true);
  EXPECT_EQ(reachedWith({"", {{"oneDNN", 0.99}}}), false);
  EXPECT_EQ(reachedWith({"", {{"oneDNN", 1, 1.06}}}), true);
  EXPECT_EQ(reachedWith({"", {{"oneDNN", 1, 1.05}}}), false);
  EXPECT_EQ(reachedWith({"", {{"", 1}}}), true);
  EXPECT_EQ(reachedWith({"", {{"", 1}, {"oneDNN", 0.5}}}), false);
  EXPECT_EQ(reachedWith({"", {{"", 1}, {"NumPy", 1}}}), std::nullopt);
}

TEST(Summary, OneGroupIsAllThereIs) {
  std::vector<Measurement> first = rows();
  first.resize(3);
  EXPECT_EQ(summariesOf(first).size(), 1);
  EXPECT_TRUE(summariesOf({}).empty());
}

} // namespace
} // namespace graphc::bench
