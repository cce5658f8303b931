//===- Lowering/AffineIndex.cpp - index expressions as affine maps --------===//
#include "Lowering/AffineIndex.h"

#include "Kernels/NestLoops.h"

namespace graphc {
namespace {

mlir::AffineExpr exprOf(const Affine &value, mlir::MLIRContext *context) {
  mlir::AffineExpr sum = mlir::getAffineConstantExpr(0, context);
  for (size_t loop = 0; loop < value.factors.size(); ++loop)
    sum = sum + mlir::getAffineDimExpr(unsigned(loop), context) * value.factors[loop];
  return sum + value.constant;
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

std::vector<mlir::AffineExpr> affineExprs(const Kernel &kernel, const Nest &nest,
                                          mlir::MLIRContext *context) {
  auto constantSize = [&](int32_t size) {
    const Kernel::Size &of = kernel.sizes[size_t(size)];
    return of.constant ? std::optional(of.value) : std::nullopt;
  };
  std::vector<mlir::AffineExpr> result;
  for (const std::optional<Affine> &value : affineNodes(nest, constantSize))
    result.push_back(value ? exprOf(*value, context) : mlir::AffineExpr());
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
