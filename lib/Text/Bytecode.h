//===- Bytecode.h - bytecode with a checksum ----------------------*- C++ -*-===//
//
// MLIR's reader of bytecode trusts its input: a changed byte may send it round in circles for ever.
// So graphc signs what it writes, in the place for the producer's name, where other tools of MLIR
// read over it, and reads nothing else. Against damage, that is, and not against malice.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"

namespace graphc {

bool isBytecode(std::string_view bytes);
/// ValueError for bytecode that was damaged or comes from another writer.
absl::Status checkBytecode(std::string_view bytes);
/// Internal if MLIR cannot write it.
absl::StatusOr<std::string> writeBytecode(mlir::ModuleOp module);

} // namespace graphc
