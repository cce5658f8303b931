//===- SwitchesTest.cpp - what each optimization brings is measured ---------===//
#include "Switches.h"

#include <fstream>
#include <set>
#include <sstream>

#include "Case.h"
#include "Support/Optimizations.h"
#include "gtest/gtest.h"

namespace graphc::bench {
namespace {

std::string textOf(const std::string &path) {
  std::ifstream in(std::string(GRAPHC_TEST_DATA "/../../") + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Switches, HaveEachOptimization) {
  const std::string script = textOf("tools/performance");
  for (const OptimizationInfo &one : kOptimizations) {
    EXPECT_TRUE(std::ranges::any_of(kSwitches, [&](const Switch &s) { return s.name == one.name; }))
        << one.name << ": add the cases that show what it brings to tools/graphc-bench/Switches.h";
    EXPECT_NE(script.find("\n| " + std::string(one.name) + " | "), std::string::npos)
        << one.name << ": say what it is in the table of tools/performance";
  }
}

TEST(Switches, AreShownByCasesThatThereAre) {
  std::set<std::string> names;
  for (const Case &one : allCases())
    names.insert(one.name);
  for (const Switch &one : kSwitches) {
    EXPECT_FALSE(one.cases.empty()) << one.name;
    for (std::string_view name : one.cases)
      EXPECT_TRUE(names.contains(std::string(name))) << one.name << ": no case " << name;
  }
}

// What changes nothing on one thread is no row there.
TEST(Switches, AreOfThatManyThreads) {
  EXPECT_FALSE(isForSwitch("sum_all_f32", 1));
  EXPECT_TRUE(isForSwitch("sum_all_f32", 2));
  EXPECT_TRUE(isForSwitch("ew10", 1) && isForSwitch("ew10", 2));
  EXPECT_FALSE(isForSwitch("call_bind", 2));
}

} // namespace
} // namespace graphc::bench
