//===- Rewrite/Chains.cpp - chains of associative ops as a whole ----------===//
//
//   x + y - x + 2 * y + 1 + 3   ->   y * 3 + 4
//
// A chain is the largest tree of nodes of one family and one dtype in which each node but the root
// has no other use. So each node stands in one chain, and a pass over all chains is linear in the
// graph. A chain becomes a list of operands with weights (how often it is added, multiplied, or
// met), and is built anew only if that list is shorter than the chain: that ends.
//
//===----------------------------------------------------------------------===//
#include "Rewrite/Chains.h"

#include <algorithm>

#include "Eval/Evaluate.h"
#include "Graph/Nodes.h"
#include "Ops/Registry.h"
#include "Rewrite/RewriteRun.h"
#include "Rewrite/Uniform.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "graphc/Ops.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

using detail::ApplyNode;
using detail::VariableNode;

enum class Algebra {
  Sum,        // add, sub, neg, products with a number
  Product,    // mul, neg, and for floats trueDiv and reciprocal
  Idempotent, // x op x is x
  Parity,     // x op x is zero
};

struct Family {
  std::string_view op;
  Algebra algebra;
};

constexpr Family kFamilies[] = {
    {"add", Algebra::Sum},
    {"mul", Algebra::Product},
    {"maximum", Algebra::Idempotent},
    {"minimum", Algebra::Idempotent},
    {"bitwiseAnd", Algebra::Idempotent},
    {"bitwiseOr", Algebra::Idempotent},
    {"bitwiseXor", Algebra::Parity},
    {"logicalAnd", Algebra::Idempotent},
    {"logicalOr", Algebra::Idempotent},
    {"logicalXor", Algebra::Parity},
};

const Family *familyOf(std::string_view op) {
  auto at = std::ranges::find(kFamilies, op, &Family::op);
  return at == std::end(kFamilies) ? nullptr : at;
}

/// What a node of a family does with its operands; bit i: operand i is subtracted or divided by.
/// None: it is no node of the family.
std::optional<uint32_t> inversions(const Family &family, std::string_view op) {
  if (op == family.op)
    return 0;
  if (family.algebra == Algebra::Sum)
    return op == "sub" ? std::optional(2u) : op == "neg" ? std::optional(1u) : std::nullopt;
  if (family.algebra == Algebra::Product)
    return op == "trueDiv"      ? std::optional(2u)
           : op == "reciprocal" ? std::optional(1u)
           : op == "neg"        ? std::optional(0u)
                                : std::nullopt;
  return std::nullopt;
}

/// A chain of more operands is left alone: it would be copied as a whole.
constexpr size_t kMostOperands = size_t(1) << 20;
/// Larger constants are data; they are not added at compile time.
constexpr int64_t kMostElements = 4096;

/// An operand, and how often it is met: for integers modulo their range.
struct Member {
  VariableNode *v;
  uint64_t count = 0;
  double scale = 0;
  /// The product with a number that it was, if it was met but once.
  VariableNode *whole = nullptr;
};

/// One chain: taken apart, then built anew.
class Chain {
public:
  Chain(FunctionGraph &graph, const Family &family, const Apply &root, Effects allowed)
      : graph_(graph), family_(family), root_(root), type_(root.output(0).type()),
        dtype_(type_.dtype()), place_(root.place()), mayDropShapes_(allowed & kShapeUnsafe) {}

  /// What the chain comes to in fewer operands; Invalid where there is no such thing.
  Variable simplified() {
    if (!takeApart() || count() >= occurrences_)
      return Variable();
    // Without a constant that changes nothing, unless the shape needs it.
    for (bool dropsNeutral : {true, false})
      if (Variable v = build(dropsNeutral); v.ok() && keepsType(type_, v.type()))
        return v;
    return Variable();
  }
  std::vector<Apply> takeNodes() { return std::move(nodes_); }

private:
  struct Pending {
    VariableNode *v;
    bool inverse;
  };

  bool isNode(const VariableNode *v) const {
    return v->owner && v->index == 0 && v->type.dtype() == dtype_ &&
           inversions(family_, v->owner->op.def().name);
  }
  bool isInner(VariableNode *v) const {
    return isNode(v) && graph_.numClients(Variable::fromNode(v)) == 1;
  }

