//===- LoopRewrites.cpp - loops that do less -------------------------------===//
#include "Control/LoopRewrites.h"

#include <algorithm>
#include <optional>

#include "Control/LastValues.h"
#include "Emit/EmitNode.h"
#include "Graph/Branches.h"
#include "Graph/PlaceScope.h"
#include "Ops/IndexSpec.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Ops.h"
#include "graphc/Traversal.h"

namespace graphc {

namespace {

using detail::VariableNode;

/// The axes that a product of two arrays joins.
struct ProductAxes {
  std::vector<int> x, y;
};

std::optional<ProductAxes> productAxes(const Apply &node) {
  const std::string_view op = node.op().name();
  if (op == "tensordot") {
    auto axes = [&](const char *name) {
      const auto &list = std::get<std::vector<int64_t>>(*node.op().attributes().find(name));
      return std::vector<int>(list.begin(), list.end());
    };
    return ProductAxes{axes("axesX"), axes("axesY")};
  }
  const int x = node.input(0).rank(), y = node.numInputs() > 1 ? node.input(1).rank() : 0;
  if (op == "outer" && x == 1 && y == 1)
    return ProductAxes{};
  if ((op == "dot" || op == "matmul") && x == 2 && y == 2)
    return ProductAxes{{1}, {0}};
  return std::nullopt;
}

//===--- what is done before the loop ---------------------------------------===//

/// Whether the loop makes a step, or fails, in every call.
bool surelySteps(const LoopEdit &edit) {
  auto isOne = [](const Variable &steps) {
    std::optional<Constant> constant = Constant::from(steps);
    return constant && constant->data().numElements() == 1 &&
           constant->data().cast(DType::Int64).item<int64_t>() > 0;
  };
  if (!edit.steps.empty())
    return isOne(edit.steps[0]);
  for (size_t k = 0; k < edit.sequences.size(); ++k) {
    int64_t length = edit.sequences[k].type().extent(0);
    if (length == kDynamic || length <= marginOf(edit.loop.sequences[k]))
      return false;
  }
  return !edit.sequences.empty();
}

/// Whether elements of its operands may be wrong for a node, such as an index that is out of range.
bool mayRefuseElements(const Apply &node) {
  Emitter e;
  Arrays operands;
  for (const Variable &input : node.inputs()) {
    std::optional<Constant> constant = Constant::from(input);
    operands.push_back(constant ? e.constant(constant->data()) : e.operand(input.type()));
  }
  emitNode(e, node, 0, operands);
  absl::StatusOr<Emission> emission = e.finish();
  return !emission.ok() || !emission->elementChecks.empty();
}

/// Moves nodes out of a body.
class Hoisting {
public:
  explicit Hoisting(LoopEdit &edit) : edit_(edit), surelySteps_(surelySteps(edit)) {
    for (size_t k = 0; k < edit.wholes.size(); ++k)
      outside_.emplace(edit.wholes[k].node(), edit.constants[k]);
    // There may be far more elements than steps; and a step that has loops has work enough, so that
    // what is made for all steps costs memory alone.
    if (edit.loop.hasUntil || hasLoops(edit.body))
      return;
    for (size_t k = 0; k < edit.elements.size(); ++k)
      for (size_t tap = 0; tap < edit.elements[k].size(); ++tap) {
        const Variable all = edit.elementsOf(k, edit.loop.sequences[k][tap]);
        all_.emplace(edit.elements[k][tap].node(),
                     OfAllSteps{ofSteps(all), k, false, all.type().extent(0)});
      }
  }

