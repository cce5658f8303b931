//===- ShareMemory.cpp - kernels that overwrite what they read ------------===//
//
// A kernel that is the last to read an array, and reads each element before it writes the result's
// at the same place, writes to the array's memory (test/Stages/share-memory.mlir):
//
//   %3: f32[n] = arena                   %3: f32[n] = arena
//   %5: f32[n] = arena            ->     %5: f32[n] = memory of %3
//   kernel @sub (%3, %4) -> (%5)         kernel @sub (%3, %4) -> (%5)
//
// So results that are worked on go through the caches once, and take the memory of one. Parts of
// an array (PartsInPlace.cpp) are left alone: what follows them in it is alive.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <limits>

#include "Kernels/ProgramBuilder.h"

namespace graphc {
namespace {

using Storage = Program::Array::Storage;
using Step = Program::Step;

class MemorySharing {
public:
  explicit MemorySharing(KernelGraph &graph);
  void run();

private:
  int32_t root(int32_t array);
  /// What the output at position `k` of a kernel's step may take over: the first of its inputs
  /// whose memory is of that storage, that no later step uses and the step has once; -1.
  int32_t replaceable(int32_t step, size_t k, Storage storage);
  void takeOver(int32_t step, size_t k);
  void findOverwritten();

  const std::vector<Kernel> &kernels_;
  Program &p_;
  std::vector<Program::Array> &arrays_;
  std::vector<int32_t> parent_, lastUse_;
  std::vector<bool> isInPart_;                              // a part, or in the memory of one
  bool readsElements_ = false;                              // of what the program computes
  std::vector<std::vector<std::vector<int32_t>>> reusable_; // by kernel
};

MemorySharing::MemorySharing(KernelGraph &graph)
    : kernels_(graph.kernels), p_(graph.program), arrays_(p_.arrays), parent_(arrays_.size()),
      lastUse_(arrays_.size(), -1), isInPart_(arrays_.size(), false) {
  for (int32_t a = 0; a < int32_t(arrays_.size()); ++a) {
    const bool isSame = arrays_[a].storage == Storage::Same;
    parent_[a] = isSame ? arrays_[a].number : a;
    isInPart_[a] = arrays_[a].isPart() || (isSame && isInPart_[arrays_[a].number]);
  }
  for (int32_t s = 0; s < int32_t(p_.steps.size()); ++s)
    for (int32_t a : p_.steps[s].arrays)
      lastUse_[root(a)] = s;
  for (const SizeNode &n : p_.sizes)
    if (n.op == SizeOp::Element) {
      lastUse_[root(n.a)] = std::numeric_limits<int32_t>::max();
      readsElements_ |= arrays_[root(n.a)].storage != Storage::Input &&
                        arrays_[root(n.a)].storage != Storage::Constant;
    }
  for (const Kernel &kernel : kernels_)
    reusable_.push_back(reusableInputs(kernel));
}

int32_t MemorySharing::root(int32_t array) {
  while (parent_[array] != array)
    array = parent_[array] = parent_[parent_[array]];
  return array;
}

int32_t MemorySharing::replaceable(int32_t number, size_t k, Storage storage) {
  const Step &step = p_.steps[number];
  for (int32_t input : reusable_[step.callee][k]) {
    int32_t source = step.arrays[input], r = root(source);
    int64_t uses = std::ranges::count_if(step.arrays, [&](int32_t a) { return root(a) == r; });
    if (arrays_[r].storage == storage && lastUse_[r] == number && uses == 1 && !isInPart_[source])
      return source;
  }
  return -1;
}

void MemorySharing::takeOver(int32_t number, size_t k) {
  const Step &step = p_.steps[number];
  int32_t output = step.arrays[size_t(step.numInputs) + k];
  // Sizes of outputs must be known when their memory is first used.
  bool mayMove = arrays_[output].storage == Storage::Arena ||
                 (arrays_[output].storage == Storage::Output && !readsElements_);
  int32_t source = mayMove ? replaceable(number, k, Storage::Arena) : -1;
  if (source < 0)
    return;
  int32_t r = root(source);
  if (arrays_[output].storage == Storage::Output) {
    arrays_[r].storage = Storage::Output;
    arrays_[r].number = arrays_[output].number;
  }
  arrays_[output].storage = Storage::Same;
  arrays_[output].number = r; // and not `source`: walks to the root of a chain would be its square
  lastUse_[r] = std::max(lastUse_[r], lastUse_[output]);
  parent_[output] = r;
}

/// F-181. A call that fails leaves inputs as they were: from the first step that overwrites one,
/// none fails. What depends on sizes fails before the first step, if no size is an element of what
/// the program computes. Host callbacks may ask for the values of the call that runs them.
void MemorySharing::findOverwritten() {
  bool hasCallbacks =
      std::ranges::any_of(p_.hosts, [](const HostCall &host) { return !host.isNamed(); }) ||
      !p_.controls.empty(); // which may have some
  if (readsElements_ || hasCallbacks)
    return;
  int32_t safe = int32_t(p_.steps.size());
  while (safe > 0 && p_.steps[safe - 1].failures.empty())
    --safe;
  std::vector<bool> isWritten(arrays_.size(), false); // by root
  for (int32_t s = 0; s < int32_t(p_.steps.size()); ++s) {
    const Step &step = p_.steps[s];
    for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k) {
      int32_t r = root(step.arrays[k]);
      bool isFirst = !isWritten[r];
      isWritten[r] = true;
      if (!isFirst || s < safe || step.kind != Step::Kind::Kernel ||
          arrays_[r].storage != Storage::Output || isInPart_[step.arrays[k]])
        continue;
      int32_t source = replaceable(s, k - size_t(step.numInputs), Storage::Input);
      if (source < 0)
        continue;
      int32_t input = arrays_[root(source)].number;
      auto isOver = [&](const Program::Output &output) { return output.over == input; };
      if (std::ranges::none_of(p_.outputs, isOver)) // no two over one
        p_.outputs[arrays_[r].number].over = input;
    }
  }
}

void MemorySharing::run() {
  for (int32_t s = 0; s < int32_t(p_.steps.size()); ++s)
    for (size_t k = 0;
         p_.steps[s].kind == Step::Kind::Kernel && k < reusable_[p_.steps[s].callee].size(); ++k)
      takeOver(s, k);
  findOverwritten();
}

} // namespace

void shareMemory(KernelGraph &graph) { MemorySharing(graph).run(); }

} // namespace graphc
