//===- Support/Text.h - small helpers for messages ----------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace graphc {

/// The texts of `list`'s elements with `separator` between them.
template <class List, class ToText>
std::string join(const List &list, std::string_view separator, ToText &&toText) {
  std::string result;
  bool first = true;
  for (const auto &element : list) {
    if (!first)
      result += separator;
    first = false;
    result += toText(element);
  }
  return result;
}
template <class List> std::string join(const List &list, std::string_view separator) {
  return join(list, separator, [](const auto &text) { return std::string_view(text); });
}

/// "1 node", "12 nodes".
inline std::string counted(size_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

/// A shape as a Python tuple: "(2, 3)", "(4,)", "()".
std::string shapeText(absl::Span<const int64_t> shape);

/// `text` with control characters as \xNN, so that what comes from a file cannot garble a message.
std::string printable(std::string_view text);

/// `text` between two `quote`s, with backslashes where it would end or leave its line: what
/// TextScanner reads.
std::string quotedText(std::string_view text, char quote);

/// "; did you mean 'tanh'?" with the name nearest to `wrong`, or nothing if none is near: the
/// edit distance is at most a third of the length. Ties go to the first.
std::string didYouMean(std::string_view wrong, absl::Span<const std::string> names);

} // namespace graphc
