//===- Gradient/Pushforward.h - forward mode --------------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graphc/Variable.h"

namespace graphc {

/// What a pushforward gives: tensors, zeroDerivative, or Variables of type Null or Disconnected;
/// and where what is Null arose, through all graphs (calledAt and nested): empty where it came in,
/// and of a call where an override says so.
struct PushedForward {
  Variables tangents;
  std::vector<std::string> nullWithin;

  explicit PushedForward(Variables of) : tangents(std::move(of)), nullWithin(tangents.size()) {}
};

/// Tangents of `f` by the ops' own rules, given those of `wrt`.
absl::StatusOr<PushedForward> pushedForward(const Variables &f, const Variables &wrt,
                                            const Variables &tangents);

} // namespace graphc
