//===- Graph/MergeKeys.h - what is equal for merging ------------*- C++ -*-===//
#pragma once

#include "Graph/Nodes.h"
#include "Support/Work.h"
#include "absl/functional/function_ref.h"
#include "absl/hash/hash.h"
#include "graphc/OpDef.h"

namespace graphc {

/// A constant by its dtype, shape and bytes.
struct ConstantKey {
  Variable v;
  friend bool operator==(const ConstantKey &a, const ConstantKey &b) {
    return Constant::from(a.v)->data().identical(Constant::from(b.v)->data());
  }
  template <class H> friend H AbslHashValue(H h, const ConstantKey &key) {
    return H::combine(std::move(h), Constant::from(key.v)->data().contentHash());
  }
};

/// What stands for a Variable where nodes are compared.
using Token = absl::FunctionRef<detail::VariableNode *(detail::VariableNode *)>;
inline detail::VariableNode *noToken(detail::VariableNode *v) { return v; }

/// What `token` as input `i` adds to the hash of `node`: one input may change without a look at the
/// others.
uint64_t inputHash(const detail::ApplyNode *node, uint32_t i, const detail::VariableNode *token);
/// Of the op and the inputs, in any order where that is the same to the op.
uint64_t nodeHash(detail::ApplyNode *node, Token token);
/// Whether two nodes compute the same: equal ops over the same inputs.
bool sameNode(detail::ApplyNode *a, detail::ApplyNode *b, Token token);

} // namespace graphc
