//===- Runtime/BuildIdentity.h - which graphc this is -----------*- C++ -*-===//
#pragma once

#include "Support/Hash.h"

namespace graphc {

/// A hash of the linker's build id of libgraphc: equal where the library is, wherever its file
/// lies. Zeros where it was linked without one. Read once; thread-safe.
Hash128 buildIdentity();

} // namespace graphc
