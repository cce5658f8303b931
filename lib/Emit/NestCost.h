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

/// Operations on floats of one iteration: each scalar operation that gives a float is one, whatever
/// it takes, but a fused multiply-add two; so is joining the value with what a reduction has so
/// far. Casts and choices are none.
int64_t flopsOf(const Nest &nest);

} // namespace graphc
