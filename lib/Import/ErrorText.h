//===- Import/ErrorText.h - how errors name what a model has -------*- C++ -*-===//
#pragma once

#include <string>

#include "Support/Text.h"
#include "graphc/Status.h"

namespace graphc {

/// A name of the model's, without what is not printable.
inline std::string quoted(const std::string &name) { return "'" + printable(name) + "'"; }

/// A whole file, or what has no line in it: "model.onnx: node 5 (Add)".
inline Place filePlace(const std::string &what) { return Place(internFileName(what), 0, 0); }

} // namespace graphc
