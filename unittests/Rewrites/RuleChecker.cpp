#include "RuleChecker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "Eval/Evaluate.h"
#include "Rewrite/Formula.h"
#include "graphc/Print.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

enum class Values { Small, Moderate, Extreme, NonFinite };

std::vector<double> pool(Values values, DType dtype) {
  if (isBool(dtype))
    return {0, 1};
  if (!isFloat(dtype)) {
    std::vector<double> all = {0, 1, 2, 3, 5, 7, 100};
    if (isSignedInt(dtype))
      all.insert(all.end(), {-1, -2, -3, -100});
    if (values != Values::Moderate)
      all.insert(all.end(), {127, isSignedInt(dtype) ? -128.0 : 255.0, 12345, 1e9});
    return all;
  }
  if (values == Values::Small)
    return {1e-3, -2.5e-3, 7e-5, -0.011, 0.0625, 3e-6, -1e-9, 0.02, 0.003, -0.3};
  std::vector<double> all = {0.0, -0.0, 1,   -1,   0.5,  -0.5, 2,     -3.25, 0.75,
                             4.5, -6.0, 0.1, -0.2, 1e-3, 3.7,  -0.99, 1e-20, 7.25};
  if (values == Values::Extreme)
    all.insert(all.end(), {30, -30, 88, -88, 709, -745, 1e8, -1e8, 1e30, -1e300, 1e-30, 1e-300});
  if (values == Values::NonFinite)
    all.insert(all.end(), {kInf, -kInf, kNan, kInf, -kInf, kNan});
  return all;
}

/// What one instance of a pattern's names and attributes is.
struct Instance {
  /// Of the first name, and of the others.
  DType dtype, other;
  int shapes;
  int constants;
  int attributes;
};

/// Builds a graph from a formula.
class Builder {
public:
  explicit Builder(Instance instance) : instance_(instance) {}

  Variable build(const Formula &f) {
    switch (f.kind) {
    case Formula::Kind::Name:
      return named(f.name);
    case Formula::Kind::Constant:
      return constantNamed(f.name);
    case Formula::Kind::Number:
      return constant(Tensor(f.number));
    case Formula::Kind::Node:
      break;
    }
    std::vector<Operand> operands;
    for (const Formula &a : f.arguments) {
      if (a.kind != Formula::Kind::Number)
        operands.emplace_back(build(a));
      else if (a.isInteger)
        operands.emplace_back(int64_t(a.number));
      else
        operands.emplace_back(a.number);
    }
    Attributes attributes;
    for (const Formula::Attribute &a : f.attributes)
      attributes.set(a.name, a.binding.empty() ? a.value : candidate(a.name, a.binding));
    absl::StatusOr<Op> op = Op::create(*f.op, attributes);
    return op.ok() ? op->call(operands, {}) : Variable::invalid(op.status());
  }
  Variables inputs;

private:
  std::vector<int64_t> shapeOf(size_t number) const {
    static const std::vector<std::vector<std::vector<int64_t>>> kShapes = {
        {{}},          {{3}},     {{0}},           {{2, 3}},   {{2, 3}, {1, 3}},
        {{2, 3}, {3}}, {{3}, {}}, {{kDynamic, 3}}, {{3, 3}},   {{2, 0, 2}},
        {{1}},         {{4}},     {{kDynamic}},    {{1}, {4}}, {{kDynamic}, {1}}};
    const auto &variant = kShapes[size_t(instance_.shapes)];
    return variant[number % variant.size()];
  }
  Variable named(const std::string &name) {
    auto at = names_.find(name);
    if (at != names_.end())
      return at->second;
    Variable made;
    if (name == "n" || name == "m") {
      static const std::vector<std::vector<double>> kTargets = {{6}, {-1}, {3, 2}, {2, 3}, {3}};
      const auto &target = kTargets[size_t(instance_.attributes + (name == "m")) % kTargets.size()];
      std::vector<int64_t> ints(target.begin(), target.end());
      made = constant(*Tensor::fromSpan<int64_t>(ints, {int64_t(ints.size())}));
    } else {
      bool logical = name == "p" || name == "q" || name == "r";
      DType own = inputs.empty() ? instance_.dtype : instance_.other;
      made = tensor(logical ? DType::Bool : own, shapeOf(inputs.size()), name);
      inputs.push_back(made);
    }
    names_.emplace(name, made);
    return made;
  }
  Variable constantNamed(const std::string &name) {
    auto at = names_.find(name);
    if (at != names_.end())
      return at->second;
    static const double kValues[][3] = {{2, 4, 0.5}, {0.5, -4, 2}, {-3, 0, 3}, {1, 7, -1}};
    double value = kValues[instance_.constants][constants_++ % 3];
    if (isUnsignedInt(instance_.other))
      value = std::abs(value);
    Variable made = constant(Tensor(value).cast(instance_.other));
    names_.emplace(name, made);
    return made;
  }
  AttributeValue candidate(const std::string &attribute, const std::string &binding) {
    auto [at, isNew] = bindings_.try_emplace(binding);
    if (!isNew)
      return at->second;
    size_t n = size_t(instance_.attributes) >> (3 * (bindings_.size() - 1));
    auto pick = [&](const std::vector<AttributeValue> &values) {
      return values[n % 8 % values.size()];
    };
    if (attribute == "axes")
      at->second =
          pick({NoneAttr(), IntList{0}, IntList{-1}, IntList{1}, IntList{0, 1}, IntList{}});
    else if (attribute == "keepDims")
      at->second = pick({false, true});
    else if (attribute == "order")
      at->second = pick({IntList{1, 0}, IntList{0}, IntList{0, 1}, IntList{-1, 0},
                         IntList{0, -1, 1}, IntList{1, -1, 0}, IntList{}, IntList{2, 0, 1}});
    else if (attribute == "dtype")
      at->second = pick({DType::Float64, DType::Float32, DType::Int32, DType::Int8, DType::UInt8,
                         DType::Bool, DType::Int64});
    else if (attribute == "axis")
      at->second = pick({int64_t(0), int64_t(1)});
    return at->second;
  }

