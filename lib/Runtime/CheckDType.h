//===- Runtime/CheckDType.h - numbers that are no dtypes --------*- C++ -*-===//
#pragma once

#include "absl/status/status.h"
#include "graphc/DType.h"

namespace graphc {

/// Programs can cast any number to a DType.
inline bool isDType(DType dtype) { return size_t(dtype) < size_t(kNumDTypes); }

/// TypeError for what is none.
absl::Status checkDType(DType dtype);

} // namespace graphc
