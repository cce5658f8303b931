//===- Import/ControlFlow.cpp - If, Loop and Scan -----------------------------------===//
#include "graphc/ControlFlow.h"
#include "Import/Translations.h"
#include "Import/Unrolling.h"
#include "graphc/Arrays.h"
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

/// The value of a state after the loop, in which it may have no step.
Variable lastOf(OnnxNode &n, const Variable &all, const Variable &initial) {
  Variable last = subtensor(n.at(all), {Slice(-1, kEnd)});
  return subtensor(n.at(concatenate({expandDims(n.at(initial), Axis(0)), last})), {-1});
}

/// The states' last values, then all values of the other outputs.
Variables resultsOf(OnnxNode &n, const ScanResult &loop, const Variables &initial, size_t first) {
  Variables results;
  for (size_t k = first; k < loop.outputs.size(); ++k)
    results.push_back(k - first < initial.size() && loop.outputs[k].ok()
                          ? lastOf(n, loop.outputs[k], initial[k - first])
                          : loop.outputs[k]);
  return results;
}

/// A loop whose condition alone ends it: nobody knows how much memory all values of a result would
/// need.
OnnxValues endlessLoop(OnnxNode &n, const OnnxValues &states) {
  if (n.numOutputs() > states.size())
    return {n.unsupported("a loop without a greatest number of steps, which gives the values of "
                          "all steps")};
  const Variable condition = n.has(1) ? scalarOf(n, n.in(1)) : n.scalar(1, DType::Bool);
  if (!n.status().ok())
    return {};
  std::vector<Operand> initial = {n.scalar(0, DType::Int64), n.at(condition)};
  for (const OnnxValue &state : states)
    initial.emplace_back(n.at(state.elements()[0]));
  ScanResult loop = whileLoop([&](const Variables &now) { return now[1]; },
                              [&](const Variables &now) {
                                Variables outputs =
                                    n.runTensorGraph("body", now, 1 + n.numOutputs());
                                outputs.resize(1 + n.numOutputs());
                                outputs[0] = scalarOf(n, outputs[0]);
                                outputs.insert(outputs.begin(), add(n.at(now[0]), int64_t(1)));
                                return ScanStep(outputs);
                              },
                              initial, {.name = "Loop"});
  return OnnxValues(loop.outputs.begin() + 2, loop.outputs.end());
}

/// The body has the number of the step and the condition before its states.
OnnxValues loopNode(OnnxNode &n) {
  OnnxValues states;
  for (size_t k = 2; k < n.numInputs(); ++k)
    states.push_back(n.value(k));
  if (n.status().ok() && mustUnroll(n, states))
    return unrolledLoop(n, std::move(states));
  if (!n.has(0))
    return endlessLoop(n, states);
  Variable count = cast(n.at(scalarOf(n, n.in(0))), DType::Int64);
  Variable condition = n.has(1) ? scalarOf(n, n.in(1)) : n.scalar(1, DType::Bool);
  if (!n.status().ok())
    return {};
  Variables initial;
  for (const OnnxValue &state : states)
    initial.push_back(state.elements()[0]);
  Variable steps = where(n.at(condition), maximum(n.at(count), 0), int64_t(0));
  ScanOptions options{.sequences = {ScanSequence(arange(n.at(steps)))}, .name = "Loop"};
  options.outputs.emplace_back(n.at(condition));
  for (const Variable &state : initial)
    options.outputs.emplace_back(n.at(state));
  for (size_t k = initial.size(); k < n.numOutputs(); ++k)
    options.outputs.push_back(ScanOutput::none());
  ScanResult loop = scan(
      [&](const Variables &arguments) {
        Variables outputs = n.runTensorGraph("body", arguments, 1 + n.numOutputs());
        outputs.resize(1 + n.numOutputs());
        outputs[0] = scalarOf(n, outputs[0]);
        return ScanStep(outputs, {}, logicalNot(n.at(outputs[0])));
      },
      options);
  Variables results = resultsOf(n, loop, initial, 1);
  return OnnxValues(results.begin(), results.end());
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
      {"Loop", loopNode, 1,
       "with a greatest number of steps, or without results of all steps; shapes of states stay; "
       "with sequences: unrolled, steps constant"},
      {"Scan", scanNode, 8, "shapes of states stay"},
  };
  return kTable;
}

} // namespace graphc
