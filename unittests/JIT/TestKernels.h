//===- unittests/JIT/TestKernels.h - kernels written by hand ----*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "JIT/EmitIR.h"
#include "JIT/ObjectCompiler.h"
#include "JIT/Session.h"
#include "Targets.h"
#include "absl/strings/string_view.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace graphc::testing {

/// A context with the dialects of the loops stage, without threads.
inline std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerLoopDialects(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

inline mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context, absl::string_view text) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(text.data(), text.size()), &context);
  EXPECT_TRUE(module) << text;
  return module;
}

/// Compiles text of the loops stage to an object.
inline absl::StatusOr<std::string> compileText(absl::string_view text,
                                               const TargetDescription &target = hostTarget(),
                                               bool trusted = true) {
  auto context = makeContext();
  auto module = parse(*context, text);
  if (!module)
    return absl::InvalidArgumentError("the text does not parse");
  auto compiler = ObjectCompiler::create(target, trusted);
  if (!compiler.ok())
    return compiler.status();
  return (*compiler)->compile(*module);
}

/// Compiles text with a kernel @kernel and loads it.
inline std::shared_ptr<const LoadedCode> load(absl::string_view text,
                                              const TargetDescription &target = hostTarget()) {
  auto object = compileText(text, target);
  EXPECT_TRUE(object.ok()) << object.status();
  auto session = Session::get();
  EXPECT_TRUE(session.ok()) << session.status();
  if (!object.ok() || !session.ok())
    return nullptr;
  auto code = (*session)->loadKernels({*object}, {"kernel"});
  EXPECT_TRUE(code.ok()) << code.status();
  return code.ok() ? *code : nullptr;
}

// ---- Kernels, all named @kernel -----------------------------------------------------------------

/// out = x + y * z, scalars, f32.
inline constexpr absl::string_view kScalar = R"(
func.func @kernel(%x: memref<f32>, %y: memref<f32>,
                  %z: memref<f32>, %out: memref<f32>) -> i32
    attributes {graphc.kernel} {
  %0 = memref.load %x[] : memref<f32>
  %1 = memref.load %y[] : memref<f32>
  %2 = memref.load %z[] : memref<f32>
  %3 = arith.mulf %1, %2 : f32
  %4 = arith.addf %0, %3 : f32
  memref.store %4, %out[] : memref<f32>
  %ok = arith.constant 0 : i32
  return %ok : i32
})";

/// out[i] = x[i] + y[i] * z[i], f32, 16 lanes at a time with a masked tail.
inline constexpr absl::string_view kVector = R"(
func.func @kernel(%x: memref<f32>, %y: memref<f32>,
                  %z: memref<f32>, %out: memref<f32>, %n: index) -> i32
    attributes {graphc.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x1 = memref.reinterpret_cast %x to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
  %y1 = memref.reinterpret_cast %y to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
  %z1 = memref.reinterpret_cast %z to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
  %o1 = memref.reinterpret_cast %out to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
  %beyond = arith.remsi %n, %c16 : index
  %whole = arith.subi %n, %beyond : index
  scf.for %i = %c0 to %whole step %c16 {
    %0 = vector.load %x1[%i] : memref<?xf32>, vector<16xf32>
    %1 = vector.load %y1[%i] : memref<?xf32>, vector<16xf32>
    %2 = vector.load %z1[%i] : memref<?xf32>, vector<16xf32>
    %3 = arith.mulf %1, %2 : vector<16xf32>
    %4 = arith.addf %0, %3 : vector<16xf32>
    vector.store %4, %o1[%i] : memref<?xf32>, vector<16xf32>
  }
  %rest = arith.subi %n, %whole : index
  %some = arith.cmpi sgt, %rest, %c0 : index
  scf.if %some {
    %mask = vector.create_mask %rest : vector<16xi1>
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %0 = vector.maskedload %x1[%whole], %mask, %zero : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %1 = vector.maskedload %y1[%whole], %mask, %zero : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %2 = vector.maskedload %z1[%whole], %mask, %zero : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %3 = arith.mulf %1, %2 : vector<16xf32>
    %4 = arith.addf %0, %3 : vector<16xf32>
    vector.maskedstore %o1[%whole], %mask, %4 : memref<?xf32>, vector<16xi1>, vector<16xf32>
  }
  %ok = arith.constant 0 : i32
  return %ok : i32
})";

} // namespace graphc::testing
