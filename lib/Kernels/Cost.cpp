//===- Cost.cpp - what nests cost and what they read ----------------------===//
#include "Emit/NestCost.h"
#include "Kernels/FusionState.h"
#include "absl/algorithm/container.h"

namespace graphc {

void insert(ArraySet &set, int32_t array) {
  if (!absl::c_linear_search(set, array))
    set.push_back(array);
}

bool readTooMany(const ArraySet &broad, const ArraySet &others) {
  if (broad.size() < kBroad || broad.size() + others.size() <= kMaxReads)
    return false;
  ArraySet all = others;
  for (int32_t array : broad)
    insert(all, array);
  return all.size() > kMaxReads;
}

void measure(FusedNest &fused) {
  const Nest &nest = fused.nest;
  fused.ops = 0;
  fused.cost = costOfIteration(nest);
  fused.reads.clear();
  for (const ScalarNode &n : nest.body) {
    if (n.op > ScalarOp::Load)
      ++fused.ops;
    else if (n.op == ScalarOp::Load)
      insert(fused.reads, n.loadArray());
  }
}

} // namespace graphc
