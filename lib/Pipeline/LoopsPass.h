//===- LoopsPass.h - the loops stage as a pass for graphc-opt -----*- C++ -*-===//
#pragma once

namespace graphc {

/// Registers `--graphc-linalg-to-loops`, with the option `target` (as `graphc --target`).
void registerLoopsPass();

} // namespace graphc
