//===- CppLanes.h - the formulas' values as C++ vectors -------------*- C++ -*-===//
//
// The second backend of lib/Lowering/Math: it makes testing all f32 inputs a matter of seconds.
// Options says which of the optional forms are taken.
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <type_traits>

#include "Lowering/Math/FormulaCore.h"

namespace graphc::math {

inline constexpr int kLanes = 16;

template <bool Fma, bool Tables> struct Options {
  static constexpr bool kFma = Fma, kTables = Tables;
};

template <class T> struct VectorOf {
  typedef T Type __attribute__((vector_size(kLanes * sizeof(T))));
};
template <class T> using Vector = typename VectorOf<T>::Type;
template <class T> using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T, class O> struct CppMask {
  Vector<std::make_signed_t<BitsOf<T>>> v;
};
template <class T, class O> struct CppInt {
  Vector<BitsOf<T>> v;
};
template <class T, class O> struct CppFloat {
  using Scalar = T;
  using Int = CppInt<T, O>;
  using Mask = CppMask<T, O>;
  using Wide = CppFloat<double, O>;
  Vector<T> v;
};

#define GRAPHC_LANES template <class T, class O> [[gnu::always_inline]] inline
GRAPHC_LANES bool hasFma(CppFloat<T, O>) { return O::kFma; }
GRAPHC_LANES bool hasTables(CppFloat<T, O>) { return O::kTables; }
GRAPHC_LANES bool hasScale(CppFloat<T, O>) { return false; }
GRAPHC_LANES bool hasRounding(CppFloat<T, O>) { return false; }
// The compiler must see these names; formulas ask has...() first.
GRAPHC_LANES CppFloat<T, O> nativeScale(CppFloat<T, O> y, CppFloat<T, O>) { return y; }
GRAPHC_LANES Split<CppFloat<T, O>> nativeSplit(CppFloat<T, O> x) { return {x, x}; }
GRAPHC_LANES CppFloat<T, O> nativeRsqrt(CppFloat<T, O> x) { return x; }
GRAPHC_LANES CppFloat<T, O> nativeReciprocal(CppFloat<T, O> x) { return x; }
GRAPHC_LANES CppFloat<T, O> nativeRound(RoundingMode, CppFloat<T, O> x) { return x; }

GRAPHC_LANES CppFloat<T, O> splat(CppFloat<T, O>, double c) { return {Vector<T>{} + T(c)}; }
GRAPHC_LANES CppFloat<T, O> operator+(CppFloat<T, O> a, CppFloat<T, O> b) { return {a.v + b.v}; }
GRAPHC_LANES CppFloat<T, O> operator-(CppFloat<T, O> a, CppFloat<T, O> b) { return {a.v - b.v}; }
GRAPHC_LANES CppFloat<T, O> operator*(CppFloat<T, O> a, CppFloat<T, O> b) { return {a.v * b.v}; }
GRAPHC_LANES CppFloat<T, O> operator/(CppFloat<T, O> a, CppFloat<T, O> b) { return {a.v / b.v}; }
GRAPHC_LANES CppFloat<T, O> operator-(CppFloat<T, O> a) { return {-a.v}; }
GRAPHC_LANES CppFloat<T, O> nativeFma(CppFloat<T, O> a, CppFloat<T, O> b, CppFloat<T, O> c) {
  for (int i = 0; i < kLanes; ++i)
    a.v[i] = std::fma(a.v[i], b.v[i], c.v[i]);
  return a;
}
GRAPHC_LANES CppFloat<T, O> sqrt(CppFloat<T, O> a) {
  for (int i = 0; i < kLanes; ++i)
    a.v[i] = std::sqrt(a.v[i]);
  return a;
}
GRAPHC_LANES CppMask<T, O> less(CppFloat<T, O> a, CppFloat<T, O> b) { return {a.v < b.v}; }
GRAPHC_LANES CppMask<T, O> lessEqual(CppFloat<T, O> a, CppFloat<T, O> b) { return {a.v <= b.v}; }
GRAPHC_LANES CppMask<T, O> equal(CppFloat<T, O> a, CppFloat<T, O> b) { return {a.v == b.v}; }
GRAPHC_LANES CppMask<T, O> operator&(CppMask<T, O> a, CppMask<T, O> b) { return {a.v & b.v}; }
GRAPHC_LANES CppMask<T, O> operator|(CppMask<T, O> a, CppMask<T, O> b) { return {a.v | b.v}; }
GRAPHC_LANES CppMask<T, O> operator!(CppMask<T, O> a) { return {~a.v}; }
GRAPHC_LANES CppFloat<T, O> select(CppMask<T, O> m, CppFloat<T, O> a, CppFloat<T, O> b) {
  return {m.v ? a.v : b.v};
}
GRAPHC_LANES CppInt<T, O> select(CppMask<T, O> m, CppInt<T, O> a, CppInt<T, O> b) {
  return {m.v ? a.v : b.v};
}

GRAPHC_LANES CppInt<T, O> bits(CppFloat<T, O> a) { return {(Vector<BitsOf<T>>)a.v}; }
GRAPHC_LANES CppFloat<T, O> fromBits(CppInt<T, O> a) { return {(Vector<T>)a.v}; }
GRAPHC_LANES CppFloat<T, O> abs(CppFloat<T, O> a) {
  return fromBits(bits(a) & ~Format<CppFloat<T, O>>::kSignBit);
}
GRAPHC_LANES CppInt<T, O> operator+(CppInt<T, O> a, CppInt<T, O> b) { return {a.v + b.v}; }
GRAPHC_LANES CppInt<T, O> operator-(CppInt<T, O> a, CppInt<T, O> b) { return {a.v - b.v}; }
GRAPHC_LANES CppInt<T, O> operator&(CppInt<T, O> a, CppInt<T, O> b) { return {a.v & b.v}; }
GRAPHC_LANES CppInt<T, O> operator|(CppInt<T, O> a, CppInt<T, O> b) { return {a.v | b.v}; }
GRAPHC_LANES CppInt<T, O> operator^(CppInt<T, O> a, CppInt<T, O> b) { return {a.v ^ b.v}; }
GRAPHC_LANES CppInt<T, O> operator+(CppInt<T, O> a, int64_t c) { return {a.v + BitsOf<T>(c)}; }
GRAPHC_LANES CppInt<T, O> operator-(CppInt<T, O> a, int64_t c) { return {a.v - BitsOf<T>(c)}; }
GRAPHC_LANES CppInt<T, O> operator&(CppInt<T, O> a, int64_t c) { return {a.v & BitsOf<T>(c)}; }
GRAPHC_LANES CppInt<T, O> operator|(CppInt<T, O> a, int64_t c) { return {a.v | BitsOf<T>(c)}; }
GRAPHC_LANES CppInt<T, O> operator<<(CppInt<T, O> a, int n) { return {a.v << n}; }
GRAPHC_LANES CppInt<T, O> operator>>(CppInt<T, O> a, int n) { return {a.v >> n}; }
GRAPHC_LANES CppMask<T, O> nonZero(CppInt<T, O> a) { return {a.v != 0}; }

template <class O> [[gnu::always_inline]] inline CppFloat<double, O> widen(CppFloat<float, O> a) {
  return {__builtin_convertvector(a.v, Vector<double>)};
}
template <class O> [[gnu::always_inline]] inline CppFloat<float, O> narrow(CppFloat<double, O> a) {
  return {__builtin_convertvector(a.v, Vector<float>)};
}

GRAPHC_LANES CppFloat<T, O> lookup(CppFloat<T, O> x, const T (&table)[32], CppInt<T, O> index) {
  for (int i = 0; i < kLanes; ++i)
    x.v[i] = table[index.v[i] & 31];
  return x;
}

GRAPHC_LANES CppFloat<T, O> coldLanes(LibmFunction f, CppMask<T, O> cold, CppFloat<T, O> x,
                                      CppFloat<T, O> y, CppFloat<T, O> otherwise) {
  using Angle = std::conditional_t<sizeof(T) == 8, long double, T>;
  for (int i = 0; i < kLanes; ++i)
    if (cold.v[i])
      otherwise.v[i] = f == LibmFunction::Sin   ? T(std::sin(Angle(x.v[i])))
                       : f == LibmFunction::Cos ? T(std::cos(Angle(x.v[i])))
                       : f == LibmFunction::Tan ? T(std::tan(Angle(x.v[i])))
                                                : std::fmod(x.v[i], y.v[i]);
  return otherwise;
}
template <class T, class O, class Make>
[[gnu::always_inline]] inline CppFloat<T, O> inColdLanes(CppMask<T, O> cold,
                                                         CppFloat<T, O> otherwise, Make make) {
  return select(cold, make(), otherwise);
}
#undef GRAPHC_LANES

} // namespace graphc::math
