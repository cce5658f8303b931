//===- LoopBody.cpp ---------------------------------------------------------===//
#include "Import/LoopBody.h"

#include <algorithm>

#include "Import/Broadcast.h"
#include "Import/ShapeTerms.h"
#include "graphc/Traversal.h"

namespace graphc {

LoopBody::LoopBody(OnnxNode &n, const std::vector<Type> &states) : changes_(states.size()) {
  inputs_ = {Variable(Type(DType::Int64, {})), Variable(Type(DType::Bool, {}))};
  for (const Type &type : states)
    inputs_.emplace_back(type);
  const int64_t left = n.nodesLeft();
  outputs_ = n.runTensorGraph("body", inputs_, 1 + n.numOutputs());
  cost_ = left - n.nodesLeft();
  outputs_.resize(1 + n.numOutputs());
  outputs_[0] = scalarOf(n, outputs_[0]);
}

bool LoopBody::goesOnAlways(OnnxNode &n) const {
  Variable condition = outputs_[0];
  while (condition.hasOwner() && (condition.owner().op().name() == "identity" ||
                                  condition.owner().op().name() == "reshape"))
    condition = condition.owner().input(0);
  return condition == inputs_[1] || n.knownTruth(condition).value_or(false);
}

Variables LoopBody::at(const Variables &inputs) const {
  Replacements given;
  for (size_t k = 0; k < inputs_.size(); ++k)
    given.emplace_back(inputs_[k], inputs[k]);
  absl::StatusOr<Variables> outputs = cloneReplace(outputs_, given);
  return outputs.ok() ? *std::move(outputs)
                      : Variables(outputs_.size(), Variable::invalid(outputs.status()));
}

namespace {

/// A state before a step, whose extents are the initial ones but along the axes that change.
Variable stateLike(OnnxNode &n, const Type &type, const Variable &initial,
                   const std::vector<int> &changes) {
  Variable state(type);
  if (changes.empty())
    return specifyShapeLike(n.at(state), initial);
  Terms extents;
  for (int axis = 0; axis < initial.rank(); ++axis)
    extents.push_back(extentTerm(n, std::ranges::count(changes, axis) ? state : initial, axis));
  return reshape(n.at(state), shapeOf(n, extents));
}

/// The axes along which a step may give another extent than that of its state: those where it does
/// of states that are as they were at first, then those where it does of states that change along
/// these, until there are no more. States' values are not looked at.
std::vector<std::vector<int>> changesOf(OnnxNode &n, const LoopBody &body,
                                        const Variables &initial) {
  std::vector<std::vector<int>> changes(initial.size());
  auto isSame = [&](size_t k) {
    const Type type = body.next(k).type();
    return type == initial[k].type() &&
           std::ranges::none_of(type.shape(), [](int64_t extent) { return extent == kDynamic; });
  };
  bool hasMore = false;
  for (size_t k = 0; k < initial.size(); ++k)
    hasMore |= !isSame(k);
  while (hasMore) {
    hasMore = false;
    Variables inputs = {Variable(Type(DType::Int64, {})), Variable(Type(DType::Bool, {}))};
    for (size_t k = 0; k < initial.size(); ++k)
      inputs.push_back(stateLike(n, body.typeOf(k), initial[k], changes[k]));
    Variables next = body.at(inputs);
    for (size_t k = 0; k < initial.size() && next[0].ok(); ++k) {
      const Variable &then = next[1 + k];
      for (int axis = 0; axis < initial[k].rank() && then.rank() == initial[k].rank(); ++axis)
        if (!std::ranges::count(changes[k], axis) &&
            !n.extents().surelyEqual(then, axis, initial[k], axis)) {
          changes[k].push_back(axis);
          hasMore = true;
        }
      std::ranges::sort(changes[k]);
    }
  }
  return changes;
}

} // namespace

LoopBody bodyOf(OnnxNode &n, const Variables &initial) {
  std::vector<Type> types;
  for (const Variable &v : initial)
    types.push_back(v.type());
  for (;;) {
    LoopBody body(n, types);
    if (!n.status().ok())
      return body;
    for (size_t k = 0; k < types.size(); ++k)
      if (const Type &next = body.next(k).type();
          next.dtype() != types[k].dtype() || next.rank() != types[k].rank())
        n.fail(ErrorKind::TypeError, "state " + std::to_string(k) + " is " + types[k].brief() +
                                         " before a step and " + next.brief() +
                                         " after it; a state keeps its dtype and its rank");
    if (!n.status().ok())
      return body;
    body.changes_ = changesOf(n, body, initial);
    bool isOpen = true;
    for (size_t k = 0; k < types.size(); ++k)
      for (int axis : body.changes_[k])
        if (types[k].extent(axis) != kDynamic) {
          std::vector<int64_t> shape(types[k].shape().begin(), types[k].shape().end());
          shape[size_t(axis)] = kDynamic;
          types[k] = types[k].withShape(shape);
          isOpen = false;
        }
    if (isOpen)
      return body;
  }
}

bool LoopParts::grows() const {
  for (size_t k = 0; k < numStates(); ++k)
    if (isGrowing(k))
      return true;
  return false;
}

Variable nextNumber(OnnxNode &n, const Variable &number) { return add(n.at(number), int64_t(1)); }

Variables stepOf(const LoopParts &loop, const Variables &now, const Variable &condition) {
  const size_t count = loop.numStates();
  Variables inputs = {now[count], condition};
  inputs.insert(inputs.end(), now.begin(), now.begin() + ptrdiff_t(count));
  return loop.body.at(inputs);
}

} // namespace graphc
