//===- Transforms/LoopFunction.cpp - arguments and memory -----------------===//
#include "Transforms/LoopFunction.h"

#include "Lowering/LowerToLinalg.h"
#include "Lowering/ScalarTypes.h"
#include "Transforms/LinalgToLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace graphc {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace memref = mlir::memref;
using mlir::Value;

LoopFunction::LoopFunction(const KernelModel &kernel, const LoopTarget &target)
    : kernel(kernel), target(target),
      b(const_cast<KernelModel &>(kernel).fn.getLoc(), const_cast<KernelModel &>(kernel).fn),
      fn(makeFunction()), stack(b), body(stack, kernel, target) {
  body.memory.resize(kernel.arrays.size());
  inMemory.assign(kernel.arrays.size(), false);
  mlir::Block &entry = fn.front();
  int numInputs = kernel.numOf(KernelArray::Role::Input);
  for (size_t i = 0; i < kernel.arrays.size(); ++i) {
    const KernelArray &array = kernel.arrays[i];
    if (array.role == KernelArray::Role::Local)
      continue;
    int number = array.number + (array.role == KernelArray::Role::Output ? numInputs : 0);
    body.memory[i] = view(entry.getArgument(unsigned(number)), array.shape, array.element, 0);
    inMemory[i] = true;
  }
  if (kernel.split) {
    unsigned numArguments = entry.getNumArguments();
    splitBegin = entry.getArgument(numArguments - 2);
    splitEnd = entry.getArgument(numArguments - 1);
  }
  if (kernel.hasChecks) {
    body.status = memref::AllocaOp::create(b, mlir::MemRefType::get({}, b.getI32Type()));
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    memref::StoreOp::create(b, zero, body.status, mlir::ValueRange());
  }
}

func::FuncOp LoopFunction::makeFunction() {
  llvm::SmallVector<mlir::Type> arguments;
  auto addArrays = [&](KernelArray::Role role) {
    for (const KernelArray &array : kernel.arrays)
      if (array.role == role)
        arguments.push_back(mlir::MemRefType::get({}, memoryType(array.element)));
  };
  addArrays(KernelArray::Role::Input);
  // Outputs in the order of the results.
  int numInputs = int(arguments.size());
  addArrays(KernelArray::Role::Output);
  for (const KernelArray &array : kernel.arrays)
    if (array.role == KernelArray::Role::Output)
      arguments[size_t(numInputs + array.number)] =
          mlir::MemRefType::get({}, memoryType(array.element));
  arguments.append(kernel.sizeArguments.size() + (kernel.split ? 2 : 0), b.getIndexType());
  func::FuncOp linalg = kernel.fn;
  auto made = func::FuncOp::create(b, b.getLoc(), linalg.getName(),
                                   b.getFunctionType(arguments, b.getI32Type()));
  made->setAttr(kKernelAttr, b.getUnitAttr());
  b.setInsertionPointToStart(made.addEntryBlock());
  return made;
}

ArrayPlace LoopFunction::view(Value argument, llvm::ArrayRef<Size> shape, mlir::Type element,
                              int dropped) {
  ArrayPlace memory;
  memory.strides.resize(shape.size(), b.getIndexAttr(0));
  stack.inPrologue([&] {
    Size count = b.getIndexAttr(1);
    for (int axis = int(shape.size()); axis-- > dropped;) {
      memory.strides[size_t(axis)] = count;
      count = stack.multiply(count, shape[size_t(axis)]);
    }
    auto type = mlir::MemRefType::get({mlir::ShapedType::kDynamic}, memoryType(element));
    Size one = b.getIndexAttr(1);
    memory.buffer = memref::ReinterpretCastOp::create(b, type, argument, b.getIndexAttr(0),
                                                      Size(stack.value(count)), one);
  });
  return memory;
}

/// `factor` times the constant extents, and then the arguments' numbers of the others.
mlir::DenseI64ArrayAttr LoopFunction::productOfSizes(int64_t factor, llvm::ArrayRef<Size> extents) {
  llvm::SmallVector<int64_t> product = {factor};
  for (Size extent : extents) {
    if (auto number = constantSize(extent))
      product[0] *= *number;
    else
      product.push_back(mlir::cast<mlir::BlockArgument>(mlir::cast<Value>(extent)).getArgNumber());
  }
  return b.getDenseI64ArrayAttr(product);
}

