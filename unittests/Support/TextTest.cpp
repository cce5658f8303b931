#include "Support/Text.h"

#include <gtest/gtest.h>

namespace graphc {
namespace {

TEST(Text, Quoted) {
  EXPECT_EQ(quotedText("a b", '"'), "\"a b\"");
  EXPECT_EQ(quotedText("a\"`\\\n", '"'), "\"a\\\"`\\\\\\n\"");
  EXPECT_EQ(quotedText("a\"`", '`'), "`a\"\\``");
}

TEST(Text, Join) {
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(join(std::vector<int>{1, 2, 3}, "x", [](int i) { return std::to_string(i); }), "1x2x3");
}

TEST(Text, Printable) {
  EXPECT_EQ(printable("plain \xc3\xa9"), "plain \xc3\xa9");
  EXPECT_EQ(printable(std::string_view("a\0b\n\x1b[1m\x7f", 9)), "a\\x00b\\x0a\\x1b[1m\\x7f");
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
