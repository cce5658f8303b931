//===- Emit/EmitNode.h - one node in an emission ----------------*- C++ -*-===//
#pragma once

#include "graphc/OpDef.h"

namespace graphc {

/// What the node's op, which has an emission, computes from `operands`. With complex operands or
/// results, of an op that does not know them itself: what its parts rule says.
Arrays emitOp(Emitter &e, const Apply &node, const Arrays &operands);
/// The same recorded as node `number`.
Arrays emitNode(Emitter &e, const Apply &node, int32_t number, const Arrays &operands);

} // namespace graphc
