//===- JIT/ObjectCompiler.cpp - loops to machine code ---------------------===//
#include "JIT/ObjectCompiler.h"

#include "JIT/CompileInParts.h"
#include "JIT/EmitIR.h"
#include "JIT/OneLaneStores.h"
#include "JIT/OutlineLoops.h"
#include "JIT/ReadIR.h"
#include "JIT/RuntimeSymbols.h"
#include "Support/Cancel.h"
#include "graphc/Status.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace graphc {
namespace {

/// The loops are vectors already, and little is left to do.
/// instcombine, which simplifies addresses, took a tenth of the time for code that is as fast
/// without it: instruction selection does the same again.
constexpr StringLiteral kPasses = "function(sroa,early-cse,dce,simplifycfg)";

/// Also for later: the linker sets all flags back to their initial values.
template <class T> void setFlag(StringRef name, T value) {
  auto &flags = cl::getRegisteredOptions();
  if (auto found = flags.find(name); found != flags.end())
    static_cast<cl::opt<T> *>(found->second)->setInitialValue(value);
}

void initializeLLVM() {
  static std::once_flag once;
  std::call_once(once, [] {
#ifdef GRAPHC_TARGET_X86
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // for inline assembly
#endif
#ifdef GRAPHC_TARGET_AARCH64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
#endif
    // A third of the time of code generation on vector loops, whose addresses are simple already.
    // The flag is a global of this library's own copy of LLVM.
    setFlag("disable-lsr", true);
    // The scheduler before register allocation has done it, and processors reorder by themselves.
    setFlag("disable-post-ra", true);
    // early-cse and instruction selection leave nothing worth its 2 %; without it fewer registers
    // are spilled. Masks and numbers are never exchanged in these loops.
    setFlag("disable-machine-cse", true);
    setFlag("disable-x86-domain-reassignment", true);
    // Some copies of registers outside of loops, for 2 % of the time.
    setFlag("disable-copyprop", true);
    // Ranges of registers are split over regions as far as that is looked at: 4 % of the time less
    // than without a bound. Inner loops stay as they are but for counters of short ones; without
    // any such split convolutions in their registers spill.
    setFlag<unsigned long>("grow-region-complexity-budget", 60);
  });
}

/// Collects LLVM's errors while it lives; by default they are printed, and the process exits.
class IRErrorCollector {
public:
  explicit IRErrorCollector(LLVMContext &context) : context(context) {
    context.setDiagnosticHandlerCallBack(&handle, this);
  }
  ~IRErrorCollector() { context.setDiagnosticHandlerCallBack(nullptr, nullptr); }

  absl::Status status() const {
    return text.empty() ? absl::OkStatus() : makeError(ErrorKind::Internal, "LLVM: " + text);
  }

private:
  static void handle(const DiagnosticInfo *info, void *self) {
    if (info->getSeverity() != DS_Error)
      return;
    raw_string_ostream out(static_cast<IRErrorCollector *>(self)->text);
    DiagnosticPrinterRawOStream printer(out);
    info->print(printer);
  }

  LLVMContext &context;
  std::string text;
};

/// Writes files of one type. The passes, a seventh of the time to make, are kept between modules.
class FileWriter {
public:
  static absl::StatusOr<std::unique_ptr<FileWriter>> create(TargetMachine &machine,
                                                            CodeGenFileType type) {
    auto writer = std::make_unique<FileWriter>();
    if (machine.addPassesToEmitFile(writer->passes, writer->out, nullptr, type,
                                    /*DisableVerify=*/true))
      return makeError(ErrorKind::Internal, "the target writes no such file");
    return writer;
  }

  absl::StatusOr<std::string> write(llvm::Module &module) {
    IRErrorCollector errors(module.getContext());
    passes.run(module);
    std::string file(bytes.begin(), bytes.end());
    bytes.clear();
    if (absl::Status status = errors.status(); !status.ok())
      return status;
    return file;
  }

private:
  SmallVector<char, 0> bytes;
  raw_svector_ostream out{bytes};
  legacy::PassManager passes;
};

} // namespace

/// What one thread needs at a time. The analysis managers keep their analyses' constructors between
/// modules.
struct ObjectCompiler::Worker {
  std::unique_ptr<TargetMachine> machine;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  std::unique_ptr<PassBuilder> builder;
  ModulePassManager passes;
  std::unique_ptr<FileWriter> objects; // made when first wanted

  void forgetModule() {
    loops.clear();
    functions.clear();
    sccs.clear();
    modules.clear();
  }
};

