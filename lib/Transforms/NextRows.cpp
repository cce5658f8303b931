//===- Transforms/NextRows.cpp - the next row, fetched in time ------------===//
//
// Of several passes over a row the first waits for memory, and the others for arithmetic. The
// second asks for the next row meanwhile:
//
//   for %i {                                    before: no prefetch
//     for %j { %m = max(%m, x[%i, %j]) }
//     for %j { y[%i, %j] = exp(x[%i, %j] - %m); %s += y[%i, %j]
//              prefetch x[%i + 1, %j] }         into the L2 cache
//     for %j { y[%i, %j] *= 1 / %s }
//   }
//
// Softmax of 4096 x 1024 takes 0.82 of the time with it (0.63 to 0.86 from one minute to the next),
// layer norm 0.95 (0.85 to 0.98), softmax of what the L2 or the third cache keeps 0.97 to 1.00
// (EPYC 9005, its caches and memory shared with others). To ask for the results' next row as well,
// for writing, gains nothing: what is stored need not be waited for.
//
// What is more than a quarter of the L2 cache away is not there any more when it is read: the line
// at hand is asked for once more. Behind the last row nothing is read; a prefetch there does no
// harm.
//
// Windows read several short rows at a time, some of them again with the next window, and
// processors do not see that the picture is read from its beginning to its end. The pass that has
// them, where no other reads the array, asks for what it reads four iterations later:
//
//   for %i {
//     for %j { t[%j] = max(x[2 %i, %j], x[2 %i + 1, %j], x[2 %i + 2, %j])
//              prefetch x[2 %i + 9, %j], x[2 %i + 10, %j] } // others were for %i - 1
//     for %j { y[%i, %j] = max(t[2 %j], t[2 %j + 1], t[2 %j + 2]) }
//   }
//
// Maxima of 64 x 111 x 111 take 0.55 to 0.6 of the time where the picture comes from memory, 0.55
// from a cache behind the second one, 0.8 where 4 MB were used since, 128 x 55 x 55 1.04 in the L2
// cache (EPYC 9005; 2 to 16 iterations are as good, 1 takes a tenth longer).
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace graphc {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// How many iterations later rows of windows are read that are asked for.
static constexpr int64_t kWindowsAhead = 4;

/// What each of `passes`, in an iteration of `loop`, asks for: of the arguments those that it reads
/// as the second one, and those that it alone reads, of which a nest has several elements in an
/// iteration.
std::vector<KernelEmitter::NextRows> KernelEmitter::rowsToFetch(llvm::ArrayRef<Pass> passes,
                                                                int loop) const {
  std::vector<NextRows> rows(passes.size());
  if (!uses(Optimization::NextRows) || passes.size() < 2 || loop < 0)
    return rows;
  for (int array = 0; array < int(kernel.arrays.size()); ++array) {
    if (kernel.arrays[size_t(array)].role != KernelArray::Role::Input)
      continue;
    llvm::SmallVector<size_t, 4> readers;
    for (size_t pass = 0; pass < passes.size(); ++pass)
      if (llvm::any_of(passes[pass].nests, [&](int nest) {
            return llvm::is_contained(kernel.nests[size_t(nest)].inputs, array);
          }))
        readers.push_back(pass);
    if (readers.size() > 1)
      rows[readers[1]].arrays.push_back(array);
    else if (readers.size() == 1 && llvm::any_of(passes[readers[0]].nests, [&](int nest) {
               return llvm::count(kernel.nests[size_t(nest)].inputs, array) > 1;
             }))
      rows[readers[0]].windows.push_back(array);
  }
  for (NextRows &each : rows)
    each.loop = loop;
  return rows;
}

/// Whether another operand has read this one's elements, an iteration of `loop` before.
static bool isReadBefore(const KernelNest &nest, int operand, int loop) {
  mlir::AffineMap map = mapOf(nest, operand);
  mlir::AffineExpr counter = mlir::getAffineDimExpr(unsigned(loop), map.getContext());
  mlir::AffineMap next = mlir::simplifyAffineMap(
      map.replace({{counter, counter + 1}}, map.getNumDims(), map.getNumSymbols()));
  for (int other = 0; other < int(nest.inputs.size()); ++other)
    if (nest.inputs[size_t(other)] == nest.inputs[size_t(operand)] && other != operand &&
        mlir::simplifyAffineMap(mapOf(nest, other)) == next)
      return true;
  return false;
}

/// Asks for what the vectors of `nest` that are set up read of `nextRows` in later iterations of
/// its loop. Arrays but those of windows are asked for once.
void KernelEmitter::fetchNextRows(const KernelNest &nest, int vectorLoop) {
  for (int i = 0; i < int(nest.inputs.size()); ++i) {
    const int array = nest.inputs[size_t(i)];
    const bool isWindow = llvm::is_contained(nextRows.windows, array);
    if ((!isWindow && !llvm::is_contained(nextRows.arrays, array)) || !isDense(nest, i, vectorLoop))
      continue;
    if (isWindow && isReadBefore(nest, i, nextRows.loop))
      continue;
    llvm::erase(nextRows.arrays, array);
    mlir::Type element = kernel.arrays[size_t(array)].element;
    Size stride = strideAlong(nest, i, nextRows.loop);
    if (constantSize(stride) == 0)
      continue;
    Value address = addressOf(body->memory[size_t(array)].buffer), ahead;
    stack->inPrologue([&] {
      Value step =
          bytesOf(stack->multiply(stride, b.getIndexAttr(isWindow ? kWindowsAhead : 1)), element);
      Value most = stack->constant(target.l2Bytes / 4);
      Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, step, most);
      ahead = arith::SelectOp::create(b, fits, step, stack->constant(0));
    });
    Value place = bytesOf(body->placeOfOperand(nest, i), element);
    place = arith::AddIOp::create(b, arith::AddIOp::create(b, address, place), ahead);
    const int64_t bytes = int64_t(body->vectors) * body->lanes * memoryBytes(element);
    for (int64_t byte = 0; byte < bytes; byte += kCacheLine)
      LLVM::Prefetch::create(b, pointerTo(arith::AddIOp::create(b, place, stack->constant(byte))),
                             /*rw=*/0, /*hint=*/2, /*cache=*/1);
  }
}

} // namespace graphc
