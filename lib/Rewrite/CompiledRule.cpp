//===- Rewrite/CompiledRule.cpp - matching and replacing by a rule --------===//
//
// A pattern becomes a table in preorder. Matching walks the table and the graph side by side,
// binding names to slots; nothing is allocated until all of it fits. Where a pattern has
// commutative ops, each choice of their orders is one attempt, numbered by the bits of a mask, so
// that an attempt never takes a step back.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>

#include "Graph/Nodes.h"
#include "Ops/Registry.h"
#include "Rewrite/Formula.h"
#include "Rewrite/NodeRewriter.h"
#include "Rewrite/RewriteRun.h"
#include "Rewrite/Uniform.h"
#include "absl/container/inlined_vector.h"
#include "graphc/Features.h"
#include "graphc/OpDef.h"

namespace graphc {

const Tensor &Match::data(std::string_view name) const {
  static const Tensor &none = *new Tensor();
  Variable v = (*this)[name];
  return v.isConstant() ? detail::asLeaf(v.node())->data : none;
}

namespace {

using detail::VariableNode;

/// Numbers of names.
class Slots {
public:
  int of(std::string_view name) const {
    auto at = std::find(names_.begin(), names_.end(), name);
    return at == names_.end() ? -1 : int(at - names_.begin());
  }
  int add(std::string_view name) {
    int slot = of(name);
    if (slot >= 0)
      return slot;
    names_.emplace_back(name);
    return int(names_.size()) - 1;
  }
  size_t size() const { return names_.size(); }

private:
  std::vector<std::string> names_;
};

/// A term of a pattern; its arguments follow, each with its own.
struct PatternTerm {
  Formula::Kind kind;
  const OpDef *op = nullptr;
  uint32_t numArguments = 0;
  /// Terms of this subtree.
  uint32_t size = 1;
  /// Of a name.
  int slot = -1;
  double number = 0;
  /// Bit of the mask that exchanges its operands; -1 where they have one order.
  int exchangeBit = -1;
  /// The first operand whose dtype takes part in the result's; numArguments where none does.
  uint32_t firstPromoted = 0;
  uint32_t firstAttribute = 0;
  uint32_t numAttributes = 0;
};

/// Each doubles the attempts.
constexpr int kMaxExchanges = 8;

struct PatternAttribute {
  std::string name;
  int slot = -1; // binds; otherwise it must have this value
  AttributeValue value;
};

struct Pattern {
  std::vector<PatternTerm> terms;
  std::vector<PatternAttribute> attributes;
  Slots names;
  Slots attributeNames;
  int numExchanges = 0;

