//===- NodeRunner.cpp -----------------------------------------------------===//
#include "API/NodeRunner.h"

#include <algorithm>
#include <unordered_map>

#include "absl/hash/hash.h"
#include "graphc/Traversal.h"

namespace graphc {

GraphModule withAllOutputs(const GraphModule &module) {
  GraphModule all = module;
  all.outputs.clear();
  for (const Apply &node : ioToposort(module.inputs, module.outputs))
    for (int i = 0; i < node.numOutputs(); ++i)
      all.outputs.push_back(node.output(i));
  all.outputs.insert(all.outputs.end(), module.outputs.begin(), module.outputs.end());
  all.outputNames.assign(all.outputs.size(), "");
  return all;
}

GraphModule withAllOutputsReversed(const GraphModule &module) {
  GraphModule all = withAllOutputs(module);
  std::reverse(all.outputs.begin(), all.outputs.end());
  return all;
}

std::string nameOf(const Apply &node, int output) {
  std::string_view name = node.output(output).name();
  if (!name.empty())
    return "`" + std::string(name) + "`";
  return "result " + std::to_string(output);
}

NodeRunner::NodeRunner(GraphModule module, std::unique_ptr<const Runner> all)
    : module_(std::move(module)), nodes_(ioToposort(module_.inputs, module_.outputs)),
      all_(std::move(all)) {}

std::optional<std::pair<Apply, int>> NodeRunner::nodeOf(size_t i) const {
  for (const Apply &node : nodes_) {
    if (i < size_t(node.numOutputs()))
      return std::pair(node, int(i));
    i -= size_t(node.numOutputs());
  }
  return std::nullopt;
}

absl::Status NodeRunner::run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                             OutputMemory, const Lending *) const {
  if (absl::Status s = checkBefore(arguments); !s.ok())
    return s;
  size_t computed = 0;
  for (const Apply &node : nodes_)
    computed += size_t(node.numOutputs());
  std::vector<Tensor> values(computed + results.size());
  if (absl::Status s = all_->run(arguments, absl::MakeSpan(values), OutputMemory::Fresh, nullptr);
      !s.ok())
    return s;
  if (absl::Status s = checkRun(arguments, values); !s.ok())
    return s;
  if (absl::Status s = checkNodes(arguments, values); !s.ok())
    return s;
  std::move(values.begin() + ptrdiff_t(computed), values.end(), results.begin());
  return absl::OkStatus();
}

absl::Status NodeRunner::checkNodes(absl::Span<const Tensor> arguments,
                                    absl::Span<const Tensor> values) const {
  std::unordered_map<Variable, Tensor, absl::Hash<Variable>> known;
  for (size_t i = 0; i < module_.inputs.size(); ++i)
    known[module_.inputs[i]] = arguments[i];
  size_t at = 0;
  std::vector<Tensor> operands;
  for (const Apply &node : nodes_) {
    operands.clear();
    for (int i = 0; i < node.numInputs(); ++i) {
      std::optional<Constant> constant = Constant::from(node.input(i));
      operands.push_back(constant ? constant->data() : known.at(node.input(i)));
    }
    absl::Span<const Tensor> own(values.data() + at, size_t(node.numOutputs()));
    if (absl::Status s = checkNode(node, operands, own); !s.ok())
      return s;
    for (int i = 0; i < node.numOutputs(); ++i, ++at)
      known[node.output(i)] = values[at];
  }
  return absl::OkStatus();
}

} // namespace graphc
