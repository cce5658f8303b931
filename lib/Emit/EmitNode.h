//===- Emit/EmitNode.h - one node in an emission ----------------*- C++ -*-===//
#pragma once

#include "graphc/OpDef.h"

namespace graphc {

/// What the node's op, which has an emission, computes from `operands`: recorded as node `number`.
Arrays emitNode(Emitter &e, const Apply &node, int32_t number, const Arrays &operands);

} // namespace graphc
