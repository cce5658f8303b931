//===- SizeValueTest.cpp - the value of a size node -------------------------------===//
#include <vector>

#include <gtest/gtest.h>

#include "graphc/Host.h"

namespace graphc {
namespace {

using Known = std::optional<SizeValue>;

/// The value of `condition ? b : c`, and which operands it was asked for.
struct Selected {
  Known value;
  std::vector<int32_t> asked;
};

Selected select(Known condition, Known b, Known c) {
  Selected result;
  result.value = sizeValue({SizeOp::Select, 0, 1, 2}, [&](int32_t id) {
    result.asked.push_back(id);
    return id == 0 ? condition : id == 1 ? b : c;
  });
  return result;
}

TEST(SizeValue, SelectAsksForTheChosenOneAlone) {
  Selected first = select(1, 5, std::nullopt), second = select(0, std::nullopt, 7);
  EXPECT_TRUE(first.value == Known(5));
  EXPECT_EQ(first.asked, (std::vector<int32_t>{0, 1}));
  EXPECT_TRUE(second.value == Known(7));
  EXPECT_EQ(second.asked, (std::vector<int32_t>{0, 2}));
  EXPECT_FALSE(select(std::nullopt, 5, 7).value.has_value());
  EXPECT_FALSE(select(1, std::nullopt, 7).value.has_value());
}

// What is computed from a number that nobody knows is not known either, whichever branch it is.
TEST(SizeValue, SelectByWhatIsBeyondAllBoundsIsBeyondThem) {
  EXPECT_TRUE(select(kHugeSize, 5, 7).value == Known(kHugeSize));
  EXPECT_TRUE(select(1, kHugeSize, 7).value == Known(kHugeSize));
  EXPECT_TRUE(select(0, kHugeSize, 7).value == Known(7));
}

TEST(SizeValue, OthersNeedAllOperands) {
  Known a, b = 3;
  auto of = [&](int32_t id) { return id == 0 ? a : b; };
  SizeNode product{SizeOp::Mul, 0, 1};
  EXPECT_FALSE(sizeValue(product, of).has_value());
  a = 14;
  EXPECT_TRUE(sizeValue(product, of) == Known(42));
  EXPECT_TRUE(sizeValue({SizeOp::Constant, -1, -1, -1, 9}, of) == Known(9));
  EXPECT_FALSE(sizeValue({SizeOp::Dim, 0, 0}, of).has_value());
  EXPECT_FALSE(sizeValue({SizeOp::Element, 0, 1}, of).has_value());
}

} // namespace
} // namespace graphc