class ObjectCompiler::WorkerLease {
public:
  static absl::StatusOr<WorkerLease> take(const ObjectCompiler &owner) {
    WorkerLease lease(owner);
    {
      std::lock_guard lock(owner.mutex);
      if (!owner.idle.empty()) {
        lease.worker = std::move(owner.idle.back());
        owner.idle.pop_back();
      }
    }
    if (!lease.worker) {
      absl::StatusOr<std::unique_ptr<Worker>> made = owner.makeWorker();
      if (!made.ok())
        return made.status();
      lease.worker = std::move(*made);
    }
    return lease;
  }
  WorkerLease(WorkerLease &&) = default;
  ~WorkerLease() {
    if (!worker)
      return;
    std::lock_guard lock(owner.mutex);
    owner.idle.push_back(std::move(worker));
  }
  Worker *operator->() { return worker.get(); }

private:
  explicit WorkerLease(const ObjectCompiler &owner) : owner(owner) {}
  const ObjectCompiler &owner;
  std::unique_ptr<Worker> worker;
};

ObjectCompiler::ObjectCompiler(const TargetDescription &target, bool trusted)
    : description(target), isTrusted(trusted) {}

ObjectCompiler::~ObjectCompiler() = default;

absl::StatusOr<std::shared_ptr<const ObjectCompiler>>
ObjectCompiler::create(const TargetDescription &target, bool trusted) {
  initializeLLVM();
  std::shared_ptr<ObjectCompiler> compiler(new ObjectCompiler(target, trusted));
  absl::StatusOr<std::unique_ptr<Worker>> worker = compiler->makeWorker();
  if (!worker.ok())
    return worker.status();
  compiler->idle.push_back(std::move(*worker));
  return compiler;
}

absl::StatusOr<std::unique_ptr<ObjectCompiler::Worker>> ObjectCompiler::makeWorker() const {
  Triple triple(description.triple);
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return makeError(ErrorKind::Internal, "no code generator for " + description.triple);
  TargetOptions targetOptions;
  // An fma comes from an op that says so, or from `contract`; the evaluator and compiled code agree
  // to the bit.
  targetOptions.AllowFPOpFusion = FPOpFusion::Standard;
  auto worker = std::make_unique<Worker>();
  worker->machine.reset(target->createTargetMachine(triple, description.cpu, description.features,
                                                    targetOptions, Reloc::PIC_, CodeModel::Small,
                                                    CodeGenOptLevel::Default));
  if (!worker->machine)
    return makeError(ErrorKind::Internal, "no code generator for " + description.triple);

  worker->builder = std::make_unique<PassBuilder>(worker->machine.get());
  PassBuilder &builder = *worker->builder;
  builder.registerModuleAnalyses(worker->modules);
  builder.registerCGSCCAnalyses(worker->sccs);
  builder.registerFunctionAnalyses(worker->functions);
  builder.registerLoopAnalyses(worker->loops);
  builder.crossRegisterProxies(worker->loops, worker->functions, worker->sccs, worker->modules);
  if (Error failure = builder.parsePassPipeline(worker->passes, kPasses))
    return makeError(ErrorKind::Internal, toString(std::move(failure)));
  worker->passes.addPass(createModuleToFunctionPassAdaptor(OneLaneStores())); // with known masks
  return worker;
}

/// Up to so many modules, before they are optimized.
absl::StatusOr<std::vector<IRModule>> ObjectCompiler::plainIR(mlir::ModuleOp loops,
                                                              int modules) const {
  std::vector<IRModule> list;
  std::vector<llvm::Module *> into;
  {
    absl::StatusOr<WorkerLease> worker = WorkerLease::take(*this);
    if (!worker.ok())
      return worker.status();
    for (int i = 0; i < modules; ++i) {
      IRModule &ir = list.emplace_back(std::make_unique<LLVMContext>(), nullptr);
      ir.context->setDiscardValueNames(true); // some passes make up names of blocks
      ir.module = std::make_unique<llvm::Module>("kernels", *ir.context);
      ir.module->setDataLayout((*worker)->machine->createDataLayout());
      into.push_back(ir.module.get());
    }
  }
  if (absl::Status status = emitIR(loops, description, into); !status.ok())
    return isTrusted ? makeError(ErrorKind::Internal, "loops to LLVM IR: " + errorText(status))
                     : status;
  // The first one has the kernels, if there are any.
  list.erase(std::remove_if(list.begin() + 1, list.end(),
                            [](const IRModule &ir) { return ir.module->empty(); }),
             list.end());
  for (const IRModule &ir : list) {
    std::string errors;
    raw_string_ostream out(errors);
    if (!isTrusted && verifyModule(*ir.module, &out))
      return makeError(ErrorKind::Internal, "the LLVM IR is wrong: " + errors);
  }
  if (absl::Status status = checkCancelled(); !status.ok())
    return status;
  return list;
}

