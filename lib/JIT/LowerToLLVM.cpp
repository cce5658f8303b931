//===- JIT/LowerToLLVM.cpp - loops on vectors to the LLVM dialect ---------===//
//
// One dialect conversion with the patterns of all dialects of the loops stage: a pass for each of
// them takes two to three times as long on kernels of usual size.
//
//===----------------------------------------------------------------------===//
#include "JIT/LowerToLLVM.h"

#include "JIT/ExpandVectors.h"
#include "JIT/HalfFloats.h"
#include "JIT/PackArguments.h"
#include "Lowering/KernelAttr.h"
#include "graphc/Status.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace graphc {
namespace {

/// Keeps errors away from stderr while it lives, and hands them over as text.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return success();
          if (!text.empty())
            text += '\n';
          llvm::raw_string_ostream(text) << diagnostic.getLocation() << ": " << diagnostic;
          return success();
        }) {}

  absl::Status status(llvm::StringRef what) const {
    return makeError(ErrorKind::Internal, (what + ": " + text).str());
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

/// How often the other arm of an scf.if that is marked kSeldomAttr is run, which becomes a branch
/// with weights: enough for nothing of the loop around to be moved for the first arm.
constexpr int32_t kOften = 2000;

struct SeldomIfPattern : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op, PatternRewriter &rewriter) const override {
    if (!op->hasAttr(kSeldomAttr))
      return failure();
    Location loc = op.getLoc();
    Block *before = op->getBlock(), *behind = rewriter.splitBlock(before, op->getIterator());
    SmallVector<Location> places(op.getNumResults(), loc);
    Block *joined = rewriter.createBlock(behind, op.getResultTypes(), places);
    rewriter.setInsertionPointToEnd(joined);
    cf::BranchOp::create(rewriter, loc, behind);
    Block *arms[] = {op.thenBlock(), op.elseBlock()};
    for (Block *&arm : arms) {
      if (!arm) {
        arm = joined;
        continue;
      }
      Operation *yield = arm->getTerminator();
      rewriter.setInsertionPoint(yield);
      rewriter.replaceOpWithNewOp<cf::BranchOp>(yield, joined, yield->getOperands());
      rewriter.inlineRegionBefore(*arm->getParent(), joined);
    }
    rewriter.setInsertionPointToEnd(before);
    cf::CondBranchOp::create(rewriter, loc, op.getCondition(), arms[0], ValueRange(), arms[1],
                             ValueRange(), {1, kOften});
    rewriter.replaceOp(op, joined->getArguments());
    return success();
  }
};

LogicalResult convert(ModuleOp module, const TargetDescription &target, bool trusted) {
  expandVectors(module, target);
  expandHalfFloats(module, target);
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  // Kernels allocate nothing: their scratch memory is an argument.
  options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
  LLVMTypeConverter types(context, options);

  RewritePatternSet patterns(context);
  populateHalfFloatPatterns(target, types, patterns);
  populateMaskPatterns(target, patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  patterns.add<SeldomIfPattern>(context, /*benefit=*/2);
  populateSCFToControlFlowConversionPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);

  LLVMConversionTarget legal(*context);
  legal.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  ConversionConfig config;
  config.allowPatternRollback = !trusted;
  return applyFullConversion(module, legal, FrozenRewritePatternSet(std::move(patterns)), config);
}

/// The input may cast between types of the loops stage and of the LLVM dialect; after the
/// conversion such casts come in pairs that cancel.
LogicalResult removeCasts(ModuleOp module) {
  SmallVector<UnrealizedConversionCastOp> casts, remaining;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  if (casts.empty())
    return success();
  reconcileUnrealizedCasts(casts, &remaining);
  for (UnrealizedConversionCastOp cast : remaining)
    if (failed(replaceHalfCast(cast)))
      return cast.emitError("cast between types that are not the same in the LLVM dialect");
  return success();
}

} // namespace

void registerLoopDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  // Home of kKernelAttr; it has no ops.
  registry.insertDynamic("graphc", [](MLIRContext *, DynamicDialect *) {});
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

absl::Status lowerToLLVMDialect(ModuleOp module, const TargetDescription &target, bool trusted) {
  ErrorCollector errors(module.getContext());
  if (failed(convert(module, target, trusted)) || failed(removeCasts(module)))
    return errors.status("lowering to the LLVM dialect failed");
  if (failed(packArguments(module)))
    return errors.status("a kernel's signature is wrong");
  return absl::OkStatus();
}

} // namespace graphc
