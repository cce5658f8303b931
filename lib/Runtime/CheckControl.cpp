//===- CheckControl.cpp - whether a step of bodies is well-formed ---------===//
#include <algorithm>
#include <bit>

#include "Runtime/ProgramNumbers.h"

namespace graphc {

bool hasLevels(const Program &p, const Program::Step &step, int32_t numLevels,
               absl::Span<const uint32_t> levels) {
  bool good = numLevels >= 0 && numLevels < 32 &&
              (numLevels == 0 || levels.size() == size_t(step.numInputs));
  for (size_t k = 0; good && numLevels > 0 && k < step.arrays.size(); ++k) {
    size_t own = k < levels.size() ? size_t(std::popcount(levels[k])) : size_t(numLevels);
    good = own <= p.arrays[size_t(step.arrays[k])].shape.size();
  }
  return good;
}

bool isWellFormed(const Program &p, const Program::Step &step, const Program::Control &c) {
  auto isFirstInt64 = [&](int32_t array, size_t rank) {
    const Program::Array &a = p.arrays[size_t(array)];
    return a.dtype == DType::Int64 && a.shape.size() >= rank;
  };
  const size_t numInputs = size_t(step.numInputs), numResults = step.arrays.size() - numInputs;
  if (!hasLevels(p, step, c.numLevels, c.levels) || numInputs == 0 || numResults == 0 ||
      !isFirstInt64(step.arrays[0], 0) || c.bodies.size() != (c.isLoop ? 1 : 2) ||
      (c.givesExtents && (numResults != 1 || !isFirstInt64(step.arrays[numInputs], 1))))
    return false;
  size_t taken = 0, wanted = 0; // inputs of the body; scratch
  for (const auto *list : {&c.sequences, &c.states})
    for (const std::vector<int32_t> &taps : *list) {
      for (int32_t tap : taps)
        if (tap < -(1 << 24) || tap > 1 << 24)
          return false;
      taken += taps.size();
      if (taps.empty())
        return false;
    }
  for (size_t k = 0; k < c.states.size(); ++k) {
    if (c.history(k) <= 0 || std::ranges::max(c.states[k]) >= 0)
      return false;
    wanted += k < c.keepsLast.size() && c.keepsLast[k];
  }
  const size_t firstWhole = 1 + c.sequences.size() + c.states.size();
  if (firstWhole > numInputs || c.keepsLast.size() != c.states.size() ||
      (c.stacksBackwards && c.hasUntil) || (c.isLoop && step.scratch.size() != wanted + c.hasUntil))
    return false;
  auto suits = [&](int32_t operand, const Program::Input &input, size_t lacks) {
    const Program::Array &a = p.arrays[size_t(step.arrays[size_t(operand)])];
    size_t hidden = c.numLevels ? size_t(std::popcount(c.levels[size_t(operand)])) : 0;
    return a.dtype == realDType(input.dtype) &&
           a.shape.size() == input.shape.size() + isComplex(input.dtype) + lacks + hidden;
  };
  for (const Program &body : c.bodies) {
    if (body.inputs.size() != taken + (numInputs - firstWhole))
      return false;
    size_t input = 0;
    for (size_t k = 0; k < c.sequences.size(); ++k)
      for (size_t tap = 0; tap < c.sequences[k].size(); ++tap)
        if (!suits(int32_t(1 + k), body.inputs[input++], 1))
          return false;
    for (size_t k = 0; k < c.states.size(); ++k)
      for (size_t tap = 0; tap < c.states[k].size(); ++tap)
        if (!suits(int32_t(1 + c.sequences.size() + k), body.inputs[input++], c.hasHistoryAxis(k)))
          return false;
    for (size_t k = firstWhole; k < numInputs; ++k)
      if (!suits(int32_t(k), body.inputs[input++], 0))
        return false;
    const int32_t until = c.hasUntil && !body.outputs.empty() ? body.outputs.back().array : -1;
    if (c.hasUntil && (until < 0 || size_t(until) >= body.arrays.size() ||
                       body.arrays[size_t(until)].dtype != DType::Bool))
      return false;
    if (c.givesExtents) {
      if (body.outputs.size() < c.states.size() + c.hasUntil)
        return false;
      continue;
    }
    size_t numOutputs = c.isLoop ? numResults - 1 + c.hasUntil : numResults;
    if (body.outputs.size() != numOutputs || body.outputs.size() < c.states.size() + c.hasUntil ||
        (c.isLoop && !isFirstInt64(step.arrays.back(), 0)))
      return false;
    for (size_t k = 0; k < numResults - size_t(c.isLoop); ++k) {
      const Program::Array &result = p.arrays[size_t(step.arrays[numInputs + k])];
      const int32_t array = body.outputs[k].array;
      if (array < 0 || size_t(array) >= body.arrays.size())
        return false;
      const Program::Array &given = body.arrays[size_t(array)];
      bool hasAxis = c.isLoop && !(k < c.states.size() && c.keepsLast[k]);
      if (given.dtype != result.dtype ||
          given.shape.size() + hasAxis + size_t(c.numLevels) != result.shape.size())
        return false;
    }
  }
  return true;
}

} // namespace graphc
