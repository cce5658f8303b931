//===- EqualSizes.cpp -----------------------------------------------------===//
#include "Kernels/EqualSizes.h"

#include <algorithm>

namespace graphc {

EqualSizes::EqualSizes(Program &program) : p_(program) {
  for (size_t id = 0; id < p_.sizes.size(); ++id) {
    same_.push_back(int32_t(id));
    numbers_.try_emplace(keyOf(p_.sizes[id]), int32_t(id));
  }
  auto find = [&](int32_t id) {
    while (same_[size_t(id)] != id)
      id = same_[size_t(id)];
    return id;
  };
  for (const Program::SizeCheck &check : p_.checks)
    if (check.predicate == Predicate::Equal) {
      int32_t a = find(check.a), b = find(check.b);
      // Constants stand for what is equal to them.
      if (valueOf(a))
        std::swap(a, b);
      same_[size_t(a)] = b;
    }
  for (size_t id = 0; id < same_.size(); ++id)
    same_[id] = find(int32_t(id));
  for (const Program::SizeCheck &check : p_.checks)
    if (check.predicate == Predicate::Equal) {
      // As written, not as found equal: s2 = s0 * s1 is one product, whatever s2 is equal to.
      SizeProduct a = of({&check.a, 1}), b = of({&check.b, 1});
      if (!equal(a, b))
        unite(a, b);
    }
}

std::optional<int64_t> EqualSizes::valueOf(int32_t size) const {
  const SizeNode &n = p_.sizes[size_t(size)];
  if (n.op == SizeOp::Constant)
    return n.value;
  if (n.op != SizeOp::Dim || p_.inputs[size_t(n.a)].shape[size_t(n.b)] < 0)
    return std::nullopt;
  return p_.inputs[size_t(n.a)].shape[size_t(n.b)];
}

void EqualSizes::multiply(SizeProduct &product, int32_t size) const {
  std::vector<int32_t> pending = {size};
  // A size that is a product of products of itself has exponentially many factors.
  int products = 256;
  while (!pending.empty()) {
    int32_t id = pending.back();
    pending.pop_back();
    const SizeNode &n = p_.sizes[size_t(id)];
    int32_t representative = same_[size_t(id)];
    std::optional<int64_t> value = valueOf(id);
    if (!value && n.op == SizeOp::Mul && --products > 0) {
      pending.insert(pending.end(), {n.a, n.b});
      continue;
    }
    if (!value)
      value = valueOf(representative);
    if (!value) {
      product.sizes.push_back(representative);
      continue;
    }
    if (int64_t wide; __builtin_mul_overflow(product.constant, *value, &wide))
      product.sizes.push_back(id);
    else
      product.constant = wide;
  }
}

SizeProduct EqualSizes::of(absl::Span<const int32_t> shape) const {
  SizeProduct product;
  for (int32_t size : shape)
    multiply(product, size);
  std::sort(product.sizes.begin(), product.sizes.end());
  if (product.constant == 0)
    product.sizes.clear();
  return product;
}

SizeProduct EqualSizes::rootOf(SizeProduct product) const {
  for (auto next = equal_.find(product); next != equal_.end(); next = equal_.find(product))
    product = next->second;
  return product;
}

int32_t EqualSizes::add(const SizeNode &node) {
  auto [number, isNew] = numbers_.try_emplace(keyOf(node), int32_t(p_.sizes.size()));
  if (isNew) {
    same_.push_back(int32_t(p_.sizes.size()));
    p_.sizes.push_back(node);
  }
  return number->second;
}

int32_t EqualSizes::sizeOf(const SizeProduct &product) {
  int32_t size = -1;
  if (product.constant != 1 || product.sizes.empty())
    size = constant(product.constant);
  for (int32_t factor : product.sizes)
    size = size < 0 ? factor : add({SizeOp::Mul, size, factor, -1, 0});
  return size;
}

int32_t EqualSizes::sum(int32_t size, const SizeProduct &count, int32_t like) {
  if (like >= 0)
    if (const SizeNode &n = p_.sizes[size_t(like)];
        n.op == SizeOp::Add && n.a == size && equal(of({&n.b, 1}), count))
      return like;
  const std::optional<int64_t> before = valueOf(size);
  if (before == 0)
    return sizeOf(count);
  if (int64_t total;
      before && count.sizes.empty() && !__builtin_add_overflow(*before, count.constant, &total))
    return constant(total);
  return add({SizeOp::Add, size, sizeOf(count), -1, 0});
}

bool EqualSizes::isCount(const SizeProduct &product) const {
  std::vector<int32_t> pending(product.sizes.begin(), product.sizes.end());
  int terms = 256; // as in multiply
  while (!pending.empty() && --terms > 0) {
    const SizeNode &n = p_.sizes[size_t(pending.back())];
    pending.pop_back();
    if (n.op == SizeOp::Add || n.op == SizeOp::Mul)
      pending.insert(pending.end(), {n.a, n.b});
    else if (n.op != SizeOp::Dim && !(n.op == SizeOp::Constant && n.value >= 0))
      return false;
  }
  return product.constant >= 0 && pending.empty();
}

} // namespace graphc
