//===- CheckGraph.cpp -----------------------------------------------------===//
#include "CheckGraph.h"

#include <algorithm>

#include "Graph/CalledAs.h"
#include "Support/Log.h"
#include "Support/Text.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Traversal.h"

namespace graphc {

std::string quoted(const Variable &v) {
  return v.name().empty() ? "a variable without a name" : "'" + std::string(v.name()) + "'";
}

std::string numbered(size_t i, const Variable &v) {
  return "input " + std::to_string(i) +
         (v.name().empty() ? "" : " ('" + std::string(v.name()) + "')");
}

std::string madeAt(const Variable &v) {
  if (!v.place().known())
    return "";
  return "\n  " + quoted(v) + ": " + v.type().brief() + ", made at " + v.place().str();
}

std::string listedNames(absl::Span<const std::string> names) {
  std::vector<std::string> known;
  for (const std::string &name : names)
    if (!name.empty())
      known.push_back("'" + name + "'");
  return known.empty() ? "none has a name" : "they are " + join(known, ", ");
}

namespace {

/// The first node that reads `v`, for messages.
std::string userOf(const Variable &v, const GraphModule &module) {
  for (const Apply &node : ioToposort(module.inputs, module.outputs))
    for (int i = 0; i < node.numInputs(); ++i)
      if (node.input(i) == v)
        return ", which " + std::string(calledName(node.op())) + " reads" +
               (node.place().known() ? " at " + node.place().str() : "");
  return "";
}

bool overwrites(const Apply &node) {
  const std::vector<int> &map = node.op().def().destroyMap;
  return std::any_of(map.begin(), map.end(), [](int input) { return input >= 0; });
}

/// F-198, of a graph with such a node.
absl::Status checkInplace(const GraphModule &module, const std::set<int> &mutableInputs,
                          const Apply &overwriting, bool acceptInplace, Place place) {
  if (!acceptInplace)
    return makeError(ErrorKind::TypeError,
                     "function: " + std::string(calledName(overwriting.op())) +
                         " overwrites an operand; set acceptInplace if it may, or leave such ops "
                         "to graphc",
                     overwriting.place().known() ? overwriting.place() : place);
  Supervisor::Options options{.mutableInputs = mutableInputs};
  for (int i = 0; i < int(module.outputs.size()); ++i)
    options.borrowedOutputs.insert(i); // results are copies in any case
  absl::StatusOr<FunctionGraph> graph =
      FunctionGraph::create(module.inputs, module.outputs,
                            {.features = {std::make_shared<DestroyHandler>(),
                                          std::make_shared<Supervisor>(std::move(options))}});
  absl::Status status = graph.ok() ? graph->validate() : graph.status();
  return status.ok() ? status : prefixError(status, "function");
}

} // namespace

absl::Status checkGraph(const GraphModule &module, const InputFacts &facts,
                        const FunctionOptions &options, Place place) {
  absl::flat_hash_map<Variable, size_t> positions;
  for (size_t i = 0; i < module.inputs.size(); ++i) {
    const Variable &v = module.inputs[i];
    if (!v.ok())
      return v.status();
    if (v.isConstant())
      return makeError(ErrorKind::TypeError,
                       "function: " + numbered(i, v) + " is a constant" + madeAt(v), place);
    if (!v.type().isTensor())
      return makeError(ErrorKind::TypeError,
                       "function: " + numbered(i, v) + " is " + v.type().str(), place);
    auto [it, isNew] = positions.try_emplace(v, i);
    if (!isNew)
      return makeError(ErrorKind::UnusedInput,
                       "function: " + quoted(v) + " stands twice among the inputs, at positions " +
                           std::to_string(it->second) + " and " + std::to_string(i) + madeAt(v),
                       place);
  }
  for (size_t i = 0; i < module.outputs.size(); ++i) {
    const Variable &v = module.outputs[i];
    if (!v.ok())
      return v.status();
    if (!v.type().isTensor())
      return makeError(ErrorKind::TypeError,
                       "function: output " + std::to_string(i) + " is " + v.type().str(), place);
  }
  std::vector<bool> isUsed(module.inputs.size());
  std::optional<Apply> overwriting;
  for (const Variable &v : ancestors(module.outputs, module.inputs)) {
    if (auto input = positions.find(v); input != positions.end())
      isUsed[input->second] = true;
    else if (v.hasOwner())
      overwriting = !overwriting && overwrites(v.owner()) ? v.owner() : overwriting;
    else if (!v.isConstant())
      return makeError(ErrorKind::MissingInput,
                       "function: " + quoted(v) + " is no input" + userOf(v, module) +
                           "; add it to the inputs" + madeAt(v),
                       place);
  }
  OnUnusedInput onUnused = options.onUnusedInput;
  for (size_t i = 0; i < module.inputs.size() && onUnused != OnUnusedInput::Ignore; ++i) {
    if (isUsed[i] || facts.mayBeUnused[i])
      continue;
    std::string message = "function: " + numbered(i, module.inputs[i]) +
                          " is not used by any output; remove it or set onUnusedInput" +
                          madeAt(module.inputs[i]);
    if (onUnused == OnUnusedInput::Raise)
      return makeError(ErrorKind::UnusedInput, message, place);
    logWarning(message);
  }
  if (!overwriting)
    return absl::OkStatus();
  return checkInplace(module, facts.areMutable, *overwriting, options.acceptInplace, place);
}

absl::StatusOr<std::vector<std::string>> outputNames(const Variables &outputs,
                                                     std::vector<std::string> given, Place place) {
  given.resize(outputs.size());
  absl::flat_hash_map<std::string, size_t> positions;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].empty())
      continue;
    auto [it, isNew] = positions.try_emplace(given[i], i);
    if (!isNew)
      return makeError(ErrorKind::ValueError,
                       "function: outputs " + std::to_string(it->second) + " and " +
                           std::to_string(i) + " are both named '" + given[i] + "'",
                       place.known() ? place : outputs[i].place());
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].empty() && positions.try_emplace(std::string(outputs[i].name()), i).second)
      given[i] = outputs[i].name();
  return given;
}

} // namespace graphc
