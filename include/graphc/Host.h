//===- graphc/Host.h - what runs on the host around kernels -----*- C++ -*-===//
//
// Sizes, which are integers known before loops run, and callbacks. Shared by the record of an
// emission (Emit.h) and by compiled programs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graphc/Tensor.h"

namespace graphc {

enum class SizeOp : uint8_t {
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
};

/// An integer known before loops run. Operands stand before their users in a table of sizes.
struct SizeNode {
  SizeOp op;
  int32_t a = -1, b = -1, c = -1;
  int64_t value = 0; // Constant
  friend bool operator==(const SizeNode &, const SizeNode &) = default;
};

/// The value of a binary SizeOp on known integers; wraps on overflow.
int64_t foldSize(SizeOp op, int64_t a, int64_t b);

enum class Predicate : uint8_t { Equal, LessEqual, Less };
bool holds(Predicate predicate, int64_t a, int64_t b);
/// The text of a failed requirement: `{a}` and `{b}` in `message` become the two values.
std::string failureText(std::string_view message, int64_t a, int64_t b);

/// A callback that computes outputs from inputs on the host. Inputs are row-major; outputs are
/// allocated, row-major. Must be thread-safe.
using HostFunction =
    std::function<absl::Status(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs)>;

} // namespace graphc
