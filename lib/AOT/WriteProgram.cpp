//===- WriteProgram.cpp ---------------------------------------------------===//
#include "AOT/WriteProgram.h"

#include "AOT/EmbeddedFiles.h"
#include "AOT/ProgramTables.h"
#include "JIT/Linker.h"
#include "JIT/RuntimeSymbols.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MemoryBuffer.h"

namespace graphc {
namespace {

constexpr const char *kMainName = "graphcMain";

/// The driver's bitcode with the tables of one program and what its object shows: a library's
/// functions, or graphcMain.
class DriverModule {
public:
  explicit DriverModule(llvm::Module &module)
      : module_(module), context_(module.getContext()),
        pointer_(llvm::PointerType::get(context_, 0)) {}

  void add(const Program &program, const ProgramTables &tables, const CallInterface &interface,
           const MainTables *main) {
    for (llvm::Function &function : module_)
      if (!function.isDeclaration())
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
    llvm::Constant *all = programOf(program, tables, kernels(program));
    const std::string &name = interface.name;
    if (main) {
      addMain(*main, all);
      return;
    }
    addEntry(name, "graphcAotRun", all);
    addEntry(name + "_shapes", "graphcAotShapes", all);
    addEntry(name + "_message", "graphcAotMessage", all);
    addEntry(name + "_release", "graphcAotRelease", all);
  }

private:
  llvm::GlobalVariable *variable(llvm::Constant *value, uint64_t alignment) {
    auto *global = new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, value);
    global->setAlignment(llvm::Align(alignment));
    return global;
  }
  llvm::Constant *bytes(const void *data, size_t size, uint64_t alignment = 8) {
    llvm::StringRef text(static_cast<const char *>(data), size);
    return variable(llvm::ConstantDataArray::getString(context_, text, /*AddNull=*/false),
                    alignment);
  }
  template <class T> llvm::Constant *table(const std::vector<T> &rows) {
    static_assert(std::is_trivially_copyable_v<T>);
    return bytes(rows.data(), rows.size() * sizeof(T));
  }
  llvm::GlobalVariable *pointers(llvm::ArrayRef<llvm::Constant *> list) {
    return variable(llvm::ConstantArray::get(llvm::ArrayType::get(pointer_, list.size()), list), 8);
  }

  /// AotProgram, in the order of its members; those of bodies have the same kernels.
  llvm::Constant *programOf(const Program &program, const ProgramTables &tables,
                            llvm::Constant *kernels) {
    llvm::SmallVector<llvm::Constant *> bodies;
    for (const Program::Control &control : program.controls)
      for (const Program &body : control.bodies)
        bodies.push_back(programOf(body, tables.bodies[bodies.size()], kernels));
    llvm::Constant *parts[] = {bytes(&tables.counts, sizeof tables.counts),
                               table(tables.sizes),
                               table(tables.checks),
                               table(tables.messages),
                               table(tables.pieces),
                               table(tables.arrays),
                               table(tables.scratch),
                               table(tables.steps),
                               table(tables.segments),
                               table(tables.inputs),
                               table(tables.outputs),
                               table(tables.numbers),
                               table(tables.extents),
                               bytes(tables.text.data(), tables.text.size()),
                               constants(program),
                               kernels,
                               table(tables.controls),
                               table(tables.taps),
                               pointers(bodies)};
    return pointers(parts);
  }

  llvm::Constant *constants(const Program &program) {
    llvm::SmallVector<llvm::Constant *> list;
    for (const Tensor &constant : program.constants) {
      constexpr uint64_t kVector = 64; // as Tensor aligns its memory
      list.push_back(bytes(constant.data(), size_t(constant.numBytes()), kVector));
    }
    return pointers(list);
  }

