//===- Transforms/ShortRows.cpp - blocks over a short last axis -----------===//
//
// Reductions with results of a few coordinates each, in which nothing that is loaded runs along
// both the points and the reduction:
//
//   y[i, c] = sum over j of g(x[i, 0], x[j, 0], ...) * (x[j, c] - x[i, c])        c < 3
//
// A vector along c would be all but empty, and along j it would take loads 3 apart. So vectors run
// along i, and the coordinates are the rows of a block (Blocks.cpp), which are written out:
//
//   scf.for %i step lanes {               x[i, 0], x[i, 1], x[i, 2] are vectors, once
//     %sums:3 = scf.for %j iter_args {    x[j, 0], ... are scalars in all lanes
//       %g = ...                          once for all coordinates
//       fma ... fma ... fma ...
//     }
//     what follows at the same elements; the three vectors are interleaved and stored
//   }
//
// Maps in which loads cost less along i than along c run so, too: y[i, c] = x[c, i] takes a vector
// of each x[c], where one along c would gather two or three elements.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/BlockShape.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// Longer axes are for loops.
static constexpr int64_t kMostRows = 4;

/// Whether loads cost less along the points than along their coordinates, of which a vector is not
/// full: one with none of them reduced.
bool KernelEmitter::prefersPoints(const Pass &pass, int vectorLoop, int rows) const {
  double points = 0, coordinates = 0;
  for (int number : pass.nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    if (nest.isReduction())
      return false;
    points += rows * (1 + body->memoryCost(nest, vectorLoop));
    coordinates += lanesOf() * (1 + body->memoryCost(nest, vectorLoop + 1));
  }
  return points <= coordinates;
}

/// Nothing if the pass is no such reduction, or map.
std::optional<KernelEmitter::BlockShape> KernelEmitter::shortRows(const Pass &pass) const {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  const int rowLoop = first.numParallel - 1, vectorLoop = rowLoop - 1;
  if (!uses(Optimization::ShortRows) || kernel.hasChecks || lanesOf() == 1 ||
      vectorLoop < pass.outer)
    return std::nullopt;
  auto rows = constantSize(first.extents[size_t(rowLoop)]);
  if (!rows || *rows < 2 || *rows > kMostRows)
    return std::nullopt;
  if (!first.isReduction() && !prefersPoints(pass, vectorLoop, int(*rows)))
    return std::nullopt;
  bool hasVectors = false;
  for (int number : pass.nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    if (nest.neutral.size() > 1)
      return std::nullopt;
    llvm::SmallVector<bool> alongVectors = body->loadsAlong(nest, vectorLoop);
    for (int loop = nest.numParallel; loop < nest.numLoops(); ++loop)
      for (auto [isVector, isSummed] : llvm::zip(alongVectors, body->loadsAlong(nest, loop)))
        if (isVector && isSummed)
          return std::nullopt;
    hasVectors |=
        nest.isReduction() == first.isReduction() && llvm::is_contained(alongVectors, true);
  }
  if (!hasVectors)
    return std::nullopt;
  // Two vectors share what is loaded of the reduction, where there are registers for them.
  const int vectors = target.vectorRegisters == 32 ? 2 : 1;
  BlockShape shape{vectorLoop, rowLoop, int(*rows), vectors, lanesOf()};
  shape.isShort = true;
  return shape;
}

/// Stores rows that are the last axis of the result, which vectors cross: the rows' elements at one
/// lane are neighbours in memory, and those of the next lane follow.
void BodyEmitter::storeInterleaved(const MemoryAccess &access, llvm::ArrayRef<Value> values) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  Value buffer = memory[size_t(access.array)].buffer;
  for (int v = 0; v < vectors; ++v) {
    Value at = address(access, 0, v).base, mask = maskOf(v);
    for (int part = 0; part < rows; ++part) {
      llvm::SmallVector<int64_t, 16> lanesOfElements;
      Value merged = toMemory(b, values[size_t(v)]);
      for (int row = 1; row < rows; ++row) {
        llvm::SmallVector<int64_t, 16> from;
        for (int i = 0; i < lanes; ++i) {
          int element = part * lanes + i, lane = element / rows;
          int before = row > 1 ? i : element % rows == 0 ? lane : 0;
          from.push_back(element % rows == row ? lanes + lane : before);
        }
        Value next = toMemory(b, values[size_t(row * vectors + v)]);
        merged = vector::ShuffleOp::create(b, merged, next, from);
      }
      for (int i = 0; i < lanes; ++i)
        lanesOfElements.push_back((part * lanes + i) / rows);
      Value place = arith::AddIOp::create(b, at, stack.constant(part * lanes));
      if (mask)
        vector::MaskedStoreOp::create(b, buffer, place,
                                      lanesOfMask(mask, -rows, part, lanesOfElements), merged);
      else
        vector::StoreOp::create(b, merged, buffer, place);
    }
  }
}

} // namespace graphc
