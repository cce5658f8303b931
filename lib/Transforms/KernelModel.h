//===- Transforms/KernelModel.h - linalg functions, read ------------------*- C++ -*-===//
//
// What the pass to loops needs to know of a kernel at the linalg stage, read from the IR once: its
// arrays, and for each linalg.generic the loops, the loads, what is joined and how. Nothing here is
// changed by the pass.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace graphc {

/// A size: an index attribute, or one of the function's index arguments.
using Size = mlir::OpFoldResult;

/// The constant value of a size, if it is one.
std::optional<int64_t> constantSize(Size size);
/// The loop that the value counts, of whatever integer type; -1 if it is no linalg.index.
int countedLoop(mlir::Value value);

struct KernelArray {
  enum class Role { Input, Output, Local };
  Role role;
  int number = 0; ///< among those of its role
  mlir::Type element;
  llvm::SmallVector<Size, 6> shape;

  int rank() const { return int(shape.size()); }
};

/// One linalg.generic.
struct KernelNest {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<Size, 6>
      extents; ///< of the loops, outermost first, parallel ones before reductions
  int numParallel = 0;
  int result = -1; ///< array; for a pair (value, position) that of the position

  /// Of the loops, by operand: inputs, then results.
  llvm::SmallVector<mlir::AffineMap, 5> maps;
  /// Arrays of the inputs, by operand; -1 for one that only shows extents.
  llvm::SmallVector<int, 4> inputs;

  /// The values that an iteration yields (a map), or hands to the join (a reduction); one, or value
  /// and position.
  llvm::SmallVector<mlir::Value, 2> terms;
  /// Reductions: the op that joins accumulator and term. Its operand `joinTerm` is the term. For
  /// pairs a call.
  mlir::Operation *join = nullptr;
  llvm::SmallVector<mlir::TypedAttr, 2> neutral;
  /// The float32 value that may be joined in float32 up to 16 times before it is extended (F-012);
  /// null otherwise.
  mlir::Value partialTerm;

  bool isReduction() const { return join != nullptr; }
  int numLoops() const { return int(extents.size()); }
  mlir::Block *body() const { return const_cast<KernelNest *>(this)->op.getBlock(); }
  /// Whether the operand reads its array at the array's rank first loops, in order.
  bool isIdentity(int operand) const;
};

struct KernelModel {
  mlir::func::FuncOp fn;
  llvm::SmallVector<mlir::Value> sizeArguments; ///< the function's index arguments
  std::vector<KernelArray> arrays;
  std::vector<KernelNest> nests;
  llvm::DenseMap<mlir::Value, int> arrayOf; ///< by tensor
  int numShared = 0;
  bool hasLongSums = false; ///< sums of products may have very many terms
  bool split = false;
  bool hasChecks = false;
  int numGathers = 0; ///< loads at positions that elements of arrays decide

  int numOf(KernelArray::Role role) const;
};

/// Whether a value of a nest's body depends on elements of arrays.
bool dependsOnElements(mlir::Value value);

/// Whether values of two bodies are computed alike from the same arrays. False for very long ones.
bool isSame(const KernelNest &nest, mlir::Value value, const KernelNest &other, mlir::Value same);

/// Errors: ValueError, naming what is not as LowerToLinalg.h says.
absl::StatusOr<KernelModel> readKernel(mlir::func::FuncOp fn);

} // namespace graphc
