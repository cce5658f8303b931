//===- API/StepDraws.h - streams that draw within a loop's step -----*- C++ -*-===//
//
// The state of a generator that a RandomStream makes while the step of a loop is called belongs to
// the loop: every step draws anew, and the default update is the state after the last one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Shared.h"
#include "graphc/Traversal.h"

namespace graphc {

/// Collects the generators of this thread's draws as long as it lives, and no scope within it.
class StepDraws {
public:
  StepDraws();
  ~StepDraws();
  StepDraws(const StepDraws &) = delete;
  StepDraws &operator=(const StepDraws &) = delete;
  /// The generators with their states after a draw.
  const Replacements &updates() const { return updates_; }

private:
  friend absl::Status advanceGenerator(const SharedVariable &generator, const Variable &next);
  StepDraws *outer_;
  Replacements updates_;
};

/// Makes `next` an update of the step that is being called, or, where none is, the generator's
/// default update.
absl::Status advanceGenerator(const SharedVariable &generator, const Variable &next);

} // namespace graphc
