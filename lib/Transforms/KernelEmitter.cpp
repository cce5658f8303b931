//===- Transforms/KernelEmitter.cpp - loops of one kernel -----------------===//
#include "Transforms/BlockShape.h"

namespace graphc {

void KernelEmitter::emitRows(llvm::ArrayRef<int> nests, int first, int last) {
  const KernelNest &nest = kernel.nests[size_t(nests[0])];
  if (int(body->loops.size()) < last)
    body->loops.resize(size_t(last));
  for (int loop = first; loop < last; ++loop)
    openLoop(nest, loop);
  std::vector<Pass> passes = planPasses(kernel, nests, last, uses(Optimization::SideBySide));
  placeArrays(passes, last);
  std::vector<NextRows> rows = rowsToFetch(passes, last - 1);
  for (auto [pass, fetched] : llvm::zip(passes, rows)) {
    nextRows = std::move(fetched);
    emitPass(pass);
    nextRows = {};
    stack->dropAnchor();
  }
  for (int loop = first; loop < last; ++loop)
    stack->close();
  if (last > first)
    for (int number : nests)
      body->registers.erase(kernel.nests[size_t(number)].result);
}

void KernelEmitter::emitPass(const Pass &pass) {
  if (pass.kind != Pass::Kind::Stream)
    emitPoints(pass);
  else if (std::optional<BlockShape> shape = shortRows(pass))
    emitBlocks(pass, *shape);
  else
    emitStream(pass);
}

void KernelEmitter::emit() {
  llvm::SmallVector<int> all = llvm::to_vector(llvm::seq<int>(0, int(kernel.nests.size())));
  if (!all.empty()) {
    bool hasReduction =
        llvm::any_of(kernel.nests, [](const KernelNest &nest) { return nest.isReduction(); });
    if (arePoints(kernel, all, kernel.numShared))
      emitPass({hasReduction ? Pass::Kind::Points : Pass::Kind::Stream, 0, all});
    else if (!emitIfRowBlocks(all))
      emitRows(all, 0, kernel.numShared);
  }
  function.finish();
}

} // namespace graphc
