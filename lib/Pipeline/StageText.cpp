//===- StageText.cpp --------------------------------------------------------===//
#include "StageText.h"

#include "CompileKernels.h"
#include "JIT/CheckLoops.h"
#include "JIT/LoopTargetOf.h"
#include "JIT/RuntimeSymbols.h"
#include "Lowering/LowerToLinalg.h"
#include "Text/Bytecode.h"
#include "Text/FirstError.h"
#include "Text/Nesting.h"
#include "Transforms/CheckLinalg.h"
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

/// The text as a verified module.
absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
parseStage(std::string_view text, std::string_view name, mlir::MLIRContext &context) {
  // Bytecode can spell what no text can, and its reader believes it.
  if (isBytecode(text))
    return makeError(ErrorKind::ValueError, "a stage is read as text, not as bytecode");
  if (absl::Status s = checkNesting(text, name); !s.ok())
    return s;
  FirstError errors(&context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(&context));
  if (!module)
    return errors.status();
  return module;
}

/// What the code generator makes of the IR.
absl::StatusOr<std::string> written(IRModule ir, std::string_view to,
                                    const ObjectCompiler &compiler) {
  if (to == "asm")
    return compiler.assembly(*ir.module);
  if (to == "obj") {
    absl::StatusOr<std::string> object = compiler.object(*ir.module);
    if (object.ok())
      if (absl::Status s = checkSymbols(*object); !s.ok())
        return s;
    return object;
  }
  std::string result;
  llvm::raw_string_ostream os(result);
  ir.module->print(os, nullptr);
  return result;
}

} // namespace

absl::StatusOr<std::string> linalgText(absl::Span<const Kernel> kernels) {
  ContextPool::Lease context = kernelContexts().lease();
  mlir::OwningOpRef<mlir::ModuleOp> all(mlir::ModuleOp::create(mlir::UnknownLoc::get(&*context)));
  for (const Kernel &kernel : kernels)
    mergeFunctions(*lowerToLinalg(kernel, *context), *all);
  return printed(*all);
}

absl::StatusOr<std::string> translateText(std::string_view text, std::string_view name,
                                          std::string_view from, std::string_view to,
                                          const ObjectCompiler &compiler) {
  if (from == "llvm") {
    absl::StatusOr<IRModule> ir = compiler.read(text, name);
    return ir.ok() ? written(*std::move(ir), to, compiler) : ir.status();
  }
  ContextPool::Lease context = kernelContexts().lease();
  context.expectBytes(text.size());
  absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> parsed = parseStage(text, name, *context);
  if (!parsed.ok())
    return parsed.status();
  mlir::ModuleOp module = **parsed;
  LoopTarget target = loopTargetOf(compiler.target());
  if (!compiler.trusted())
    if (absl::Status s =
            from == "linalg" ? checkLinalg(module, target) : checkLoops(module, compiler.target());
        !s.ok())
      return s;
  if (to == from)
    return printed(module);
  if (from == "linalg")
    if (absl::Status s = lowerToLoops(module, target); !s.ok())
      return s;
  if (to == "loops")
    return printed(module);
  absl::StatusOr<IRModule> ir = compiler.toIR(module);
  return ir.ok() ? written(*std::move(ir), to, compiler) : ir.status();
}

} // namespace graphc
