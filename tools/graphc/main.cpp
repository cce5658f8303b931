//===- main.cpp - the graphc command --------------------------------------===//
#include <iostream>

#include "BugReport.h"
#include "Command.h"
#include "FatalError.h"
#include "FormatError.h"
#include "Support/Text.h"
#include "graphc/Status.h"

namespace {

std::string usageError(const CLI::App *app, const CLI::Error &e) {
  std::string text = "error: " + std::string(e.what()) + "\n";
  std::vector<CLI::App *> verbs = const_cast<CLI::App *>(app)->get_subcommands();
  if (verbs.empty())
    return text + app->help();
  return text + "graphc " + verbs[0]->get_name() + " -h tells how it is used\n";
}

/// "graphc runn": CLI11 would only say that a subcommand is required.
std::string unknownVerb(const CLI::App &app, std::string_view word) {
  std::vector<std::string> verbs;
  for (const CLI::App *verb : app.get_subcommands([](const CLI::App *) { return true; }))
    verbs.push_back(verb->get_name());
  if (word.starts_with('-') || std::ranges::find(verbs, word) != verbs.end())
    return {};
  return "error: there is no subcommand '" + std::string(word) + "'" +
         graphc::didYouMean(word, verbs) + "\ngraphc -h lists them\n";
}

} // namespace

int main(int argc, char **argv) {
  graphc::explainCrashes(argc, argv);
  graphc::reportUncaughtExceptions();
  CLI::App app("graphc compiles tensor graphs to native code");
  app.name("graphc");
  app.require_subcommand(1);
  app.failure_message(usageError);
  absl::Status status;
  graphc::addRun(app, status);
  graphc::addCompile(app, status);
  graphc::addInfo(app, status);
  graphc::addOps(app, status);
  graphc::addOpt(app, status);
  app.set_version_flag("--version", "graphc " GRAPHC_VERSION);
  if (std::string wrong = argc > 1 ? unknownVerb(app, argv[1]) : ""; !wrong.empty()) {
    std::cerr << wrong;
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    // Help is no error; everything else is wrong usage.
    return graphc::flushed(app.exit(e) == 0 ? 0 : 2);
  }
  if (status.ok())
    return graphc::flushed(0);
  std::cout.flush();
  std::cerr << graphc::formatError(status);
  if (graphc::errorKind(status) == graphc::ErrorKind::Internal)
    std::cerr << graphc::bugReport();
  return 1;
}