  bool takeApart() {
    std::vector<Pending> pending = {{root_.node()->output(0), false}};
    bool isRoot = true;
    while (!pending.empty()) {
      auto [v, inverse] = pending.back();
      pending.pop_back();
      if (!isRoot && !isInner(v)) {
        if (!addOperand(v, inverse))
          return false;
        continue;
      }
      isRoot = false;
      ApplyNode *node = v->owner;
      nodes_.push_back(Apply::fromNode(node));
      uint32_t inverted = *inversions(family_, node->op.def().name);
      if (family_.algebra == Algebra::Product && node->op.def().name == "neg" &&
          !addConstant(Tensor(int64_t(-1)).cast(dtype_), false))
        return false;
      for (uint32_t i = node->numInputs; i-- > 0;)
        pending.push_back({node->input(i), inverse != (i < 32 && (inverted >> i & 1))});
      if (pending.size() + operands_.size() > kMostOperands)
        return false;
    }
    return true;
  }

  bool addOperand(VariableNode *v, bool inverse) {
    if (v->constant && v->type.numElements() <= kMostElements && v->type.numElements() > 0)
      return addConstant(detail::asLeaf(v)->data, inverse);
    ++occurrences_;
    uint64_t count = 1;
    double scale = 1;
    VariableNode *whole = nullptr;
    if (family_.algebra == Algebra::Sum)
      if (std::optional<size_t> i = factorOf(v)) {
        const Tensor &factor = detail::asLeaf(v->owner->input(*i))->data;
        whole = v;
        if (isFloat(dtype_))
          scale = factor.cast(DType::Float64).item<double>();
        else
          count = uint64_t(factor.cast(DType::Int64).item<int64_t>());
        v = v->owner->input(1 - *i);
      }
    auto [at, isNew] = index_.try_emplace(v, operands_.size());
    if (isNew)
      operands_.push_back({v});
    Member &operand = operands_[at->second];
    operand.whole = isNew ? whole : nullptr;
    operand.count += inverse ? 0 - count : count;
    operand.scale += inverse ? -scale : scale;
    return true;
  }

  /// The input of a product that is a number, if the other one has the chain's dtype.
  std::optional<size_t> factorOf(const VariableNode *v) const {
    if (!v->owner || v->owner->op.def().name != "mul" || v->owner->numInputs != 2 ||
        v->type.dtype() != dtype_)
      return std::nullopt;
    for (size_t i : {1, 0}) {
      VariableNode *number = v->owner->input(uint32_t(i)),
                   *other = v->owner->input(uint32_t(1 - i));
      if (number->constant && number->type.rank() == 0 && !other->constant &&
          other->type.dtype() == dtype_)
        return i;
    }
    return std::nullopt;
  }

  bool addConstant(const Tensor &value, bool inverse) {
    ++occurrences_;
    bool logical = family_.op.starts_with("logical");
    Tensor operand = logical ? value : value.cast(dtype_);
    if (!constant_.defined() && !inverse) {
      constant_ = operand;
      return true;
    }
    if (!constant_.defined())
      constant_ = neutral();
    std::string_view op = !inverse                          ? family_.op
                          : family_.algebra == Algebra::Sum ? "sub"
                                                            : "trueDiv";
    TensorsOr folded = evaluate(*Op::create(*findOp(op)), {constant_, operand});
    if (!folded.ok() || (*folded)[0].dtype() != dtype_ ||
        (*folded)[0].numElements() > kMostElements)
      return false;
    constant_ = (*folded)[0];
    return true;
  }

  Tensor neutral() const {
    return Tensor(int64_t(family_.algebra == Algebra::Product)).cast(dtype_);
  }

  /// The number of least magnitude that is `count` modulo the dtype's range.
  int64_t wrapped(uint64_t count) const {
    int unused = 64 - 8 * byteSize(dtype_);
    return int64_t(count << unused) >> unused;
  }
  bool vanishes(const Member &operand) const {
    switch (family_.algebra) {
    case Algebra::Sum:
      return isFloat(dtype_) ? operand.scale == 0 : wrapped(operand.count) == 0;
    case Algebra::Product:
      return operand.count == 0;
    case Algebra::Parity:
      return operand.count % 2 == 0;
    case Algebra::Idempotent:
      return false;
    }
    return false;
  }
  size_t count() const {
    return size_t(std::ranges::count_if(operands_, [&](const auto &o) { return !vanishes(o); })) +
           constant_.defined();
  }

