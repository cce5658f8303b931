//===- JIT/OneLaneStores.cpp - masked stores of one element ----------------===//
#include "JIT/OneLaneStores.h"

#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace graphc {

/// The only lane of a mask that is set; nothing if that is not known.
static std::optional<unsigned> onlyLane(const Value *mask) {
  auto *lanes = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  std::optional<unsigned> only;
  for (unsigned i = 0; lanes && type && i < type->getNumElements(); ++i) {
    const Constant *lane = lanes->getAggregateElement(i);
    if (!lane || (!lane->isNullValue() && (only || !lane->isOneValue())))
      return std::nullopt;
    if (lane->isOneValue())
      only = i;
  }
  return only;
}

PreservedAnalyses OneLaneStores::run(Function &fn, FunctionAnalysisManager &) {
  bool isChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(fn))) {
    auto *store = dyn_cast<IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
      continue;
    // The vector, its place and the mask.
    std::optional<unsigned> lane = onlyLane(store->getArgOperand(2));
    if (!lane)
      continue;
    IRBuilder<> builder(store);
    Value *element = builder.CreateExtractElement(store->getArgOperand(0), uint64_t(*lane));
    Value *place =
        builder.CreateConstGEP1_64(element->getType(), store->getArgOperand(1), uint64_t(*lane));
    uint64_t distance = *lane * fn.getDataLayout().getTypeStoreSize(element->getType());
    builder.CreateAlignedStore(element, place,
                               commonAlignment(store->getParamAlign(1).valueOrOne(), distance));
    store->eraseFromParent();
    isChanged = true;
  }
  if (!isChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace graphc
