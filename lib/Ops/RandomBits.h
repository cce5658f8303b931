//===- Ops/RandomBits.h - the random bits of an element, in kernels -*- C++ -*-===//
#pragma once

#include <array>

#include "graphc/Emit.h"

namespace graphc {

/// What distributions make of an element's block. Words 1 and 0 (the upper and the lower one) and
/// words 3 and 2 are independent: a body takes either half once.
class RandomBits {
public:
  /// The block of element `number` (int64) of a draw of `drawn` from `state`; numbers of `compute`,
  /// Float32 or Float64.
  RandomBits(Emitter &e, Array state, Scalar number, DType compute, DType drawn);

  Emitter &emitter() const { return e_; }
  DType compute() const { return compute_; }
  DType drawn() const { return drawn_; }
  /// Half 0 or 1 as 64 bits: uint64.
  Scalar word(int half) const;
  /// In [0, 1), a multiple of 2^-digits, digits <= 53 (Float32: 24), from the upper bits of a half.
  Scalar unit(int half, int digits) const;
  /// u in (0, 1] and v = 1 - u, of all bits of a half: the smaller one has all its digits.
  struct Pair {
    Scalar u, v;
  };
  Pair pair(int half) const;
  /// A fair coin: the first bit of a half.
  Scalar coin(int half) const;
  /// An angle in units of a quarter turn: `quarter` (int64, 0 to 3) and `rest` in (-1/2, 1/2),
  /// never 0.
  struct Angle {
    Scalar quarter, rest;
  };
  Angle angle(int half) const;

private:
  /// Bits below 2^32, or below 2^24 where the numbers are Float32, as a float.
  Scalar toFloat(Scalar bits) const;
  Scalar openUnit(Scalar upper, Scalar lower) const;

  Emitter &e_;
  DType compute_, drawn_;
  std::array<Scalar, 4> words_;
};

} // namespace graphc
