//===- JIT/AliasScopes.cpp - which buffers do not overlap -----------------===//
#include "JIT/AliasScopes.h"

#include "JIT/LowerToLLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace graphc {
namespace {

/// The number of the buffer that `value` is the address of, -1 where it is none.
int bufferNumber(const Value *value, const Function &fn, const DataLayout &layout) {
  auto *load = dyn_cast<LoadInst>(value);
  if (!load)
    return -1;
  APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  const Value *base =
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset,
                                                                   /*AllowNonInbounds=*/true);
  if (base != fn.getArg(0) || offset.isNegative())
    return -1;
  return static_cast<int>(offset.getZExtValue() / layout.getPointerSize());
}

} // namespace

PreservedAnalyses AliasScopesPass::run(Function &fn, FunctionAnalysisManager &) {
  SmallVector<StringRef> numbers;
  fn.getFnAttribute(kNoAliasAttr).getValueAsString().split(numbers, ',', -1, /*KeepEmpty=*/false);
  if (numbers.empty())
    return PreservedAnalyses::all();

  LLVMContext &context = fn.getContext();
  MDBuilder metadata(context);
  MDNode *domain = metadata.createAnonymousAliasScopeDomain(fn.getName());
  SmallDenseMap<int, MDNode *> scopes;
  for (StringRef text : numbers) {
    int number = 0;
    if (!text.getAsInteger(10, number))
      scopes[number] = metadata.createAnonymousAliasScope(domain, text);
  }

  // For each buffer, the scopes that its accesses do not touch.
  SmallDenseMap<int, MDNode *> others;
  auto othersOf = [&](int number) {
    MDNode *&node = others[number];
    if (!node) {
      SmallVector<std::pair<int, Metadata *>> list;
      for (auto [other, scope] : scopes)
        if (other != number)
          list.emplace_back(other, scope);
      llvm::sort(list, llvm::less_first());
      node = MDNode::get(context, llvm::to_vector(llvm::make_second_range(list)));
    }
    return node;
  };

  const DataLayout &layout = fn.getDataLayout();
  for (Instruction &instruction : instructions(fn)) {
    // Loads and stores, and the masked and gathering intrinsics with one address.
    const Value *address = getLoadStorePointerOperand(&instruction);
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction); !address && call) {
      unsigned pointers = 0;
      for (const Use &use : call->args())
        if (use->getType()->isPtrOrPtrVectorTy()) {
          address = use;
          ++pointers;
        }
      if (pointers != 1)
        address = nullptr;
    }
    if (!address || !instruction.mayReadOrWriteMemory())
      continue;
    const Value *object = getUnderlyingObject(address, /*MaxLookup=*/0);
    int number = bufferNumber(object, fn, layout);
    if (number < 0 && !isa<AllocaInst>(object))
      continue;
    if (MDNode *scope = scopes.lookup(number))
      instruction.setMetadata(LLVMContext::MD_alias_scope, MDNode::get(context, {scope}));
    if (MDNode *list = othersOf(number); list->getNumOperands())
      instruction.setMetadata(LLVMContext::MD_noalias, list);
  }
  return PreservedAnalyses::all();
}

} // namespace graphc
