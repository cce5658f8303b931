//===- Emit/ControlStep.h - a host call that runs graphs ----------*- C++ -*-===//
#pragma once

#include <memory>

#include "Runtime/Program.h"

namespace graphc {

/// What the bodies of a branch or a loop are compiled to (Kernels/BodyCode.h).
struct BodyCode;

/// The callback of a host step that runs graphs: it evaluates them. Where they have code, programs
/// have a step with the bodies in its place.
struct ControlStep {
  HostFunction evaluate;
  /// Without bodies.
  Program::Control shape;
  std::shared_ptr<const BodyCode> code;

  absl::Status operator()(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs) const {
    return evaluate(inputs, outputs);
  }
};

} // namespace graphc
