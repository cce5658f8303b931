//===- TextScanner.cpp ----------------------------------------------------===//
#include "Support/TextScanner.h"

#include <algorithm>
#include <charconv>

#include "Support/Text.h"

namespace graphc {
namespace {

using Kind = TextToken::Kind;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isInWord(char c) { return isLetter(c) || isDigit(c) || c == '.'; }

size_t wordEnd(std::string_view text, size_t begin) {
  return size_t(
      std::find_if_not(text.begin() + std::min(begin, text.size()), text.end(), isInWord) -
      text.begin());
}

/// Digits, letters and points, and a sign after an e.
size_t numberEnd(std::string_view text) {
  bool isHex = text.substr(0, 2) == "0x";
  size_t end = wordEnd(text, 1);
  if (!isHex && end < text.size() && (text[end] == '+' || text[end] == '-') && text[end - 1] == 'e')
    end = wordEnd(text, end + 1);
  return end;
}

} // namespace

TextScanner::TextScanner(std::string_view text, std::string_view name)
    : rest_(text), file_(internFileName(name)) {
  next();
}

bool TextScanner::at(std::string_view text) const {
  return (token_.kind == Kind::Word || token_.kind == Kind::Sign) && token_.text == text;
}

bool TextScanner::accept(std::string_view text) {
  if (!at(text))
    return false;
  next();
  return true;
}

std::string TextScanner::inView() const {
  if (token_.kind == Kind::End)
    return "the end of the text";
  std::string_view before = token_.kind == Kind::Array    ? "%"
                            : token_.kind == Kind::Symbol ? "@"
                                                          : "";
  return "'" + std::string(before) + printable(token_.text.substr(0, 40)) + "'";
}

bool TextScanner::expect(std::string_view text) {
  if (accept(text))
    return true;
  fail("expected '" + std::string(text) + "' instead of " + inView());
  return false;
}

std::string TextScanner::take(Kind kind, std::string_view what) {
  if (token_.kind != kind) {
    fail("expected " + std::string(what) + " instead of " + inView());
    return {};
  }
  std::string text = std::move(token_.text);
  next();
  return text;
}

int64_t TextScanner::number(int64_t least, int64_t most, std::string_view what) {
  int64_t value = 0;
  const std::string &text = token_.text;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = token_.kind == Kind::Number && error == std::errc() &&
              end == text.data() + text.size() && value >= least && value <= most;
  if (!good) {
    fail("expected " + std::string(what) + " instead of " + inView());
    return least;
  }
  next();
  return value;
}

int32_t TextScanner::numbered(std::string_view letter, int64_t end, std::string_view what) {
  std::string_view digits = token_.text;
  bool isArray = letter.empty();
  bool good = token_.kind == (isArray ? Kind::Array : Kind::Word);
  if (good && !isArray) {
    good = digits.substr(0, 1) == letter;
    digits.remove_prefix(std::min<size_t>(1, digits.size()));
  }
  int32_t value = 0;
  auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  good = good && !digits.empty() && isDigit(digits[0]) && error == std::errc() &&
         last == digits.data() + digits.size();
  if (!good) {
    fail("expected " + std::string(what) + " instead of " + inView());
    return 0;
  }
  if (value >= end) {
    fail("there is no " + inView().substr(1, inView().size() - 2));
    return 0;
  }
  next();
  return value;
}

int32_t TextScanner::array(int64_t end) { return numbered("", end, "an array"); }

void TextScanner::fail(std::string_view what, const Place &place) {
  if (status_.ok())
    status_ = makeError(ErrorKind::ValueError, what, place);
  rest_ = {};
  token_ = {Kind::End, "", token_.place};
}

void TextScanner::advance(size_t count) {
  for (char c : rest_.substr(0, count)) {
    line_ += c == '\n';
    column_ = c == '\n' ? 1 : column_ + 1;
  }
  rest_.remove_prefix(std::min(count, rest_.size()));
}

void TextScanner::skipSpace() {
  for (;;) {
    size_t spaces = std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size());
    advance(spaces);
    if (rest_.substr(0, 2) == "//")
      advance(std::min(rest_.find('\n'), rest_.size()));
    else if (!spaces)
      return;
  }
}

void TextScanner::takeQuoted(char quote) {
  token_.kind = quote == '"' ? Kind::String : Kind::Name;
  size_t at = 1;
  while (at < rest_.size() && rest_[at] != quote && rest_[at] != '\n') {
    char c = rest_[at++];
    if (c == '\\' && at < rest_.size()) {
      c = rest_[at++];
      c = c == 'n' ? '\n' : c;
    }
    token_.text += c;
  }
  if (at >= rest_.size() || rest_[at] != quote)
    return fail("a string that does not end on its line");
  advance(at + 1);
}

void TextScanner::next() {
  skipSpace();
  token_ = {Kind::End, "", Place(file_, line_, column_)};
  if (rest_.empty())
    return;
  char c = rest_[0];
  if (c == '"' || c == '`')
    return takeQuoted(c);
  size_t skipped = 0, length = 1;
  bool isMinus = c == '-' && rest_.size() > 1 && (isDigit(rest_[1]) || rest_.substr(1, 3) == "inf");
  if (c == '%' || c == '@') {
    token_.kind = c == '%' ? Kind::Array : Kind::Symbol;
    skipped = 1;
    length = wordEnd(rest_, 1);
  } else if (isDigit(c) || isMinus) {
    token_.kind = Kind::Number;
    length = numberEnd(rest_);
  } else if (isLetter(c)) {
    token_.kind = Kind::Word;
    length = wordEnd(rest_, 1);
  } else {
    token_.kind = Kind::Sign;
    for (std::string_view pair : {"->", "==", "<="})
      if (rest_.substr(0, 2) == pair)
        length = 2;
  }
  token_.text = rest_.substr(skipped, length - skipped);
  advance(length);
}

} // namespace graphc
