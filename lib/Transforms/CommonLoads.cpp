//===- Transforms/CommonLoads.cpp - what several nests load, once ---------===//
//
// Nests that run along one another (Streams.cpp) and read the same elements of the kernel's inputs:
//
//   before                                after
//
//   %i = load indices[%k]                 %i = load indices[%k]
//   store a[%i], p[%k]                    store a[%i], p[%k]
//   %j = load indices[%k]                 store b[%i], q[%k]
//   store b[%j], q[%k]
//
// LLVM may not do it: for all it knows the store has changed the element. Here it is known that
// nests read inputs as they were. And what is computed from one value is then computed once: the
// checks of indices, their positions, and the scalars of gathers (BodyGathers.cpp).
//
//===----------------------------------------------------------------------===//
#include "Transforms/BodyEmitter.h"

namespace graphc {

using mlir::Value;

BodyEmitter::CommonLoads::CommonLoads(BodyEmitter &body) : body(body) {
  if (body.target.optimizations.has(Optimization::CommonLoads))
    body.commonLoads.emplace();
}

Value BodyEmitter::loadOperand(const KernelNest &nest, int operand, const Facts &of, int row,
                               int v) {
  const MemoryAccess access = operandAccess(nest, operand);
  if (!commonLoads || kernel.arrays[size_t(access.array)].role != KernelArray::Role::Input)
    return load(access, of, row, v);
  const LoadKey key{{access.array, access.map.getAsOpaquePointer()}, {row, v}};
  if (auto known = commonLoads->find(key); known != commonLoads->end())
    return known->second;
  Value loaded = load(access, of, row, v);
  commonLoads->try_emplace(key, loaded);
  return loaded;
}

} // namespace graphc