  Variable call(std::string_view op, const Variable &a, const Variable &b) const {
    return Op::create(*findOp(op))->call({Operand(a, place_), Operand(b, place_)}, place_);
  }
  Variable call(std::string_view op, const Variable &a) const {
    return Op::create(*findOp(op))->call({Operand(a, place_)}, place_);
  }
  Variable number(const Tensor &value) const { return Constant::adopt(value, {}, place_); }
  /// Nothing is computed in fewer bits than in the chain.
  Variable ownDType(VariableNode *node) const {
    Variable v = Variable::fromNode(node);
    if (v.dtype() == dtype_ || family_.op.starts_with("logical"))
      return v;
    return Op::create(*findOp("cast"), {{"dtype", dtype_}})->call({Operand(v, place_)}, place_);
  }
  void join(Variable &all, std::string_view op, const Variable &v) const {
    all = all.ok() ? call(op, all, v) : v;
  }

  Variable build(bool dropsNeutral) const {
    bool hasConstant = constant_.defined() && !(dropsNeutral && isNeutral());
    if (count() - constant_.defined() + hasConstant == 0)
      return withShape(number(neutral()));
    return withShape(family_.algebra == Algebra::Sum       ? sum(hasConstant)
                     : family_.algebra == Algebra::Product ? product(hasConstant)
                                                           : plain(hasConstant));
  }

  /// What vanished takes part in the shape, and is computed where that may fail.
  Variable withShape(Variable built) const {
    for (bool fixed : {false, true})
      for (const Member &operand : operands_) {
        if (!vanishes(operand) || (operand.v->type.numElements() != kDynamic) != fixed)
          continue;
        if (keepsType(type_, built.type()) &&
            (mayDropShapes_ ||
             (fixed && shapesOf(graph_).neverFails(Variable::fromNode(operand.v)))))
          continue;
        built = call("second", Variable::fromNode(operand.v), built);
      }
    return built;
  }

  bool isNeutral() const {
    std::optional<double> value = uniform();
    return value && family_.algebra != Algebra::Idempotent &&
           *value == (family_.algebra == Algebra::Product ? 1 : 0);
  }
  std::optional<double> uniform() const {
    Variable v = number(constant_);
    return uniformValue(v.node());
  }

  Variable sum(bool hasConstant) const {
    Variable all;
    Variables subtracted;
    for (const Member &operand : operands_) {
      if (vanishes(operand))
        continue;
      auto [term, negative] = scaled(operand);
      if (negative)
        subtracted.push_back(term);
      else
        join(all, "add", term);
    }
    if (hasConstant)
      join(all, "add", number(constant_));
    for (const Variable &term : subtracted)
      all = all.ok() ? call("sub", all, term) : call("neg", term);
    return all;
  }
  /// The operand times its count, and whether to subtract it.
  std::pair<Variable, bool> scaled(const Member &operand) const {
    return isFloat(dtype_)
               ? scaledBy(operand, operand.scale,
                          [](const Tensor &t) { return t.cast(DType::Float64).item<double>(); })
               : scaledBy(operand, wrapped(operand.count), [&](const Tensor &t) {
                   return wrapped(uint64_t(t.cast(DType::Int64).item<int64_t>()));
                 });
  }
  static double negated(double scale) { return -scale; }
  /// Of the least integer itself: modulo the range that is right, too.
  static int64_t negated(int64_t scale) { return int64_t(0 - uint64_t(scale)); }
  template <class Number, class Read>
  std::pair<Variable, bool> scaledBy(const Member &operand, Number scale, const Read &read) const {
    Number opposite = negated(scale);
    if (operand.whole) {
      VariableNode *factor = operand.whole->owner->input(uint32_t(*factorOf(operand.whole)));
      Number own = read(detail::asLeaf(factor)->data);
      if (own == scale || own == opposite)
        return {Variable::fromNode(operand.whole), own != scale};
    }
    Variable v = ownDType(operand.v);
    bool negative = scale < 0;
    if (scale == 1 || scale == -1)
      return {v, negative};
    Tensor factor = Tensor(negative ? opposite : scale).cast(dtype_);
    return {call("mul", v, number(factor)), negative};
  }

