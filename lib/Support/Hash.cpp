//===- Support/Hash.cpp - hashes of content -------------------------------===//
#include "Support/Hash.h"

#define XXH_STATIC_LINKING_ONLY // for a state that is a member, not a pointer to one
#include <xxhash.h>

namespace graphc {

struct Hasher::State {
  XXH3_state_t xxh;
};

uint64_t hashBytes(const void *data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

uint64_t hashCombine(uint64_t a, uint64_t b) {
  uint64_t both[] = {a, b};
  return hashBytes(both, sizeof(both));
}

Hasher::Hasher(uint64_t seed) : state_(new State) {
  XXH3_INITSTATE(&state_->xxh);
  XXH3_128bits_reset_withSeed(&state_->xxh, seed);
}

Hasher::~Hasher() = default;

Hasher &Hasher::addBytes(const void *data, size_t size) {
  if (size)
    XXH3_128bits_update(&state_->xxh, data, size);
  return *this;
}

Hasher &Hasher::addString(std::string_view text) {
  return add(text.size()).addBytes(text.data(), text.size());
}

uint64_t Hasher::finish() const { return finish128().low; }

Hash128 Hasher::finish128() const {
  XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.low64, hash.high64};
}

} // namespace graphc
