// Numbers among operands: F-028 to F-032. The expected dtypes are the rules' own examples and
// what they say of the other cases, worked out by hand.
#include <gtest/gtest.h>

#include <cstdint>

#include "TestOps.h"
#include "graphc/Config.h"

namespace graphc {
namespace {

struct LiteralTest : testing::Test {
  Op add = testOp("add", 2);

  Variable of(DType dtype) { return tensor(dtype, {kDynamic}); }
  /// The dtype of the constant that `value` becomes next to an operand of this dtype.
  template <class T> DType next(DType operand, T value) {
    Variable sum = add(of(operand), value);
    EXPECT_TRUE(sum.ok()) << sum.status();
    Variable wrapped = sum.owner().input(1);
    EXPECT_TRUE(wrapped.isConstant());
    EXPECT_EQ(wrapped.rank(), 0);
    return wrapped.dtype();
  }
};

// F-028, A03: dscalar + 1 holds an int64 constant 1.
TEST_F(LiteralTest, SeedExample) {
  Variable e = add(dscalar("x"), 1);
  std::optional<Constant> one = Constant::from(e.owner().input(1));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->type(), TensorType(DType::Int64, {}));
  EXPECT_EQ(one->data().item<int64_t>(), 1);
  EXPECT_EQ(e.type(), TensorType(DType::Float64, {}));
}

// F-029, F-030: alone.
TEST_F(LiteralTest, IntegersAlone) {
  EXPECT_EQ(constant(100).dtype(), DType::Int64);
  EXPECT_EQ(constant(int8_t(1)).dtype(), DType::Int64);
  EXPECT_EQ(constant(uint64_t(1)).dtype(), DType::Int64);
  Constant big = constant(uint64_t(1) << 63);
  EXPECT_EQ(big.dtype(), DType::UInt64);
  EXPECT_EQ(big.data().item<uint64_t>(), uint64_t(1) << 63);
  EXPECT_EQ(constant(INT64_MIN).data().item<int64_t>(), INT64_MIN);
  EXPECT_EQ(add(constant(100), constant(100)).dtype(), DType::Int64);
  EXPECT_EQ(add(1, 2).dtype(), DType::Int64);
  EXPECT_EQ(add(1, uint64_t(1) << 63).owner().input(1).dtype(), DType::UInt64);
}

// F-029, F-357: next to operands, nothing wraps.
TEST_F(LiteralTest, IntegersNextToOperands) {
  EXPECT_EQ(next(DType::Float64, 1), DType::Int64);
  EXPECT_EQ(next(DType::Int64, 1), DType::Int64);
  EXPECT_EQ(next(DType::Float32, 1), DType::Float32);
  EXPECT_EQ(next(DType::Float32, 70000), DType::Float32);
  EXPECT_EQ(next(DType::Float16, 300), DType::Float16);
  EXPECT_EQ(next(DType::BFloat16, 1), DType::BFloat16);
  EXPECT_EQ(next(DType::UInt8, 1), DType::UInt8);
  EXPECT_EQ(next(DType::UInt8, 255), DType::UInt8);
  EXPECT_EQ(next(DType::UInt8, 256), DType::Int16);
  EXPECT_EQ(next(DType::UInt8, -1), DType::Int8);
  EXPECT_EQ(next(DType::Int8, 1), DType::Int8);
  EXPECT_EQ(next(DType::Int8, 127), DType::Int8);
  EXPECT_EQ(next(DType::Int8, -128), DType::Int8);
  EXPECT_EQ(next(DType::Int8, 128), DType::Int16);
  EXPECT_EQ(next(DType::Int8, -129), DType::Int16);
  EXPECT_EQ(next(DType::Int8, 300), DType::Int16);
  EXPECT_EQ(next(DType::Int8, 32768), DType::Int32);
  EXPECT_EQ(next(DType::Int16, int64_t(1) << 31), DType::Int64);
  EXPECT_EQ(next(DType::UInt64, 1), DType::UInt64);
  EXPECT_EQ(next(DType::UInt64, uint64_t(1) << 63), DType::UInt64);
  EXPECT_EQ(next(DType::Float32, uint64_t(1) << 63), DType::Float32);
  // A number next to truth values counts them, as in the ancestors; no dtype is "held" there.
  EXPECT_EQ(next(DType::Bool, 1), DType::Int8);
  EXPECT_EQ(next(DType::Bool, 0), DType::Int8);
  EXPECT_EQ(add(of(DType::Int8), 1).dtype(), DType::Int8);
  EXPECT_EQ(add(of(DType::Int8), 300).dtype(), DType::Int16);
}

// F-029 with several operands: the promoted dtype counts, and the widest of the floats.
TEST_F(LiteralTest, SeveralOperands) {
  Op three = testOp("three", 3);
  auto wrapped = [&](DType a, DType b) { return three(of(a), of(b), 5).owner().input(2).dtype(); };
  EXPECT_EQ(wrapped(DType::Int64, DType::Float32), DType::Int64); // promotes to float64 anyway
  EXPECT_EQ(wrapped(DType::Float16, DType::Float32), DType::Float32);
  EXPECT_EQ(wrapped(DType::Float16, DType::BFloat16), DType::Float32);
  EXPECT_EQ(wrapped(DType::Int8, DType::UInt8), DType::Int16);
}

// F-031, F-357: the widest float dtype, else floatX, whatever the value; F-003: floatX is read when
// the constant is built.
TEST_F(LiteralTest, Floats) {
  for (double value : {0.1, 1.5}) {
    EXPECT_EQ(next(DType::Float32, value), DType::Float32);
    EXPECT_EQ(next(DType::Float16, value), DType::Float16);
    EXPECT_EQ(next(DType::Float64, value), DType::Float64);
    EXPECT_EQ(next(DType::Int8, value), DType::Float64);
  }
  EXPECT_EQ(next(DType::Float64, 0.5f), DType::Float64);
  Config old = config(), single = old;
  single.floatX = DType::Float32;
  ASSERT_TRUE(setConfig(single).ok());
  EXPECT_EQ(next(DType::Int8, 0.1), DType::Float32);
  EXPECT_EQ(next(DType::Float64, 0.1), DType::Float64);
  EXPECT_EQ(constant(0.1).dtype(), DType::Float32);
  EXPECT_EQ(constant(0.1).data().item<float>(), 0.1f);
  EXPECT_EQ(vector().dtype(), DType::Float32);
  EXPECT_EQ(dvector().dtype(), DType::Float64);
  ASSERT_TRUE(setConfig(old).ok());
  EXPECT_EQ(scalar().dtype(), DType::Float64);
}

// F-003: what floatX may be.
TEST_F(LiteralTest, ConfigIsChecked) {
  Config bad = config();
  bad.floatX = DType::Int32;
  EXPECT_EQ(errorKind(setConfig(bad)), ErrorKind::ValueError);
  bad = config();
  bad.threads = -1;
  EXPECT_EQ(errorKind(setConfig(bad)), ErrorKind::ValueError);
  EXPECT_EQ(floatX(), DType::Float64);
  EXPECT_EQ(configEntries()[0].name, "floatX");
  EXPECT_EQ(configEntries()[0].value, "float64");
}

// F-032: the compiler refuses a bool among operands; constant(true) is explicit.
TEST_F(LiteralTest, Bools) {
  static_assert(!std::is_convertible_v<bool, Operand>);
  static_assert(std::is_invocable_v<Op, Variable, int>);
  static_assert(!std::is_invocable_v<Op, Variable, bool>);
  EXPECT_EQ(constant(true).type(), TensorType(DType::Bool, {}));
  EXPECT_TRUE(constant(true).data().item<bool>());
}

// Sizes and indices: int64 or nothing.
TEST_F(LiteralTest, Sizes) {
  OpDef def = testDef("full", 2);
  def.literals = Literals::Int64;
  Op full = *defineOp(def);
  EXPECT_EQ(full(of(DType::Int8), 300).owner().input(1).dtype(), DType::Int64);
  EXPECT_EQ(errorKind(full(of(DType::Int8), 0.5).status()), ErrorKind::TypeError);
  EXPECT_EQ(errorKind(full(of(DType::Int8), uint64_t(1) << 63).status()), ErrorKind::ValueError);
}

} // namespace
} // namespace graphc
