//===- BroadcastHint.h - what one does where extents differ -------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "graphc/Status.h"

namespace graphc {

/// Ends messages about extents that differ.
inline constexpr std::string_view kBroadcastHint =
    " (an extent broadcasts only where its type says 1: declare it so, or use specifyShape)";

/// The message without it for a place without a line: that of an ONNX file, whose reader can do
/// neither.
inline std::string withoutHint(std::string_view message, Place place) {
  std::string text(message);
  size_t hint = text.find(kBroadcastHint);
  if (hint != text.npos && place.known() && place.line == 0)
    text.erase(hint, kBroadcastHint.size());
  return text;
}

} // namespace graphc
