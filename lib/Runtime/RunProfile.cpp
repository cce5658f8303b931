//===- RunProfile.cpp - what steps move and compute -----------------------===//
#include "Runtime/RunProfile.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "Runtime/ArenaLayout.h"

namespace graphc {
namespace {

using Storage = Program::Array::Storage;

class CostOfPlan {
public:
  CostOfPlan(const Program &program, const ProgramLayout &layout, const Plan &plan)
      : program_(program), layout_(layout), plan_(plan) {}
  StepCost step(int32_t number) const;
  MemoryUse memory(int32_t segment) const;

private:
  int64_t bytesOf(int32_t array) const { return plan_.bytesOf(program_.arrays[size_t(array)]); }
  /// Iterations of a kernel's nest.
  double iterations(const Program::Step &step, int32_t nest) const {
    return double(plan_.sizes[step.work[nest].count]);
  }

  const Program &program_;
  const ProgramLayout &layout_;
  const Plan &plan_;
};

StepCost CostOfPlan::step(int32_t number) const {
  const Program::Step &step = program_.steps[number];
  StepCost cost;
  for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k)
    cost.bytesWritten += bytesOf(step.arrays[k]);
  const Program::Facts *facts =
      size_t(number) < program_.facts.size() ? &program_.facts[number] : nullptr;
  // By memory: what the loops reach of it.
  std::unordered_map<int32_t, double> reached;
  auto reach = [&](int32_t input, double bytes) {
    reached[ownerOf(program_, step.arrays[input])] += bytes;
  };
  if (facts && !facts->loads.empty())
    for (const Program::Facts::Load &load : facts->loads)
      reach(load.input, iterations(step, load.nest) * load.count *
                            double(byteSize(program_.arrays[step.arrays[load.input]].dtype)));
  else
    for (int32_t k = 0; k < step.numInputs; ++k)
      reach(k, double(bytesOf(step.arrays[k])));
  for (int32_t k = 0; k < step.numInputs; ++k) {
    auto it = reached.find(ownerOf(program_, step.arrays[k]));
    if (it == reached.end()) // counted under another shape
      continue;
    cost.bytesRead += int64_t(std::min(it->second, double(bytesOf(step.arrays[k]))));
    reached.erase(it);
  }
  if (facts)
    for (size_t nest = 0; nest < facts->flops.size(); ++nest)
      cost.flops += int64_t(iterations(step, int32_t(nest)) * facts->flops[nest]);
  return cost;
}

MemoryUse CostOfPlan::memory(int32_t number) const {
  const ProgramLayout::Segment &segment = layout_.segments[number];
  MemoryUse use;
  use.arenaBytes = plan_.arenaBytes;
  use.scratchBytes = plan_.scratchBytes;
  // The arrays that steps write are outputs, perhaps under another shape, or come in between. An
  // array that takes over another's memory is one of its own here.
  std::unordered_set<int32_t> written, results;
  for (int32_t s = segment.firstStep; s < segment.endStep; ++s) {
    const Program::Step &step = program_.steps[s];
    written.insert(step.arrays.begin() + step.numInputs, step.arrays.end());
  }
  for (const Program::Output &output : program_.outputs) {
    int32_t array = output.array;
    while (!written.contains(array) && program_.arrays[array].storage == Storage::Same)
      array = program_.arrays[array].number;
    results.insert(array);
  }
  // A part of a result is as much of it.
  auto isOfResult = [&](int32_t array) {
    while (!results.contains(array) && program_.arrays[array].isPart())
      array = program_.arrays[array].number;
    return results.contains(array);
  };
  for (int32_t array : written) {
    if (isOfResult(array))
      use.resultBytes += bytesOf(array);
    else
      use.intermediateBytes += ArenaLayout::rounded(bytesOf(array));
  }
  return use;
}

} // namespace

void RunProfile::Sum::add(const Sum &other) {
  runs += other.runs;
  time += other.time;
  cost.bytesRead += other.cost.bytesRead;
  cost.bytesWritten += other.cost.bytesWritten;
  cost.flops += other.cost.flops;
}

size_t firstStepOf(const Program &program, const Program::Step &step, size_t body) {
  size_t number = program.steps.size();
  for (const Program::Step &each : program.steps) {
    if (each.kind != Program::Step::Kind::Control)
      continue;
    const std::vector<Program> &bodies = program.controls[size_t(each.callee)].bodies;
    for (size_t k = 0; k < bodies.size(); ++k) {
      if (&each == &step && k == body)
        return number;
      number += numStepsOf(bodies[k]);
    }
  }
  return number;
}

size_t numStepsOf(const Program &program) { // the first one of a step that is not there
  return firstStepOf(program, Program::Step(), 0);
}

PlanCost costOf(const Program &program, const ProgramLayout &layout, int32_t segment,
                const Plan &plan) {
  CostOfPlan costs(program, layout, plan);
  PlanCost cost;
  const ProgramLayout::Segment &steps = layout.segments[segment];
  for (int32_t s = steps.firstStep; s < steps.endStep; ++s)
    cost.steps.push_back(costs.step(s));
  cost.memory = costs.memory(segment);
  return cost;
}

} // namespace graphc
