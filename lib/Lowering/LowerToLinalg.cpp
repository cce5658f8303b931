//===- Lowering/LowerToLinalg.cpp - kernels to linalg on tensors ----------===//
#include "Lowering/LowerToLinalg.h"

#include "Lowering/AffineIndex.h"
#include "Lowering/LinalgScalars.h"
#include "Lowering/ScalarTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace graphc {
namespace {

using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace func = mlir::func;
namespace linalg = mlir::linalg;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;

/// Makes one kernel's function.
class LinalgBuilder {
public:
  LinalgBuilder(const Kernel &kernel, mlir::MLIRContext &context)
      : kernel(kernel),
        b(mlir::NameLoc::get(mlir::StringAttr::get(&context, kernel.name)), &context) {}

  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  /// What the loads of a nest's body have become: operands, by (array, map).
  struct Operands {
    llvm::MapVector<std::pair<int32_t, mlir::AffineMap>, llvm::SmallVector<int32_t, 2>> loads;
  };

  mlir::RankedTensorType tensorType(const Numbers &shape, mlir::Type element) const;
  llvm::SmallVector<Value> dynamicSizes(const Numbers &shape) const;
  Value emptyTensor(const Numbers &shape, mlir::Type element);
  void makeFunction();
  void lowerNest(int32_t number);
  ValueRange makeGeneric(const Nest &nest, mlir::TypeRange results, llvm::ArrayRef<Value> inputs,
                         llvm::ArrayRef<mlir::AffineMap> inputMaps, ValueRange inits,
                         llvm::function_ref<void(ValueRange)> body);
  void addLoopOperand(const Nest &nest, llvm::SmallVectorImpl<Value> &inputs,
                      llvm::SmallVectorImpl<mlir::AffineMap> &maps);
  llvm::SmallVector<Value> makeInits(const Nest &nest, DType bodyDType);
  Value lowerBody(int32_t number, const Operands &operands, ValueRange blockArguments,
                  llvm::ArrayRef<bool> needed);
  Value lowerLoad(const Nest &nest, const ScalarNode &node, llvm::ArrayRef<Value> values);
  Value lowerScalar(const ScalarCall &call, ValueRange operands);
  Value castResult(const Nest &nest, Value result);
  void call(mlir::StringRef name, mlir::TypeRange results, ValueRange operands,
            llvm::SmallVectorImpl<Value> &out);

  const Kernel &kernel;
  mlir::ImplicitLocOpBuilder b;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  func::FuncOp fn;
  std::vector<Value> sizeValues;  ///< by number; null for constants
  std::vector<Value> arrayValues; ///< by number
  llvm::StringMap<func::FuncOp> declared;
};

mlir::RankedTensorType LinalgBuilder::tensorType(const Numbers &shape, mlir::Type element) const {
  llvm::SmallVector<int64_t, 6> extents;
  for (int32_t size : shape)
    extents.push_back(kernel.sizes[size].constant ? kernel.sizes[size].value
                                                  : mlir::ShapedType::kDynamic);
  return mlir::RankedTensorType::get(extents, element);
}

llvm::SmallVector<Value> LinalgBuilder::dynamicSizes(const Numbers &shape) const {
  llvm::SmallVector<Value> result;
  for (int32_t size : shape)
    if (!kernel.sizes[size].constant)
      result.push_back(sizeValues[size]);
  return result;
}

Value LinalgBuilder::emptyTensor(const Numbers &shape, mlir::Type element) {
  return tensor::EmptyOp::create(b, tensorType(shape, element), dynamicSizes(shape));
}

void LinalgBuilder::makeFunction() {
  module = mlir::ModuleOp::create(b.getLoc());
  b.setInsertionPointToEnd(module->getBody());
  llvm::SmallVector<mlir::Type> arguments, results;
  llvm::SmallVector<llvm::SmallVector<int64_t>> dims;
  for (const Kernel::ArrayDecl &array : kernel.arrays) {
    mlir::Type type = tensorType(array.shape, scalarType(b.getContext(), array.dtype));
    if (array.role == Kernel::Role::Output)
      results.push_back(type);
    if (array.role != Kernel::Role::Input)
      continue;
    arguments.push_back(type);
    auto &numbers = dims.emplace_back();
    for (int32_t size : array.shape)
      if (!kernel.sizes[size].constant)
        numbers.push_back(kernel.sizes[size].value);
  }
  size_t numInputs = arguments.size();
  arguments.append(kernel.numSizeArguments, b.getIndexType());
  fn = func::FuncOp::create(b, b.getLoc(), kernel.symbol(), b.getFunctionType(arguments, results));
  fn->setAttr(kKernelAttr, b.getUnitAttr());
  fn->setAttr(kSharedAttr, b.getI64IntegerAttr(kernel.numShared));
  if (kernel.splitExtent >= 0)
    fn->setAttr(kSplitAttr, b.getUnitAttr());
  if (kernel.hasLongSums)
    fn->setAttr(kLongAttr, b.getUnitAttr());
  for (size_t i = 0; i < numInputs; ++i)
    if (!dims[i].empty())
      fn.setArgAttr(unsigned(i), kDimsAttr, b.getDenseI64ArrayAttr(dims[i]));

  mlir::Block *entry = fn.addEntryBlock();
  b.setInsertionPointToStart(entry);
  arrayValues.resize(kernel.arrays.size());
  size_t next = 0;
  for (size_t i = 0; i < kernel.arrays.size(); ++i)
    if (kernel.arrays[i].role == Kernel::Role::Input)
      arrayValues[i] = entry->getArgument(unsigned(next++));
  for (const Kernel::Size &size : kernel.sizes)
    sizeValues.push_back(
        size.constant ? Value() : Value(entry->getArgument(unsigned(numInputs + size.value))));
}

void LinalgBuilder::call(mlir::StringRef name, mlir::TypeRange results, ValueRange operands,
                         llvm::SmallVectorImpl<Value> &out) {
  func::FuncOp &callee = declared[name];
  if (!callee) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module->getBody());
    callee =
        func::FuncOp::create(b, b.getLoc(), name, b.getFunctionType(operands.getTypes(), results));
    callee.setPrivate();
  }
  auto op = func::CallOp::create(b, callee, operands);
  out.append(op->result_begin(), op->result_end());
}

