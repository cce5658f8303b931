//===- Ops/AdvancedIndexing.h - x at arrays of positions and masks ---*- C++ -*-===//
#pragma once

#include <vector>

#include "graphc/Ops.h"

namespace graphc {

/// Whether an entry is an array or a mask.
bool hasArrays(const std::vector<Index> &indices);
/// x[indices], of which one is an array.
Variable subtensorAtArrays(const Operand &x, const std::vector<Index> &indices);
/// x with y set, or added, there.
Variable changedAtArrays(const Operand &x, const std::vector<Index> &indices, const Operand &y,
                         bool adds);

} // namespace graphc
