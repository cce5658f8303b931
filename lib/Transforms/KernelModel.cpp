//===- Transforms/KernelModel.cpp - linalg functions, read ----------------===//
#include "Transforms/KernelModel.h"

#include "Lowering/AffineIndex.h"
#include "Lowering/LowerToLinalg.h"
#include "Lowering/ScalarCall.h"
#include "Transforms/CheckStage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace graphc {
namespace {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;
using mlir::Value;

/// Of functions that graphc wrote or checkLinalg passed: which ops stand where is known.
class Reader {
public:
  explicit Reader(func::FuncOp fn) { model.fn = fn; }

  absl::StatusOr<KernelModel> read();

private:
  absl::Status error(mlir::Operation *op, llvm::StringRef what) const {
    return stageError(op, ("kernel @" + func::FuncOp(model.fn).getName() + ": " + what).str());
  }
  absl::Status readArguments();
  absl::Status readEmpty(tensor::EmptyOp op);
  absl::Status readGeneric(linalg::GenericOp op);
  absl::Status readJoin(KernelNest &nest);
  absl::Status readNeutral(KernelNest &nest, Value init);
  absl::Status readBody(linalg::GenericOp op);
  absl::Status readReturn(func::ReturnOp op);

  KernelModel model;
  llvm::DenseMap<Value, llvm::SmallVector<Size, 6>> shapes; ///< of all tensors, also empty ones
};

absl::Status Reader::readArguments() {
  func::FuncOp fn = model.fn;
  for (mlir::BlockArgument argument : fn.getArguments()) {
    if (argument.getType().isIndex())
      model.sizeArguments.push_back(argument);
    else if (!mlir::isa<mlir::RankedTensorType>(argument.getType()) || !model.sizeArguments.empty())
      return error(fn, "arguments are ranked tensors and then sizes");
  }
  for (mlir::BlockArgument argument : fn.getArguments()) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType());
    if (!type)
      break;
    auto dims = fn.getArgAttrOfType<mlir::DenseI64ArrayAttr>(argument.getArgNumber(), kDimsAttr);
    llvm::ArrayRef<int64_t> numbers = dims ? dims.asArrayRef() : llvm::ArrayRef<int64_t>();
    if (int64_t(numbers.size()) != int64_t(type.getNumDynamicDims()))
      return error(fn, "graphc.dims has not one size for each dynamic extent");
    KernelArray array{
        KernelArray::Role::Input, int(model.arrays.size()), type.getElementType(), {}};
    for (int64_t extent : type.getShape()) {
      if (!mlir::ShapedType::isDynamic(extent)) {
        array.shape.push_back(
            mlir::IntegerAttr::get(mlir::IndexType::get(fn.getContext()), extent));
        continue;
      }
      if (numbers[0] < 0 || numbers[0] >= int64_t(model.sizeArguments.size()))
        return error(fn, "graphc.dims names a size that is no argument");
      array.shape.push_back(model.sizeArguments[size_t(numbers[0])]);
      numbers = numbers.drop_front();
    }
    shapes[argument] = array.shape;
    model.arrayOf[argument] = int(model.arrays.size());
    model.arrays.push_back(std::move(array));
  }
  return absl::OkStatus();
}

absl::Status Reader::readEmpty(tensor::EmptyOp op) {
  llvm::SmallVector<Size, 6> shape;
  for (Size size : op.getMixedSizes()) {
    if (auto value = mlir::dyn_cast<Value>(size);
        value && !llvm::is_contained(model.sizeArguments, value))
      return error(op, "a tensor's extent is no argument of the function");
    shape.push_back(size);
  }
  shapes[op.getResult()] = std::move(shape);
  return absl::OkStatus();
}

absl::Status Reader::readNeutral(KernelNest &nest, Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  auto start = fill ? fill.getInputs()[0].getDefiningOp<arith::ConstantOp>() : nullptr;
  if (!start)
    return error(nest.op, "a reduction's init is no linalg.fill with a constant");
  nest.neutral.push_back(start.getValue());
  return absl::OkStatus();
}

