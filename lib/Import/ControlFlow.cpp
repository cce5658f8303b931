//===- Import/ControlFlow.cpp - If, Loop and Scan -----------------------------------===//
#include <algorithm>

#include "Import/GrowingLoop.h"
#include "Import/LastState.h"
#include "Import/LoopBody.h"
#include "Import/Translations.h"
#include "Import/Unrolling.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

/// Of two tensors; where they have not one rank, the first is meant.
Variable chooseTensor(OnnxNode &n, const Variable &condition, const Variable &then,
                      const Variable &otherwise) {
  if (then.rank() == otherwise.rank())
    return ifElse(n.at(condition), then, otherwise);
  return assertTrue(
      n.at(then), condition,
      "the condition is false, but the result was taken to be then_branch's, of rank " +
          std::to_string(then.rank()) + "; else_branch's has rank " +
          std::to_string(otherwise.rank()));
}

/// Of two values with the same structure, tensor by tensor.
OnnxValue choose(OnnxNode &n, const Variable &condition, const OnnxValue &then,
                 const OnnxValue &otherwise) {
  if (!then.hasStructureOf(otherwise))
    return n.unsupported("condition must be constant, since the branches give " + then.brief() +
                         " and " + otherwise.brief());
  OnnxValue result = then;
  for (size_t k = 0; k < result.elements().size(); ++k)
    result.elements()[k] = chooseTensor(n, condition, then.elements()[k], otherwise.elements()[k]);
  return then.isOptional() || otherwise.isOptional() ? result.asOptional() : result;
}

/// Of a known condition one branch is read: the other may not fit what is there.
OnnxValues ifNode(OnnxNode &n) {
  Variable condition = scalarOf(n, n.in(0));
  if (!n.status().ok())
    return {};
  // Networks ask whether an axis is there, or 1 long, of which the other branch makes no sense.
  if (std::optional<bool> known = n.knownTruth(condition))
    return n.runGraph(*known ? "then_branch" : "else_branch", {}, n.numOutputs());
  OnnxValues then = n.runGraph("then_branch", {}, n.numOutputs());
  OnnxValues otherwise = n.runGraph("else_branch", {}, n.numOutputs());
  OnnxValues results;
  for (size_t k = 0; k < n.numOutputs() && n.status().ok(); ++k)
    results.push_back(choose(n, condition, then[k], otherwise[k]));
  return results;
}

/// The states' last values, then all values of the other outputs; `more` states between them are
/// no results.
Variables resultsOf(OnnxNode &n, const ScanResult &loop, const Variables &initial, size_t more) {
  Variables results;
  for (size_t k = 0; k < loop.outputs.size(); ++k)
    if (k < initial.size() && loop.outputs[k].ok())
      results.push_back(lastOf(n, loop.outputs[k], initial[k]));
    else if (k < initial.size() || k >= initial.size() + more)
      results.push_back(loop.outputs[k]);
  return results;
}

/// A loop of which the number of steps is known before it.
OnnxValues countedLoop(const LoopParts &loop, const Variable &steps) {
  OnnxNode &n = loop.n;
  const size_t count = loop.numStates();
  ScanOptions options{.numSteps = n.at(steps), .name = "Loop"};
  for (const Variable &state : loop.initial)
    options.outputs.emplace_back(n.at(state));
  options.outputs.emplace_back(n.scalar(0, DType::Int64));
  for (size_t k = count; k < n.numOutputs(); ++k)
    options.outputs.push_back(ScanOutput::none());
  ScanResult made = scan(
      [&](const Variables &now) { // a step that is run has a true condition
        Variables outputs = stepOf(loop, now, n.scalar(1, DType::Bool));
        outputs.erase(outputs.begin());
        outputs.insert(outputs.begin() + ptrdiff_t(count), nextNumber(n, now[count]));
        return ScanStep(outputs);
      },
      options);
  Variables results = resultsOf(n, made, loop.initial, 1);
  return OnnxValues(results.begin(), results.end());
}

