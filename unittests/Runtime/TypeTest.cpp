#include "graphc/Type.h"
#include "Messages.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "graphc/Status.h"

namespace graphc {
namespace {

constexpr DType kF64 = DType::Float64, kF32 = DType::Float32;

// F-014: dtype and extents, known or not; flags give 1 and unknown.
TEST(Type, Tensors) {
  Type type = TensorType(kF32, {1, kDynamic, 5});
  EXPECT_TRUE(type.isTensor());
  EXPECT_EQ(type.dtype(), kF32);
  EXPECT_EQ(type.rank(), 3);
  EXPECT_TRUE(type.broadcastable(0));
  EXPECT_FALSE(type.broadcastable(1));
  EXPECT_FALSE(type.broadcastable(2));
  EXPECT_FALSE(type.hasStaticShape());
  EXPECT_EQ(type.numElements(), kDynamic);
  EXPECT_EQ(Type(TensorType(kF32, {0, kDynamic})).numElements(), 0);
  EXPECT_EQ(Type(TensorType(kF32, {2, 3})).numElements(), 6);
  EXPECT_EQ(TensorType::fromBroadcastable(kF32, {true, false}), TensorType(kF32, {1, kDynamic}));
  EXPECT_EQ(Type(), TensorType(kF64, {}));
}

// F-015: values, hashable, printable.
TEST(Type, Values) {
  Type a = TensorType(kF64, {1, kDynamic});
  EXPECT_EQ(a, TensorType(kF64, {1, kDynamic}));
  EXPECT_FALSE(a == TensorType(kF32, {1, kDynamic}));
  EXPECT_FALSE(a == TensorType(kF64, {1, 1}));
  EXPECT_FALSE(a == TensorType(kF64, {1}));
  std::unordered_set<Type> set = {a, a, TensorType(kF64, {1, kDynamic}), Type()};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(a.str(), "Matrix(float64, shape=(1, ?))");
  EXPECT_EQ(Type().str(), "Scalar(float64, shape=())");
  EXPECT_EQ(Type(TensorType(DType::Int8, {3})).str(), "Vector(int8, shape=(3,))");
  EXPECT_EQ(Type(TensorType(DType::Bool, {3, 0, kDynamic})).str(),
            "Tensor3(bool, shape=(3, 0, ?))");
  EXPECT_EQ(a.text(), "tensor<1x?xf64>");
  EXPECT_EQ(Type().text(), "tensor<f64>");
  EXPECT_EQ(a.brief(), "f64[1,?]");
  EXPECT_EQ(Type().brief(), "f64");
}

// F-016
TEST(Type, Super) {
  Type wide = TensorType(kF64, {1, kDynamic}), narrow = TensorType(kF64, {1, 4});
  EXPECT_TRUE(wide.isSuperOf(narrow));
  EXPECT_TRUE(wide.isSuperOf(wide));
  EXPECT_FALSE(narrow.isSuperOf(wide));
  EXPECT_FALSE(wide.isSuperOf(TensorType(kF64, {2, 4})));
  EXPECT_FALSE(wide.isSuperOf(TensorType(kF32, {1, 4})));
  EXPECT_FALSE(wide.isSuperOf(TensorType(kF64, {1, 4, 1})));
}

// F-026: rank 32; more, and negative extents, are refused.
TEST(Type, Limits) {
  std::vector<int64_t> shape(32, 1);
  EXPECT_TRUE(Type(kF64, shape).isTensor());
  shape.push_back(1);
  EXPECT_EQ(Type(kF64, shape).kind(), Type::Kind::Invalid);
  EXPECT_EQ(said(Type(kF64, shape).status()),
            "ValueError: a tensor type of rank 33; the maximum is 32");
  EXPECT_EQ(said(Type(TensorType(kF64, {3, -2})).status()),
            "ValueError: negative extent -2 along axis 1");
  EXPECT_EQ(said(Type(DType(99), {}).status()), "TypeError: there is no dtype number 99");
}

TEST(Type, OtherKinds) {
  EXPECT_EQ(Type::null("why").reason(), "why");
  EXPECT_FALSE(Type::null("why") == Type::null("because"));
  EXPECT_EQ(Type::disconnected(), Type::disconnected());
  EXPECT_FALSE(Type::disconnected() == Type());
  EXPECT_FALSE(Type::disconnected().isSuperOf(Type()));
  Type bad = Type::invalid(makeError(ErrorKind::AxisError, "axis 3"));
  EXPECT_EQ(errorKind(bad.status()), ErrorKind::AxisError);
  EXPECT_EQ(bad.str(), "Invalid(axis 3)");
}

} // namespace
} // namespace graphc
