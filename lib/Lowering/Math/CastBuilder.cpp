//===- CastBuilder.cpp - conversions between dtypes as MLIR ops -----------===//
#include "Lowering/Math/MathBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace graphc {
namespace {

class CastBuilder {
public:
  CastBuilder(ImplicitLocOpBuilder &b, Type like) : b(b), like(like) {}

  Value cast(Value x, DType from, DType to) {
    if (from == to)
      return x;
    if (to == DType::Bool)
      return isFloat(from) ? floatToBool(x) : intToBool(x);
    if (isFloat(from))
      return isFloat(to) ? floatToFloat(x, to) : floatToInt(x, to);
    return isFloat(to) ? intToFloat(x, from, to) : intToInt(x, from, to);
  }

private:
  Type type(DType dtype) { return registerType(like, dtype); }
  template <class Op> Value make(DType to, Value x) { return Op::create(b, type(to), x); }
  Value constant(DType dtype, int64_t value) {
    Type t = type(dtype), element = getElementTypeOrSelf(t);
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(t))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  }

  Value intToBool(Value x) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(x.getType()));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
  }
  /// NaN is true.
  Value floatToBool(Value x) {
    x = fromHalf(x);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(x.getType()));
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x, zero);
  }

  Value intToInt(Value x, DType from, DType to) {
    int have = bitWidth(from), want = bitWidth(to);
    if (have == want)
      return x;
    if (have > want)
      return make<arith::TruncIOp>(to, x);
    return isSignedInt(from) ? make<arith::ExtSIOp>(to, x) : make<arith::ExtUIOp>(to, x);
  }

  /// A 16-bit float as f32; others as they are.
  Value fromHalf(Value x) {
    return getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() == 16
               ? make<arith::ExtFOp>(DType::Float32, x)
               : x;
  }

  Value floatToFloat(Value x, DType to) {
    x = fromHalf(x);
    int have = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth(), want = bitWidth(to);
    if (have == want)
      return x;
    return have > want ? make<arith::TruncFOp>(to, x) : make<arith::ExtFOp>(to, x);
  }

  /// LLVM's saturating conversions are what F-046 asks for, NaN included.
  Value floatToInt(Value x, DType to) {
    StringRef name = isSignedInt(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    return LLVM::CallIntrinsicOp::create(b, type(to), b.getStringAttr(name), fromHalf(x))
        .getResult(0);
  }

  Value intToFloat(Value x, DType from, DType to) {
    auto convert = [&](Value v, DType dtype) {
      return isSignedInt(from) ? make<arith::SIToFPOp>(dtype, v) : make<arith::UIToFPOp>(dtype, v);
    };
    if (bitWidth(to) > 16)
      return convert(x, to);
    if (bitWidth(from) <= 16)
      return make<arith::TruncFOp>(to, convert(x, DType::Float32)); // exact, then one rounding
    if (bitWidth(from) == 32 || to == DType::Float16) // f16: what f64 rounds is inf anyway
      return make<arith::TruncFOp>(to, convert(x, DType::Float64));
    return make<arith::TruncFOp>(to, wideIntToDouble(x, from, convert));
  }

  /// A 64-bit integer as an f64 that rounds to bf16 as the integer does. Below 2^40 it is exact;
  /// above, the low 16 bits are far below bf16's last place and only have to be known to be zero or
  /// not.
  Value wideIntToDouble(Value x, DType from, function_ref<Value(Value, DType)> convert) {
    Value mask = constant(from, 0xffff), zero = constant(from, 0), sixteen = constant(from, 16);
    Value low = arith::AndIOp::create(b, x, mask);
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, low, zero);
    Value sticky = arith::ExtUIOp::create(b, x.getType(), some);
    Value high = isSignedInt(from) ? Value(arith::ShRSIOp::create(b, x, sixteen))
                                   : Value(arith::ShRUIOp::create(b, x, sixteen));
    Value marked = arith::OrIOp::create(b, high, sticky);
    TypedAttr power = b.getF64FloatAttr(65536);
    if (auto vector = dyn_cast<VectorType>(type(DType::Float64)))
      power = DenseElementsAttr::get(vector, Attribute(power));
    Value large = arith::MulFOp::create(b, convert(marked, DType::Float64),
                                        arith::ConstantOp::create(b, power));
    // high >> 24 is 0 or, for negative numbers, -1 where |x| < 2^40.
    Value top = arith::ShRSIOp::create(b, high, constant(from, 24));
    Value near =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                              arith::AddIOp::create(b, top, constant(from, 1)), constant(from, 2));
    return arith::SelectOp::create(b, near, convert(x, DType::Float64), large);
  }

  ImplicitLocOpBuilder &b;
  Type like;
};

} // namespace

Type registerType(Type like, DType dtype) {
  auto *context = like.getContext();
  Type element;
  switch (dtype) {
  case DType::Float16:
    element = Float16Type::get(context);
    break;
  case DType::BFloat16:
    element = BFloat16Type::get(context);
    break;
  case DType::Float32:
    element = Float32Type::get(context);
    break;
  case DType::Float64:
    element = Float64Type::get(context);
    break;
  default:
    element = IntegerType::get(context, bitWidth(dtype));
  }
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

Value buildCast(ImplicitLocOpBuilder &b, Value value, DType from, DType to) {
  return CastBuilder(b, value.getType()).cast(value, from, to);
}

} // namespace graphc
