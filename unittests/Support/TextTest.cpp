#include "Support/Text.h"

#include <gtest/gtest.h>

namespace graphc {
namespace {

TEST(Text, Join) {
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(join(std::vector<int>{1, 2, 3}, "x", [](int i) { return std::to_string(i); }), "1x2x3");
}

TEST(Text, DidYouMean) {
  std::vector<std::string> names = {"tan", "tanh", "sqrt", "log1p"};
  EXPECT_EQ(didYouMean("tanhh", names), "; did you mean 'tanh'?");
  EXPECT_EQ(didYouMean("qsrt", names), "");
  EXPECT_EQ(didYouMean("sqr", names), "; did you mean 'sqrt'?");
  EXPECT_EQ(didYouMean("convolve", names), "");
  EXPECT_EQ(didYouMean("", names), "");
}

} // namespace
} // namespace graphc
