//===- NestLoops.h - how a nest's indices follow its loops --------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "graphc/Emit.h"

namespace graphc {

/// The loop that an index expression counts along, one to one: i, i + c, c - i, c * i; else -1.
int32_t loopOf(const std::vector<ScalarNode> &body, int32_t node);
/// An integer that follows the loops' counters: a sum of them, each with a factor, and a number.
struct Affine {
  absl::InlinedVector<int64_t, 6> factors; // by loop
  int64_t constant = 0;
};
/// The value of a size (its number), if it is a constant.
using SizeValues = absl::FunctionRef<std::optional<int64_t>(int32_t size)>;
/// What each node of the body is as such a sum, if it is one that fits.
std::vector<std::optional<Affine>> affineNodes(const Nest &nest, SizeValues constantSize);

/// The loops that a load's indices count along, a bit each; loops that share an index do not count.
uint64_t loopsOfLoad(const Nest &nest, const ScalarNode &load, int32_t rank);
/// Whether each iteration loads another element: every loop but those in `ignored` (a bit each) has
/// an index of its own.
bool loadsEachOnce(const Nest &nest, const ScalarNode &load, int32_t rank, uint64_t ignored = 0);
/// The loops that each value of the body depends on, a bit each; of a load those of its indices.
/// `rankOf` gives the number of indices of a load.
std::vector<uint64_t> dependences(const Nest &nest,
                                  const std::function<int32_t(int32_t array)> &rankOf);
/// A reduction whose loads all leave out some loops: it computes more than it reads.
bool isContraction(const Nest &nest, const std::function<int32_t(int32_t array)> &rankOf,
                   uint64_t ignored = 0);

} // namespace graphc
