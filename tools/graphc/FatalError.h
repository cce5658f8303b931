//===- FatalError.h - the last words of a program -----------------*- C++ -*-===//
#pragma once

namespace graphc {

/// From now on a process that ends by an exception that nobody catches says so in one line on
/// stderr, with what a report of the mistake must have, and exits with status 70 (EX_SOFTWARE)
/// instead of being aborted. For programs, not for libraries.
void reportUncaughtExceptions();

} // namespace graphc
