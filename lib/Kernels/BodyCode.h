//===- Kernels/BodyCode.h - what bodies are compiled to -----------*- C++ -*-===//
#pragma once

#include <vector>

#include "Kernels/KernelGraph.h"

namespace graphc {

/// By body, its kernels and its program: their code is made with that of the program around.
struct BodyCode {
  std::vector<KernelGraph> bodies;
};

} // namespace graphc
