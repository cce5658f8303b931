//===- Rewrite/ShapeFeature.cpp - symbolic shapes of a graph's Variables --===//
//
// The shape rule of a node is its emission, run on operands of its inputs' types. What the record
// says of its results' extents, in sizes of the operands, is put into terms of the inputs' extents.
// Elements of small integer arrays are followed in the same way, since shapes are made of them.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "Emit/EmitNode.h"
#include "Emit/EmitterState.h"
#include "Graph/GraphState.h"
#include "Graph/InnerGraph.h"
#include "Graph/Walk.h"
#include "Rewrite/NodeRewriter.h"
#include "Rewrite/ShapeTerms.h"
#include "Support/Work.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"

namespace graphc {

using detail::ApplyNode;
using detail::asLeaf;
using detail::GraphState;
using detail::kNoSlot;
using detail::VariableNode;

namespace {

/// What is known of a Variable.
struct ShapeRecord {
  absl::InlinedVector<int32_t, 4> extents;
  /// Of an integer array whose elements are derived; empty otherwise.
  std::vector<int32_t> elements;
  bool mayFail = false;

  friend bool operator==(const ShapeRecord &, const ShapeRecord &) = default;
};
using ShapeRecords = absl::flat_hash_map<VariableNode *, ShapeRecord>;

bool isSmallIntegers(const Type &type) {
  return (type.dtype() == DType::Int64 || isBool(type.dtype())) && type.hasStaticShape() &&
         type.numElements() <= Emitter::kMaxKnownElements;
}

/// Runs the shape rule of one node, of whose inputs all is known.
class ShapeRule {
public:
  ShapeRule(ApplyNode *node, ShapeTerms &terms, const ShapeRecords &records)
      : node_(node), terms_(terms), records_(records) {}
  /// Of each output.
  std::vector<ShapeRecord> run();

private:
  Array operand(VariableNode *v);
  bool emit(Arrays &results);
  void translate(const Arrays &results);
  int32_t translated(const SizeNode &size);
  bool isSure(const SizeCheck &check) const;
  bool fits(const SizeCheck &check) const;
  ShapeRecord recordOf(VariableNode *output, const Array *result);

