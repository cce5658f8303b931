//===- Translations.cpp - the table of operators ---------------------------===//
#include "Import/Translations.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

using Table = absl::flat_hash_map<std::string_view, const Translation *>;

Table makeTable() {
  Table table;
  for (absl::Span<const Translation> family :
       {elementwiseTranslations(),   activationTranslations(),
        reductionTranslations(),     productTranslations(),
        attentionTranslations(),     regionTranslations(),
        spatialTranslations(),       einsumTranslations(),
        convolutionTranslations(),   transposedConvolutionTranslations(),
        poolingTranslations(),       resizingTranslations(),
        normalizationTranslations(), shapeTranslations(),
        indexTranslations(),         scatteringTranslations(),
        orderingTranslations(),      controlFlowTranslations(),
        makingTranslations(),        randomTranslations(),
        recurrentTranslations(),     lossTranslations(),
        signalTranslations(),        gridSampleTranslations(),
        quantizationTranslations()})
    for (const Translation &translation : family)
      table.emplace(translation.name, &translation);
  return table;
}

const Table &table() {
  static const Table &table = *new Table(makeTable());
  return table;
}

} // namespace

const Translation *findTranslation(std::string_view name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

absl::Span<const Refusal> allRefusals() {
  constexpr std::string_view kStrings = "strings, which graphc has not";
  constexpr std::string_view kSequences = "sequences, which graphc has not";
  constexpr std::string_view kOptional = "optional values, which graphc has not";
  static constexpr Refusal kTable[] = {
      {"ConcatFromSequence", 11, kSequences},
      {"ImageDecoder", 20, "formats of pictures, which graphc does not read"},
      {"Optional", 15, kOptional},
      {"OptionalGetElement", 15, kOptional},
      {"OptionalHasElement", 15, kOptional},
      {"RegexFullMatch", 20, kStrings},
      {"SequenceAt", 11, kSequences},
      {"SequenceConstruct", 11, kSequences},
      {"SequenceEmpty", 11, kSequences},
      {"SequenceErase", 11, kSequences},
      {"SequenceInsert", 11, kSequences},
      {"SequenceLength", 11, kSequences},
      {"SequenceMap", 17, kSequences},
      {"SplitToSequence", 11, kSequences},
      {"StringConcat", 20, kStrings},
      {"StringNormalizer", 10, kStrings},
      {"StringSplit", 20, kStrings},
      {"TfIdfVectorizer", 9, kStrings},
  };
  return kTable;
}

const Refusal *findRefusal(std::string_view name) {
  for (const Refusal &refusal : allRefusals())
    if (refusal.name == name)
      return &refusal;
  return nullptr;
}

std::vector<const Translation *> allTranslations() {
  std::vector<const Translation *> all;
  for (const auto &[name, translation] : table())
    all.push_back(translation);
  std::sort(all.begin(), all.end(), [](const auto *a, const auto *b) { return a->name < b->name; });
  return all;
}

} // namespace graphc
