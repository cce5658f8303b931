//===- SizeTable.cpp ------------------------------------------------------===//
#include "SizeTable.h"

namespace graphc {

SizeTable::SizeTable(std::vector<SizeNode> nodes) : nodes_(std::move(nodes)) {
  for (size_t id = 0; id < nodes_.size(); ++id) {
    representative_.push_back(int32_t(id));
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

int32_t SizeTable::intern(const SizeNode &node) {
  auto [it, isNew] = numbers_.try_emplace(node, int32_t(nodes_.size()));
  if (isNew) {
    nodes_.push_back(node);
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

int32_t SizeTable::binary(SizeOp op, int32_t a, int32_t b) {
  a = canonical(a), b = canonical(b);
  std::optional<int64_t> ca = constantValue(a), cb = constantValue(b);
  if (ca && cb)
    return constant(foldSize(op, *ca, *cb));
  bool commutes = op == SizeOp::Add || op == SizeOp::Mul || op == SizeOp::Max ||
                  op == SizeOp::Min || op == SizeOp::Equal;
  if (commutes && (ca || (!cb && b < a))) { // constants on the right, else by age
    std::swap(a, b);
    std::swap(ca, cb);
  }
  switch (op) {
  case SizeOp::Add:
    if (isConstant(b, 0))
      return a;
    if (cb && nodes_[a].op == SizeOp::Add && constantValue(nodes_[a].b))
      return binary(SizeOp::Add, nodes_[a].a, constant(*constantValue(nodes_[a].b) + *cb));
    break;
  case SizeOp::Sub:
    if (a == b)
      return constant(0);
    if (cb)
      return binary(SizeOp::Add, a, constant(foldSize(SizeOp::Sub, 0, *cb)));
    if (nodes_[a].op == SizeOp::Add && canonical(nodes_[a].a) == b)
      return canonical(nodes_[a].b);
    break;
  case SizeOp::Mul:
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
  return intern({SizeOp::Select, canonical(condition), a, b, 0});
}

} // namespace graphc
