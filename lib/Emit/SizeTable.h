//===- SizeTable.h - hash-consed size expressions -----------------*- C++ -*-===//
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "graphc/Emit.h"

namespace graphc {

/// Makes size expressions: folds constants, drops neutral elements, and gives equal expressions
/// one number. Sizes that are required to be equal become one (`unify`).
class SizeTable {
public:
  SizeTable() = default;
  /// Goes on with a finished table.
  explicit SizeTable(std::vector<SizeNode> nodes);
  int32_t constant(int64_t value) { return intern({SizeOp::Constant, -1, -1, -1, value}); }
  int32_t dim(int32_t array, int axis) { return intern({SizeOp::Dim, array, axis, -1, 0}); }
  int32_t element(int32_t array, int32_t index) {
    return intern({SizeOp::Element, array, index, -1, 0});
  }
  int32_t binary(SizeOp op, int32_t a, int32_t b);
  int32_t select(int32_t condition, int32_t a, int32_t b);

  /// The number that stands for all sizes known to be equal to `id`.
  int32_t canonical(int32_t id) const;
  void unify(int32_t a, int32_t b);
  std::optional<int64_t> constantValue(int32_t id) const;

  const std::vector<SizeNode> &nodes() const { return nodes_; }
  std::vector<SizeNode> take() { return std::move(nodes_); }

private:
  struct Hash {
    size_t operator()(const SizeNode &n) const;
  };
  int32_t intern(const SizeNode &node);
  bool isConstant(int32_t id, int64_t value) const;
  /// Whether it depends on an element of an array.
  bool hasElement(const SizeNode &node) const;
  /// Extents are never negative.
  bool isExtent(int32_t id) const { return nodes_[id].op == SizeOp::Dim; }

  std::vector<SizeNode> nodes_;
  std::vector<bool> hasElement_;
  mutable std::vector<int32_t> representative_;
  std::unordered_map<SizeNode, int32_t, Hash> numbers_;
};

} // namespace graphc
