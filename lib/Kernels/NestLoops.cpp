//===- NestLoops.cpp - how a nest's indices follow its loops --------------===//
#include "Kernels/NestLoops.h"

#include <algorithm>

namespace graphc {
namespace {

uint64_t allLoops(const Nest &nest) {
  size_t n = nest.extents.size();
  return n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
}

using Nodes = std::vector<std::optional<Affine>>;

bool isConstant(const Affine &value) {
  return std::ranges::all_of(value.factors, [](int64_t factor) { return factor == 0; });
}

/// a + b * times
std::optional<Affine> sum(const Affine &a, const Affine &b, int64_t times) {
  bool fits = true;
  auto join = [&](int64_t x, int64_t y) {
    int64_t result = 0;
    fits &=
        !__builtin_mul_overflow(y, times, &result) && !__builtin_add_overflow(x, result, &result);
    return result;
  };
  Affine result{a.factors, join(a.constant, b.constant)};
  for (size_t loop = 0; loop < a.factors.size(); ++loop)
    result.factors[loop] = join(a.factors[loop], b.factors[loop]);
  return fits ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<Affine> affineNode(const ScalarNode &node, size_t numLoops, const Nodes &done,
                                 SizeValues constantSize) {
  if (node.dtype != DType::Int64)
    return std::nullopt;
  Affine result{{}, 0};
  result.factors.resize(numLoops, 0);
  auto arg = [&](int i) -> const std::optional<Affine> & { return done[size_t(node.args[i])]; };
  switch (node.op) {
  case ScalarOp::Index:
    result.factors[size_t(node.payload)] = 1;
    return result;
  case ScalarOp::Constant:
    result.constant = int64_t(node.payload);
    return result;
  case ScalarOp::Size: {
    std::optional<int64_t> value = constantSize(int32_t(node.payload));
    if (!value)
      return std::nullopt;
    result.constant = *value;
    return result;
  }
  case ScalarOp::Neg:
    return arg(0) ? sum(result, *arg(0), -1) : std::nullopt;
  case ScalarOp::Add:
  case ScalarOp::Sub:
    if (!arg(0) || !arg(1))
      return std::nullopt;
    return sum(*arg(0), *arg(1), node.op == ScalarOp::Add ? 1 : -1);
  case ScalarOp::Mul: {
    if (!arg(0) || !arg(1))
      return std::nullopt;
    const bool isLeft = isConstant(*arg(0));
    if (!isLeft && !isConstant(*arg(1)))
      return std::nullopt;
    return sum(result, *arg(isLeft ? 1 : 0), arg(isLeft ? 0 : 1)->constant);
  }
  default:
    return std::nullopt;
  }
}

} // namespace

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

Nodes affineNodes(const Nest &nest, SizeValues constantSize) {
  Nodes result;
  result.reserve(nest.body.size());
  for (const ScalarNode &node : nest.body)
    result.push_back(affineNode(node, nest.extents.size(), result, constantSize));
  return result;
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