/// The outputs of a step of a loop that a computed condition ends: states, the number of the next
/// step, its condition, and all else.
Variables conditionalStep(const LoopParts &loop, const Variables &now) {
  const size_t count = loop.numStates();
  Variables outputs = stepOf(loop, now, now[count + 1]);
  std::rotate(outputs.begin(), outputs.begin() + 1, outputs.begin() + 1 + ptrdiff_t(count));
  outputs.insert(outputs.begin() + ptrdiff_t(count), nextNumber(loop.n, now[count]));
  return outputs;
}

/// A loop that a computed condition ends; the states, then the number of steps that there were.
Variables conditionalLoop(const LoopParts &loop) {
  OnnxNode &n = loop.n;
  const size_t count = loop.numStates();
  std::vector<Operand> initial;
  for (const Variable &state : loop.initial)
    initial.emplace_back(n.at(state));
  initial.emplace_back(n.scalar(0, DType::Int64));
  initial.emplace_back(n.at(loop.condition));
  WhileOptions options{.name = "Loop"};
  if (loop.count)
    options.maxSteps = n.at(*loop.count);
  Variables last = whileLoop([&](const Variables &now) { return now[count + 1]; },
                             [&](const Variables &now) {
                               Variables outputs = conditionalStep(loop, now);
                               outputs.resize(count + 2);
                               return ScanStep(outputs);
                             },
                             initial, options)
                       .outputs;
  last.pop_back();
  return last;
}

/// One that gives the values of all steps, with room for as many as there may be.
OnnxValues conditionalLoopInRoom(const LoopParts &loop) {
  OnnxNode &n = loop.n;
  const size_t count = loop.numStates();
  ScanOptions options{.numSteps = n.at(where(n.at(loop.condition), n.at(*loop.count), int64_t(0))),
                      .name = "Loop"};
  for (const Variable &state : loop.initial)
    options.outputs.emplace_back(n.at(state));
  options.outputs.emplace_back(n.scalar(0, DType::Int64));
  options.outputs.emplace_back(n.at(loop.condition));
  for (size_t k = count; k < n.numOutputs(); ++k)
    options.outputs.push_back(ScanOutput::none());
  ScanResult made = scan(
      [&](const Variables &now) {
        Variables outputs = conditionalStep(loop, now);
        Variable ends = logicalNot(n.at(outputs[count + 1]));
        return ScanStep(outputs, {}, ends);
      },
      options);
  Variables results = resultsOf(n, made, loop.initial, 2);
  return OnnxValues(results.begin(), results.end());
}

/// Exporters write the greatest int64 for "as long as the condition says": steps that may not come
/// get no memory. Where values of all steps are wanted, and there may be more steps than this, they
/// are counted first, and run again.
constexpr int64_t kMostRoom = 1024;

/// A loop whose states keep their shapes.
OnnxValues steadyLoop(const LoopParts &loop) {
  OnnxNode &n = loop.n;
  if (loop.count && loop.body.goesOnAlways(n))
    return countedLoop(loop, where(n.at(loop.condition), n.at(*loop.count), int64_t(0)));
  if (loop.givesAllSteps()) {
    std::optional<double> most = loop.count ? n.numberOf(*loop.count) : std::nullopt;
    if (most && *most <= kMostRoom)
      return conditionalLoopInRoom(loop);
    return countedLoop(loop, conditionalLoop(loop).back());
  }
  Variables last = conditionalLoop(loop);
  return OnnxValues(last.begin(), last.end() - 1);
}