  Instance instance_;
  std::map<std::string, Variable> names_;
  std::map<std::string, AttributeValue> bindings_;
  int constants_ = 0;
};

/// How many elements an axis of unknown extent has; a mistake where operands differ in it.
struct Extents {
  int64_t unknown = 2;
  bool differ = false;
};

Tensor fill(const Variable &v, size_t number, Values values, Extents extents,
            std::mt19937 &random) {
  std::vector<int64_t> shape(v.type().shape().begin(), v.type().shape().end());
  for (int64_t &extent : shape)
    if (extent == kDynamic)
      extent = extents.unknown + (extents.differ ? int64_t(number) : 0);
  std::vector<double> from = pool(values, v.dtype());
  // What the dtype turns into inf is not finite any more.
  if (values != Values::NonFinite && isFloat(v.dtype()))
    std::erase_if(from, [&](double x) {
      return !std::isfinite(Tensor(x).cast(v.dtype()).cast(DType::Float64).item<double>());
    });
  Tensor doubles = *Tensor::zeros(DType::Float64, shape);
  for (double &x : doubles.mutableFlat<double>())
    x = from[random() % from.size()];
  return doubles.cast(v.dtype());
}

double epsilon(DType dtype) {
  return dtype == DType::Float64   ? 0x1p-52
         : dtype == DType::Float32 ? 0x1p-23
         : dtype == DType::Float16 ? 0x1p-10
                                   : 0x1p-7;
}

double leastNormal(DType dtype) {
  return dtype == DType::Float16 ? 0x1p-14 : dtype == DType::Float64 ? 0x1p-1022 : 0x1p-126;
}

std::vector<double> doubles(const Tensor &t) {
  Tensor cast = t.cast(DType::Float64).contiguous();
  absl::Span<const double> flat = cast.flat<double>();
  return {flat.begin(), flat.end()};
}

double largestOf(const std::vector<Tensor> &tensors) {
  double largest = 0;
  for (const Tensor &t : tensors)
    for (double v : doubles(t))
      largest = std::max(largest, std::isfinite(v) ? std::abs(v) : 0);
  return largest;
}