  llvm::Constant *kernels(const Program &program) {
    auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context_), {pointer_, pointer_},
                                         /*isVarArg=*/false);
    llvm::SmallVector<llvm::Constant *> list;
    for (const Program::Kernel &kernel : program.kernels)
      list.push_back(
          llvm::cast<llvm::Constant>(module_.getOrInsertFunction(kernel.symbol, type).getCallee()));
    return pointers(list);
  }

  /// `name(call)` is `driver(program, call)`.
  void addEntry(const std::string &name, llvm::StringRef driver, llvm::Constant *program) {
    llvm::Function *target = module_.getFunction(driver);
    llvm::Type *result = target->getReturnType();
    auto *entry = llvm::Function::Create(llvm::FunctionType::get(result, {pointer_}, false),
                                         llvm::GlobalValue::ExternalLinkage, name, module_);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "", entry));
    llvm::CallInst *call = builder.CreateCall(target, {program, entry->getArg(0)});
    call->setTailCall();
    if (result->isVoidTy())
      builder.CreateRetVoid();
    else
      builder.CreateRet(call);
  }

  /// The structure AotMain, in the order of its members.
  void addMain(const MainTables &main, llvm::Constant *program) {
    llvm::Constant *parts[] = {program,
                               bytes(&main.origin, sizeof main.origin),
                               table(main.dtypes),
                               table(main.inputs),
                               table(main.outputs),
                               bytes(main.text.data(), main.text.size()),
                               module_.getFunction("graphcAotRun"),
                               module_.getFunction("graphcAotMessage")};
    llvm::GlobalVariable *all = pointers(parts);
    all->setLinkage(llvm::GlobalValue::ExternalLinkage);
    all->setName(kMainName);
  }

  llvm::Module &module_;
  llvm::LLVMContext &context_;
  llvm::PointerType *pointer_;
};

absl::StatusOr<std::string> driverObject(const Program &program, const ProgramTables &tables,
                                         const CallInterface &interface, const MainTables *main,
                                         const ObjectCompiler &compiler) {
  std::string_view bitcode = driverBitcode(compiler.target().isAArch64);
  IRModule ir{std::make_unique<llvm::LLVMContext>(), nullptr};
  llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()), "driver"),
      *ir.context);
  if (!module)
    return makeError(ErrorKind::Internal,
                     "the driver's bitcode: " + llvm::toString(module.takeError()));
  ir.module = std::move(*module);
  DriverModule(*ir.module).add(program, tables, interface, main);
  if (absl::Status status = compiler.optimize(*ir.module); !status.ok())
    return status;
  return compiler.object(*ir.module);
}

int64_t constantBytes(const Program &program) {
  int64_t bytes = 0;
  for (const Tensor &constant : program.constants)
    bytes += constant.numBytes();
  for (const Program::Control &control : program.controls)
    for (const Program &body : control.bodies)
      bytes += constantBytes(body);
  return bytes;
}

} // namespace

absl::StatusOr<std::string> programObject(const Program &program, const CallInterface &interface,
                                          absl::Span<const std::string> kernels,
                                          const ObjectCompiler &compiler, const MainTables *main) {
  absl::StatusOr<ProgramTables> tables = ProgramTables::create(program, interface);
  if (!tables.ok())
    return tables.status();
  // Code reaches its constants with 32-bit distances.
  int64_t bytes = constantBytes(program);
  if (bytes >= int64_t(1) << 31)
    return makeError(ErrorKind::NotSupported,
                     "the graph's constants take " + std::to_string(bytes) +
                         " bytes; a library or program can hold less than 2 GB of them");
  absl::StatusOr<std::string> driver = driverObject(program, *tables, interface, main, compiler);
  if (!driver.ok())
    return driver.status();
  std::vector<std::string> objects = {*std::move(driver)};
  objects.insert(objects.end(), kernels.begin(), kernels.end());
  const std::string &name = interface.name;
  std::vector<std::string> functions = {name, name + "_shapes", name + "_message",
                                        name + "_release"};
  absl::StatusOr<std::string> merged =
      mergeObjects(objects, main ? std::vector<std::string>{kMainName} : functions);
  if (!merged.ok())
    return merged;
  // What Driver.c declares.
  if (absl::Status status =
          checkSymbols(*merged, {"aligned_alloc", "realloc", "free", "memcpy", "strlen"});
      !status.ok())
    return status;
  return merged;
}

absl::StatusOr<std::string> linkProgram(const std::string &object) {
  return linkExecutable({std::string(mainObject()), object});
}

} // namespace graphc