  absl::Status run() {
    absl::StatusOr<std::vector<Apply>> order = edit_.body.toposort();
    if (!order.ok())
      return order.status();
    if (std::ranges::any_of(*order, isIfElse))
      branches_ = Branches(*order, edit_.body.outputs());
    for (const Apply &node : *order)
      if (mayMove(node))
        moveInvariant(node);
    for (const Apply &node : *order)
      computeForAll(node);
    for (const Apply &node : *order)
      if (absl::Status s = readFromAll(node); !s.ok())
        return s;
    for (const Apply &node : *order)
      for (const Variable &output : node.outputs())
        if (absl::Status s = replaceInvariant(output); !s.ok())
          return s;
    for (const Apply &node : *order)
      if (absl::Status s = transposeMatrix(node); !s.ok())
        return s;
    if (replacements_.empty())
      return absl::OkStatus();
    return edit_.body.replaceAll(replacements_, "scan_push_out");
  }

private:
  /// Values of all steps along a first axis.
  struct OfAllSteps {
    Variable all;
    size_t sequence; // one that it is made of
    bool isCostly;   // worth being kept until its step comes
    int64_t length;  // of the sequence, of which `all` may be a part
  };

  /// Of all elements those that the steps read, where there may be more: the first ones, or the
  /// last ones of a loop that goes backwards.
  Variable ofSteps(const Variable &all) const {
    if (edit_.steps.empty())
      return all;
    const Variable &steps = edit_.steps[0];
    std::optional<Constant> constant = Constant::from(steps);
    if (constant && constant->data().numElements() == 1 &&
        constant->data().cast(DType::Int64).item<int64_t>() == all.type().extent(0))
      return all;
    return all[{edit_.loop.goesBackwards ? Slice(all.shape()[0] - steps, kEnd) : Slice(0, steps)}];
  }

  std::optional<Variable> outsideOf(const Variable &v) const {
    if (std::optional<Constant> constant = Constant::from(v)) // which is the body's
      return Constant::adopt(constant->data(), constant->name(), constant->place());
    auto at = outside_.find(v.node());
    return at == outside_.end() ? std::nullopt : std::optional(at->second);
  }

  /// What only spreads values costs nothing where it is used, and memory outside. An index that is
  /// out of range is no mistake of a loop that makes no step.
  bool mayMove(const Apply &node) const {
    int most = 0;
    bool readsSome = false;
    for (const Variable &input : node.inputs()) {
      if (!outsideOf(input))
        return false;
      readsSome |= !input.isConstant();
      most = std::max(most, input.rank());
    }
    return readsSome && node.op().name() != "broadcastTo" && node.op().def().foldable &&
           std::ranges::all_of(node.outputs(),
                               [&](const Variable &output) { return output.rank() <= most; }) &&
           (surelySteps_ || !mayRefuseElements(node));
  }

  void moveInvariant(const Apply &node) {
    std::vector<Operand> operands;
    for (const Variable &input : node.inputs())
      operands.emplace_back(*outsideOf(input));
    absl::StatusOr<Apply> moved = node.op().makeNode(operands, node.place());
    if (!moved.ok())
      return;
    for (int k = 0; k < node.numOutputs(); ++k)
      outside_.emplace(node.output(k).node(), moved->output(k));
  }

  /// Of an invariant that something else than invariants reads.
  absl::Status replaceInvariant(const Variable &v) {
    auto at = outside_.find(v.node());
    if (at == outside_.end() || branches_.of(v)) // F-330: what a branch alone needs stays there
      return absl::OkStatus();
    absl::StatusOr<Clients> clients = edit_.body.clients(v);
    if (!clients.ok())
      return clients.status();
    if (std::ranges::all_of(*clients, [&](const Client &client) {
          return !client.isOutput() && outside_.contains(client.node.output(0).node());
        }))
      return absl::OkStatus();
    absl::StatusOr<Variable> input = edit_.addConstant(at->second);
    if (!input.ok())
      return input.status();
    replacements_.emplace_back(v, *input);
    return absl::OkStatus();
  }

