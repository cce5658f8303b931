#include "graphc/Attributes.h"

#include <gtest/gtest.h>

#include <limits>

namespace graphc {
namespace {

TEST(Attributes, SortedAndReplaced) {
  Attributes a = {{"b", 2}, {"a", "text"}};
  a.set("b", IntList{1, 2});
  ASSERT_EQ(a.entries().size(), 2u);
  EXPECT_EQ(a.entries()[0].first, "a");
  EXPECT_EQ(a.string("a"), "text");
  EXPECT_EQ(a.ints("b"), (IntList{1, 2}));
  EXPECT_FALSE(a.has("c"));
  a.set("c", NoneAttr());
  EXPECT_TRUE(a.isNone("c"));
  EXPECT_FALSE(a.isNone("b"));
}

// F-054: equality and hash agree, bitwise on floats.
TEST(Attributes, EqualityAndHash) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  auto equal = [](const AttributeValue &x, const AttributeValue &y) {
    Attributes a = {{"k", x}}, b = {{"k", y}};
    EXPECT_EQ(a == b, identical(x, y));
    if (a == b)
      EXPECT_EQ(a.hash(), b.hash());
    else
      EXPECT_NE(a.hash(), b.hash());
    return a == b;
  };
  EXPECT_TRUE(equal(nan, -nan));
  EXPECT_FALSE(equal(0.0, -0.0));
  EXPECT_FALSE(equal(1, 1.0));
  EXPECT_FALSE(equal(true, 1));
  EXPECT_FALSE(equal(IntList{}, std::vector<double>{}));
  EXPECT_FALSE(equal(IntList{0}, IntList{0, 0}));
  EXPECT_TRUE(equal(std::vector<double>{nan, 1}, std::vector<double>{nan, 1}));
  EXPECT_TRUE(equal(Tensor({1, 2}), Tensor({1, 2})));
  EXPECT_FALSE(equal(Tensor({1, 2}), Tensor({1, 3})));
  EXPECT_FALSE(equal(DType::Float32, DType::Float64));
  EXPECT_FALSE((Attributes{{"a", 1}}) == (Attributes{{"b", 1}}));
}

TEST(Attributes, Text) {
  auto text = [](const AttributeValue &value) { return toString(value); };
  EXPECT_EQ(text(true), "true");
  EXPECT_EQ(text(3), "3");
  EXPECT_EQ(text(3.0), "3.0");
  EXPECT_EQ(text(1e100), "1e+100");
  EXPECT_EQ(text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text("a\"b\n"), "\"a\\\"b\\0A\"");
  EXPECT_EQ(text(DType::Float32), "f32");
  EXPECT_EQ(text(IntList{0, -1}), "[0, -1]");
  EXPECT_EQ(text(NoneAttr()), "none");
}

} // namespace
} // namespace graphc
