//===- ScalarCallTest.cpp - scalar operations by name -----------------------------===//
#include "Lowering/ScalarCall.h"

#include <gtest/gtest.h>

namespace graphc {
namespace {

/// The linalg stage spells an operation as a name; the loops stage must find the same one.
TEST(ScalarCall, NamesAreReadBack) {
  for (int op = int(ScalarOp::Add); op <= int(ScalarOp::Cast); ++op)
    for (int from = 0; from < kNumRealDTypes; ++from)
      for (int to = 0; to < kNumRealDTypes; ++to) {
        ScalarCall call{ScalarOp(op), DType(from), DType(to)};
        if (call.op != ScalarOp::Cast && from != to)
          continue;
        if (givesBool(call.op))
          call.result = DType::Bool;
        std::string name = scalarCallName(call);
        auto read = parseScalarCall(name);
        ASSERT_TRUE(read) << name;
        EXPECT_EQ(read->op, call.op) << name;
        EXPECT_EQ(read->operand, call.operand) << name;
        EXPECT_EQ(read->result, call.result) << name;
        EXPECT_FALSE(parseArgCall(name)) << name;
      }
  for (int dtype = 0; dtype < kNumRealDTypes; ++dtype)
    for (bool isMax : {false, true}) {
      auto read = parseArgCall(argCallName(isMax, DType(dtype)));
      ASSERT_TRUE(read);
      EXPECT_EQ(read->isMax, isMax);
      EXPECT_EQ(read->dtype, DType(dtype));
    }
}

TEST(ScalarCall, OtherNamesAreNone) {
  for (const char *name :
       {"", "graphc", "graphc.", "graphc.exp", "graphc.exp.", "graphc.exp.f31",
        "graphc.exp.f32.f32", "graphc.cast.f32", "graphc.cast.f32.f32.f32", "graphc.nothing.f32",
        "other.exp.f32", "graphc.argmax.f32x", "graphc.argmax", "exp.f32"}) {
    EXPECT_FALSE(parseScalarCall(name)) << name;
    EXPECT_FALSE(parseArgCall(name)) << name;
  }
}

} // namespace
} // namespace graphc
