//===- JIT/ReadIR.cpp - LLVM IR that a file brought -----------------------===//
#include "JIT/ReadIR.h"

#include "JIT/ScanIR.h"
#include "JIT/TileInstructions.h"
#include "Transforms/CheckStage.h"
#include "graphc/Status.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/AsmParserContext.h"
#include "llvm/AsmParser/LLParser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace graphc {
namespace {

/// Bytes on the stack of one function, and of one aligned access.
constexpr uint64_t kMaxStackBytes = 1 << 16, kMaxAlignment = 64;

class Checker {
public:
  Checker(const Module &module, StringRef text, std::string_view name,
          const TargetDescription &target, const DataLayout &layout, const AsmParserContext &places)
      : module(module), text(text), name(name), target(target), layout(layout), places(places) {}

  absl::Status run() const;

private:
  absl::Status error(const Twine &what, std::optional<FileLocRange> where) const;
  absl::Status error(const Instruction &at, const Twine &what) const {
    return error(what + " (" + at.getOpcodeName() + ")", places.getInstructionLocation(&at));
  }
  absl::Status error(const Function &at, const Twine &what) const {
    std::string symbol = ("@" + at.getName()).str();
    return error(what + " (" + symbol + ")",
                 at.isDeclaration() ? lineOf(symbol + "(") : places.getFunctionLocation(&at));
  }
  /// The line where `word` stands first.
  std::optional<FileLocRange> lineOf(StringRef word) const;
  absl::Status checkModule() const;
  absl::Status checkFunction(const Function &fn) const;
  absl::Status checkInstruction(const Instruction &at) const;
  absl::Status checkCall(const CallInst &call) const;
  absl::Status checkX86(const CallInst &call) const;
  absl::Status checkTiles(const CallInst &call, unsigned registers) const;
  bool isStageType(Type *type) const;

