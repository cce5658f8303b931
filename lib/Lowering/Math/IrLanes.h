//===- IrLanes.h - the formulas' values as MLIR values --------------*- C++ -*-===//
#pragma once

#include "Lowering/Math/FormulaCore.h"
#include "Lowering/Math/MathBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace graphc::math {

/// What all values of one expansion share: where ops go, and the shape.
class IrContext {
public:
  IrContext(mlir::ImplicitLocOpBuilder &b, const MathTarget &target, mlir::Type like)
      : b(b), target(target), shape(llvm::dyn_cast<mlir::VectorType>(like)) {}

  mlir::Type type(mlir::Type element) const {
    return shape ? mlir::Type(mlir::VectorType::get(shape.getShape(), element)) : element;
  }
  template <class T> mlir::Type floatType() {
    return type(sizeof(T) == 4 ? mlir::Type(b.getF32Type()) : mlir::Type(b.getF64Type()));
  }
  template <class T> mlir::Type intType() { return type(b.getIntegerType(8 * sizeof(T))); }
  /// Each constant is made once in an expansion.
  mlir::Value floatConstant(mlir::Type type, double value);
  mlir::Value intConstant(mlir::Type type, int64_t value);

  bool hasAvx512() const { return target.avx512 && shape; }
  /// For instructions that take whole registers of AVX-512: cuts operands of this context's shape
  /// into registers (the last one padded), calls `op` with the parts, and joins the results.
  mlir::Value perRegister(mlir::ValueRange lanes,
                          llvm::function_ref<mlir::Value(mlir::ValueRange)> op);
  mlir::Value intScalar(int bits, int64_t value);
  /// Runs `make` with the insertion point in a branch: constants that are made there stay there.
  void within(mlir::Block *branch, llvm::function_ref<void()> make);

  mlir::ImplicitLocOpBuilder &b;
  const MathTarget target;
  const mlir::VectorType shape; // null for scalars; its element type is of no account

private:
  llvm::DenseMap<std::pair<mlir::Type, uint64_t>, mlir::Value> constants;
};

template <class T> struct IrMask {
  IrContext *c = nullptr;
  mlir::Value v;
};
template <class T> struct IrInt {
  IrContext *c = nullptr;
  mlir::Value v;
};
template <class T> struct IrFloat {
  using Scalar = T;
  using Int = IrInt<T>;
  using Mask = IrMask<T>;
  IrContext *c = nullptr;
  mlir::Value v;
};

// The ops themselves; the templates below only carry types.
namespace ir {
using mlir::Value;
Value add(IrContext &, Value, Value);
Value sub(IrContext &, Value, Value);
Value mul(IrContext &, Value, Value);
Value div(IrContext &, Value, Value);
Value neg(IrContext &, Value);
Value fma(IrContext &, Value, Value, Value);
Value sqrt(IrContext &, Value);
Value abs(IrContext &, Value);
Value round(IrContext &, RoundingMode, Value);
Value less(IrContext &, Value, Value);
Value lessEqual(IrContext &, Value, Value);
Value equal(IrContext &, Value, Value);
Value select(IrContext &, Value, Value, Value);
Value bitcast(IrContext &, mlir::Type, Value);
Value extend(IrContext &, mlir::Type, Value);
Value truncate(IrContext &, mlir::Type, Value);
Value addInt(IrContext &, Value, Value);
Value subInt(IrContext &, Value, Value);
Value andInt(IrContext &, Value, Value);
Value orInt(IrContext &, Value, Value);
Value xorInt(IrContext &, Value, Value);
Value shiftLeft(IrContext &, Value, Value);
Value shiftRight(IrContext &, Value, Value);
Value nonZero(IrContext &, Value);
Value notMask(IrContext &, Value);
Value scale(IrContext &, Value y, Value n);
Value mantissa(IrContext &, Value x);
Value exponent(IrContext &, Value x);
Value rsqrt14(IrContext &, Value x);
Value rcp14(IrContext &, Value x);
Value lookup(IrContext &, const float *table, Value index);
/// `make` in the lanes of `cold`, in a branch for the case that there are some.
Value inColdLanes(IrContext &, Value cold, Value otherwise, llvm::function_ref<Value()> make);
Value coldLanes(IrContext &, LibmFunction, Value cold, Value x, Value y, Value otherwise);
} // namespace ir