  ApplyNode *node_;
  ShapeTerms &terms_;
  const ShapeRecords &records_;
  Emitter emitter_;
  /// By array, which operands are the first of.
  absl::InlinedVector<VariableNode *, 4> operands_;
  absl::InlinedVector<Array, 4> arrays_;
  /// By size of the emission; -1 where it depends on what the op computes itself.
  std::vector<int32_t> sizes_;
};

/// The same Variable is one operand: its extents agree with themselves.
Array ShapeRule::operand(VariableNode *v) {
  for (size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i] == v)
      return arrays_[i];
  operands_.push_back(v);
  Array array = v->constant ? emitter_.constant(asLeaf(v)->data) : emitter_.operand(v->type);
  arrays_.push_back(array);
  if (v->constant)
    return array;
  if (isSmallIntegers(v->type)) {
    Emitter::State &state = emitter_.state();
    for (int64_t i = 0; i < v->type.numElements(); ++i)
      state.record.arrays[size_t(array.id)].elements.push_back(
          state.sizes.element(array.id, state.sizes.constant(i)));
  }
  return array;
}

/// Of an OpFromGraph: a nest would be emitted once for each of its levels, which takes quadratic
/// time where it is deep; and types may tell as much.
static bool isWorthEmitting(ApplyNode &node) {
  constexpr int64_t kMostNodes = 1000;
  bool isStatic = true;
  for (uint32_t i = 0; i < node.numOutputs; ++i)
    isStatic &= node.output(i)->type.hasStaticShape() && !isSmallIntegers(node.output(i)->type);
  return !isStatic && node.op.def().inner->numNodes() <= kMostNodes;
}

bool ShapeRule::emit(Arrays &results) {
  const OpDef &def = node_->op.def();
  if (!def.emit || (def.inner && !isWorthEmitting(*node_)))
    return false;
  // What a check would make equal is not: a rule that drops the node may rely on what is.
  emitter_.state().unifies = false;
  Arrays in;
  for (uint32_t i = 0; i < node_->numInputs; ++i)
    in.push_back(operand(node_->input(i)));
  std::vector<Type> types;
  for (uint32_t i = 0; i < node_->numOutputs; ++i)
    types.push_back(node_->output(i)->type);
  emitter_.beginNode(0, types);
  results = emitOp(emitter_, Apply::fromNode(node_), in);
  emitter_.endNode(results);
  return emitter_.status().ok();
}

int32_t ShapeRule::translated(const SizeNode &n) {
  auto of = [&](int32_t size) { return sizes_[size_t(size)]; };
  auto inputOf = [&](int32_t array) {
    return size_t(array) < operands_.size() ? operands_[size_t(array)] : nullptr;
  };
  switch (n.op) {
  case SizeOp::Constant:
    return terms_.constant(n.value);
  case SizeOp::Dim:
    return inputOf(n.a) ? records_.at(inputOf(n.a)).extents[size_t(n.b)] : -1;
  case SizeOp::Element: {
    VariableNode *input = inputOf(n.a);
    if (!input || of(n.b) < 0)
      return -1;
    const std::vector<int32_t> &elements = records_.at(input).elements;
    std::optional<int64_t> position = terms_.constantValue(of(n.b));
    if (position && *position >= 0 && size_t(*position) < elements.size())
      return elements[size_t(*position)];
    return terms_.element(input, of(n.b));
  }
  case SizeOp::Select:
    return of(n.a) < 0 || of(n.b) < 0 || of(n.c) < 0 ? -1
                                                     : terms_.select(of(n.a), of(n.b), of(n.c));
  default:
    return of(n.a) < 0 || of(n.b) < 0 ? -1 : terms_.binary(n.op, of(n.a), of(n.b));
  }
}

/// Puts the sizes that results and checks need into terms.
void ShapeRule::translate(const Arrays &results) {
  const std::vector<SizeNode> &nodes = emitter_.sizes();
  const Emission &record = emitter_.emission();
  std::vector<bool> needed(nodes.size());
  auto need = [&](absl::Span<const int32_t> list) {
    for (int32_t size : list)
      needed[size_t(size)] = true;
  };
  for (Array result : results) {
    for (Extent extent : emitter_.shape(result))
      need({extent.id()});
    if (result.id >= 0) // no complex one
      need(record.arrays[size_t(result.id)].elements);
  }
  for (const SizeCheck &check : record.sizeChecks) {
    need(check.shape);
    if (check.predicate != Predicate::Fits)
      need({check.a, check.b});
  }
  for (size_t i = nodes.size(); i-- > 0;) {
    const SizeNode &n = nodes[i];
    if (!needed[i] || n.op == SizeOp::Constant || n.op == SizeOp::Dim)
      continue;
    need({n.b});
    if (n.op != SizeOp::Element)
      need({n.a});
    if (n.op == SizeOp::Select)
      need({n.c});
  }
  sizes_.assign(nodes.size(), -1);
  for (size_t i = 0; i < nodes.size(); ++i)
    if (needed[i])
      sizes_[i] = translated(nodes[i]);
}

/// An array fits whose extents are among those of an operand, if its elements are no larger: the
/// limit is one of the extents that are not 0.
bool ShapeRule::fits(const SizeCheck &check) const {
  std::vector<int64_t> known;
  std::vector<int32_t> shape;
  for (int32_t size : check.shape) {
    int32_t term = sizes_[size_t(size)];
    if (term < 0)
      return false;
    std::optional<int64_t> value = terms_.constantValue(term);
    if (value)
      known.push_back(*value);
    if (value != 1)
      shape.push_back(term);
  }
  if (known.size() == check.shape.size())
    return shapeBytes(check.a, known).ok();
  std::sort(shape.begin(), shape.end());
  return std::any_of(operands_.begin(), operands_.end(), [&](VariableNode *v) {
    absl::InlinedVector<int32_t, 4> extents = records_.at(v).extents;
    std::sort(extents.begin(), extents.end());
    return byteSize(v->type.dtype()) >= check.a &&
           std::includes(extents.begin(), extents.end(), shape.begin(), shape.end());
  });
}

bool ShapeRule::isSure(const SizeCheck &check) const {
  if (check.predicate == Predicate::Fits)
    return fits(check);
  int32_t a = sizes_[size_t(check.a)], b = sizes_[size_t(check.b)];
  if (a < 0 || b < 0)
    return false;
  switch (check.predicate) {
  case Predicate::Equal:
    return terms_.constantValue(terms_.binary(SizeOp::Equal, a, b)) == 1;
  case Predicate::LessEqual:
    return terms_.constantValue(terms_.binary(SizeOp::Less, b, a)) == 0;
  default:
    return terms_.constantValue(terms_.binary(SizeOp::Less, a, b)) == 1;
  }
}

ShapeRecord ShapeRule::recordOf(VariableNode *output, const Array *result) {
  ShapeRecord record;
  const Type &type = output->type;
  for (int axis = 0; axis < type.rank(); ++axis) {
    int32_t term = -1;
    if (type.extent(axis) != kDynamic)
      term = terms_.constant(type.extent(axis));
    else if (result)
      term = sizes_[size_t(emitter_.dim(*result, axis).id())];
    record.extents.push_back(term < 0 ? terms_.extent(output, axis) : term);
  }
  if (!result || result->id < 0)
    return record;
  for (int32_t size : emitter_.emission().arrays[size_t(result->id)].elements)
    record.elements.push_back(sizes_[size_t(size)]);
  if (std::find(record.elements.begin(), record.elements.end(), -1) != record.elements.end())
    record.elements.clear();
  return record;
}

std::vector<ShapeRecord> ShapeRule::run() {
  Arrays results;
  bool isKnown = emit(results), mayFail = true;
  if (isKnown) {
    translate(results);
    const Emission &record = emitter_.emission();
    mayFail = !record.elementChecks.empty() ||
              std::any_of(record.steps.begin(), record.steps.end(),
                          [](const Step &step) { return step.kind == Step::Kind::Host; }) ||
              !std::all_of(record.sizeChecks.begin(), record.sizeChecks.end(),
                           [&](const SizeCheck &check) { return isSure(check); });
  }
  for (uint32_t i = 0; i < node_->numInputs; ++i)
    mayFail |= records_.at(node_->input(i)).mayFail;
  std::vector<ShapeRecord> records;
  for (uint32_t i = 0; i < node_->numOutputs; ++i) {
    records.push_back(recordOf(node_->output(i), isKnown ? &results[i] : nullptr));
    records.back().mayFail = mayFail;
  }
  return records;
}

} // namespace

