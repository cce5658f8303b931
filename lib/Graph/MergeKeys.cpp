//===- Graph/MergeKeys.cpp ------------------------------------------------===//
#include "Graph/MergeKeys.h"

namespace graphc {

using detail::ApplyNode;
using detail::VariableNode;

static bool commutes(const ApplyNode *node) {
  return node->numInputs == 2 && node->op.def().commutative;
}

/// Each writes its line: equal to itself alone.
static bool isUnlikeOthers(const ApplyNode *node) { return node->op.name() == "print"; }

uint64_t inputHash(const ApplyNode *node, uint32_t i, const VariableNode *token) {
  return absl::HashOf(token, commutes(node) ? 0 : i);
}

uint64_t nodeHash(ApplyNode *node, Token token) {
  uint64_t hash = node->op.hash();
  if (isUnlikeOthers(node))
    hash += absl::HashOf(node);
  for (uint32_t i = 0; i < node->numInputs; ++i)
    hash += inputHash(node, i, token(node->input(i)));
  detail::workDone += node->numInputs;
  return hash;
}

bool sameNode(ApplyNode *a, ApplyNode *b, Token token) {
  if (a == b)
    return true;
  if (a->numInputs != b->numInputs || !(a->op == b->op) || isUnlikeOthers(a))
    return false;
  auto same = [&](uint32_t i, uint32_t k) {
    ++detail::workDone;
    return token(a->input(i)) == token(b->input(k));
  };
  if (commutes(a) && same(0, 1) && same(1, 0))
    return true;
  for (uint32_t i = 0; i < a->numInputs; ++i)
    if (!same(i, i))
      return false;
  return true;
}

} // namespace graphc
