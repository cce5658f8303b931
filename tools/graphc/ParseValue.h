//===- ParseValue.h - values as people write them -----------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "graphc/Tensor.h"
#include "graphc/Type.h"

namespace graphc {

/// A value for a variable of type `type` from the command line:
///   3, -1.5e3, true, nan, inf, [[1, 2], [3, 4]]     numbers and nested lists
///   FILE.npy, FILE.npz:KEY                          arrays from files
///   zeros, random, zeros[2,3], random[2,3]          made up: the type's shape, or the given one;
///                                                   random is uniform in [0, 1) (integers: 0 to
///                                                   9), of input number n from seed 1 + n
/// Numbers take the type's dtype, which must hold them (TypeError); other errors are ValueError
/// with the position in the text, and Io.
absl::StatusOr<Tensor> parseValue(std::string_view text, const Type &type, size_t input = 0);

} // namespace graphc
