//===- Overrides.cpp - overridden derivatives, frozen ---------------------===//
#include "Overrides.h"

#include <algorithm>
#include <iterator>

#include "Gradient/Backward.h"
#include "Support/Text.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Shared.h"

namespace graphc {

using detail::FrozenRule;
using detail::InnerGraph;

Override::Override(const OpFromGraph &graph)
    : kind_(Kind::Graph), graph_(std::make_shared<const OpFromGraph>(graph)) {}

absl::StatusOr<CapturingGraph> freezeCapturing(const Variables &inputs, const Variables &outputs,
                                               bool strict, const Variables &more) {
  Variables all = inputs, captured;
  for (const Variable &v : graphInputs(outputs, inputs)) {
    if (!SharedVariable::from(v) || std::ranges::find(inputs, v) != inputs.end())
      continue;
    if (strict)
      return makeError(ErrorKind::MissingInput,
                       "the outputs need the shared variable '" + std::string(v.name()) +
                           "', which is no input; list it, or let it be captured (strict = false)",
                       v.place());
    captured.push_back(v);
    all.push_back(v);
  }
  for (const Variable &v : more)
    if (std::ranges::find(all, v) == all.end()) {
      captured.push_back(v);
      all.push_back(v);
    }
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(all, outputs);
  if (!graph.ok())
    return graph.status();
  absl::StatusOr<FrozenGraph> frozen = graph->freeze();
  if (!frozen.ok())
    return frozen.status();
  return CapturingGraph{*std::move(frozen), std::move(captured)};
}

/// Reads one option. `slots` are what a list has an entry for: the inputs, or the outputs.
class OverrideReader {
public:
  struct Option {
    std::string_view name; // "pullback", ...
    std::string_view slot; // "input", "output"
    bool seesOutputs;
  };
  OverrideReader(Option option, const OpFromGraphOptions &options, detail::Inlining inlining,
                 std::source_location loc, const Variables &inputs, const Variables &outputs)
      : option_(option), inlining_(inlining), strict_(options.strict), loc_(loc),
        slots_(option.slot == "input" ? inputs : outputs), inputs_(fresh(inputs, false, loc)),
        outputs_(fresh(outputs, false, loc)),
        directions_(fresh(option.slot == "input" ? outputs : inputs, true, loc)) {}

  static bool isGiven(const Overrides &overrides) { return overrides.isGiven_; }
  absl::StatusOr<ReadingRule> read(const Overrides &overrides);

private:
  static Variables fresh(const Variables &like, bool isDirection, std::source_location loc) {
    Variables made;
    for (const Variable &v : like)
      made.emplace_back(isDirection ? gradientType(v) : v.type(),
                        isDirection ? std::string_view() : v.name(), loc);
    return made;
  }
  absl::Status error(ErrorKind kind, const std::string &what) const {
    return makeError(kind, std::string(option_.name) + ": " + what);
  }
  std::string slotText(size_t i) const {
    return std::string(option_.slot) + " " + std::to_string(i) + ", " + label(slots_[i]);
  }
  static std::string label(const Variable &v) {
    return (v.name().empty() ? "" : std::string(v.name()) + ": ") + v.type().brief();
  }

  absl::StatusOr<Variables> resultsOf(const Override &override);
  absl::StatusOr<Variables> apply(const OpFromGraph &graph) const;
  absl::Status add(size_t slot, Variable result);

