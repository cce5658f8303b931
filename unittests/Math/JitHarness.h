//===- JitHarness.h - kernels made of expansions --------------------*- C++ -*-===//
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "JIT/EmitIR.h"
#include "JIT/ObjectCompiler.h"
#include "JIT/Session.h"
#include "Lowering/KernelAttr.h"
#include "Lowering/Math/MathBuilder.h"
#include "Targets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Object/ObjectFile.h"
#include "gtest/gtest.h"

namespace graphc::testing {

/// Makes the value of one vector (lanes > 0) or scalar (lanes 0) of results from those of operands.
using Body = std::function<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

/// out[i] = body(in0[i], in1[i], ...) for i below a multiple of the lanes.
struct KernelSpec {
  std::string name;
  std::vector<DType> inputs;
  DType output;
  int lanes;
  Body body;
};

inline MathTarget mathTarget(const TargetDescription &target) {
  return {target.hasFma, target.hasAvx2 || target.isAArch64, target.hasAvx512, !target.isAArch64};
}

class KernelModule {
public:
  KernelModule() {
    mlir::DialectRegistry registry;
    registerLoopDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
  }

  void add(const KernelSpec &spec) {
    using namespace mlir;
    ImplicitLocOpBuilder b(UnknownLoc::get(context.get()), module->getBodyRegion());
    mlir::Type scalar = b.getI8Type();
    auto memory = [&](DType dtype) { // bool is one byte in memory
      return dtype == DType::Bool ? scalar : registerType(scalar, dtype);
    };
    SmallVector<mlir::Type> types;
    for (DType dtype : spec.inputs)
      types.push_back(MemRefType::get({}, memory(dtype)));
    types.push_back(MemRefType::get({}, memory(spec.output)));
    types.push_back(b.getIndexType());
    auto function = func::FuncOp::create(b, spec.name, b.getFunctionType(types, b.getI32Type()));
    function->setAttr(kKernelAttr, b.getUnitAttr());
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    Value n = entry->getArguments().back();
    SmallVector<Value> arrays;
    for (Value argument : entry->getArguments().drop_back()) {
      auto type = MemRefType::get({ShapedType::kDynamic},
                                  cast<MemRefType>(argument.getType()).getElementType());
      arrays.push_back(memref::ReinterpretCastOp::create(
          b, type, argument, b.getIndexAttr(0), ArrayRef<OpFoldResult>{n},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1)}));
    }
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value step = arith::ConstantIndexOp::create(b, spec.lanes ? spec.lanes : 1);
    auto loop = scf::ForOp::create(b, zero, n, step);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value i = loop.getInductionVar();
      SmallVector<Value> args;
      for (size_t k = 0; k < spec.inputs.size(); ++k) {
        mlir::Type element = memory(spec.inputs[k]);
        Value v = spec.lanes ? Value(vector::LoadOp::create(b, VectorType::get(spec.lanes, element),
                                                            arrays[k], i))
                             : Value(memref::LoadOp::create(b, arrays[k], i));
        args.push_back(spec.inputs[k] == DType::Bool ? buildCast(b, v, DType::UInt8, DType::Bool)
                                                     : v);
      }
      Value result = spec.body(b, args);
      if (spec.output == DType::Bool)
        result = buildCast(b, result, DType::Bool, DType::UInt8);
      if (spec.lanes)
        vector::StoreOp::create(b, result, arrays.back(), i);
      else
        memref::StoreOp::create(b, result, arrays.back(), i);
    }
    func::ReturnOp::create(b, Value(arith::ConstantIntOp::create(b, 0, 32)));
    names.push_back(spec.name);
  }

  absl::StatusOr<std::string> object(const TargetDescription &target) {
    auto compiler = ObjectCompiler::create(target);
    if (!compiler.ok())
      return compiler.status();
    return (*compiler)->compile(*module);
  }

  /// Null, with a failure recorded, if it cannot be compiled.
  std::shared_ptr<const LoadedCode> load(const TargetDescription &target) {
    auto code = object(target);
    EXPECT_TRUE(code.ok()) << code.status();
    auto session = Session::get();
    EXPECT_TRUE(session.ok()) << session.status();
    if (!code.ok() || !session.ok())
      return nullptr;
    auto loaded = (*session)->loadKernels({*code}, names);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded.ok() ? *loaded : nullptr;
  }

  std::vector<std::string> names;

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// What an object wants from elsewhere.
inline std::vector<std::string> undefinedSymbols(const std::string &object) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object), "object"));
  EXPECT_TRUE(static_cast<bool>(file));
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    std::string name = llvm::cantFail(symbol.getName()).str();
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::BasicSymbolRef::SF_Undefined &&
        !name.empty())
      names.push_back(name);
  }
  return names;
}

/// Runs the kernel over arrays of one length.
template <class... Arrays>
void call(const LoadedCode &code, size_t kernel, int64_t n, Arrays &...arrays) {
  void *buffers[] = {const_cast<void *>(static_cast<const void *>(arrays.data()))...};
  EXPECT_EQ(code.function(kernel)(buffers, &n), 0);
}

} // namespace graphc::testing