Value LinalgBuilder::lowerScalar(const ScalarCall &scalar, ValueRange operands) {
  if (Value native = buildNativeScalar(b, scalar, operands))
    return native;
  llvm::SmallVector<Value, 1> results;
  call(scalarCallName(scalar), scalarType(b.getContext(), scalar.result), operands, results);
  return results[0];
}

Value LinalgBuilder::lowerLoad(const Nest &nest, const ScalarNode &node,
                               llvm::ArrayRef<Value> values) {
  Value array = arrayValues[node.loadArray()];
  llvm::SmallVector<Value, 6> indices;
  for (size_t axis = 0; axis < kernel.arrays[node.loadArray()].shape.size(); ++axis)
    indices.push_back(arith::IndexCastOp::create(
        b, b.getIndexType(), values[nest.indices[node.loadFirstIndex() + axis]]));
  if (node.args[0] < 0)
    return tensor::ExtractOp::create(b, array, indices);
  auto branch = scf::IfOp::create(
      b, values[node.args[0]],
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        Value element = tensor::ExtractOp::create(builder, loc, array, indices);
        scf::YieldOp::create(builder, loc, element);
      },
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        scf::YieldOp::create(builder, loc, values[node.args[1]]);
      });
  return branch.getResult(0);
}

/// The body's nodes that are needed, as ops; returns the root.
Value LinalgBuilder::lowerBody(int32_t number, const Operands &operands, ValueRange blockArguments,
                               llvm::ArrayRef<bool> needed) {
  const Nest &nest = kernel.nests[number];
  std::vector<Value> values(nest.body.size());
  for (auto [entry, argument] : llvm::zip(operands.loads, blockArguments))
    for (int32_t node : entry.second)
      values[node] = argument;
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const ScalarNode &node = nest.body[i];
    if (!needed[i] || values[i])
      continue;
    auto toInt64 = [&](Value index) {
      return arith::IndexCastOp::create(b, b.getI64Type(), index).getResult();
    };
    switch (node.op) {
    case ScalarOp::Constant:
      values[i] = buildConstant(b, node.dtype, node.payload);
      break;
    case ScalarOp::Index:
      values[i] = toInt64(linalg::IndexOp::create(b, node.payload));
      break;
    case ScalarOp::Size: {
      const Kernel::Size &size = kernel.sizes[node.payload];
      values[i] = size.constant ? buildConstant(b, DType::Int64, uint64_t(size.value))
                                : toInt64(sizeValues[node.payload]);
      break;
    }
    case ScalarOp::Load:
      values[i] = lowerLoad(nest, node, values);
      break;
    default: {
      llvm::SmallVector<Value, 3> args;
      for (int k = 0; k < numScalarOperands(node.op); ++k)
        args.push_back(values[node.args[k]]);
      // Select's first operand is the condition; its dtype is that of the values.
      DType operand = nest.body[node.args[node.op == ScalarOp::Select ? 1 : 0]].dtype;
      values[i] = lowerScalar({node.op, operand, node.dtype}, args);
    }
    }
  }
  for (size_t i = 0; i < kernel.checks.size(); ++i) {
    if (kernel.checks[i].nest != number)
      continue;
    Value checkNumber = arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(i)));
    llvm::SmallVector<Value, 1> none;
    call(kCheckCall, {}, {values[kernel.checks[i].condition], checkNumber}, none);
  }
  return values[nest.root];
}

