//===- Body.cpp - hash-consing and simplification of bodies ---------------===//
#include "Kernels/Body.h"

#include <algorithm>
#include <limits>

namespace graphc {
namespace {

constexpr int64_t kUnknownLow = std::numeric_limits<int64_t>::min();
constexpr int64_t kUnknownHigh = std::numeric_limits<int64_t>::max();
/// Bound of counters and sizes whose extent is not known: arrays have fewer elements.
constexpr int64_t kHugeExtent = int64_t(1) << 62;

uint64_t mix(uint64_t h, uint64_t part) {
  h = (h ^ part) * 0x9e3779b97f4a7c15;
  return h ^ (h >> 29);
}

bool isIndexDType(DType dtype) { return dtype == DType::Int64; }

} // namespace

void BodyBuilder::start(absl::Span<const int32_t> extents) {
  lastIndex_.clear();
  extents_.assign(extents.begin(), extents.end());
  for (int32_t e : extents)
    lastIndex_.push_back(sizes_[e].op == SizeOp::Constant ? sizes_[e].value - 1 : kHugeExtent);
  nodes_.clear();
  ranges_.clear();
  hashes_.clear();
  indices_.clear();
  rank_.clear();
  if (table_.empty())
    table_.resize(256);
  if (++stamp_ == 0) { // wrapped around: old stamps could look current
    std::fill(table_.begin(), table_.end(), Slot());
    stamp_ = 1;
  }
}

absl::Span<const int32_t> BodyBuilder::indicesOf(const ScalarNode &load) const {
  size_t id = size_t(&load - nodes_.data());
  return absl::MakeConstSpan(indices_).subspan(load.loadFirstIndex(), rank_[id]);
}

std::optional<int64_t> BodyBuilder::constantValue(int32_t id) const {
  const ScalarNode &n = nodes_[id];
  if (n.op != ScalarOp::Constant || !(isIndexDType(n.dtype) || isBool(n.dtype)))
    return std::nullopt;
  return int64_t(n.payload);
}

bool BodyBuilder::isWithin(int32_t id, int32_t extent) const {
  const ScalarNode &n = nodes_[id];
  if (n.op == ScalarOp::Index && extents_[n.payload] == extent)
    return true;
  const SizeNode &size = sizes_[extent];
  return size.op == SizeOp::Constant && ranges_[id].low >= 0 && ranges_[id].high < size.value;
}

int32_t BodyBuilder::constant(DType dtype, uint64_t bits) {
  return add({ScalarOp::Constant, dtype, {-1, -1, -1}, bits});
}

//===--- interning ----------------------------------------------------------===//

bool BodyBuilder::equal(const ScalarNode &a, const ScalarNode &b) const {
  if (a.op != ScalarOp::Load || b.op != ScalarOp::Load)
    return a == b;
  return a.dtype == b.dtype && std::equal(a.args, a.args + 3, b.args) &&
         a.loadArray() == b.loadArray() &&
         // One array has one rank.
         std::equal(indices_.begin() + a.loadFirstIndex(), indices_.end(),
                    indices_.begin() + b.loadFirstIndex(),
                    indices_.begin() + b.loadFirstIndex() +
                        int64_t(indices_.size() - a.loadFirstIndex()));
}

void BodyBuilder::growTable() {
  std::vector<Slot> bigger(table_.size() * 2);
  size_t mask = bigger.size() - 1;
  for (size_t id = 0; id < nodes_.size(); ++id) {
    size_t at = hashes_[id] & mask;
    while (bigger[at].stamp == stamp_)
      at = (at + 1) & mask;
    bigger[at] = {stamp_, int32_t(id)};
  }
  table_ = std::move(bigger);
}

int32_t BodyBuilder::intern(const ScalarNode &node, const Range &range, uint64_t hash) {
  if (nodes_.size() * 2 >= table_.size())
    growTable();
  size_t mask = table_.size() - 1;
  size_t at = hash & mask;
  for (; table_[at].stamp == stamp_; at = (at + 1) & mask)
    if (hashes_[table_[at].node] == hash && equal(node, nodes_[table_[at].node]))
      return table_[at].node;
  int32_t id = int32_t(nodes_.size());
  table_[at] = {stamp_, id};
  nodes_.push_back(node);
  ranges_.push_back(range);
  hashes_.push_back(hash);
  rank_.push_back(0);
  return id;
}

int32_t BodyBuilder::add(ScalarNode node) {
  if (node.op == ScalarOp::Size && sizes_[node.payload].op == SizeOp::Constant)
    return constant(DType::Int64, uint64_t(sizes_[node.payload].value));
  if (int32_t known = isBool(node.dtype) ? simplifyBool(node) : simplify(node); known >= 0)
    return known;
  uint64_t h = mix(uint64_t(node.op) << 8 | uint64_t(node.dtype), node.payload);
  for (int32_t arg : node.args)
    h = mix(h, uint32_t(arg));
  return intern(node, rangeOf(node), h);
}

int32_t BodyBuilder::load(DType dtype, int32_t array, absl::Span<const int32_t> indices,
                          int32_t mask, int32_t otherwise) {
  if (mask >= 0)
    if (std::optional<int64_t> holds = constantValue(mask)) {
      if (!*holds)
        return otherwise;
      mask = otherwise = -1;
    }
  ScalarNode node{ScalarOp::Load,
                  dtype,
                  {mask, otherwise, -1},
                  uint64_t(uint32_t(array)) << 32 | uint64_t(indices_.size())};
  uint64_t h = mix(uint64_t(node.op) << 8 | uint64_t(dtype), uint64_t(uint32_t(array)));
  h = mix(h, uint64_t(uint32_t(mask)) << 32 | uint32_t(otherwise));
  for (int32_t i : indices)
    h = mix(h, uint32_t(i));
  size_t before = indices_.size(), count = nodes_.size();
  indices_.insert(indices_.end(), indices.begin(), indices.end());
  int32_t id = intern(node, {kUnknownLow, kUnknownHigh}, h);
  if (nodes_.size() == count)
    indices_.resize(before);
  else
    rank_[id] = int32_t(indices.size());
  return id;
}

//===--- simplification -----------------------------------------------------===//

BodyBuilder::Range BodyBuilder::rangeOf(const ScalarNode &n) const {
  constexpr Range unknown{kUnknownLow, kUnknownHigh};
  if (!isIndexDType(n.dtype))
    return unknown;
  auto known = [](const Range &r) { return r.low != kUnknownLow && r.high != kUnknownHigh; };
  Range a = n.args[0] >= 0 ? ranges_[n.args[0]] : unknown;
  Range b = n.args[1] >= 0 ? ranges_[n.args[1]] : unknown;
  Range r = unknown;
  switch (n.op) {
  case ScalarOp::Constant:
    return {int64_t(n.payload), int64_t(n.payload)};
  case ScalarOp::Index:
    return {0, std::max<int64_t>(lastIndex_[n.payload], 0)};
  case ScalarOp::Size:
    return sizes_[n.payload].op == SizeOp::Dim ? Range{0, kHugeExtent} : unknown;
  case ScalarOp::Add:
    if (!known(a) || !known(b) || __builtin_add_overflow(a.low, b.low, &r.low) ||
        __builtin_add_overflow(a.high, b.high, &r.high))
      return unknown;
    return r;
  case ScalarOp::Sub:
    if (!known(a) || !known(b) || __builtin_sub_overflow(a.low, b.high, &r.low) ||
        __builtin_sub_overflow(a.high, b.low, &r.high))
      return unknown;
    return r;
  case ScalarOp::Mul: {
    if (!known(a) || !known(b))
      return unknown;
    int64_t products[4];
    if (__builtin_mul_overflow(a.low, b.low, &products[0]) ||
        __builtin_mul_overflow(a.low, b.high, &products[1]) ||
        __builtin_mul_overflow(a.high, b.low, &products[2]) ||
        __builtin_mul_overflow(a.high, b.high, &products[3]))
      return unknown;
    return {*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
  }
  case ScalarOp::IntDiv: // by a positive constant
    if (!known(a) || b.low != b.high || b.low <= 0)
      return unknown;
    return {foldSize(SizeOp::FloorDiv, a.low, b.low), foldSize(SizeOp::FloorDiv, a.high, b.low)};
  case ScalarOp::Mod:
    if (b.low != b.high || b.low <= 0)
      return unknown;
    return {0, b.low - 1};
  case ScalarOp::Maximum:
    return known(a) && known(b) ? Range{std::max(a.low, b.low), std::max(a.high, b.high)} : unknown;
  case ScalarOp::Minimum:
    return known(a) && known(b) ? Range{std::min(a.low, b.low), std::min(a.high, b.high)} : unknown;
  default:
    return unknown;
  }
}

/// Integer expressions: the value's node, or -1 if there is nothing to simplify.
int32_t BodyBuilder::simplify(const ScalarNode &n) {
  if (n.op == ScalarOp::Select) {
    std::optional<int64_t> condition = constantValue(n.args[0]);
    if (condition)
      return n.args[*condition ? 1 : 2];
    return n.args[1] == n.args[2] ? n.args[1] : -1;
  }
  if (!isIndexDType(n.dtype) || n.args[1] < 0)
    return -1;
  int32_t a = n.args[0], b = n.args[1];
  std::optional<int64_t> ca = constantValue(a), cb = constantValue(b);
  auto fold = [&](SizeOp op) { return constant(DType::Int64, uint64_t(foldSize(op, *ca, *cb))); };
  switch (n.op) {
  case ScalarOp::Add:
    if (ca && cb)
      return fold(SizeOp::Add);
    if (ca == 0)
      return b;
    if (cb == 0)
      return a;
    if (cb && nodes_[a].op == ScalarOp::Add) // (x + c) + d
      if (std::optional<int64_t> inner = constantValue(nodes_[a].args[1])) {
        int32_t x = nodes_[a].args[0];
        int32_t sum = constant(DType::Int64, uint64_t(*inner) + uint64_t(*cb));
        return add({ScalarOp::Add, n.dtype, {x, sum, -1}, 0});
      }
    if (ca) // constants stand on the right
      return add({ScalarOp::Add, n.dtype, {b, a, -1}, 0});
    return -1;
  case ScalarOp::Sub:
    if (ca && cb)
      return fold(SizeOp::Sub);
    if (cb == 0)
      return a;
    if (a == b)
      return constant(DType::Int64, 0);
    if (cb) {
      int32_t minus = constant(DType::Int64, -uint64_t(*cb));
      return add({ScalarOp::Add, n.dtype, {a, minus, -1}, 0});
    }
    return -1;
  case ScalarOp::Mul:
    if (ca && cb)
      return fold(SizeOp::Mul);
    if (ca == 1 || cb == 0)
      return b;
    if (cb == 1 || ca == 0)
      return a;
    if (ca)
      return add({ScalarOp::Mul, n.dtype, {b, a, -1}, 0});
    return -1;
  case ScalarOp::IntDiv:
    if (ca && cb)
      return fold(SizeOp::FloorDiv);
    if (cb == 1)
      return a;
    if (cb && *cb > 0 && ranges_[a].low >= 0 && ranges_[a].high < *cb)
      return constant(DType::Int64, 0);
    return -1;
  case ScalarOp::Mod:
    if (ca && cb)
      return fold(SizeOp::Mod);
    if (cb == 1)
      return constant(DType::Int64, 0);
    if (cb && *cb > 0 && ranges_[a].low >= 0 && ranges_[a].high < *cb)
      return a;
    return -1;
  case ScalarOp::Maximum:
  case ScalarOp::Minimum: {
    bool isMax = n.op == ScalarOp::Maximum;
    if (ca && cb)
      return fold(isMax ? SizeOp::Max : SizeOp::Min);
    if (a == b || ranges_[a].low >= ranges_[b].high)
      return isMax ? a : b;
    if (ranges_[b].low >= ranges_[a].high)
      return isMax ? b : a;
    return -1;
  }
  default:
    return -1;
  }
}

/// 1, 0, or -1 for a comparison of Int64 that its operands' ranges do not decide.
int32_t BodyBuilder::decide(const ScalarNode &n) const {
  const Range &a = ranges_[n.args[0]], &b = ranges_[n.args[1]];
  bool same = n.args[0] == n.args[1];
  auto verdict = [](bool yes, bool no) { return yes ? 1 : no ? 0 : -1; };
  switch (n.op) {
  case ScalarOp::Lt:
    return verdict(a.high < b.low, same || a.low >= b.high);
  case ScalarOp::Le:
    return verdict(same || a.high <= b.low, a.low > b.high);
  case ScalarOp::Gt:
    return verdict(a.low > b.high, same || a.high <= b.low);
  case ScalarOp::Ge:
    return verdict(same || a.low >= b.high, a.high < b.low);
  case ScalarOp::Eq:
    return verdict(same || (a.low == a.high && b.low == b.high && a.low == b.low),
                   a.high < b.low || b.high < a.low);
  case ScalarOp::Ne:
    return verdict(a.high < b.low || b.high < a.low,
                   same || (a.low == a.high && b.low == b.high && a.low == b.low));
  default:
    return -1;
  }
}

int32_t BodyBuilder::simplifyBool(const ScalarNode &n) {
  int32_t a = n.args[0], b = n.args[1];
  switch (n.op) {
  case ScalarOp::Select:
    return simplify(n);
  case ScalarOp::And:
  case ScalarOp::Or: {
    bool absorbing = n.op == ScalarOp::Or;
    if (std::optional<int64_t> value = constantValue(a))
      return bool(*value) == absorbing ? a : b;
    if (std::optional<int64_t> value = constantValue(b))
      return bool(*value) == absorbing ? b : a;
    return a == b ? a : -1;
  }
  case ScalarOp::Not:
    if (std::optional<int64_t> value = constantValue(a))
      return constant(DType::Bool, !*value);
    return -1;
  case ScalarOp::Lt:
  case ScalarOp::Le:
  case ScalarOp::Gt:
  case ScalarOp::Ge:
  case ScalarOp::Eq:
  case ScalarOp::Ne:
    if (isIndexDType(nodes_[a].dtype))
      if (int32_t known = decide(n); known >= 0)
        return constant(DType::Bool, uint64_t(known));
    return -1;
  default:
    return -1;
  }
}

int32_t BodyBuilder::logicalAnd(int32_t a, int32_t b) {
  if (a < 0 || b < 0)
    return a < 0 ? b : a;
  return add({ScalarOp::And, DType::Bool, {a, b, -1}, 0});
}

int32_t BodyBuilder::select(DType dtype, int32_t condition, int32_t a, int32_t b) {
  return add({ScalarOp::Select, dtype, {condition, a, b}, 0});
}

//===--- finishing ----------------------------------------------------------===//

void orderBody(absl::Span<const ScalarNode> nodes,
               absl::FunctionRef<absl::Span<const int32_t>(int32_t load)> indicesOf,
               absl::Span<int32_t *const> roots, std::vector<int32_t> &order,
               std::vector<int32_t> &stack, std::vector<ScalarNode> &body, Numbers &indices) {
  // Post-order from the roots, operands in their order.
  order.assign(nodes.size(), -1);
  body.clear();
  indices.clear();
  for (int32_t *root : roots) {
    stack.assign(1, *root);
    while (!stack.empty()) {
      int32_t id = stack.back();
      if (order[id] >= 0) {
        stack.pop_back();
        continue;
      }
      const ScalarNode &n = nodes[id];
      size_t pending = stack.size();
      absl::Span<const int32_t> loadIndices =
          n.op == ScalarOp::Load ? indicesOf(id) : absl::Span<const int32_t>();
      // Pushed in reverse, so that the first operand comes first.
      for (size_t k = loadIndices.size(); k-- > 0;)
        if (order[loadIndices[k]] < 0)
          stack.push_back(loadIndices[k]);
      for (int k = 2; k >= 0; --k)
        if (n.args[k] >= 0 && order[n.args[k]] < 0)
          stack.push_back(n.args[k]);
      if (stack.size() != pending)
        continue;
      stack.pop_back();
      order[id] = int32_t(body.size());
      ScalarNode copy = n;
      for (int32_t &arg : copy.args)
        if (arg >= 0)
          arg = order[arg];
      if (n.op == ScalarOp::Load) {
        copy.payload = (n.payload >> 32 << 32) | uint64_t(indices.size());
        for (int32_t i : loadIndices)
          indices.push_back(order[i]);
      }
      body.push_back(copy);
    }
    *root = order[*root];
  }
}

void BodyBuilder::finish(absl::Span<int32_t *const> roots, std::vector<ScalarNode> &body,
                         Numbers &indices) {
  orderBody(
      nodes_, [&](int32_t load) { return indicesOf(nodes_[load]); }, roots, order_, scratch_, body,
      indices);
}

} // namespace graphc