  Option option_;
  detail::Inlining inlining_;
  bool strict_;
  std::source_location loc_; // of the op
  Variables slots_, inputs_, outputs_, directions_;
  FrozenRule rule_;
  Variables results_; // of the rule's graph
};

/// F-250.
absl::StatusOr<Variables> OverrideReader::apply(const OpFromGraph &graph) const {
  if (!graph.ok())
    return graph.status();
  Variables operands = inputs_;
  if (option_.seesOutputs)
    operands.insert(operands.end(), outputs_.begin(), outputs_.end());
  operands.insert(operands.end(), directions_.begin(), directions_.end());
  Variables formal = graph.inputs();
  size_t expected = formal.size() - graph.captured().size();
  if (expected != operands.size())
    return error(ErrorKind::ValueError,
                 "the OpFromGraph has " + counted(expected, "input") + ", expected " +
                     std::to_string(operands.size()) + ": " + counted(inputs_.size(), "input") +
                     (option_.seesOutputs ? ", " + counted(outputs_.size(), "output") : "") +
                     " and " +
                     counted(directions_.size(), option_.slot == "input" ? "gradient" : "tangent"));
  std::vector<Operand> all;
  for (const Variable &v : operands)
    all.emplace_back(v, loc_);
  Variables results = graph.apply(all, loc_);
  for (const Variable &v : results)
    if (!v.ok())
      return v.status();
  return results;
}

absl::StatusOr<Variables> OverrideReader::resultsOf(const Override &override) {
  if (override.kind_ == Override::Kind::Graph)
    return apply(*override.graph_);
  if (!override.callable_)
    return error(ErrorKind::ValueError, "the callable is no function: it is empty");
  int expected = option_.seesOutputs ? 3 : 2;
  if (override.numArguments_ != expected)
    return error(ErrorKind::TypeError,
                 "a callable here takes " +
                     std::string(option_.seesOutputs       ? "(inputs, outputs, gradients)"
                                 : option_.slot == "input" ? "(inputs, gradients)"
                                                           : "(inputs, tangents)"));
  return override.callable_(inputs_, outputs_, directions_);
}

absl::Status OverrideReader::add(size_t slot, Variable result) {
  FrozenRule::Entry &entry = rule_.entries[slot];
  const Variable &of = slots_[slot];
  if (!result.ok())
    return withPlace(prefixError(result.status(), std::string(option_.name)), loc_);
  if (result.type().kind() == Type::Kind::Null) {
    entry = {FrozenRule::Kind::Null, result.type().reason()};
    return absl::OkStatus();
  }
  if (result.type().kind() == Type::Kind::Disconnected) {
    entry.kind = FrozenRule::Kind::Disconnected;
    return absl::OkStatus();
  }
  Type wanted = gradientType(of);
  if (!result.type().isTensor() || !isFloat(result.dtype()) || result.rank() != wanted.rank())
    return error(ErrorKind::TypeError,
                 "what is given for " + slotText(slot) + ", is " + result.type().brief() +
                     ": expected a float array of rank " + std::to_string(wanted.rank()));
  entry.kind = FrozenRule::Kind::Graph;
  entry.output = int32_t(results_.size());
  results_.push_back(std::move(result));
  return absl::OkStatus();
}

absl::StatusOr<ReadingRule> OverrideReader::read(const Overrides &overrides) {
  const std::vector<Override> &list = overrides.list_;
  size_t numSlots = slots_.size();
  if (!overrides.isWhole_ && list.size() != numSlots)
    return error(ErrorKind::ValueError, "a list of " + counted(list.size(), "override") + " for " +
                                            counted(numSlots, option_.slot));
  rule_.entries.resize(numSlots);
  for (size_t k = 0; k < list.size(); ++k) {
    const Override &override = list[k];
    std::string which =
        overrides.isWhole_ ? "the override" : "override " + std::to_string(k) + " of the list";
    switch (override.kind_) {
    case Override::Kind::Default:
      continue;
    case Override::Kind::Special:
      if (override.special_.type().isTensor())
        return error(ErrorKind::ValueError,
                     which + " is a Variable, " + label(override.special_) +
                         ": give a callable, an OpFromGraph, Override::byDefault(), "
                         "nullType(reason) or disconnected()");
      for (size_t i = overrides.isWhole_ ? 0 : k; i < (overrides.isWhole_ ? numSlots : k + 1); ++i)
        if (absl::Status s = add(i, override.special_); !s.ok())
          return s;
      continue;
    case Override::Kind::Graph:
    case Override::Kind::Callable:
      break;
    }
    if (overrides.isWhole_ && override.givesOne_ && numSlots != 1)
      return error(ErrorKind::TypeError,
                   which + " gives a Variable for the whole op: give Variables, " +
                       "one for each " + std::string(option_.slot));
    absl::StatusOr<Variables> results = resultsOf(override);
    if (!results.ok())
      return results.status();
    size_t expected = overrides.isWhole_ ? numSlots : 1;
    if (results->size() != expected)
      return error(ErrorKind::ValueError, which + " gives " + counted(results->size(), "Variable") +
                                              ", expected " + std::to_string(expected));
    for (size_t i = 0; i < expected; ++i)
      if (absl::Status s = add(overrides.isWhole_ ? i : k, (*results)[i]); !s.ok())
        return s;
  }
  if (std::ranges::count(rule_.entries, FrozenRule::Entry()) == std::ssize(rule_.entries))
    return ReadingRule(); // F-263: equal to none at all
  if (results_.empty())
    return ReadingRule{rule_, {}};
  Variables arguments = inputs_;
  if (option_.slot == "input") // gradOverrides and pullback are one form here
    arguments.insert(arguments.end(), outputs_.begin(), outputs_.end());
  arguments.insert(arguments.end(), directions_.begin(), directions_.end());
  absl::StatusOr<CapturingGraph> frozen = freezeCapturing(arguments, results_, strict_);
  if (!frozen.ok())
    return prefixError(frozen.status(), std::string(option_.name));
  rule_.graph = InnerGraph::intern(std::move(frozen->graph), {}, {.inlining = inlining_});
  return ReadingRule{rule_, std::move(frozen->captured)};
}

absl::StatusOr<ReadingRule> freezePullback(const OpFromGraphOptions &options,
                                           detail::Inlining inlining, std::source_location loc,
                                           const Variables &inputs, const Variables &outputs) {
  bool isOlder = OverrideReader::isGiven(options.gradOverrides);
  if (!isOlder && !OverrideReader::isGiven(options.pullback))
    return ReadingRule();
  if (isOlder && OverrideReader::isGiven(options.pullback))
    return makeError(ErrorKind::ValueError,
                     "pullback and gradOverrides are both given: they are two forms of one thing");
  if (isOlder)
    return OverrideReader({"gradOverrides", "input", false}, options, inlining, loc, inputs,
                          outputs)
        .read(options.gradOverrides);
  return OverrideReader({"pullback", "input", true}, options, inlining, loc, inputs, outputs)
      .read(options.pullback);
}

absl::StatusOr<ReadingRule> freezePushforward(const OpFromGraphOptions &options,
                                              detail::Inlining inlining, std::source_location loc,
                                              const Variables &inputs, const Variables &outputs) {
  if (!OverrideReader::isGiven(options.pushforward))
    return ReadingRule();
  return OverrideReader({"pushforward", "output", false}, options, inlining, loc, inputs, outputs)
      .read(options.pushforward);
}

} // namespace graphc