  void add(const Formula &formula);
};

/// Of ops whose other operands are conditions, positions, shapes, or give only their shape.
uint32_t firstPromoted(std::string_view op, uint32_t numArguments) {
  if (op == "switch")
    return 1;
  constexpr std::string_view kOneDtype[] = {
      "second", "reshape", "broadcastTo", "specifyShape", "specifyShapeLike", "subtensor", "take"};
  return std::ranges::find(kOneDtype, op) != std::end(kOneDtype) ? numArguments : 0;
}

void Pattern::add(const Formula &formula) {
  size_t at = terms.size();
  PatternTerm term{formula.kind};
  term.number = formula.number;
  if (formula.kind == Formula::Kind::Name || formula.kind == Formula::Kind::Constant)
    term.slot = names.add(formula.name);
  if (formula.kind == Formula::Kind::Node) {
    term.op = formula.op;
    term.numArguments = uint32_t(formula.arguments.size());
    if (formula.op->commutative && term.numArguments == 2)
      term.exchangeBit = numExchanges++;
    term.firstPromoted = firstPromoted(formula.op->name, term.numArguments);
    term.firstAttribute = uint32_t(attributes.size());
    for (const AttributeSpec &spec : formula.op->attributes) {
      auto given = std::find_if(formula.attributes.begin(), formula.attributes.end(),
                                [&](const Formula::Attribute &a) { return a.name == spec.name; });
      if (given == formula.attributes.end())
        attributes.push_back({spec.name, -1, spec.defaultValue.value_or(NoneAttr())});
      else if (given->binding.empty())
        attributes.push_back({spec.name, -1, given->value});
      else
        attributes.push_back({spec.name, attributeNames.add(given->binding), {}});
    }
    term.numAttributes = uint32_t(attributes.size()) - term.firstAttribute;
  }
  terms.push_back(term);
  for (const Formula &argument : formula.arguments)
    add(argument);
  terms[at].size = uint32_t(terms.size() - at);
}

/// One attempt.
struct Bindings {
  absl::InlinedVector<VariableNode *, 8> variables;
  absl::InlinedVector<const AttributeValue *, 4> attributes;
};

bool matchAttributes(const Pattern &pattern, const PatternTerm &term, const Op &op,
                     Bindings &bindings) {
  for (uint32_t i = 0; i < term.numAttributes; ++i) {
    const PatternAttribute &wanted = pattern.attributes[term.firstAttribute + i];
    const AttributeValue *value = op.attributes().find(wanted.name);
    if (!value)
      return false;
    const AttributeValue *&bound = bindings.attributes[size_t(std::max(wanted.slot, 0))];
    if (wanted.slot < 0) {
      if (!identical(*value, wanted.value))
        return false;
    } else if (!bound) {
      bound = value;
    } else if (!identical(*bound, *value)) {
      return false;
    }
  }
  return true;
}

/// Whether a node's operands have one dtype. A rule moves arithmetic from node to node; where an
/// operand is promoted on its way, the same op elsewhere may be one of fewer bits, and wrap.
/// Numbers of the pattern have the value wherever they stand, if they do not widen the node.
bool hasOneDtype(const Pattern &pattern, size_t at, detail::ApplyNode &node, bool exchange) {
  const PatternTerm &term = pattern.terms[at];
  std::optional<DType> common;
  for (bool numbers : {false, true}) {
    size_t child = at + 1;
    for (uint32_t i = 0; i < term.numArguments; child += pattern.terms[child].size, ++i) {
      if (i < term.firstPromoted || (pattern.terms[child].kind == Formula::Kind::Number) != numbers)
        continue;
      DType dtype = node.input(exchange ? 1 - i : i)->type.dtype();
      bool widens =
          common && promote(*common, dtype) != *common && node.output(0)->type.dtype() != *common;
      if (numbers ? widens : common && dtype != *common)
        return false;
      if (!numbers)
        common = dtype;
    }
  }
  return true;
}

/// Whether the subtree at `at` stands for `v`. Recurses as deep as the rule's formula.
/// Whether a constant of the dtype is the number, or the nearest one that the dtype has.
bool isNumber(double value, double number, DType dtype) {
  constexpr double kCoarsest = 0x1p-8; // of the dtypes of floats: bfloat16
  if (value == number || !isFloat(dtype) || dtype == DType::Float64 ||
      !(std::abs(value - number) <= kCoarsest * std::abs(number)))
    return value == number;
  return value == Tensor(number).cast(dtype).cast(DType::Float64).item<double>();
}

/// Rules are about real numbers.
bool hasComplex(detail::ApplyNode &node) {
  bool has = isComplex(node.output(0)->type.dtype());
  for (uint32_t i = 0; i < node.numInputs; ++i)
    has |= isComplex(node.input(i)->type.dtype());
  return has;
}

bool matches(const Pattern &pattern, size_t at, VariableNode *v, uint32_t mask,
             Bindings &bindings) {
  const PatternTerm &term = pattern.terms[at];
  switch (term.kind) {
  case Formula::Kind::Constant:
    if (!v->constant)
      return false;
    [[fallthrough]];
  case Formula::Kind::Name: {
    VariableNode *&bound = bindings.variables[size_t(term.slot)];
    if (!bound)
      bound = v;
    return bound == v;
  }
  case Formula::Kind::Number: {
    std::optional<double> value = uniformValue(v);
    return value && isNumber(*value, term.number, v->type.dtype());
  }
  case Formula::Kind::Node:
    break;
  }
  detail::ApplyNode *node = v->owner;
  if (!node || &node->op.def() != term.op || v->index != 0 ||
      node->numInputs != term.numArguments || hasComplex(*node) ||
      !matchAttributes(pattern, term, node->op, bindings))
    return false;
  bool exchange = term.exchangeBit >= 0 && (mask >> term.exchangeBit & 1);
  size_t child = at + 1;
  for (uint32_t i = 0; i < term.numArguments; ++i) {
    if (!matches(pattern, child, node->input(exchange ? 1 - i : i), mask, bindings))
      return false;
    child += pattern.terms[child].size;
  }
  return hasOneDtype(pattern, at, *node, exchange);
}

/// Whether the operands' ops let the pattern match in some order: refuses most nodes at once.
bool mayMatch(const Pattern &pattern, detail::ApplyNode *node) {
  const PatternTerm &root = pattern.terms[0];
  if (node->numInputs != root.numArguments)
    return false;
  auto mayBe = [&](uint32_t input, const PatternTerm &term) -> bool {
    VariableNode *v = node->input(input);
    switch (term.kind) {
    case Formula::Kind::Node:
      return v->owner && &v->owner->op.def() == term.op;
    case Formula::Kind::Number:
      return mayBeUniform(v);
    case Formula::Kind::Constant:
      return v->constant;
    case Formula::Kind::Name:
      break;
    }
    return true;
  };
  size_t child = 1;
  for (uint32_t i = 0; i < root.numArguments; child += pattern.terms[child].size, ++i) {
    const PatternTerm &term = pattern.terms[child];
    if (!mayBe(i, term) && (root.exchangeBit < 0 || !mayBe(1 - i, term)))
      return false;
  }
  return true;
}

/// The nodes that the pattern's ops stand for.
void collectNodes(const Pattern &pattern, size_t at, VariableNode *v, uint32_t mask,
                  std::vector<Apply> &nodes) {
  const PatternTerm &term = pattern.terms[at];
  if (term.kind != Formula::Kind::Node)
    return;
  nodes.push_back(Apply::fromNode(v->owner));
  bool exchange = term.exchangeBit >= 0 && (mask >> term.exchangeBit & 1);
  size_t child = at + 1;
  for (uint32_t i = 0; i < term.numArguments; ++i) {
    collectNodes(pattern, child, v->owner->input(exchange ? 1 - i : i), mask, nodes);
    child += pattern.terms[child].size;
  }
}

class RuleMatch : public Match {
public:
  RuleMatch(FunctionGraph &graph, const Apply &root, const Pattern &pattern,
            const Bindings &bindings)
      : graph_(graph), root_(root), pattern_(pattern), bindings_(bindings) {}
  const FunctionGraph &graph() const override { return graph_; }
  ShapeFeature &shapes() const override { return shapesOf(graph_); }
  const Apply &root() const override { return root_; }
  Variable operator[](std::string_view name) const override {
    int slot = pattern_.names.of(name);
    VariableNode *node = slot < 0 ? nullptr : bindings_.variables[size_t(slot)];
    return node ? Variable::fromNode(node) : Variable();
  }
  const AttributeValue &attribute(std::string_view name) const override {
    static const AttributeValue &kNone = *new AttributeValue(NoneAttr());
    int slot = pattern_.attributeNames.of(name);
    return slot < 0 ? kNone : *bindings_.attributes[size_t(slot)];
  }