absl::Status Reader::readJoin(KernelNest &nest) {
  auto yield = mlir::cast<linalg::YieldOp>(nest.body()->getTerminator());
  auto accumulators = nest.op.getRegionOutputArgs();
  mlir::Operation *join = yield.getOperand(0).getDefiningOp();
  if (!join || join->getBlock() != nest.body())
    return error(nest.op, "a reduction yields what no op of its body joined");
  nest.join = join;
  if (accumulators.size() == 2) {
    auto call = mlir::dyn_cast<func::CallOp>(join);
    if (!call || !parseArgCall(call.getCallee()) || call.getNumOperands() != 4 ||
        call.getOperand(0) != accumulators[0] || call.getOperand(1) != accumulators[1] ||
        yield.getOperands() != join->getResults())
      return error(join, "two results are joined by graphc.argmax or graphc.argmin only");
    nest.terms = {call.getOperand(2), call.getOperand(3)};
    return absl::OkStatus();
  }
  if (join->getNumOperands() != 2)
    return error(join, "a join has two operands");
  int accumulator = join->getOperand(0) == accumulators[0] ? 0 : 1;
  if (join->getOperand(unsigned(accumulator)) != accumulators[0])
    return error(join, "a join reads the accumulator");
  nest.terms = {join->getOperand(unsigned(1 - accumulator))};
  if (nest.op->hasAttr(kPartialAttr))
    if (auto extend = nest.terms[0].getDefiningOp<arith::ExtFOp>())
      if (extend.getIn().getType().isF32() && mlir::isa<arith::AddFOp>(join))
        nest.partialTerm = extend.getIn();
  return absl::OkStatus();
}

absl::Status Reader::readBody(linalg::GenericOp op) {
  op.getBody()->walk([&](tensor::ExtractOp load) {
    model.numGathers += llvm::any_of(load.getIndices(), dependsOnElements);
  });
  for (mlir::Operation &inner : op.getBody()->without_terminator()) {
    if (auto extract = mlir::dyn_cast<tensor::ExtractOp>(inner)) {
      if (!model.arrayOf.contains(extract.getTensor()))
        return error(&inner, "a load is from no array");
    } else if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(inner)) {
      auto isPlain = [](mlir::Region &region, unsigned size) {
        return region.hasOneBlock() && region.front().getOperations().size() == size;
      };
      if (branch.getNumResults() != 1 || !isPlain(branch.getThenRegion(), 2) ||
          !isPlain(branch.getElseRegion(), 1))
        return error(&inner, "a branch is more than a masked load");
      auto extract = mlir::dyn_cast<tensor::ExtractOp>(branch.thenBlock()->front());
      if (!extract || branch.thenYield().getOperand(0) != extract.getResult() ||
          !model.arrayOf.contains(extract.getTensor()))
        return error(&inner, "a branch is no masked load");
    } else if (auto call = mlir::dyn_cast<func::CallOp>(inner)) {
      model.hasChecks |= call.getCallee() == kCheckCall;
    }
  }
  return absl::OkStatus();
}

