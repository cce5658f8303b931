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

absl::Status stateChanged(size_t state, const std::string &was, const std::string &becomes) {
  return makeError(ErrorKind::ShapeError, "state " + std::to_string(state) + " was " + was +
                                              " and becomes " + becomes +
                                              "; states keep their shapes");
}

absl::Status resultDiffers(size_t result, const std::string &is, const std::string &all) {
  return makeError(ErrorKind::ShapeError, "result " + std::to_string(result) + " is " + is +
                                              ", and all have the shape of the first one: " + all +
                                              " with the axis of steps");
}

} // namespace graphc
