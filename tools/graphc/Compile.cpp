//===- Compile.cpp - graphc compile ---------------------------------------===//
#include <algorithm>
#include <iterator>

#include "API/SharedLibrary.h"
#include "Command.h"
#include "Kernels/CompilerInterface.h"

namespace graphc {
namespace {

struct CompileVerb {
  Common common;
  std::string emit = "linalg", from, out;
};

absl::Status compile(const CompileVerb &verb) {
  absl::StatusOr<const CompilerInterface *> compiler = loadCompiler();
  if (!compiler.ok())
    return compiler.status();
  CompileOptions options;
  options.mode = verb.common.mode;
  options.target = verb.common.target;
  options.dumpStages = verb.common.dumpStages;
  absl::StatusOr<std::string> result;
  if (verb.from.empty()) {
    absl::StatusOr<GraphModule> module = loadModule(verb.common);
    if (!module.ok())
      return module.status();
    result = (*compiler)->emit(*module, verb.emit, options);
  } else {
    absl::StatusOr<std::string> text = readFile(verb.common.file);
    if (!text.ok())
      return text.status();
    result = (*compiler)->translate(*text, verb.common.file, verb.from, verb.emit, options);
  }
  if (!result.ok())
    return result.status();
  return writeOutput(verb.out, *result);
}

} // namespace

void addCompile(CLI::App &app, absl::Status &status) {
  auto verb = std::make_shared<CompileVerb>();
  CLI::App *sub = app.add_subcommand("compile", "Print a stage of compilation, or write code");
  verb->common.addTo(*sub);
  std::vector<std::string> stages(std::begin(kStages), std::end(kStages));
  sub->add_option("--emit", verb->emit, "The stage to write")
      ->check(CLI::IsMember(stages))
      ->capture_default_str();
  sub->add_option("--from", verb->from, "The stage that FILE is the text of (default: graph)")
      ->check(CLI::IsMember(std::vector<std::string>{"linalg", "loops"}));
  sub->add_option("-o,--out", verb->out, "File to write; default: standard output");
  sub->callback([verb, &status] { status = compile(*verb); });
}

} // namespace graphc
