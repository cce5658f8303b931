//===- LoopsPass.cpp ------------------------------------------------------===//
#include "LoopsPass.h"

#include "JIT/LoopTargetOf.h"
#include "Transforms/CheckLinalg.h"
#include "Transforms/LinalgToLoops.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace graphc {
namespace {

struct LoopsPass : mlir::PassWrapper<LoopsPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LoopsPass)

  LoopsPass() = default;
  LoopsPass(const LoopsPass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "graphc-linalg-to-loops"; }
  llvm::StringRef getDescription() const override {
    return "Kernels on tensors to loops on vectors";
  }

  void runOnOperation() override {
    loadLoopDialects(getContext());
    absl::StatusOr<TargetDescription> description = parseTarget(std::string(target));
    absl::Status status = description.status();
    if (status.ok())
      status = checkLinalg(getOperation(), loopTargetOf(*description));
    if (status.ok())
      status = lowerToLoops(getOperation(), loopTargetOf(*description));
    if (status.ok())
      return;
    getOperation().emitError(llvm::StringRef(status.message().data(), status.message().size()));
    signalPassFailure();
  }

  Option<std::string> target{*this, "target", llvm::cl::desc("Processor to make loops for"),
                             llvm::cl::init("native")};
};

} // namespace

void registerLoopsPass() { mlir::PassRegistration<LoopsPass>(); }

} // namespace graphc
