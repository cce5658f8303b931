//===- StepDraws.cpp - streams that draw within a loop's step -----------------===//
#include "API/StepDraws.h"

namespace graphc {

static thread_local StepDraws *innermost = nullptr;

StepDraws::StepDraws() : outer_(innermost) { innermost = this; }
StepDraws::~StepDraws() { innermost = outer_; }

absl::Status advanceGenerator(const SharedVariable &generator, const Variable &next) {
  if (!innermost)
    return generator.setDefaultUpdate(next);
  innermost->updates_.emplace_back(generator, next);
  return absl::OkStatus();
}

} // namespace graphc
