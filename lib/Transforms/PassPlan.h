//===- Transforms/PassPlan.h - which nests run in one loop ----------------*- C++ -*-===//
//
// A pass is a run of nests that share loops and hand values to one another in registers.
//
// Stream: all nests run over the same loops; maps and reductions over all of these loops. A later
// nest may use what a
//   map of the same pass has made in the same iteration. Softmax's exp and the sum of it are one
//   stream.
//     for j: e[j] = exp(x[j] - m); s += e[j]
//   So are a sum and a sum of squares: what they read passes by once.
// Points: all nests have the same parallel loops and exchange values within an iteration of them;
// each may have
//   reductions of its own inside. A matrix product with bias and relu is one.
//     for i, j: t = sum over k of a[i, k] * b[k, j]; y[i, j] = max(t + c[j], 0)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Transforms/KernelModel.h"

namespace graphc {

struct Pass {
  enum class Kind { Stream, Points };
  Kind kind;
  int outer; ///< loops that are open around it; the nests' first ones
  llvm::SmallVector<int> nests;
};

/// Cuts nests into passes inside `outer` open loops, in order. Those that are not `sideBySide` join
/// the pass before only.
std::vector<Pass> planPasses(const KernelModel &kernel, llvm::ArrayRef<int> nests, int outer,
                             bool sideBySide = true);

/// Whether all nests run over `outer` parallel loops and exchange values within one iteration of
/// them only.
bool arePoints(const KernelModel &kernel, llvm::ArrayRef<int> nests, int outer);

/// Whether an array must be in memory when the nests run inside `outer` loops as these passes: it
/// is an output, or a nest reads it that cannot have it in a register.
bool needsMemory(const KernelModel &kernel, llvm::ArrayRef<Pass> passes, int outer, int array);

} // namespace graphc
