//===- Support/JsonWriter.cpp ---------------------------------------------===//
#include "Support/JsonWriter.h"

#include <array>
#include <charconv>

#include "absl/strings/str_format.h"

namespace graphc {
namespace {

/// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
size_t lengthOfCharacter(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : 0u; };
  auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  unsigned first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first < 0xE0)
    return continues(1) ? 2 : 0;
  // Neither longer than need be, nor a surrogate, nor beyond U+10FFFF.
  if (first >= 0xE0 && first < 0xF0)
    return continues(1) && continues(2) && (first != 0xE0 || byte(1) >= 0xA0) &&
                   (first != 0xED || byte(1) < 0xA0)
               ? 3
               : 0;
  if (first >= 0xF0 && first < 0xF5)
    return continues(1) && continues(2) && continues(3) && (first != 0xF0 || byte(1) >= 0x90) &&
                   (first != 0xF4 || byte(1) < 0x90)
               ? 4
               : 0;
  return 0;
}

} // namespace

std::string jsonString(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    size_t length = lengthOfCharacter(text);
    char c = text[0];
    if (length == 0) {
      result += "\\ufffd";
      length = 1;
    } else if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (uint8_t(c) < 0x20) {
      result += absl::StrFormat("\\u%04x", c);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result + '"';
}

void JsonWriter::write(std::string_view token) {
  if (!isFirst_)
    text_ += ',';
  text_ += token;
  isFirst_ = false;
}

void JsonWriter::open(char bracket) {
  write({&bracket, 1});
  isFirst_ = true;
}

void JsonWriter::close(char bracket) {
  text_ += bracket;
  isFirst_ = false;
}

void JsonWriter::key(std::string_view key) {
  write(jsonString(key) + ":");
  isFirst_ = true;
}

void JsonWriter::value(std::string_view text) { write(jsonString(text)); }

void JsonWriter::value(double number) {
  std::array<char, 32> digits;
  auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  write({digits.data(), size_t(end - digits.data())});
}

} // namespace graphc
