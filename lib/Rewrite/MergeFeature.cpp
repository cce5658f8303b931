//===- Rewrite/MergeFeature.cpp - equal nodes, kept track of --------------===//
//
// Members stand in chains by a hash of op and inputs, in the order in which they came. A node one
// of whose inputs changes moves to another chain, at a cost that does not depend on how many it
// has. Constants of equal data have one token, which stands for them in the keys, so that nodes
// over them are equal before the constants have been merged.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <deque>
#include <optional>

#include "Graph/MergeKeys.h"
#include "Rewrite/RewriteRun.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Features.h"

namespace graphc {

using detail::ApplyNode;
using detail::VariableNode;

namespace {

/// Classes of constants with equal data.
class ConstantClasses {
public:
  /// What stands for `v` in keys: itself if it is no constant.
  VariableNode *token(VariableNode *v) {
    if (!v->constant)
      return v;
    auto [at, isNew] = tokens_.try_emplace(Variable::fromNode(v));
    if (isNew)
      at->second = classes_.try_emplace({at->first}, at->first).first->first.v;
    return at->second.node();
  }
  /// The same where nothing may be remembered.
  VariableNode *find(VariableNode *v) const {
    if (!v->constant)
      return v;
    auto at = classes_.find({Variable::fromNode(v)});
    return at == classes_.end() ? v : at->first.v.node();
  }
  /// The member that the class of the constant `v` becomes, perhaps `v`.
  Variable member(const FunctionGraph &graph, const Variable &v) {
    Variable &chosen = classes_.at({v});
    if (!graph.contains(chosen))
      chosen = v;
    return chosen;
  }
  /// Constants leave without an event.
  void dropDead(const FunctionGraph &graph) {
    if (tokens_.size() < limit_)
      return;
    absl::flat_hash_set<Variable> used;
    absl::erase_if(tokens_, [&](const auto &entry) {
      bool alive = graph.contains(entry.first);
      if (alive)
        used.insert(entry.second);
      return !alive;
    });
    absl::erase_if(classes_, [&](const auto &entry) { return !used.contains(entry.first.v); });
    limit_ = 2 * tokens_.size() + kFew;
  }

private:
  static constexpr size_t kFew = 64;
  /// To the first constant that had the data.
  absl::flat_hash_map<Variable, Variable> tokens_;
  absl::flat_hash_map<ConstantKey, Variable> classes_;
  size_t limit_ = kFew;
};

} // namespace

struct MergeFeature::Tables {
  struct Entry {
    uint64_t hash;
    ApplyNode *previous = nullptr, *next = nullptr;
  };
  struct Chain {
    ApplyNode *first = nullptr, *last = nullptr;
  };
  absl::flat_hash_map<ApplyNode *, Entry> entries;
  absl::flat_hash_map<uint64_t, Chain> chains;
  ConstantClasses constants;
  /// What has come or changed since the last merge, each once.
  std::deque<Apply> pending;
  absl::flat_hash_set<ApplyNode *> isPending;
  std::deque<Variable> pendingConstants;

