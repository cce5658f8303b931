//===- Support/Cancel.h - whether work is still wanted ----------*- C++ -*-===//
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "graphc/Embedding.h"

namespace graphc {

/// While it lives, what this thread compiles can be cancelled by `by`, if that is given, and by no
/// one else: a compilation within another one, in a callback, is one of its own.
class CancelScope {
public:
  explicit CancelScope(const std::optional<Cancellation> &by);
  ~CancelScope();
  CancelScope(const CancelScope &) = delete;
  CancelScope &operator=(const CancelScope &) = delete;
  /// The one that this thread is in: threads that help it enter it, too.
  static const std::optional<Cancellation> &current();

private:
  std::optional<Cancellation> by_;
  const std::optional<Cancellation> *before_;
};

/// Cancelled, if this thread's work is not wanted any more. Loops over nodes, rounds of rewriting
/// and kernels ask: so cheap that each step may.
absl::Status checkCancelled();

} // namespace graphc
