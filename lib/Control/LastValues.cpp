//===- LastValues.cpp -------------------------------------------------------===//
#include "Control/LastValues.h"

#include <algorithm>

#include "Graph/CalledAs.h"
#include "Graph/PlaceScope.h"
#include "Ops/Build.h"
#include "Ops/RowsOfEnd.h"
#include "graphc/Ops.h"

namespace graphc {

namespace {

/// What `all[-1]` says after no steps, in every mode.
constexpr const char *kNoRows = "index -1 is out of range for axis 0 with 0 elements";

/// How many rows at both ends a slice start:stop leaves out, where these are numbers.
std::optional<int64_t> rowsLeftOut(const IndexEntry &entry) {
  if (entry.kind != IndexEntry::Kind::Slice || !entry.step.is(1) ||
      entry.start.kind == IndexTerm::Kind::Operand || entry.start.isBelowZero() ||
      (!entry.stop.isAbsent() && !entry.stop.isBelowZero()))
    return std::nullopt;
  return (entry.start.isAbsent() ? 0 : entry.start.value) -
         (entry.stop.isAbsent() ? 0 : entry.stop.value);
}

bool readsLast(const IndexEntry &entry) {
  return entry.start.is(-1) && (entry.kind == IndexEntry::Kind::Position ||
                                (entry.step.value > 0 && entry.stop.isAbsent()));
}

/// The reader's index of another array, in its place.
Variable indexed(const Apply &reader, const Variable &x, const IndexSpec &index) {
  PlaceScope scope(reader.place());
  std::vector<Operand> operands = {x};
  for (int k = 1; k < reader.numInputs(); ++k)
    operands.emplace_back(reader.input(k));
  return build(builtin("subtensor", {{"index", formatIndex(index)}}), operands);
}

} // namespace

std::optional<int64_t> LastValues::rowsReadOf(const FunctionGraph &graph, const Variable &all,
                                              Reader &way, std::vector<Reader> &readers) {
  absl::StatusOr<Clients> clients = graph.clients(all);
  if (!clients.ok() || way.size() > 8)
    return std::nullopt;
  int64_t most = 0;
  for (const Client &client : *clients) {
    if (client.isOutput() || client.index != 0 || client.node.op().name() != "subtensor")
      return std::nullopt;
    const std::optional<IndexSpec> index = indexFromEnd(client.node);
    if (!index)
      return std::nullopt;
    way.push_back(client.node);
    std::optional<int64_t> rows = rowsOfEnd(index->front());
    if (rows) {
      // Of a part up to the end as many as its own readers need, if those are fewer.
      const IndexEntry &entry = index->front();
      std::vector<Reader> further;
      std::optional<int64_t> fewer;
      if (entry.kind == IndexEntry::Kind::Slice && entry.step.is(1) && entry.stop.isAbsent())
        fewer = rowsReadOf(graph, client.node.output(0), way, further);
      if (fewer && *fewer > 0 && *fewer < *rows) {
        rows = fewer;
        readers.insert(readers.end(), further.begin(), further.end());
      } else {
        readers.push_back(way);
      }
    } else if (std::optional<int64_t> out = rowsLeftOut(index->front())) {
      rows = rowsReadOf(graph, client.node.output(0), way, readers);
      if (rows)
        rows = *rows + *out;
    }
    way.pop_back();
    if (!rows)
      return std::nullopt;
    most = std::max(most, *rows);
  }
  return most;
}

absl::StatusOr<LastValues> LastValues::find(const FunctionGraph &graph, const Apply &node,
                                            LoopEdit &edit) {
  LastValues found;
  Loop &loop = edit.loop;
  found.readers_.resize(size_t(node.numOutputs()));
  found.areOfLast_.resize(size_t(node.numOutputs()));
  const size_t numStates = edit.stateResults.size();
  for (size_t k = 0; k < numStates + edit.mappedResults.size(); ++k) {
    const bool isState = k < numStates;
    const int result = isState ? edit.stateResults[k] : edit.mappedResults[k - numStates];
    const Variable all = node.output(result);
    if (isState ? loop.keepsLast[k] : loop.stacksBackwards)
      continue;
    if (graph.numClients(all, 1) == 0) { // the steps alone read it
      if (isState) {
        loop.keepsLast[k] = true;
        loop.stateRows[k] = 0;
      }
      continue;
    }
    Reader way;
    std::vector<Reader> readers;
    std::optional<int64_t> rows = rowsReadOf(graph, all, way, readers);
    if (!rows)
      continue;
    const bool isOfLast =
        isState && std::ranges::all_of(readers, [](const Reader &reader) {
          return reader.size() == 1 && readsLast(indexFromEnd(reader[0])->front());
        });
    if (isState && !isOfLast) // and room for what steps read
      rows = std::max<int64_t>(*rows, historyOf(loop.states[k]) + 1);
    int64_t &kept = isState ? loop.stateRows[k] : loop.mappedRows[k - numStates];
    const int64_t length = all.type().extent(0);
    if (!isOfLast && ((length != kDynamic && length <= *rows) || (kept > 0 && kept <= *rows)))
      continue;
    kept = isOfLast ? 0 : *rows;
    if (isOfLast) {
      loop.keepsLast[k] = true;
      found.steps_ = stepsOf(loop, edit.steps, edit.sequences);
    }
    found.areOfLast_[size_t(result)] = isOfLast;
    found.readers_[size_t(result)] = std::move(readers);
  }
  return found;
}

Variable LastValues::ofLast(const Apply &reader, const Variable &last) const {
  PlaceScope scope(reader.place());
  IndexSpec index = *indexFromEnd(reader);
  const bool isPosition = index.front().kind == IndexEntry::Kind::Position;
  const bool hasSteps = reader.input(0).type().extent(0) > 0;
  Variable value = last;
  if (isPosition && !hasSteps) { // a negative number of steps is the loop's own error
    Op check = builtin("assert", {{"message", std::string(kNoRows)},
                                  {"kind", std::string(errorKindName(ErrorKind::IndexError))}});
    value = build(calledAs(check, "subtensor"), {value, neq(steps_, int64_t(0))});
  }
  value = expandDims(value, Axis(0));
  if (!isPosition && !hasSteps)
    value = value[{Slice(0, minimum(steps_, int64_t(1)))}];
  // The axis is one element long: that has position -1 there too.
  return indexed(reader, value, index);
}

absl::Status LastValues::replace(int result, const Variable &fresh,
                                 Replacements &replacements) const {
  for (const Reader &reader : readers_[size_t(result)]) {
    Variable value = fresh;
    if (areOfLast_[size_t(result)])
      value = ofLast(reader[0], value);
    else
      for (const Apply &part : reader)
        value = indexed(part, value, *indexFromEnd(part));
    if (!value.ok())
      return value.status();
    const Variable old = reader.back().output(0);
    if (!old.name().empty())
      value.setName(old.name());
    replacements.emplace_back(old, value);
  }
  return absl::OkStatus();
}

/// Those who read `all`, and their indices from the end; nothing where one of them may read more.
static std::optional<std::vector<std::pair<Apply, IndexSpec>>>
readersOfEnd(const FunctionGraph &graph, const Variable &all) {
  std::vector<std::pair<Apply, IndexSpec>> readers;
  absl::StatusOr<Clients> clients = graph.clients(all);
  if (!clients.ok())
    return std::nullopt;
  for (const Client &client : *clients) {
    if (client.isOutput() || client.index != 0 || client.node.op().name() != "subtensor")
      return std::nullopt;
    std::optional<IndexSpec> index = indexFromEnd(client.node);
    if (!index || !rowsOfEnd(index->front()))
      return std::nullopt;
    readers.emplace_back(client.node, *std::move(index));
  }
  return readers;
}

/// Whether it is the end of an array already, of so many rows at most.
static bool isEnd(const Variable &v, int64_t rows) {
  if (!v.hasOwner() || v.owner().op().name() != "subtensor")
    return false;
  const std::optional<IndexSpec> index = indexFromEnd(v.owner());
  const std::optional<int64_t> read = index ? rowsOfEnd(index->front()) : std::nullopt;
  return read && *read <= rows;
}

absl::Status readEndsOfChunks(FunctionGraph &graph) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  Replacements fresh;
  for (const Apply &node : *order) {
    if (node.op().name() != "joinChunks")
      continue;
    const auto readers = readersOfEnd(graph, node.output(0));
    if (!readers || readers->empty())
      continue;
    int64_t rows = 0;
    for (const auto &[reader, index] : *readers)
      rows = std::max(rows, *rowsOfEnd(index.front()));
    const Variable chunks = node.input(0), rest = node.input(1);
    const int64_t length = chunks.type().extent(1);
    const int64_t most = length > 0 ? (rows + length - 1) / length : rows;
    if (isEnd(chunks, most) && isEnd(rest, rows))
      continue;
    Variable end = build(
        node.op(), {Variable(chunks[{Slice(-most, kEnd)}]), Variable(rest[{Slice(-rows, kEnd)}])});
    for (const auto &[reader, index] : *readers) {
      Variable value = indexed(reader, end, index);
      if (!value.ok())
        return value.status();
      const Variable old = reader.output(0);
      if (!old.name().empty())
        value.setName(old.name());
      fresh.emplace_back(old, value);
    }
  }
  return graph.replaceAll(fresh, "scan_last_values");
}

} // namespace graphc
