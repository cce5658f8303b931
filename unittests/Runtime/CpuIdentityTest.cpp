//===- CpuIdentityTest.cpp - which code this processor runs ---------------===//
#include "Runtime/CpuIdentity.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace graphc {
namespace {

TEST(CpuIdentity, IsTheSameAtEachReading) {
  Hash128 first = cpuIdentity(), second = cpuIdentity();
  EXPECT_TRUE(first == second);
}

#if defined(__x86_64__)

// By what the C library's loader says, which looks for libraries by these levels. (What the kernel
// lists in /proc/cpuinfo may be less: some hypervisors hide features there that programs have.)
TEST(CpuIdentity, KnowsTheLevelsThatItHas) {
  std::FILE *loader = popen("/lib64/ld-linux-x86-64.so.2 --help", "r");
  ASSERT_NE(loader, nullptr);
  std::string help;
  for (char text[256]; std::fgets(text, sizeof(text), loader);)
    help += text;
  ASSERT_EQ(pclose(loader), 0);
  ASSERT_NE(help.find("x86-64-v4"), help.npos) << help;
  auto isSupported = [&](const std::string &level) {
    return help.find(level + " (supported") != help.npos;
  };
  EXPECT_TRUE(runsCodeFor("native"));
  EXPECT_TRUE(runsCodeFor("x86-64"));
  EXPECT_EQ(runsCodeFor("x86-64-v3"), isSupported("x86-64-v3"));
  EXPECT_EQ(runsCodeFor("x86-64-v4"), isSupported("x86-64-v4"));
  EXPECT_FALSE(runsCodeFor("aarch64"));
  EXPECT_TRUE(!runsCodeFor("x86-64-v4-bf16") || runsCodeFor("x86-64-v4"));
  EXPECT_EQ(runsCodeFor("x86-64-v4-amx"), mayUseTileRegisters());
  pretendTileRegisters(true);
  EXPECT_EQ(runsCodeFor("x86-64-v4-amx"), runsCodeFor("x86-64-v4-bf16"));
  pretendTileRegisters(false);
  EXPECT_EQ(runsCodeFor("x86-64-v4-amx"), mayUseTileRegisters());
}

#endif

} // namespace
} // namespace graphc
