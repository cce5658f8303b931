//===- Support/Thrown.h - exceptions of the program's own code ------*- C++ -*-===//
//
// Nothing here throws but where memory ends (NoMemory.h); what the program gives to be called may.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <exception>
#include <string>

#include "Support/NoMemory.h"

namespace graphc {

/// What `work`, which calls a function of the program's, returns: a Status; where that function
/// throws, RuntimeError: "`who` threw an exception: ...". Where memory ends it throws on.
template <class Work> absl::Status unlessItThrows(const std::string &who, Work &&work) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::length_error &) {
    throw;
  } catch (const std::exception &e) {
    return makeError(ErrorKind::RuntimeError, who + " threw an exception: " + e.what());
  } catch (...) {
    return makeError(ErrorKind::RuntimeError,
                     who + " threw an exception that is no std::exception");
  }
}

} // namespace graphc
