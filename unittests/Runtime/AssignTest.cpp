#include "graphc/Status.h"
#include "graphc/Tensor.h"

#include <gtest/gtest.h>

namespace graphc {
namespace {

TEST(Assign, FollowsTheStridesOfBoth) {
  Tensor target = *Tensor::zeros(DType::Float64, {3, 2});
  Tensor columns = *target.transpose({1, 0}); // 2 x 3 over target's memory
  Tensor source = *Tensor({{1, 2, 3}, {4, 5, 6}}).slice(1, 2, 3, -1);
  ASSERT_TRUE(columns.assign(source).ok());
  EXPECT_EQ(target, Tensor({{3, 6}, {2, 5}, {1, 4}}));
}

// Where nobody may write it has memory of its own, which is dense.
TEST(Assign, ToAFrozenView) {
  Tensor all = *Tensor::zeros(DType::Float64, {6});
  all.freeze();
  Tensor every = *all.slice(0, 0, 3, 2);
  ASSERT_EQ(every.strides()[0], 2);
  ASSERT_TRUE(every.assign(Tensor({1, 2, 3})).ok());
  EXPECT_EQ(every, Tensor({1, 2, 3}));
  EXPECT_EQ(all, Tensor({0, 0, 0, 0, 0, 0}));
}

TEST(Assign, RefusesOtherShapesAndDTypes) {
  Tensor target = *Tensor::zeros(DType::Float64, {3});
  for (const Tensor &source : {Tensor({1, 2}), Tensor({1, 2, 3}, DType::Float32), Tensor()}) {
    absl::Status status = target.assign(source);
    EXPECT_EQ(errorKind(status), ErrorKind::ValueError);
    EXPECT_EQ(status.message(), "assign: the two differ in dtype or shape");
  }
  EXPECT_EQ(target, Tensor({0, 0, 0}));
}

} // namespace
} // namespace graphc
