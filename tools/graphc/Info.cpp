//===- Info.cpp - graphc info ---------------------------------------------===//
#include <iomanip>
#include <iostream>
#include <map>

#include "Command.h"
#include "Kernels/GraphCost.h"
#include "Progress.h"
#include "graphc/Config.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

void showConfig() {
  for (const ConfigEntry &entry : configEntries())
    std::cout << entry.name << " = " << entry.value << "  (" << entry.environment << ")  "
              << entry.doc << "\n";
}

/// What one call computes and moves.
absl::Status showCost(const GraphModule &module) {
  absl::StatusOr<GraphCost> cost = graphCost(module);
  if (!cost.ok())
    return cost.status();
  std::cout << std::fixed << std::setprecision(0) << "FLOPs: " << cost->flops
            << "\nbytes: " << cost->bytes << "\n";
  if (cost->openExtents)
    std::cout << "  (extents that are not known are taken as 1)\n";
  return absl::OkStatus();
}

absl::Status info(const Common &common) {
  common.checkUsage();
  Progress progress("reading " + common.file);
  absl::StatusOr<GraphModule> module = loadModule(common);
  if (!module.ok())
    return module.status();
  if (absl::Status s = nameOutputs(*module); !s.ok())
    return s;
  std::cout << "graph " << module->name << "\ninputs:\n";
  for (const Variable &v : module->inputs)
    std::cout << "  " << v.name() << ": " << v.type().text() << "\n";
  std::cout << "outputs:\n";
  for (size_t i = 0; i < module->outputs.size(); ++i)
    std::cout << "  " << outputName(module->outputNames, i) << ": "
              << module->outputs[i].type().text() << "\n";
  int64_t constants = 0, elements = 0, bytes = 0;
  for (const Variable &v : graphInputs(module->outputs, module->inputs))
    if (std::optional<Constant> constant = Constant::from(v)) {
      ++constants;
      elements += constant->data().numElements();
      bytes += constant->data().numBytes();
    }
  for (const Global &global : module->globals)
    std::cout << (&global == module->globals.data() ? "globals:\n  " : "  ") << global.value.name()
              << ": " << global.value.type().text() << (global.isMutable ? ", mutable" : "")
              << "\n";
  std::cout << "constants: " << constants << " with " << elements << " elements, " << bytes
            << " bytes\n";
  std::map<std::string, int64_t> counts;
  int64_t nodes = 0;
  for (const Apply &node : ioToposort(module->inputs, module->outputs)) {
    ++counts[std::string(node.op().name())];
    ++nodes;
  }
  std::cout << "nodes: " << nodes << "\n";
  for (const auto &[name, count] : counts)
    std::cout << "  " << name << ": " << count << "\n";
  return showCost(*module);
}

} // namespace

void addInfo(CLI::App &app, absl::Status &status) {
  auto common = std::make_shared<Common>();
  auto config = std::make_shared<bool>(false);
  CLI::App *verb =
      app.add_subcommand("info", "Inputs, outputs, constants, ops and cost of a graph");
  common->addFile(*verb);
  verb->get_option("FILE")->required(false);
  verb->add_flag("--config", *config, "Print the settings of the process instead");
  verb->callback([=, &status] {
    if (*config)
      showConfig();
    else if (common->file.empty())
      throw CLI::RequiredError("FILE");
    else
      status = info(*common);
  });
}

} // namespace graphc
