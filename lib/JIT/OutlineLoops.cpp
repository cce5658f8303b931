//===- JIT/OutlineLoops.cpp - loops as functions of their own --------------===//
//
// LLVM compiles a function on one thread, and a product is one: its loops that run long, or seldom,
// are functions of other modules where other threads are free to compile these.
//
// Before:  func.func @f(...) { ... scf.for %i = %a to %b { A } {graphc.outline} ... }
// After:   define i32 @f(ptr %buffers, ptr %sizes) { ... call void @f.part0(...) ... }
//          and in another module
//          define hidden void @f.part0(...) { ... A ... }
//
// Compiling max(x w + b, c) on two threads takes 0.7 to 0.75 of the time on an EPYC of the third
// generation.
//
//===----------------------------------------------------------------------===//
#include "JIT/OutlineLoops.h"

#include "Lowering/KernelAttr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"

#include <tuple>
#include <vector>

namespace graphc {

/// What less is not worth a module of its own.
static constexpr size_t kLeastWork = 100;
/// A value that a loop carries is as much work as so many ops: it has a register, and loops of
/// tiles have many of them.
static constexpr size_t kWorkOfCarried = 4;

/// What compiling takes, about as much as so many ops: some 25 us each.
static size_t workOf(mlir::Operation *op) {
  size_t work = 0;
  op->walk([&](mlir::Operation *each) {
    ++work;
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(each))
      work += kWorkOfCarried * loop.getInitArgs().size();
  });
  return work;
}

/// The marked loops of a function, in order.
static std::vector<mlir::scf::ForOp> outlinable(mlir::func::FuncOp fn) {
  std::vector<mlir::scf::ForOp> marked;
  fn.walk<mlir::WalkOrder::PreOrder>([&](mlir::scf::ForOp op) {
    if (!op->hasAttr(kOutlineAttr) || op->getNumResults() > 0)
      return mlir::WalkResult::advance();
    marked.push_back(op);
    return mlir::WalkResult::skip();
  });
  return marked;
}

int numOutlinable(mlir::ModuleOp loops) {
  size_t number = 0;
  for (auto fn : loops.getOps<mlir::func::FuncOp>())
    number += outlinable(fn).size();
  return int(number);
}

OutlinedLoops outlineLoops(mlir::ModuleOp loops, size_t modules) {
  OutlinedLoops outlined;
  if (modules == 1)
    return outlined;
  struct Candidate {
    mlir::scf::ForOp op;
    std::string symbol;
    size_t work;
  };
  std::vector<Candidate> candidates;
  std::vector<size_t> load(modules, 0);
  for (auto fn : loops.getOps<mlir::func::FuncOp>()) {
    load[0] += workOf(fn);
    int number = 0;
    for (mlir::scf::ForOp op : outlinable(fn))
      candidates.push_back(
          {op, (fn.getName() + ".part" + llvm::Twine(number++)).str(), workOf(op)});
  }
  llvm::sort(candidates, [](const Candidate &x, const Candidate &y) {
    return std::tie(y.work, x.symbol) < std::tie(x.work, y.symbol);
  });
  for (Candidate &each : candidates) {
    size_t least = size_t(std::min_element(load.begin() + 1, load.end()) - load.begin());
    // It is worth a call if at least half of it is won.
    if (each.work < kLeastWork || load[0] < load[least] + each.work + each.work / 2)
      continue;
    load[least] += each.work;
    load[0] -= each.work;
    OutlinedLoop loop{each.op, std::move(each.symbol), least, {}, {}};
    llvm::SetVector<mlir::Value> used(each.op->operand_begin(), each.op->operand_end());
    mlir::getUsedValuesDefinedAbove(each.op.getRegion(), used);
    for (mlir::Value value : used) {
      mlir::Operation *made = value.getDefiningOp();
      if (made && made->hasTrait<mlir::OpTrait::ConstantLike>())
        loop.constants.insert(made);
      else
        loop.operands.insert(value);
    }
    outlined.insert({each.op, std::move(loop)});
  }
  return outlined;
}

} // namespace graphc
