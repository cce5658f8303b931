//===- Transforms/KnownSizes.cpp - kernels for one shape ------------------===//
#include "Transforms/KnownSizes.h"

#include "Lowering/LowerToLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace graphc {

void fixSizes(mlir::ModuleOp loops, llvm::ArrayRef<std::optional<int64_t>> sizes) {
  for (auto fn : loops.getOps<mlir::func::FuncOp>()) {
    if (fn.isDeclaration() || !fn->hasAttr(kKernelAttr))
      continue;
    auto b = mlir::OpBuilder::atBlockBegin(&fn.front());
    const auto *size = sizes.begin();
    for (mlir::BlockArgument argument : fn.getArguments())
      if (argument.getType().isIndex() && size != sizes.end())
        if (std::optional<int64_t> known = *size++)
          argument.replaceAllUsesWith(mlir::arith::ConstantIndexOp::create(b, fn.getLoc(), *known));
  }
  mlir::MLIRContext *context = loops.getContext();
  mlir::RewritePatternSet patterns(context);
  mlir::scf::ForOp::getCanonicalizationPatterns(patterns, context);
  mlir::scf::IfOp::getCanonicalizationPatterns(patterns, context);
  // What has been simplified is right wherever it stops.
  (void)mlir::applyPatternsGreedily(loops, std::move(patterns));
}

} // namespace graphc
