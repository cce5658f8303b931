//===- JIT/ObjectCompiler.h - loops to machine code -------------*- C++ -*-===//
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "JIT/Target.h"
#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace graphc {

/// LLVM IR in a context of its own, so that threads do not meet. `module` is destroyed first.
struct IRModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// Makes machine code for one target. All functions may be called from several threads at once;
/// each call takes one of the workers (a TargetMachine and analysis managers, 0.4 ms to make) and
/// gives it back.
class ObjectCompiler {
public:
  /// Modules that graphc made, not read from a file, are `trusted`: LLVM's verifier does not see
  /// what becomes of them, and what is wrong with them is an Internal error. Errors: NotSupported
  /// when this build has no code generator for the target.
  static absl::StatusOr<std::shared_ptr<const ObjectCompiler>>
  create(const TargetDescription &target, bool trusted = true);
  ~ObjectCompiler();

  const TargetDescription &target() const { return description; }
  bool trusted() const { return isTrusted; }

  /// From the loops stage (which it changes) to the bytes of a relocatable, position-independent
  /// ELF object, which calls nothing but runtimeSymbols().
  absl::StatusOr<std::string> compile(mlir::ModuleOp loops) const;
  /// The same as up to `threads` objects that call each other, each compiled by a thread of its own
  /// (JIT/OutlineLoops.h says of what).
  absl::StatusOr<std::vector<std::string>> compileOnThreads(mlir::ModuleOp loops,
                                                            int threads) const;

  // The same in steps, for --emit.
  /// The optimized IR. It changes the loops. Errors: as of emitIR; Internal.
  absl::StatusOr<IRModule> toIR(mlir::ModuleOp loops) const;
  absl::Status optimize(llvm::Module &module) const;
  /// What `toIR` made, from its text: see readIR.
  absl::StatusOr<IRModule> read(std::string_view text, std::string_view name) const;
  absl::StatusOr<std::string> object(llvm::Module &module) const;
  absl::StatusOr<std::string> assembly(llvm::Module &module) const;

private:
  struct Worker;
  class WorkerLease;
  ObjectCompiler(const TargetDescription &target, bool trusted);
  absl::StatusOr<std::unique_ptr<Worker>> makeWorker() const;
  absl::StatusOr<std::vector<IRModule>> plainIR(mlir::ModuleOp loops, int modules) const;

  TargetDescription description;
  bool isTrusted;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Worker>> idle; // guarded by mutex
};

} // namespace graphc
