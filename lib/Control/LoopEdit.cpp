//===- LoopEdit.cpp ---------------------------------------------------------===//
#include "Control/LoopEdit.h"

#include <algorithm>

#include "graphc/Ops.h"

namespace graphc {

bool isCheap(std::string_view op) {
  constexpr std::string_view kCheap[] = {
      "add",    "sub",  "mul", "neg",  "abs", "maximum", "minimum", "sqr", "cast", "identity",
      "switch", "clip", "sgn", "relu", "eq",  "neq",     "lt",      "le",  "gt",   "ge"};
  return std::ranges::find(kCheap, op) != std::end(kCheap);
}

absl::StatusOr<LoopEdit> LoopEdit::create(const Apply &node, const Control &control) {
  absl::StatusOr<FunctionGraph> body =
      FunctionGraph::create(control.bodies[0].inputs(), control.bodies[0].outputs());
  if (!body.ok())
    return body.status();
  LoopEdit edit(*std::move(body));
  edit.loop = *control.loop;
  const Loop &loop = edit.loop;
  Variables operands = node.inputs(), inputs = edit.body.inputs();
  auto operand = operands.begin();
  auto input = inputs.begin();
  auto take = [](Variables::iterator &from, size_t count) {
    Variables list(from, from + ptrdiff_t(count));
    from += ptrdiff_t(count);
    return list;
  };
  edit.steps = take(operand, loop.firstSequence());
  edit.sequences = take(operand, loop.sequences.size());
  edit.initials = take(operand, loop.states.size());
  edit.constants = Variables(operand, operands.end());
  for (const std::vector<int> &taps : loop.sequences)
    edit.elements.push_back(take(input, taps.size()));
  for (const std::vector<int> &taps : loop.states)
    edit.values.push_back(take(input, taps.size()));
  edit.wholes = Variables(input, inputs.end());
  int output = 0;
  for (size_t k = 0; k < loop.states.size(); ++k) {
    edit.stateResults.push_back(output);
    edit.next.push_back(output++);
  }
  for (int k = 0; k < loop.numMapped; ++k) {
    edit.mappedResults.push_back(output);
    edit.mapped.push_back(output++);
  }
  if (loop.hasUntil)
    edit.until = output;
  return edit;
}

absl::StatusOr<size_t> LoopEdit::addMapped(const Variable &v) {
  for (size_t k = 0; k < mapped.size(); ++k)
    if (output(mapped[k]) == v) {
      loop.mappedRows[k] = 0;
      return k;
    }
  if (absl::Status s = body.addOutput(v); !s.ok())
    return s;
  mapped.push_back(body.numOutputs() - 1);
  mappedResults.push_back(-1);
  loop.mappedRows.push_back(0);
  loop.mappedNames.emplace_back();
  return mapped.size() - 1;
}

absl::Status LoopEdit::removeOutputs() {
  std::vector<int *> numbers = {&until};
  for (std::vector<int> *list : {&next, &mapped})
    for (int &number : *list)
      numbers.push_back(&number);
  for (int i = body.numOutputs() - 1; i >= 0; --i) {
    if (std::ranges::any_of(numbers, [&](const int *number) { return *number == i; }))
      continue;
    if (absl::Status s = body.removeOutput(i, "scan_unused"); !s.ok())
      return s;
    for (int *number : numbers)
      *number -= *number > i;
  }
  return absl::OkStatus();
}

absl::StatusOr<Variable> LoopEdit::addConstant(const Variable &outside) {
  for (size_t k = 0; k < constants.size(); ++k)
    if (constants[k] == outside)
      return wholes[k];
  Variable input(outside.type(), outside.name());
  if (absl::Status s = body.addInput(input); !s.ok())
    return s;
  constants.push_back(outside);
  wholes.push_back(input);
  return input;
}

Variable LoopEdit::elementsOf(size_t sequence, int tap) const {
  const std::vector<int> &taps = loop.sequences[sequence];
  const Variable &all = sequences[sequence];
  const int64_t first = tap + leadOf(taps), margin = marginOf(taps);
  if (margin == 0)
    return all;
  return all[{Slice(first, first == margin ? Operand(kEnd) : Operand(first - margin))}];
}

absl::StatusOr<Variable> LoopEdit::addSequence(const Variable &all, size_t like) {
  std::vector<int64_t> shape(all.type().shape().begin() + 1, all.type().shape().end());
  Variable element(all.type().withShape(shape));
  if (absl::Status s = body.addInput(element); !s.ok())
    return s;
  loop.sequences.push_back({0});
  loop.names.push_back(loop.names[like]);
  sequences.push_back(all);
  elements.push_back({element});
  return element;
}

absl::StatusOr<Variables> LoopEdit::finish(Place place, bool isRewritten) const {
  Loop made = loop;
  made.numMapped = int(mapped.size());
  made.isRewritten = isRewritten;
  Variables operands, inputs, outputs;
  for (const Variables *list : {&steps, &sequences, &initials, &constants})
    operands.insert(operands.end(), list->begin(), list->end());
  for (const auto *lists : {&elements, &values})
    for (const Variables &list : *lists)
      inputs.insert(inputs.end(), list.begin(), list.end());
  inputs.insert(inputs.end(), wholes.begin(), wholes.end());
  for (const std::vector<int> *list : {&next, &mapped})
    for (int number : *list)
      outputs.push_back(output(number));
  if (until >= 0)
    outputs.push_back(output(until));
  return makeLoop(std::move(made), inputs, outputs, operands, place);
}

} // namespace graphc
