//===- NestCost.h - what scalar operations cost -------------------*- C++ -*-===//
//
// One table, by which fusion decides what to compute again and rules tell which of them saves more.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <vector>

#include "graphc/Emit.h"

namespace graphc {

/// Relative cost of one scalar operation: 1 for an addition.
double opCost(ScalarOp op);

/// By node: whether the nest's value itself is made of it; not so what only indices are made of.
std::vector<bool> valueNodes(const Nest &nest);

/// What one value of the body costs; index arithmetic is nothing next to it.
double costOfIteration(const Nest &nest);

} // namespace graphc