void LoopFunction::limitScratch(int64_t limit, llvm::ArrayRef<Size> extents) {
  mlir::DenseI64ArrayAttr product = productOfSizes(1, extents);
  auto numbers = llvm::to_vector(product.asArrayRef());
  numbers[0] = limit / std::max<int64_t>(numbers[0], 1);
  scratchLimits.back() = b.getDenseI64ArrayAttr(numbers);
}

Value LoopFunction::addScratchArgument(mlir::Type element, llvm::ArrayRef<Size> shape) {
  scratchSizes.push_back(productOfSizes(memoryBytes(element), shape));
  scratchLimits.push_back(b.getDenseI64ArrayAttr({}));
  keptForms.emplace_back();
  unsigned position = unsigned(kernel.numOf(KernelArray::Role::Input) +
                               kernel.numOf(KernelArray::Role::Output) + numScratch++);
  return fn.front().insertArgument(position, mlir::MemRefType::get({}, memoryType(element)),
                                   fn.getLoc());
}

Value LoopFunction::addKept(int array, KeptForm form, mlir::Type element,
                            llvm::ArrayRef<Size> extents) {
  Value argument = addScratchArgument(element, extents);
  form.input = kernel.arrays[size_t(array)].number;
  keptForms.back() = form;
  Value address;
  stack.inPrologue([&] { address = memref::ExtractAlignedPointerAsIndexOp::create(b, argument); });
  return address;
}

void LoopFunction::addScratch(int array, int outer) {
  const KernelArray &of = kernel.arrays[size_t(array)];
  Value argument =
      addScratchArgument(of.element, llvm::ArrayRef(of.shape).drop_front(size_t(outer)));
  body.memory[size_t(array)] = view(argument, of.shape, of.element, outer);
}

ArrayPlace LoopFunction::addScratch(mlir::Type element, Size extent) {
  return view(addScratchArgument(element, extent), extent, element, 0);
}

void LoopFunction::finish() {
  Value result = body.status ? Value(memref::LoadOp::create(b, body.status, mlir::ValueRange()))
                             : Value(arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
  func::ReturnOp::create(b, result);
  stack.finish();

  // Sizes were named by the linalg function's arguments.
  unsigned numBuffers = unsigned(kernel.numOf(KernelArray::Role::Input) +
                                 kernel.numOf(KernelArray::Role::Output) + numScratch);
  for (size_t i = 0; i < kernel.sizeArguments.size(); ++i) {
    Value size = kernel.sizeArguments[i];
    Value mine = fn.front().getArgument(numBuffers + unsigned(i));
    size.replaceUsesWithIf(
        mine, [&](mlir::OpOperand &use) { return fn->isProperAncestor(use.getOwner()); });
  }
  fn.setFunctionType(b.getFunctionType(fn.front().getArgumentTypes(), b.getI32Type()));
  if (!scratchSizes.empty())
    setAttributes();
}

/// What LinalgToLoops.h says of scratch buffers.
void LoopFunction::setAttributes() {
  unsigned numInputs = unsigned(kernel.numOf(KernelArray::Role::Input));
  bool isLimited = false;
  for (auto *list : {&scratchSizes, &scratchLimits})
    for (mlir::Attribute &size : *list) {
      auto numbers = llvm::to_vector(mlir::cast<mlir::DenseI64ArrayAttr>(size).asArrayRef());
      isLimited |= list == &scratchLimits && !numbers.empty();
      for (size_t i = 1; i < numbers.size(); ++i)
        numbers[i] -= numInputs;
      size = b.getDenseI64ArrayAttr(numbers);
    }
  fn->setAttr(kScratchAttr, b.getArrayAttr(scratchSizes));
  if (isLimited)
    fn->setAttr(kScratchLimitAttr, b.getArrayAttr(scratchLimits));
  auto attributeOf = [&](const KeptForm &form) -> mlir::Attribute {
    if (form.input < 0)
      return b.getDenseI64ArrayAttr({});
    return b.getDenseI64ArrayAttr(
        {form.input, form.columns, form.elementBytes, form.isTransposed, form.hasRoom});
  };
  if (llvm::any_of(keptForms, [](const KeptForm &form) { return form.input >= 0; }))
    fn->setAttr(kKeptAttr, b.getArrayAttr(llvm::map_to_vector(keptForms, attributeOf)));
}

} // namespace graphc
