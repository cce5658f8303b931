//===- Translations.cpp - the table of operators ---------------------------===//
#include "Import/Translations.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace graphc {
namespace {

using Table = absl::flat_hash_map<std::string_view, const Translation *>;
using Family = absl::Span<const Translation> (*)();

constexpr Family kOnnx[] = {
    elementwiseTranslations, activationTranslations,  reductionTranslations,
    productTranslations,     attentionTranslations,   regionTranslations,
    spatialTranslations,     convolutionTranslations, transposedConvolutionTranslations,
    poolingTranslations,     resizingTranslations,    normalizationTranslations,
    shapeTranslations,       indexTranslations,       scatteringTranslations,
    orderingTranslations,    controlFlowTranslations, makingTranslations,
    randomTranslations,      recurrentTranslations,   lossTranslations,
    signalTranslations,      gridSampleTranslations,  quantizationTranslations,
    sequenceTranslations,    bitTranslations,         ngramTranslations};
constexpr Family kMachineLearning[] = {linearModelTranslations, featureTranslations,
                                       encoderTranslations, supportVectorTranslations,
                                       treeTranslations};
constexpr Family kTraining[] = {trainingTranslations};
constexpr Family kMicrosoft[] = {fusedTranslations, quantizedOperatorTranslations,
                                 headAttentionTranslations};

Table makeTable(absl::Span<const Family> families) {
  Table table;
  for (Family family : families)
    for (const Translation &translation : family())
      table.emplace(translation.name, &translation);
  return table;
}

const Table &tableOf(Domain domain) {
  static const auto &tables = *new std::array<Table, kDomains.size()>{
      makeTable(kOnnx), makeTable(kMachineLearning), makeTable(kTraining), makeTable(kMicrosoft)};
  return tables[size_t(domain)];
}

} // namespace

const Translation *findTranslation(Domain domain, std::string_view name) {
  const Table &table = tableOf(domain);
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

absl::Span<const Refusal> allRefusals() {
  constexpr std::string_view kStrings = "strings, which graphc has not";
  static constexpr Refusal kTable[] = {
      {"ImageDecoder", 20, "formats of pictures, which graphc does not read"},
      {"RegexFullMatch", 20, kStrings},
      {"StringConcat", 20, kStrings},
      {"StringNormalizer", 10, kStrings},
      {"StringSplit", 20, kStrings},
  };
  return kTable;
}

const Refusal *findRefusal(std::string_view name) {
  for (const Refusal &refusal : allRefusals())
    if (refusal.name == name)
      return &refusal;
  return nullptr;
}

std::vector<const Translation *> allTranslations(Domain domain) {
  std::vector<const Translation *> all;
  for (const auto &[name, translation] : tableOf(domain))
    all.push_back(translation);
  std::sort(all.begin(), all.end(), [](const auto *a, const auto *b) { return a->name < b->name; });
  return all;
}

int lastVersion(Domain domain, const Translation &translation) {
  return std::min(translation.until, newestVersion(domain));
}

std::string remedyFor(Domain domain, std::string_view name) {
  if (domain != Domain::MachineLearning)
    return "";
  if (name == "CategoryMapper")
    return "; it maps strings, which graphc has not: map them before, and give the model integers";
  if (name == "DictVectorizer")
    return "; it takes a dictionary: give the model the vector instead";
  if (name == "ZipMap")
    return "; it makes dictionaries: remove the node, and make its input an output of the model";
  return "";
}

} // namespace graphc
