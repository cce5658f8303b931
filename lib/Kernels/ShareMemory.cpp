//===- ShareMemory.cpp - kernels that overwrite what they read ------------===//
#include <algorithm>
#include <limits>

#include "Kernels/ProgramBuilder.h"

namespace graphc {

using Storage = Program::Array::Storage;

void shareMemory(KernelGraph &graph) {
  Program &program = graph.program;
  std::vector<Program::Array> &arrays = program.arrays;
  constexpr int32_t kForever = std::numeric_limits<int32_t>::max();

  std::vector<int32_t> parent(arrays.size()), lastUse(arrays.size(), -1);
  for (int32_t a = 0; a < int32_t(arrays.size()); ++a)
    parent[a] = arrays[a].storage == Storage::Same ? arrays[a].number : a;
  auto root = [&](int32_t a) {
    while (parent[a] != a)
      a = parent[a] = parent[parent[a]];
    return a;
  };
  for (int32_t s = 0; s < int32_t(program.steps.size()); ++s)
    for (int32_t a : program.steps[s].arrays)
      lastUse[root(a)] = s;
  bool readsElements = false;
  for (const SizeNode &n : program.sizes)
    if (n.op == SizeOp::Element) {
      lastUse[root(n.a)] = kForever;
      readsElements |= arrays[root(n.a)].storage != Storage::Input &&
                       arrays[root(n.a)].storage != Storage::Constant;
    }

  std::vector<std::vector<int32_t>> reusable(graph.kernels.size());
  std::vector<bool> known(graph.kernels.size(), false);
  for (int32_t s = 0; s < int32_t(program.steps.size()); ++s) {
    const Program::Step &step = program.steps[s];
    if (step.kind != Program::Step::Kind::Kernel)
      continue;
    if (!known[step.callee]) {
      reusable[step.callee] = reusableInputs(graph.kernels[step.callee]);
      known[step.callee] = true;
    }
    for (size_t k = 0; k < reusable[step.callee].size(); ++k) {
      int32_t input = reusable[step.callee][k];
      int32_t output = step.arrays[size_t(step.numInputs) + k];
      // Sizes of outputs must be known when their memory is first used.
      bool mayMove = arrays[output].storage == Storage::Arena ||
                     (arrays[output].storage == Storage::Output && !readsElements);
      if (input < 0 || !mayMove)
        continue;
      int32_t source = step.arrays[input], r = root(source);
      int64_t uses = std::count_if(step.arrays.begin(), step.arrays.begin() + step.numInputs,
                                   [&](int32_t a) { return root(a) == r; });
      if (arrays[r].storage != Storage::Arena || lastUse[r] != s || uses != 1)
        continue;
      if (arrays[output].storage == Storage::Output) {
        arrays[r].storage = Storage::Output;
        arrays[r].number = arrays[output].number;
      }
      arrays[output].storage = Storage::Same;
      arrays[output].number = source;
      lastUse[r] = std::max(lastUse[r], lastUse[output]);
      parent[output] = r;
    }
  }
}

} // namespace graphc
