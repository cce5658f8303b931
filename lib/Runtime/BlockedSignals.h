//===- BlockedSignals.h - signals are for the program's own threads -*- C++ -*-===//
#pragma once

#include <csignal>

namespace graphc {

/// While it lives, threads that are started get no signals but those of what they do themselves
/// (SIGSEGV, SIGILL, ...), which end the process where they are blocked: handlers that the program
/// has for these, to report a crash, work on every thread.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t others;
    sigfillset(&others);
    for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT})
      sigdelset(&others, fault);
    pthread_sigmask(SIG_BLOCK, &others, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;

private:
  sigset_t before_;
};

} // namespace graphc