absl::Status Reader::readGeneric(linalg::GenericOp op) {
  KernelNest nest;
  nest.op = op;
  llvm::SmallVector<mlir::utils::IteratorType> iterators = op.getIteratorTypesArray();
  nest.numParallel = int(llvm::count(iterators, mlir::utils::IteratorType::parallel));
  for (int d = 0; d < int(iterators.size()); ++d)
    if ((iterators[size_t(d)] == mlir::utils::IteratorType::parallel) != (d < nest.numParallel))
      return error(op, "parallel loops stand before reductions");

  nest.extents.resize(iterators.size());
  nest.maps = op.getIndexingMapsArray();
  llvm::ArrayRef<mlir::AffineMap> maps = nest.maps;
  unsigned numInputs = op.getNumDpsInputs(), numOutputs = op.getNumDpsInits();
  for (unsigned i = 0; i < numOutputs; ++i)
    if (maps[numInputs + i] !=
        leadingLoops(unsigned(iterators.size()), unsigned(nest.numParallel), op.getContext()))
      return error(op, "a result's map is not its parallel loops in order");
  // Results first: their extents are the loops' own; an input's may only be equal to them.
  for (unsigned k = 0; k < maps.size(); ++k) {
    unsigned i = (k + numInputs) % unsigned(maps.size());
    Value operand = op->getOperand(i);
    Value shaped = operand;
    if (auto fill = operand.getDefiningOp<linalg::FillOp>())
      shaped = fill.getOutputs()[0];
    auto shape = shapes.find(shaped);
    if (shape == shapes.end())
      return error(op, "an operand is neither an argument, a result nor tensor.empty");
    for (auto [axis, expr] : llvm::enumerate(maps[i].getResults()))
      if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expr);
          loop && !nest.extents[loop.getPosition()])
        nest.extents[loop.getPosition()] = shape->second[axis];
  }
  for (unsigned i = 0; i < numInputs; ++i) {
    auto array = model.arrayOf.find(op->getOperand(i));
    nest.inputs.push_back(array == model.arrayOf.end() ? -1 : array->second);
  }
  if (absl::Status status = readBody(op); !status.ok())
    return status;

  if (nest.numParallel < nest.numLoops()) {
    if (absl::Status status = readJoin(nest); !status.ok())
      return status;
    for (Value init : op.getDpsInits())
      if (absl::Status status = readNeutral(nest, init); !status.ok())
        return status;
  } else if (numOutputs == 1) {
    nest.terms = {op.getBody()->getTerminator()->getOperand(0)};
    // A reduction over no loops keeps its join; the accumulator is the neutral element.
    for (mlir::BlockArgument argument : op.getRegionOutputArgs())
      if (!argument.use_empty()) {
        nest.terms.clear();
        if (absl::Status status = readJoin(nest); !status.ok())
          return status;
        if (absl::Status status = readNeutral(nest, op.getDpsInits()[0]); !status.ok())
          return status;
      }
  } else {
    if (absl::Status status = readJoin(nest); !status.ok())
      return status;
    for (Value init : op.getDpsInits())
      if (absl::Status status = readNeutral(nest, init); !status.ok())
        return status;
  }

  Value result = op->getResults().back();
  nest.result = int(model.arrays.size());
  KernelArray array{KernelArray::Role::Local,
                    0,
                    mlir::cast<mlir::RankedTensorType>(result.getType()).getElementType(),
                    {}};
  array.shape.assign(nest.extents.begin(), nest.extents.begin() + nest.numParallel);
  for (Value each : op->getResults())
    shapes[each] = array.shape;
  model.arrayOf[result] = nest.result;
  model.arrays.push_back(std::move(array));
  model.nests.push_back(std::move(nest));
  return absl::OkStatus();
}

absl::Status Reader::readReturn(func::ReturnOp op) {
  int outputs = 0;
  for (Value value : op.getOperands()) {
    auto array = model.arrayOf.find(value);
    if (array == model.arrayOf.end() ||
        model.arrays[size_t(array->second)].role != KernelArray::Role::Local)
      return error(op, "a kernel returns results of its generics, each once");
    model.arrays[size_t(array->second)].role = KernelArray::Role::Output;
    model.arrays[size_t(array->second)].number = outputs++;
  }
  return absl::OkStatus();
}

