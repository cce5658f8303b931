//===- Lowering/AffineIndex.cpp - index expressions as affine maps --------===//
#include "Lowering/AffineIndex.h"

namespace graphc {
namespace {

mlir::AffineExpr affineNode(const Kernel &kernel, const ScalarNode &node,
                            llvm::ArrayRef<mlir::AffineExpr> done, mlir::MLIRContext *context) {
  if (node.dtype != DType::Int64)
    return {};
  auto arg = [&](int i) { return done[node.args[i]]; };
  switch (node.op) {
  case ScalarOp::Index:
    return mlir::getAffineDimExpr(unsigned(node.payload), context);
  case ScalarOp::Constant:
    return mlir::getAffineConstantExpr(int64_t(node.payload), context);
  case ScalarOp::Size: {
    const Kernel::Size &size = kernel.sizes[node.payload];
    return size.constant ? mlir::getAffineConstantExpr(size.value, context) : mlir::AffineExpr();
  }
  case ScalarOp::Add:
    return arg(0) && arg(1) ? arg(0) + arg(1) : mlir::AffineExpr();
  case ScalarOp::Sub:
    return arg(0) && arg(1) ? arg(0) - arg(1) : mlir::AffineExpr();
  case ScalarOp::Neg:
    return arg(0) ? -arg(0) : mlir::AffineExpr();
  case ScalarOp::Mul: {
    mlir::AffineExpr a = arg(0), b = arg(1);
    if (!a || !b || !(a.isSymbolicOrConstant() || b.isSymbolicOrConstant()))
      return {};
    return a * b;
  }
  default:
    return {};
  }
}

bool sameSize(const Kernel &kernel, int32_t a, int32_t b) {
  return a == b || (kernel.sizes[a].constant && kernel.sizes[a] == kernel.sizes[b]);
}

} // namespace

mlir::AffineMap leadingLoops(unsigned numLoops, unsigned count, mlir::MLIRContext *context) {
  llvm::SmallVector<mlir::AffineExpr, 6> loops;
  for (unsigned d = 0; d < count; ++d)
    loops.push_back(mlir::getAffineDimExpr(d, context));
  return mlir::AffineMap::get(numLoops, 0, loops, context);
}

std::vector<mlir::AffineExpr> affineNodes(const Kernel &kernel, const Nest &nest,
                                          mlir::MLIRContext *context) {
  std::vector<mlir::AffineExpr> result;
  result.reserve(nest.body.size());
  for (const ScalarNode &node : nest.body)
    result.push_back(affineNode(kernel, node, result, context));
  return result;
}

std::optional<mlir::AffineMap> loadMap(const Kernel &kernel, const Nest &nest,
                                       llvm::ArrayRef<mlir::AffineExpr> affine,
                                       const ScalarNode &load, mlir::MLIRContext *context) {
  if (load.args[0] >= 0)
    return std::nullopt;
  llvm::SmallVector<mlir::AffineExpr, 6> results;
  const Numbers &shape = kernel.arrays[load.loadArray()].shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    mlir::AffineExpr index = affine[nest.indices[load.loadFirstIndex() + axis]];
    if (!index)
      return std::nullopt;
    if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(index);
        loop && !sameSize(kernel, nest.extents[loop.getPosition()], shape[axis]))
      return std::nullopt;
    results.push_back(index);
  }
  return mlir::AffineMap::get(unsigned(nest.extents.size()), 0, results, context);
}

} // namespace graphc
