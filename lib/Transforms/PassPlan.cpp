//===- Transforms/PassPlan.cpp - which nests run in one loop --------------===//
//
// Reductions that stand side by side (`side-by-side`) read what they have in common once:
//
//   for (i)                                    for (i)
//     for (j) a[i] += x[i, j] * x[i, j]   ->     for (j) { a[i] += x[i, j] * x[i, j];
//     for (j) b[i] += x[i, j]                              b[i] += x[i, j] }
//
//===----------------------------------------------------------------------===//
#include "Transforms/PassPlan.h"

namespace graphc {
namespace {

/// Number of the nest among `nests` that makes the array, or -1.
int producer(const KernelModel &kernel, llvm::ArrayRef<int> nests, int array) {
  for (int nest : nests)
    if (kernel.nests[size_t(nest)].result == array)
      return nest;
  return -1;
}

/// Calls `visit(array, isIdentity)` for each load of the nest.
void forEachLoad(const KernelModel &kernel, const KernelNest &nest,
                 llvm::function_ref<void(int, bool)> visit) {
  for (int i = 0; i < int(nest.inputs.size()); ++i)
    if (nest.inputs[size_t(i)] >= 0)
      visit(nest.inputs[size_t(i)], nest.isIdentity(i));
  nest.body()->walk(
      [&](mlir::tensor::ExtractOp load) { visit(kernel.arrayOf.lookup(load.getTensor()), false); });
}

bool sameExtents(const KernelNest &a, const KernelNest &b, int first, int last) {
  return std::equal(a.extents.begin() + first, a.extents.begin() + last, b.extents.begin() + first);
}

bool joinsStream(const KernelModel &kernel, const Pass &pass, const KernelNest &nest) {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  int loops = first.numLoops();
  auto isStream = [&](const KernelNest &each) {
    return each.isReduction() ? each.numParallel == pass.outer
                              : each.numParallel == each.numLoops();
  };
  if (!isStream(first) || !isStream(nest) || nest.numLoops() != loops ||
      !sameExtents(first, nest, pass.outer, loops))
    return false;
  bool fits = true;
  forEachLoad(kernel, nest, [&](int array, bool isIdentity) {
    int made = producer(kernel, pass.nests, array);
    if (made >= 0 && (!isIdentity || kernel.nests[size_t(made)].isReduction()))
      fits = false;
  });
  return fits;
}

bool joinsPoints(const KernelModel &kernel, const Pass &pass, const KernelNest &nest) {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  if (nest.numParallel != first.numParallel ||
      !sameExtents(first, nest, pass.outer, first.numParallel))
    return false;
  bool fits = true;
  forEachLoad(kernel, nest, [&](int array, bool isIdentity) {
    if (producer(kernel, pass.nests, array) >= 0 && !isIdentity)
      fits = false;
  });
  return fits;
}

} // namespace

bool arePoints(const KernelModel &kernel, llvm::ArrayRef<int> nests, int outer) {
  Pass pass{Pass::Kind::Points, 0, {nests[0]}};
  for (int number : nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    if (nest.numParallel != outer || !joinsPoints(kernel, pass, nest))
      return false;
    pass.nests.push_back(number);
  }
  return true;
}

/// The last stream that the nest may join: it reads nothing of the passes planned since (what
/// becomes of another sum, say). Only the nest that writes an output reads an input whose memory
/// that takes over, so that it may be stored earlier. Null if there is none.
static Pass *streamFor(const KernelModel &kernel, std::vector<Pass> &passes, const KernelNest &nest,
                       bool sideBySide) {
  for (Pass &pass : llvm::reverse(passes)) {
    if (pass.kind == Pass::Kind::Stream && joinsStream(kernel, pass, nest))
      return &pass;
    bool isRead = !sideBySide;
    forEachLoad(kernel, nest,
                [&](int array, bool) { isRead |= producer(kernel, pass.nests, array) >= 0; });
    if (isRead)
      return nullptr;
  }
  return nullptr;
}

std::vector<Pass> planPasses(const KernelModel &kernel, llvm::ArrayRef<int> nests, int outer,
                             bool sideBySide) {
  std::vector<Pass> passes;
  for (int number : nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    if (Pass *stream = streamFor(kernel, passes, nest, sideBySide)) {
      stream->nests.push_back(number);
      continue;
    }
    if (!passes.empty() && passes.back().kind == Pass::Kind::Points &&
        joinsPoints(kernel, passes.back(), nest)) {
      passes.back().nests.push_back(number);
      continue;
    }
    bool isPoints = nest.isReduction() && nest.numParallel > outer;
    passes.push_back({isPoints ? Pass::Kind::Points : Pass::Kind::Stream, outer, {number}});
  }
  return passes;
}

bool needsMemory(const KernelModel &kernel, llvm::ArrayRef<Pass> passes, int outer, int array) {
  if (kernel.arrays[size_t(array)].role == KernelArray::Role::Output)
    return true;
  bool isRegister = kernel.arrays[size_t(array)].rank() == outer;
  bool needed = false;
  for (const Pass &pass : passes) {
    bool madeHere = producer(kernel, pass.nests, array) >= 0;
    for (int nest : pass.nests)
      forEachLoad(kernel, kernel.nests[size_t(nest)], [&](int loaded, bool isIdentity) {
        if (loaded == array && !(isIdentity && (madeHere || isRegister)))
          needed = true;
      });
  }
  return needed;
}

} // namespace graphc
