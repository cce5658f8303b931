//===- Ops/Units.h - the precision of dtypes ------------------------*- C++ -*-===//
#pragma once

#include <limits>

#include "graphc/Ops.h"

namespace graphc {

/// The distance from 1 to the next number of float64, or of float32.
inline double unitOf(DType dtype) {
  return dtype == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                 : std::numeric_limits<float>::epsilon();
}

} // namespace graphc
