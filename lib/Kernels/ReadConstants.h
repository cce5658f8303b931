//===- ReadConstants.h - elements of constants, from text ---------*- C++ -*-===//
#pragma once

#include "Support/TextScanner.h"
#include "absl/types/span.h"
#include "graphc/Tensor.h"

namespace graphc {

/// [1.0, 2.0], "0000803f00000040", or 1.0 for all. An empty Tensor after a mistake in the text.
Tensor takeElements(TextScanner &text, DType dtype, absl::Span<const int64_t> shape);

} // namespace graphc
