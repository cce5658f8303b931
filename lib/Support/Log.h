//===- Support/Log.h - warnings ---------------------------------*- C++ -*-===//
#pragma once

#include <string_view>

namespace graphc {

/// Hands `message` (no trailing newline) to the sink that setLogSink put there. Thread-safe; calls
/// of one sink never overlap, so a sink must not itself log.
void logWarning(std::string_view message);

} // namespace graphc
