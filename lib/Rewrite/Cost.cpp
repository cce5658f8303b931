//===- Rewrite/Cost.cpp - what a rule saves --------------------------------===//
//
// A rough model, to tell rules apart, not to predict times: what costs more is decided where
// graphs are fused.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "Emit/EmitNode.h"
#include "Emit/NestCost.h"
#include "Emit/Scatter.h"
#include "Rewrite/Formula.h"
#include "Support/Fork.h"
#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

/// The extent of all axes in calls that an op is judged by.
constexpr int64_t kExtent = 8;
/// What an element costs that is moved, but not computed.
constexpr double kMoved = 0.5;

/// What an op does for each element of its first result.
struct OpWork {
  /// In additions.
  double work = kMoved;
  /// By operand, how many of its elements are read; of further ones as many as of the last.
  std::vector<double> reads;

  double readsOf(size_t operand) const { return reads[std::min(operand, reads.size() - 1)]; }
};

double elementsOf(const Emission &record, absl::Span<const int32_t> extents) {
  double product = 1;
  for (int32_t id : extents)
    if (const SizeNode &size = record.sizes[size_t(id)]; size.op == SizeOp::Constant)
      product *= double(size.value);
  return product;
}

/// Of the emission of a call of the op; none if it cannot be called with such operands.
std::optional<OpWork> workOfCall(const Op &op, const Variables &inputs) {
  absl::StatusOr<Apply> node =
      op.makeNode(std::vector<Operand>(inputs.begin(), inputs.end()), Place());
  if (!node.ok() || !op.def().emit)
    return std::nullopt;
  Emitter emitter;
  Arrays operands;
  for (const Variable &input : inputs)
    operands.push_back(emitter.operand(input.type()));
  Arrays results = emitNode(emitter, *node, 0, operands);
  absl::StatusOr<Emission> record = emitter.finish();
  if (!record.ok())
    return std::nullopt;
  double made = elementsOf(*record, record->arrays[size_t(results[0].id)].shape);
  double work = 0;
  std::vector<double> reads(operands.size(), 0);
  for (const Step &step : record->steps) {
    if (step.kind == Step::Kind::Loops) {
      const Nest &nest = step.nest;
      double joined = nest.combine == Combine::None ? 0
                      : isArg(nest.combine)         ? opCost(ScalarOp::Select)
                                                    : opCost(joinOp(nest.combine));
      work += elementsOf(*record, workExtents(nest)) * (costOfIteration(nest) + joined);
    }
    for (size_t i = 0; i < operands.size(); ++i)
      if (std::ranges::find(step.inputs, operands[i].id) != step.inputs.end())
        reads[i] = elementsOf(*record, record->arrays[size_t(operands[i].id)].shape) / made;
  }
  return OpWork{std::max(kMoved, work / made), std::move(reads)};
}

/// A value for an attribute that must be given.
AttributeValue anyValue(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::DType:
    return DType::Float32;
  case AttributeKind::Ints:
    return std::vector<int64_t>{0};
  case AttributeKind::String:
    return std::string("0"); // an index
  default:
    return int64_t(0);
  }
}

/// Of vectors for one operand, of matrices for two, or of what rank the op takes.
std::optional<OpWork> workOfCalls(const Op &op, size_t numOperands) {
  constexpr size_t kRanks = 4;
  for (size_t k = 0; k < kRanks; ++k)
    for (DType dtype : {DType::Float64, DType::Int64, DType::Bool})
      for (DType others : {dtype, DType::Int64}) {
        std::vector<int64_t> shape((numOperands + k - 1) % kRanks + 1, kExtent);
        Variables inputs;
        while (inputs.size() < numOperands)
          inputs.push_back(tensor(inputs.empty() ? dtype : others, shape));
        if (std::optional<OpWork> work = workOfCall(op, inputs))
          return work;
      }
  return std::nullopt;
}

/// An op that cannot be called so moves elements.
OpWork judge(const OpDef &def) {
  Attributes attributes;
  for (const AttributeSpec &spec : def.attributes)
    if (!spec.defaultValue)
      attributes.set(spec.name, anyValue(spec.kind));
  absl::StatusOr<Op> op = Op::create(def, attributes);
  size_t named = def.operands.size(), least = size_t(std::max(def.minOperands, 1));
  std::optional<OpWork> work;
  for (size_t count : {def.variadic ? std::max<size_t>(named, 2) : named, least})
    if (op.ok() && !work && count > 0)
      work = workOfCalls(*op, count);
  return work.value_or(OpWork{kMoved, {1}});
}

/// Each op is judged once.
const OpWork &workOf(const OpDef &def) {
  struct Known {
    ShortMutex mutex;
    std::map<const OpDef *, OpWork> ops;
  };
  static Known &known = *new Known();
  std::lock_guard lock(known.mutex);
  auto [at, isNew] = known.ops.try_emplace(&def);
  if (isNew)
    at->second = judge(def);
  return at->second;
}

/// The terms of a formula, each once, with how many of its elements are computed.
class Terms {
public:
  explicit Terms(const Rule &rule) : rule_(rule) {}

  double costOf(const Formula &formula) {
    add(formula, 1);
    double cost = 0; // of multiples of 1 / 32: exact, in whatever order
    for (const auto &[term, work] : terms_)
      cost += work;
    return cost;
  }

private:
  /// Whether a constant stands there, which rules fold.
  bool isConstant(const Formula &f) const {
    if (f.kind == Formula::Kind::Name)
      return rule_.terms.contains(f.name);
    return f.kind != Formula::Kind::Node ||
           std::ranges::all_of(f.arguments, [&](const Formula &a) { return isConstant(a); });
  }

  /// A hash that tells it from others.
  uint64_t add(const Formula &f, double elements) {
    if (f.kind != Formula::Kind::Node)
      return absl::HashOf(f.name, f.number);
    uint64_t hash = absl::HashOf(f.op);
    const OpWork &does = workOf(*f.op);
    for (size_t i = 0; i < f.arguments.size(); ++i)
      hash = absl::HashOf(hash, add(f.arguments[i], elements * does.readsOf(i)));
    for (const Formula::Attribute &a : f.attributes)
      hash = absl::HashOf(hash, a.name, a.binding);
    if (!isConstant(f)) {
      double &work = terms_[hash];
      work = std::max(work, elements * does.work);
    }
    return hash;
  }

  const Rule &rule_;
  absl::flat_hash_map<uint64_t, double> terms_;
};

} // namespace

double ruleCost(const Rule &rule) {
  if (rule.cost || rule.build)
    return rule.cost.value_or(0);
  absl::StatusOr<Formula> pattern = parseFormula(rule.pattern);
  absl::StatusOr<Formula> replacement = parseFormula(rule.replacement);
  if (!pattern.ok() || !replacement.ok())
    return 0;
  return Terms(rule).costOf(*replacement) - Terms(rule).costOf(*pattern);
}

} // namespace graphc