ShapeFeature &shapesOf(FunctionGraph &graph) {
  if (auto *known = graph.find<ShapeFeature>())
    return *known;
  auto made = std::make_shared<ShapeFeature>();
  [[maybe_unused]] absl::Status status = graph.attachFeature(made); // the graph holds it
  assert(status.ok());
  return *made;
}

//===--- the Feature ------------------------------------------------------===//

struct ShapeFeature::Tables {
  GraphState *state = nullptr;
  ShapeTerms terms;
  ShapeRecords records;
  /// Nodes with records that have other inputs than then.
  absl::flat_hash_set<ApplyNode *> changed;
  /// Records forgotten since the tables were last empty; their terms are still there.
  size_t forgotten = 0;

  bool isOfGraph(const Variable &v) const {
    const VariableNode *node = v.node();
    return state && (node->owner      ? node->owner->graph == state
                     : node->constant ? true
                                      : asLeaf(node)->graph == state);
  }
  /// Whether it may have to hear of a change of the graph of `v` still. The graph may be gone: only
  /// its members say that it is not.
  bool isToldChange(const Variable &v) const {
    return !v.isConstant() && isOfGraph(v) && state->isTellingChange();
  }
  bool isMember(const Variable &v) const { return isOfGraph(v) && !isToldChange(v); }
  /// Null for no member.
  const ShapeRecord *find(const Variable &v);
  /// The term of an extent; -1 where there is none.
  int32_t extent(const Variable &v, int axis);

