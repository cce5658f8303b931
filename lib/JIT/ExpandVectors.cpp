//===- JIT/ExpandVectors.cpp - vector ops that LLVM does not have ---------===//
#include "JIT/ExpandVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace graphc {
namespace {

/// vector.create_mask with one dimension: lanes below the count. MLIR's own expansion cuts the
/// count to 32 bits, which is wrong from 2^32 elements on, or compares 64-bit lanes, which takes
/// two registers more.
///
/// With mask registers the mask is a number with so many bits. A comparison would want the lanes'
/// numbers in a vector register, for which LLVM puts one of the 28 sums of a product's tile into
/// memory, and would be made anew in each iteration of a loop of masked loads: the gradient of a
/// 1x1 layer, 2048 to 512 channels of 7x7, went from 1.45 to 1.31 ms.
struct LowerCreateMask : OpRewritePattern<vector::CreateMaskOp> {
  LowerCreateMask(MLIRContext *context, bool hasMaskRegisters)
      : OpRewritePattern(context, /*benefit=*/10), hasMaskRegisters(hasMaskRegisters) {}

  LogicalResult matchAndRewrite(vector::CreateMaskOp op, PatternRewriter &rewriter) const override {
    VectorType type = op.getType();
    if (type.getRank() != 1 || type.isScalable())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t lanes = type.getDimSize(0);
    Value count = op.getOperand(0);
    count = arith::MaxSIOp::create(b, count, arith::ConstantIndexOp::create(b, 0));
    count = arith::MinSIOp::create(b, count, arith::ConstantIndexOp::create(b, lanes));
    if (hasMaskRegisters && lanes >= 2 && lanes <= 32 && llvm::isPowerOf2_64(uint64_t(lanes))) {
      rewriter.replaceOp(op, fromBits(b, type, count));
      return success();
    }
    auto indices = VectorType::get(lanes, b.getI32Type());
    Value limit = vector::BroadcastOp::create(b, indices,
                                              arith::IndexCastOp::create(b, b.getI32Type(), count));
    auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, static_cast<int32_t>(lanes)));
    Value lane = arith::ConstantOp::create(b, DenseElementsAttr::get<int32_t>(indices, numbers));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::slt, lane, limit);
    return success();
  }

private:
  /// A mask register has 8 bits or more, of which shorter vectors take the first ones.
  static Value fromBits(ImplicitLocOpBuilder &b, VectorType type, Value count) {
    int64_t lanes = type.getDimSize(0), numBits = std::max<int64_t>(lanes, 8);
    Value one = arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
    count = arith::IndexCastOp::create(b, b.getI64Type(), count);
    Value bits = arith::SubIOp::create(b, arith::ShLIOp::create(b, one, count), one);
    bits = arith::TruncIOp::create(b, b.getIntegerType(unsigned(numBits)), bits);
    Value mask = LLVM::BitcastOp::create(b, VectorType::get(numBits, b.getI1Type()), bits);
    if (numBits == lanes)
      return mask;
    return vector::ShuffleOp::create(b, mask, mask, llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
  }

  bool hasMaskRegisters;
};

bool severalDimensions(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() > 1;
}

bool needsExpansion(Operation *op) {
  if (!isa_and_present<vector::VectorDialect>(op->getDialect()))
    return false;
  return isa<vector::TransferReadOp, vector::TransferWriteOp, vector::MaskOp, vector::InterleaveOp,
             vector::DeinterleaveOp, vector::ShapeCastOp, vector::ExtractStridedSliceOp,
             vector::InsertStridedSliceOp, vector::ScanOp, vector::BitCastOp,
             vector::FromElementsOp, vector::ToElementsOp>(op) ||
         llvm::any_of(op->getOperandTypes(), severalDimensions) ||
         llvm::any_of(op->getResultTypes(), severalDimensions);
}

} // namespace

void expandVectors(ModuleOp module, const TargetDescription &target) {
  auto found = module.walk([](Operation *op) {
    return needsExpansion(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return;
  RewritePatternSet patterns(module.getContext());
  populateMaskPatterns(target, patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorContractLoweringPatterns(patterns,
                                                 vector::VectorContractLowering::OuterProduct);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerParallel);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorScanLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns,
                                                  vector::VectorTransposeLowering::Shuffle1D);
  vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  // Indices of 64 bits: those of 32 would be wrong from 2^31 elements on.
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/false);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  vector::populateVectorToElementsUnrollPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  // That it did not converge is no error: what could not be lowered fails in the conversion that
  // follows.
  (void)applyPatternsGreedily(module, std::move(patterns), config);
}

void populateMaskPatterns(const TargetDescription &target, RewritePatternSet &patterns) {
  patterns.add<LowerCreateMask>(patterns.getContext(), target.hasAvx512);
  vector::populateVectorStepLoweringPatterns(patterns);
}

} // namespace graphc
