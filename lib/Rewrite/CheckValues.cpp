//===- Rewrite/CheckValues.cpp - does a rewrite keep values? --------------===//
#include <cmath>
#include <limits>
#include <tuple>

#include "Eval/Evaluate.h"
#include "Support/Thrown.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

/// Values of a graph's Variables, computed when they are asked for.
class Values {
public:
  void reset(const Variables &inputs, const std::vector<Tensor> &values) {
    known_.clear();
    for (size_t i = 0; i < inputs.size() && i < values.size(); ++i)
      known_.insert({inputs[i], values[i]});
  }

  absl::StatusOr<Tensor> of(const Variable &wanted) {
    Variables pending = {wanted};
    while (!pending.empty()) {
      Variable v = pending.back();
      if (known_.contains(v)) {
        pending.pop_back();
        continue;
      }
      if (std::optional<Constant> constant = Constant::from(v)) {
        known_.insert({v, constant->data()});
        continue;
      }
      if (!v.hasOwner())
        return makeError(ErrorKind::MissingInput, "no value of " + pp(v));
      size_t waiting = pending.size();
      std::vector<Tensor> operands;
      for (int i = 0; i < v.owner().numInputs(); ++i)
        if (auto at = known_.find(v.owner().input(i)); at != known_.end())
          operands.push_back(at->second);
        else
          pending.push_back(v.owner().input(i));
      if (pending.size() > waiting)
        continue;
      TensorsOr results = evaluate(v.owner(), operands);
      if (!results.ok())
        return results.status();
      for (size_t i = 0; i < results->size(); ++i)
        known_.insert({v.owner().output(int(i)), (*results)[i]});
    }
    return known_.at(wanted);
  }

  /// `v` has another value in `graph` from now on: what depends on it is forgotten.
  void forgetUsers(const FunctionGraph &graph, const Variable &v) {
    Variables pending = {v};
    while (!pending.empty()) {
      absl::StatusOr<Clients> clients = graph.clients(pending.back());
      pending.pop_back();
      for (const Client &client : clients.ok() ? *clients : Clients())
        for (int i = 0; !client.isOutput() && i < client.node.numOutputs(); ++i)
          // Where a value is not known, none is that depends on it.
          if (known_.erase(client.node.output(i)))
            pending.push_back(client.node.output(i));
    }
  }

private:
  absl::flat_hash_map<Variable, Tensor> known_;
};

/// F-346, for elements of a result whose largest finite one is `largest`.
double allowance(const DebugOptions &options, DType dtype, double largest) {
  double relative = dtype == DType::Float64   ? options.float64
                    : dtype == DType::Float32 ? options.float32
                                              : options.half;
  return relative * largest;
}

bool mayBecome(double before, double after, Effects effects, double allowed) {
  if (before == after)
    return before != 0 || std::signbit(before) == std::signbit(after) || (effects & kZeroSign);
  if (std::isnan(before) && std::isnan(after))
    return true;
  if (effects & kInexact)
    return true;
  if (!std::isfinite(before))
    return effects & (kNanInf | kOverflow);
  if (before == 0 && std::isfinite(after) && (effects & kOverflow))
    return true;
  return (effects & kRounding) && std::abs(after - before) <= allowed;
}

/// What is wrong with a result, or empty.
std::string difference(const Tensor &before, const Tensor &after, Effects effects,
                       const DebugOptions &options) {
  if (before.dtype() != after.dtype() || before.shape() != after.shape())
    return Type(after.dtype(), after.shape()).brief() + " instead of " +
           Type(before.dtype(), before.shape()).brief();
  if (!options.comparesValues)
    return "";
  if (isComplex(before.dtype()))
    return difference(before.realView(), after.realView(), effects, options);
  Tensor x = before.cast(DType::Float64).contiguous(), y = after.cast(DType::Float64).contiguous();
  if (!x.defined() || !y.defined())
    return ""; // no memory to look at them
  double largest = 0;
  for (double v : x.flat<double>())
    largest = std::max(largest, std::isfinite(v) ? std::abs(v) : 0);
  bool isReal = isFloat(before.dtype());
  double allowed = allowance(options, before.dtype(), largest);
  for (int64_t i = 0; i < x.numElements(); ++i) {
    double was = x.flat<double>()[size_t(i)], is = y.flat<double>()[size_t(i)];
    if (isReal ? !mayBecome(was, is, effects, allowed) : was != is && !(effects & kInexact))
      return "element " + std::to_string(i) + " is " + toString(Tensor(is).cast(after.dtype())) +
             " instead of " + toString(Tensor(was).cast(before.dtype()));
  }
  if (!isReal && !(effects & kInexact) && before != after)
    return "integers that float64 cannot tell apart";
  return "";
}

/// The greatest of |after - before| and of that relative to |before|, over elements of both that
/// are numbers; NaN where there are no such values to compare.
std::pair<double, double> distances(const Tensor &before, const Tensor &after) {
  double nothing = std::numeric_limits<double>::quiet_NaN();
  if (!before.defined() || !after.defined() || before.shape() != after.shape() ||
      isComplex(before.dtype()) != isComplex(after.dtype()))
    return {nothing, nothing};
  Tensor x = before.realView().cast(DType::Float64).contiguous();
  Tensor y = after.realView().cast(DType::Float64).contiguous();
  if (!x.defined() || !y.defined())
    return {nothing, nothing};
  double absolute = 0, relative = 0;
  for (int64_t i = 0; i < x.numElements(); ++i) {
    double was = x.flat<double>()[size_t(i)], is = y.flat<double>()[size_t(i)];
    if (was == is || std::isnan(was) || std::isnan(is))
      continue;
    double apart = std::abs(is - was);
    absolute = std::max(absolute, apart);
    relative = std::max(relative, std::isfinite(was) ? apart / std::abs(was) : apart);
  }
  return {absolute, relative};
}

