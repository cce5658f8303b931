#include "graphc/Traversal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "TestOps.h"

namespace graphc {
namespace {

using testing::ElementsAre;

struct TraversalTest : testing::Test {
  Op add = testOp("add", 2), mul = testOp("mul", 2), exp = testOp("exp");
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  Constant one = constant(1.0);
  Variable m = mul(y, one), e = add(x, m);
};

// F-061: orders are depth-first, left to right, constants included but among explicit inputs.
TEST_F(TraversalTest, Walks) {
  EXPECT_THAT(ancestors({e}), ElementsAre(e, x, m, y, one));
  EXPECT_THAT(ancestors({e}, {m}), ElementsAre(e, x, m));
  EXPECT_THAT(graphInputs({e}), ElementsAre(x, y, one));
  EXPECT_THAT(graphInputs({m, e}), ElementsAre(y, one, x));
  EXPECT_THAT(graphInputs({e}, {m}), ElementsAre(x, m));
  EXPECT_THAT(explicitGraphInputs({e}), ElementsAre(x, y));
  EXPECT_THAT(applysBetween({}, {e}), ElementsAre(e.owner(), m.owner()));
  EXPECT_THAT(applysBetween({m}, {e}), ElementsAre(e.owner()));
  EXPECT_THAT(ioToposort({}, {e}), ElementsAre(m.owner(), e.owner()));
  EXPECT_THAT(ioToposort({m}, {e}), ElementsAre(e.owner()));
  EXPECT_TRUE(ioToposort({e}, {e}).empty());
  EXPECT_TRUE(isInAncestors(y, {e}));
  EXPECT_TRUE(isInAncestors(e, {e}));
  EXPECT_FALSE(isInAncestors(z, {e}));
  EXPECT_FALSE(isInAncestors(e, {m}));
}

TEST_F(TraversalTest, VarsBetweenHaveSiblings) {
  OpDef def = testDef("two");
  def.numResults = 2;
  Variables both = defineOp(def)->callAll({x}, Place());
  EXPECT_THAT(varsBetween({x}, {exp(both[1])}).size(), 4u);
  EXPECT_THAT(varsBetween({x}, {both[1]}), ElementsAre(both[1], x, both[0]));
}

// F-062: equal up to names of inputs; ops, constants' bits, order of operands count.
TEST_F(TraversalTest, EqualComputations) {
  EXPECT_TRUE(equalComputations({add(x, mul(y, constant(1.0)))}, {e}));
  EXPECT_FALSE(equalComputations({add(x, mul(y, constant(2.0)))}, {e}));
  EXPECT_FALSE(
      equalComputations({add(x, mul(y, constant(-0.0)))}, {add(x, mul(y, constant(0.0)))}));
  EXPECT_FALSE(equalComputations({add(y, x)}, {add(x, y)}));
  EXPECT_TRUE(equalComputations({add(y, x)}, {add(x, y)}, {x, y}, {y, x}));
  EXPECT_FALSE(equalComputations({add(x, x)}, {add(x, y)}, {x}, {x}));
  EXPECT_FALSE(equalComputations({add(x, x)}, {mul(x, x)}));
  EXPECT_FALSE(equalComputations({exp(x)}, {exp(y)}));
  EXPECT_TRUE(equalComputations({exp(x)}, {exp(y)}, {x}, {y}));
  EXPECT_FALSE(equalComputations({exp(x)}, {exp(x)}, {x}, {y}));
  EXPECT_TRUE(equalComputations({e}, {e}));
  EXPECT_FALSE(equalComputations({e}, {e}, {x}, {y}));
  EXPECT_FALSE(equalComputations({exp(x)}, {exp(fscalar("y"))}, {x}, {fscalar("z")}));
  EXPECT_FALSE(equalComputations({x, y}, {x}));
  EXPECT_FALSE(equalComputations({exp(x)}, {x}));
  Variable a = x, b = y;
  for (int i = 0; i < 1000; ++i) {
    a = add(a, a);
    b = add(b, b);
  }
  EXPECT_TRUE(equalComputations({a}, {b}, {x}, {y}));
}

// F-058, F-059: names and tags are kept; leaves are new or reused.
TEST_F(TraversalTest, Clone) {
  m.setName("m");
  e.owner().setTag(std::make_shared<int>(5));
  InputsOutputs copy = clone({x, y}, {e});
  EXPECT_TRUE(equalComputations(copy.outputs, {e}, copy.inputs, {x, y}));
  EXPECT_FALSE(copy.inputs[0] == x);
  EXPECT_EQ(copy.inputs[0].name(), "x");
  EXPECT_EQ(copy.outputs[0].owner().input(1).name(), "m");
  EXPECT_EQ(copy.outputs[0].owner().tag(), e.owner().tag());
  EXPECT_EQ(copy.outputs[0].owner().place(), e.owner().place());
  Variable cloned = copy.outputs[0].owner().input(1).owner().input(1);
  EXPECT_EQ(Constant::from(cloned)->data().data(), one.data().data());
  InputsOutputs reuse = clone({x, y}, {e}, /*copyInputs=*/false);
  EXPECT_THAT(reuse.inputs, ElementsAre(x, y));
  EXPECT_FALSE(reuse.outputs[0] == e);
  EXPECT_EQ(reuse.outputs[0].owner().input(0), x);
  InputsOutputs cut = clone({m, z}, {e});
  EXPECT_FALSE(cut.inputs[0].hasOwner());
  EXPECT_EQ(cut.outputs[0].owner().input(1), cut.inputs[0]);
  EXPECT_EQ(cut.inputs[1].name(), "z");
}

// F-060: all at once, the source untouched.
TEST_F(TraversalTest, CloneReplace) {
  Variable swapped = cloneReplace({e}, {{x, y}, {y, x}})->at(0);
  EXPECT_TRUE(equalComputations({swapped}, {add(y, mul(x, one))}));
  EXPECT_EQ(e.owner().input(0), x);
  EXPECT_EQ(cloneReplace({e}, {{z, x}})->at(0), e);
  Variable next = cloneReplace({e}, {{x, exp(x)}})->at(0);
  EXPECT_TRUE(equalComputations({next}, {add(exp(x), m)}));
  EXPECT_EQ(next.owner().input(1), m);
  EXPECT_EQ(errorKind(cloneReplace({e}, {{x, fscalar("f")}}).status()), ErrorKind::TypeError);
  Variable f = fscalar("f");
  absl::StatusOr<Variables> loose = cloneReplace({exp(x)}, {{x, f}}, /*strict=*/false);
  ASSERT_TRUE(loose.ok());
  EXPECT_EQ(loose->at(0).dtype(), DType::Float32);
}

} // namespace
} // namespace graphc
