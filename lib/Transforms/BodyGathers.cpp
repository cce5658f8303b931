//===- Transforms/BodyGathers.cpp - gathers of whole vectors --------------===//
//
// Elements that an array of indices names, where lanes of the last vector or positions out of range
// are left out:
//
//   %v = gather x[%at] where %wanted              a branch for each lane
//
//   if not all of %wanted { gather } else { x[%at[0]], x[%at[1]], ... }
//
// Processors without mask registers have no fast gather, and LLVM makes a branch for each lane.
// Whether one is left out is asked once, and a mask for what is behind the last element is made
// where it is. Checks of indices ask the same.
//
// With mask registers a gather of eight lanes takes twice as long as single loads, but these want
// the indices taken apart first, which costs the other half. So it is done in kernels with several
// gathers, where those of one index have that in common (others are as fast either way). Vectors of
// more lanes, as those of float32 there, keep their gathers.
//
//===----------------------------------------------------------------------===//
#include "Lowering/KernelAttr.h"
#include "Transforms/BodyEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Value;

/// Of more lanes a gather stays one: its code is large.
static constexpr int kMostLanes = 8;

bool BodyEmitter::prefersLanes() const {
  return target.optimizations.has(Optimization::Gathers) &&
         (!target.maskRegisters || kernel.numGathers > 1) && lanes <= kMostLanes;
}

/// Not where counters alone decide on lanes: every third element, say, leaves some out of each
/// vector.
bool BodyEmitter::mayLoadLanes(Value condition) const {
  return prefersLanes() && (masks.empty() || lanesLeft) &&
         (!condition || dependsOnElements(condition));
}

/// `make` where a lane of the vector is behind the last one or does not fulfil the condition (null:
/// none), and else `makeAll`.
BodyEmitter::ValueList BodyEmitter::ifLaneIsLeftOut(Value condition, mlir::TypeRange types,
                                                    llvm::function_ref<ValueList()> make,
                                                    llvm::function_ref<ValueList()> makeAll) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  Value seldom;
  if (condition)
    seldom = anyLane(arith::XOrIOp::create(b, condition, allLanes()));
  if (lanesLeft) {
    Value isPart = arith::XOrIOp::create(
        b, isWhole, arith::ConstantOp::create(b, b.getIntegerAttr(b.getI1Type(), 1)));
    seldom = seldom ? Value(arith::OrIOp::create(b, seldom, isPart)) : isPart;
  }
  if (!seldom)
    return makeAll();
  auto branch = scf::IfOp::create(b, types, seldom, /*withElseRegion=*/true);
  branch->setAttr(kSeldomAttr, b.getUnitAttr());
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, make());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, makeAll());
  return ValueList(branch.getResults());
}

Value BodyEmitter::anyLane(Value condition) {
  return vector::ReductionOp::create(stack.builder(), vector::CombiningKind::OR, condition);
}

/// The offsets as scalars; in front of the branch, where other gathers with the same ones find
/// them.
llvm::SmallVector<Value, 8> BodyEmitter::lanesOf(Value offsets) {
  llvm::SmallVector<Value, 8> result;
  for (int64_t lane = 0; lane < lanes; ++lane)
    result.push_back(vector::ExtractOp::create(stack.builder(), offsets, lane));
  return result;
}

/// The elements at base + offsets.
Value BodyEmitter::loadLanes(mlir::VectorType type, Value buffer, Value base,
                             mlir::ValueRange offsets) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (auto [lane, offset] : llvm::enumerate(offsets)) {
    Value element =
        memref::LoadOp::create(b, buffer, Value(arith::AddIOp::create(b, base, offset)));
    result = vector::InsertOp::create(b, element, result, int64_t(lane));
  }
  return result;
}

} // namespace graphc
