//===- FormatError.cpp ----------------------------------------------------===//
#include "FormatError.h"

#include <algorithm>

#include "Support/ReadFile.h"
#include "graphc/Status.h"

namespace graphc {

/// The line of the place's file, or nothing, also where it is no line of text.
static std::string lineAt(const Place &place) {
  absl::StatusOr<std::string> text = readText(place.file);
  if (!text.ok())
    return {};
  std::string_view rest = *text;
  for (uint32_t i = 1; i < place.line; ++i) {
    size_t newline = rest.find('\n');
    if (newline == rest.npos)
      return {};
    rest.remove_prefix(newline + 1);
  }
  std::string line(rest.substr(0, rest.find('\n')));
  bool isText = std::none_of(line.begin(), line.end(), [](unsigned char c) {
    return (c < ' ' && c != '\t' && c != '\r') || c == 0x7f;
  });
  return isText ? line : std::string();
}

std::string formatError(const absl::Status &status) {
  std::string_view message(status.message().data(), status.message().size());
  size_t newline = message.find('\n');
  std::string text;
  std::optional<Place> place = errorPlace(status);
  if (place)
    text += place->str() + ": ";
  text += "error: " + std::string(message.substr(0, newline)) + "\n";
  if (place && place->line) {
    std::string line = lineAt(*place);
    if (!line.empty() && place->column && place->column <= line.size() + 1) {
      text += line + "\n";
      // Tabs stay tabs, so that the caret stands under its column in any terminal.
      for (uint32_t i = 0; i + 1 < place->column; ++i)
        text += line[i] == '\t' ? '\t' : ' ';
      text += "^\n";
    }
  }
  if (newline != message.npos)
    text += std::string(message.substr(newline + 1)) + "\n";
  return text;
}

} // namespace graphc
