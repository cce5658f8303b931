//===- KernelContext.cpp --------------------------------------------------===//
#include "KernelContext.h"

#include <mutex>
#include <vector>

#include "JIT/LowerToLLVM.h"
#include "Lowering/LowerToLinalg.h"

namespace graphc {
namespace {

constexpr int kUsesOfOneContext = 2000;

struct Idle {
  std::mutex mutex;
  std::vector<std::unique_ptr<KernelContext::Entry>> entries;
};

/// Never destroyed: threads may still compile while the process ends.
Idle &idle() {
  static Idle *const kIdle = new Idle();
  return *kIdle;
}

std::unique_ptr<KernelContext::Entry> make() {
  mlir::DialectRegistry registry;
  registerLinalgDialects(registry);
  registerLoopDialects(registry);
  auto entry = std::make_unique<KernelContext::Entry>();
  entry->context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  // Building an op of a dialect that is not loaded is a crash.
  entry->context->loadAllAvailableDialects();
  return entry;
}

} // namespace

KernelContext::KernelContext() {
  {
    std::lock_guard lock(idle().mutex);
    if (!idle().entries.empty()) {
      entry_ = std::move(idle().entries.back());
      idle().entries.pop_back();
    }
  }
  if (!entry_)
    entry_ = make();
  ++entry_->uses;
}

KernelContext::~KernelContext() {
  if (entry_->uses >= kUsesOfOneContext)
    return;
  std::lock_guard lock(idle().mutex);
  idle().entries.push_back(std::move(entry_));
}

} // namespace graphc
