//===- JIT/PackArguments.cpp - one signature for all kernels --------------===//
//
// Before:  llvm.func @f(%a: !llvm.ptr, %b: !llvm.ptr, %n: i64) -> i32
// After:   llvm.func @f(%buffers: !llvm.ptr, %sizes: !llvm.ptr) -> i32 {
//            %a = llvm.load %buffers invariant : !llvm.ptr -> !llvm.ptr ...
//
//===----------------------------------------------------------------------===//
#include "JIT/PackArguments.h"

#include "Lowering/KernelAttr.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace graphc {
namespace {

/// Loads array[index]. Nothing writes to the arrays while the kernel runs.
Value loadElement(ImplicitLocOpBuilder &b, Type type, Value array, unsigned index) {
  Value address = array;
  if (index)
    address = LLVM::GEPOp::create(b, array.getType(), type, array,
                                  LLVM::GEPArg(static_cast<int32_t>(index)),
                                  LLVM::GEPNoWrapFlags::inbounds);
  auto load = LLVM::LoadOp::create(b, type, address);
  load.setInvariant(true);
  load.setAlignment(8);
  return load;
}

LogicalResult packKernel(LLVM::LLVMFuncOp fn) {
  LLVM::LLVMFunctionType type = fn.getFunctionType();
  Builder attrs(fn.getContext());
  Type pointer = LLVM::LLVMPointerType::get(fn.getContext()), size = attrs.getI64Type();
  unsigned buffers = 0;
  while (buffers < type.getNumParams() && type.getParamType(buffers) == pointer)
    ++buffers;
  for (unsigned i = buffers; i < type.getNumParams(); ++i)
    if (type.getParamType(i) != size)
      return fn.emitError("a kernel takes memref<T> of rank 0 and then index; argument ")
             << i << " is neither";
  if (type.getReturnType() != attrs.getI32Type())
    return fn.emitError("a kernel returns i32");

  Block &entry = fn.getBody().front();
  unsigned count = entry.getNumArguments();
  auto b = ImplicitLocOpBuilder::atBlockBegin(fn.getLoc(), &entry);
  Value buffersArray = entry.addArgument(pointer, fn.getLoc());
  Value sizesArray = entry.addArgument(pointer, fn.getLoc());
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument argument = entry.getArgument(i);
    if (argument.use_empty())
      continue;
    argument.replaceAllUsesWith(i < buffers ? loadElement(b, pointer, buffersArray, i)
                                            : loadElement(b, size, sizesArray, i - buffers));
  }
  entry.eraseArguments(0, count);
  fn.removeArgAttrsAttr();
  fn.setFunctionType(LLVM::LLVMFunctionType::get(type.getReturnType(), {pointer, pointer}));
  for (unsigned i = 0; i < 2; ++i)
    fn.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), attrs.getUnitAttr());
  return success();
}

} // namespace

LogicalResult packArguments(ModuleOp module) {
  for (auto fn : module.getOps<LLVM::LLVMFuncOp>())
    if (fn->hasAttr(kKernelAttr) && !fn.isExternal() && failed(packKernel(fn)))
      return failure();
  return success();
}

} // namespace graphc
