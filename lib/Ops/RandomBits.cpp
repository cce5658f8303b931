//===- RandomBits.cpp -------------------------------------------------------===//
#include "RandomBits.h"

#include <cmath>

#include "Support/Philox.h"

namespace graphc {
namespace {

Scalar shiftedRight(Scalar word, int bits) {
  return apply(ScalarOp::Shr, {word, word.emitter()->literalInt(word.dtype(), bits)});
}
Scalar shiftedLeft(Scalar word, int bits) {
  return apply(ScalarOp::Shl, {word, word.emitter()->literalInt(word.dtype(), bits)});
}
Scalar masked(Scalar word, int64_t mask) {
  return apply(ScalarOp::And, {word, word.emitter()->literalInt(word.dtype(), mask)});
}
constexpr int64_t kLow = 0xFFFFFFFF;

struct KernelArithmetic {
  Emitter &e;
  Scalar number(uint64_t b) const { return e.literalInt(DType::UInt64, int64_t(b)); }
  Scalar times(Scalar a, uint64_t b) const { return a * number(b); }
  Scalar low(Scalar a) const { return masked(a, kLow); }
  Scalar high(Scalar a) const { return shiftedRight(a, 32); }
  Scalar plus(Scalar a, uint64_t b) const { return low(a + number(b)); }
  Scalar exclusiveOr(Scalar a, Scalar b) const { return apply(ScalarOp::Xor, {a, b}); }
};

} // namespace

RandomBits::RandomBits(Emitter &e, Array state, Scalar number, DType compute, DType drawn)
    : e_(e), compute_(compute), drawn_(drawn) {
  KernelArithmetic a{e};
  Scalar key = cast(e.load(state, {e.index(0)}), DType::UInt64);
  Scalar position = cast(e.load(state, {e.index(1)}) + number, DType::UInt64);
  words_ = philox::block<Scalar>(
      {{a.low(position), a.high(position), a.number(0), a.number(uint64_t(philox::Purpose::Draw))},
       {a.low(key), a.high(key)}},
      a);
}

Scalar RandomBits::word(int half) const {
  return apply(ScalarOp::Or, {shiftedLeft(words_[2 * half + 1], 32), words_[2 * half]});
}

// Integers that conversions of narrow types take exactly, which vectors of x86-64 have
// instructions for: signed 32 bits to Float32, unsigned 32 bits to Float64.
Scalar RandomBits::toFloat(Scalar bits) const {
  DType integer = compute_ == DType::Float32 ? DType::Int32 : DType::UInt32;
  return cast(cast(bits, integer), compute_);
}

Scalar RandomBits::unit(int half, int digits) const {
  Scalar upper = words_[2 * half + 1], lower = words_[2 * half];
  if (digits <= 24)
    return toFloat(shiftedRight(upper, 32 - digits)) * std::ldexp(1, -digits);
  return toFloat(upper) * 0x1p-32 +
         toFloat(shiftedRight(lower, 64 - digits)) * std::ldexp(1, -digits);
}

Scalar RandomBits::openUnit(Scalar upper, Scalar lower) const {
  if (compute_ == DType::Float64)
    return toFloat(upper) * 0x1p-32 + (toFloat(lower) + 0.5) * 0x1p-64;
  Scalar middle =
      apply(ScalarOp::Or, {shiftedLeft(masked(upper, 0xFF), 16), shiftedRight(lower, 16)});
  return toFloat(shiftedRight(upper, 8)) * 0x1p-24 + (toFloat(middle) + 0.5) * 0x1p-48;
}

RandomBits::Pair RandomBits::pair(int half) const {
  Scalar upper = words_[2 * half + 1], lower = words_[2 * half];
  KernelArithmetic a{e_};
  auto inverted = [&](Scalar word) { return a.exclusiveOr(word, a.number(kLow)); };
  return {openUnit(upper, lower), openUnit(inverted(upper), inverted(lower))};
}

Scalar RandomBits::coin(int half) const {
  return equalTo(shiftedRight(words_[2 * half + 1], 31), 0.0);
}

RandomBits::Angle RandomBits::angle(int half) const {
  Scalar upper = words_[2 * half + 1], lower = words_[2 * half];
  Scalar quarter = cast(shiftedRight(upper, 30), DType::Int64), rest = masked(upper, 0x3FFFFFFF);
  if (compute_ == DType::Float64)
    return {quarter, (toFloat(rest) * 0x1p-30 - 0.5) + (toFloat(lower) + 0.5) * 0x1p-62};
  Scalar below =
      apply(ScalarOp::Or, {shiftedLeft(masked(rest, 0x3F), 18), shiftedRight(lower, 14)});
  return {quarter,
          (toFloat(shiftedRight(rest, 6)) * 0x1p-24 - 0.5) + (toFloat(below) + 0.5) * 0x1p-48};
}

} // namespace graphc
