//===- Ops/Signatures.h - the C++ functions of ops, as declared -----*- C++ -*-===//
//
// graphc/Ops.h is in the library as text, so that reference pages show its functions as they are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphc/OpDef.h"

namespace graphc {

/// The declarations of the functions that make nodes of `op`, in the header's order:
/// "Variable mean(const Operand &x, const Axes &axes = {})".
std::vector<std::string> signaturesOf(const OpDef &op);

/// Of a structure of options that they take, "PoolOptions", its members with their defaults:
/// "{.stride = {}, .mode = PoolMode::Max}"; "" for other names.
std::string defaultsOf(std::string_view options);

} // namespace graphc
