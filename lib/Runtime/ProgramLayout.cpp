//===- ProgramLayout.cpp --------------------------------------------------===//
#include "Runtime/ProgramLayout.h"

#include <algorithm>
#include <limits>

#include "Runtime/ProgramNumbers.h"

namespace graphc {
namespace {

using Storage = Program::Array::Storage;
constexpr int32_t kForever = std::numeric_limits<int32_t>::max();

/// By array that is its own root: the first and the last step that uses it.
struct Uses {
  std::vector<int32_t> first, last;
};

/// Fills in `root`.
Uses findUses(const Program &program, ProgramLayout &layout) {
  int32_t numArrays = int32_t(program.arrays.size());
  for (int32_t a = 0; a < numArrays; ++a)
    layout.root.push_back(
        program.arrays[a].storage == Storage::Same ? layout.root[program.arrays[a].number] : a);
  Uses uses;
  uses.first.assign(size_t(numArrays), kForever);
  uses.last.assign(size_t(numArrays), -1);
  for (int32_t s = 0; s < int32_t(program.steps.size()); ++s)
    for (int32_t a : program.steps[s].arrays) {
      int32_t r = layout.root[a];
      uses.first[r] = std::min(uses.first[r], s);
      uses.last[r] = s;
    }
  for (const SizeNode &n : program.sizes)
    if (n.op == SizeOp::Element)
      uses.last[layout.root[n.a]] = kForever;
  return uses;
}

/// By array: the step after which it has its contents, which writes it, what it views, or the last
/// one of its parts.
std::vector<int32_t> writersOf(const Program &program) {
  std::vector<int32_t> writtenBy(program.arrays.size(), -1);
  for (int32_t s = 0; s < int32_t(program.steps.size()); ++s) {
    const Program::Step &step = program.steps[s];
    for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k)
      writtenBy[step.arrays[k]] = s;
  }
  for (size_t a = program.arrays.size(); a-- > 0;)
    if (const Program::Array &part = program.arrays[a]; part.isPart())
      writtenBy[part.number] = std::max(writtenBy[part.number], writtenBy[a]);
  for (size_t a = 0; a < program.arrays.size(); ++a)
    if (writtenBy[a] < 0 && program.arrays[a].storage == Storage::Same)
      writtenBy[a] = writtenBy[program.arrays[a].number];
  return writtenBy;
}

/// By size: the first step before which it is known.
std::vector<int32_t> knownBefore(const Program &program) {
  std::vector<int32_t> known(program.sizes.size(), 0), writtenBy = writersOf(program);
  for (size_t id = 0; id < program.sizes.size(); ++id) {
    const SizeNode &n = program.sizes[id];
    if (n.op == SizeOp::Constant || n.op == SizeOp::Dim)
      continue;
    if (n.op == SizeOp::Element) {
      known[id] = std::max(known[n.b], writtenBy[n.a] + 1);
      continue;
    }
    for (int32_t operand : {n.a, n.b, n.c})
      if (operand >= 0)
        known[id] = std::max(known[id], known[operand]);
  }
  return known;
}

/// The steps that segments start with: those that need more than is known.
absl::StatusOr<std::vector<int32_t>> startsOf(const Program &program,
                                              const std::vector<int32_t> &known) {
  int32_t numSteps = int32_t(program.steps.size());
  std::vector<int32_t> starts = {0};
  for (int32_t s = 0; s < numSteps; ++s) {
    int32_t need = 0;
    sizesOfStep(program, program.steps[s], [&](int32_t id) { need = std::max(need, known[id]); });
    if (need > s)
      return malformed("a size is needed before it is known");
    if (need > starts.back())
      starts.push_back(s);
  }
  int32_t need = 0;
  for (const Program::SizeCheck &check : program.checks)
    sizesOfCheck(check, [&](int32_t s) { need = std::max(need, known[s]); });
  for (const Program::Output &output : program.outputs)
    for (int32_t s : program.arrays[output.array].shape)
      need = std::max(need, known[s]);
  if (need > starts.back())
    starts.push_back(numSteps);
  return starts;
}

/// By size: whether elements are read at an index made of it, or it is one.
std::vector<bool> neededToRead(const Program &program) {
  std::vector<bool> reads(program.sizes.size(), false);
  for (size_t id = program.sizes.size(); id-- > 0;) {
    const SizeNode &n = program.sizes[id];
    if (n.op == SizeOp::Element)
      reads[id] = reads[n.b] = true;
    else if (reads[id] && n.op != SizeOp::Constant && n.op != SizeOp::Dim)
      for (int32_t operand : {n.a, n.b, n.c})
        if (operand >= 0)
          reads[operand] = true;
  }
  return reads;
}

/// Fills in the segments but for their outputs.
void makeSegments(const Program &program, const std::vector<int32_t> &starts,
                  const std::vector<int32_t> &known, ProgramLayout &layout) {
  for (size_t k = 0; k < starts.size(); ++k) {
    ProgramLayout::Segment &segment = layout.segments.emplace_back();
    segment.firstStep = starts[k];
    segment.endStep = k + 1 < starts.size() ? starts[k + 1] : int32_t(program.steps.size());
  }
  auto segmentAt = [&](int32_t step) { // the first one that starts at or after `step`
    return int32_t(std::lower_bound(starts.begin(), starts.end(), step) - starts.begin());
  };
  std::vector<bool> reads = neededToRead(program);
  for (int32_t id = 0; id < int32_t(program.sizes.size()); ++id) {
    int32_t k = segmentAt(known[id]);
    if (k >= int32_t(layout.segments.size())) // of an element that nobody uses
      continue;
    layout.segments[k].sizes.push_back(id);
    if (reads[id])
      layout.segments[k].readSizes.push_back(id);
  }
  for (int32_t c = 0; c < int32_t(program.checks.size()); ++c) {
    int32_t first = 0;
    sizesOfCheck(program.checks[c], [&](int32_t s) { first = std::max(first, known[s]); });
    layout.segments[segmentAt(first)].checks.push_back(c);
  }
}

/// Fills in `segmentOf` and `lifetimes`: what lives on beyond its segment keeps its place.
void findLifetimes(const Program &program, const std::vector<int32_t> &starts, const Uses &uses,
                   ProgramLayout &layout) {
  auto segmentOfStep = [&](int32_t step) {
    return int32_t(std::upper_bound(starts.begin(), starts.end(), step) - starts.begin()) - 1;
  };
  layout.segmentOf.assign(program.arrays.size(), 0);
  for (size_t a = 0; a < program.arrays.size(); ++a) {
    int32_t r = layout.root[a];
    if (uses.first[r] != kForever)
      layout.segmentOf[a] = segmentOfStep(uses.first[r]);
  }
  auto addOnce = [](Numbers &list, int32_t array) {
    if (std::find(list.begin(), list.end(), array) == list.end())
      list.push_back(array);
  };
  layout.lifetimes.resize(program.steps.size());
  for (int32_t s = 0; s < int32_t(program.steps.size()); ++s)
    for (int32_t a : program.steps[s].arrays) {
      int32_t r = layout.root[a];
      if (program.arrays[r].storage != Storage::Arena)
        continue;
      if (uses.first[r] == s)
        addOnce(layout.lifetimes[s].allocate, r);
      if (uses.last[r] == s && layout.segmentOf[r] == segmentOfStep(s))
        addOnce(layout.lifetimes[s].release, r);
    }
}

/// Fills in what is known of each output, and the segments' outputs.
void findOutputs(const Program &program, ProgramLayout &layout) {
  for (int32_t k = 0; k < int32_t(program.outputs.size()); ++k) {
    int32_t r = layout.root[program.outputs[k].array];
    layout.outputRoot.push_back(r);
    layout.segments[layout.segmentOf[r]].outputs.push_back(k);
  }
  std::vector<int32_t> writes(program.arrays.size(), 0), copied(program.arrays.size(), -1);
  for (const Program::Step &step : program.steps)
    for (size_t k = size_t(step.numInputs); k < step.arrays.size(); ++k) {
      int32_t r = layout.root[step.arrays[k]];
      bool isCopy = step.kind == Program::Step::Kind::Copy && ownerOf(program, step.arrays[k]) == r;
      copied[r] = ++writes[r] == 1 && isCopy ? step.arrays[0] : -1;
    }
  for (int32_t r : layout.outputRoot)
    layout.outputSource.push_back(copied[r]);
}

/// Whether the extents of all inputs are given, and no size is an element of one.
bool hasKnownInputs(const Program &program, const ProgramLayout &layout) {
  for (const SizeNode &n : program.sizes)
    if (n.op == SizeOp::Element && program.arrays[layout.root[n.a]].storage == Storage::Input)
      return false;
  for (const Program::Input &input : program.inputs)
    for (int64_t extent : input.shape)
      if (extent < 0)
        return false;
  return true;
}

} // namespace

absl::StatusOr<ProgramLayout> ProgramLayout::create(const Program &program) {
  if (absl::Status status = checkNumbers(program); !status.ok())
    return status;
  ProgramLayout layout;
  const Uses uses = findUses(program, layout);
  std::vector<int32_t> known = knownBefore(program);
  absl::StatusOr<std::vector<int32_t>> starts = startsOf(program, known);
  if (!starts.ok())
    return starts.status();
  makeSegments(program, *starts, known, layout);
  findLifetimes(program, *starts, uses, layout);
  findOutputs(program, layout);
  layout.isStatic = layout.segments.size() == 1 && hasKnownInputs(program, layout);
  return layout;
}

} // namespace graphc
