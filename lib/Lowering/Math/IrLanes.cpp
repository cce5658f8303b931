//===- IrLanes.cpp - the formulas' values as MLIR values ------------------===//
#include "Lowering/Math/IrLanes.h"

#include "Lowering/KernelAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc::math {
namespace {

Value constant(ImplicitLocOpBuilder &b, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(element)));
  return arith::ConstantOp::create(b, element);
}

/// f32 or f64 lanes in one register of AVX-512.
int64_t registerLanes(Type element) { return 512 / element.getIntOrFloatBitWidth(); }

} // namespace

Value IrContext::floatConstant(Type type, double value) {
  Value &known = constants[{type, llvm::bit_cast<uint64_t>(value)}];
  if (!known)
    known = constant(b, type, b.getFloatAttr(getElementTypeOrSelf(type), value));
  return known;
}

Value IrContext::intConstant(Type type, int64_t value) {
  Value &known = constants[{type, static_cast<uint64_t>(value)}];
  if (!known) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    APInt bits(width, static_cast<uint64_t>(value), /*isSigned=*/false, /*implicitTrunc=*/true);
    known = constant(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), bits));
  }
  return known;
}

Value IrContext::intScalar(int bits, int64_t value) {
  return intConstant(b.getIntegerType(bits), value);
}

void IrContext::within(Block *branch, function_ref<void()> make) {
  auto outside = constants;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch);
  make();
  constants = std::move(outside);
}

Value IrContext::perRegister(ValueRange lanes, function_ref<Value(ValueRange)> op) {
  auto whole = cast<VectorType>(lanes[0].getType());
  const int64_t n = whole.getDimSize(0), width = registerLanes(whole.getElementType());
  if (n == width)
    return op(lanes);
  Value result;
  for (int64_t start = 0; start < n; start += width) {
    SmallVector<int32_t> cut(width), spread(n, -1), join(n);
    for (int64_t i = 0; i < width; ++i)
      cut[i] = start + i < n ? static_cast<int32_t>(start + i) : -1; // poison
    // The part's lanes go to their place among the n; those before it are there already.
    for (int64_t i = 0; i < n; ++i) {
      if (i >= start && i < start + width)
        spread[i] = static_cast<int32_t>(i - start);
      join[i] = static_cast<int32_t>(i >= start ? n + i : i);
    }
    SmallVector<Value> parts;
    for (Value v : lanes)
      parts.push_back(LLVM::ShuffleVectorOp::create(b, v, v, cut));
    Value part = op(parts);
    Value placed = LLVM::ShuffleVectorOp::create(b, part, part, spread);
    result = result ? LLVM::ShuffleVectorOp::create(b, result, placed, join).getResult() : placed;
  }
  return result;
}

