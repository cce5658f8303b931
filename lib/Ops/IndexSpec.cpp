//===- IndexSpec.cpp -------------------------------------------------------===//
#include "IndexSpec.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

bool parseTerm(absl::string_view text, IndexTerm &term) {
  if (text.empty())
    return true;
  term.kind = absl::ConsumePrefix(&text, "$") ? IndexTerm::Kind::Operand : IndexTerm::Kind::Number;
  return absl::SimpleAtoi(text, &term.value) &&
         (term.kind == IndexTerm::Kind::Number || term.value >= 0);
}

bool parseEntry(absl::string_view text, IndexEntry &entry) {
  entry = {};
  if (text == "newaxis" || text == "...") {
    entry.kind = text == "..." ? IndexEntry::Kind::Ellipsis : IndexEntry::Kind::NewAxis;
    return true;
  }
  std::vector<absl::string_view> terms = absl::StrSplit(text, ':');
  if (terms.size() > 3)
    return false;
  entry.kind = terms.size() == 1 ? IndexEntry::Kind::Position : IndexEntry::Kind::Slice;
  IndexTerm *places[] = {&entry.start, &entry.stop, &entry.step};
  for (size_t k = 0; k < terms.size(); ++k)
    if (!parseTerm(absl::StripAsciiWhitespace(terms[k]), *places[k]))
      return false;
  return terms.size() > 1 || entry.start.kind != IndexTerm::Kind::Absent;
}

std::string formatTerm(const IndexTerm &term) {
  switch (term.kind) {
  case IndexTerm::Kind::Absent:
    return "";
  case IndexTerm::Kind::Number:
    return std::to_string(term.value);
  case IndexTerm::Kind::Operand:
    return "$" + std::to_string(term.value);
  }
  return "";
}

} // namespace

absl::StatusOr<IndexSpec> parseIndex(std::string_view text) {
  IndexSpec index;
  absl::string_view all = absl::StripAsciiWhitespace(absl::string_view(text.data(), text.size()));
  if (all.empty())
    return index;
  for (absl::string_view part : absl::StrSplit(all, ',')) {
    IndexEntry entry;
    if (!parseEntry(absl::StripAsciiWhitespace(part), entry))
      return makeError(ErrorKind::ValueError, "\"" + std::string(part) +
                                                  "\" is no entry of an index: they are i, $k, "
                                                  "start:stop:step, newaxis and ...");
    index.push_back(entry);
  }
  return index;
}

std::string formatIndex(const IndexSpec &index) {
  std::vector<std::string> entries;
  for (const IndexEntry &entry : index) {
    std::string step = formatTerm(entry.step);
    switch (entry.kind) {
    case IndexEntry::Kind::Position:
      entries.push_back(formatTerm(entry.start));
      break;
    case IndexEntry::Kind::NewAxis:
      entries.push_back("newaxis");
      break;
    case IndexEntry::Kind::Ellipsis:
      entries.push_back("...");
      break;
    case IndexEntry::Kind::Slice:
      entries.push_back(formatTerm(entry.start) + ":" + formatTerm(entry.stop) +
                        (step.empty() || entry.step.is(1) ? "" : ":" + step));
      break;
    }
  }
  return absl::StrJoin(entries, ", ");
}

absl::StatusOr<IndexSpec> expandIndex(const IndexSpec &index, int rank) {
  int used = 0, ellipses = 0;
  for (const IndexEntry &entry : index) {
    used += entry.kind == IndexEntry::Kind::Position || entry.kind == IndexEntry::Kind::Slice;
    ellipses += entry.kind == IndexEntry::Kind::Ellipsis;
  }
  if (ellipses > 1)
    return makeError(ErrorKind::ValueError,
                     "an index has at most one ellipsis, not " + std::to_string(ellipses));
  if (used > rank)
    return makeError(ErrorKind::IndexError, "too many indices: " + std::to_string(used) +
                                                " for rank " + std::to_string(rank));
  IndexSpec expanded;
  IndexSpec rest(rank - used, IndexEntry{IndexEntry::Kind::Slice, {}, {}, {}});
  for (const IndexEntry &entry : index) {
    if (entry.kind == IndexEntry::Kind::Ellipsis)
      expanded.insert(expanded.end(), rest.begin(), rest.end());
    else
      expanded.push_back(entry);
  }
  if (!ellipses)
    expanded.insert(expanded.end(), rest.begin(), rest.end());
  return expanded;
}

} // namespace graphc
