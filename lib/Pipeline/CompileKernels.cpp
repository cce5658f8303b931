//===- CompileKernels.cpp -------------------------------------------------===//
#include "CompileKernels.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "JIT/LoopTargetOf.h"
#include "KernelContext.h"
#include "Lowering/LowerToLinalg.h"
#include "Text/FirstError.h"
#include "Transforms/LinalgToLoops.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

namespace graphc {

namespace {

std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

/// Moves the functions of `from` to the end of `to`; declarations that are there already stay
/// behind.
void mergeFunctions(mlir::ModuleOp from, mlir::ModuleOp to) {
  for (mlir::Operation &op : llvm::make_early_inc_range(*from.getBody())) {
    auto name = mlir::SymbolTable::getSymbolName(&op);
    if (!mlir::SymbolTable::lookupSymbolIn(to, name))
      op.moveBefore(to.getBody(), to.getBody()->end());
  }
}

std::vector<CompiledKernel::Scratch> readScratch(mlir::ModuleOp loops) {
  std::vector<CompiledKernel::Scratch> list;
  for (auto function : loops.getOps<mlir::func::FuncOp>())
    if (auto sizes = function->getAttrOfType<mlir::ArrayAttr>(kScratchAttr))
      for (auto size : sizes.getAsRange<mlir::DenseI64ArrayAttr>()) {
        llvm::ArrayRef<int64_t> numbers = size.asArrayRef();
        list.push_back({numbers[0], {numbers.begin() + 1, numbers.end()}});
      }
  return list;
}

absl::StatusOr<CompiledKernel> compileKernel(const Kernel &kernel, const ObjectCompiler &compiler) {
  KernelContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = lowerToLinalg(kernel, *context);
  if (absl::Status s = lowerToLoops(*module, loopTargetOf(compiler.target())); !s.ok())
    return s;
  CompiledKernel compiled;
  compiled.scratch = readScratch(*module);
  absl::StatusOr<std::string> object = compiler.compile(*module);
  if (!object.ok())
    return object.status();
  compiled.object = *std::move(object);
  return compiled;
}

} // namespace

absl::StatusOr<std::shared_ptr<const ObjectCompiler>>
objectCompilerFor(const TargetDescription &target, bool lineTables) {
  static auto *const mutex = new std::mutex();
  static auto *const kept = new std::map<std::string, std::shared_ptr<const ObjectCompiler>>();
  std::lock_guard lock(*mutex);
  std::shared_ptr<const ObjectCompiler> &compiler =
      (*kept)[target.fingerprint() + (lineTables ? "/lines" : "")];
  if (!compiler) {
    CodeOptions options;
    options.lineTables = lineTables;
    absl::StatusOr<std::shared_ptr<const ObjectCompiler>> made =
        ObjectCompiler::create(target, options);
    if (!made.ok())
      return made.status();
    compiler = *std::move(made);
  }
  return compiler;
}

absl::StatusOr<std::string> linalgText(absl::Span<const Kernel> kernels) {
  KernelContext context;
  mlir::OwningOpRef<mlir::ModuleOp> all(mlir::ModuleOp::create(mlir::UnknownLoc::get(&*context)));
  for (const Kernel &kernel : kernels)
    mergeFunctions(*lowerToLinalg(kernel, *context), *all);
  return printed(*all);
}

absl::StatusOr<std::string> translateText(std::string_view text, std::string_view name,
                                          std::string_view from, std::string_view to,
                                          const ObjectCompiler &compiler) {
  KernelContext context;
  FirstError errors(&*context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  auto parsed = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(&*context));
  if (!parsed)
    return errors.status();
  mlir::ModuleOp module = *parsed;
  if (from == "linalg")
    if (absl::Status s = lowerToLoops(module, loopTargetOf(compiler.target())); !s.ok())
      return s;
  if (to == "loops")
    return printed(module);
  if (absl::Status s = compiler.lower(module); !s.ok())
    return s;
  absl::StatusOr<IRModule> ir = translateToLLVMIR(module);
  if (!ir.ok())
    return ir.status();
  if (absl::Status s = compiler.optimize(*ir->module); !s.ok())
    return s;
  if (to == "asm")
    return compiler.assembly(*ir->module);
  if (to == "obj")
    return compiler.object(*ir->module);
  std::string result;
  llvm::raw_string_ostream os(result);
  ir->module->print(os, nullptr);
  return result;
}

absl::StatusOr<std::vector<CompiledKernel>>
compileKernels(absl::Span<const Kernel> kernels, const ObjectCompiler &compiler, int threads) {
  std::vector<CompiledKernel> compiled(kernels.size());
  std::vector<absl::Status> errors(kernels.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < kernels.size();) {
      absl::StatusOr<CompiledKernel> one = compileKernel(kernels[i], compiler);
      if (one.ok())
        compiled[i] = *std::move(one);
      else
        errors[i] = prefixError(one.status(), "kernel " + kernels[i].symbol());
    }
  };
  std::vector<std::thread> helpers;
  for (int t = 1; t < threads && size_t(t) < kernels.size(); ++t)
    helpers.emplace_back(work);
  work();
  for (std::thread &t : helpers)
    t.join();
  for (const absl::Status &error : errors)
    if (!error.ok())
      return error;
  return compiled;
}

} // namespace graphc
