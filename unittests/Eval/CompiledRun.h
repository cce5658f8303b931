//===- CompiledRun.h - graphs as compiled code --------------------------------===//
#pragma once

#include <vector>

#include "Eval/Evaluate.h"

namespace graphc {

/// What `function` computes without rewrites: nothing is folded, so every number comes from
/// compiled code. Graphs that are joined in one call compile kernels that they share once.
TensorsOr runCompiled(const Variables &outputs, const Variables &inputs,
                      const std::vector<Tensor> &values);

} // namespace graphc
