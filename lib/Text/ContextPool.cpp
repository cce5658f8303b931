//===- ContextPool.cpp ----------------------------------------------------===//
#include "ContextPool.h"

namespace graphc {
namespace {

/// What one context is used for before it goes: a use leaves some kilobytes behind.
constexpr int kUsesOfOneContext = 2000;
constexpr size_t kBytesOfOneUse = 4096;

} // namespace

ContextPool::Lease ContextPool::lease() {
  std::unique_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      entry = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!entry) {
    mlir::DialectRegistry registry;
    registerDialects_(registry);
    entry = std::make_unique<Entry>();
    entry->context =
        std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    // Messages name places of the text; a whole graph printed after them helps nobody.
    entry->context->printOpOnDiagnostic(false);
    // Building an op of a dialect that is not loaded is a crash.
    entry->context->loadAllAvailableDialects();
  }
  ++entry->uses;
  return Lease(*this, std::move(entry));
}

void ContextPool::Lease::expectBytes(size_t bytes) {
  entry_->uses += int(std::min<size_t>(bytes / kBytesOfOneUse, kUsesOfOneContext));
}

void ContextPool::giveBack(std::unique_ptr<Entry> entry) {
  if (entry->uses >= kUsesOfOneContext)
    return;
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(entry));
}

} // namespace graphc