  const Module &module;
  StringRef text;
  std::string_view name;
  const TargetDescription &target;
  const DataLayout &layout;
  const AsmParserContext &places;
};

absl::Status Checker::error(const Twine &what, std::optional<FileLocRange> where) const {
  Place place(internFileName(name), 0, 0);
  if (where)
    place = Place(place.file, where->Start.Line + 1, where->Start.Col + 1);
  return makeError(ErrorKind::ValueError, what.str(), place);
}

std::optional<FileLocRange> Checker::lineOf(StringRef word) const {
  size_t at = text.find(word);
  if (at == text.npos)
    return std::nullopt;
  unsigned line = unsigned(text.take_front(at).count('\n'));
  return FileLocRange({line, 0}, {line, 0});
}

bool Checker::isStageType(Type *type) const {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    type = vector->getElementType();
  if (type->isX86_FP80Ty())
    return target.isX86;
  return type->isIntegerTy() || type->isHalfTy() || type->isBFloatTy() || type->isFloatTy() ||
         type->isDoubleTy() || type->isPointerTy();
}

absl::Status Checker::checkModule() const {
  if (module.getTargetTriple().str() != target.triple)
    return error("the text is for '" + module.getTargetTriple().str() + "', and the target " +
                     target.name + " is '" + target.triple + "'",
                 lineOf("target triple"));
  if (module.getDataLayout() != layout)
    return error("the data layout is not that of the target " + target.name,
                 lineOf("target datalayout"));
  for (const NamedMDNode &node : module.named_metadata())
    for (const MDNode *flag : node.operands())
      if (flag->getNumOperands() != 3 || !isa<MDString>(flag->getOperand(1)) ||
          cast<MDString>(flag->getOperand(1))->getString() != "Debug Info Version")
        return error("a module flag that this stage does not use", lineOf("!llvm.module.flags"));
  return absl::OkStatus();
}

absl::Status Checker::checkFunction(const Function &fn) const {
  LLVMContext &context = fn.getContext();
  if (fn.isDeclaration())
    return fn.isIntrinsic() ? absl::OkStatus() : error(fn, "kernels call intrinsics alone");
  if (!isPlainName(fn.getName()))
    return error(fn, "a kernel's name is made of letters, digits, '_' and '.'");
  Type *pointer = PointerType::get(context, 0);
  if (fn.getFunctionType() !=
      FunctionType::get(Type::getInt32Ty(context), {pointer, pointer}, false))
    return error(fn, "a kernel takes two pointers and returns i32");
  AttributeSet given = fn.getAttributes().getFnAttrs();
  for (StringRef key : {"target-cpu", "target-features"}) {
    StringRef value = given.getAttribute(key).getValueAsString();
    StringRef wanted = key == "target-cpu" ? target.cpu : target.features;
    if (value != wanted)
      return error(fn, key + " is '" + value + "', and that of the target " + target.name +
                           " is '" + wanted + "'");
  }
  if (given != AttributeSet::get(context, codeAttributes(context, target)))
    return error(fn, "the attributes are not those of a kernel");
  uint64_t stackBytes = 0;
  for (const Instruction &at : instructions(fn)) {
    if (absl::Status s = checkInstruction(at); !s.ok())
      return s;
    if (auto *alloca = dyn_cast<AllocaInst>(&at)) {
      std::optional<TypeSize> size = alloca->getAllocationSize(layout);
      if (!size || size->getFixedValue() > kMaxStackBytes ||
          (stackBytes += size->getFixedValue()) > kMaxStackBytes)
        return error(at, "what lies on the stack is small, and its size is known");
    }
  }
  return absl::OkStatus();
}

absl::Status Checker::checkInstruction(const Instruction &at) const {
  auto fits = [&](const Value *value) {
    return isStageType(value->getType()) || isa<BasicBlock>(value) || isa<Function>(value) ||
           isa<InlineAsm>(value);
  };
  if (!(at.getType()->isVoidTy() || isStageType(at.getType())) || !all_of(at.operands(), fits))
    return error(at, "values are numbers, pointers, and vectors of them");
  for (const Use &operand : at.operands())
    if (isa<ConstantExpr>(operand) || (isa<Function>(operand) && !isa<CallInst>(at)))
      return error(at, "a constant is a number, or one for each lane");
  if (getLoadStorePointerOperand(&at) && getLoadStoreAlignment(&at).value() > kMaxAlignment)
    return error(at, "accesses are as aligned as their elements");
  if (auto *alloca = dyn_cast<AllocaInst>(&at))
    if (alloca->getAlign().value() > kMaxAlignment || !isStageType(alloca->getAllocatedType()))
      return error(at, "what lies on the stack is a number or a vector");
  if (auto *access = dyn_cast<GetElementPtrInst>(&at))
    if (!isStageType(access->getSourceElementType()) || access->getNumIndices() != 1)
      return error(at, "an address is a pointer and one index");
  if (auto *call = dyn_cast<CallInst>(&at))
    return checkCall(*call);
  return absl::OkStatus();
}

absl::Status Checker::checkCall(const CallInst &call) const {
  if (call.getCallingConv() != CallingConv::C || call.hasOperandBundles())
    return error(call, "a call has operands and nothing more");
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    Type *type = call.getType();
    StringRef constraints = assembly->getConstraintString();
    bool isFloat =
        target.isX86 && constraints == "=x,0" && (type->isFloatTy() || type->isDoubleTy());
    bool isNumber = constraints == "=r,0" && type->isIntegerTy(64);
    bool isEmpty = assembly->getAsmString().empty() && call.arg_size() == 1 &&
                   call.getArgOperand(0)->getType() == type;
    return (isFloat || isNumber) && isEmpty
               ? absl::OkStatus()
               : error(call, "inline assembly is empty, to hide a value");
  }
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isIntrinsic())
    return error(call, "kernels call intrinsics alone");
  for (const Use &operand : call.args())
    if (isa<Function>(operand))
      return error(call, "a constant is a number, or one for each lane");
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (MaybeAlign align = call.getParamAlign(i); align && align->value() > kMaxAlignment)
      return error(call, "accesses are as aligned as their elements");
  return callee->getName().starts_with("llvm.x86.") ? checkX86(call) : absl::OkStatus();
}

absl::Status Checker::checkTiles(const CallInst &call, unsigned registers) const {
  if (!target.hasAmx)
    return error(call, "the target " + target.name + " has no AMX");
  SmallDenseSet<uint64_t> numbers;
  for (unsigned i = 0; i < registers; ++i) {
    auto *number = dyn_cast<ConstantInt>(call.getArgOperand(i));
    if (!number || number->getZExtValue() >= kTileRegisters ||
        !numbers.insert(number->getZExtValue()).second)
      return error(call, "tile registers are different numbers from 0 to 7");
  }
  return absl::OkStatus();
}

