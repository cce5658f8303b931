//===- Graph/Dependence.cpp -----------------------------------------------===//
#include "Graph/Dependence.h"

#include <algorithm>

#include "Graph/InnerGraph.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {

using detail::Dependence;
using detail::FrozenRule;
using detail::InnerTraits;
using Range = Dependence::Range;
using Ranges = Dependence::Ranges;
using Shared = std::shared_ptr<const Ranges>; // null: none

//===--- sets of inputs ---------------------------------------------------===//

/// Ranges in any order as those of a set.
static Ranges asSet(Ranges ranges) {
  std::ranges::sort(ranges);
  Ranges set;
  for (const Range &range : ranges)
    if (!set.empty() && range.first <= set.back().second)
      set.back().second = std::max(set.back().second, range.second);
    else
      set.push_back(range);
  return set;
}

static Shared sharedRanges(Ranges ranges) {
  return ranges.empty() ? nullptr : std::make_shared<const Ranges>(std::move(ranges));
}

/// What is in any of `sets`: one of them, if it holds all.
static Shared unionOf(std::vector<Shared> sets) {
  std::ranges::sort(sets);
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  std::erase(sets, nullptr);
  if (sets.empty())
    return nullptr;
  if (sets.size() == 1)
    return sets[0];
  Ranges all;
  for (const Shared &set : sets)
    all.insert(all.end(), set->begin(), set->end());
  all = asSet(std::move(all));
  for (const Shared &set : sets)
    if (*set == all)
      return set;
  return sharedRanges(std::move(all));
}

/// What is in both.
static Ranges intersection(const Ranges &a, const Ranges &b) {
  Ranges both;
  for (auto [begin, end] : a) {
    auto ends = [](const Range &range) { return range.second; };
    for (auto at = std::ranges::upper_bound(b, begin, {}, ends); at != b.end() && at->first < end;
         ++at)
      both.emplace_back(std::max(begin, at->first), std::min(end, at->second));
  }
  return both;
}

/// Those numbers below `count` that are chosen.
static Ranges chosen(size_t count, absl::FunctionRef<bool(size_t)> isChosen) {
  Ranges ranges;
  for (size_t i = 0; i < count; ++i)
    if (isChosen(i))
      ranges.emplace_back(int32_t(i), int32_t(i + 1));
  return asSet(std::move(ranges));
}

//===--- of a graph -------------------------------------------------------===//

/// What a node's outputs depend on, given that for its inputs.
static std::vector<Shared> through(const Apply &node, const std::vector<Shared> &inputs) {
  if (std::ranges::count(inputs, nullptr) == std::ssize(inputs))
    return std::vector<Shared>(size_t(node.numOutputs()));
  auto of = [&](const Dependence &dependence) {
    std::vector<Shared> distinct;
    for (const Ranges &ranges : dependence.distinct()) {
      std::vector<Shared> sets;
      for (auto [begin, end] : ranges)
        sets.insert(sets.end(), inputs.begin() + begin, inputs.begin() + end);
      distinct.push_back(unionOf(std::move(sets)));
    }
    std::vector<Shared> outputs;
    for (int o = 0; o < node.numOutputs(); ++o)
      outputs.push_back(distinct[size_t(dependence.which(o))]);
    return outputs;
  };
  const OpDef &def = node.op().def();
  if (const auto &record = detail::recordOf(def))
    return of(record->dependence());
  if (def.connection.empty())
    return std::vector<Shared>(size_t(node.numOutputs()), unionOf(inputs));
  return of(Dependence(def, node.numInputs(), node.numOutputs()));
}

