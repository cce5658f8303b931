//===- BatchedScan.cpp - Scan of set 8 -----------------------------------------===//
//
// Its operands have a batch in front, of whose elements each may have a length of its own: a loop
// over the batch, in which there is a loop over the sequence. What is behind an element's length
// leaves its states as they are and gives zeros.
//
//===----------------------------------------------------------------------===//
#include "Import/Translations.h"
#include "Import/Widening.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

struct Shape8 {
  size_t states, inputs, outputs; // of the operator; outputs beside the states
  Ints reversed;                  // for each input
};

/// One element of the batch: its states' last values, and what its steps give.
Variables overSequence(OnnxNode &n, const Shape8 &s, const Variables &states,
                       const Variables &sequences, const Variable &length) {
  Operand extent = extentTerm(n, sequences[0], 0);
  Variable steps = arange(extent);
  ScanOptions options{.sequences = {ScanSequence(steps)}, .name = "Scan"};
  for (size_t k = 0; k < s.inputs; ++k) {
    // Backwards from the last element that there is.
    Variable back = sub(n.at(sub(n.at(length), 1)), steps);
    options.sequences.emplace_back(
        s.reversed[k] ? take(n.at(sequences[k]), maximum(n.at(back), 0), {.axis = 0})
                      : sequences[k]);
  }
  for (const Variable &state : states)
    options.outputs.emplace_back(n.at(state));
  for (size_t k = 0; k < s.outputs; ++k)
    options.outputs.push_back(ScanOutput::none());
  ScanResult loop = scan(
      [&](const Variables &arguments) {
        auto firstState = arguments.begin() + int64_t(1 + s.inputs);
        Variables inputs(firstState, arguments.end());
        inputs.insert(inputs.end(), arguments.begin() + 1, firstState);
        Variables made = n.runTensorGraph("body", inputs, s.states + s.outputs);
        made.resize(s.states + s.outputs);
        Variable runs = lt(n.at(arguments[0]), length);
        for (size_t k = 0; k < made.size() && n.status().ok(); ++k)
          made[k] =
              where(n.at(runs), made[k], k < s.states ? inputs[k] : n.scalar(0, made[k].dtype()));
        return ScanStep(made);
      },
      options);
  Variables results;
  for (size_t k = 0; k < loop.outputs.size(); ++k) {
    Variable all = loop.outputs[k];
    if (k < s.states) // the one before the first step, where there is none
      all = subtensor(n.at(concatenate({expandDims(n.at(states[k]), Axis(0)), all})), {-1});
    results.push_back(all);
  }
  return results;
}

} // namespace

Variables batchedScan(OnnxNode &n) {
  int count = n.requireInt("num_scan_inputs");
  if (!n.status().ok())
    return {};
  if (count < 1 || size_t(count) >= n.numInputs())
    return {n.fail(ErrorKind::ValueError, "num_scan_inputs is " + std::to_string(count) + " of " +
                                              std::to_string(n.numInputs() - 1) + " inputs")};
  Shape8 s;
  s.inputs = size_t(count);
  s.states = n.numInputs() - 1 - s.inputs;
  if (n.numOutputs() < s.states)
    return {n.fail(ErrorKind::ValueError, "there are " + std::to_string(n.numOutputs()) +
                                              " outputs for " + std::to_string(s.states) +
                                              " states")};
  s.outputs = n.numOutputs() - s.states;
  s.reversed = n.getInts("directions").value_or(Ints());
  s.reversed.resize(s.inputs, 0);
  Variables operands;
  for (size_t k = 1; k < n.numInputs(); ++k)
    operands.push_back(n.in(k));
  if (!n.status().ok())
    return {};
  const Variable &first = operands[s.states];
  if (first.rank() < 2)
    return {n.fail(ErrorKind::TypeError,
                   "a scan input must have a batch and a sequence: " + first.type().brief())};
  Variable lengths;
  if (n.has(0))
    lengths = cast(n.arg(0), DType::Int64);
  else
    lengths =
        full(shapeOf(n, {extentTerm(n, first, 0)}), n.at(wholeNumber(n, extentTerm(n, first, 1))));
  ScanOptions options{.sequences = {ScanSequence(lengths)}, .name = "Scan"};
  for (const Variable &operand : operands)
    options.sequences.emplace_back(operand);
  ScanResult batch = scan(
      [&](const Variables &arguments) {
        auto states = arguments.begin() + 1, inputs = states + int64_t(s.states);
        return ScanStep(overSequence(n, s, Variables(states, inputs),
                                     Variables(inputs, arguments.end()), arguments[0]));
      },
      options);
  return batch.outputs;
}

} // namespace graphc
