//===- Support/Hash.h - hashes of content -----------------------*- C++ -*-===//
//
// xxHash's XXH3: equal in every process and on every machine of one byte order, so that hashes
// may name files of a cache. For hash tables alone, absl::Hash does.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace graphc {

/// The hash of `size` bytes.
uint64_t hashBytes(const void *data, size_t size, uint64_t seed = 0);
inline uint64_t hashString(std::string_view text, uint64_t seed = 0) {
  return hashBytes(text.data(), text.size(), seed);
}

/// A hash of both, in this order.
uint64_t hashCombine(uint64_t a, uint64_t b);

/// 128 bits, for names of content where a clash would be a fault.
struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Hash128 &, const Hash128 &) = default;
};

/// Hashes a sequence of values. How the bytes are cut into calls of addBytes does not matter, so
/// values of varying length need their length added before them (addString does).
class Hasher {
public:
  explicit Hasher(uint64_t seed = 0);
  ~Hasher();
  Hasher(const Hasher &) = delete;
  Hasher &operator=(const Hasher &) = delete;

  Hasher &addBytes(const void *data, size_t size);
  Hasher &addString(std::string_view text);
  template <std::integral T> Hasher &add(T value) {
    uint64_t wide = uint64_t(value);
    return addBytes(&wide, sizeof(wide));
  }
  uint64_t finish() const;
  Hash128 finish128() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace graphc
