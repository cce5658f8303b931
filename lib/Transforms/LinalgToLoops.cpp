//===- Transforms/LinalgToLoops.cpp - kernels one by one ------------------===//
#include "Transforms/LinalgToLoops.h"

#include "Lowering/LowerToLinalg.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace func = mlir::func;

void loadLoopDialects(mlir::MLIRContext &context) {
  context.loadDialect<mlir::affine::AffineDialect, mlir::arith::ArithDialect, func::FuncDialect,
                      mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                      mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
}

KeptForm keptFormOf(mlir::Attribute attribute) {
  llvm::ArrayRef<int64_t> numbers = mlir::cast<mlir::DenseI64ArrayAttr>(attribute).asArrayRef();
  if (numbers.size() != 5)
    return {};
  return {int32_t(numbers[0]), int32_t(numbers[1]), int32_t(numbers[2]), numbers[3] != 0,
          numbers[4] != 0};
}

absl::Status lowerToLoops(mlir::ModuleOp module, const LoopTarget &target) {
  for (func::FuncOp fn : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (fn.isDeclaration() || !fn->hasAttr(kKernelAttr))
      continue;
    absl::StatusOr<KernelModel> kernel = readKernel(fn);
    if (!kernel.ok())
      return kernel.status();
    LoopFunction function(*kernel, target);
    KernelEmitter(function).emit();
    fn.erase();
  }
  // The scalar functions have become arithmetic.
  for (func::FuncOp fn : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (fn.isDeclaration() && fn.getName().starts_with("graphc."))
      fn.erase();
  return absl::OkStatus();
}

} // namespace graphc
