//===- Transforms/CheckLinalg.cpp - linalg that a file brought ------------===//
#include "Transforms/CheckLinalg.h"

#include "Lowering/LowerToLinalg.h"
#include "Lowering/ScalarExpansion.h"
#include "Lowering/ScalarTypes.h"
#include "Transforms/CheckStage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"

namespace graphc {
namespace {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace linalg = mlir::linalg;
namespace math = mlir::math;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;
using mlir::Value;

/// Loops of one nest, and axes of one array.
constexpr unsigned kMaxLoops = 64, kMaxRank = 32;
/// Bytes of an array whose shape is known: as much as processors can address.
constexpr int64_t kMaxBytes = int64_t(1) << 47;

bool isElement(mlir::Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isInteger(1) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}
bool isScalar(mlir::Type type) { return type.isIndex() || isElement(type); }

/// Joins that may be done in any order, which the loops make use of.
bool isJoin(mlir::Operation *op) {
  if (auto call = mlir::dyn_cast<func::CallOp>(op))
    return parseArgCall(call.getCallee()).has_value();
  return mlir::isa<arith::AddFOp, arith::MulFOp, arith::AddIOp, arith::MulIOp, arith::MaximumFOp,
                   arith::MinimumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
                   arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

bool isBodyOp(mlir::Operation *op) {
  return isJoin(op) ||
         mlir::isa<func::CallOp, tensor::ExtractOp, scf::IfOp, scf::YieldOp, linalg::IndexOp,
                   linalg::YieldOp, arith::BitcastOp, arith::ConstantOp, arith::CmpFOp,
                   arith::CmpIOp, arith::DivFOp, arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
                   arith::IndexCastOp, arith::NegFOp, arith::SIToFPOp, arith::SelectOp,
                   arith::SubFOp, arith::SubIOp, arith::TruncFOp, arith::TruncIOp, arith::UIToFPOp,
                   math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::FloorOp,
                   math::FmaOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

absl::Status checkTensor(mlir::Operation *op, mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() || !isElement(tensor.getElementType()) ||
      tensor.getRank() > int64_t(kMaxRank))
    return stageError(op, "a tensor is ranked, of at most 32 axes and of elements that graphc has");
  int64_t bytes = memoryBytes(tensor.getElementType());
  for (int64_t extent : tensor.getShape())
    if (!mlir::ShapedType::isDynamic(extent) && extent > 0 &&
        (llvm::MulOverflow(bytes, extent, bytes) || bytes > kMaxBytes))
      return stageError(op, "a tensor is larger than memory can be");
  return absl::OkStatus();
}

/// Sums of multiples of loops and a constant, none beyond what an array can be long.
absl::Status checkMap(mlir::Operation *op, mlir::AffineMap map) {
  bool fine = map.getNumSymbols() == 0;
  for (mlir::AffineExpr expr : map.getResults()) {
    llvm::SmallVector<int64_t, 8> factors;
    fine =
        fine && mlir::succeeded(mlir::getFlattenedAffineExpr(expr, map.getNumDims(), 0, &factors));
    fine = fine && factors.size() == map.getNumDims() + 1 &&
           llvm::all_of(factors, [](int64_t f) { return f >= -kMaxBytes && f <= kMaxBytes; });
  }
  return fine ? absl::OkStatus()
              : stageError(op, "an index is no sum of multiples of loops and a constant");
}

class Checker {
public:
  explicit Checker(const LoopTarget &target) : target(target) {}
  absl::Status run(mlir::ModuleOp module);

private:
  absl::Status checkDeclaration(func::FuncOp fn);
  absl::Status checkKernel(func::FuncOp fn);
  absl::Status checkGeneric(linalg::GenericOp op);
  absl::Status checkBody(linalg::GenericOp op);
  bool exists(const ScalarCall &call, mlir::FunctionType type);

  const LoopTarget &target;
};

/// Whether there is such an operation: its code is made, to be thrown away.
bool Checker::exists(const ScalarCall &call, mlir::FunctionType type) {
  mlir::MLIRContext *context = type.getContext();
  mlir::Block block;
  for (mlir::Type operand : type.getInputs())
    block.addArgument(operand, mlir::UnknownLoc::get(context));
  mlir::ImplicitLocOpBuilder b(mlir::UnknownLoc::get(context), context);
  b.setInsertionPointToEnd(&block);
  Value made = expandScalar(b, call, block.getArguments(), target.math);
  return made && made.getType() == type.getResult(0);
}

absl::Status Checker::checkDeclaration(func::FuncOp fn) {
  mlir::FunctionType type = fn.getFunctionType();
  mlir::MLIRContext *context = fn.getContext();
  auto has = [&](llvm::ArrayRef<mlir::Type> operands, llvm::ArrayRef<mlir::Type> results) {
    return type.getInputs() == operands && type.getResults() == results
               ? absl::OkStatus()
               : stageError(fn, "the function's types are not those of its name");
  };
  auto scalar = [&](DType dtype) { return scalarType(context, dtype); };
  mlir::Type boolean = scalar(DType::Bool), position = scalar(DType::Int64);
  if (fn.getName() == kCheckCall)
    return has({boolean, scalar(DType::Int32)}, {});
  if (auto arg = parseArgCall(fn.getName())) {
    mlir::Type value = scalar(arg->dtype);
    return has({value, position, value, position}, {value, position});
  }
  auto call = parseScalarCall(fn.getName());
  if (!call || call->op <= ScalarOp::Load)
    return stageError(fn, "no scalar operation has that name");
  llvm::SmallVector<mlir::Type> operands(size_t(numScalarOperands(call->op)),
                                         scalar(call->operand));
  if (call->op == ScalarOp::Select)
    operands[0] = boolean;
  if (absl::Status s = has(operands, scalar(call->result)); !s.ok())
    return s;
  return exists(*call, type) ? absl::OkStatus()
                             : stageError(fn, "the dtype does not have that operation");
}

absl::Status Checker::checkBody(linalg::GenericOp generic) {
  mlir::Block *body = generic.getBody();
  mlir::Operation *join = body->getTerminator()->getOperand(0).getDefiningOp();
  // What carries the sums stands in the join and nowhere else, and the joined value in the yield.
  for (mlir::BlockArgument carried : generic.getRegionOutputArgs())
    for (mlir::Operation *user : carried.getUsers())
      if (user != join || !isJoin(user))
        return stageError(user, "an accumulator is used by the reduction's join alone");
  bool isReduction = llvm::any_of(generic.getRegionOutputArgs(),
                                  [](Value carried) { return !carried.use_empty(); });
  if (isReduction)
    for (Value result : join->getResults())
      if (!result.hasOneUse() || *result.getUsers().begin() != body->getTerminator())
        return stageError(join, "what a reduction joins is what it yields, and nothing else");

  absl::Status status;
  generic.getRegion().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!isBodyOp(op))
      status = stageError(op, "op that has no place in a body");
    if (auto call = mlir::dyn_cast<func::CallOp>(op))
      if (parseArgCall(call.getCallee()) && !(op == join && isReduction))
        status = stageError(op, "positions are joined by reductions only");
    for (Value operand : op->getOperands()) {
      bool isTensor = mlir::isa<tensor::ExtractOp>(op) && operand == op->getOperand(0);
      if (!isTensor && !isScalar(operand.getType()))
        status = stageError(op, "values of a body are scalars");
      bool isSize = mlir::isa<mlir::BlockArgument>(operand) && operand.getType().isIndex();
      if (!isTensor && !isSize && operand.getParentBlock() != body &&
          operand.getParentBlock() != op->getBlock())
        status = stageError(op, "a body uses its own values, arrays and sizes");
    }
    for (mlir::Type result : op->getResultTypes())
      if (!isScalar(result))
        status = stageError(op, "values of a body are scalars");
    return status.ok() ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return status;
}

absl::Status Checker::checkGeneric(linalg::GenericOp op) {
  unsigned results = op.getNumDpsInits();
  if (!op.hasPureTensorSemantics() || results < 1 || results > 2 || op->getNumResults() != results)
    return stageError(op, "a nest has one result, or a value and its position");
  if (op.getNumLoops() > kMaxLoops)
    return stageError(op, "a nest has at most 64 loops");
  // That each loop is an index of some operand, so that its length is known, MLIR has verified.
  for (mlir::AffineMap map : op.getIndexingMapsArray())
    if (absl::Status s = checkMap(op, map); !s.ok())
      return s;
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    if (!mlir::isa<mlir::RankedTensorType>(operand.get().getType()))
      return stageError(op, "operands are tensors");
    // A tensor that has no elements to read, or of a pair the value, shows extents alone.
    mlir::Operation *made = operand.get().getDefiningOp();
    bool isArray =
        !made || (mlir::isa<linalg::GenericOp>(made) && operand.get() == made->getResults().back());
    if (!isArray && op.isDpsInput(&operand) && !op.getMatchingBlockArgument(&operand).use_empty())
      return stageError(op, "a body reads a tensor without elements");
  }
  return checkBody(op);
}

absl::Status Checker::checkKernel(func::FuncOp fn) {
  if (!fn.getBody().hasOneBlock())
    return stageError(fn, "a kernel has one block");
  if (mlir::Attribute given = fn->getAttr(kSharedAttr)) {
    auto shared = mlir::dyn_cast<mlir::IntegerAttr>(given);
    if (!shared || !shared.getType().isInteger(64) || shared.getValue().ugt(kMaxRank))
      return stageError(fn, "graphc.shared is a number of loops");
  }
  for (mlir::Type argument : fn.getArgumentTypes())
    if (!argument.isIndex())
      if (absl::Status s = checkTensor(fn, argument); !s.ok())
        return s;
  for (mlir::Operation &op : fn.getBody().front()) {
    if (!mlir::isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp, linalg::GenericOp,
                   func::ReturnOp>(op))
      return stageError(&op, "op that has no place in a kernel");
    for (mlir::Type result : op.getResultTypes())
      if (!isScalar(result))
        if (absl::Status s = checkTensor(&op, result); !s.ok())
          return s;
    if (auto generic = mlir::dyn_cast<linalg::GenericOp>(op))
      if (absl::Status s = checkGeneric(generic); !s.ok())
        return s;
  }
  return absl::OkStatus();
}

absl::Status Checker::run(mlir::ModuleOp module) {
  if (absl::Status s = checkAttributes(
          module, {kKernelAttr, kSharedAttr, kSplitAttr, kLongAttr, kDimsAttr, kPartialAttr});
      !s.ok())
    return s;
  for (mlir::Operation &op : *module.getBody()) {
    auto fn = mlir::dyn_cast<func::FuncOp>(op);
    if (!fn)
      return stageError(&op, "a module of kernels has functions only");
    absl::Status status;
    if (fn.isDeclaration())
      status = checkDeclaration(fn);
    else if (status = checkKernelName(fn, kKernelAttr); status.ok())
      status = checkKernel(fn);
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

} // namespace

absl::Status checkLinalg(mlir::ModuleOp module, const LoopTarget &target) {
  return Checker(target).run(module);
}

} // namespace graphc
