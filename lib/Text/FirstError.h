//===- FirstError.h - MLIR's diagnostics as a Status --------------*- C++ -*-===//
#pragma once

#include "absl/status/status.h"
#include "mlir/IR/Diagnostics.h"

namespace graphc {

/// While it lives, collects the first error that a context reports, with its notes.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext *context)
      : handler_(context, [this](mlir::Diagnostic &d) { return take(d); }) {}

  /// ValueError with the place in the text.
  absl::Status status() const;

private:
  mlir::LogicalResult take(mlir::Diagnostic &d);

  absl::Status status_;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace graphc
