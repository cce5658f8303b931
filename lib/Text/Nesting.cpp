//===- Nesting.cpp --------------------------------------------------------===//
#include "Nesting.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "FloatRange.h"
#include "graphc/Status.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace graphc {
namespace {

/// What an alias stands for, written out.
struct Alias {
  int depth = 0;
  int64_t aliases = 1; // itself and those inside of it
};

/// An open bracket.
struct Level {
  char open;
  /// What a dialect reads on its own, !name<...> or #name<...>.
  bool ofDialect = false;
  /// Operators of an affine expression since the bracket or the last comma.
  int operators = 0;
  /// Inside of <>, as in dense<...>: the type of numbers stands behind it.
  bool typeFollows = false;
  /// The greatest number in it, and where it stands.
  double greatest = 0;
  size_t greatestAt = 0;
};

/// Of what follows `array`: MLIR's parser asks the T of array<T: ...> for its width, and ends the
/// process where T, like index, has none.
bool hasPlainElements(llvm::StringRef rest) {
  rest = rest.ltrim();
  if (!rest.consume_front("<"))
    return true; // no such attribute
  rest = rest.ltrim().take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  constexpr llvm::StringLiteral kTypes[] = {"i1", "i8", "i16", "i32", "i64", "f32", "f64"};
  return llvm::is_contained(kTypes, rest);
}

/// Goes over the tokens as MLIR's lexer does. Where text is no MLIR, the depth may come out too
/// great, but never too small before the place where the parser stops.
class NestingScan {
public:
  NestingScan(std::string_view text, std::string_view name) : text_(text), name_(name) {}
  absl::Status run();

private:
  absl::Status refuse(const std::string &what) const;
  void open(char c, bool ofDialect);
  void close(char c);
  void countOperator();
  void skipString();
  llvm::StringRef takeName();
  void takeAlias();
  void endAlias();
  void takeWord();
  void takeNumber();
  void checkNumber(double value, size_t at, size_t typeAt);
  void deepen(int depth) { defined_.depth = std::max(defined_.depth, depth); }

  std::string_view text_, name_;
  size_t at_ = 0, tokenAt_ = 0;
  bool isStrangeArray_ = false;
  /// What is wrong with a number, and where it stands.
  std::string numberMistake_;
  size_t numberAt_ = 0;
  char before_ = 0; // last character of the token before; '>' of an arrow is '-'
  std::vector<Level> levels_;
  int depth_ = 0; // brackets and operators around this place

  void define() {
    if (!alias_.empty())
      aliases_[alias_] = defined_;
  }