  void alsoReplaces(const Apply &node) const override { further_.push_back(node); }
  const std::vector<Apply> &further() const { return further_; }

private:
  FunctionGraph &graph_;
  const Apply &root_;
  const Pattern &pattern_;
  const Bindings &bindings_;
  mutable std::vector<Apply> further_;
};

class CompiledRule : public NodeRewriter {
public:
  CompiledRule(std::shared_ptr<const Rule> rule, int depth, Pattern pattern, Formula replacement)
      : rule_(std::move(rule)), pattern_(std::move(pattern)), replacement_(std::move(replacement)),
        depth_(depth) {}

  const std::string &name() const override { return rule_->name; }
  std::string_view className() const override { return "Rule"; }
  Effects effects() const override { return rule_->effects; }
  /// Computed when it is first asked for; where threads do so at once, each gets the same.
  double cost() const override {
    double known = cost_.load(std::memory_order_relaxed);
    if (std::isnan(known))
      cost_.store(known = ruleCost(*rule_), std::memory_order_relaxed);
    return known;
  }
  const OpDef *root() const override { return pattern_.terms[0].op; }
  int depth() const override { return depth_; }

  Proposal propose(FunctionGraph &graph, const Apply &node,
                   std::vector<Apply> *matched) const override {
    if (!mayMatch(pattern_, node.node()))
      return {};
    VariableNode *root = node.node()->output(0);
    Bindings bindings;
    for (uint32_t mask = 0; mask < uint32_t(1) << pattern_.numExchanges; ++mask) {
      bindings.variables.assign(pattern_.names.size(), nullptr);
      bindings.attributes.assign(std::max<size_t>(pattern_.attributeNames.size(), 1), nullptr);
      if (!matches(pattern_, 0, root, mask, bindings))
        continue;
      RuleMatch match(graph, node, pattern_, bindings);
      if (rule_->when.holds && !rule_->when.holds(match))
        continue;
      Proposal made = make(match);
      if (made.empty())
        continue;
      // Another order of operands may have the right type.
      if (const Variables &fresh = made.outputs;
          !fresh.empty() && !isNone(fresh[0]) &&
          (!fresh[0].ok() || !keepsType(node.output(0).type(), fresh[0].type())))
        continue;
      if (matched) {
        collectNodes(pattern_, 0, root, mask, *matched);
        matched->insert(matched->end(), match.further().begin(), match.further().end());
      }
      return made;
    }
    return {};
  }

private:
  Proposal make(const RuleMatch &match) const {
    if (rule_->build)
      return rule_->build(match);
    std::map<std::string, Term> terms;
    for (const auto &[name, function] : rule_->terms) {
      Term term = function(match);
      if (std::holds_alternative<std::monostate>(term))
        return {};
      terms.emplace(name, std::move(term));
    }
    Variable v = instantiate(replacement_, match, terms);
    return v.ok() ? Proposal(Variables{v}) : Proposal();
  }

