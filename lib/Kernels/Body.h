//===- Body.h - building the body of a nest -----------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "graphc/Emit.h"

namespace graphc {

/// Writes what `roots` need of `nodes` to `body` and `indices`, in an order that depends only on
/// the expressions; the roots become the numbers there. `order` and `stack` are memory to use.
void orderBody(absl::Span<const ScalarNode> nodes,
               absl::FunctionRef<absl::Span<const int32_t>(int32_t load)> indicesOf,
               absl::Span<int32_t *const> roots, std::vector<int32_t> &order,
               std::vector<int32_t> &stack, std::vector<ScalarNode> &body, Numbers &indices);

/// Builds bodies of nests, one after the other, reusing its memory. Equal nodes are one; index
/// arithmetic, conditions and masks are simplified (with the ranges of loop counters), values are
/// not: they keep their dtype's rounding at every step.
class BodyBuilder {
public:
  explicit BodyBuilder(const std::vector<SizeNode> &sizes) : sizes_(sizes) {}

  /// Starts a body in loops with these extents (size numbers).
  void start(absl::Span<const int32_t> extents);
  /// Any node but a Load; the operands are in this body.
  int32_t add(ScalarNode node);
  int32_t constant(DType dtype, uint64_t bits);
  int32_t index(int32_t loop) {
    return add({ScalarOp::Index, DType::Int64, {-1, -1, -1}, uint64_t(loop)});
  }
  /// A load of `array` at `indices` where `mask` holds (-1: always), `otherwise` elsewhere.
  int32_t load(DType dtype, int32_t array, absl::Span<const int32_t> indices, int32_t mask = -1,
               int32_t otherwise = -1);
  int32_t logicalAnd(int32_t a, int32_t b); // -1 stands for true
  int32_t select(DType dtype, int32_t condition, int32_t a, int32_t b);
  /// Adds the nodes of another body in their order; `map` gets the numbers that they have here.
  /// `index(loop)` adds what stands for a counter, `load(node, id)` what stands for the load that
  /// is number `id` there; the operands of `node` are in this body already, its indices in `map`.
  template <class Index, class Load>
  void copy(const std::vector<ScalarNode> &body, std::vector<int32_t> &map, Index index,
            Load load) {
    map.assign(body.size(), -1);
    for (size_t id = 0; id < body.size(); ++id) {
      ScalarNode node = body[id];
      for (int32_t &arg : node.args)
        if (arg >= 0)
          arg = map[arg];
      map[id] = node.op == ScalarOp::Index  ? index(int32_t(node.payload))
                : node.op == ScalarOp::Load ? load(node, int32_t(id))
                                            : add(node);
    }
  }

  const std::vector<ScalarNode> &nodes() const { return nodes_; }
  absl::Span<const int32_t> indicesOf(const ScalarNode &load) const;
  /// Value of an integer or Bool node, if it is a constant.
  std::optional<int64_t> constantValue(int32_t id) const;

  /// Whether the index is always one of an axis of that extent (a size number), wherever the loops
  /// are.
  bool isWithin(int32_t id, int32_t extent) const;

  /// See orderBody.
  void finish(absl::Span<int32_t *const> roots, std::vector<ScalarNode> &body, Numbers &indices);

private:
  /// Bounds of an Int64 node that is made of counters, sizes and constants.
  struct Range {
    int64_t low, high;
  };
  int32_t intern(const ScalarNode &node, const Range &range, uint64_t hash);
  int32_t simplify(const ScalarNode &node);
  int32_t simplifyBool(const ScalarNode &node);
  int32_t decide(const ScalarNode &node) const;
  Range rangeOf(const ScalarNode &node) const;
  bool equal(const ScalarNode &a, const ScalarNode &b) const;
  void growTable();

  const std::vector<SizeNode> &sizes_;
  std::vector<int64_t> lastIndex_; // of each loop
  std::vector<int32_t> extents_;   // of each loop
  std::vector<ScalarNode> nodes_;
  std::vector<Range> ranges_;
  std::vector<uint64_t> hashes_;
  std::vector<int32_t> indices_;
  std::vector<int32_t> rank_; // index count of the load that is node i, 0 else
  // Open addressing; an entry counts if its stamp is the current body's.
  struct Slot {
    uint32_t stamp = 0;
    int32_t node = 0;
  };
  std::vector<Slot> table_;
  uint32_t stamp_ = 0;
  std::vector<int32_t> scratch_, order_;
};

} // namespace graphc
