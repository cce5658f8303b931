//===- BugReport.cpp ------------------------------------------------------===//
#include "BugReport.h"

#include <csignal>
#include <exception>
#include <string>
#include <unistd.h>

namespace graphc {
namespace {

/// Made at the start: nothing can be made in a crash.
std::string &report() {
  static auto &text = *new std::string();
  return text;
}

void say() {
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, report().data(), report().size());
}

void onCrash(int signal) {
  say();
  raise(signal); // SA_RESETHAND: ends the process
}

/// A word as the shell takes it.
std::string quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos)
    return std::string(word);
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

} // namespace

std::string_view bugReport() { return report(); }

void explainCrashes(int argc, char **argv) {
  report() = "This is a bug of graphc. Please report it, and attach the files and the command:\n ";
  for (int i = 0; i < argc; ++i)
    report() += " " + quoted(argv[i]);
  report() += "\n";
  // A stack of its own, since the crash may be the end of the other one.
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = int(SA_ONSTACK | SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

} // namespace graphc
