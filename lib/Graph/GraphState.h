//===- Graph/GraphState.h - tables of a FunctionGraph -----------*- C++ -*-===//
//
// Members carry their number in these tables (`slot`), so nothing is looked up by address, and
// orders never depend on addresses. The uses of a Variable are a doubly linked list through one
// table: appending and removing take constant time however many uses there are.
//
// Nodes stand in a list that goes along every edge (NodeOrder): whether an edge from `a` to `b`
// closes a cycle is answered at once where `a` comes first, and otherwise by a search of the nodes
// between. An edge against the list moves nodes between (after Pearce and Kelly, A dynamic
// topological sort algorithm for directed acyclic graphs, 2006): those that come after it or those
// before it, which are searched in turn, edge by edge, so that the few move whichever they are. The
// cycle check searches what comes before. A change costs at most the nodes between, and for changes
// that always go against the list, with much on both sides, that is all nodes each time: no bound
// below that is known that is worth its cost.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Graph/Journal.h"
#include "Graph/Listeners.h"
#include "Graph/NodeOrder.h"
#include "Graph/Nodes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"

namespace graphc::detail {

struct GraphState {
  struct Use {
    /// Slot of the node, or kNoSlot for an output of the graph.
    uint32_t user = kNoSlot;
    uint32_t index = 0;
    uint32_t previous = kNoSlot;
    uint32_t next = kNoSlot;
  };
  struct Node {
    /// Null for a free slot; counted.
    ApplyNode *node = nullptr;
    /// Its uses of its inputs stand together.
    uint32_t firstUse = 0;
  };
  struct Var {
    /// Null for a free slot; leaves are counted.
    VariableNode *node = nullptr;
    uint32_t firstUse = kNoSlot;
    uint32_t lastUse = kNoSlot;
    bool input = false;
  };

  std::vector<Use> uses;
  std::vector<Node> nodes;
  std::vector<Var> vars;
  std::vector<VariableNode *> inputs;
  std::vector<VariableNode *> outputs;
  std::vector<uint32_t> outputUses;
  /// Grows when inputs or outputs come or go.
  uint64_t interfaceChanges = 1;
  std::map<int, int> updateMapping;
  std::string name;
  size_t numNodes = 0;

  Listeners listeners;
  std::shared_ptr<Journal> journal = std::make_shared<Journal>();
  /// What replaceAllValidateRemove removed and has to stay away.
  absl::flat_hash_map<ApplyNode *, Apply> banned;
  /// The callbacks that have not returned, the outermost first.
  std::vector<Telling> telling;
  /// Of the change that is being made or told.
  const Announcer *announcer = nullptr;
  bool disowned = false;

  /// Inconsistency, naming the Feature, in a callback; only the callbacks of users' own interfaces
  /// may change and validate (`what`) the graph.
  absl::Status mayChange(std::string_view what = "change") const;
  absl::Status refuseInCallback(std::string_view what) const;
  /// Also while a checkpoint is open.
  absl::Status mayChangeInterface() const;
  /// Whether Features are being told of a change: not all of them know of it.
  bool isTellingChange() const;
  /// Inconsistency where it does not matter what Features order: while they are told of a change,
  /// or are asked for that already.
  absl::Status mayAskForOrder() const;

  GraphState() = default;
  GraphState(const GraphState &) = delete;
  ~GraphState();

  //===--- members --------------------------------------------------------===//
  bool contains(const ApplyNode *node) const { return node->graph == this; }
  /// kNoSlot for no member.
  uint32_t slotOf(const VariableNode *v) const;
  Var &var(const VariableNode *v) { return vars[slotOf(v)]; }

  /// A leaf. `own`: no other FunctionGraph can meet it, so it may carry its slot.
  void addLeaf(VariableNode *v, bool own);
  /// Adds nodes, producers before consumers; their leaves are inputs, members or constants.
  void addNodes(absl::Span<ApplyNode *const> order, bool ownConstants,
                Announcer *announcer = nullptr);

