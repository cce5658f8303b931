//===- LoopsPass.cpp ------------------------------------------------------===//
#include "LoopsPass.h"

#include "JIT/LoopTargetOf.h"
#include "Transforms/CheckLinalg.h"
#include "Transforms/KnownSizes.h"
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

struct FixSizesPass : mlir::PassWrapper<FixSizesPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FixSizesPass)

  FixSizesPass() = default;
  FixSizesPass(const FixSizesPass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "graphc-fix-sizes"; }
  llvm::StringRef getDescription() const override { return "Loops for sizes that are known"; }

  void runOnOperation() override {
    llvm::SmallVector<std::optional<int64_t>> known;
    for (int64_t size : sizes)
      known.push_back(size < 0 ? std::nullopt : std::optional(size));
    fixSizes(getOperation(), known);
  }

  ListOption<int64_t> sizes{*this, "sizes", llvm::cl::desc("In order; -1: not known")};
};

} // namespace

void registerLoopsPasses() {
  mlir::PassRegistration<LoopsPass>();
  mlir::PassRegistration<FixSizesPass>();
}

} // namespace graphc
