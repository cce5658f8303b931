//===- Transforms/Strips.cpp - long bodies of maps, in pieces -------------===//
//
// In a long body each operation waits for the one before. Processors work on as many iterations at
// a time as fit their window of some hundred operations: of a body as long as the window, on one.
// So it is cut in pieces, each a loop over a strip of some vectors; what one piece hands on is in
// scratch, which stays in the nearest cache:
//
//   for %i { y[%i] = g(f(x[%i])) }
//
//   for %strip = %lower to %upper step 32 * lanes {
//     for %i in the strip { t[%i - %strip] = f(x[%i]) }
//     for %i in the strip { y[%i] = g(t[%i - %strip]) }
//   }
//
// (Known as loop distribution, or fission.) Each piece is compiled once, as the whole would be.
//
//===----------------------------------------------------------------------===//
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// Vectors of a strip: 2 KiB of each value on processors with vectors of 64 bytes.
static constexpr int kStripVectors = 32;

std::vector<Piece> KernelEmitter::piecesOf(const Pass &pass, int vectorLoop) {
  body->loops[size_t(vectorLoop)].isVector = true;
  llvm::DenseSet<Value> computed;
  for (int nest : pass.nests)
    for (Value value : body->varyingFloats(kernel.nests[size_t(nest)]))
      computed.insert(value);
  return cutBodies(kernel, pass.nests, computed,
                   [&](int array) { return inMemory[size_t(array)]; });
}

void KernelEmitter::emitStrips(const Pass &pass, int vectorLoop, llvm::ArrayRef<Piece> pieces,
                               Value lower, Value upper, bool hasTail) {
  int64_t lanes = body->lanes, extent = kStripVectors * lanes;
  llvm::DenseMap<Value, Value> rows; // scratch
  llvm::DenseMap<Value, int> arrayOf;
  for (const Piece &piece : pieces) {
    for (const Piece::Part &part : piece.parts) {
      const KernelNest &nest = kernel.nests[size_t(part.nest)];
      if (part.ends)
        arrayOf[nest.terms[0]] = nest.result;
      for (Value value : part.targets)
        rows[value] = function.addScratch(value.getType(), b.getIndexAttr(extent)).buffer;
    }
  }

  auto strip = stack->open(lower, upper, stack->constant(extent));
  Value begin = strip.getInductionVar();
  Value end =
      arith::MinSIOp::create(b, arith::AddIOp::create(b, begin, stack->constant(extent)), upper);
  for (const Piece &piece : pieces) {
    auto loop = stack->open(begin, end, stack->constant(lanes));
    Value index = loop.getInductionVar();
    LoopVariable &variable = body->loops[size_t(vectorLoop)];
    variable = {};
    variable.level = stack->depth();
    variable.isVector = true;
    variable.index = {index};
    body->rows = body->vectors = 1;
    body->masks.clear();
    if (hasTail) {
      body->lanesLeft = arith::SubIOp::create(b, upper, index);
      body->isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, body->lanesLeft,
                                            stack->constant(lanes));
    }
    Value at = arith::SubIOp::create(b, index, begin);
    for (Value value : piece.reads) {
      auto type = mlir::VectorType::get({lanes}, value.getType());
      Value loaded = vector::LoadOp::create(b, type, rows.lookup(value), at);
      body->given[value] = loaded;
      if (auto result = arrayOf.find(value); result != arrayOf.end())
        keepVectors(result->second, loaded);
    }
    for (const Piece::Part &part : piece.parts) {
      const KernelNest &nest = kernel.nests[size_t(part.nest)];
      llvm::SmallVector<Value> targets(part.targets.begin(), part.targets.end());
      if (part.ends)
        targets.push_back(nest.terms[0]);
      auto values = body->emit(nest, targets, /*asVectors=*/true);
      for (auto [target, value] : llvm::zip(part.targets, values))
        vector::StoreOp::create(b, value[0], rows.lookup(target), at);
      if (!part.ends)
        continue;
      keepVectors(nest.result, values.back());
      if (inMemory[size_t(nest.result)])
        body->store(nest, values.back());
    }
    body->lanesLeft = body->isWhole = nullptr;
    stack->close();
    body->given.clear();
    for (int nest : pass.nests)
      body->registers.erase(kernel.nests[size_t(nest)].result);
  }
  stack->close();
}

} // namespace graphc
