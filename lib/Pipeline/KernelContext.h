//===- KernelContext.h - MLIR contexts, kept and reused -----------*- C++ -*-===//
#pragma once

#include <memory>

#include "mlir/IR/MLIRContext.h"

namespace graphc {

/// A context with the dialects of all stages below the graph loaded, for one thread at a time.
/// Making one takes a millisecond, so they are kept; types and attributes stay in a context for
/// ever, so after some thousand uses it is thrown away.
class KernelContext {
public:
  KernelContext();
  ~KernelContext();
  KernelContext(const KernelContext &) = delete;
  KernelContext &operator=(const KernelContext &) = delete;

  mlir::MLIRContext &operator*() const { return *entry_->context; }

  struct Entry {
    std::unique_ptr<mlir::MLIRContext> context;
    int uses = 0;
  };

private:
  std::unique_ptr<Entry> entry_;
};

} // namespace graphc