/// "\n  before: f64[2] [0, 0.5]" and the graph, a level further to the right.
std::string sideText(std::string_view title, const Tensor &value, const std::string &graph) {
  constexpr int64_t kMostShown = 16;
  std::string text = "\n  " + std::string(title) + ": ";
  if (!value.defined())
    text += "no value";
  else {
    text += Type(value.dtype(), value.shape()).brief();
    if (value.numElements() <= kMostShown)
      text += " " + toString(value, {.precision = -1, .inlineList = true});
  }
  for (std::string_view rest = graph; !rest.empty();) {
    size_t end = std::min(rest.find('\n'), rest.size());
    text += "\n    " + std::string(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

BadOptimization badOptimization(const RewriteStep &step, const Variable &before,
                                const Variable &after, const absl::StatusOr<Tensor> &was,
                                const absl::StatusOr<Tensor> &is) {
  BadOptimization bad;
  bad.rule = step.rule;
  bad.before = before;
  bad.after = after;
  if (was.ok())
    bad.valueBefore = *was;
  if (is.ok())
    bad.valueAfter = *is;
  std::tie(bad.maxAbsolute, bad.maxRelative) = distances(bad.valueBefore, bad.valueAfter);
  DebugPrintOptions print{.depth = BadOptimization::kGraphDepth, .printPosition = false};
  bad.graphBefore = debugPrint(before, print);
  bad.graphAfter = debugPrint(after, print);
  return bad;
}

std::string detailsOf(const BadOptimization &bad) {
  std::string text;
  if (!std::isnan(bad.maxAbsolute))
    text += "\n  greatest difference: " + toString(Tensor(bad.maxAbsolute)) + ", relative " +
            toString(Tensor(bad.maxRelative));
  return text + sideText("before", bad.valueBefore, bad.graphBefore) +
         sideText("after", bad.valueAfter, bad.graphAfter);
}

class ValueCheck {
public:
  ValueCheck(std::vector<Tensor> inputs, DebugOptions options)
      : inputs_(std::move(inputs)), options_(std::move(options)) {}

  absl::Status operator()(const FunctionGraph &graph, const RewriteStep &step) {
    // In large graphs not after each step: all of them cost no more than so many visits of a node.
    constexpr size_t kVisits = 1000;
    if (++sinceCheck_ * kVisits >= size_t(graph.numNodes())) {
      sinceCheck_ = 0;
      if (absl::Status status = graph.checkIntegrity(); !status.ok())
        return status;
    }
    if (graph.inputs().size() != inputs_.size())
      return makeError(ErrorKind::MissingInput,
                       "checkValues has " + std::to_string(inputs_.size()) +
                           " values for a graph of " + std::to_string(graph.inputs().size()) +
                           " inputs");
    for (size_t i = 0; isFirst_ && i < inputs_.size(); ++i)
      if (const Type &wanted = graph.input(int(i)).type();
          !inputs_[i].defined() || !wanted.isSuperOf(Type(inputs_[i].dtype(), inputs_[i].shape())))
        return makeError(ErrorKind::TypeError,
                         "checkValues: value " + std::to_string(i) + " is " +
                             (inputs_[i].defined()
                                  ? Type(inputs_[i].dtype(), inputs_[i].shape()).brief()
                                  : "an undefined Tensor") +
                             ", the input " + wanted.brief());
    if (isFirst_)
      values_.reset(graph.inputs(), inputs_);
    isFirst_ = false;
    Variables changed;
    for (const auto &[old, fresh] : step.replaced) {
      absl::StatusOr<Tensor> before = values_.of(old), after = values_.of(fresh);
      for (const auto *value : {&before, &after}) // which says nothing about the rewrite
        if (errorKind(value->status()) == ErrorKind::OutOfMemory)
          return value->status();
      if (!before.ok() && (!after.ok() || (step.effects & kShapeUnsafe)))
        continue;
      std::string what = !before.ok()
                             ? "no error any more: " + std::string(before.status().message())
                         : after.ok() ? difference(*before, *after, step.effects, options_)
                                      : std::string(after.status().message());
      if (!what.empty()) {
        BadOptimization bad = badOptimization(step, old, fresh, before, after);
        if (options_.badOptimization)
          if (absl::Status s = unlessItThrows("DebugOptions::badOptimization",
                                              [&] {
                                                options_.badOptimization(bad);
                                                return absl::OkStatus();
                                              });
              !s.ok())
            return s;
        return makeError(ErrorKind::DebugMismatch,
                         step.before + " became " + step.after + ": " + what + detailsOf(bad),
                         step.places.empty() ? Place() : step.places[0]);
      }
      if (!before->identical(*after)) // both are there
        changed.push_back(fresh);
    }
    for (const Variable &v : changed)
      values_.forgetUsers(graph, v);
    return absl::OkStatus();
  }

private:
  std::vector<Tensor> inputs_;
  DebugOptions options_;
  Values values_;
  bool isFirst_ = true;
  size_t sinceCheck_ = 0; // steps
};

} // namespace

RewriteCheck checkValues(std::vector<Tensor> inputs, DebugOptions options) {
  return ValueCheck(std::move(inputs), std::move(options));
}

} // namespace graphc
