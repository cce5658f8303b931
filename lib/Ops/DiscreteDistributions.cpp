//===- DiscreteDistributions.cpp - integers that kernels draw ----------------===//
#include <limits>

#include "Distributions.h"
#include "RoundedMath.h"

namespace graphc {
namespace {

using Bits = const RandomBits &;
using P = const Scalars &;

//===--- integers -------------------------------------------------------------------------===//

Scalar high32(Scalar x) {
  return apply(ScalarOp::Shr, {x, x.emitter()->literalInt(x.dtype(), 32)});
}
Scalar low32(Scalar x) {
  return apply(ScalarOp::And, {x, x.emitter()->literalInt(x.dtype(), 0xFFFFFFFF)});
}

/// The upper 64 bits of the product of two uint64, of products of 32 bits.
Scalar upperOfProduct(Scalar a, Scalar b) {
  Scalar middle = high32(a) * low32(b) + high32(low32(a) * low32(b));
  Scalar other = low32(a) * high32(b) + low32(middle);
  return high32(a) * high32(b) + high32(middle) + high32(other);
}

/// low + floor(bits / 2^128 * (high - low)), of all 128 bits of the block.
Scalar integerBetween(Bits bits, P p) {
  auto fits = [&](Scalar x) { return equalTo(cast(cast(x, bits.drawn()), x.dtype()), x); };
  bits.emitter().check(fits(p[0]) && fits(p[1] - 1.0), ErrorKind::ValueError,
                       "low or high is beyond what the dtype holds");
  Scalar low = cast(p[0], DType::UInt64), range = cast(p[1], DType::UInt64) - low;
  Scalar upper = bits.word(1) * range, carried = upperOfProduct(bits.word(0), range);
  Scalar carry = cast(upper + carried < upper, DType::UInt64);
  return low + upperOfProduct(bits.word(1), range) + carry;
}

//===--- geometric ------------------------------------------------------------------------===//

/// How many trials until the first success: the exponential variable counts them in steps of
/// -log(1 - p).
Scalar geometric(Bits bits, P p) {
  auto [u, v] = bits.pair(0);
  Scalar isSure = equalTo(p[0], 1.0);
  Scalar q = select(isSure, bits.emitter().literal(bits.compute(), 0.5), p[0]);
  Scalar failures = rounded::logOfUnit(u, v) / rounded::logOfUnit(1.0 - q, q);
  Scalar trials = apply(ScalarOp::Floor, {select(isSure, failures * 0.0, failures)}) + 1.0;
  return minimum(trials, 0x1.fffffffffffffp62);
}

} // namespace

std::vector<Distribution> discreteDistributions() {
  return {
      {.name = "integers",
       .doc = "Integers from low to below high, all equally likely.\nThe upper word of 128 bits "
              "times high - low: probabilities differ by less than 2^-128. ValueError for "
              "an empty range and what the dtype does not hold.",
       .parameters = {"low", "high"},
       .drawsIntegers = true,
       .takesIntegers = true,
       .requirements = {{[](P p) { return p[0] < p[1]; }, "low must be below high"}},
       .body = integerBetween,
       .example = "integers([1, 0], [2], 0, 100) = [71, 65]"},
      {.name = "bernoulli",
       .doc = "1 with probability p, else 0.\np counts in steps of 2^-53.",
       .parameters = {"p"},
       .drawsIntegers = true,
       .requirements = {isProbability(0, "p")},
       .body = [](Bits bits, P p) { return cast(bits.unit(0, 53) < p[0], DType::Int64); },
       .example = "bernoulli([1, 0], [2], 0.5) = [0, 0]"},
      {.name = "geometric",
       .doc = "How many trials it takes until one succeeds, each with probability p: at least 1.",
       .parameters = {"p"},
       .drawsIntegers = true,
       .requirements = {isPositiveProbability(0, "p")},
       .body = geometric,
       .example = "geometric([1, 0], [2], 0.5) = [1, 1]"},
  };
}

} // namespace graphc