/// What the outputs depend on as the graph's nodes say.
static std::vector<Shared> setsOf(const FrozenGraph &graph) {
  absl::flat_hash_map<const detail::VariableNode *, Shared> known;
  Variables inputs = graph.inputs();
  for (size_t i = 0; i < inputs.size(); ++i)
    known[inputs[i].node()] = sharedRanges({{int32_t(i), int32_t(i + 1)}});
  auto of = [&](const Variable &v) {
    auto found = known.find(v.node());
    return found == known.end() ? nullptr : found->second;
  };
  for (const Apply &node : graph.order()) {
    std::vector<Shared> sets;
    for (int i = 0; i < node.numInputs(); ++i)
      sets.push_back(of(node.input(i)));
    sets = through(node, sets);
    for (int o = 0; o < node.numOutputs(); ++o)
      known[node.output(o).node()] = std::move(sets[size_t(o)]);
  }
  std::vector<Shared> outputs;
  for (const Variable &output : graph.outputs())
    outputs.push_back(of(output));
  return outputs;
}

/// F-252: what an override says goes before what the graph does, and a connection before both.
static void correct(std::vector<Shared> &outputs, const InnerTraits &traits, size_t numInputs) {
  enum class Row : uint8_t { OfGraph, Given, None, All };
  std::vector<Row> rows(numInputs, Row::OfGraph);
  std::fill_n(rows.begin(), traits.connection.size(), Row::Given);
  for (size_t i = 0; i < traits.pullback.entries.size(); ++i) {
    FrozenRule::Kind kind = traits.pullback.entries[i].kind;
    if (kind == FrozenRule::Kind::Disconnected)
      rows[i] = Row::None;
    else if (kind != FrozenRule::Kind::Default && traits.connection.empty())
      rows[i] = Row::All;
  }
  auto with = [&](Row row) { return chosen(numInputs, [&](size_t i) { return rows[i] == row; }); };
  const Ranges ofGraph = with(Row::OfGraph), all = with(Row::All);
  if (ofGraph == Ranges{{0, int32_t(numInputs)}})
    return;
  absl::flat_hash_map<Shared, Shared> corrected;
  for (size_t o = 0; o < outputs.size(); ++o) {
    auto [found, isNew] = corrected.try_emplace(outputs[o]);
    if (isNew) {
      Ranges ranges = outputs[o] ? intersection(*outputs[o], ofGraph) : Ranges();
      ranges.insert(ranges.end(), all.begin(), all.end());
      found->second = sharedRanges(asSet(std::move(ranges)));
    }
    outputs[o] = found->second;
    if (traits.connection.empty())
      continue;
    outputs[o] = unionOf({outputs[o], sharedRanges(chosen(traits.connection.size(), [&](size_t i) {
                            return rows[i] == Row::Given && traits.connection[i][o];
                          }))});
  }
}

void Dependence::setOutputs(const std::vector<Shared> &outputs) {
  absl::flat_hash_map<Shared, int32_t> known;
  absl::flat_hash_map<Ranges, int32_t> equal;
  for (const Shared &output : outputs) {
    auto [found, isNew] = known.try_emplace(output);
    if (isNew) {
      const Ranges &ranges = output ? *output : Ranges();
      auto [same, isOther] = equal.try_emplace(ranges, int32_t(distinct_.size()));
      if (isOther)
        distinct_.push_back(ranges);
      found->second = same->second;
    }
    whichOf_.push_back(found->second);
  }
}

Dependence::Dependence(const FrozenGraph &graph, const InnerTraits &traits)
    : numInputs_(graph.numInputs()) {
  std::vector<Shared> outputs = setsOf(graph);
  correct(outputs, traits, size_t(numInputs_));
  setOutputs(outputs);
}

//===--- of an op ---------------------------------------------------------===//

/// As OpDef::connection has it: what it does not tell of is connected.
static bool isConnected(const OpDef &def, size_t i, size_t o) {
  const auto &rows = def.connection;
  if (def.variadic && !rows.empty())
    i = std::min(i, rows.size() - 1);
  return i >= rows.size() || o >= rows[i].size() || rows[i][o];
}