OnnxValues loopNode(OnnxNode &n) {
  OnnxValues states;
  for (size_t k = 2; k < n.numInputs(); ++k)
    states.push_back(n.value(k));
  if (n.status().ok() && mustUnroll(n, states))
    return unrolledLoop(n, std::move(states));
  std::optional<Variable> count;
  if (n.has(0))
    count = maximum(n.at(cast(n.at(scalarOf(n, n.in(0))), DType::Int64)), int64_t(0));
  Variable condition =
      n.has(1) ? cast(n.at(scalarOf(n, n.in(1))), DType::Bool) : n.scalar(1, DType::Bool);
  if (!n.status().ok())
    return {};
  Variables initial;
  for (const OnnxValue &state : states)
    initial.push_back(state.elements()[0]);
  LoopParts loop{n, bodyOf(n, initial), initial, condition, count};
  if (!n.status().ok())
    return {};
  return loop.grows() ? growingLoop(loop) : steadyLoop(loop);
}

Variables scanNode(OnnxNode &n) {
  if (n.opset() < 9)
    return batchedScan(n);
  int count = n.requireInt("num_scan_inputs");
  if (!n.status().ok())
    return {};
  if (count < 1 || size_t(count) > n.numInputs())
    return {n.fail(ErrorKind::ValueError, "num_scan_inputs is " + std::to_string(count) + " of " +
                                              std::to_string(n.numInputs()) + " inputs")};
  const size_t numStates = n.numInputs() - size_t(count);
  if (n.numOutputs() < numStates)
    return {n.fail(ErrorKind::ValueError, "there are " + std::to_string(n.numOutputs()) +
                                              " outputs for " + std::to_string(numStates) +
                                              " states")};
  auto listOf = [&](std::string_view name, size_t length) {
    Ints list = n.getInts(name).value_or(Ints());
    list.resize(length, 0);
    return list;
  };
  Ints inputAxes = listOf("scan_input_axes", size_t(count)),
       inputBack = listOf("scan_input_directions", size_t(count)),
       outputAxes = listOf("scan_output_axes", n.numOutputs() - numStates),
       outputBack = listOf("scan_output_directions", n.numOutputs() - numStates);
  ScanOptions options{.name = "Scan"};
  Variables initial;
  for (size_t k = 0; k < numStates; ++k) {
    initial.push_back(n.in(k));
    options.outputs.emplace_back(n.at(initial.back()));
  }
  for (size_t k = 0; k < size_t(count); ++k) {
    Variable x = n.in(numStates + k);
    if (!n.status().ok())
      return {};
    int axis = n.plainAxis(inputAxes[k], x.rank());
    Variable first = axis ? moveaxis(n.at(x), {axis}, {0}) : x;
    options.sequences.emplace_back(inputBack[k] ? flip(n.at(first), Axis(0)) : first);
  }
  for (size_t k = numStates; k < n.numOutputs(); ++k)
    options.outputs.push_back(ScanOutput::none());
  ScanResult loop = scan(
      [&](const Variables &arguments) {
        // A step gets slices first, a body states.
        Variables inputs(arguments.begin() + count, arguments.end());
        inputs.insert(inputs.end(), arguments.begin(), arguments.begin() + count);
        Variables outputs = n.runTensorGraph("body", inputs, n.numOutputs());
        outputs.resize(n.numOutputs());
        return ScanStep(outputs);
      },
      options);
  Variables results = resultsOf(n, loop, initial, 0);
  for (size_t k = numStates; k < results.size() && results[k].ok(); ++k) {
    Variable all = outputBack[k - numStates] ? flip(n.at(results[k]), Axis(0)) : results[k];
    int axis = n.plainAxis(outputAxes[k - numStates], all.rank());
    results[k] = axis ? moveaxis(n.at(all), {0}, {axis}) : all;
  }
  return results;
}

} // namespace

absl::Span<const Translation> controlFlowTranslations() {
  static constexpr Translation kTable[] = {
      {"If", ifNode, 1,
       "branches of different ranks: then_branch is meant, where the condition is not known; a "
       "call fails where it is false"},
      {"Loop", loopNode, 1, "states keep their rank; with sequences: unrolled, steps constant"},
      {"Scan", scanNode, 8, "shapes of states stay"},
  };
  return kTable;
}

} // namespace graphc
