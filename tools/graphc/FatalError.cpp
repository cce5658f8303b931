//===- FatalError.cpp -----------------------------------------------------===//
#include "FatalError.h"

#include <cstdio>
#include <exception>
#include <new>
#include <sysexits.h>
#include <unistd.h>

namespace graphc {

// No memory is asked for here: there may be none.
static void tellAndExit() {
  try {
    if (std::current_exception())
      throw;
    std::fputs("graphc: internal error: terminated; please report it with the command line and "
               "its files\n",
               stderr);
  } catch (const std::bad_alloc &) {
    std::fputs("graphc: error: out of memory\n", stderr);
  } catch (const std::exception &e) {
    std::fprintf(stderr,
                 "graphc: internal error: %s; please report it with the command line and its "
                 "files\n",
                 e.what());
  } catch (...) {
    std::fputs("graphc: internal error: an exception of unknown type; please report it with the "
               "command line and its files\n",
               stderr);
  }
  _exit(EX_SOFTWARE);
}

void reportUncaughtExceptions() { std::set_terminate(tellAndExit); }

} // namespace graphc
