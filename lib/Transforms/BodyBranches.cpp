//===- Transforms/BodyBranches.cpp - one test for several vectors ---------===//
//
// Functions whose short formula does not do for all operands test each vector, and branch to the
// long one where some lane needs it (inColdLanes in lib/Lowering/Math). Of the vectors of a block
// the tests are made together, so that what all vectors are computed by is code without branches,
// which hides the latencies of one vector behind another's:
//
//   %a = if any(cold0) { select(cold0, long(x0), short0) } else { short0 }
//   %b = if any(cold1) { select(cold1, long(x1), short1) } else { short1 }
//
//   %a, %b = if any(cold0 | cold1) { both selects } else { short0, short1 }
//
//===----------------------------------------------------------------------===//
#include "Lowering/KernelAttr.h"
#include "Transforms/BodyEmitter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Value;

/// The lanes for which a branch is taken, if its other arm gives what was made before.
static Value lanesOfBranch(mlir::Operation &op) {
  auto branch = mlir::dyn_cast<scf::IfOp>(op);
  if (!branch || branch.getNumResults() == 0 || !llvm::hasSingleElement(*branch.elseBlock()))
    return {};
  auto any = branch.getCondition().getDefiningOp<vector::ReductionOp>();
  bool isAny = any && any.getKind() == vector::CombiningKind::OR && !any.getAcc();
  return isAny ? any.getVector() : Value();
}

bool BodyEmitter::mayJoinBranches(mlir::Operation &op, const Facts &of) const {
  return target.optimizations.has(Optimization::JoinBranches) &&
         mlir::isa<mlir::func::CallOp>(op) && lanes > 1 && rows * vectors > 1 && of.onVector &&
         !of.base && of.level == stack.depth();
}

/// The lanes of any of the conditions; x & m != 0 of several x is one test of their union.
static Value lanesOfAny(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Value> conditions) {
  mlir::TypedAttr mask;
  auto masked = [&](Value condition) -> Value {
    auto test = condition.getDefiningOp<arith::CmpIOp>();
    auto bits = test ? test.getLhs().getDefiningOp<arith::AndIOp>() : arith::AndIOp();
    mlir::TypedAttr of;
    if (!bits || test.getPredicate() != arith::CmpIPredicate::ne ||
        !mlir::matchPattern(test.getRhs(), mlir::m_Zero()) ||
        !mlir::matchPattern(bits.getRhs(), mlir::m_Constant(&of)) || (mask && mask != of))
      return {};
    mask = of;
    return bits.getLhs();
  };
  llvm::SmallVector<Value, 4> terms = llvm::map_to_vector<4>(conditions, masked);
  const bool isOneMask = llvm::all_of(terms, [](Value term) { return bool(term); });
  if (!isOneMask)
    terms.assign(conditions.begin(), conditions.end());
  Value any = terms[0];
  for (Value other : llvm::drop_begin(terms))
    any = arith::OrIOp::create(b, any, other);
  if (!isOneMask)
    return any;
  any = arith::AndIOp::create(b, any, arith::ConstantOp::create(b, mask));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, any,
                               arith::ConstantOp::create(b, b.getZeroAttr(any.getType())));
}

/// Joins the branches behind `before` (the block's first op, if null) of which none is used there
/// but by what comes behind the last one. `values` may be their results.
void BodyEmitter::joinBranches(mlir::Operation *before, llvm::MutableArrayRef<Value> values) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  mlir::Block *block = b.getInsertionBlock();
  llvm::SmallVector<scf::IfOp, 4> branches;
  llvm::SmallVector<Value, 4> conditions;
  auto at = before ? std::next(before->getIterator()) : block->begin();
  for (mlir::Operation &op : llvm::make_range(at, b.getInsertionPoint()))
    if (Value cold = lanesOfBranch(op)) {
      branches.push_back(mlir::cast<scf::IfOp>(op));
      conditions.push_back(cold);
    }
  if (branches.size() < 2 ||
      !llvm::all_equal(llvm::map_range(conditions, [](Value cold) { return cold.getType(); })))
    return;
  scf::IfOp last = branches.back();
  for (scf::IfOp branch : branches)
    for (mlir::Operation *user : branch->getUsers())
      if (user->getBlock() != block || user->isBeforeInBlock(last))
        return;

  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(last);
  Value cold = lanesOfAny(b, conditions);
  llvm::SmallVector<mlir::Type, 4> types;
  for (scf::IfOp branch : branches)
    llvm::append_range(types, branch.getResultTypes());
  Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, cold);
  auto joined = scf::IfOp::create(b, types, any, /*withElseRegion=*/true);
  joined->setAttr(kSeldomAttr, b.getUnitAttr());
  llvm::SmallVector<Value, 4> taken, left;
  for (scf::IfOp branch : branches) {
    llvm::append_range(taken, branch.thenYield().getOperands());
    llvm::append_range(left, branch.elseYield().getOperands());
    mlir::Block *arm = branch.thenBlock();
    joined.thenBlock()->getOperations().splice(joined.thenBlock()->end(), arm->getOperations(),
                                               arm->begin(), std::prev(arm->end()));
  }
  b.setInsertionPointToEnd(joined.thenBlock());
  scf::YieldOp::create(b, taken);
  b.setInsertionPointToEnd(joined.elseBlock());
  scf::YieldOp::create(b, left);
  unsigned next = 0;
  for (scf::IfOp branch : branches) {
    mlir::Operation *test = branch.getCondition().getDefiningOp();
    for (Value old : branch.getResults()) {
      Value now = joined.getResult(next++);
      for (Value &value : values)
        if (value == old)
          value = now;
      old.replaceAllUsesWith(now);
    }
    branch.erase();
    if (test->use_empty())
      test->erase();
  }
}

} // namespace graphc