absl::StatusOr<IRModule> ObjectCompiler::toIR(mlir::ModuleOp loops) const {
  absl::StatusOr<std::vector<IRModule>> ir = plainIR(loops, /*modules=*/1);
  if (!ir.ok())
    return ir.status();
  if (absl::Status status = optimize(*ir->front().module); !status.ok())
    return status;
  return std::move(ir->front());
}

absl::Status ObjectCompiler::optimize(llvm::Module &module) const {
  absl::StatusOr<WorkerLease> worker = WorkerLease::take(*this);
  if (!worker.ok())
    return worker.status();
  TargetMachine &machine = *(*worker)->machine;
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  for (Function &fn : module)
    if (!fn.isDeclaration())
      fn.addFnAttrs(codeAttributes(module.getContext(), description));
  IRErrorCollector errors(module.getContext());
  (*worker)->passes.run(module, (*worker)->modules);
  (*worker)->forgetModule();
  return errors.status();
}

absl::StatusOr<IRModule> ObjectCompiler::read(std::string_view text, std::string_view name) const {
  absl::StatusOr<WorkerLease> worker = WorkerLease::take(*this);
  if (!worker.ok())
    return worker.status();
  return readIR(text, name, description, (*worker)->machine->createDataLayout());
}

absl::StatusOr<std::string> ObjectCompiler::object(llvm::Module &module) const {
  absl::StatusOr<WorkerLease> worker = WorkerLease::take(*this);
  if (!worker.ok())
    return worker.status();
  std::unique_ptr<FileWriter> writer = std::move((*worker)->objects);
  if (!writer) {
    absl::StatusOr<std::unique_ptr<FileWriter>> made =
        FileWriter::create(*(*worker)->machine, CodeGenFileType::ObjectFile);
    if (!made.ok())
      return made.status();
    writer = *std::move(made);
  }
  absl::StatusOr<std::string> file = writer->write(module);
  if (file.ok()) // after an error nobody knows what the passes still hold
    (*worker)->objects = std::move(writer);
  return file;
}

absl::StatusOr<std::string> ObjectCompiler::assembly(llvm::Module &module) const {
  absl::StatusOr<WorkerLease> worker = WorkerLease::take(*this);
  if (!worker.ok())
    return worker.status();
  absl::StatusOr<std::unique_ptr<FileWriter>> writer =
      FileWriter::create(*(*worker)->machine, CodeGenFileType::AssemblyFile);
  return writer.ok() ? (*writer)->write(module) : writer.status();
}

absl::StatusOr<std::string> ObjectCompiler::compile(mlir::ModuleOp loops) const {
  absl::StatusOr<std::vector<std::string>> objects = compileOnThreads(loops, 1);
  if (!objects.ok())
    return objects.status();
  return std::move(objects->front());
}

absl::StatusOr<std::vector<std::string>> ObjectCompiler::compileOnThreads(mlir::ModuleOp loops,
                                                                          int threads) const {
  absl::StatusOr<std::vector<IRModule>> ir =
      plainIR(loops, std::min(threads, 1 + numOutlinable(loops)));
  if (!ir.ok())
    return ir.status();
  std::vector<llvm::StringRef> functions; // what one module calls of another
  for (const IRModule &each : *ir)
    for (const Function &fn : *each.module)
      if (!fn.isDeclaration())
        functions.push_back(fn.getName());
  auto objectOf = [&](llvm::Module &module) -> absl::StatusOr<std::string> {
    if (absl::Status status = optimize(module); !status.ok())
      return status;
    if (absl::Status status = checkCancelled(); !status.ok())
      return status;
    absl::StatusOr<std::string> made = object(module);
    if (!made.ok())
      return made;
    if (absl::Status status = checkSymbols(*made, functions); !status.ok())
      return status;
    return made;
  };
  std::vector<absl::StatusOr<std::string>> made(ir->size());
  compileInParts(ir->size(), threads, [&](size_t i) { made[i] = objectOf(*(*ir)[i].module); });
  std::vector<std::string> objects;
  for (absl::StatusOr<std::string> &each : made) {
    if (!each.ok())
      return each.status();
    objects.push_back(*std::move(each));
  }
  return objects;
}

} // namespace graphc
