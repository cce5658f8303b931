//===- KnownValuesTest.cpp - constants of a graph that grows -----------------===//
#include "Import/KnownValues.h"

#include <gtest/gtest.h>

#include "Messages.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// Of a chain, each Variable is asked about while it is made: what the walks take from the budget
/// is the number of nodes.
TEST(KnownValues, ComputesEachNodeOnce) {
  constexpr int kNodes = 500;
  EvaluationBudget budget{int64_t(1) << 20};
  KnownValues known(budget);
  Variable v = Constant(Tensor(0.0));
  for (int i = 0; i < kNodes; ++i) {
    v = sqrt(v) + 1.0;
    std::optional<Tensor> value = known.find(v);
    ASSERT_TRUE(value);
    EXPECT_TRUE(known.find(v)->identical(*value));
  }
  // Two nodes, which are looked at and make one iteration.
  EXPECT_EQ(budget.iterations, (int64_t(1) << 20) - 2 * 2 * kNodes);
  // What nobody has asked about yet is known from the way as well.
  Variable far = v;
  for (int i = 0; i < kNodes; ++i)
    far = exp(-far);
  ASSERT_TRUE(known.find(far));
  int64_t before = budget.iterations;
  ASSERT_TRUE(known.find(-far.owner().input(0)));
  EXPECT_EQ(budget.iterations, before - 2);
}

TEST(KnownValues, InputsAreNot) {
  EvaluationBudget budget{100};
  KnownValues known(budget);
  Variable x = dvector("x"), length = shape(x, 0);
  EXPECT_FALSE(known.isConstant(length));
  EXPECT_EQ(errorKind(known.compute(length + 1).status()), ErrorKind::MissingInput);
  EXPECT_TRUE(known.isConstant(Constant(Tensor(1.0)) + 1.0));
  EXPECT_EQ(budget.iterations, 100);
}

/// Ways are not free: without a budget there are none, however often one asks.
TEST(KnownValues, EndWithTheBudget) {
  EvaluationBudget budget{10};
  KnownValues known(budget);
  Variable v = Constant(Tensor(0.5));
  for (int i = 0; i < 20; ++i)
    v = sin(v);
  expectMessages(
      {{known.compute(v).status(), "NotSupported: needs more iterations than there are left"}});
  EXPECT_EQ(budget.iterations, 0);
  EXPECT_FALSE(known.find(cos(v)));
}

} // namespace
} // namespace graphc
