//===- Kernel.cpp - identity of kernels -----------------------------------===//
#include "Kernels/Kernel.h"

#include <algorithm>
#include <cstdio>

#include "Emit/Scatter.h"
#include "Support/Hash.h"

namespace graphc {

uint64_t Kernel::hash() const { return hashString(content()); }

std::string Kernel::content() const {
  std::string fields;
  fields.reserve(4096);
  auto sink = [&](uint64_t value) {
    fields.append(reinterpret_cast<const char *>(&value), sizeof value);
  };
  sink(sizes.size());
  for (const Kernel::Size &s : sizes) {
    sink(s.constant);
    sink(uint64_t(s.value));
  }
  sink(arrays.size());
  for (const Kernel::ArrayDecl &a : arrays) {
    sink(uint64_t(a.role));
    sink(uint64_t(a.dtype));
    sink(a.shape.size());
    for (int32_t s : a.shape)
      sink(uint64_t(s));
  }
  sink(nests.size());
  for (const Nest &nest : nests) {
    sink(nest.extents.size());
    for (int32_t e : nest.extents)
      sink(uint64_t(e));
    sink(uint64_t(nest.numParallel));
    sink(uint64_t(nest.combine));
    sink(uint64_t(nest.accumulator));
    sink(uint64_t(nest.result));
    sink(uint64_t(nest.root));
    sink(nest.body.size());
    for (const ScalarNode &n : nest.body) {
      sink(uint64_t(n.op) << 8 | uint64_t(n.dtype));
      for (int32_t arg : n.args)
        sink(uint64_t(arg));
      sink(n.payload);
    }
    sink(nest.indices.size());
    for (int32_t i : nest.indices)
      sink(uint64_t(i));
  }
  sink(uint64_t(numShared));
  sink(uint64_t(splitExtent));
  sink(hasLongSums);
  sink(checks.size());
  for (const Kernel::Check &check : checks) {
    sink(uint64_t(check.nest));
    sink(uint64_t(check.condition));
  }
  return fields;
}

std::string Kernel::symbol() const {
  char digits[20];
  std::snprintf(digits, sizeof digits, "_%016llx", static_cast<unsigned long long>(hash()));
  return "graphc_" + name + digits;
}

int32_t splitExtentOf(const Kernel &kernel) {
  return kernel.numShared > 0 ? kernel.nests[0].extents[0] : -1;
}

//===--- taking over memory -------------------------------------------------===//

namespace {

/// Whether only nest `writer` loads the input, and only where it stores its result.
bool mayTakeOver(const Kernel &kernel, int32_t writer, int32_t input) {
  for (int32_t k = 0; k < int32_t(kernel.nests.size()); ++k) {
    const Nest &nest = kernel.nests[k];
    for (const ScalarNode &n : nest.body) {
      if (n.op != ScalarOp::Load || n.loadArray() != input)
        continue;
      // A reduction reads on after the first result is stored.
      if (k != writer || nest.combine != Combine::None)
        return false;
      for (int32_t axis = 0; axis < nest.numParallel; ++axis) {
        const ScalarNode &i = nest.body[nest.indices[n.loadFirstIndex() + axis]];
        if (i.op != ScalarOp::Index || int32_t(i.payload) != axis)
          return false;
      }
    }
  }
  return true;
}

/// Whether the nest reads a scatter's sums, for which code may use the memory of its own result:
/// then that is apart from all inputs.
bool readsScatter(const Kernel &kernel, int32_t reader) {
  for (const ScalarNode &n : kernel.nests[reader].body)
    for (const Nest &nest : kernel.nests)
      if (n.op == ScalarOp::Load && n.loadArray() == nest.result && scatterOf(nest))
        return true;
  return false;
}

} // namespace

std::vector<std::vector<int32_t>> reusableInputs(const Kernel &kernel) {
  std::vector<std::vector<int32_t>> result;
  for (int32_t out = 0; out < int32_t(kernel.arrays.size()); ++out) {
    const Kernel::ArrayDecl &output = kernel.arrays[out];
    if (output.role != Kernel::Role::Output)
      continue;
    int32_t writer = 0;
    while (kernel.nests[writer].result != out)
      ++writer;
    std::vector<int32_t> &inputs = result.emplace_back();
    if (readsScatter(kernel, writer))
      continue;
    for (int32_t in = 0; in < int32_t(kernel.arrays.size()); ++in) {
      const Kernel::ArrayDecl &input = kernel.arrays[in];
      if (input.role == Kernel::Role::Input && input.shape == output.shape &&
          byteSize(input.dtype) == byteSize(output.dtype) && mayTakeOver(kernel, writer, in))
        inputs.push_back(in);
    }
  }
  return result;
}

} // namespace graphc
