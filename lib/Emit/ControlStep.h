//===- Emit/ControlStep.h - a host call that runs graphs ----------*- C++ -*-===//
#pragma once

#include <memory>

#include "Runtime/Program.h"

namespace graphc {

/// What the bodies of a branch or a loop are compiled to (Kernels/BodyCode.h).
struct BodyCode;

/// What a host call whose callback evaluates graphs becomes where these have code: a step of the
/// program with the bodies.
struct ControlStep {
  /// Without bodies.
  Program::Control shape;
  /// Null: they are evaluated.
  std::shared_ptr<const BodyCode> code;
};

} // namespace graphc