ValueRange LinalgBuilder::makeGeneric(const Nest &nest, mlir::TypeRange results,
                                      llvm::ArrayRef<Value> inputs,
                                      llvm::ArrayRef<mlir::AffineMap> inputMaps, ValueRange inits,
                                      llvm::function_ref<void(ValueRange)> body) {
  llvm::SmallVector<mlir::AffineMap> maps(inputMaps);
  unsigned rank = unsigned(nest.extents.size());
  maps.append(inits.size(), leadingLoops(rank, unsigned(nest.numParallel), b.getContext()));
  llvm::SmallVector<mlir::utils::IteratorType> iterators(rank,
                                                         mlir::utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), nest.numParallel, mlir::utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, results, inputs, inits, maps, iterators,
      [&](mlir::OpBuilder &builder, mlir::Location, ValueRange arguments) {
        mlir::OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
        body(arguments);
      });
  return op->getResults();
}

/// linalg reads every loop's extent off an operand: loops that no map shows alone get one.
void LinalgBuilder::addLoopOperand(const Nest &nest, llvm::SmallVectorImpl<Value> &inputs,
                                   llvm::SmallVectorImpl<mlir::AffineMap> &maps) {
  llvm::SmallVector<bool> shown(nest.extents.size(), false);
  std::fill_n(shown.begin(), nest.numParallel, true);
  for (mlir::AffineMap map : maps)
    for (mlir::AffineExpr result : map.getResults())
      if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(result))
        shown[loop.getPosition()] = true;
  Numbers shape;
  llvm::SmallVector<mlir::AffineExpr> loops;
  for (size_t d = 0; d < shown.size(); ++d)
    if (!shown[d]) {
      shape.push_back(nest.extents[d]);
      loops.push_back(b.getAffineDimExpr(unsigned(d)));
    }
  if (shape.empty())
    return;
  inputs.push_back(emptyTensor(shape, b.getI1Type()));
  maps.push_back(mlir::AffineMap::get(unsigned(shown.size()), 0, loops, b.getContext()));
}

llvm::SmallVector<Value> LinalgBuilder::makeInits(const Nest &nest, DType bodyDType) {
  Numbers shape(nest.extents.begin(), nest.extents.begin() + nest.numParallel);
  auto filled = [&](mlir::TypedAttr value) -> Value {
    Value start = arith::ConstantOp::create(b, value);
    return linalg::FillOp::create(b, start, emptyTensor(shape, value.getType())).getResult(0);
  };
  if (nest.combine == Combine::None)
    return {emptyTensor(shape, scalarType(b.getContext(), bodyDType))};
  DType dtype = hasAccumulator(nest.combine) ? nest.accumulator : bodyDType;
  Value neutral = filled(neutralElement(b.getContext(), nest.combine, dtype));
  if (isArg(nest.combine))
    return {neutral, filled(b.getI64IntegerAttr(0))};
  return {neutral};
}

/// Brings a reduction's value to the result's dtype.
Value LinalgBuilder::castResult(const Nest &nest, Value result) {
  const Kernel::ArrayDecl &array = kernel.arrays[nest.result];
  DType from = isArg(nest.combine)            ? DType::Int64
               : hasAccumulator(nest.combine) ? nest.accumulator
                                              : nest.body[nest.root].dtype;
  if (from == array.dtype)
    return result;
  Nest map;
  map.extents.assign(nest.extents.begin(), nest.extents.begin() + nest.numParallel);
  map.numParallel = nest.numParallel;
  mlir::Type type = scalarType(b.getContext(), array.dtype);
  Value init = emptyTensor(map.extents, type);
  auto identity = b.getMultiDimIdentityMap(unsigned(map.numParallel));
  return makeGeneric(map, init.getType(), result, identity, init, [&](ValueRange arguments) {
    Value cast = lowerScalar({ScalarOp::Cast, from, array.dtype}, arguments[0]);
    linalg::YieldOp::create(b, cast);
  })[0];
}

