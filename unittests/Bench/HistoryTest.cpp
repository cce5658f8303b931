//===- HistoryTest.cpp - what became slower -------------------------------===//
#include "History.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "Examples.h"

namespace graphc::bench {
namespace {

Comparison since(const Report &before, const Report &now) {
  absl::StatusOr<Comparison> c = compareWith(jsonOf(before), "old.json", now);
  EXPECT_TRUE(c.ok()) << c.status();
  return c.ok() ? *c : Comparison();
}

TEST(History, NothingChangesByItself) {
  Comparison c = since(exampleReport(), exampleReport());
  EXPECT_EQ(c.slower, 0);
  EXPECT_EQ(c.text, "0 slower, 0 faster, 4 as before, 0 cases not measured before\n");
}

TEST(History, RatiosCountWhereTheRivalIsThere) {
  Report now = exampleReport();
  // Twice the time on a machine that is half as fast.
  now.measurements[0].ours.time = around(2040);
  EXPECT_EQ(since(exampleReport(), now).slower, 0);
  now.measurements[0].rivals[0].ratio = around(1.2);
  Comparison c = since(exampleReport(), now);
  EXPECT_EQ(c.slower, 1);
  EXPECT_EQ(c.text, "case  what          before    now        change\n"
                    "sum   ratio to C++   1.020  1.200  +18 % slower\n"
                    "1 slower, 0 faster, 3 as before, 0 cases not measured before\n");
}

TEST(History, ASmallChangeOrOneWithinTheIntervalsIsNone) {
  Report now = exampleReport();
  now.measurements[0].rivals[0].ratio = around(1.06); // 4 %
  EXPECT_EQ(since(exampleReport(), now).slower, 0);
  now.measurements[0].rivals[0].ratio = {1.2, 1.0, 1.4};
  EXPECT_EQ(since(exampleReport(), now).slower, 0);
}

TEST(History, TimesCountWhereTheRivalIsNot) {
  Report now = exampleReport();
  now.measurements[0].rivals.erase(now.measurements[0].rivals.begin());
  now.measurements[0].ours.time = around(1200);
  EXPECT_EQ(since(exampleReport(), now).slower, 0);
  now.measurements[0].ours.time = around(2040);
  Comparison c = since(exampleReport(), now);
  EXPECT_EQ(c.slower, 1);
  EXPECT_EQ(c.text, "case  what  before     now         change\n"
                    "sum   time  1.0 us  2.0 us  +100 % slower\n"
                    "1 slower, 0 faster, 3 as before, 0 cases not measured before\n");
}

TEST(History, CompilationAndNodesCountByTheirTime) {
  Report now = exampleReport();
  now.measurements[0].compileSeconds = 0.006;
  now.measurements[1].perNode = {{"build", 200}, {"run", 2.2}, {"new", 1}};
  Comparison c = since(exampleReport(), now);
  EXPECT_EQ(c.slower, 1);
  EXPECT_EQ(c.text, "case   what              before       now        change\n"
                    "sum    compile         4.000 ms  6.000 ms  +50 % slower\n"
                    "nodes  build per node  400.0 ns  200.0 ns  -50 % faster\n"
                    "1 slower, 1 faster, 2 as before, 0 cases not measured before\n");
}

// They have come since version 2; nothing of them is compared.
TEST(History, FilesWithoutGroupsAreRead) {
  nlohmann::json before = nlohmann::json::parse(jsonOf(exampleReport()));
  ASSERT_EQ(before.erase("groups"), 1);
  for (nlohmann::json &rival : before["cases"][0]["rivals"])
    ASSERT_EQ(rival.erase("is_peer"), 1);
  absl::StatusOr<Comparison> c = compareWith(before.dump(), "old.json", exampleReport());
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c->text, "0 slower, 0 faster, 4 as before, 0 cases not measured before\n");
}

TEST(History, NewCasesAreCounted) {
  Report before = exampleReport();
  before.measurements.resize(1);
  EXPECT_EQ(since(before, exampleReport()).text,
            "0 slower, 0 faster, 2 as before, 1 cases not measured before\n");
}

TEST(History, OtherFilesAreRefused) {
  auto messageOf = [](const char *text) {
    return std::string(compareWith(text, "old.json", exampleReport()).status().message());
  };
  EXPECT_EQ(messageOf("not json"), "old.json: not JSON");
  for (const char *text : {"[]", "{}", R"({"version": 1, "cases": []})",
                           R"({"version": 2, "cases": [{"name": "sum", "beside": "C++"}]})"})
    EXPECT_EQ(messageOf(text), "old.json: not a file of graphc-bench --json");
}

} // namespace
} // namespace graphc::bench