/// What decides how far an element may be off by rounding.
struct Measure {
  /// The graph before in float64.
  double truth;
  /// How much it changes when operands change by an epsilon of theirs, relative to that epsilon.
  double condition;
  /// What the graph before was off itself, or may have been.
  double slack;
  /// How many roundings there are in both graphs.
  double roundings;
};

/// Of the graphs before and after: whether a step on the way over- or underflows, or is NaN.
struct Ways {
  bool before = false, after = false;
  bool any() const { return before || after; }
};

/// Whether an element of the result of `before` may become `after` under what the rule states.
/// `measure` and `ways` are asked only where rounding and overflow decide.
template <class Ask, class AskWays>
bool agrees(double before, double after, Effects effects, Values values, DType dtype,
            const Ask &measure, const AskWays &ways) {
  if (before == after)
    return before != 0 || std::signbit(before) == std::signbit(after) || (effects & kZeroSign);
  if (std::isnan(before) && std::isnan(after))
    return true;
  if (!isFloat(dtype))
    return effects & kInexact;
  if (values == Values::NonFinite && (effects & kNanInf))
    return true;
  if (!std::isfinite(before))
    return (effects & kInexact) || ((effects & kOverflow) && ways().before);
  bool tame = values == Values::Moderate || values == Values::Small;
  if (!std::isfinite(after))
    return (effects & kInexact) && !tame;
  if (!(effects & (kRounding | kInexact)))
    return !tame && (effects & kOverflow) && ways().before;
  // Where the unrewritten form over- or underflows on its way it is no measure.
  if (!tame && ((effects & kInexact) || ((effects & kOverflow) && ways().any())))
    return true;
  // Both sides are a few ops of at most 2 epsilon each (halves round once, the functions of float64
  // are below 2 ULP); an op's error reaches the result as a change of its operands would, so each
  // adds at most 2 epsilon * (|truth| + condition). With up to 8 ops on either side, and up to four
  // terms in sums: 64. Of halves every op, sums too, is computed in float32 and rounded once, by
  // half an epsilon; the condition, of six random changes, is taken twice: an epsilon for each op
  // that there is. What the former side loses besides (log(1 + x) near 0) it may lose still.
  // Below the normal numbers an epsilon is that of the least of them.
  Measure m = measure();
  double least = leastNormal(dtype);
  // Below the normal numbers digits are lost to underflow; a rule that may be wrong may be there on
  // its way already.
  double tiny = effects & kInexact ? 0x1p20 * least : effects & kOverflow ? least : 0;
  if (std::abs(m.truth) < tiny && std::abs(after) < tiny)
    return true;
  double units = byteSize(dtype) == 2 ? m.roundings : 64;
  double bound = units * epsilon(dtype) * (std::max(std::abs(m.truth), least) + m.condition);
  return std::abs(after - m.truth) <= bound + m.slack;
}

/// How many instances differ in the values of constants, and in attributes and shapes n and m.
struct Choices {
  int constants = 1, attributes = 1;
};

Choices choicesOf(const Formula &formula) {
  std::set<std::string> bindings;
  Choices choices;
  std::vector<const Formula *> pending = {&formula};
  while (!pending.empty()) {
    const Formula &f = *pending.back();
    pending.pop_back();
    if (f.kind == Formula::Kind::Constant)
      choices.constants = 4;
    if (f.kind == Formula::Kind::Name && (f.name == "n" || f.name == "m"))
      choices.attributes = 8;
    for (const Formula::Attribute &a : f.attributes)
      if (!a.binding.empty())
        bindings.insert(a.binding);
    for (const Formula &argument : f.arguments)
      pending.push_back(&argument);
  }
  if (!bindings.empty())
    choices.attributes = bindings.size() == 1 ? 8 : 64;
  return choices;
}

/// What of a rule is checked.
struct Subject {
  std::string name;
  Effects effects;
  std::vector<std::string> examples;
  GraphRewriterPtr rewriter;
};

/// A graph before and after, and how the former was made.
struct Pair {
  const Formula &formula;
  Instance instance;
  const Variables &inputs;
  const Variable &root;
  const FunctionGraph &graph;
  /// Whether the rule was told that it may hide mistakes.
  bool mayHideMistakes;
};

class Checker {
public:
  explicit Checker(Subject subject) : subject_(std::move(subject)) {}