namespace ir {

Value add(IrContext &c, Value x, Value y) { return arith::AddFOp::create(c.b, x, y); }
Value sub(IrContext &c, Value x, Value y) { return arith::SubFOp::create(c.b, x, y); }
Value mul(IrContext &c, Value x, Value y) { return arith::MulFOp::create(c.b, x, y); }
Value div(IrContext &c, Value x, Value y) { return arith::DivFOp::create(c.b, x, y); }
Value neg(IrContext &c, Value x) { return arith::NegFOp::create(c.b, x); }
Value fma(IrContext &c, Value x, Value y, Value z) { return LLVM::FMAOp::create(c.b, x, y, z); }
Value sqrt(IrContext &c, Value x) { return LLVM::SqrtOp::create(c.b, x); }
/// That of -x is that of x, so that what sigmoid(x) and sigmoid(-x) share is one value.
Value abs(IrContext &c, Value x) {
  if (auto negation = x.getDefiningOp<arith::NegFOp>())
    x = negation.getOperand();
  return LLVM::FAbsOp::create(c.b, x);
}

Value round(IrContext &c, RoundingMode mode, Value x) {
  switch (mode) {
  case RoundingMode::Even:
    return LLVM::RoundEvenOp::create(c.b, x);
  case RoundingMode::Down:
    return LLVM::FFloorOp::create(c.b, x);
  case RoundingMode::Up:
    return LLVM::FCeilOp::create(c.b, x);
  case RoundingMode::Zero:
    return LLVM::FTruncOp::create(c.b, x);
  }
  llvm_unreachable("all modes are listed");
}

Value less(IrContext &c, Value x, Value y) {
  return arith::CmpFOp::create(c.b, arith::CmpFPredicate::OLT, x, y);
}
Value lessEqual(IrContext &c, Value x, Value y) {
  return arith::CmpFOp::create(c.b, arith::CmpFPredicate::OLE, x, y);
}
Value equal(IrContext &c, Value x, Value y) {
  return arith::CmpFOp::create(c.b, arith::CmpFPredicate::OEQ, x, y);
}
Value select(IrContext &c, Value m, Value x, Value y) {
  return arith::SelectOp::create(c.b, m, x, y);
}
Value bitcast(IrContext &c, Type type, Value x) { return arith::BitcastOp::create(c.b, type, x); }
Value extend(IrContext &c, Type type, Value x) { return arith::ExtFOp::create(c.b, type, x); }
Value truncate(IrContext &c, Type type, Value x) { return arith::TruncFOp::create(c.b, type, x); }
Value addInt(IrContext &c, Value x, Value y) { return arith::AddIOp::create(c.b, x, y); }
Value subInt(IrContext &c, Value x, Value y) { return arith::SubIOp::create(c.b, x, y); }
Value andInt(IrContext &c, Value x, Value y) { return arith::AndIOp::create(c.b, x, y); }
Value orInt(IrContext &c, Value x, Value y) { return arith::OrIOp::create(c.b, x, y); }
Value xorInt(IrContext &c, Value x, Value y) { return arith::XOrIOp::create(c.b, x, y); }
Value shiftLeft(IrContext &c, Value x, Value y) { return arith::ShLIOp::create(c.b, x, y); }
Value shiftRight(IrContext &c, Value x, Value y) { return arith::ShRUIOp::create(c.b, x, y); }
Value nonZero(IrContext &c, Value x) {
  return arith::CmpIOp::create(c.b, arith::CmpIPredicate::ne, x, c.intConstant(x.getType(), 0));
}
Value notMask(IrContext &c, Value x) { return xorInt(c, x, c.intConstant(x.getType(), 1)); }

// The forms of AVX-512. After the operands come the lanes of the result where the mask is off (it
// never is), the mask, and 4: the rounding mode of the environment.
namespace {

bool isSingle(Value x) { return getElementTypeOrSelf(x.getType()).isF32(); }

/// The intrinsic for f32 or f64 by the suffix "ps.512" or "pd.512".
Value call512(IrContext &c, StringRef name, Value x, ValueRange before, bool rounding) {
  bool single = isSingle(x);
  SmallVector<Value> args(before);
  args.push_back(x);
  args.push_back(c.intScalar(single ? 16 : 8, -1));
  if (rounding)
    args.push_back(c.intScalar(32, 4));
  auto intrinsic = c.b.getStringAttr("llvm.x86.avx512." + name + (single ? ".ps.512" : ".pd.512"));
  return LLVM::CallIntrinsicOp::create(c.b, x.getType(), intrinsic, args).getResult(0);
}

} // namespace

Value scale(IrContext &c, Value y, Value n) {
  return c.perRegister(
      {y, n}, [&](ValueRange v) { return call512(c, "mask.scalef", v[0], v, /*rounding=*/true); });
}
Value mantissa(IrContext &c, Value x) {
  Value how = c.intScalar(32, 3 | 2 << 2); // the interval [0.75, 1.5); NaN for negative numbers
  return c.perRegister(x, [&](ValueRange v) {
    return call512(c, "mask.getmant", v[0], {v[0], how}, /*rounding=*/true);
  });
}
Value exponent(IrContext &c, Value x) {
  return c.perRegister(
      x, [&](ValueRange v) { return call512(c, "mask.getexp", v[0], v, /*rounding=*/true); });
}
Value rsqrt14(IrContext &c, Value x) {
  return c.perRegister(
      x, [&](ValueRange v) { return call512(c, "rsqrt14", v[0], v, /*rounding=*/false); });
}
Value rcp14(IrContext &c, Value x) {
  return c.perRegister(
      x, [&](ValueRange v) { return call512(c, "rcp14", v[0], v, /*rounding=*/false); });
}

Value lookup(IrContext &c, const float *table, Value index) {
  auto type = VectorType::get(16, c.b.getF32Type());
  auto half = [&](const float *values) -> Value {
    return arith::ConstantOp::create(
        c.b, DenseElementsAttr::get<float>(type, ArrayRef<float>(values, 16)));
  };
  Value low = half(table), high = half(table + 16);
  auto name = c.b.getStringAttr("llvm.x86.avx512.vpermi2var.ps.512");
  return c.perRegister(index, [&](ValueRange v) {
    return LLVM::CallIntrinsicOp::create(c.b, type, name, ValueRange{low, v[0], high}).getResult(0);
  });
}

/// x86: the value, of whose making LLVM knows nothing. It would join an extension of a half with
/// one to 80 bits, which is a call of the compiler's own library.
static Value opaque(ImplicitLocOpBuilder &b, Value x) {
  return LLVM::InlineAsmOp::create(b, x.getType(), x, /*asm_string=*/"", /*constraints=*/"=x,0",
                                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                                   mlir::ArrayAttr())
      .getResult(0);
}

static scf::IfOp seldomIf(ImplicitLocOpBuilder &b, Type result, Value condition) {
  auto branch = scf::IfOp::create(b, result, condition, /*withElseRegion=*/true);
  branch->setAttr(kSeldomAttr, b.getUnitAttr());
  return branch;
}

Value inColdLanes(IrContext &c, Value cold, Value otherwise, function_ref<Value()> make) {
  ImplicitLocOpBuilder &b = c.b;
  Value any = c.shape ? vector::ReductionOp::create(b, vector::CombiningKind::OR, cold) : cold;
  scf::IfOp result = seldomIf(b, otherwise.getType(), any);
  c.within(result.thenBlock(),
           [&] { scf::YieldOp::create(b, select(c, cold, make(), otherwise)); });
  c.within(result.elseBlock(), [&] { scf::YieldOp::create(b, otherwise); });
  return result.getResult(0);
}

Value coldLanes(IrContext &c, LibmFunction function, Value cold, Value x, Value y,
                Value otherwise) {
  auto trigonometric = [&](ImplicitLocOpBuilder &b, Value u) -> Value {
    if (function == LibmFunction::Sin)
      return LLVM::SinOp::create(b, u);
    if (function == LibmFunction::Cos)
      return LLVM::CosOp::create(b, u);
    return LLVM::TanOp::create(b, u);
  };
  auto call = [&](ImplicitLocOpBuilder &b, Value u, Value v) -> Value {
    // glibc's cos is 8 units off next to a zero at 5e255; the functions of long double are not.
    if (c.target.x87 && u.getType().isF64() && function != LibmFunction::Fmod)
      return LLVM::FPTruncOp::create(
          b, u.getType(), trigonometric(b, LLVM::FPExtOp::create(b, b.getF80Type(), opaque(b, u))));
    return function == LibmFunction::Fmod ? Value(LLVM::FRemOp::create(b, u, v))
                                          : trigonometric(b, u);
  };
  auto branch = [&](ImplicitLocOpBuilder &b, Value condition, function_ref<Value()> then,
                    Value other) {
    scf::IfOp result = seldomIf(b, other.getType(), condition);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(result.thenBlock());
    scf::YieldOp::create(b, then());
    b.setInsertionPointToStart(result.elseBlock());
    scf::YieldOp::create(b, other);
    return result.getResult(0);
  };
  ImplicitLocOpBuilder &b = c.b;
  if (!c.shape)
    return branch(b, cold, [&] { return call(b, x, y); }, otherwise);
  Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, cold);
  auto loop = [&]() -> Value {
    Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
    Value end = arith::ConstantIndexOp::create(b, c.shape.getDimSize(0));
    auto lanes = scf::ForOp::create(b, zero, end, one, otherwise);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(lanes.getBody());
    Value lane = lanes.getInductionVar(), all = lanes.getRegionIterArg(0);
    auto set = [&]() -> Value {
      Value u = vector::ExtractOp::create(b, x, lane);
      Value v = function == LibmFunction::Fmod ? Value(vector::ExtractOp::create(b, y, lane)) : u;
      return vector::InsertOp::create(b, call(b, u, v), all, lane);
    };
    scf::YieldOp::create(b, branch(b, vector::ExtractOp::create(b, cold, lane), set, all));
    return lanes.getResult(0);
  };
  return branch(b, any, loop, otherwise);
}

} // namespace ir
} // namespace graphc::math
