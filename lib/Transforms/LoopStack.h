//===- Transforms/LoopStack.h - open loops and what is hoisted out of them -*- C++ -*-===//
//
// LLVM's short list of passes has no loop-invariant code motion, so code is made where it belongs:
// a value that depends on the first n open loops only is put in front of the (n+1)-st and
// remembered until the n-th loop is left.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Transforms/KernelModel.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graphc {

class LoopStack {
public:
  /// The builder must stand in the function's empty entry block.
  explicit LoopStack(mlir::ImplicitLocOpBuilder &builder);

  mlir::ImplicitLocOpBuilder &builder() { return b; }
  /// Number of open loops. Values that depend on no loop have level 0.
  int depth() const { return int(levels.size()) - 1; }

  /// Opens a loop at the insertion point, which moves into it. Returns its op; the region arguments
  /// are the loop's counter and the carried values.
  mlir::scf::ForOp open(mlir::Value lower, mlir::Value upper, mlir::Value step,
                        mlir::ValueRange carried = {});
  /// Ends the innermost loop; the insertion point moves behind it.
  void close(mlir::ValueRange carried = {});

  /// Values hoisted to the present depth are put in front of the loop that was opened first after
  /// the last call of this. To be called when such values may depend on what has been made since.
  void dropAnchor();

  /// What identifies a remembered value: an op, a value or an access, with a tag.
  using Key = std::pair<const void *, uint64_t>;
  /// The value made by `make` at `level` (at most depth()), at most once while the level's loop is
  /// open.
  mlir::Value at(int level, Key key, llvm::function_ref<mlir::Value()> make);

  /// Runs `make` with the insertion point at the function's top, where its arguments are the only
  /// values.
  void inPrologue(llvm::function_ref<void()> make);
  /// Removes what the stack itself has put into the function. To be called last.
  void finish();

  //===--- sizes and indices, folded --------------------------------------===//
  mlir::Value constant(int64_t value);
  mlir::Value value(Size size);
  Size multiply(Size a, Size b);
  Size add(Size a, Size b);
  Size subtract(Size a, Size b);

private:
  struct Level {
    mlir::Operation *anchor = nullptr; ///< hoisted values stand in front of it
    llvm::DenseMap<Key, mlir::Value> values;
  };
  mlir::ImplicitLocOpBuilder &b;
  mlir::Operation *prologueEnd; ///< constants stand in front of it
  llvm::SmallVector<Level, 8> levels;
  llvm::SmallVector<mlir::scf::ForOp, 8> loops;
  llvm::DenseMap<int64_t, mlir::Value> constants;
};

} // namespace graphc
