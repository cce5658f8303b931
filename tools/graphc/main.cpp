//===- main.cpp - the graphc command --------------------------------------===//
#include <iostream>

#include "API/FatalError.h"
#include "API/FormatError.h"
#include "Command.h"

int main(int argc, char **argv) {
  graphc::reportUncaughtExceptions();
  CLI::App app("graphc compiles tensor graphs to native code");
  app.name("graphc");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  absl::Status status;
  graphc::addRun(app, status);
  graphc::addCompile(app, status);
  graphc::addInfo(app, status);
  graphc::addOps(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    // Help is no error; everything else is wrong usage.
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (status.ok())
    return 0;
  std::cerr << graphc::formatError(status);
  return 1;
}
