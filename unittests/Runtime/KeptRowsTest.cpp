//===- KeptRowsTest.cpp - constants as products read them --------------------===//
#include "Runtime/KeptRows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "Support/CopiedRows.h"

namespace graphc {
namespace {

std::vector<char> bytes(int64_t count) {
  std::vector<char> made(size_t(count), 0);
  for (int64_t i = 0; i < count; ++i)
    made[size_t(i)] = char(i * 7 + i / 251);
  return made;
}

// 16 rows of 4 KB are in one set of the L1 cache: 64 bytes more, and they are in 16.
TEST(KeptRows, HaveAGapWhereTheyCollide) {
  std::vector<char> constant = bytes(16 << 12);
  KeptRows kept;
  const auto *rows =
      static_cast<const char *>(kept.get(constant.data(), int64_t(constant.size()), 4096));
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(uintptr_t(rows) % 64, 0u);
  for (size_t row = 0; row < 16; ++row)
    EXPECT_EQ(std::memcmp(rows + row * (4096 + 64), constant.data() + row * 4096, 4096), 0) << row;
  EXPECT_EQ(kept.get(constant.data(), int64_t(constant.size()), 4096), rows);
  // In rows of another length it is another operand.
  const void *longer = kept.get(constant.data(), int64_t(constant.size()), 8192);
  EXPECT_TRUE(longer && longer != rows);
}

TEST(KeptRows, AreOfWhatProductsWouldCopy) {
  std::vector<char> constant = bytes(1 << 20);
  KeptRows kept;
  auto isKept = [&](int64_t size, int64_t rowBytes) {
    return kept.get(constant.data(), size, rowBytes) != nullptr;
  };
  EXPECT_TRUE(isKept(32 << 10, 4096)); // one set
  EXPECT_FALSE(isKept(28 << 10, 4096));
  EXPECT_TRUE(isKept(256 << 10, 2048)); // two
  EXPECT_FALSE(isKept(254 << 10, 2048));
  EXPECT_TRUE(isKept(1 << 20, 1024)); // large
  EXPECT_FALSE(isKept((1 << 20) - 1024, 1024));
  EXPECT_FALSE(isKept(0, 4096));
  EXPECT_FALSE(isKept(1 << 20, 0)); // no rows at all
  EXPECT_FALSE(isKept((1 << 20) - 1, 4096));
  EXPECT_EQ(copiedStride(1000), 1000); // neighbours are in different sets as it is
}

TEST(KeptRows, AreOneForAllThreads) {
  std::vector<char> constant = bytes(1 << 20);
  KeptRows kept;
  std::vector<const void *> found(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back(
        [&, i] { found[i] = kept.get(constant.data(), int64_t(constant.size()), 1 << 14); });
  for (std::thread &thread : threads)
    thread.join();
  for (const void *one : found)
    EXPECT_TRUE(one && one == found[0]);
}

} // namespace
} // namespace graphc
