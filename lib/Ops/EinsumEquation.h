//===- Ops/EinsumEquation.h - the equation of einsum -----------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"

namespace graphc {

/// Labels are numbers: 0 to 51 letters, from 52 on axes of the ellipsis, counted from its end.
using Labels = std::vector<int>;
inline constexpr int kLetters = 52, kMostLabels = 64;

/// The equation, read; `mistake` says what is wrong with it.
struct EinsumEquation {
  std::vector<std::string> terms;
  std::optional<std::string> result;
  std::string mistake;

  explicit EinsumEquation(std::string_view given) {
    std::string text;
    for (char c : given)
      if (c != ' ')
        text += c;
    if (size_t arrow = text.find("->"); arrow != std::string::npos) {
      result = text.substr(arrow + 2);
      text.resize(arrow);
    }
    for (size_t begin = 0;;) {
      size_t comma = text.find(',', begin);
      terms.push_back(text.substr(begin, comma - begin));
      if (comma == std::string::npos)
        return;
      begin = comma + 1;
    }
  }

  /// The labels of a term where the ellipsis stands for `ellipsis` axes.
  Labels labelsOf(std::string_view term, int ellipsis) {
    Labels labels;
    bool hasEllipsis = false;
    for (size_t k = 0; k < term.size(); ++k) {
      auto c = static_cast<unsigned char>(term[k]);
      if (absl::ascii_isalpha(c)) {
        labels.push_back(c >= 'a' ? c - 'a' + 26 : c - 'A');
      } else if (term.substr(k, 3) == "..." && !hasEllipsis) {
        for (int axis = ellipsis; axis > 0; --axis)
          labels.push_back(kLetters + axis - 1);
        hasEllipsis = true;
        k += 2;
      } else {
        mistake = "'" + std::string(term) + "' is no term of labels";
        return {};
      }
    }
    return labels;
  }
};

inline int namedAxes(std::string_view term) {
  return int(std::count_if(term.begin(), term.end(), [](char c) { return c != '.'; }));
}

} // namespace graphc