Dependence::Dependence(const OpDef &def, int numInputs, int numOutputs) : numInputs_(numInputs) {
  std::vector<Shared> outputs;
  if (def.connection.empty())
    outputs.assign(size_t(numOutputs),
                   numInputs ? sharedRanges({{0, int32_t(numInputs)}}) : nullptr);
  for (size_t o = outputs.size(); o < size_t(numOutputs); ++o)
    outputs.push_back(
        sharedRanges(chosen(size_t(numInputs), [&](size_t i) { return isConnected(def, i, o); })));
  setOutputs(outputs);
}

Dependence dependenceOf(const Op &op, int numInputs, int numOutputs) {
  const auto &record = detail::recordOf(op.def());
  return record ? record->dependence() : Dependence(op.def(), numInputs, numOutputs);
}

//===--- questions --------------------------------------------------------===//

bool Dependence::has(int input, int output) const {
  return !intersection({{input, input + 1}}, distinct_[size_t(which(output))]).empty();
}

using Choice = Dependence::Choice;
using Counts = absl::InlinedVector<int32_t, 16>;

Choice Dependence::outputsOf(absl::FunctionRef<bool(int)> isGiven) const {
  Counts before(size_t(numInputs_) + 1); // how many of those before it are given
  for (int i = 0; i < numInputs_; ++i)
    before[size_t(i) + 1] = before[size_t(i)] + isGiven(i);
  Choice depends;
  for (const Ranges &ranges : distinct_)
    depends.push_back(std::ranges::any_of(ranges, [&](const Range &range) {
      return before[size_t(range.second)] > before[size_t(range.first)];
    }));
  Choice outputs;
  for (int32_t which : whichOf_)
    outputs.push_back(depends[size_t(which)]);
  return outputs;
}

Choice Dependence::inputsOf(absl::FunctionRef<bool(int)> isGiven) const {
  Choice isNeeded(distinct_.size());
  for (int o = 0; o < numOutputs(); ++o)
    if (isGiven(o))
      isNeeded[size_t(which(o))] = true;
  Counts change(size_t(numInputs_) + 1); // of the number of ranges that it is in
  for (size_t k = 0; k < distinct_.size(); ++k)
    if (isNeeded[k])
      for (auto [begin, end] : distinct_[k]) {
        ++change[size_t(begin)];
        --change[size_t(end)];
      }
  Choice inputs;
  for (int32_t i = 0, depth = 0; i < numInputs_; ++i)
    inputs.push_back((depth += change[size_t(i)]) > 0);
  return inputs;
}

/// Of a plain op: which of `numTo` inputs or outputs go with one of `numFrom` of the others.
static Choice reached(const OpDef &def, int numFrom, int numTo,
                      absl::FunctionRef<bool(int)> isGiven,
                      absl::FunctionRef<bool(size_t from, size_t to)> goesWith) {
  Choice to(static_cast<size_t>(numTo), false);
  for (int from = 0; from < numFrom; ++from) {
    if (!isGiven(from))
      continue;
    if (def.connection.empty())
      return Choice(to.size(), true);
    for (size_t t = 0; t < to.size(); ++t)
      to[t] = to[t] || goesWith(size_t(from), t);
  }
  return to;
}

Choice dependentOutputs(const Apply &node, absl::FunctionRef<bool(int)> isGiven) {
  const OpDef &def = node.op().def();
  if (const auto &record = detail::recordOf(def))
    return record->dependence().outputsOf(isGiven);
  return reached(def, node.numInputs(), node.numOutputs(), isGiven,
                 [&](size_t i, size_t o) { return isConnected(def, i, o); });
}

Choice neededInputs(const Apply &node, absl::FunctionRef<bool(int)> isGiven) {
  const OpDef &def = node.op().def();
  if (const auto &record = detail::recordOf(def))
    return record->dependence().inputsOf(isGiven);
  return reached(def, node.numOutputs(), node.numInputs(), isGiven,
                 [&](size_t o, size_t i) { return isConnected(def, i, o); });
}

} // namespace graphc
