//===- Places.h - messages without lines of the test itself -----*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

#include "Messages.h"

namespace graphc {

/// The text with each "PATH/Test.cpp:12:34" as "Test.cpp".
inline std::string withoutLines(std::string text) {
  for (size_t at = 0; (at = text.find(".cpp:", at)) != text.npos;) {
    size_t begin = text.find_last_of(" \n", at), name = text.find_last_of("/ \n", at);
    size_t end = at + 4;
    while (end < text.size() &&
           (text[end] == ':' || isdigit(static_cast<unsigned char>(text[end]))))
      ++end;
    // A colon that a space follows is the message's.
    end -= text[end - 1] == ':';
    begin = begin == text.npos ? 0 : begin + 1;
    name = name == text.npos ? 0 : name + 1;
    std::string file = text.substr(name, at + 4 - name);
    text.replace(begin, end - begin, file);
    at = begin + file.size();
  }
  return text;
}

/// whole(status) without lines.
inline std::string wholeWithoutLines(const absl::Status &status) {
  return withoutLines(whole(status));
}

} // namespace graphc
