//===- SizeTable.cpp ------------------------------------------------------===//
#include "SizeTable.h"

#include <limits>

namespace graphc {

SizeTable::SizeTable(std::vector<SizeNode> nodes) : nodes_(std::move(nodes)) {
  for (size_t id = 0; id < nodes_.size(); ++id) {
    representative_.push_back(int32_t(id));
    hasElement_.push_back(hasElement(nodes_[id]));
    numbers_.try_emplace(nodes_[id], int32_t(id));
  }
}

size_t SizeTable::Hash::operator()(const SizeNode &n) const {
  uint64_t h = uint64_t(n.op);
  for (uint64_t part : {uint64_t(uint32_t(n.a)), uint64_t(uint32_t(n.b)), uint64_t(uint32_t(n.c)),
                        uint64_t(n.value)})
    h = (h ^ part) * 0x9e3779b97f4a7c15 + (h >> 29);
  return h ^ (h >> 32);
}

bool SizeTable::hasElement(const SizeNode &node) const {
  if (node.op <= SizeOp::Element)
    return node.op == SizeOp::Element;
  return hasElement_[node.a] || hasElement_[node.b] || (node.c >= 0 && hasElement_[node.c]);
}

int32_t SizeTable::intern(const SizeNode &node) {
  auto [it, isNew] = numbers_.try_emplace(node, int32_t(nodes_.size()));
  if (isNew) {
    nodes_.push_back(node);
    hasElement_.push_back(hasElement(node));
    representative_.push_back(it->second);
  }
  return canonical(it->second);
}

int32_t SizeTable::canonical(int32_t id) const {
  while (representative_[id] != id)
    id = representative_[id] = representative_[representative_[id]];
  return id;
}

void SizeTable::unify(int32_t a, int32_t b) {
  a = canonical(a), b = canonical(b);
  if (a == b)
    return;
  bool constantA = nodes_[a].op == SizeOp::Constant, constantB = nodes_[b].op == SizeOp::Constant;
  if (constantA && constantB)
    return; // they differ: the requirement fails at run time
  // A constant stands for the class; otherwise the older size, so that the choice is the same in
  // every run.
  if (constantB || (!constantA && b < a))
    std::swap(a, b);
  representative_[b] = a;
}

std::optional<int64_t> SizeTable::constantValue(int32_t id) const {
  const SizeNode &n = nodes_[canonical(id)];
  if (n.op != SizeOp::Constant)
    return std::nullopt;
  return n.value;
}

bool SizeTable::isConstant(int32_t id, int64_t value) const {
  std::optional<int64_t> v = constantValue(id);
  return v && *v == value;
}

/// The op that does not wrap; itself if it does not.
static SizeOp exactOp(SizeOp op) {
  return op == SizeOp::WrapAdd   ? SizeOp::Add
         : op == SizeOp::WrapSub ? SizeOp::Sub
         : op == SizeOp::WrapMul ? SizeOp::Mul
                                 : op;
}

int32_t SizeTable::binary(SizeOp op, int32_t a, int32_t b) {
  a = canonical(a), b = canonical(b);
  std::optional<int64_t> ca = constantValue(a), cb = constantValue(b);
  // Nobody wants extents to wrap, even where he computes with them: so they are the sizes that ops
  // make from them.
  if (!hasElement_[a] && !hasElement_[b] && !(ca && cb))
    op = exactOp(op);
  if (ca && cb)
    if (SizeValue value = exactSize(op, *ca, *cb); fitsInt64(value))
      return constant(int64_t(value));
  bool commutes = op == SizeOp::Add || op == SizeOp::Mul || op == SizeOp::Max ||
                  op == SizeOp::Min || op == SizeOp::Equal || op == SizeOp::WrapAdd ||
                  op == SizeOp::WrapMul;
  if (commutes && (ca || (!cb && b < a))) { // constants on the right, else by age
    std::swap(a, b);
    std::swap(ca, cb);
  }
  switch (op) {
  case SizeOp::Add:
    if (isConstant(b, 0))
      return a;
    if (cb && !ca && nodes_[a].op == SizeOp::Add)
      if (std::optional<int64_t> inner = constantValue(nodes_[a].b))
        if (SizeValue sum = SizeValue(*inner) + *cb; fitsInt64(sum))
          return binary(SizeOp::Add, nodes_[a].a, constant(int64_t(sum)));
    break;
  case SizeOp::Sub:
    if (a == b)
      return constant(0);
    if (cb && !ca && *cb != std::numeric_limits<int64_t>::min())
      return binary(SizeOp::Add, a, constant(-*cb));
    if (nodes_[a].op == SizeOp::Add && canonical(nodes_[a].a) == b)
      return canonical(nodes_[a].b);
    break;
  case SizeOp::WrapAdd:
  case SizeOp::WrapSub:
    if (isConstant(b, 0))
      return a;
    break;
  case SizeOp::Mul:
  case SizeOp::WrapMul:
    if (isConstant(b, 1))
      return a;
    if (isConstant(b, 0))
      return b;
    break;
  case SizeOp::FloorDiv:
    if (isConstant(b, 1))
      return a;
    if (nodes_[a].op == SizeOp::Mul && canonical(nodes_[a].b) == b && cb && *cb != 0)
      return canonical(nodes_[a].a);
    break;
  case SizeOp::Mod:
    if (isConstant(b, 1))
      return constant(0);
    break;
  case SizeOp::Max:
    if (a == b || (cb && *cb <= 0 && isExtent(a)))
      return a;
    break;
  case SizeOp::Min:
    if (a == b)
      return a;
    if (cb && *cb == 0 && isExtent(a))
      return b;
    break;
  case SizeOp::Less:
    if (a == b || (cb && *cb <= 0 && isExtent(a)))
      return constant(0);
    if (ca && *ca < 0 && isExtent(b))
      return constant(1);
    // The rest of a division by a positive number is not negative.
    if (cb && *cb <= 0 && nodes_[a].op == SizeOp::Mod)
      if (std::optional<int64_t> divisor = constantValue(nodes_[a].b); divisor && *divisor > 0)
        return constant(0);
    break;
  case SizeOp::Equal:
    if (a == b)
      return constant(1);
    if (cb && *cb < 0 && isExtent(a))
      return constant(0);
    break;
  default:
    break;
  }
  return intern({op, a, b, -1, 0});
}

int32_t SizeTable::select(int32_t condition, int32_t a, int32_t b) {
  a = canonical(a), b = canonical(b);
  if (std::optional<int64_t> c = constantValue(condition))
    return *c ? a : b;
  if (a == b)
    return a;
  const SizeNode &n = nodes_[canonical(condition)];
  if (n.op == SizeOp::Less && isConstant(n.a, 0) && canonical(n.b) == a && isConstant(b, 0))
    return binary(SizeOp::Max, a, b);
  return intern({SizeOp::Select, canonical(condition), a, b, 0});
}

} // namespace graphc