  void addLeaf(VariableNode *v);
  void addNode(ApplyNode *node);
  void addAbove(VariableNode *v);
  /// Looks at what has changed, and at what is below as far as records become others.
  void refresh();
  void drop(VariableNode *v) {
    forgotten += records.erase(v);
    terms.forget(v);
  }
  /// A leaf that nothing uses any more leaves without an event.
  void dropIfUnused(VariableNode *v) {
    uint32_t slot = v->owner || !state ? kNoSlot : state->slotOf(v);
    if (!v->owner && (slot == kNoSlot || state->vars[slot].firstUse == kNoSlot))
      drop(v);
  }
  void limitTerms();
};

void ShapeFeature::Tables::addLeaf(VariableNode *v) {
  ShapeRecord record;
  for (int axis = 0; axis < v->type.rank(); ++axis)
    record.extents.push_back(v->type.extent(axis) == kDynamic
                                 ? terms.extent(v, axis)
                                 : terms.constant(v->type.extent(axis)));
  records.emplace(v, std::move(record));
}

void ShapeFeature::Tables::addNode(ApplyNode *node) {
  std::vector<ShapeRecord> made = ShapeRule(node, terms, records).run();
  for (uint32_t i = 0; i < node->numOutputs; ++i)
    records.insert_or_assign(node->output(i), std::move(made[i]));
}

const ShapeRecord *ShapeFeature::Tables::find(const Variable &v) {
  if (!isMember(v))
    return nullptr;
  refresh();
  addAbove(v.node());
  return &records.at(v.node());
}

/// Finds out about `v`, if nothing is known of it, and about what it needs.
void ShapeFeature::Tables::addAbove(VariableNode *v) {
  if (records.contains(v))
    return;
  struct Visitor {
    Tables &tables;
    absl::flat_hash_set<ApplyNode *> seen = {};
    bool isLeaf(VariableNode *v) const { return tables.records.contains(v); }
    void leaf(VariableNode *v, ApplyNode *, uint32_t) {
      if (!v->owner && !tables.records.contains(v))
        tables.addLeaf(v);
    }
    bool enter(ApplyNode *node) { return seen.insert(node).second; }
    void leave(ApplyNode *node) { tables.addNode(node); }
  } visitor{*this};
  VariableNode *roots[] = {v};
  detail::walk(roots, visitor);
}

void ShapeFeature::Tables::refresh() {
  // Producers first: what a node reads has been looked at.
  std::set<std::pair<uint64_t, ApplyNode *>> pending;
  for (ApplyNode *node : std::exchange(changed, {}))
    pending.emplace(state->labelOf(node), node);
  while (!pending.empty()) {
    ApplyNode *node = pending.extract(pending.begin()).value().second;
    for (uint32_t i = 0; i < node->numInputs; ++i)
      addAbove(node->input(i));
    detail::workDone += 1 + node->numInputs;
    std::vector<ShapeRecord> made = ShapeRule(node, terms, records).run();
    for (uint32_t i = 0; i < node->numOutputs; ++i) {
      ShapeRecord &record = records.at(node->output(i));
      if (record == made[i])
        continue;
      record = std::move(made[i]);
      ++forgotten;
      for (uint32_t use = state->vars[node->output(i)->slot].firstUse; use != kNoSlot;
           use = state->uses[use].next)
        if (uint32_t user = state->uses[use].user; user != kNoSlot)
          // Nothing is known of what is below an unknown one.
          if (ApplyNode *next = state->nodes[user].node; records.contains(next->output(0)))
            pending.emplace(state->labelOf(next), next);
    }
  }
  limitTerms();
}

/// Terms have no users' counts: where most may be of no use, all is forgotten, and found anew.
void ShapeFeature::Tables::limitTerms() {
  constexpr size_t kFew = 4096;
  if (forgotten < records.size() + kFew)
    return;
  terms = ShapeTerms();
  records.clear();
  changed.clear();
  forgotten = 0;
}