  /// The name of the alias that is being defined, or empty; what stood since its definition began.
  std::string alias_;
  Alias defined_;
  llvm::StringMap<Alias> aliases_;
};

absl::Status NestingScan::refuse(const std::string &what) const {
  std::string_view before = text_.substr(0, tokenAt_);
  size_t line = size_t(std::count(before.begin(), before.end(), '\n')) + 1;
  size_t column = tokenAt_ - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
  return makeError(ErrorKind::ValueError, what,
                   Place(internFileName(name_), uint32_t(line), uint32_t(column)));
}

void NestingScan::open(char c, bool ofDialect) {
  levels_.push_back({c, ofDialect});
  levels_.back().typeFollows =
      c == '<' || (c == '[' && levels_.size() > 1 && levels_[levels_.size() - 2].typeFollows);
  deepen(++depth_);
}

void NestingScan::close(char c) {
  char wanted = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<';
  // An affine set has < and > that are no brackets: the first ends with the brackets around it.
  size_t keep = levels_.size();
  if (c != '>')
    while (keep > 0 && levels_[keep - 1].open == '<')
      --keep;
  if (keep == 0 || levels_[keep - 1].open != wanted)
    return;
  while (levels_.size() >= keep) {
    Level closed = levels_.back();
    levels_.pop_back();
    depth_ -= 1 + closed.operators;
    if (closed.greatest == 0)
      continue;
    if (closed.open == '<')
      checkNumber(closed.greatest, closed.greatestAt, at_);
    else if (!levels_.empty() && closed.greatest > levels_.back().greatest) {
      levels_.back().greatest = closed.greatest;
      levels_.back().greatestAt = closed.greatestAt;
    }
  }
}

void NestingScan::checkNumber(double value, size_t at, size_t typeAt) {
  FloatLiteral literal = floatLiteral(text_, at);
  std::string mistake =
      beyondRange(value, text_.substr(at, literal.length), elementTypeAfter(text_, typeAt));
  if (mistake.empty() || !numberMistake_.empty())
    return;
  numberMistake_ = std::move(mistake);
  numberAt_ = at;
}

/// At a digit. 2x3xf32 is several tokens, of which none counts.
void NestingScan::takeNumber() {
  FloatLiteral literal = floatLiteral(text_, at_);
  if (literal.length == 0) {
    ++at_;
    takeName();
    return;
  }
  size_t begin = at_;
  at_ += literal.length;
  constexpr double kGreatestHalf = 65504;
  if (literal.value <= kGreatestHalf)
    return;
  if (levels_.empty() || !levels_.back().typeFollows) {
    checkNumber(literal.value, begin, at_);
  } else if (literal.value > levels_.back().greatest) {
    levels_.back().greatest = literal.value;
    levels_.back().greatestAt = begin;
  }
}

void NestingScan::countOperator() {
  if (levels_.empty() || (levels_.back().open != '(' && levels_.back().open != '['))
    return;
  ++levels_.back().operators;
  deepen(++depth_);
}

void NestingScan::skipString() {
  while (at_ < text_.size()) {
    char c = text_[at_++];
    if (c == '"' || c == '\n' || c == '\v' || c == '\f')
      return;
    if (c == '\\')
      ++at_;
  }
}

llvm::StringRef NestingScan::takeName() {
  size_t begin = at_;
  while (at_ < text_.size() &&
         (llvm::isAlnum(text_[at_]) || llvm::StringRef("_$.").contains(text_[at_])))
    ++at_;
  return {text_.data() + begin, at_ - begin};
}

/// A use of an alias, or the beginning of its definition, `#name = ...`.
void NestingScan::takeAlias() {
  char kind = text_[at_++];
  std::string name = kind + takeName().str();
  size_t next = text_.find_first_not_of(" \t\r\n", at_);
  if (levels_.empty() && next != text_.npos && text_[next] == '=') {
    define();
    alias_ = name;
    defined_ = {};
    return;
  }
  if (at_ < text_.size() && text_[at_] == '<') {
    ++at_;
    open('<', /*ofDialect=*/true);
    return;
  }
  auto known = aliases_.find(name);
  if (known != aliases_.end()) {
    deepen(depth_ + known->second.depth + 1);
    if (!alias_.empty())
      defined_.aliases += known->second.aliases;
  }
}

/// At a word or a string. At the top, one that nothing leads to is an operation, not a part of an
/// alias.
void NestingScan::endAlias() {
  if (!levels_.empty() || alias_.empty() || llvm::StringRef("=:-@").contains(before_))
    return;
  define();
  alias_.clear();
  defined_ = {};
}

void NestingScan::takeWord() {
  endAlias();
  llvm::StringRef word = takeName();
  if (word == "mod" || word == "floordiv" || word == "ceildiv")
    countOperator();
  if (word == "array")
    isStrangeArray_ = !hasPlainElements(text_.substr(at_));
}

absl::Status NestingScan::run() {
  while (at_ < text_.size()) {
    tokenAt_ = at_;
    char c = text_[at_];
    if (llvm::isSpace(c) || c == '\0') {
      ++at_;
      continue;
    }
    if (c == '/' && text_.substr(at_, 2) == "//") {
      // A dialect's part is found without regard to comments, and then read with regard to them.
      if (!levels_.empty() && levels_.back().ofDialect)
        return refuse("a comment inside of a dialect's type or attribute");
      at_ = std::min(text_.find_first_of("\n\r", at_), text_.size());
      continue;
    }
    char last = c;
    if (llvm::isAlpha(c) || c == '_') {
      takeWord();
    } else if (c == '#' || c == '!') {
      takeAlias();
    } else if (llvm::isDigit(c)) {
      takeNumber();
    } else if (c == '%' || c == '@' || c == '^') {
      ++at_;
      takeName();
    } else {
      ++at_;
      switch (c) {
      case '"':
        endAlias();
        skipString();
        break;
      case '(':
      case '[':
      case '{':
      case '<':
        open(c, false);
        break;
      case ')':
      case ']':
      case '}':
      case '>':
        close(c);
        break;
      case ',':
        if (!levels_.empty())
          depth_ -= std::exchange(levels_.back().operators, 0);
        break;
      case '-':
        if (at_ < text_.size() && text_[at_] == '>')
          ++at_; // an arrow
        else
          countOperator();
        break;
      case '+':
      case '*':
        countOperator();
        break;
      default:
        break;
      }
    }
    before_ = last;
    if (!numberMistake_.empty()) {
      tokenAt_ = numberAt_;
      return refuse(numberMistake_);
    }
    if (isStrangeArray_)
      return refuse("array<...> of a type that graphc does not use");
    if (defined_.depth > kMaxNesting)
      return refuse("nested deeper than " + std::to_string(kMaxNesting) + " levels");
    if (defined_.aliases > kMaxAliases)
      return refuse("an alias that stands for more than " + std::to_string(kMaxAliases) +
                    " others");
  }
  return absl::OkStatus();
}

} // namespace

absl::Status checkNesting(std::string_view text, std::string_view name) {
  return NestingScan(text, name).run();
}

} // namespace graphc
