//===- GoldenTolerance.h - what a golden line's results may differ by -*- C++ -*-===//
#pragma once

#include "Closeness.h"
#include "GoldenVectors.h"
#include "graphc/OpDef.h"

namespace graphc {

/// A line's own tolerance; else the registry's bound of its function, which stands between numbers
/// of the dtype, golden results being rounded (half a unit); else, where no bound in ULP makes
/// sense, 1e-12 and 1e-5. `op` is null for functions that are made of ops.
Tolerance toleranceOf(const GoldenLine &line, const OpDef *op, DType dtype);

} // namespace graphc