int32_t ShapeFeature::Tables::extent(const Variable &v, int axis) {
  int rank = v.ok() && v.type().isTensor() ? v.rank() : 0;
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank || !isMember(v))
    return -1;
  int64_t known = v.type().extent(axis);
  return known != kDynamic ? terms.constant(known) : find(v)->extents[size_t(axis)];
}

ShapeFeature::ShapeFeature() : tables_(std::make_unique<Tables>()) {}
ShapeFeature::~ShapeFeature() = default;

absl::Status ShapeFeature::noMember(const Variable &v) const {
  if (tables_->isToldChange(v))
    return makeError(ErrorKind::Inconsistency,
                     "the ShapeFeature cannot be asked while Features are told of a change; ask "
                     "afterwards");
  return makeError(ErrorKind::KeyError,
                   "the ShapeFeature knows no shape of what is not in its FunctionGraph",
                   v.place());
}

Variable ShapeFeature::extent(const Variable &v, int axis) {
  if (!v.ok())
    return v;
  if (!tables_->isMember(v))
    return Variable::invalid(noMember(v));
  int32_t term = tables_->extent(v, axis);
  if (term >= 0)
    return tables_->terms.build(term);
  return Variable::invalid(makeError(ErrorKind::AxisError,
                                     "axis " + std::to_string(axis) + " is out of range for rank " +
                                         std::to_string(v.rank()),
                                     v.place()));
}

absl::StatusOr<Variables> ShapeFeature::shape(const Variable &v) {
  if (!v.ok())
    return v.status();
  if (!tables_->isMember(v))
    return noMember(v);
  Variables extents;
  for (int axis = 0; axis < v.rank(); ++axis)
    extents.push_back(extent(v, axis));
  return extents;
}

bool ShapeFeature::sameExtent(const Variable &a, int axisOfA, const Variable &b, int axisOfB) {
  int32_t first = tables_->extent(a, axisOfA), second = tables_->extent(b, axisOfB);
  return first >= 0 && first == second;
}

bool ShapeFeature::sameShape(const Variable &a, const Variable &b) {
  if (!tables_->isMember(a) || !tables_->isMember(b) || a.rank() != b.rank())
    return false;
  for (int axis = 0; axis < a.rank(); ++axis)
    if (!sameExtent(a, axis, b, axis))
      return false;
  return true;
}

bool ShapeFeature::neverFails(const Variable &v) {
  const ShapeRecord *record = tables_->find(v);
  return record && !record->mayFail;
}

absl::Status ShapeFeature::onAttach(FunctionGraph &graph) {
  if (graph.find<ShapeFeature>())
    return makeError(ErrorKind::AlreadyThere, "the FunctionGraph has a ShapeFeature already");
  tables_ = std::make_unique<Tables>();
  tables_->state = graph.state_.get();
  return absl::OkStatus();
}

absl::Status ShapeFeature::onDetach(FunctionGraph &) {
  tables_ = std::make_unique<Tables>();
  return absl::OkStatus();
}

absl::Status ShapeFeature::onPrune(FunctionGraph &, const Apply &node, std::string_view) {
  tables_->changed.erase(node.node());
  for (uint32_t i = 0; i < node.node()->numOutputs; ++i)
    tables_->drop(node.node()->output(i));
  for (uint32_t i = 0; i < node.node()->numInputs; ++i)
    tables_->dropIfUnused(node.node()->input(i));
  tables_->limitTerms();
  return absl::OkStatus();
}

absl::Status ShapeFeature::onChangeInput(FunctionGraph &, const Client &client, const Variable &old,
                                         const Variable &, std::string_view) {
  tables_->dropIfUnused(old.node());
  if (client.isOutput())
    return absl::OkStatus();
  ApplyNode *node = client.node.node();
  tables_->terms.forgetMade(node);
  if (tables_->records.contains(node->output(0)))
    tables_->changed.insert(node);
  return absl::OkStatus();
}

} // namespace graphc
