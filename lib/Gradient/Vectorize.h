//===- Gradient/Vectorize.h - derivatives of vectorized graphs --*- C++ -*-===//
#pragma once

#include "Graph/InnerGraph.h"

namespace graphc {

/// The pullback and the pushforward of an op that `vectorize` gives, as OpDef's rules.
Variables pullVectorized(const detail::InnerGraph &inner, Inputs in, Outputs out, Gradients g);
Variables pushVectorized(const detail::InnerGraph &inner, Inputs in, Outputs out, Tangents t);

} // namespace graphc
