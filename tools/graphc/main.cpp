//===- main.cpp - the graphc command --------------------------------------===//
#include <iostream>

#include "API/FatalError.h"
#include "API/FormatError.h"
#include "BugReport.h"
#include "Command.h"
#include "graphc/Status.h"

namespace {

std::string usageError(const CLI::App *app, const CLI::Error &e) {
  std::string text = "error: " + std::string(e.what()) + "\n";
  std::vector<CLI::App *> verbs = const_cast<CLI::App *>(app)->get_subcommands();
  if (verbs.empty())
    return text + app->help();
  return text + "graphc " + verbs[0]->get_name() + " -h tells how it is used\n";
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