  auto token() {
    return [this](VariableNode *v) { return constants.token(v); };
  }
  void push(const Apply &node) {
    if (isPending.insert(node.node()).second)
      pending.push_back(node);
  }
  void add(const Apply &node);
  void link(ApplyNode *node, uint64_t hash);
  /// Its hash, if it was there.
  std::optional<uint64_t> unlink(ApplyNode *node);
  /// The first of the chain that is equal.
  ApplyNode *oldest(ApplyNode *node, uint64_t hash, Token token) const;
};

void MergeFeature::Tables::add(const Apply &apply) {
  ApplyNode *node = apply.node();
  for (uint32_t i = 0; i < node->numInputs; ++i)
    if (node->input(i)->constant)
      pendingConstants.push_back(Variable::fromNode(node->input(i)));
  link(node, nodeHash(node, token()));
  push(apply);
}

void MergeFeature::Tables::link(ApplyNode *node, uint64_t hash) {
  Chain &chain = chains[hash];
  (chain.last ? entries.at(chain.last).next : chain.first) = node;
  entries[node] = {hash, chain.last};
  chain.last = node;
}

std::optional<uint64_t> MergeFeature::Tables::unlink(ApplyNode *node) {
  auto at = entries.find(node);
  if (at == entries.end())
    return std::nullopt;
  Entry entry = at->second;
  entries.erase(at);
  auto chain = chains.find(entry.hash);
  (entry.previous ? entries.at(entry.previous).next : chain->second.first) = entry.next;
  (entry.next ? entries.at(entry.next).previous : chain->second.last) = entry.previous;
  if (!chain->second.first)
    chains.erase(chain);
  return entry.hash;
}

ApplyNode *MergeFeature::Tables::oldest(ApplyNode *node, uint64_t hash, Token token) const {
  auto chain = chains.find(hash);
  ApplyNode *each = chain == chains.end() ? nullptr : chain->second.first;
  while (each && !sameNode(each, node, token))
    each = entries.at(each).next;
  return each;
}

MergeFeature::MergeFeature() : tables_(std::make_unique<Tables>()) {}
MergeFeature::~MergeFeature() = default;

Apply MergeFeature::equalOf(const Apply &node) const {
  const Tables &tables = *tables_;
  auto token = [&](VariableNode *v) { return tables.constants.find(v); };
  if (!node || destroysInput(node.op().def()))
    return Apply();
  ApplyNode *found = tables.oldest(node.node(), nodeHash(node.node(), token), token);
  return found && found != node.node() ? Apply::fromNode(found) : Apply();
}

absl::StatusOr<int64_t> MergeFeature::merge(FunctionGraph &graph) {
  auto isAttached = [&] {
    const Features &all = graph.features();
    return std::any_of(all.begin(), all.end(), [&](const auto &f) { return f.get() == this; });
  };
  if (!isAttached())
    return makeError(ErrorKind::ValueError,
                     "the MergeFeature is not attached to this FunctionGraph; attach it first");
  std::shared_ptr<Feature> kept = itself(); // another Feature may remove it meanwhile
  Tables &tables = *tables_;
  auto token = tables.token();
  absl::flat_hash_set<Apply> refused;
  int64_t count = 0;
  auto replace = [&](const Replacements &pairs) -> absl::StatusOr<bool> {
    for (const auto &[old, fresh] : pairs)
      if (!keepsType(old.type(), fresh.type()))
        return false;
    absl::Status status = graph.replaceAllValidate(pairs, name()).status();
    if (!status.ok() && errorKind(status) != ErrorKind::Inconsistency)
      return status;
    count += status.ok();
    return status.ok();
  };
  for (const Variable &output : graph.outputs())
    if (output.isConstant() && token(output.node()))
      tables.pendingConstants.push_back(output);
  while (isAttached() && !(tables.pending.empty() && tables.pendingConstants.empty())) {
    if (!tables.pendingConstants.empty()) {
      Variable v = std::move(tables.pendingConstants.front());
      tables.pendingConstants.pop_front();
      Variable chosen = graph.contains(v) ? tables.constants.member(graph, v) : v;
      if (chosen != v)
        if (absl::StatusOr<bool> done = replace({{v, chosen}}); !done.ok())
          return done.status();
      continue;
    }
    Apply node = std::move(tables.pending.front());
    tables.pending.pop_front();
    tables.isPending.erase(node.node());
    auto entry = tables.entries.find(node.node());
    if (entry == tables.entries.end() || refused.contains(node))
      continue;
    ApplyNode *first = tables.oldest(node.node(), entry->second.hash, token);
    if (first == node.node())
      continue;
    Apply equal = Apply::fromNode(first);
    Replacements pairs;
    for (int i = 0; i < node.numOutputs(); ++i)
      pairs.emplace_back(node.output(i), equal.output(i));
    absl::StatusOr<bool> done = replace(pairs);
    if (!done.ok())
      return done.status();
    // Undoing puts it on the list again.
    if (*done)
      addOrigins(equal, node);
    else
      refused.insert(node);
  }
  tables.constants.dropDead(graph);
  return count;
}

absl::Status MergeFeature::onImport(FunctionGraph &, const Apply &node, std::string_view) {
  if (!destroysInput(node.op().def()))
    tables_->add(node);
  return absl::OkStatus();
}

absl::Status MergeFeature::onPrune(FunctionGraph &, const Apply &node, std::string_view) {
  tables_->unlink(node.node());
  return absl::OkStatus();
}

absl::Status MergeFeature::onChangeInput(FunctionGraph &, const Client &client, const Variable &old,
                                         const Variable &fresh, std::string_view) {
  Tables &tables = *tables_;
  ApplyNode *node = client.node.node();
  if (client.isOutput() || !tables.entries.contains(node))
    return absl::OkStatus();
  if (fresh.isConstant())
    tables.pendingConstants.push_back(fresh);
  VariableNode *before = tables.constants.token(old.node());
  VariableNode *after = tables.constants.token(fresh.node());
  if (before == after)
    return absl::OkStatus();
  uint32_t i = uint32_t(client.index);
  uint64_t hash = *tables.unlink(node);
  tables.link(node, hash - inputHash(node, i, before) + inputHash(node, i, after));
  tables.push(client.node);
  return absl::OkStatus();
}

absl::Status MergeFeature::onAttach(FunctionGraph &graph) {
  *tables_ = Tables();
  return Bookkeeper::onAttach(graph);
}

absl::Status MergeFeature::onDetach(FunctionGraph &) {
  *tables_ = Tables(); // in its place: `merge` may be at work
  return absl::OkStatus();
}

} // namespace graphc
