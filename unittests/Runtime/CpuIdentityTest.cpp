//===- CpuIdentityTest.cpp - which code this processor runs ---------------===//
#include "Runtime/CpuIdentity.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace graphc {
namespace {

TEST(CpuIdentity, IsTheSameAtEachReading) {
  Hash128 first = cpuIdentity(), second = cpuIdentity();
  EXPECT_TRUE(first == second);
}

#if defined(__x86_64__)

// What the levels of the x86-64 psABI (table "micro-architecture levels") ask for beyond the
// baseline, by the kernel's names; v2 is in v3.
TEST(CpuIdentity, KnowsTheLevelsThatItHas) {
  std::set<std::string> flags;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) {
      std::istringstream words(line.substr(line.find(':') + 1));
      for (std::string word; words >> word;)
        flags.insert(word);
      break;
    }
  ASSERT_TRUE(flags.contains("sse2"));
  auto hasAll = [&](const std::vector<std::string> &names) {
    for (const std::string &name : names)
      if (!flags.contains(name))
        return false;
    return true;
  };
  bool v3 = hasAll({"cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2", "avx", "avx2",
                    "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"});
  bool v4 = v3 && hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  EXPECT_TRUE(runsCodeFor("native"));
  EXPECT_TRUE(runsCodeFor("x86-64"));
  EXPECT_EQ(runsCodeFor("x86-64-v3"), v3);
  EXPECT_EQ(runsCodeFor("x86-64-v4"), v4);
  EXPECT_FALSE(runsCodeFor("aarch64"));
}

#endif

} // namespace
} // namespace graphc
