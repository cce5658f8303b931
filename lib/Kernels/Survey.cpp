//===- Survey.cpp - views and uses of an emission's arrays ----------------===//
#include <algorithm>

#include "Kernels/FusionState.h"

namespace graphc {

Fusion::Fusion(GraphRecord record)
    : record_(std::move(record)), sizes_(std::move(record_.emission.sizes)),
      builder_(sizes_.nodes()), arrays_(record_.emission.arrays.size()) {}

std::vector<bool> Fusion::stepsWithChecks() const {
  std::vector<bool> checked(record_.emission.steps.size(), false);
  for (const ElementCheck &check : record_.emission.elementChecks)
    checked[size_t(check.step)] = true;
  return checked;
}

void Fusion::insertSteps(std::vector<std::vector<Step>> earlier) {
  if (std::ranges::all_of(earlier, [](const std::vector<Step> &steps) { return steps.empty(); }))
    return;
  Emission &e = record_.emission;
  std::vector<Step> steps;
  std::vector<int32_t> numbers; // of the steps there were
  for (size_t s = 0; s < e.steps.size(); ++s) {
    for (Step &step : earlier[s])
      steps.push_back(std::move(step));
    numbers.push_back(int32_t(steps.size()));
    steps.push_back(std::move(e.steps[s]));
  }
  for (ArrayInfo &array : e.arrays)
    if (array.step >= 0)
      array.step = numbers[size_t(array.step)];
  for (ElementCheck &check : e.elementChecks)
    check.step = numbers[size_t(check.step)];
  e.steps = std::move(steps);
  size_t numArrays = arrays_.size();
  arrays_.resize(e.arrays.size());
  for (size_t array = numArrays; array < arrays_.size(); ++array)
    arrays_[array].isHandedOn = true;
  for (size_t s = 0; s < e.steps.size(); ++s)
    for (int32_t output : e.steps[s].outputs)
      if (size_t(output) >= numArrays)
        e.arrays[size_t(output)].step = int32_t(s);
}

int32_t Fusion::rankOf(int32_t array) const {
  return int32_t(record_.emission.arrays[array].shape.size()) -
         __builtin_popcount(arrays_[array].unitAxes);
}

Numbers Fusion::properShape(int32_t array) const {
  Numbers shape;
  for (int32_t size : record_.emission.arrays[array].shape)
    if (!isUnit(size))
      shape.push_back(size);
  return shape;
}

/// Unit axes, and which arrays are others under another shape.
void Fusion::findViews() {
  const Emission &e = record_.emission;
  for (size_t id = 0; id < e.arrays.size(); ++id) {
    arrays_[id].alias = arrays_[id].base = int32_t(id);
    for (size_t axis = 0; axis < e.arrays[id].shape.size(); ++axis)
      if (isUnit(e.arrays[id].shape[axis]))
        arrays_[id].unitAxes |= uint32_t(1) << axis;
  }
  for (const Step &step : e.steps) {
    if (step.kind != Step::Kind::View)
      continue;
    int32_t from = step.inputs[0], to = step.outputs[0];
    arrays_[to].base = arrays_[from].base;
    if (properShape(from) == properShape(to))
      arrays_[to].alias = arrays_[from].alias;
  }
}

/// A size that is wanted on the host wants the arrays whose elements it is made of.
void Fusion::wantSize(int32_t size) {
  if (size < 0 || sizeWanted_[size])
    return;
  std::vector<int32_t> pending = {size};
  while (!pending.empty()) {
    int32_t id = pending.back();
    pending.pop_back();
    if (id < 0 || sizeWanted_[id])
      continue;
    sizeWanted_[id] = true;
    const SizeNode &n = sizes_.nodes()[id];
    if (n.op == SizeOp::Constant || n.op == SizeOp::Dim)
      continue;
    if (n.op == SizeOp::Element) {
      arrays_[n.a].live = arrays_[resolve(n.a)].live = true;
      arrays_[resolve(n.a)].wanted = true;
      pending.push_back(n.b);
      continue;
    }
    pending.insert(pending.end(), {n.a, n.b, n.c});
  }
}

bool Fusion::isLive(const Step &step) const {
  return step.kind == Step::Kind::Host ||
         (step.kind == Step::Kind::Call && step.callee->hasEffects) ||
         std::ranges::any_of(step.outputs, [this](int32_t id) { return arrays_[id].live; });
}

/// From the outputs backwards: what is live, how many steps load it, what must get memory.
void Fusion::findUses() {
  const Emission &e = record_.emission;
  sizeWanted_.assign(sizes_.nodes().size(), false);
  auto want = [&](int32_t array) {
    arrays_[array].live = arrays_[resolve(array)].live = true;
    arrays_[resolve(array)].wanted = true;
    for (int32_t size : e.arrays[array].shape)
      wantSize(size);
  };
  for (int32_t output : record_.outputs)
    want(output);
  for (const SizeCheck &check : e.sizeChecks) {
    if (check.predicate == Predicate::Fits) // reads nothing for its own sake
      continue;
    wantSize(check.a);
    wantSize(check.b);
  }
  size_t nextCheck = e.elementChecks.size();
  for (size_t s = e.steps.size(); s-- > 0;) {
    const Step &step = e.steps[s];
    bool checks = false;
    for (; nextCheck > 0 && e.elementChecks[nextCheck - 1].step == int32_t(s); --nextCheck)
      checks = true;
    if (!checks && !isLive(step))
      continue;
    for (int32_t output : step.outputs) {
      arrays_[output].live = true;
      if (!uses(Optimization::Fusion))
        arrays_[resolve(output)].wanted = true;
      for (int32_t size : e.arrays[output].shape)
        wantSize(size);
    }
    for (int32_t size : step.nest.extents)
      wantSize(size);
    for (const ScalarNode &n : step.nest.body)
      if (n.op == ScalarOp::Size)
        wantSize(int32_t(n.payload));
    for (int32_t size : step.sizes)
      wantSize(size);
    bool alias = step.kind == Step::Kind::View && resolve(step.outputs[0]) != step.outputs[0];
    for (int32_t input : step.inputs) {
      FusionArray &a = arrays_[resolve(input)];
      arrays_[input].live = a.live = true;
      if (alias) // counted where the view is loaded
        continue;
      if (step.kind != Step::Kind::Loops)
        a.wanted = true;
      if (a.lastClient != int32_t(s)) {
        a.lastClient = a.client = int32_t(s);
        ++a.clients;
      }
    }
  }
  for (FusionArray &a : arrays_)
    a.lastClient = -1;
}

} // namespace graphc
