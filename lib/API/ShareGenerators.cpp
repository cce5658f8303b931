//===- ShareGenerators.cpp - states of a graph as shared variables ------------===//
#include <algorithm>

#include "Ops/Registry.h"
#include "Ops/Rules.h"
#include "graphc/Random.h"
#include "graphc/Traversal.h"

namespace graphc {

absl::StatusOr<std::vector<SharedVariable>> shareGenerators(GraphModule &module) {
  // A state that several draws read goes on behind the last one.
  std::vector<Variable> states, nexts;
  for (const Apply &node : ioToposort({}, module.outputs)) {
    const OpDef *def = findOp(node.op().name());
    if (!def || def->section != section(kRandom) || !node.input(0).isConstant())
      continue;
    auto known = std::find(states.begin(), states.end(), node.input(0));
    if (known != states.end()) {
      nexts[size_t(known - states.begin())] = node.output(0);
      continue;
    }
    states.push_back(node.input(0));
    nexts.push_back(node.output(0));
  }
  std::vector<SharedVariable> made;
  Replacements replacements;
  for (const Variable &state : states) {
    SharedOptions options;
    options.shape.emplace(state.type().shape().begin(), state.type().shape().end());
    made.push_back(makeShared(Constant::from(state)->data(), state.name(), options, state.place()));
    replacements.emplace_back(state, made.back());
  }
  Variables all = module.outputs;
  all.insert(all.end(), nexts.begin(), nexts.end());
  absl::StatusOr<Variables> cloned = cloneReplace(all, replacements);
  if (!cloned.ok())
    return cloned.status();
  for (size_t k = 0; k < made.size(); ++k)
    if (absl::Status s = made[k].setDefaultUpdate((*cloned)[module.outputs.size() + k]); !s.ok())
      return s;
  cloned->resize(module.outputs.size());
  module.outputs = *std::move(cloned);
  return made;
}

} // namespace graphc
