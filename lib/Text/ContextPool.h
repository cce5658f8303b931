//===- ContextPool.h - MLIR contexts, kept and reused -------------*- C++ -*-===//
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "mlir/IR/MLIRContext.h"

namespace graphc {

/// Contexts with all dialects of a registry loaded, each for one thread at a time. Making one takes
/// some milliseconds, so they are kept; but types and attributes stay in a context for ever, so
/// one that has been used often, or held much, is thrown away. Thread-safe.
class ContextPool {
  struct Entry {
    std::unique_ptr<mlir::MLIRContext> context;
    int uses = 0;
  };

public:
  /// `registerDialects` is called for every new context.
  explicit ContextPool(void (*registerDialects)(mlir::DialectRegistry &))
      : registerDialects_(registerDialects) {}

  /// A context in use.
  class Lease {
  public:
    ~Lease() {
      if (entry_)
        pool_.giveBack(std::move(entry_));
    }
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    mlir::MLIRContext &operator*() const { return *entry_->context; }
    /// The work puts about so many bytes into the context.
    void expectBytes(size_t bytes);

  private:
    friend class ContextPool;
    Lease(ContextPool &pool, std::unique_ptr<Entry> entry)
        : pool_(pool), entry_(std::move(entry)) {}
    ContextPool &pool_;
    std::unique_ptr<Entry> entry_;
  };
  Lease lease();

private:
  void giveBack(std::unique_ptr<Entry> entry);

  void (*registerDialects_)(mlir::DialectRegistry &);
  std::mutex mutex_;
  std::vector<std::unique_ptr<Entry>> idle_; // guarded by mutex_
};

} // namespace graphc
