#include "RuleChecker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "Eval/Evaluate.h"
#include "Rewrite/Formula.h"
#include "graphc/Print.h"

namespace graphc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

enum class Values { Moderate, Extreme, NonFinite };

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
  /// Whether an earlier instance was the same.
  bool isRepetition() const { return bindings_.size() < 2 && instance_.attributes >= 8; }

private:
  std::vector<int64_t> shapeOf(size_t number) const {
    static const std::vector<std::vector<std::vector<int64_t>>> kShapes = {
        {{}},          {{3}},     {{0}},           {{2, 3}}, {{2, 3}, {1, 3}},
        {{2, 3}, {3}}, {{3}, {}}, {{kDynamic, 3}}, {{3, 3}}, {{2, 0, 2}}};
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

Tensor fill(const Variable &v, Values values, std::mt19937 &random) {
  std::vector<int64_t> shape(v.type().shape().begin(), v.type().shape().end());
  for (int64_t &extent : shape)
    extent = extent == kDynamic ? 2 : extent;
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
  return dtype == DType::Float64 ? 0x1p-52 : dtype == DType::Float32 ? 0x1p-23 : 0x1p-10;
}

/// Whether a result of `before` may become `after` under what the rule states.
bool agrees(double before, double after, Effects effects, Values values, DType dtype,
            double largest) {
  if (before == after)
    return before != 0 || std::signbit(before) == std::signbit(after) || (effects & kZeroSign);
  if (std::isnan(before) && std::isnan(after))
    return true;
  if (!isFloat(dtype))
    return effects & kInexact;
  if (values == Values::NonFinite && (effects & kNanInf))
    return true;
  if (!std::isfinite(before))
    return effects & (kOverflow | kInexact);
  if (!std::isfinite(after))
    return (effects & kInexact) && values != Values::Moderate;
  if (!(effects & (kRounding | kInexact)))
    return false;
  // Where the unrewritten form over- or underflows on its way it is no measure.
  if (values != Values::Moderate && (effects & (kOverflow | kInexact)))
    return true;
  // Operands are below 8 and formulas a few ops deep: each op adds a rounding, amplified by at most
  // the operand (exp) or, for differences, by the terms, below exp(8) / exp(0) in the worst case.
  double scale = std::max(std::abs(before), std::abs(after));
  // Sums of terms of any size: the bound is that of summation in any order.
  if (values == Values::Extreme)
    scale = std::max(scale, largest);
  return std::abs(before - after) <= 64 * epsilon(dtype) * (8 * scale + 1);
}

class Checker {
public:
  explicit Checker(const Rule &rule) : rule_(rule), rewriter_(*compileRule(rule)) {}

  RuleVerdict run() {
    std::vector<std::string> examples = rule_.examples;
    if (examples.empty())
      examples.push_back(rule_.pattern);
    for (const std::string &example : examples) {
      absl::StatusOr<Formula> formula = parseFormula(example);
      if (!formula.ok()) {
        verdict_.mismatch = formula.status().ToString();
        return verdict_;
      }
      for (DType dtype : {DType::Float64, DType::Float32, DType::Float16, DType::Int64, DType::Int8,
                          DType::UInt8, DType::Bool})
        for (int shapes = 0; shapes < 10; ++shapes)
          for (int constants = 0; constants < 4; ++constants)
            for (int attributes = 0; attributes < 64; ++attributes)
              if (!instance(*formula, {dtype, dtype, shapes, constants, attributes}, example))
                return verdict_;
      // Operands that are promoted.
      using enum DType;
      for (auto [dtype, other] :
           {std::pair(Int64, Int8), std::pair(Int8, Int64), std::pair(Int32, UInt8),
            std::pair(UInt8, Int8), std::pair(Float64, Int8), std::pair(Float32, UInt8)})
        for (int shapes : {0, 1, 3})
          for (int constants = 0; constants < 4; ++constants)
            if (!instance(*formula, {dtype, other, shapes, constants, 0}, example))
              return verdict_;
    }
    return verdict_;
  }

private:
  /// False after a mismatch.
  bool instance(const Formula &formula, Instance instance, const std::string &example) {
    if (instance.constants > 0 && example.find_first_of("cdk") == std::string::npos)
      return true;
    if (instance.attributes > 0 && example.find('=') == std::string::npos &&
        example.find('n') == std::string::npos)
      return true;
    Builder builder(instance);
    Variable root = builder.build(formula);
    if (!root.ok() || root.isConstant() || builder.isRepetition())
      return true;
    absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(builder.inputs, {root});
    if (!graph.ok())
      return true;
    RewriteReport report;
    RewriteOptions options{.allowed = kAllEffects, .stopAfter = 1};
    absl::Status status = equilibrium("check", {rewriter_})->rewrite(*graph, options, report);
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
    for (Values values : {Values::Moderate, Values::Moderate, Values::Moderate, Values::Extreme,
                          Values::Extreme, Values::NonFinite, Values::NonFinite})
      if (!compare(builder.inputs, root, *graph, values))
        return false;
    return true;
  }

  bool compare(const Variables &inputs, const Variable &root, const FunctionGraph &graph,
               Values values) {
    std::vector<Tensor> arguments;
    for (const Variable &v : inputs)
      arguments.push_back(fill(v, values, random_));
    TensorsOr before = evaluate(Variables{root}, inputs, arguments);
    if (!before.ok())
      return true; // a mistake of shapes that the graph's types do not show
    TensorsOr after = evaluate(graph.outputs(), graph.inputs(), arguments);
    auto fail = [&](const std::string &what) {
      verdict_.mismatch =
          rule_.name + ": " + pp(root) + " became " + pp(graph.output(0)) + ": " + what + " for";
      for (const Tensor &t : arguments)
        verdict_.mismatch += " " + t.str();
      return false;
    };
    if (!after.ok())
      return fail(after.status().ToString());
    const Tensor &a = (*before)[0], &b = (*after)[0];
    if (a.dtype() != b.dtype() || a.shape() != b.shape())
      return fail("another type, " + Type(b.dtype(), b.shape()).brief() + " instead of " +
                  Type(a.dtype(), a.shape()).brief());
    double largest = 0;
    for (const Tensor &t : arguments) {
      Tensor doubles = t.cast(DType::Float64).contiguous();
      for (double v : doubles.flat<double>())
        largest = std::max(largest, std::isfinite(v) ? std::abs(v) : 0);
    }
    Tensor x = a.cast(DType::Float64).contiguous(), y = b.cast(DType::Float64).contiguous();
    for (int64_t i = 0; i < x.numElements(); ++i) {
      ++verdict_.compared;
      double was = x.flat<double>()[size_t(i)], is = y.flat<double>()[size_t(i)];
      if (!agrees(was, is, rule_.effects, values, a.dtype(), largest))
        return fail(Tensor(was).str() + " became " + Tensor(is).str() + " (" +
                    std::string(dtypeName(a.dtype())) + ")");
    }
    return true;
  }

  const Rule &rule_;
  NodeRewriterPtr rewriter_;
  RuleVerdict verdict_;
  bool hasMatrix_ = false;
  std::mt19937 random_{17};
};

} // namespace

RuleVerdict checkRule(const Rule &rule) { return Checker(rule).run(); }

} // namespace graphc
