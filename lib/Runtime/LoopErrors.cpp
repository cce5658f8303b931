//===- LoopErrors.cpp -------------------------------------------------------===//
#include "Runtime/LoopErrors.h"

#include "graphc/Status.h"

namespace graphc {

absl::Status atStep(const absl::Status &error, int64_t step) {
  if (errorKind(error) == ErrorKind::Cancelled)
    return error;
  return makeError(errorKind(error),
                   "step " + std::to_string(step) + ": " + std::string(error.message()));
}

std::string nameOfResult(const std::string &given, size_t number, size_t numStates) {
  return given.empty() ? (number < numStates ? "state " : "result ") + std::to_string(number)
                       : given;
}

absl::Status stateChanged(const std::string &state, const std::string &was,
                          const std::string &becomes) {
  return makeError(ErrorKind::ShapeError, state + " was " + was + " and becomes " + becomes +
                                              "; states keep their shapes");
}

absl::Status resultDiffers(const std::string &result, const std::string &is,
                           const std::string &all) {
  return makeError(ErrorKind::ShapeError, result + " is " + is +
                                              ", and all have the shape of the first one: " + all +
                                              " with the axis of steps");
}

} // namespace graphc
