//===- ReportTest.cpp - limits, targets, tables, JSON ---------------------===//
#include "Report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "Examples.h"

namespace graphc::bench {
namespace {

//===--- limits -----------------------------------------------------------------===//

TEST(Machine, WithoutACostThereIsNoLimit) {
  EXPECT_FALSE(exampleMachine().limitOf({}, 1000).has_value());
  EXPECT_FALSE(Machine().limitOf({.flops = 1}, 1000).has_value());
}

TEST(Machine, ArithmeticLimitsByItsDType) {
  // 100 operations per ns in f32: 1000 take at least 10 ns.
  Limit single = *exampleMachine().limitOf({.flops = 1000, .read = 8}, 20);
  EXPECT_EQ(single.of, "f32");
  EXPECT_DOUBLE_EQ(single.share, 0.5);
  EXPECT_FALSE(single.isBandwidth);
  Limit twice = *exampleMachine().limitOf({.flops = 1000, .read = 8, .dtype = DType::Float64}, 20);
  EXPECT_EQ(twice.of, "f64");
  EXPECT_DOUBLE_EQ(twice.share, 1);
  Limit half = *exampleMachine().limitOf({.flops = 1000, .read = 8, .dtype = DType::BFloat16}, 20);
  EXPECT_EQ(half.of, "bf16");
  EXPECT_DOUBLE_EQ(half.share, 0.25);
}

TEST(Machine, BytesAreLimitedByArraysOfTheirSize) {
  auto limitOf = [](double read, double written, double ns) {
    return *exampleMachine().limitOf({.flops = 1, .read = read, .written = written}, ns);
  };
  EXPECT_EQ(limitOf(1e6, 0, 1e4).of, "cache");
  EXPECT_DOUBLE_EQ(limitOf(1e6, 0, 1e4).share, 1);
  EXPECT_EQ(limitOf(1e6 + 1, 0, 1e4).of, "12 MiB");
  EXPECT_EQ(limitOf(1e9, 0, 1e9).of, "memory");
  EXPECT_DOUBLE_EQ(limitOf(1e9, 0, 1e9).share, 0.1);
  // Writing counts, and where a quarter is written or more, it slows the reading.
  EXPECT_DOUBLE_EQ(limitOf(8e6, 4e6, 12e6 / 25).share, 1);
  EXPECT_DOUBLE_EQ(limitOf(9e6, 1e6, 10e6 / 50).share, 1);
}

TEST(Machine, EachRateIsTheGreaterOfTwo) {
  Machine machine = exampleMachine(), again = exampleMachine();
  again.f32 = 120e9;
  again.f64 = 10e9;
  again.bf16 = 210e9;
  again.bandwidths[2].read = 20e9;
  again.bandwidths[2].mixed = 1e9;
  machine.raiseTo(again);
  EXPECT_EQ(machine.f32, 120e9);
  EXPECT_EQ(machine.f64, 50e9);
  EXPECT_EQ(machine.bf16, 210e9);
  EXPECT_EQ(machine.bandwidths[2].read, 20e9);
  EXPECT_EQ(machine.bandwidths[2].mixed, 5e9);
}

//===--- targets ----------------------------------------------------------------===//

TEST(Measurement, TheBestRivalIsTheOneThatIsHardestToReach) {
  EXPECT_EQ(exampleReport().measurements[0].best()->name, "C++");
  EXPECT_EQ(Measurement().best(), nullptr);
}

TEST(Measurement, ATargetIsReachedWhereTheIntervalReachesIt) {
  Measurement m = exampleReport().measurements[0];
  m.rivals.resize(1);
  m.rivals[0].ratio = {1.08, 1.05, 1.1};
  EXPECT_EQ(m.reached(), true);
  m.rivals[0].ratio = {1.08, 1.051, 1.1};
  EXPECT_EQ(m.reached(), false);
  m.target = {.extraNanoseconds = 10, .extraOfPeer = 0.01}; // 20 ns
  m.rivals[0].extra = {25, 20, 30};
  EXPECT_EQ(m.reached(), true);
  m.rivals[0].extra.low = 21;
  EXPECT_EQ(m.reached(), false);
  m.target = {.milliseconds = 1e-3};
  m.ours.time = {1100, 1000, 1200};
  EXPECT_EQ(m.reached(), true);
  m.ours.time.low = 1001;
  EXPECT_EQ(m.reached(), false);
  m.target = {};
  EXPECT_FALSE(m.reached().has_value());
}

//===--- tables -----------------------------------------------------------------===//

TEST(Report, TimesHaveThreeOrFourDigits) {
  EXPECT_EQ(timeText(12.34), "12.3 ns");
  EXPECT_EQ(timeText(-12340), "-12.3 us");
  EXPECT_EQ(timeText(12.34e6), "12.340 ms");
  EXPECT_EQ(timeText(123.4e6), "123 ms");
}

TEST(Report, TableHasAColumnForEachRivalAndOneTableForEachListOfPhases) {
  EXPECT_EQ(tableOf(exampleReport()),
            "case  graphc     C++   NumPy  beside  ratio         95 %    extra  target   reached"
            "                         limit   compile  what\n"
            "sum   1.0 us  1.0 us  2.0 us  C++     1.020  1.010-1.030  20.0 ns  <= 1.05  yes    "
            "  95 % of memory, at the limit  4.000 ms  a sum\n"
            "\n"
            "ns per node  build  run\n"
            "nodes        400.0  2.0\n");
}

TEST(Report, GeometricMeansStandBelowTheRowsInAllFormats) {
  const Group odd{"odd", {{"", 0.87, 1.05}, {"NumPy", 1}}}, others{"others"};
  Report report = exampleReport();
  report.measurements[0].group = &odd;
  report.measurements[0].limit = {};
  // One row says nothing that its line does not.
  EXPECT_EQ(tableOf(report).find("geometric"), std::string::npos);
  report.measurements.push_back(report.measurements[0]);
  Measurement &more = report.measurements.back();
  more.name = "more";
  more.group = &others;
  more.rivals = {besideOf("C++", 1000, 2)};
  std::string text = tableOf(report);
  EXPECT_EQ(text.substr(text.find("geometric")),
            "geometric mean  rows  beside the best    C++       NumPy  greatest  of    behind  "
            "target                                   reached\n"
            "odd                1            1.020  1.020       0.500     1.020  sum        0  "
            "<= 0.870, each <= 1.050, NumPy <= 1.000  no\n"
            "others             1            2.000  2.000                 2.000  more       1\n"
            "all                2            1.428  1.428  0.500 of 1     2.000  more       1  "
            "<= 0.870, each <= 1.053                  no\n"
            "\n"
            "ns per node  build  run\n"
            "nodes        400.0  2.0\n");
  std::string markdown = markdownOf(report);
  size_t begin = markdown.find("| geometric"), end = markdown.find("\n\n", begin);
  EXPECT_EQ(markdown.substr(begin, end - begin),
            "| geometric mean | rows | beside the best | C++ | NumPy | greatest | of | behind | "
            "target | reached |\n"
            "|---|---|---|---|---|---|---|---|---|---|\n"
            "| odd | 1 | 1.020 | 1.020 | 0.500 | 1.020 | sum | 0 | "
            "<= 0.870, each <= 1.050, NumPy <= 1.000 | no |\n"
            "| others | 1 | 2.000 | 2.000 |  | 2.000 | more | 1 |  |  |\n"
            "| all | 2 | 1.428 | 1.428 | 0.500 of 1 | 2.000 | more | 1 | "
            "<= 0.870, each <= 1.053 | no |");
  nlohmann::json json = nlohmann::json::parse(jsonOf(report));
  EXPECT_EQ(json["cases"][0]["group"], "odd");
  EXPECT_EQ(json["cases"][0]["rivals"][0]["is_peer"], true);
  ASSERT_EQ(json["groups"].size(), 3);
  const nlohmann::json &first = json["groups"][0];
  EXPECT_EQ(first["name"], "odd");
  EXPECT_EQ(first["beside"]["rows"], 1);
  EXPECT_DOUBLE_EQ(first["beside"]["mean"], 1.02);
  EXPECT_EQ(first["beside"]["greatest"], 1.02);
  EXPECT_EQ(first["beside"]["greatest_of"], "sum");
  EXPECT_EQ(first["beside"]["behind"], 0);
  EXPECT_DOUBLE_EQ(first["peers"]["NumPy"]["mean"], 0.5);
  EXPECT_EQ(first["target"][0], (nlohmann::json{{"peer", ""}, {"mean", 0.87}, {"each", 1.05}}));
  EXPECT_EQ(first["reached"], false);
  EXPECT_FALSE(json["groups"][1].contains("reached"));
}

TEST(Report, MarkdownHasMachineAndSystems) {
  Report report = exampleReport();
  report.systems = {{"NumPy", "1.24", ""}, {"PyTorch", "", "not installed here"}};
  EXPECT_EQ(
      markdownOf(report),
      "Measured on 1 thread; at most 100 GFLOP/s in f32, 50 in f64, 200 in bf16; cache: 100 GB/s "
      "read, 50 "
      "GB/s with every third written; 12 MiB: 50 GB/s read, 25 GB/s with every third written; "
      "memory: 10 GB/s read, 5 GB/s with every third written.\n"
      "\n"
      "- NumPy: 1.24\n"
      "- PyTorch: not installed here\n"
      "\n"
      "| case | graphc | C++ | NumPy | PyTorch | beside | ratio | 95 % | target | reached | "
      "limit | compile |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n"
      "| sum | 1.0 us | 1.0 us | 2.0 us | not installed | C++ | 1.020 | 1.010-1.030 | <= 1.05 "
      "| yes | 95 % of memory, at the limit | 4.000 ms |\n"
      "\n"
      "| ns per node | build | run |\n"
      "|---|---|---|\n"
      "| nodes | 400.0 | 2.0 |\n");
}

TEST(Report, JsonHasWhatDocsSay) {
  nlohmann::json json = nlohmann::json::parse(jsonOf(exampleReport()));
  EXPECT_EQ(json["version"], 2);
  EXPECT_EQ(json["context"]["threads"], 1);
  EXPECT_EQ(json["context"]["peaks"]["f32_per_second"], 100e9);
  EXPECT_EQ(json["context"]["peaks"]["bf16_per_second"], 200e9);
  const nlohmann::json &sum = json["cases"][0];
  EXPECT_EQ(sum["name"], "sum");
  EXPECT_EQ(sum["ns"]["median"], 1020);
  EXPECT_EQ(sum["ns"]["least"], 1000);
  EXPECT_EQ(sum["rivals"][1]["name"], "NumPy");
  EXPECT_EQ(sum["rivals"][1]["ratio"]["median"], 0.5);
  EXPECT_EQ(sum["beside"], "C++");
  EXPECT_EQ(sum["compile_ns"], 4e6);
  EXPECT_EQ(sum["flops"], 1000);
  EXPECT_EQ(sum["bytes"]["read"], 4000);
  EXPECT_EQ(sum["limit"]["of"], "memory");
  EXPECT_EQ(sum["limit"]["is_reached"], true);
  EXPECT_EQ(sum["reached"], true);
  EXPECT_EQ(json["cases"][1]["ns_per_node"]["build"], 400);
}

} // namespace
} // namespace graphc::bench
