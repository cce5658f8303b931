//===- FoldConstants.cpp --------------------------------------------------===//
#include "FoldConstants.h"

#include "Eval/Evaluate.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/OpDef.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

using VariableMap = absl::flat_hash_map<Variable, Variable>;

Variable replaced(const VariableMap &map, const Variable &v) {
  auto it = map.find(v);
  return it == map.end() ? v : it->second;
}

Variables replaced(const VariableMap &map, const Variables &list) {
  Variables result;
  for (const Variable &v : list)
    result.push_back(replaced(map, v));
  return result;
}

/// Puts `node`, with its inputs replaced, into the map if one of them changed.
absl::Status rebuild(const Apply &node, VariableMap &map) {
  Variables inputs = replaced(map, node.inputs());
  if (inputs == node.inputs())
    return absl::OkStatus();
  absl::StatusOr<Apply> copy = node.cloneWithNewInputs(inputs);
  if (!copy.ok())
    return copy.status();
  for (int i = 0; i < node.numOutputs(); ++i)
    map.insert_or_assign(node.output(i), copy->output(i));
  return absl::OkStatus();
}

bool isLarge(const Apply &node, int64_t maxElements) {
  for (int i = 0; i < node.numOutputs(); ++i) {
    int64_t n = node.output(i).type().numElements();
    if (n == kDynamic || n > maxElements)
      return true;
  }
  return false;
}

/// Evaluates `node` if its inputs are constants by now and its results are small.
bool foldSmall(const Apply &node, int64_t maxElements, VariableMap &map) {
  if (!node.op().def().foldable || isLarge(node, maxElements))
    return false;
  std::vector<Tensor> values;
  for (int i = 0; i < node.numInputs(); ++i) {
    std::optional<Constant> c = Constant::from(replaced(map, node.input(i)));
    if (!c)
      return false;
    values.push_back(c->data());
  }
  TensorsOr results = evaluate(node, values);
  if (!results.ok())
    return false;
  for (int i = 0; i < node.numOutputs(); ++i)
    map.insert_or_assign(node.output(i), Constant::adopt((*results)[size_t(i)].contiguous(),
                                                         node.output(i).name(), node.place()));
  return true;
}

/// Variables that depend on no input and that something which does (or the outside) reads.
Variables constantFrontier(const GraphModule &module) {
  absl::flat_hash_set<Variable> dependent(module.inputs.begin(), module.inputs.end());
  absl::flat_hash_set<Variable> seen;
  Variables frontier;
  auto take = [&](const Variable &v) {
    if (v.hasOwner() && !dependent.contains(v) && seen.insert(v).second)
      frontier.push_back(v);
  };
  for (const Apply &node : ioToposort(module.inputs, module.outputs)) {
    bool depends = !node.op().def().foldable;
    for (int i = 0; i < node.numInputs(); ++i)
      depends |= dependent.contains(node.input(i));
    if (!depends)
      continue;
    for (int i = 0; i < node.numInputs(); ++i)
      take(node.input(i));
    for (int i = 0; i < node.numOutputs(); ++i)
      dependent.insert(node.output(i));
  }
  for (const Variable &v : module.outputs)
    take(v);
  return frontier;
}

} // namespace

absl::StatusOr<GraphModule> foldConstants(const GraphModule &module, const FoldOptions &options) {
  VariableMap map;
  for (const Apply &node : ioToposort(module.inputs, module.outputs))
    if (!foldSmall(node, options.maxElements, map))
      if (absl::Status s = rebuild(node, map); !s.ok())
        return s;
  GraphModule folded = module;
  folded.outputs = replaced(map, module.outputs);
  if (!options.evaluateAll)
    return folded;

  GraphModule constants;
  constants.outputs = constantFrontier(folded);
  if (constants.outputs.empty())
    return folded;
  absl::StatusOr<std::vector<Tensor>> values = options.evaluateAll(constants);
  if (!values.ok())
    return folded; // the error, if it is one of the graph, occurs again at the call
  map.clear();
  for (size_t i = 0; i < values->size(); ++i)
    map.insert_or_assign(constants.outputs[i],
                         Constant::adopt((*values)[i].contiguous(), constants.outputs[i].name(),
                                         constants.outputs[i].place()));
  for (const Apply &node : ioToposort(module.inputs, folded.outputs))
    if (!map.contains(node.output(0)))
      if (absl::Status s = rebuild(node, map); !s.ok())
        return s;
  folded.outputs = replaced(map, folded.outputs);
  return folded;
}

} // namespace graphc