  RuleVerdict run() {
    for (const std::string &example : subject_.examples) {
      absl::StatusOr<Formula> formula = parseFormula(example);
      if (!formula.ok()) {
        verdict_.mismatch = formula.status().ToString();
        return verdict_;
      }
      Choices choices = choicesOf(*formula);
      for (DType dtype : {DType::Float64, DType::Float32, DType::Float16, DType::Int64, DType::Int8,
                          DType::UInt8, DType::Bool})
        for (int shapes = 0; shapes < 15; ++shapes)
          for (int constants = 0; constants < choices.constants; ++constants)
            for (int attributes = 0; attributes < choices.attributes; ++attributes)
              if (!instance(*formula, {dtype, dtype, shapes, constants, attributes}))
                return verdict_;
      using enum DType;
      // The others differ from these in their width alone: a matrix and what is broadcast to it.
      for (DType dtype : {BFloat16, Int16, Int32, UInt16, UInt32, UInt64})
        for (int shapes : {0, 3, 4})
          for (int constants = 0; constants < choices.constants; ++constants)
            for (int attributes = 0; attributes < std::min(choices.attributes, 8); ++attributes)
              if (!instance(*formula, {dtype, dtype, shapes, constants, attributes}))
                return verdict_;
      // Operands that are promoted.
      for (auto [dtype, other] :
           {std::pair(Int64, Int8), std::pair(Int8, Int64), std::pair(Int32, UInt8),
            std::pair(UInt8, Int8), std::pair(Float64, Int8), std::pair(Float32, UInt8)})
        for (int shapes : {0, 1, 3})
          for (int constants = 0; constants < choices.constants; ++constants)
            if (!instance(*formula, {dtype, other, shapes, constants, 0}))
              return verdict_;
    }
    return verdict_;
  }

private:
  /// False after a mismatch.
  bool instance(const Formula &formula, Instance instance) {
    for (Effects allowed : {kAllEffects, Effects(kAllEffects & ~kShapeUnsafe)})
      if ((allowed & kShapeUnsafe) || (subject_.effects & kShapeUnsafe))
        if (!rewritten(formula, instance, allowed))
          return false;
    return true;
  }

  bool rewritten(const Formula &formula, Instance instance, Effects allowed) {
    Builder builder(instance);
    Variable root = builder.build(formula);
    if (!root.ok() || root.isConstant())
      return true;
    absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(builder.inputs, {root});
    if (!graph.ok())
      return true;
    RewriteReport report;
    RewriteOptions options{.allowed = allowed, .stopAfter = 1};
    absl::Status status = subject_.rewriter->rewrite(*graph, options, report);
    if (!status.ok() || !graph->checkIntegrity().ok()) {
      verdict_.mismatch = status.ToString() + graph->checkIntegrity().ToString();
      return false;
    }
    if (report.steps == 0)
      return true;
    ++verdict_.applied;
    // The first float matrix, else the first of all.
    if (verdict_.example.empty() || (!hasMatrix_ && instance.shapes == 3)) {
      verdict_.example = pp(root) + " -> " + pp(graph->output(0));
      hasMatrix_ = instance.shapes == 3;
    }
    Pair pair{formula, instance, builder.inputs, root, *graph, bool(allowed & kShapeUnsafe)};
    using enum Values;
    for (Values values : {Moderate, Moderate, Small, Small, Extreme, Extreme, NonFinite, NonFinite})
      if (!compare(pair, values, {}))
        return false;
    if (std::ranges::none_of(builder.inputs,
                             [](const Variable &v) { return v.type().numElements() == kDynamic; }))
      return true;
    return compare(pair, Moderate, {.unknown = 0}) && compare(pair, Moderate, {.unknown = 1}) &&
           compare(pair, Moderate, {.unknown = 5}) && compare(pair, Moderate, {.differ = true});
  }

