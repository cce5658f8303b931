//===- Runtime/ContentHash.h - hashes of elements -----------------*- C++ -*-===//
#pragma once

#include <cstdint>

#include "graphc/Tensor.h"

namespace graphc {

/// What Tensor::contentHash() is, from the elements as they are now, also of a frozen Tensor.
uint64_t hashOfContent(const Tensor &tensor);

} // namespace graphc