absl::StatusOr<KernelModel> Reader::read() {
  func::FuncOp fn = model.fn;
  if (auto shared = fn->getAttrOfType<mlir::IntegerAttr>(kSharedAttr))
    model.numShared = int(shared.getInt());
  model.split = fn->hasAttr(kSplitAttr);
  model.hasLongSums = fn->hasAttr(kLongAttr);
  if (absl::Status status = readArguments(); !status.ok())
    return status;
  for (mlir::Operation &op : fn.getBody().front()) {
    absl::Status status;
    if (auto empty = mlir::dyn_cast<tensor::EmptyOp>(op))
      status = readEmpty(empty);
    else if (auto generic = mlir::dyn_cast<linalg::GenericOp>(op))
      status = readGeneric(generic);
    else if (auto ret = mlir::dyn_cast<func::ReturnOp>(op))
      status = readReturn(ret);
    if (!status.ok())
      return status;
  }
  for (const KernelNest &nest : model.nests)
    if (nest.numParallel < model.numShared)
      return error(nest.op, "graphc.shared is more than the parallel loops");
  if (model.split && model.numShared == 0)
    return error(fn, "graphc.split wants loops that all generics share");
  return std::move(model);
}

} // namespace

bool dependsOnElements(Value value) {
  llvm::SmallVector<Value> pending = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    mlir::Operation *op = next.getDefiningOp();
    if (!op || mlir::isa<tensor::ExtractOp, mlir::scf::IfOp>(op))
      return true;
    pending.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// `ops`: how many may still be compared. A body is no tree, but is looked at as one.
static bool isSame(const KernelNest &nest, Value value, const KernelNest &other, Value same,
                   int &ops) {
  if (value == same)
    return true;
  if (--ops < 0)
    return false;
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (auto sameArgument = mlir::dyn_cast<mlir::BlockArgument>(same); argument || sameArgument) {
    if (!argument || !sameArgument || argument.getOwner() != nest.body() ||
        sameArgument.getOwner() != other.body())
      return false;
    unsigned i = argument.getArgNumber(), k = sameArgument.getArgNumber();
    return i < nest.inputs.size() && k < other.inputs.size() && nest.inputs[i] == other.inputs[k] &&
           nest.maps[i] == other.maps[k];
  }
  mlir::Operation *op = value.getDefiningOp(), *otherOp = same.getDefiningOp();
  if (op->getName() != otherOp->getName() || op->getNumResults() != 1 ||
      otherOp->getNumResults() != 1 || op->getNumOperands() != otherOp->getNumOperands() ||
      op->getAttrDictionary() != otherOp->getAttrDictionary() || value.getType() != same.getType())
    return false;
  for (auto [operand, otherOperand] : llvm::zip(op->getOperands(), otherOp->getOperands()))
    if (!isSame(nest, operand, other, otherOperand, ops))
      return false;
  auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op); // a masked load: nothing else has regions
  if (!branch)
    return true;
  auto otherBranch = mlir::cast<mlir::scf::IfOp>(otherOp);
  return isSame(nest, branch.thenYield().getOperand(0), other,
                otherBranch.thenYield().getOperand(0), ops) &&
         isSame(nest, branch.elseYield().getOperand(0), other,
                otherBranch.elseYield().getOperand(0), ops);
}

bool isSame(const KernelNest &nest, Value value, const KernelNest &other, Value same) {
  int ops = 1000;
  return isSame(nest, value, other, same, ops);
}

std::optional<int64_t> constantSize(Size size) { return mlir::getConstantIntValue(size); }

int countedLoop(Value value) {
  while (auto conversion = value.getDefiningOp<arith::IndexCastOp>())
    value = conversion.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index ? int(index.getDim()) : -1;
}

int KernelModel::numOf(KernelArray::Role role) const {
  return int(llvm::count_if(arrays, [&](const KernelArray &array) { return array.role == role; }));
}

bool KernelNest::isIdentity(int operand) const {
  for (auto [i, expr] : llvm::enumerate(maps[size_t(operand)].getResults())) {
    auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expr);
    if (!loop || loop.getPosition() != i)
      return false;
  }
  return true;
}

absl::StatusOr<KernelModel> readKernel(func::FuncOp fn) { return Reader(fn).read(); }

} // namespace graphc
