//===- Cost.cpp - what nests cost and what they load ----------------------===//
#include "Emit/NestCost.h"
#include "Kernels/FusionState.h"
#include "absl/algorithm/container.h"

namespace graphc {

void insert(ArraySet &set, int32_t array) {
  if (!absl::c_linear_search(set, array))
    set.push_back(array);
}

bool readTooMany(const ArraySet &broad, const ArraySet &others) {
  if (broad.size() < kBroad || broad.size() + others.size() <= kMaxReads)
    return false;
  ArraySet all = others;
  for (int32_t array : broad)
    insert(all, array);
  return all.size() > kMaxReads;
}

void measure(FusedNest &fused) {
  const Nest &nest = fused.nest;
  fused.ops = 0;
  fused.cost = costOfIteration(nest);
  fused.reads.clear();
  for (const ScalarNode &n : nest.body) {
    if (n.op > ScalarOp::Load)
      ++fused.ops;
    else if (n.op == ScalarOp::Load)
      insert(fused.reads, n.loadArray());
  }
}

int32_t loopOf(const std::vector<ScalarNode> &body, int32_t node) {
  for (;;) {
    const ScalarNode &n = body[node];
    auto isFixed = [&](int32_t id) {
      return body[id].op == ScalarOp::Constant || body[id].op == ScalarOp::Size;
    };
    switch (n.op) {
    case ScalarOp::Index:
      return int32_t(n.payload);
    case ScalarOp::Add:
    case ScalarOp::Sub:
      if (!isFixed(n.args[0]) && !isFixed(n.args[1]))
        return -1;
      node = isFixed(n.args[1]) ? n.args[0] : n.args[1];
      break;
    case ScalarOp::Mul:
      if (body[n.args[1]].op != ScalarOp::Constant || body[n.args[1]].payload == 0)
        return -1;
      node = n.args[0];
      break;
    default:
      return -1;
    }
  }
}

static uint64_t allLoops(const Nest &nest) {
  size_t n = nest.extents.size();
  return n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
}

std::optional<Affine> affineOf(const Nest &nest, int32_t id) {
  const ScalarNode &n = nest.body[size_t(id)];
  Affine result;
  result.factors.assign(nest.extents.size(), 0);
  if (n.op == ScalarOp::Constant) {
    result.constant = int64_t(n.payload);
    return result;
  }
  if (n.op == ScalarOp::Index) {
    result.factors[size_t(n.payload)] = 1;
    return result;
  }
  if (n.op != ScalarOp::Add && n.op != ScalarOp::Sub && n.op != ScalarOp::Mul)
    return std::nullopt;
  std::optional<Affine> a = affineOf(nest, n.args[0]), b = affineOf(nest, n.args[1]);
  if (!a || !b)
    return std::nullopt;
  if (n.op == ScalarOp::Mul) {
    auto isConstant = [](const Affine &x) {
      return std::ranges::all_of(x.factors, [](int64_t factor) { return factor == 0; });
    };
    if (!isConstant(*b))
      std::swap(a, b);
    if (!isConstant(*b))
      return std::nullopt;
    for (int64_t &factor : a->factors)
      factor *= b->constant;
    a->constant *= b->constant;
    return a;
  }
  int64_t sign = n.op == ScalarOp::Sub ? -1 : 1;
  for (size_t loop = 0; loop < a->factors.size(); ++loop)
    a->factors[loop] += sign * b->factors[loop];
  a->constant += sign * b->constant;
  return a;
}

uint64_t loopsOfLoad(const Nest &nest, const ScalarNode &load, int32_t rank) {
  uint64_t loops = 0;
  for (int32_t axis = 0; axis < rank; ++axis) {
    int32_t loop = loopOf(nest.body, nest.indices[load.loadFirstIndex() + axis]);
    if (loop >= 0)
      loops |= uint64_t(1) << loop;
  }
  return loops;
}

bool loadsEachOnce(const Nest &nest, const ScalarNode &load, int32_t rank, uint64_t ignored) {
  return (loopsOfLoad(nest, load, rank) | ignored) == allLoops(nest);
}

std::vector<uint64_t> dependences(const Nest &nest,
                                  const std::function<int32_t(int32_t array)> &rankOf) {
  std::vector<uint64_t> depends(nest.body.size(), 0);
  for (size_t id = 0; id < nest.body.size(); ++id) {
    const ScalarNode &n = nest.body[id];
    if (n.op == ScalarOp::Index)
      depends[id] = uint64_t(1) << n.payload;
    for (int32_t arg : n.args)
      if (arg >= 0 && n.op != ScalarOp::Load)
        depends[id] |= depends[arg];
    if (n.op != ScalarOp::Load)
      continue;
    int32_t rank = rankOf(n.loadArray());
    for (int32_t axis = 0; axis < rank; ++axis)
      depends[id] |= depends[nest.indices[n.loadFirstIndex() + axis]];
  }
  return depends;
}

bool isContraction(const Nest &nest, const std::function<int32_t(int32_t array)> &rankOf,
                   uint64_t ignored) {
  if (nest.combine == Combine::None || int32_t(nest.extents.size()) == nest.numParallel)
    return false;
  // A pooling window reads each element a few times, and is no contraction.
  std::vector<uint64_t> depends = dependences(nest, rankOf);
  bool loadsNothing = true;
  for (size_t id = 0; id < nest.body.size(); ++id) {
    if (nest.body[id].op != ScalarOp::Load)
      continue;
    loadsNothing = false;
    if ((depends[id] | ignored) == allLoops(nest))
      return false;
  }
  return !loadsNothing;
}

} // namespace graphc