  //===--- changes --------------------------------------------------------===//
  // `announcer`, where there is one, notes each step in the order of F-089.

  /// Use `use` (of input `index` of `user`, or of an output) becomes one of `fresh`, for which
  /// `imports` become members. The caller holds a count of the old Variable.
  void redirect(uint32_t use, VariableNode *fresh, absl::Span<ApplyNode *const> imports,
                Announcer *announcer);
  /// Removes `v`, if it has no uses now, and what only it keeps in the graph; consumers before
  /// producers. The caller holds a count of `v`.
  void prune(VariableNode *v, Announcer *announcer);
  /// The outputs become those that `keep`s, numbered anew. What then has no use stays.
  void dropOutputs(const std::vector<bool> &keep);
  /// `v` becomes output `at`, numbered anew.
  void insertOutput(size_t at, VariableNode *v);
  /// An unused one.
  void dropInput(size_t at);
  void insertInput(size_t at, VariableNode *v);

  VariableNode *valueOf(const Use &use) const {
    return use.user == kNoSlot ? outputs[use.index] : nodes[use.user].node->input(use.index);
  }
  Client clientOf(const Use &use) const;
  /// The use that a client of the graph stands for.
  uint32_t useOf(const Client &client) const;

  //===--- order ----------------------------------------------------------===//
  /// Nodes that must precede, or follow, a node, besides what data say.
  using NodeLists = absl::flat_hash_map<ApplyNode *, std::vector<ApplyNode *>>;
  /// F-114. Stops short of nodes on a cycle, setting `cyclic` to one of them.
  std::vector<ApplyNode *> toposort(ApplyNode **cyclic = nullptr,
                                    const NodeLists &before = {}) const;
  /// Puts `order`, nodes that have just been added, behind what they use, as early as possible.
  void place(absl::Span<ApplyNode *const> order);
  /// Puts `v` before `users`, whose edges from it the list may not go along: either `v` and what it
  /// is computed from rise, or `users` and what is computed from them sink, whichever is known
  /// first. What overwrites memory never rises.
  void order(VariableNode *v, absl::Span<ApplyNode *const> users);
  /// Puts those of `nodes`, and of what comes after them by data and `after`, that stand before
  /// `first` behind it. False, and nothing has changed, if `first` is among them.
  bool moveBehind(ApplyNode *first, absl::Span<ApplyNode *const> nodes, const NodeLists &after);
  /// Gets the nodes that sank for data, if somebody wants to know.
  std::vector<ApplyNode *> *moved = nullptr;
  /// Grow along the list; more than 0.
  uint64_t labelOf(const ApplyNode *node) const { return list_.label(node->slot); }
  uint64_t labelOf(const VariableNode *v) const { return v->owner ? labelOf(v->owner) : 0; }

private:
  void link(uint32_t use, uint32_t varSlot);
  void unlink(uint32_t use, uint32_t varSlot);
  uint32_t allocateUses(uint32_t count);
  uint32_t addVar(VariableNode *v);
  void removeLeaf(VariableNode *v);
  void removeNode(ApplyNode *node, std::vector<VariableNode *> &unused);
  void numberOutputs();
  bool isUnused(ApplyNode *node) const;
  /// Puts `found` behind `at` (NodeOrder) in the order that they have.
  void moveNodes(uint32_t at, std::vector<ApplyNode *> &found);

  NodeOrder list_;
  /// What toposort gave for data alone, until a use changes.
  mutable std::vector<ApplyNode *> sorted_;
  mutable bool isSorted_ = false;
  std::vector<uint32_t> freeNodes_;
  std::vector<uint32_t> freeVars_;
  /// By length.
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> freeUses_;
  /// Constants that users made may be members of many graphs, in many threads: they carry no
  /// slot. Never iterated over.
  absl::flat_hash_map<const VariableNode *, uint32_t> sharedConstants_;
};

/// IndexError if `i` is no number of the graph's inputs or outputs (`what`), of which there are
/// `count`.
absl::Status checkIndex(int i, size_t count, std::string_view what);

} // namespace graphc::detail
