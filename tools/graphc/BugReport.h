//===- BugReport.h - what a user can do about a bug ---------------*- C++ -*-===//
#pragma once

#include <string_view>

namespace graphc {

/// From now on a crash of the process says what to attach to a report, and then ends it as before.
void explainCrashes(int argc, char **argv);

/// The same text, for errors that are bugs: kind Internal.
std::string_view bugReport();

} // namespace graphc
