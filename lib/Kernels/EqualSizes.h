//===- EqualSizes.h - which products of sizes are equal -----------*- C++ -*-===//
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "Runtime/Program.h"

namespace graphc {

/// A number of elements: the product of sizes, as their numbers in order, and of a constant.
struct SizeProduct {
  int64_t constant = 1;
  Numbers sizes;
  friend bool operator==(const SizeProduct &, const SizeProduct &) = default;
  friend bool operator<(const SizeProduct &a, const SizeProduct &b) {
    return a.constant != b.constant ? a.constant < b.constant : a.sizes < b.sizes;
  }
};

/// Equality of products, as far as the program's own checks show it.
class EqualSizes {
public:
  explicit EqualSizes(Program &program);

  SizeProduct of(absl::Span<const int32_t> shape) const;
  bool equal(SizeProduct a, SizeProduct b) const {
    return rootOf(std::move(a)) == rootOf(std::move(b));
  }
  /// The number of a size that has this value.
  int32_t sizeOf(const SizeProduct &product);
  /// The two are equal from here on.
  void unite(const SizeProduct &a, const SizeProduct &b) { equal_[rootOf(a)] = rootOf(b); }
  /// The number of the sum of a size and a number of elements: `like`, if that says so.
  int32_t sum(int32_t size, const SizeProduct &count, int32_t like);
  /// Whether it is plain that the number is not negative: of extents of inputs, and sums of such.
  bool isCount(const SizeProduct &product) const;
  /// The number of an input's extent, and of a constant.
  int32_t dim(int32_t input, int32_t axis) { return add({SizeOp::Dim, input, axis, -1, 0}); }
  int32_t constant(int64_t value) { return add({SizeOp::Constant, -1, -1, -1, value}); }

private:
  /// Of a constant, and of an extent that the program declares.
  std::optional<int64_t> valueOf(int32_t size) const;
  void multiply(SizeProduct &product, int32_t size) const;
  SizeProduct rootOf(SizeProduct product) const;
  /// Finds it, or adds it to the program.
  int32_t add(const SizeNode &node);

  Program &p_;
  /// Sizes that are equal have one of them; products have another one.
  std::vector<int32_t> same_;
  std::map<SizeProduct, SizeProduct> equal_;
  using Key = std::tuple<SizeOp, int32_t, int32_t, int32_t, int64_t>;
  std::map<Key, int32_t> numbers_;
  static Key keyOf(const SizeNode &n) { return {n.op, n.a, n.b, n.c, n.value}; }
};

} // namespace graphc