  bool compare(const Pair &pair, Values values, Extents extents) {
    std::vector<Tensor> arguments;
    for (const Variable &v : pair.inputs)
      arguments.push_back(fill(v, arguments.size(), values, extents, random_));
    TensorsOr before = evaluate(Variables{pair.root}, pair.inputs, arguments);
    TensorsOr after = evaluate(pair.graph.outputs(), pair.graph.inputs(), arguments);
    auto fail = [&](const std::string &what) {
      verdict_.mismatch = subject_.name + ": " + pp(pair.root) + " became " +
                          pp(pair.graph.output(0)) + ": " + what + " for";
      for (const Tensor &t : arguments)
        verdict_.mismatch += " " + t.str();
      return false;
    };
    if (!before.ok())
      return !after.ok() || (pair.mayHideMistakes && (subject_.effects & kShapeUnsafe)) ||
             fail("no error any more, before: " + std::string(before.status().message()));
    if (!after.ok())
      return fail(after.status().ToString());
    const Tensor &a = (*before)[0], &b = (*after)[0];
    if (a.dtype() != b.dtype() || a.shape() != b.shape())
      return fail("another type, " + Type(b.dtype(), b.shape()).brief() + " instead of " +
                  Type(a.dtype(), a.shape()).brief());
    if (const Type &said = pair.graph.output(0).type(); !said.isSuperOf(Type(b.dtype(), b.shape())))
      return fail(Type(b.dtype(), b.shape()).brief() + " instead of " + said.brief());
    std::vector<double> x = doubles(a), y = doubles(b);
    Measures measures(*this, pair, arguments, x, values);
    for (size_t i = 0; i < x.size(); ++i) {
      ++verdict_.compared;
      auto ways = [&] {
        return Ways{overflows(pair.root, pair.inputs, arguments),
                    overflows(pair.graph.output(0), pair.graph.inputs(), arguments)};
      };
      if (!agrees(
              x[i], y[i], subject_.effects, values, a.dtype(), [&] { return measures.of(i); },
              ways))
        return fail(Tensor(x[i]).str() + " became " + Tensor(y[i]).str() + " (" +
                    std::string(dtypeName(a.dtype())) + ")");
    }
    return true;
  }

  /// Whether a node of floats that needs finite operands gives what is NaN, infinite, or below the
  /// normal numbers of its dtype.
  static bool overflows(const Variable &root, const Variables &inputs,
                        const std::vector<Tensor> &arguments) {
    for (const Apply &node : ioToposort(inputs, absl::MakeConstSpan(&root, 1))) {
      const Variable &v = node.output(0);
      if (!isFloat(v.dtype()))
        continue;
      TensorsOr value = evaluate(Variables{v}, inputs, arguments);
      if (!value.ok())
        return true;
      double least = leastNormal(v.dtype());
      for (double element : doubles((*value)[0]))
        if (!std::isfinite(element) || std::abs(element) < least)
          return true;
    }
    return false;
  }

  /// What rounding may change, computed when it is asked for.
  class Measures {
  public:
    Measures(Checker &checker, const Pair &pair, const std::vector<Tensor> &arguments,
             const std::vector<double> &before, Values values)
        : checker_(checker), pair_(pair), arguments_(arguments), before_(before), values_(values) {}

    Measure of(size_t i) {
      if (truth_.empty())
        compute();
      double condition = condition_[i];
      // Sums of terms of any size: the bound is that of summation in any order.
      if (values_ == Values::Extreme && mayAddTerms_)
        condition = std::max(condition, largestOf(arguments_));
      double ownError = 4 * epsilon(pair_.root.dtype()) * amplification_[i];
      return {truth_[i], condition, 2 * std::abs(before_[i] - truth_[i]) + ownError, roundings_};
    }