  /// Where a node depends on elements of sequences and on what is the same in all steps alone: its
  /// results for all steps together, if it is a product with a matrix or works element by element.
  void computeForAll(const Apply &node) {
    const std::string_view op = node.op().name();
    PlaceScope scope(node.place());
    if ((op == "dot" || op == "matmul") && node.numInputs() == 2) {
      for (int side = 0; side < 2; ++side) {
        auto element = all_.find(node.input(side).node());
        std::optional<Variable> matrix = outsideOf(node.input(1 - side));
        const int rank = node.input(side).rank();
        if (element == all_.end() || !matrix || matrix->rank() != 2 || rank < 1 || rank > 2 - side)
          continue;
        all_.emplace(node.output(0).node(),
                     OfAllSteps{dot(element->second.all, side == 0 ? *matrix : matrix->T()),
                                element->second.sequence, true, element->second.length});
        return;
      }
      return;
    }
    if (node.op().def().elements != Elements::Elementwise || node.numOutputs() != 1)
      return;
    OfAllSteps made{{}, 0, !isCheap(op), kDynamic};
    std::vector<Operand> operands;
    bool readsSome = false;
    for (const Variable &input : node.inputs()) {
      if (std::optional<Variable> outside = outsideOf(input)) {
        operands.emplace_back(*outside);
        continue;
      }
      auto at = all_.find(input.node());
      if (at == all_.end())
        return;
      const OfAllSteps &of = at->second;
      // Of one sequence, or of sequences that are known to be as long.
      if (readsSome &&
          (of.length != made.length || (of.length == kDynamic && of.sequence != made.sequence)))
        return;
      readsSome = true;
      made.length = of.length;
      made.sequence = of.sequence;
      made.isCostly |= of.isCostly;
      std::vector<int> axes = {0};
      axes.insert(axes.end(), size_t(node.output(0).rank() - input.rank()), -1);
      for (int axis = 1; axis <= input.rank(); ++axis)
        axes.push_back(axis);
      operands.emplace_back(int(axes.size()) == of.all.rank() ? of.all : dimshuffle(of.all, axes));
    }
    if (!readsSome)
      return;
    absl::StatusOr<Apply> all = node.op().makeNode(operands, node.place());
    if (!all.ok() || all->output(0).rank() != node.output(0).rank() + 1 ||
        all->output(0).dtype() != node.output(0).dtype())
      return;
    made.all = all->output(0);
    all_.emplace(node.output(0).node(), std::move(made));
  }

  /// Makes a sequence of what costs something and is read by nodes that depend on states.
  absl::Status readFromAll(const Apply &node) {
    auto at = all_.find(node.output(0).node());
    if (at == all_.end() || !at->second.isCostly || branches_.of(node))
      return absl::OkStatus();
    absl::StatusOr<Clients> clients = edit_.body.clients(node.output(0));
    if (!clients.ok())
      return clients.status();
    if (std::ranges::all_of(*clients, [&](const Client &client) {
          return !client.isOutput() && all_.contains(client.node.output(0).node());
        }))
      return absl::OkStatus();
    absl::StatusOr<Variable> element = edit_.addSequence(at->second.all, at->second.sequence);
    if (!element.ok())
      return element.status();
    replacements_.emplace_back(node.output(0), *element);
    return absl::OkStatus();
  }

