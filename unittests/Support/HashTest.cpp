#include "Support/Hash.h"

#include <gtest/gtest.h>

namespace graphc {
namespace {

TEST(Hash, IsXxHashSoFilesMayBeNamedByIt) {
  // XXH3's 64-bit hash of no bytes, from its specification.
  EXPECT_EQ(hashString(""), 0x2d06800538d394c2u);
  EXPECT_NE(hashString("a"), hashString("b"));
  EXPECT_NE(hashString("a"), hashString("a", 1));
  EXPECT_NE(hashCombine(1, 2), hashCombine(2, 1));
}

TEST(Hash, CutsDoNotMatterButStringsDo) {
  std::string text(1000, 'x');
  Hasher whole, pieces;
  whole.addBytes(text.data(), text.size());
  pieces.addBytes(text.data(), 300).addBytes(text.data(), 0).addBytes(text.data() + 300, 700);
  EXPECT_EQ(whole.finish(), pieces.finish());
  EXPECT_EQ(whole.finish128(), pieces.finish128());
  EXPECT_EQ(Hasher().addString("ab").addString("c").finish128(),
            Hasher().addString("ab").addString("c").finish128());
  EXPECT_NE(Hasher().addString("ab").addString("c").finish(),
            Hasher().addString("a").addString("bc").finish());
  EXPECT_NE(Hasher(1).add(5).finish(), Hasher(2).add(5).finish());
  EXPECT_NE(Hasher().add(5).finish(), Hasher().add(6).finish());
}

} // namespace
} // namespace graphc
