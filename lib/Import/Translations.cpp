//===- Translations.cpp - the table of operators ---------------------------===//
#include "Import/Translations.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

using Table = absl::flat_hash_map<std::string_view, const Translation *>;

Table makeTable() {
  Table table;
  for (absl::Span<const Translation> family : {elementwiseTranslations(),
                                               activationTranslations(),
                                               reductionTranslations(),
                                               productTranslations(),
                                               einsumTranslations(),
                                               convolutionTranslations(),
                                               transposedConvolutionTranslations(),
                                               poolingTranslations(),
                                               resizingTranslations(),
                                               normalizationTranslations(),
                                               shapeTranslations(),
                                               indexTranslations(),
                                               scatteringTranslations(),
                                               orderingTranslations(),
                                               controlFlowTranslations(),
                                               makingTranslations(),
                                               randomTranslations(),
                                               recurrentTranslations(),
                                               lossTranslations(),
                                               signalTranslations(),
                                               gridSampleTranslations(),
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

std::vector<const Translation *> allTranslations() {
  std::vector<const Translation *> all;
  for (const auto &[name, translation] : table())
    all.push_back(translation);
  std::sort(all.begin(), all.end(), [](const auto *a, const auto *b) { return a->name < b->name; });
  return all;
}

} // namespace graphc
