//===- Ops.cpp - graphc ops -----------------------------------------------===//
#include <iostream>

#include "Command.h"
#include "Ops/Registry.h"
#include "Support/Text.h"

namespace graphc {

static absl::Status showOps(const std::string &name) {
  if (!name.empty()) {
    const OpDef *def = findOp(name);
    if (!def) {
      std::vector<std::string> names;
      for (const OpDef *each : allOps())
        names.push_back(each->name);
      return makeError(ErrorKind::KeyError,
                       "no op is called '" + name + "'" + didYouMean(name, names));
    }
    std::cout << opReference(*def);
    return absl::OkStatus();
  }
  for (const OpDef *def : allOps())
    std::cout << def->name << "  " << def->doc.substr(0, def->doc.find('\n')) << "\n";
  return absl::OkStatus();
}

void addOps(CLI::App &app, absl::Status &status) {
  auto name = std::make_shared<std::string>();
  auto reference = std::make_shared<bool>(false);
  CLI::App *verb = app.add_subcommand("ops", "The ops: a list, or one op's page");
  verb->add_option("NAME", *name, "The op");
  verb->add_flag("--reference", *reference, "The whole reference, as docs/Ops.md");
  verb->callback([=, &status] {
    if (*reference)
      std::cout << opsReference();
    else
      status = showOps(*name);
  });
}

} // namespace graphc
