//===- Transforms/Memory.cpp - arrays in memory ---------------------------===//
#include "Transforms/Memory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Value;

Value toMemory(mlir::ImplicitLocOpBuilder &b, Value value) {
  if (!mlir::getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType());
  mlir::Type byte = b.getI8Type();
  return arith::ExtUIOp::create(b, vector ? mlir::Type(vector.clone(byte)) : byte, value);
}

Value fromMemory(mlir::ImplicitLocOpBuilder &b, Value loaded, mlir::Type element) {
  if (!element.isInteger(1))
    return loaded;
  mlir::TypedAttr zero = b.getIntegerAttr(b.getI8Type(), 0);
  if (auto type = mlir::dyn_cast<mlir::VectorType>(loaded.getType()))
    zero = mlir::DenseElementsAttr::get(type, mlir::Attribute(zero));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loaded,
                               arith::ConstantOp::create(b, zero));
}

/// Lanes [first, first + count) of each vector.
static llvm::SmallVector<Value> lanesOf(mlir::ImplicitLocOpBuilder &b,
                                        llvm::ArrayRef<Value> vectors, int64_t first,
                                        int64_t count) {
  auto lanes = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
  return llvm::map_to_vector(vectors, [&](Value each) -> Value {
    return vector::ShuffleOp::create(b, each, each, lanes);
  });
}

static void storeEach(mlir::ImplicitLocOpBuilder &b, Value buffer, llvm::ArrayRef<Value> places,
                      llvm::ArrayRef<Value> vectors, Value offset) {
  for (auto [place, each] : llvm::zip(places, vectors)) {
    Value at = offset ? Value(arith::AddIOp::create(b, place, offset)) : place;
    if (mlir::cast<mlir::VectorType>(each.getType()).getDimSize(0) > 1)
      vector::StoreOp::create(b, each, buffer, at);
    else
      memref::StoreOp::create(
          b, Value(vector::ExtractOp::create(b, each, llvm::ArrayRef<int64_t>{0})), buffer, at);
  }
}

void storeFirstLanes(mlir::ImplicitLocOpBuilder &b, Value buffer, llvm::ArrayRef<Value> places,
                     llvm::ArrayRef<Value> vectors, Value count) {
  int64_t lanes = mlir::cast<mlir::VectorType>(vectors[0].getType()).getDimSize(0);
  auto number = [&](int64_t n) -> Value { return arith::ConstantIndexOp::create(b, n); };
  auto isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, count, number(lanes));
  auto branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storeEach(b, buffer, places, vectors, Value());
  b.setInsertionPointToStart(branch.elseBlock());
  Value left = arith::MaxSIOp::create(b, count, number(0));
  // What is left of the vectors, and where it begins; the bits of `left` say which pieces to store.
  llvm::SmallVector<Value> rest(vectors);
  rest.push_back(number(0));
  for (int64_t piece = lanes / 2; piece > 0; piece /= 2) {
    Value bit = arith::AndIOp::create(b, left, number(piece));
    Value isStored = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, number(0));
    auto parts = llvm::ArrayRef(rest).drop_back();
    mlir::Type element = mlir::getElementTypeOrSelf(parts[0].getType());
    llvm::SmallVector<mlir::Type> types(parts.size(), mlir::VectorType::get({piece}, element));
    types.push_back(b.getIndexType());
    auto step = scf::IfOp::create(b, types, isStored, /*withElseRegion=*/true);
    for (bool stores : {true, false}) {
      mlir::OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(stores ? step.thenBlock() : step.elseBlock());
      if (stores)
        storeEach(b, buffer, places, lanesOf(b, parts, 0, piece), rest.back());
      llvm::SmallVector<Value> next = lanesOf(b, parts, stores ? piece : 0, piece);
      next.push_back(stores ? Value(arith::AddIOp::create(b, rest.back(), number(piece)))
                            : rest.back());
      scf::YieldOp::create(b, next);
    }
    rest.assign(step.getResults().begin(), step.getResults().end());
  }
}

llvm::SmallVector<int64_t, 8> affineFactors(mlir::AffineExpr expr, unsigned numLoops) {
  llvm::SmallVector<int64_t, 8> factors;
  [[maybe_unused]] bool isAffine =
      mlir::succeeded(mlir::getFlattenedAffineExpr(expr, numLoops, /*numSymbols=*/0, &factors));
  assert(isAffine && factors.size() == numLoops + 1 && "indices are sums of multiples of loops");
  return factors;
}

} // namespace graphc
