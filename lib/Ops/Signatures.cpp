//===- Ops/Signatures.cpp - a reader of the headers of functions ----------===//
//
// It knows as much of C++ as graphc/Ops.h and the headers beside it use: macros of one argument
// that declare functions, structures of options, functions.
//
//===----------------------------------------------------------------------===//
#include "Ops/Signatures.h"

#include <algorithm>
#include <map>
#include <set>

// The assembler puts the files there.
asm(".pushsection .rodata\n"
    "kGraphcOpsHeaderBegin:\n"
    ".incbin \"" GRAPHC_HEADERS "/Ops.h\"\n"
    ".incbin \"" GRAPHC_HEADERS "/Arrays.h\"\n"
    ".incbin \"" GRAPHC_HEADERS "/Indexing.h\"\n"
    ".incbin \"" GRAPHC_HEADERS "/Sorting.h\"\n"
    ".incbin \"" GRAPHC_HEADERS "/LinearAlgebra.h\"\n"
    ".incbin \"" GRAPHC_HEADERS "/Fourier.h\"\n"
    ".incbin \"" GRAPHC_HEADERS "/Special.h\"\n"
    ".incbin \"" GRAPHC_HEADERS "/Neural.h\"\n"
    "kGraphcOpsHeaderEnd:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char kGraphcOpsHeaderBegin[], kGraphcOpsHeaderEnd[];

namespace graphc {
namespace {

/// Ops whose functions have other names: most of them are for several ops.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"switch", "where"},
    {"shapeI", "shape"},
    {"join", "concatenate"},
    {"splitPiece", "split"},
    {"ravelIndex", "ravelMultiIndex"},
    {"argsortRows", "unique"},
    {"gammaincShape", "gammainc"},
    {"betaincShape", "betainc"}};

/// Without comments, lines that go on joined.
std::string plain(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.resize(std::min(line.find("//"), line.size()));
    bool goesOn = line.ends_with('\\');
    if (goesOn)
      line.pop_back();
    result += line + (goesOn ? ' ' : '\n');
  }
  return result;
}

/// Each run of white space as one space, none at the ends.
std::string squeezed(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c != ' ' && c != '\n')
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  if (result.ends_with(' '))
    result.pop_back();
  return result;
}

std::string replaced(std::string text, std::string_view old, std::string_view now) {
  for (size_t at = 0; (at = text.find(old, at)) != text.npos; at += now.size())
    text.replace(at, old.size(), now);
  return text;
}

struct Header {
  std::multimap<std::string, std::string> functions;
  std::map<std::string, std::string> defaults;

  explicit Header(std::string_view text);

private:
  void takeLines(std::string_view text);
  void takeStatement(std::string statement);
  void takeStructure(const std::string &name, std::string_view body);

  /// What stands for NAME in `#define MACRO(NAME) ...`.
  std::map<std::string, std::string> macros_;
  /// Several results may be the members of one.
  std::set<std::string> structures_;
  /// Without lines of the preprocessor, macros written out.
  std::string code_;
};

void Header::takeLines(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    size_t open = line.find('('), close = line.find(')');
    constexpr std::string_view kDefine = "#define ", kParameter = "(NAME)";
    if (line.starts_with(kDefine) && open != line.npos) {
      std::string name(line.substr(kDefine.size(), open - kDefine.size()));
      macros_[name] = line.substr(open + kParameter.size());
    } else if (auto macro = macros_.find(std::string(line.substr(0, open)));
               macro != macros_.end() && close != line.npos) {
      code_ += replaced(macro->second, "NAME", line.substr(open + 1, close - open - 1)) + "\n";
    } else if (!line.starts_with('#')) {
      code_ += std::string(line) + "\n";
    }
  }
}

void Header::takeStructure(const std::string &name, std::string_view body) {
  structures_.insert(name);
  std::string list;
  while (!body.empty()) {
    std::string member = squeezed(body.substr(0, body.find(';')));
    body.remove_prefix(std::min(body.find(';'), body.size() - 1) + 1);
    size_t equals = member.find(" = ");
    if (equals == member.npos || member.find('(') != member.npos)
      continue;
    size_t before = member.rfind(' ', equals - 1);
    list += (list.empty() ? "{." : ", .") + member.substr(before + 1);
  }
  if (!list.empty())
    defaults[name] = list + "}";
}

void Header::takeStatement(std::string statement) {
  size_t open = statement.find('(');
  bool makesNodes = statement.starts_with("Variable") ||
                    statement.starts_with("std::pair<Variable") ||
                    structures_.contains(statement.substr(0, statement.find(' ')));
  if (!makesNodes || open == statement.npos)
    return;
  size_t before = statement.rfind(' ', open);
  functions.emplace(statement.substr(before + 1, open - before - 1), statement);
}

Header::Header(std::string_view text) {
  takeLines(plain(text));
  code_ = replaced(code_, "namespace graphc {", "");
  std::string_view rest = code_;
  // Statements end with a semicolon outside of all braces.
  size_t begin = 0, body = 0;
  int depth = 0;
  for (size_t at = 0; at < rest.size(); ++at) {
    if (rest[at] == '{' && depth++ == 0)
      body = at;
    depth -= rest[at] == '}';
    if (depth < 0) // a header's end
      depth = 0, begin = at + 1;
    if (rest[at] != ';' || depth > 0)
      continue;
    std::string statement = squeezed(rest.substr(begin, at - begin));
    constexpr std::string_view kStruct = "struct ";
    if (statement.starts_with(kStruct) && body > begin)
      takeStructure(statement.substr(kStruct.size(), statement.find(" {") - kStruct.size()),
                    rest.substr(body + 1, at - body - 2));
    else
      takeStatement(std::move(statement));
    begin = at + 1;
  }
}

const Header &header() {
  static const Header &read =
      *new Header({kGraphcOpsHeaderBegin, size_t(kGraphcOpsHeaderEnd - kGraphcOpsHeaderBegin)});
  return read;
}

} // namespace

std::vector<std::string> signaturesOf(const OpDef &op) {
  std::string name = op.name;
  for (auto [opName, function] : kOtherNames)
    if (opName == op.name)
      name = function;
  std::vector<std::string> list;
  auto [first, last] = header().functions.equal_range(name);
  for (; first != last; ++first)
    list.push_back(first->second);
  return list;
}

std::string defaultsOf(std::string_view options) {
  auto found = header().defaults.find(std::string(options));
  return found == header().defaults.end() ? "" : found->second;
}

} // namespace graphc
