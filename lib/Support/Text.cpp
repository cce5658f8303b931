//===- Text.cpp -----------------------------------------------------------===//
#include "Text.h"

#include <algorithm>
#include <numeric>

namespace graphc {

/// Levenshtein's distance, by rows (Wagner and Fischer, 1974).
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string shapeText(absl::Span<const int64_t> shape) {
  std::string extents = join(shape, ", ", [](int64_t extent) { return std::to_string(extent); });
  return "(" + extents + (shape.size() == 1 ? ",)" : ")");
}

std::string printable(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  for (unsigned char c : text) {
    if (c >= ' ' && c != 0x7f)
      result += char(c);
    else
      result += {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
  }
  return result;
}

std::string quotedText(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (char c : text) {
    if (c == quote || c == '\\' || c == '\n')
      quoted += '\\';
    quoted += c == '\n' ? 'n' : c;
  }
  return quoted + quote;
}

std::string didYouMean(std::string_view wrong, absl::Span<const std::string> names) {
  const std::string *best = nullptr;
  size_t least = std::max<size_t>(1, wrong.size() / 3) + 1;
  for (const std::string &name : names)
    if (size_t distance = editDistance(wrong, name); distance < least && distance < wrong.size()) {
      least = distance;
      best = &name;
    }
  return best ? "; did you mean '" + *best + "'?" : "";
}

} // namespace graphc
