//===- Gradient/ComplexDerivatives.h - of ops on complex numbers -*- C++ -*-===//
//
// The gradient with respect to a complex z = x + i y is dc/dx + i dc/dy of the real cost c: that of
// the real function of both parts, which parts rules make of an op. So pullbacks are adjoint to
// pushforwards in the inner product Re(conj(a) b).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Pushforward.h"

namespace graphc {

/// Numbers that there are gradients of.
inline bool isDifferentiable(DType dtype) { return isFloat(dtype) || isComplex(dtype); }

/// Gradients of the operands of a node that works by parts (Graph/PartsOf.h), `in`.
absl::StatusOr<Variables> pullComplex(const Apply &node, const Variables &in, const Variables &g);
/// Tangents of its results.
absl::StatusOr<PushedForward> pushComplex(const Apply &node, const Variables &in,
                                          const Variables &tangents);

} // namespace graphc
