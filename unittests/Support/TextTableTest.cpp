#include "Support/TextTable.h"

#include <gtest/gtest.h>

#include "Support/Text.h"

namespace graphc {
namespace {

TEST(TextTable, AlignsNumbersRightAndTextLeft) {
  TextTable table({"op", "count", "note"});
  table.add({"matmul", "7"});
  table.add({"größer", "1200", "slow"});
  EXPECT_EQ(table.str(), "op      count  note\n"
                         "matmul      7\n"
                         "größer   1200  slow\n");
}

TEST(TextTable, HeadAlone) { EXPECT_EQ(TextTable({"a", "bb"}).str(), "a  bb\n"); }

TEST(Text, ShapesAreTuples) {
  EXPECT_EQ(shapeText({}), "()");
  EXPECT_EQ(shapeText({4}), "(4,)");
  EXPECT_EQ(shapeText({2, 3}), "(2, 3)");
}

} // namespace
} // namespace graphc
