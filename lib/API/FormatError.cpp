//===- FormatError.cpp ----------------------------------------------------===//
#include "FormatError.h"

#include <fstream>

#include "graphc/Status.h"

namespace graphc {

/// The line of the place's file, or nothing.
static std::string lineAt(const Place &place) {
  std::ifstream in(place.file);
  std::string line;
  for (uint32_t i = 0; i < place.line; ++i)
    if (!std::getline(in, line))
      return {};
  return line;
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
