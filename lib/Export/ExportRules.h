//===- Export/ExportRules.h - ops as ONNX operators -----------------*- C++ -*-===//
//
// One table for all: an op is one operator of ONNX on elements, or what a function writes, or a
// composition of other ops, which are written in its place.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <limits>
#include <string_view>

#include "Export/OnnxWriter.h"
#include "absl/types/span.h"
#include "graphc/Ops.h"

namespace graphc {

/// The results of a node whose operands have these values.
using WriteRule = Values (*)(OnnxWriter &w, const Apply &node, const Values &in);
/// The results by other ops on the node's inputs; of another dtype, they are cast to the node's.
/// Empty where `write` does better.
using ComposeRule = Variables (*)(const Apply &node);

struct ExportRule {
  std::string_view op;
  /// The operator of ONNX on elements, if it is one, and the dtypes that it takes.
  std::string_view onnx = {};
  DTypeSet dtypes = 0;
  /// Whether results are bools of operands that are promoted to each other.
  bool compares = false;
  WriteRule write = nullptr;
  ComposeRule compose = nullptr;
  /// The first version of ONNX's operators that has what it takes.
  int since = 0;
};

constexpr ExportRule onElements(std::string_view op, std::string_view onnx, DTypeSet dtypes,
                                int since = 0) {
  return {.op = op, .onnx = onnx, .dtypes = dtypes, .since = since};
}
constexpr ExportRule comparison(std::string_view op, std::string_view onnx, DTypeSet dtypes) {
  return {.op = op, .onnx = onnx, .dtypes = dtypes, .compares = true};
}
constexpr ExportRule written(std::string_view op, WriteRule write, ComposeRule first = nullptr) {
  return {.op = op, .write = write, .compose = first};
}
constexpr ExportRule composed(std::string_view op, ComposeRule compose) {
  return {.op = op, .compose = compose};
}

/// The families.
absl::Span<const ExportRule> elementwiseExports();
absl::Span<const ExportRule> functionExports();
absl::Span<const ExportRule> activationExports();
absl::Span<const ExportRule> reductionExports();
absl::Span<const ExportRule> productExports();
absl::Span<const ExportRule> windowExports();
absl::Span<const ExportRule> shapeExports();
absl::Span<const ExportRule> paddingExports();
absl::Span<const ExportRule> indexExports();
absl::Span<const ExportRule> orderExports();
absl::Span<const ExportRule> recurrenceExports();
absl::Span<const ExportRule> randomExports();
absl::Span<const ExportRule> countExports();
absl::Span<const ExportRule> fourierExports();
absl::Span<const ExportRule> specialExports();
absl::Span<const ExportRule> incompleteExports();
absl::Span<const ExportRule> incompleteSlopeExports();
absl::Span<const ExportRule> besselExports();
absl::Span<const ExportRule> matrixExports();
absl::Span<const ExportRule> eigenvalueExports();
absl::Span<const ExportRule> sequenceExports();

/// Null for an op that is not written.
const ExportRule *findExport(std::string_view op);

//===--- what many rules need -------------------------------------------------------===//

/// A number of float64.
inline Variable number(double value) { return constant(Tensor(value)); }
inline Variable noNumber() { return number(std::numeric_limits<double>::quiet_NaN()); }
/// A number of that dtype.
inline Variable literal(double value, const Variable &like) {
  return constant(Tensor(value).cast(like.dtype()));
}
/// Operand i in float64.
inline Variable wide(const Apply &node, int i) { return cast(node.input(i), DType::Float64); }
/// Attribute `axis`, from the front.
int64_t axisOf(const Apply &node);
/// x at a slice of one axis.
Variable sliceAlong(const Variable &x, int axis, const Slice &slice);
/// Operand i in the dtype in which a composition computes: the result's, halves in float32.
Variable operand(const Apply &node, int i);
/// The node's op with other attributes, on other operands; `op`: another op with them.
Variable likeNode(const Apply &node, std::string_view op, const Variables &operands,
                  const Attributes &changed = {});
/// Attribute `axes` as a list; all axes of operand 0 where it is none.
std::vector<int> axesOf(const Apply &node);
/// x with the given axes joined to one behind the others, in their order.
Variable withAxesJoined(const Variable &x, const std::vector<int> &axes);
/// The same backwards: of the shape of x.
Variable withAxesSplit(const Variable &joined, const Variable &x, const std::vector<int> &axes);
/// The extents of axes [first, last) of x, multiplied: an int64 scalar.
Variable extentProduct(const Variable &x, int first, int last);
/// arange(n) along axis `axis` of `rank`, with extents of 1 elsewhere.
Variable positionsAlong(const Variable &n, int axis, int rank);

} // namespace graphc