/// AVX-512's instructions as lib/Lowering/Math uses them: an immediate that the processor does not
/// have is not noticed before instructions are selected.
absl::Status Checker::checkX86(const CallInst &call) const {
  if (call.getIntrinsicID() == Intrinsic::x86_avx512bf16_dpbf16ps_512)
    return target.hasAvx512Bf16 ? absl::OkStatus()
                                : error(call, "the target " + target.name + " has no AVX512-BF16");
  if (int registers = numTileRegisters(call.getCalledFunction()->getName()); registers >= 0)
    return checkTiles(call, unsigned(registers));
  if (!target.hasAvx512)
    return error(call, "the target " + target.name + " has no AVX-512");
  auto isImmediate = [&](unsigned operand, uint64_t most, uint64_t least = 0) {
    auto *value = dyn_cast<ConstantInt>(call.getArgOperand(operand));
    return value && value->getZExtValue() <= most && value->getZExtValue() >= least;
  };
  unsigned last = call.arg_size() - 1;
  bool fine = false;
  switch (call.getIntrinsicID()) {
  case Intrinsic::x86_avx512_mask_getmant_pd_512:
  case Intrinsic::x86_avx512_mask_getmant_ps_512:
    fine = isImmediate(1, 15) && isImmediate(last, 4, 4);
    break;
  case Intrinsic::x86_avx512_mask_getexp_pd_512:
  case Intrinsic::x86_avx512_mask_getexp_ps_512:
  case Intrinsic::x86_avx512_mask_scalef_pd_512:
  case Intrinsic::x86_avx512_mask_scalef_ps_512:
    fine = isImmediate(last, 4, 4); // the rounding mode of the environment
    break;
  case Intrinsic::x86_avx512_rcp14_pd_512:
  case Intrinsic::x86_avx512_rcp14_ps_512:
  case Intrinsic::x86_avx512_rsqrt14_pd_512:
  case Intrinsic::x86_avx512_rsqrt14_ps_512:
  case Intrinsic::x86_avx512_vpermi2var_pd_512:
  case Intrinsic::x86_avx512_vpermi2var_ps_512:
    fine = true;
    break;
  default:
    return error(call, "an intrinsic that this stage does not use");
  }
  return fine ? absl::OkStatus() : error(call, "an immediate that the instruction has not");
}

absl::Status Checker::run() const {
  if (absl::Status s = checkModule(); !s.ok())
    return s;
  for (const Function &fn : module)
    if (absl::Status s = checkFunction(fn); !s.ok())
      return s;
  return absl::OkStatus();
}

} // namespace

AttrBuilder codeAttributes(LLVMContext &context, const TargetDescription &target) {
  AttrBuilder attributes(context);
  // No exception passes through generated code, and so it needs no unwind tables.
  attributes.addAttribute(Attribute::NoUnwind);
  attributes.addAttribute("target-cpu", target.cpu);
  attributes.addAttribute("target-features", target.features);
  if (target.vectorBytes == 64)
    attributes.addAttribute("prefer-vector-width", "512");
  return attributes;
}

absl::StatusOr<IRModule> readIR(std::string_view text, std::string_view name,
                                const TargetDescription &target, const DataLayout &layout) {
  if (absl::Status s = scanIR(text, name); !s.ok())
    return s;
  IRModule result{std::make_unique<LLVMContext>(), nullptr};
  // Warnings of versions go nowhere.
  result.context->setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {}, nullptr);
  result.module = std::make_unique<Module>("kernels", *result.context);
  std::string copy(text); // the parser wants a zero behind it
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(copy, name), SMLoc());
  SMDiagnostic parsing;
  AsmParserContext places;
  // parseAssembly would look at debug information, and end the process where the module is wrong.
  bool isWrong = LLParser(copy, sources, parsing, result.module.get(), nullptr, *result.context,
                          nullptr, &places)
                     .Run(/*UpgradeDebugInfo=*/false);
  Place file(internFileName(name), 0, 0);
  if (isWrong) {
    if (parsing.getLineNo() > 0)
      file = Place(file.file, uint32_t(parsing.getLineNo()), uint32_t(parsing.getColumnNo() + 1));
    return makeError(ErrorKind::ValueError, parsing.getMessage().str(), file);
  }
  std::string wrong;
  raw_string_ostream out(wrong);
  if (verifyModule(*result.module, &out))
    return makeError(ErrorKind::ValueError,
                     "the LLVM IR is wrong: " + StringRef(wrong).rtrim().str(), file);
  if (absl::Status s = Checker(*result.module, copy, name, target, layout, places).run(); !s.ok())
    return s;
  // Intrinsics are what LLVM says of them, whatever the text says.
  for (Function &fn : *result.module)
    if (fn.isIntrinsic())
      fn.setAttributes(
          Intrinsic::getAttributes(*result.context, fn.getIntrinsicID(), fn.getFunctionType()));
  result.context->setDiagnosticHandlerCallBack(nullptr, nullptr);
  return result;
}

} // namespace graphc
