//===- ShareWeights.cpp - constants of a graph as shared variables ----------===//
#include "absl/container/flat_hash_set.h"
#include "graphc/Optim.h"
#include "graphc/Status.h"
#include "graphc/Traversal.h"

namespace graphc {

bool isWeight(const Variable &v) {
  return v.isConstant() && !v.name().empty() && v.rank() > 0 && isFloat(v.type().dtype());
}

absl::StatusOr<std::vector<SharedVariable>>
shareWeights(GraphModule &module, const std::function<bool(const Variable &)> &which) {
  std::vector<SharedVariable> made;
  Replacements replacements;
  absl::flat_hash_set<std::string> names;
  for (const Variable &v : graphInputs(module.outputs)) {
    if (!v.isConstant() || !which(v))
      continue;
    std::string name(v.name());
    if (!names.insert(name).second)
      return makeError(ErrorKind::ValueError,
                       "shareWeights: two constants have the name '" + name +
                           "'; give them names of their own, or choose one of them",
                       v.place());
    SharedOptions options;
    options.shape.emplace(v.type().shape().begin(), v.type().shape().end());
    made.push_back(makeShared(Constant::from(v)->data(), name, options, v.place()));
    replacements.emplace_back(v, made.back());
  }
  absl::StatusOr<Variables> outputs = cloneReplace(module.outputs, replacements);
  if (!outputs.ok())
    return outputs.status();
  module.outputs = *std::move(outputs);
  return made;
}

} // namespace graphc
