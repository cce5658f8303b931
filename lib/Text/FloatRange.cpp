//===- FloatRange.cpp -----------------------------------------------------===//
#include "FloatRange.h"

#include <algorithm>
#include <cmath>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

namespace graphc {

FloatLiteral floatLiteral(std::string_view text, size_t at) {
  auto digits = [&](size_t from) {
    while (from < text.size() && llvm::isDigit(text[from]))
      ++from;
    return from;
  };
  size_t end = digits(at);
  if (end == text.size() || text[end] != '.')
    return {};
  end = digits(end + 1);
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    bool isSigned = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-');
    size_t exponent = end + 1 + isSigned;
    if (size_t last = digits(exponent); last > exponent)
      end = last;
  }
  FloatLiteral literal{end - at, 0};
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  // Of text that is a number.
  llvm::cantFail(value.convertFromString(llvm::StringRef(text.data() + at, literal.length),
                                         llvm::APFloat::rmNearestTiesToEven));
  literal.value = value.convertToDouble();
  return literal;
}

std::string_view elementTypeAfter(std::string_view text, size_t at) {
  constexpr std::string_view kNone = "f64";
  auto skipSpace = [&] { at = std::min(text.find_first_not_of(" \t\r\n", at), text.size()); };
  auto takeWord = [&] {
    size_t begin = at;
    while (at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_'))
      ++at;
    return text.substr(begin, at - begin);
  };
  skipSpace();
  if (at == text.size() || text[at] != ':')
    return kNone;
  ++at;
  skipSpace();
  std::string_view word = takeWord();
  if (word != "tensor" && word != "vector")
    return word;
  size_t end = text.find_first_of(">,", at);
  if (at == text.size() || text[at] != '<' || end == text.npos)
    return kNone;
  std::string_view inside = text.substr(at + 1, end - at - 1);
  inside.remove_prefix(std::min(inside.find_first_not_of("0123456789x? \t\r\n"), inside.size()));
  return inside.substr(0, inside.find_first_of(" \t\r\n"));
}

std::string beyondRange(double value, std::string_view spelling, std::string_view type) {
  struct Range {
    std::string_view type;
    const llvm::fltSemantics &semantics;
    std::string_view infinity;
  };
  const Range kRanges[] = {
      {"f16", llvm::APFloat::IEEEhalf(), "0x7C00"},
      {"bf16", llvm::APFloat::BFloat(), "0x7F80"},
      {"f32", llvm::APFloat::IEEEsingle(), "0x7F800000"},
      {"f64", llvm::APFloat::IEEEdouble(), "0x7FF0000000000000"},
  };
  for (const Range &range : kRanges) {
    if (range.type != type)
      continue;
    llvm::APFloat converted(value);
    bool isInexact;
    converted.convert(range.semantics, llvm::APFloat::rmNearestTiesToEven, &isInexact);
    if (!converted.isInfinity())
      return "";
    std::string shown(spelling.substr(0, 40));
    if (shown.size() < spelling.size())
      shown += "...";
    return shown + " is too large for " + std::string(type) + "; write infinity as its bits, " +
           std::string(range.infinity);
  }
  return "";
}

} // namespace graphc
