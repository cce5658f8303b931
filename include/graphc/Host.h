//===- graphc/Host.h - what runs on the host around kernels -----*- C++ -*-===//
//
// Sizes, which are integers known before loops run, and callbacks. Shared by the record of an
// emission (Emit.h) and by compiled programs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Tensor.h"

namespace graphc {

enum class SizeOp {
  Constant,
  Dim,     // a = array, b = axis
  Element, // a = integer array, b = size number of the flat index: read when the array is known
  Add,
  Sub,
  Mul,
  FloorDiv, // rounds to minus infinity; by zero is 0
  Mod,      // sign of the divisor; by zero is 0
  Max,
  Min,
  Less,   // 1 or 0
  Equal,  // 1 or 0
  Select, // a ? b : c
  // Of elements of Int64 arrays, which wrap where the others are exact.
  WrapAdd,
  WrapSub,
  WrapMul,
};

/// Numbers of sizes or arrays: a shape, a step's operands. Up to four, as most are, need no memory
/// besides.
using Numbers = absl::InlinedVector<int32_t, 4>;

/// An integer known before loops run. Operands stand before their users in a table of sizes.
struct SizeNode {
  SizeOp op;
  int32_t a = -1, b = -1, c = -1;
  int64_t value = 0; // Constant
  friend bool operator==(const SizeNode &, const SizeNode &) = default;
};
static_assert(sizeof(SizeNode) == 24, "large graphs have millions");

/// The value of a size. Extents of arrays are int64; what is computed from them is exact, so that
/// a product that no array can have is never taken for the small number that it would wrap to.
__extension__ typedef __int128 SizeValue;
/// Stands for what is even beyond 126 bits; so is what is computed from it.
inline constexpr SizeValue kHugeSize = -(SizeValue(1) << 126) * 2;
inline bool fitsInt64(SizeValue value) { return value == int64_t(value); }
/// Decimal digits.
std::string sizeText(SizeValue value);

/// The value of a binary SizeOp.
SizeValue exactSize(SizeOp op, SizeValue a, SizeValue b);
/// The same in Int64, as scalars are computed: wraps on overflow.
int64_t foldSize(SizeOp op, int64_t a, int64_t b);

/// The value of a size, where `of(id)` gives that of an operand, a std::optional<SizeValue>:
/// nothing if it is not known (yet). Of a Select only the chosen one is asked for; a condition
/// beyond all bounds chooses none, and so is the result. Dim and Element are the caller's: nothing.
template <class Of> std::optional<SizeValue> sizeValue(const SizeNode &node, Of of) {
  switch (node.op) {
  case SizeOp::Constant:
    return node.value;
  case SizeOp::Dim:
  case SizeOp::Element:
    return std::nullopt;
  case SizeOp::Select: {
    std::optional<SizeValue> condition = of(node.a);
    if (!condition || *condition == kHugeSize)
      return condition;
    return of(*condition != 0 ? node.b : node.c);
  }
  default: {
    std::optional<SizeValue> a = of(node.a), b = of(node.b);
    if (!a || !b)
      return std::nullopt;
    return exactSize(node.op, *a, *b);
  }
  }
}

enum class Predicate {
  Equal,
  LessEqual,
  Less,
  Fits, // of a shape: an array of it could be in memory
};
/// Of two sizes; what is beyond all bounds meets nothing.
bool holds(Predicate predicate, SizeValue a, SizeValue b);
/// The text of a failed requirement: `{a}` and `{b}` in `message` become the two values.
std::string failureText(std::string_view message, SizeValue a, SizeValue b);

/// Bytes of a row-major array. ValueError where an extent is negative, or where all extents but
/// those of 0 make more than 2^62: so products of extents never overflow later.
absl::StatusOr<int64_t> shapeBytes(int64_t elementBytes, absl::Span<const SizeValue> shape);
absl::StatusOr<int64_t> shapeBytes(int64_t elementBytes, absl::Span<const int64_t> shape);

/// A callback that computes outputs from inputs on the host. Inputs are row-major; outputs are
/// allocated, row-major. Must be thread-safe. An exception of it is a RuntimeError of the call.
using HostFunction =
    std::function<absl::Status(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs)>;

/// What a routine works on. Inputs are row-major; outputs are allocated, row-major, and keep their
/// memory.
struct RoutineCall {
  absl::Span<const int64_t> parameters;
  absl::Span<const Tensor> inputs;
  absl::Span<Tensor> outputs;
  /// How many threads it may use; its results do not depend on them.
  int threads = 1;
};

/// A function of the library on arrays, which compiled programs name, so that they can be written
/// to files: what loops over independent elements cannot say well (sorting, running sums, matrix
/// decompositions). Thread-safe.
struct Routine {
  std::string_view name;
  absl::Status (*run)(const RoutineCall &call);
};
/// The routine of that name, or null.
const Routine *findRoutine(std::string_view name);

struct ControlStep;

/// What the host does in a step: a callback of this process, or a routine with its parameters.
struct HostCall {
  HostFunction callback = {};
  /// Of a callback that evaluates the bodies of a branch or a loop: what programs have in its
  /// place where the bodies have code.
  std::shared_ptr<const ControlStep> control = {};
  const Routine *routine = nullptr; // where there is no callback
  std::vector<int64_t> parameters = {};
  /// How many axes lie in front of the outputs, for each slice of which it is called.
  int32_t numLevels = 0;
  /// By input: a bit for each of these axes that it has, too.
  std::vector<uint32_t> levels = {};

  /// Whether another process can do it.
  bool isNamed() const { return routine && !callback; }
  absl::Status run(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs, int threads) const;
};

} // namespace graphc