  private:
    void compute() {
      Instance wide = pair_.instance;
      for (DType *dtype : {&wide.dtype, &wide.other})
        *dtype = isFloat(*dtype) ? DType::Float64 : *dtype;
      Builder builder(wide);
      Variable root = builder.build(pair_.formula);
      std::vector<Tensor> exact;
      for (size_t i = 0; i < arguments_.size(); ++i)
        exact.push_back(arguments_[i].cast(builder.inputs[i].dtype()));
      truth_ = results(root, builder.inputs, exact, 0);
      for (const Apply &node : ioToposort(builder.inputs, absl::MakeConstSpan(&root, 1)))
        mayAddTerms_ |= node.op().name() == "add" || node.op().name() == "sub" ||
                        node.op().def().elements == Elements::Mixed ||
                        node.op().def().elements == Elements::Reduced ||
                        node.op().def().elements == Elements::Rows;
      // A node and each constant that a rule may have computed round once.
      auto count = [&](const Variable &v, const Variables &inputs) {
        for (const Apply &node : ioToposort(inputs, absl::MakeConstSpan(&v, 1))) {
          ++roundings_;
          for (const Variable &input : node.inputs())
            roundings_ += input.isConstant();
        }
      };
      count(pair_.root, pair_.inputs);
      count(pair_.graph.output(0), pair_.graph.inputs());
      condition_.assign(before_.size(), 0);
      amplification_.assign(before_.size(), 0);
      // Far larger than what float64 loses, and small enough that only first derivatives count.
      constexpr double kStep = 0x1p-34;
      // Where that leaves the domain, as in 1 - sigmoid(30), where 1e-13 is left: a smaller one.
      constexpr double kSmallStep = 0x1p-46;
      auto note = [&](std::vector<double> &changes, const std::vector<double> &there, double step) {
        for (size_t i = 0; i < there.size(); ++i)
          if (double change = std::abs(there[i] - truth_[i]) / step; std::isfinite(change))
            changes[i] = std::max(changes[i], change);
      };
      for (int trial = 0; trial < 6; ++trial) {
        std::vector<Tensor> moved = exact;
        for (Tensor &t : moved)
          t = disturbed(t, kStep);
        note(condition_, results(root, builder.inputs, moved, 0), kStep);
        for (double step : {kStep, kSmallStep})
          note(amplification_, results(root, builder.inputs, exact, step), step);
      }
    }

    Tensor disturbed(const Tensor &t, double step) {
      if (t.dtype() != DType::Float64 || step == 0)
        return t;
      Tensor moved = t.copy();
      for (double &v : moved.mutableFlat<double>())
        v *= 1 + step * std::uniform_real_distribution<double>(-1, 1)(checker_.random_);
      return moved;
    }

    /// The graph's result where each node's is off by `step`, relative to it.
    std::vector<double> results(const Variable &root, const Variables &inputs,
                                const std::vector<Tensor> &values, double step) {
      std::map<const void *, Tensor> known;
      for (size_t i = 0; i < inputs.size(); ++i)
        known[inputs[i].node()] = values[i];
      std::vector<Variable> pending = {root};
      while (!pending.empty()) {
        Variable v = pending.back();
        Variables missing;
        std::vector<Tensor> operands;
        for (const Variable &input : v.hasOwner() ? v.owner().inputs() : Variables()) {
          if (known.contains(input.node()))
            operands.push_back(known[input.node()]);
          else
            missing.push_back(input);
        }
        pending.insert(pending.end(), missing.begin(), missing.end());
        if (!missing.empty())
          continue;
        pending.pop_back();
        if (!v.hasOwner()) {
          known[v.node()] = Constant::from(v)->data();
          continue;
        }
        TensorsOr all = evaluate(v.owner(), operands);
        if (!all.ok())
          return before_;
        known[v.node()] = disturbed((*all)[0], step);
      }
      const Tensor &result = known[root.node()];
      return result.numElements() == int64_t(before_.size()) ? doubles(result) : before_;
    }

    Checker &checker_;
    const Pair &pair_;
    const std::vector<Tensor> &arguments_;
    const std::vector<double> &before_;
    Values values_;
    std::vector<double> truth_, condition_, amplification_;
    double roundings_ = 0;
    bool mayAddTerms_ = false;
  };

  Subject subject_;
  RuleVerdict verdict_;
  bool hasMatrix_ = false;
  std::mt19937 random_{17};
};

} // namespace

RuleVerdict checkRule(const Rule &rule) {
  std::vector<std::string> examples = rule.examples;
  if (examples.empty())
    examples.push_back(rule.pattern);
  return Checker({rule.name, rule.effects, examples, equilibrium("check", {*compileRule(rule)})})
      .run();
}

RuleVerdict checkRule(const ChainRule &rule) {
  return Checker({rule.name, rule.effects, rule.examples, equilibrium("check", {}, {rule})}).run();
}

} // namespace graphc
