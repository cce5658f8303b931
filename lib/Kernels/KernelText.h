//===- KernelText.h - what kernels' text and its reader share -----*- C++ -*-===//
#pragma once

#include <string_view>

#include "graphc/Emit.h"

namespace graphc {

/// "sum", "argmax", ...; "" for None.
inline std::string_view combineName(Combine combine) {
  constexpr std::string_view kNames[] = {"",    "sum", "prod", "max",    "min",
                                         "and", "or",  "xor",  "argmax", "argmin"};
  return kNames[size_t(combine)];
}

} // namespace graphc