  /// A vector times a matrix that is the same in all steps reads it by rows: where it would read
  /// columns, the transposed matrix is made once.
  absl::Status transposeMatrix(const Apply &node) {
    std::optional<ProductAxes> axes = productAxes(node);
    if (!axes || node.op().name() != "tensordot" || axes->x.size() != 1 || branches_.of(node))
      return absl::OkStatus();
    for (int side = 0; side < 2; ++side) {
      const Variable vector = node.input(side), matrix = node.input(1 - side);
      const int joined = (side == 0 ? axes->y : axes->x)[0];
      std::optional<Variable> outside = outsideOf(matrix);
      if (vector.rank() != 1 || matrix.rank() != 2 || joined != 1 || !outside)
        continue;
      absl::StatusOr<Variable> turned = edit_.addConstant(outside->T());
      if (!turned.ok())
        return turned.status();
      replacements_.emplace_back(node.output(0), dot(vector, *turned));
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  LoopEdit &edit_;
  const bool surelySteps_;
  Branches branches_;
  absl::flat_hash_map<const VariableNode *, Variable> outside_;
  absl::flat_hash_map<const VariableNode *, OfAllSteps> all_;
  Replacements replacements_;
};

//===--- what is done after the loop ------------------------------------------===//

/// Sums over the steps that are products, or of what the loop gives in any case.
class Summing {
public:
  explicit Summing(LoopEdit &edit) : edit_(edit) {}

  /// Values of all steps: a further result, or rows of a sequence.
  struct Factor {
    size_t mapped = 0;
    std::optional<Variable> rows = std::nullopt;
  };
  /// By state: terms of its last value that are known after the loop.
  struct Term {
    Factor x, y;                     // of a sum, x alone
    std::optional<ProductAxes> axes; // none: a sum
  };
  using Terms = std::vector<std::vector<Term>>;

  absl::StatusOr<Terms> run() {
    terms_.resize(edit_.next.size());
    if (hasLoops(edit_.body)) // see Hoisting
      return std::move(terms_);
    absl::StatusOr<std::vector<Apply>> order = edit_.body.toposort();
    if (!order.ok())
      return order.status();
    unsure_ = extentsOfElements(*order);
    for (bool sums : {false, true}) // products decide what the loop gives
      for (size_t k = 0; k < edit_.next.size(); ++k)
        if (isSum(k))
          if (absl::Status s = split(k, sums); !s.ok())
            return s;
    return std::move(terms_);
  }

  /// Whether nothing is left that the loop would have to add up.
  bool isDone(size_t state) const {
    return edit_.output(edit_.next[state]) == edit_.values[state][0];
  }

private:
  /// Whether a step adds to the state and reads it for nothing else.
  bool isSum(size_t k) const {
    if (!edit_.loop.keepsLast[k] || edit_.values[k].size() != 1 ||
        !isFloat(edit_.values[k][0].dtype()))
      return false;
    const Variable &value = edit_.values[k][0], next = edit_.output(edit_.next[k]);
    const Apply owner = next.owner();
    return owner && owner.op().name() == "add" && next.dtype() == value.dtype() &&
           edit_.body.numClients(value) == 1 && edit_.body.numClients(next) == 1 &&
           std::ranges::count(owner.inputs(), value) == 1;
  }

  absl::Status split(size_t k, bool sums) {
    const Variable value = edit_.values[k][0];
    const Variable next = edit_.output(edit_.next[k]);
    Variables rest;
    for (const Variable &term : next.owner().inputs()) {
      if (term == value)
        continue;
      absl::StatusOr<bool> moved = sums ? moveSum(k, term) : moveProduct(k, term);
      if (!moved.ok())
        return moved.status();
      if (!*moved)
        rest.push_back(term);
    }
    if (rest.size() + 1 == size_t(next.owner().numInputs()))
      return absl::OkStatus();
    Variable left = value;
    for (const Variable &term : rest)
      left = left + term;
    return edit_.body.replace(next, left, "scan_push_out");
  }

  /// Whether its sum is one of numbers like the state's: in fewer bits it would lose digits, or
  /// overflow.
  bool isOfState(size_t k, const Variable &term) const {
    const Variable &value = edit_.values[k][0];
    return term.rank() == value.rank() && term.dtype() == value.dtype();
  }

  absl::StatusOr<bool> moveProduct(size_t k, const Variable &term) {
    const Apply node = term.owner();
    std::optional<ProductAxes> axes = node ? productAxes(node) : std::nullopt;
    // A product within a step that has work enough gains nothing, and its operands cost memory.
    if (!axes || !isOfState(k, term) || node.input(0).isConstant() || node.input(1).isConstant() ||
        node.input(0).dtype() != term.dtype() || node.input(1).dtype() != term.dtype() ||
        unsure_.contains(node.input(0).node()) || unsure_.contains(node.input(1).node()))
      return false;
    Term made{{}, {}, axes};
    for (int side = 0; side < 2; ++side) {
      Factor &factor = side == 0 ? made.x : made.y;
      if (!made.x.rows) // a further result tells how many rows there are
        factor.rows = rowsOf(node.input(side));
      if (factor.rows)
        continue;
      absl::StatusOr<size_t> position = edit_.addMapped(node.input(side));
      if (!position.ok())
        return position.status();
      factor.mapped = *position;
    }
    terms_[k].push_back(std::move(made));
    return true;
  }

  /// All elements of a sequence, if `v` is one, where they stand as further results do.
  std::optional<Variable> rowsOf(const Variable &v) const {
    if (edit_.loop.goesBackwards != edit_.loop.stacksBackwards)
      return std::nullopt;
    for (size_t k = 0; k < edit_.elements.size(); ++k)
      for (size_t tap = 0; tap < edit_.elements[k].size(); ++tap)
        if (edit_.elements[k][tap] == v)
          return edit_.elementsOf(k, edit_.loop.sequences[k][tap]);
    return std::nullopt;
  }

  absl::StatusOr<bool> moveSum(size_t k, const Variable &term) {
    for (size_t m = 0; m < edit_.mapped.size(); ++m)
      if (edit_.output(edit_.mapped[m]) == term && edit_.loop.mappedRows[m] == 0 &&
          isOfState(k, term)) {
        terms_[k].push_back({{m}, {m}, std::nullopt});
        return true;
      }
    return false;
  }

  LoopEdit &edit_;
  Terms terms_;
  VariableSet unsure_; // whose extents elements decide: without a step nothing tells them
};

/// The sum of a term over all steps, from the loop's further results. `backwards`: as these stand.
Variable sumOfSteps(const Summing::Term &term, absl::Span<const Variable> mapped, bool backwards) {
  if (!term.axes)
    return sum(mapped[term.x.mapped], Axis(0));
  // There may be more elements than steps.
  auto rowsLike = [&](const Variable &all, const Variable &made) {
    const int64_t length = all.type().extent(0);
    if (length != kDynamic && length == made.type().extent(0))
      return all;
    Variable count = made.shape()[0], missing = all.shape()[0] - count;
    return all[{backwards ? Slice(missing, kEnd) : Slice(0, count)}];
  };
  Variable x = term.x.rows ? *term.x.rows : mapped[term.x.mapped];
  Variable y = term.y.rows ? *term.y.rows : mapped[term.y.mapped];
  if (term.x.rows)
    x = rowsLike(x, y);
  if (term.y.rows)
    y = rowsLike(y, x);
  std::vector<int> axes[2] = {{0}, {0}};
  for (int axis : term.axes->x)
    axes[0].push_back(axis + 1);
  for (int axis : term.axes->y)
    axes[1].push_back(axis + 1);
  return tensordot(x, y, axes[0], axes[1]);
}

//===--- what nobody needs ------------------------------------------------------===//

/// Leaves out results that nobody uses, states that only they need, and operands that no step
/// reads. `isUsed`: by result of the node.
absl::Status dropUnused(LoopEdit &edit, const std::vector<bool> &isUsed) {
  auto wanted = [&](int result) { return result < 0 || isUsed[size_t(result)]; };
  auto keep = [](auto &list, const std::vector<bool> &kept) {
    size_t to = 0;
    for (size_t k = 0; k < kept.size(); ++k)
      if (kept[k]) {
        if (to != k)
          list[to] = std::move(list[k]);
        ++to;
      }
    list.erase(list.begin() + ptrdiff_t(to), list.end());
  };
  std::vector<bool> keepsMapped, keepsState(edit.next.size());
  for (int result : edit.mappedResults)
    keepsMapped.push_back(wanted(result));
  for (bool grows = true; grows;) {
    grows = false;
    Variables outputs;
    for (size_t k = 0; k < keepsMapped.size(); ++k)
      if (keepsMapped[k])
        outputs.push_back(edit.output(edit.mapped[k]));
    if (edit.until >= 0)
      outputs.push_back(edit.output(edit.until));
    for (size_t k = 0; k < keepsState.size(); ++k)
      if (keepsState[k] || wanted(edit.stateResults[k]))
        outputs.push_back(edit.output(edit.next[k]));
    absl::flat_hash_set<const VariableNode *> read;
    for (const Variable &leaf : graphInputs(outputs))
      read.insert(leaf.node());
    for (size_t k = 0; k < keepsState.size(); ++k) {
      bool isRead = wanted(edit.stateResults[k]) ||
                    std::ranges::any_of(edit.values[k], [&](const Variable &value) {
                      return read.contains(value.node());
                    });
      grows |= isRead && !keepsState[k];
      keepsState[k] = keepsState[k] || isRead;
    }
  }
  // A loop gives something.
  if (std::ranges::count(keepsState, true) + std::ranges::count(keepsMapped, true) == 0)
    return absl::OkStatus();
  keep(edit.mapped, keepsMapped);
  keep(edit.loop.mappedRows, keepsMapped);
  keep(edit.loop.mappedNames, keepsMapped);
  keep(edit.mappedResults, keepsMapped);
  keep(edit.next, keepsState);
  keep(edit.stateResults, keepsState);
  keep(edit.values, keepsState);
  keep(edit.initials, keepsState);
  keep(edit.loop.states, keepsState);
  keep(edit.loop.stateRows, keepsState);
  keep(edit.loop.stateNames, keepsState);
  std::vector<bool> keepsLast = edit.loop.keepsLast;
  edit.loop.keepsLast.clear();
  for (size_t k = 0; k < keepsState.size(); ++k)
    if (keepsState[k])
      edit.loop.keepsLast.push_back(keepsLast[k]);
  Variables outputs;
  for (const std::vector<int> *list : {&edit.next, &edit.mapped})
    for (int number : *list)
      outputs.push_back(edit.output(number));
  if (edit.until >= 0)
    outputs.push_back(edit.output(edit.until));
  absl::flat_hash_set<const VariableNode *> read;
  for (const Variable &leaf : graphInputs(outputs))
    read.insert(leaf.node());
  std::vector<bool> keepsWhole;
  for (const Variable &whole : edit.wholes)
    keepsWhole.push_back(read.contains(whole.node()));
  keep(edit.wholes, keepsWhole);
  keep(edit.constants, keepsWhole);
  return edit.removeOutputs();
}

//===--- one loop -------------------------------------------------------------===//

/// Simplifies a body.
using RewriteBody = std::function<absl::Status(FunctionGraph &)>;

class LoopRewriting {
public:
  LoopRewriting(FunctionGraph &graph, const Apply &node, LoopEdit edit)
      : graph_(graph), node_(node), edit_(std::move(edit)) {}

  /// What nobody needs goes first: it would keep what loops in the body give.
  absl::Status run(const RewriteBody &rewriteBody, bool forSpeed);

private:
  FunctionGraph &graph_;
  const Apply node_;
  LoopEdit edit_;
};

absl::Status LoopRewriting::run(const RewriteBody &rewriteBody, bool forSpeed) {
  PlaceScope scope(node_.place());
  absl::StatusOr<LastValues> lasts = LastValues::find(graph_, node_, edit_);
  if (!lasts.ok())
    return lasts.status();
  std::vector<bool> isUsed;
  for (const Variable &output : node_.outputs())
    isUsed.push_back(graph_.numClients(output, 1) > 0);
  if (absl::Status s = dropUnused(edit_, isUsed); !s.ok())
    return s;
  if (absl::Status s = rewriteBody(edit_.body); !s.ok())
    return s;
  Summing summing(edit_);
  absl::StatusOr<Summing::Terms> terms = Summing::Terms();
  if (forSpeed) {
    if (absl::Status s = Hoisting(edit_).run(); !s.ok())
      return s;
    terms = summing.run();
  }
  if (!terms.ok())
    return terms.status();
  Variables initials;
  std::vector<std::pair<int, Summing::Terms::value_type>> sums; // by result of the node
  for (size_t k = 0; k < terms->size(); ++k)
    if (!(*terms)[k].empty()) {
      sums.emplace_back(edit_.stateResults[k], std::move((*terms)[k]));
      initials.push_back(edit_.initials[k]);
      if (summing.isDone(k))
        isUsed[size_t(edit_.stateResults[k])] = false;
    }
  if (absl::Status s = dropUnused(edit_, isUsed); !s.ok())
    return s;
  absl::StatusOr<Variables> made = edit_.finish(node_.place(), /*isRewritten=*/forSpeed);
  if (!made.ok())
    return made.status();
  Replacements fresh;
  auto put = [&](int result, Variable v) -> absl::Status {
    if (graph_.numClients(node_.output(result), 1) == 0)
      return absl::OkStatus();
    if (lasts->isKept(result))
      return lasts->replace(result, v, fresh);
    Variable old = node_.output(result);
    if (!old.name().empty())
      v.setName(old.name());
    fresh.emplace_back(old, v);
    return absl::OkStatus();
  };
  const absl::Span<const Variable> mapped =
      absl::MakeConstSpan(*made).subspan(edit_.loop.states.size());
  for (size_t k = 0; k < sums.size(); ++k)
    if (!isUsed[size_t(sums[k].first)]) { // the loop has no part in it
      Variable v = initials[k];
      for (const Summing::Term &term : sums[k].second)
        v = v + sumOfSteps(term, mapped, edit_.loop.stacksBackwards);
      if (absl::Status s = put(sums[k].first, v); !s.ok())
        return s;
    }
  auto next = made->begin();
  for (const std::vector<int> *list : {&edit_.stateResults, &edit_.mappedResults})
    for (int result : *list) {
      Variable v = *next++;
      if (result < 0)
        continue;
      for (const auto &[of, list] : sums)
        if (of == result)
          for (const Summing::Term &term : list)
            v = v + sumOfSteps(term, mapped, edit_.loop.stacksBackwards);
      if (absl::Status s = put(result, v); !s.ok())
        return s;
    }
  return graph_.replaceAll(fresh, "scan_rewrites");
}

/// Loops of which some may stand in the place of others.
absl::Status rewriteEach(FunctionGraph &graph, const RewriteBody &rewriteBody, bool forSpeed) {
  if (absl::Status s = readEndsOfChunks(graph); !s.ok())
    return s;
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  for (const Apply &node : *order) {
    const Control *control = controlOf(node.op());
    if (!control || !control->loop || control->loop->isRewritten || !graph.contains(node))
      continue;
    absl::StatusOr<LoopEdit> edit = LoopEdit::create(node, *control);
    if (!edit.ok())
      return edit.status();
    absl::Status s = LoopRewriting(graph, node, *std::move(edit)).run(rewriteBody, forSpeed);
    if (!s.ok())
      return s;
  }
  return absl::OkStatus();
}

} // namespace

bool hasLoops(const FunctionGraph &graph) {
  return std::ranges::any_of(graph.applyNodes(), [](const Apply &node) {
    const Control *control = controlOf(node.op());
    return control && control->loop;
  });
}

absl::Status rewriteLoops(FunctionGraph &graph,
                          const std::function<absl::Status(FunctionGraph &)> &rewriteBody) {
  if (absl::Status s = mergeLoops(graph); !s.ok())
    return s;
  return rewriteEach(graph, rewriteBody, /*forSpeed=*/true);
}

absl::Status shortenLoops(FunctionGraph &graph) {
  if (absl::Status s = mergeLoops(graph); !s.ok())
    return s;
  return rewriteEach(graph, shortenLoops, /*forSpeed=*/false);
}

} // namespace graphc