void LinalgBuilder::lowerNest(int32_t number) {
  const Nest &nest = kernel.nests[number];
  std::vector<mlir::AffineExpr> affine = affineExprs(kernel, nest, b.getContext());

  // From the root and the checks down: which nodes are needed, and which loads are operands.
  llvm::SmallVector<bool> needed(nest.body.size(), false);
  needed[nest.root] = true;
  for (const Kernel::Check &check : kernel.checks)
    if (check.nest == number)
      needed[check.condition] = true;
  llvm::SmallVector<std::pair<int32_t, mlir::AffineMap>> operandLoads;
  for (size_t i = nest.body.size(); i-- > 0;) {
    if (!needed[i])
      continue;
    const ScalarNode &node = nest.body[i];
    for (int32_t arg : node.args)
      if (arg >= 0)
        needed[arg] = true;
    if (node.op != ScalarOp::Load)
      continue;
    if (auto map = loadMap(kernel, nest, affine, node, b.getContext())) {
      operandLoads.push_back({int32_t(i), *map});
      continue;
    }
    for (size_t axis = 0; axis < kernel.arrays[node.loadArray()].shape.size(); ++axis)
      needed[nest.indices[node.loadFirstIndex() + axis]] = true;
  }
  Operands operands;
  for (auto &[node, map] : llvm::reverse(operandLoads))
    operands.loads[{nest.body[node].loadArray(), map}].push_back(node);

  llvm::SmallVector<Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
  for (auto &entry : operands.loads) {
    inputs.push_back(arrayValues[entry.first.first]);
    maps.push_back(entry.first.second);
  }
  addLoopOperand(nest, inputs, maps);

  DType bodyDType = nest.body[nest.root].dtype;
  llvm::SmallVector<Value> inits = makeInits(nest, bodyDType);
  ValueRange results = makeGeneric(
      nest, ValueRange(inits).getTypes(), inputs, maps, inits, [&](ValueRange arguments) {
        Value value = lowerBody(number, operands, arguments, needed);
        ValueRange joined = arguments.drop_front(inputs.size());
        llvm::SmallVector<Value, 2> yielded;
        if (isArg(nest.combine)) {
          // The position among the reduction loops, row-major.
          Value position;
          for (size_t d = size_t(nest.numParallel); d < nest.extents.size(); ++d) {
            Value index = linalg::IndexOp::create(b, d);
            const Kernel::Size &size = kernel.sizes[nest.extents[d]];
            if (!position) {
              position = index;
              continue;
            }
            Value extent = size.constant ? Value(arith::ConstantIndexOp::create(b, size.value))
                                         : sizeValues[nest.extents[d]];
            position = arith::AddIOp::create(b, arith::MulIOp::create(b, position, extent), index);
          }
          position = position ? Value(arith::IndexCastOp::create(b, b.getI64Type(), position))
                              : buildConstant(b, DType::Int64, 0);
          call(argCallName(nest.combine == Combine::ArgMax, bodyDType),
               {value.getType(), b.getI64Type()}, {joined[0], joined[1], value, position}, yielded);
        } else if (nest.combine == Combine::None) {
          yielded.push_back(value);
        } else {
          DType dtype = hasAccumulator(nest.combine) ? nest.accumulator : bodyDType;
          value = lowerScalar({ScalarOp::Cast, bodyDType, dtype}, value);
          yielded.push_back(buildCombine(b, nest.combine, dtype, joined[0], value));
        }
        linalg::YieldOp::create(b, yielded);
      });
  if (nest.combine == Combine::Sum && bodyDType == DType::Float32 &&
      nest.accumulator == DType::Float64)
    results[0].getDefiningOp()->setAttr(kPartialAttr, b.getI64IntegerAttr(16));
  arrayValues[nest.result] = castResult(nest, results[isArg(nest.combine) ? 1 : 0]);
}

mlir::OwningOpRef<mlir::ModuleOp> LinalgBuilder::build() {
  makeFunction();
  for (size_t i = 0; i < kernel.nests.size(); ++i)
    lowerNest(int32_t(i));
  llvm::SmallVector<Value> outputs;
  for (size_t i = 0; i < kernel.arrays.size(); ++i)
    if (kernel.arrays[i].role == Kernel::Role::Output)
      outputs.push_back(arrayValues[i]);
  func::ReturnOp::create(b, outputs);
  return std::move(module);
}

} // namespace

void registerLinalgDialects(mlir::DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  mlir::math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  // Home of the attributes; it has no ops.
  registry.insertDynamic("graphc", [](mlir::MLIRContext *, mlir::DynamicDialect *) {});
}

mlir::OwningOpRef<mlir::ModuleOp> lowerToLinalg(const Kernel &kernel, mlir::MLIRContext &context) {
  return LinalgBuilder(kernel, context).build();
}

} // namespace graphc
