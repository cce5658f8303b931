#include "TestOps.h"

#include <gtest/gtest.h>

namespace graphc {
namespace {

// F-051, as far as the graph goes: x + y * z by hand.
TEST(Op, LongExample) {
  Op add = testOp("add", 2), mul = testOp("mul", 2);
  Variable x = dmatrix("x"), y = dmatrix("y"), z = dmatrix("z");
  Variable m(x.type()), e(x.type());
  absl::StatusOr<Apply> nodeMul = Apply::create(mul, {y, z}, {m});
  absl::StatusOr<Apply> nodeAdd = Apply::create(add, {x, m}, {e});
  ASSERT_TRUE(nodeMul.ok() && nodeAdd.ok());
  EXPECT_EQ(m.owner(), *nodeMul);
  EXPECT_EQ(m.index(), 0);
  EXPECT_EQ(e.owner().input(1), m);
  EXPECT_EQ(e.owner().input(1).owner().input(0), y);
}

} // namespace
} // namespace graphc
