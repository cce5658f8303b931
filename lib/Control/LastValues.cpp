//===- LastValues.cpp -------------------------------------------------------===//
#include "Control/LastValues.h"

#include <algorithm>

#include "Ops/Build.h"
#include "Ops/IndexSpec.h"
#include "graphc/ControlFlow.h"
#include "graphc/Ops.h"

namespace graphc {

namespace {

/// What the node's index says of the first axis, where the last element is all it reads.
std::optional<IndexEntry> lastOfFirstAxis(const Apply &node) {
  if (node.op().name() != "subtensor")
    return std::nullopt;
  absl::StatusOr<IndexSpec> index =
      parseIndex(std::get<std::string>(*node.op().attributes().find("index")));
  if (!index.ok() || index->empty())
    return std::nullopt;
  const IndexEntry &entry = index->front();
  const int64_t length = node.input(0).type().extent(0);
  if (!entry.start.is(-1) && (length < 1 || !entry.start.is(length - 1)))
    return std::nullopt;
  if (entry.kind == IndexEntry::Kind::Position)
    return entry;
  const bool isPlain = entry.step.kind == IndexTerm::Kind::Absent || entry.step.is(1);
  const bool isToEnd =
      entry.stop.kind == IndexTerm::Kind::Absent || (length >= 1 && entry.stop.is(length));
  return entry.kind == IndexEntry::Kind::Slice && isPlain && isToEnd ? std::optional(entry)
                                                                     : std::nullopt;
}

} // namespace

absl::StatusOr<LastValues> LastValues::find(const FunctionGraph &graph, const Apply &node,
                                            LoopEdit &edit) {
  LastValues found;
  found.readers_.resize(size_t(node.numOutputs()));
  bool isAny = false;
  for (size_t k = 0; k < edit.stateResults.size(); ++k) {
    const int result = edit.stateResults[k];
    const Variable all = node.output(result);
    if (edit.loop.keepsLast[k])
      continue;
    if (graph.numClients(all, 1) == 0) { // the steps alone read it
      edit.loop.keepsLast[k] = true;
      continue;
    }
    absl::StatusOr<Clients> clients = graph.clients(all);
    if (!clients.ok())
      return clients.status();
    if (!std::ranges::all_of(*clients, [](const Client &client) {
          return !client.isOutput() && client.index == 0 && lastOfFirstAxis(client.node);
        }))
      continue;
    for (const Client &client : *clients)
      found.readers_[size_t(result)].push_back(client.node);
    edit.loop.keepsLast[k] = true;
    isAny = true;
  }
  if (isAny)
    found.steps_ = stepsOf(edit.loop, edit.steps, edit.sequences);
  return found;
}

absl::Status LastValues::replace(int result, const Variable &last,
                                 Replacements &replacements) const {
  for (const Apply &reader : readers_[size_t(result)]) {
    const IndexEntry entry = *lastOfFirstAxis(reader);
    const bool isPosition = entry.kind == IndexEntry::Kind::Position;
    Variable value = last;
    if (reader.input(0).type().extent(0) < 1) { // there may be no step
      if (isPosition) // a negative number of steps is the loop's own error
        value = assertTrue(value, neq(steps_, int64_t(0)),
                           "index -1 is out of range for axis 0 with 0 elements",
                           ErrorKind::IndexError);
      value = expandDims(value, Axis(0));
      if (!isPosition)
        value = value[{Slice(0, minimum(steps_, int64_t(1)))}];
    } else {
      value = expandDims(value, Axis(0));
    }
    std::vector<Operand> operands = {value};
    for (int k = 1; k < reader.numInputs(); ++k)
      operands.emplace_back(reader.input(k));
    // The axis is one element long: that has position -1 there too.
    IndexSpec index = *parseIndex(std::get<std::string>(*reader.op().attributes().find("index")));
    index.front().start = IndexTerm::number(-1);
    index.front().stop = {};
    Variable fresh = build(builtin("subtensor", {{"index", formatIndex(index)}}), operands);
    if (!fresh.ok())
      return fresh.status();
    if (!reader.output(0).name().empty())
      fresh.setName(reader.output(0).name());
    replacements.emplace_back(reader.output(0), fresh);
  }
  return absl::OkStatus();
}

} // namespace graphc
