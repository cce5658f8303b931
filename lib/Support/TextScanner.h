//===- TextScanner.h - words of a kernel's text -------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "graphc/Status.h"

namespace graphc {

/// One word of the text of kernels and programs.
struct TextToken {
  enum class Kind : uint8_t {
    End,
    Word,   // kernel, sum.f32, i0
    Number, // 3, -2.5e-08, 0x7fc00001
    Array,  // %3; `text` is 3
    Symbol, // @mul_sum.2; `text` is mul_sum.2
    String, // "..."; `text` is what it stands for
    Name,   // `...`; likewise
    Sign,   // ( [ == -> ...
  };
  Kind kind = Kind::End;
  std::string text;
  Place place;
};

/// Cuts a text into words, with one of them in view. Errors are ValueErrors with a place. The first
/// mistake stays: afterwards the text is at its end, so that a reader may go on and ask at last.
class TextScanner {
public:
  /// `name` stands for the file.
  TextScanner(std::string_view text, std::string_view name);

  const TextToken &token() const { return token_; }
  bool atEnd() const { return token_.kind == TextToken::Kind::End; }
  /// Whether the word in view is this sign or word.
  bool at(std::string_view text) const;
  /// Goes on if it is.
  bool accept(std::string_view text);
  /// Goes on, or a mistake.
  bool expect(std::string_view text);
  /// The word in view, which must be of that kind; `what` says what is missing.
  std::string take(TextToken::Kind kind, std::string_view what);
  /// A whole number from `least` to `most`; `least` after a mistake.
  int64_t number(int64_t least, int64_t most, std::string_view what);
  /// The number behind a letter (i3), or of a %3, from 0 to below `end`.
  int32_t numbered(std::string_view letter, int64_t end, std::string_view what);
  int32_t array(int64_t end);
  void next();

  void fail(std::string_view what) { fail(what, token_.place); }
  void fail(std::string_view what, const Place &place);
  bool ok() const { return status_.ok(); }
  const absl::Status &status() const { return status_; }

private:
  void skipSpace();
  void takeQuoted(char quote);
  void advance(size_t count);
  std::string inView() const;

  std::string_view rest_;
  const char *file_;
  uint32_t line_ = 1, column_ = 1;
  TextToken token_;
  absl::Status status_;
};

} // namespace graphc
