//===- Support/Philox.h - the counter-based generator ----------------*- C++ -*-===//
//
// Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011). A template over words of 64 bits that hold 32: kernels instantiate it with scalars
// (lib/Ops/RandomBits.h), the host with integers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>

namespace graphc::philox {

constexpr int kRounds = 10;
/// Odd multipliers, and the steps of the key (the golden ratio, sqrt(3) - 1).
constexpr uint64_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
constexpr uint64_t kKeySteps[] = {0x9E3779B9, 0xBB67AE85};

template <class Word> struct Input {
  std::array<Word, 4> counter;
  std::array<Word, 2> key;
};

/// The block of a counter and a key. `Arithmetic` has for words, each below 2^32 as are results:
/// times(a, number), 64 bits; low(product), high(product); plus(a, number), modulo 2^32; and
/// exclusiveOr(a, b).
template <class Word, class Arithmetic>
std::array<Word, 4> block(Input<Word> input, const Arithmetic &a) {
  std::array<Word, 4> c = input.counter;
  std::array<Word, 2> k = input.key;
  for (int round = 0; round < kRounds; ++round) {
    Word first = a.times(c[0], kMultipliers[0]), second = a.times(c[2], kMultipliers[1]);
    c = {a.exclusiveOr(a.exclusiveOr(a.high(second), c[1]), k[0]), a.low(second),
         a.exclusiveOr(a.exclusiveOr(a.high(first), c[3]), k[1]), a.low(first)};
    k = {a.plus(k[0], kKeySteps[0]), a.plus(k[1], kKeySteps[1])};
  }
  return c;
}

struct HostArithmetic {
  static uint64_t times(uint64_t a, uint64_t b) { return a * b; }
  static uint64_t low(uint64_t a) { return a & 0xFFFFFFFF; }
  static uint64_t high(uint64_t a) { return a >> 32; }
  static uint64_t plus(uint64_t a, uint64_t b) { return (a + b) & 0xFFFFFFFF; }
  static uint64_t exclusiveOr(uint64_t a, uint64_t b) { return a ^ b; }
};

/// What the third and fourth word of counters say.
enum class Purpose : uint32_t { Draw = 0, Split = 1 };

/// The block of element `position`; two numbers of 64 bits.
inline std::array<uint64_t, 2> hostBlock(uint64_t key, uint64_t position, uint32_t attempt = 0,
                                         Purpose purpose = Purpose::Draw) {
  HostArithmetic a;
  auto c = block<uint64_t>(
      {{a.low(position), a.high(position), attempt, uint64_t(purpose)}, {a.low(key), a.high(key)}},
      a);
  return {c[1] << 32 | c[0], c[3] << 32 | c[2]};
}

/// The key of generator `number` that descends from `key`.
inline uint64_t derivedKey(uint64_t key, uint64_t number) {
  return hostBlock(key, number, 0, Purpose::Split)[0];
}

} // namespace graphc::philox
