//===- LoopsPass.h - the loops stage as passes for graphc-opt -----*- C++ -*-===//
#pragma once

namespace graphc {

/// Registers `--graphc-linalg-to-loops`, with the option `target` (as `graphc --target`), and
/// `--graphc-fix-sizes`, with the option `sizes` (Transforms/KnownSizes.h).
void registerLoopsPasses();

} // namespace graphc
