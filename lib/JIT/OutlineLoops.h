//===- JIT/OutlineLoops.h - loops as functions of their own -----*- C++ -*-===//
#pragma once

#include <string>

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace graphc {

/// A loop that is a function of another module than its kernel's.
struct OutlinedLoop {
  mlir::scf::ForOp op;
  std::string symbol;                           ///< of the function
  size_t module;                                ///< its number, from 1
  llvm::SetVector<mlir::Value> operands;        ///< what the function takes
  llvm::SetVector<mlir::Operation *> constants; ///< what it makes once more
};
using OutlinedLoops = llvm::MapVector<mlir::Operation *, OutlinedLoop>;

/// How many loops are marked kOutlineAttr, but for those within others.
int numOutlinable(mlir::ModuleOp loops);

/// Those of the loops marked kOutlineAttr that are functions where there are `modules` modules: as
/// many that each module takes about as long to compile. The first one, which has the kernels,
/// keeps the others.
OutlinedLoops outlineLoops(mlir::ModuleOp loops, size_t modules);

} // namespace graphc
