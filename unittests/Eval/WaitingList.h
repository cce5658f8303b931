//===- WaitingList.h - lists that can only shrink -----------------------------===//
#pragma once

#include <map>
#include <string>
#include <vector>

namespace graphc {

/// The lines of unittests/Eval/FILE by their first word, with the words that follow. "#" starts a
/// line of comment. A test failure if it cannot be read.
std::map<std::string, std::vector<std::string>> waitingList(const std::string &file);

} // namespace graphc