template <class T> bool hasFma(IrFloat<T> x) { return x.c->target.fma; }
template <class T> bool hasRounding(IrFloat<T> x) { return x.c->target.rounding; }
template <class T> bool hasScale(IrFloat<T> x) { return x.c->hasAvx512(); }
template <class T> bool hasTables(IrFloat<T> x) { return x.c->hasAvx512(); }

template <class T> IrFloat<T> splat(IrFloat<T> like, double value) {
  return {like.c, like.c->floatConstant(like.v.getType(), value)};
}
template <class T> IrInt<T> splatInt(IrInt<T> like, int64_t value) {
  return {like.c, like.c->intConstant(like.v.getType(), value)};
}

#define GRAPHC_LANES template <class T> inline
GRAPHC_LANES IrFloat<T> operator+(IrFloat<T> a, IrFloat<T> b) {
  return {a.c, ir::add(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrFloat<T> operator-(IrFloat<T> a, IrFloat<T> b) {
  return {a.c, ir::sub(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrFloat<T> operator*(IrFloat<T> a, IrFloat<T> b) {
  return {a.c, ir::mul(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrFloat<T> operator/(IrFloat<T> a, IrFloat<T> b) {
  return {a.c, ir::div(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrFloat<T> operator-(IrFloat<T> a) { return {a.c, ir::neg(*a.c, a.v)}; }
GRAPHC_LANES IrFloat<T> nativeFma(IrFloat<T> a, IrFloat<T> b, IrFloat<T> c) {
  return {a.c, ir::fma(*a.c, a.v, b.v, c.v)};
}
GRAPHC_LANES IrFloat<T> sqrt(IrFloat<T> a) { return {a.c, ir::sqrt(*a.c, a.v)}; }
GRAPHC_LANES IrFloat<T> abs(IrFloat<T> a) { return {a.c, ir::abs(*a.c, a.v)}; }
GRAPHC_LANES IrFloat<T> nativeRound(RoundingMode mode, IrFloat<T> a) {
  return {a.c, ir::round(*a.c, mode, a.v)};
}
GRAPHC_LANES IrMask<T> less(IrFloat<T> a, IrFloat<T> b) { return {a.c, ir::less(*a.c, a.v, b.v)}; }
GRAPHC_LANES IrMask<T> lessEqual(IrFloat<T> a, IrFloat<T> b) {
  return {a.c, ir::lessEqual(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrMask<T> equal(IrFloat<T> a, IrFloat<T> b) {
  return {a.c, ir::equal(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrMask<T> operator&(IrMask<T> a, IrMask<T> b) {
  return {a.c, ir::andInt(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrMask<T> operator|(IrMask<T> a, IrMask<T> b) {
  return {a.c, ir::orInt(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrMask<T> operator!(IrMask<T> a) { return {a.c, ir::notMask(*a.c, a.v)}; }
GRAPHC_LANES IrFloat<T> select(IrMask<T> m, IrFloat<T> a, IrFloat<T> b) {
  return {a.c, ir::select(*a.c, m.v, a.v, b.v)};
}
GRAPHC_LANES IrInt<T> select(IrMask<T> m, IrInt<T> a, IrInt<T> b) {
  return {a.c, ir::select(*a.c, m.v, a.v, b.v)};
}

GRAPHC_LANES IrInt<T> bits(IrFloat<T> a) {
  return {a.c, ir::bitcast(*a.c, a.c->template intType<T>(), a.v)};
}
GRAPHC_LANES IrFloat<T> fromBits(IrInt<T> a) {
  return {a.c, ir::bitcast(*a.c, a.c->template floatType<T>(), a.v)};
}
GRAPHC_LANES IrInt<T> operator+(IrInt<T> a, IrInt<T> b) {
  return {a.c, ir::addInt(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrInt<T> operator-(IrInt<T> a, IrInt<T> b) {
  return {a.c, ir::subInt(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrInt<T> operator&(IrInt<T> a, IrInt<T> b) {
  return {a.c, ir::andInt(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrInt<T> operator|(IrInt<T> a, IrInt<T> b) { return {a.c, ir::orInt(*a.c, a.v, b.v)}; }
GRAPHC_LANES IrInt<T> operator^(IrInt<T> a, IrInt<T> b) {
  return {a.c, ir::xorInt(*a.c, a.v, b.v)};
}
GRAPHC_LANES IrInt<T> operator+(IrInt<T> a, int64_t b) { return a + splatInt(a, b); }
GRAPHC_LANES IrInt<T> operator-(IrInt<T> a, int64_t b) { return a - splatInt(a, b); }
GRAPHC_LANES IrInt<T> operator&(IrInt<T> a, int64_t b) { return a & splatInt(a, b); }
GRAPHC_LANES IrInt<T> operator|(IrInt<T> a, int64_t b) { return a | splatInt(a, b); }
GRAPHC_LANES IrInt<T> operator<<(IrInt<T> a, int n) {
  return {a.c, ir::shiftLeft(*a.c, a.v, splatInt(a, n).v)};
}
GRAPHC_LANES IrInt<T> operator>>(IrInt<T> a, int n) {
  return {a.c, ir::shiftRight(*a.c, a.v, splatInt(a, n).v)};
}
GRAPHC_LANES IrMask<T> nonZero(IrInt<T> a) { return {a.c, ir::nonZero(*a.c, a.v)}; }

inline IrFloat<double> widen(IrFloat<float> a) {
  return {a.c, ir::extend(*a.c, a.c->floatType<double>(), a.v)};
}
inline IrFloat<float> narrow(IrFloat<double> a) {
  return {a.c, ir::truncate(*a.c, a.c->floatType<float>(), a.v)};
}

GRAPHC_LANES IrFloat<T> nativeScale(IrFloat<T> y, IrFloat<T> n) {
  return {y.c, ir::scale(*y.c, y.v, n.v)};
}
GRAPHC_LANES Split<IrFloat<T>> nativeSplit(IrFloat<T> x) {
  IrFloat<T> m = {x.c, ir::mantissa(*x.c, x.v)}, e = {x.c, ir::exponent(*x.c, x.v)};
  return {m, e - IrFloat<T>{x.c, ir::exponent(*x.c, m.v)}};
}
GRAPHC_LANES IrFloat<T> nativeRsqrt(IrFloat<T> x) { return {x.c, ir::rsqrt14(*x.c, x.v)}; }
GRAPHC_LANES IrFloat<T> nativeReciprocal(IrFloat<T> x) { return {x.c, ir::rcp14(*x.c, x.v)}; }
inline IrFloat<float> lookup(IrFloat<float> x, const float (&table)[32], IrInt<float> index) {
  return {x.c, ir::lookup(*x.c, table, index.v)};
}
GRAPHC_LANES IrFloat<T> coldLanes(LibmFunction f, IrMask<T> cold, IrFloat<T> x, IrFloat<T> y,
                                  IrFloat<T> otherwise) {
  return {x.c, ir::coldLanes(*x.c, f, cold.v, x.v, y.v, otherwise.v)};
}
template <class T, class Make>
IrFloat<T> inColdLanes(IrMask<T> cold, IrFloat<T> otherwise, Make make) {
  return {cold.c, ir::inColdLanes(*cold.c, cold.v, otherwise.v, [&] { return make().v; })};
}
#undef GRAPHC_LANES

/// The expansion of a function on f32 or f64 values; one file for each, for they take time to
/// compile.
mlir::Value emitSingle(IrContext &context, MathFunction function, mlir::ValueRange args);
mlir::Value emitDouble(IrContext &context, MathFunction function, mlir::ValueRange args);
mlir::Value emitSingleHalfPower(IrContext &context, mlir::Value x, int twice);
mlir::Value emitDoubleHalfPower(IrContext &context, mlir::Value x, int twice);

} // namespace graphc::math