  Variable instantiate(const Formula &formula, const RuleMatch &match,
                       const std::map<std::string, Term> &terms) const {
    if (formula.kind != Formula::Kind::Node) {
      auto term = terms.find(formula.name);
      if (term == terms.end())
        return match[formula.name];
      const Variable *computed = std::get_if<Variable>(&term->second);
      return computed ? *computed : Variable();
    }
    Place place = match.root().place();
    std::vector<Operand> operands;
    for (const Formula &argument : formula.arguments) {
      if (argument.kind != Formula::Kind::Number)
        operands.emplace_back(instantiate(argument, match, terms), place);
      else if (formula.op->name == "second" && !operands.empty())
        // Of x's dtype, in which second itself takes no part.
        operands.emplace_back(Tensor(argument.number).cast(operands[0].variable().dtype()));
      else if (argument.isInteger)
        operands.emplace_back(int64_t(argument.number));
      else
        operands.emplace_back(argument.number);
    }
    Attributes attributes;
    for (const Formula::Attribute &a : formula.attributes) {
      auto term = terms.find(a.binding);
      const AttributeValue *value = &a.value;
      if (term != terms.end())
        value = std::get_if<AttributeValue>(&term->second);
      else if (!a.binding.empty())
        value = &match.attribute(a.binding);
      if (!value)
        return Variable();
      attributes.set(a.name, *value);
    }
    absl::StatusOr<Op> op = Op::create(*formula.op, attributes);
    return op.ok() ? op->call(operands, place) : Variable::invalid(op.status());
  }

  std::shared_ptr<const Rule> rule_;
  Pattern pattern_;
  Formula replacement_;
  int depth_;
  mutable std::atomic<double> cost_ = std::numeric_limits<double>::quiet_NaN();
};

/// Whether all names of a replacement are known.
absl::Status checkNames(const Formula &formula, const Rule &rule, const Pattern &pattern) {
  auto fail = [&](const std::string &name) {
    return makeError(ErrorKind::ValueError,
                     "rule " + rule.name + ": '" + name + "' stands in the replacement only");
  };
  bool isName = formula.kind == Formula::Kind::Name || formula.kind == Formula::Kind::Constant;
  if (isName && pattern.names.of(formula.name) < 0 && !rule.terms.contains(formula.name))
    return fail(formula.name);
  for (const Formula::Attribute &a : formula.attributes)
    if (!a.binding.empty() && pattern.attributeNames.of(a.binding) < 0 &&
        !rule.terms.contains(a.binding))
      return fail(a.binding);
  for (const Formula &argument : formula.arguments)
    if (absl::Status status = checkNames(argument, rule, pattern); !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<NodeRewriterPtr> compileRule(const Rule &rule) {
  return compileRule(std::make_shared<const Rule>(rule));
}

absl::StatusOr<NodeRewriterPtr> compileRule(std::shared_ptr<const Rule> shared) {
  const Rule &rule = *shared;
  absl::StatusOr<Formula> pattern = parseFormula(rule.pattern);
  if (!pattern.ok())
    return prefixError(pattern.status(), "rule " + rule.name);
  if (pattern->kind != Formula::Kind::Node)
    return makeError(ErrorKind::ValueError,
                     "rule " + rule.name + ": the pattern '" + rule.pattern + "' has no op");
  for (const auto &[name, term] : rule.terms)
    if (!term)
      return makeError(ErrorKind::ValueError,
                       "rule " + rule.name + ": the term '" + name + "' has no function");
  Pattern compiled;
  compiled.add(*pattern);
  if (compiled.numExchanges > kMaxExchanges)
    return makeError(ErrorKind::ValueError, "rule " + rule.name + ": the pattern has " +
                                                std::to_string(compiled.numExchanges) +
                                                " commutative ops; at most " +
                                                std::to_string(kMaxExchanges) + " are tried");
  Formula replacement;
  if (!rule.build) {
    absl::StatusOr<Formula> parsed = parseFormula(rule.replacement);
    if (!parsed.ok())
      return prefixError(parsed.status(), "rule " + rule.name);
    if (parsed->kind == Formula::Kind::Number)
      return makeError(ErrorKind::ValueError, "rule " + rule.name + ": the number '" +
                                                  rule.replacement +
                                                  "' has no type of its own; second(x, " +
                                                  rule.replacement + ") takes x's dtype and shape");
    if (absl::Status status = checkNames(*parsed, rule, compiled); !status.ok())
      return status;
    replacement = *std::move(parsed);
  }
  return std::make_shared<const CompiledRule>(std::move(shared), pattern->depth(),
                                              std::move(compiled), std::move(replacement));
}

} // namespace graphc
