//===- KeptOperandsTest.cpp - constants as products read them --------------------===//
#include "Runtime/KeptOperands.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace graphc {
namespace {

const KeptForm kRows;

std::vector<char> bytes(int64_t count) {
  std::vector<char> made(size_t(count), 0);
  for (int64_t i = 0; i < count; ++i)
    made[size_t(i)] = char(i * 7 + i / 251);
  return made;
}

// 16 rows of 4 KB are in one set of the L1 cache: 64 bytes more, and they are in 16.
TEST(KeptOperands, HaveAGapWhereTheyCollide) {
  std::vector<char> constant = bytes(16 << 12);
  KeptOperands kept;
  auto copyOf = [&](int64_t rowBytes) {
    return static_cast<const char *>(
        kept.get(constant.data(), int64_t(constant.size()), rowBytes, kRows));
  };
  const char *rows = copyOf(4096);
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(uintptr_t(rows) % 64, 0u);
  for (size_t row = 0; row < 16; ++row)
    EXPECT_EQ(std::memcmp(rows + row * (4096 + 64), constant.data() + row * 4096, 4096), 0) << row;
  EXPECT_EQ(copyOf(4096), rows);
  // In rows of another length it is another operand.
  const void *longer = copyOf(8192);
  EXPECT_TRUE(longer && longer != rows);
}

TEST(KeptOperands, AreOfWhatProductsWouldCopy) {
  std::vector<char> constant = bytes(1 << 20);
  KeptOperands kept;
  auto isKept = [&](int64_t size, int64_t rowBytes) {
    return kept.get(constant.data(), size, rowBytes, kRows) != nullptr;
  };
  EXPECT_TRUE(isKept(32 << 10, 4096)); // one set
  EXPECT_TRUE(isKept(36 << 10, 12288));
  EXPECT_FALSE(isKept(28 << 10, 4096));
  EXPECT_FALSE(isKept(1 << 20, 2048)); // two
  EXPECT_FALSE(isKept(1 << 20, 1024));
  EXPECT_FALSE(isKept(0, 4096));
  EXPECT_FALSE(isKept(1 << 20, 0)); // no rows at all
  EXPECT_FALSE(isKept((1 << 20) - 1, 4096));
  EXPECT_EQ(copiedStride(1000), 1000); // neighbours are in different sets as it is
}

/// Element (k, column) of panels of `width` columns of a matrix of `columns`.
template <class T>
T elementOf(const void *panels, int64_t length, int64_t width, int64_t k, int64_t column) {
  return static_cast<const T *>(panels)[(column / width * length + k) * width + column % width];
}

template <class T> void expectPanels(int64_t length, int64_t columns, int64_t width) {
  std::vector<T> matrix(size_t(length * columns)), turned(matrix.size());
  for (int64_t k = 0; k < length; ++k)
    for (int64_t column = 0; column < columns; ++column)
      matrix[size_t(k * columns + column)] = turned[size_t(column * length + k)] =
          T(k * columns + column + 1);
  KeptOperands kept;
  KeptForm form{0, int32_t(width), int32_t(sizeof(T)), false};
  auto bytes = int64_t(matrix.size() * sizeof(T));
  const void *panels = kept.get(matrix.data(), bytes, columns * int64_t(sizeof(T)), form);
  form.isTransposed = true;
  const void *ofTurned = kept.get(turned.data(), bytes, length * int64_t(sizeof(T)), form);
  ASSERT_TRUE(panels && ofTurned && panels != ofTurned);
  int64_t last = (columns + width - 1) / width * width;
  for (int64_t k = 0; k < length; ++k)
    for (int64_t column = 0; column < last; ++column) {
      T expected = column < columns ? T(k * columns + column + 1) : T(0);
      ASSERT_EQ(elementOf<T>(panels, length, width, k, column), expected) << k << ", " << column;
      ASSERT_EQ(elementOf<T>(ofTurned, length, width, k, column), expected) << k << ", " << column;
    }
}

// What one k needs stands together, in whole panels.
TEST(KeptOperands, ArePanels) {
  expectPanels<float>(100, 96, 32);
  expectPanels<float>(130, 77, 32);
  expectPanels<double>(513, 10, 8);
  expectPanels<double>(64, 129, 16);
  // A square matrix, read both ways, is two operands.
  std::vector<char> square = bytes(100 * 100 * 4);
  KeptOperands kept;
  auto panelsOf = [&](bool isTransposed) {
    return kept.get(square.data(), int64_t(square.size()), 400, {0, 32, 4, isTransposed});
  };
  EXPECT_NE(panelsOf(false), panelsOf(true));
  EXPECT_EQ(panelsOf(true), panelsOf(true));
  // Less than 32 KB stays where it lies.
  std::vector<char> small = bytes((32 << 10) - 256);
  EXPECT_EQ(KeptOperands().get(small.data(), int64_t(small.size()), 256, {0, 32, 4, false}),
            nullptr);
}

TEST(KeptOperands, AreOneForAllThreads) {
  std::vector<char> constant = bytes(1 << 20);
  KeptOperands kept;
  std::vector<const void *> found(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back(
        [&, i] { found[i] = kept.get(constant.data(), int64_t(constant.size()), 1 << 14, kRows); });
  for (std::thread &thread : threads)
    thread.join();
  for (const void *one : found)
    EXPECT_TRUE(one && one == found[0]);
}

} // namespace
} // namespace graphc