  Variable product(bool hasConstant) const {
    Variable above, below;
    for (const Member &operand : operands_)
      if (int64_t(operand.count) > 0)
        join(above, "mul", power(ownDType(operand.v), operand.count));
      else if (!vanishes(operand))
        join(below, "mul", power(ownDType(operand.v), 0 - operand.count));
    bool negates = hasConstant && constant_.rank() == 0 && uniform() == -1.0 && above.ok();
    if (hasConstant && !negates)
      join(above, "mul", number(constant_));
    if (below.ok())
      above = above.ok() ? call("trueDiv", above, below) : call("reciprocal", below);
    return negates ? call("neg", above) : above;
  }
  /// By repeated squares.
  Variable power(Variable base, uint64_t exponent) const {
    Variable result;
    for (; exponent > 0; exponent /= 2) {
      if (exponent % 2)
        join(result, "mul", base);
      if (exponent > 1)
        base = call("sqr", base);
    }
    return result;
  }

  Variable plain(bool hasConstant) const {
    Variable all;
    for (const Member &operand : operands_)
      if (!vanishes(operand))
        join(all, family_.op, ownDType(operand.v));
    if (hasConstant)
      join(all, family_.op, number(constant_));
    return all;
  }

  FunctionGraph &graph_;
  const Family &family_;
  const Apply &root_;
  Type type_;
  DType dtype_;
  Place place_;
  bool mayDropShapes_;
  std::vector<Apply> nodes_;
  std::vector<Member> operands_;
  absl::flat_hash_map<VariableNode *, size_t> index_;
  size_t occurrences_ = 0;
  Tensor constant_;
};

struct CompiledChain {
  ChainRule rule;
  const Family *family;

  bool concerns(DType dtype) const {
    if (isComplex(dtype))
      return false;
    switch (family->algebra) {
    case Algebra::Sum:
    case Algebra::Product:
      return !isBool(dtype) && isFloat(dtype) == rule.floats;
    case Algebra::Idempotent:
    case Algebra::Parity:
      return isFloat(dtype) == rule.floats;
    }
    return false;
  }
};

class ChainRewriter : public GraphRewriter {
public:
  explicit ChainRewriter(std::vector<ChainRule> rules) {
    for (ChainRule &rule : rules)
      if (const Family *family = familyOf(rule.op))
        rules_.push_back({std::move(rule), family});
    for (size_t i = 0; i < rules_.size(); ++i)
      for (const OpDef *op : allOps())
        if (inversions(*rules_[i].family, op->name))
          byOp_[op].push_back(i);
  }
  std::string_view name() const override { return "chains"; }
  bool isSafe() const override { return true; }

  absl::Status rewrite(FunctionGraph &graph, const RewriteOptions &options,
                       RewriteReport &report) const override {
    RewriteRun run(graph, options, report);
    for (const Apply &node : graph.applyNodes()) {
      auto rules = byOp_.find(&node.op().def());
      if (rules == byOp_.end())
        continue;
      for (size_t i : rules->second) {
        if (run.ended() || !graph.contains(node))
          break;
        if (absl::Status status = visit(rules_[i], graph, node, options, run); !status.ok())
          return status;
      }
    }
    return absl::OkStatus();
  }

private:
  static absl::Status visit(const CompiledChain &chain, FunctionGraph &graph, const Apply &node,
                            const RewriteOptions &options, RewriteRun &run) {
    if ((chain.rule.effects & ~options.allowed & ~kShapeUnsafe) ||
        !chain.concerns(node.output(0).dtype()) || !isRoot(*chain.family, graph, node))
      return absl::OkStatus();
    Chain parts(graph, *chain.family, node, options.allowed);
    Variable simplified = parts.simplified();
    if (!simplified.ok())
      return absl::OkStatus();
    return run
        .apply({chain.rule.name, chain.rule.effects}, node, Variables{simplified},
               parts.takeNodes())
        .status();
  }

  /// Whether no other node of the chain uses it.
  static bool isRoot(const Family &family, const FunctionGraph &graph, const Apply &node) {
    Variable v = node.output(0);
    if (graph.numClients(v) != 1)
      return true;
    Client client = graph.clients(v)->front();
    return client.isOutput() || client.node.output(0).dtype() != v.dtype() ||
           !inversions(family, client.node.op().def().name);
  }

  std::vector<CompiledChain> rules_;
  absl::flat_hash_map<const OpDef *, std::vector<size_t>> byOp_;
};

} // namespace

GraphRewriterPtr chainRewriter(std::vector<ChainRule> rules) {
  return std::make_shared<ChainRewriter>(std::move(rules));
}

absl::Status checkChainRule(const ChainRule &rule) {
  if (familyOf(rule.op))
    return absl::OkStatus();
  return makeError(ErrorKind::ValueError,
                   "rule " + rule.name + ": nothing is known of chains of '" + rule.op + "'");
}

} // namespace graphc
