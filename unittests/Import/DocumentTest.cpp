//===- DocumentTest.cpp - docs/Onnx.md against the importer's table --------===//
//
// With GRAPHC_UPDATE_DOCS=1 in the environment the tables are written instead.
//
//===----------------------------------------------------------------------===//
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>

#include "Import/OnnxModels.h"
#include "Import/Translations.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

struct Listed {
  Domain domain;
  std::string header;
};
const Listed kListed[] = {{Domain::Onnx, "| operator |"},
                          {Domain::MachineLearning, "| operator of ai.onnx.ml |"},
                          {Domain::Training, "| operator of ai.onnx.preview.training |"},
                          {Domain::Microsoft, "| operator of com.microsoft |"}};

std::string table(const Listed &listed) {
  std::string text = listed.header + " versions | limits |\n|---|---|---|\n";
  for (const Translation *t : allTranslations(listed.domain))
    text += "| " + std::string(t->name) + " | " + std::to_string(t->since) + " to " +
            std::to_string(lastVersion(listed.domain, *t)) + " | " + std::string(t->limits) +
            " |\n";
  return text;
}

std::string refusals() {
  std::string text = "| refused | from version | since it is about |\n|---|---|---|\n";
  for (const Refusal &r : allRefusals())
    text += "| " + std::string(r.name) + " | " + std::to_string(r.since) + " | " +
            std::string(r.reason) + " |\n";
  return text;
}

void expectTable(const std::string &head, const std::string &table) {
  std::string path = GRAPHC_TEST_DATA "/../../docs/Onnx.md";
  std::string text = readFile(path);
  size_t begin = text.find(head), end = text.find("\n\n", begin);
  ASSERT_NE(end, std::string::npos);
  if (std::getenv("GRAPHC_UPDATE_DOCS"))
    std::ofstream(path) << text.replace(begin, end + 1 - begin, table);
  else
    EXPECT_EQ(text.substr(begin, end + 1 - begin), table)
        << "docs/Onnx.md is out of date: run ImportTests with GRAPHC_UPDATE_DOCS=1";
}

TEST(Document, hasTheTablesOfOperators) {
  for (const Listed &listed : kListed)
    expectTable(listed.header, table(listed));
}

TEST(Document, hasTheTableOfRefusedOperators) { expectTable("| refused |", refusals()); }

/// The operators of ONNX's default domain and their first versions: those that the library's header
/// names, and those that came later.
std::map<std::string, int> allOperators() {
  std::map<std::string, int> first = {{"AffineGrid", 20},
                                      {"Attention", 23},
                                      {"BitCast", 26},
                                      {"BitwiseAnd", 18},
                                      {"BitwiseNot", 18},
                                      {"BitwiseOr", 18},
                                      {"BitwiseXor", 18},
                                      {"CenterCropPad", 18},
                                      {"Col2Im", 18},
                                      {"CumProd", 26},
                                      {"DeformConv", 19},
                                      {"Gelu", 20},
                                      {"GroupNormalization", 18},
                                      {"ImageDecoder", 20},
                                      {"Mish", 18},
                                      {"RMSNormalization", 23},
                                      {"RegexFullMatch", 20},
                                      {"RotaryEmbedding", 23},
                                      {"StringConcat", 20},
                                      {"StringSplit", 20},
                                      {"Swish", 24},
                                      {"TensorScatter", 24}};
  const std::string header = readFile("/usr/include/onnx/defs/operator_sets.h");
  std::regex schema(R"(SCHEMA_CLASS_NAME\(\s*Onnx,\s*(\d+),\s*(\w+)\))");
  for (std::sregex_iterator it(header.begin(), header.end(), schema), none; it != none; ++it) {
    int version = std::stoi((*it)[1]);
    int &least = first.emplace((*it)[2], version).first->second;
    least = std::min(least, version);
  }
  return first;
}

/// Translated, or refused with a reason.
TEST(Document, coversAllOperators) {
  std::map<std::string, int> all = allOperators();
  if (all.size() < 100)
    GTEST_SKIP() << "libonnx-dev is not installed";
  for (const auto &[name, since] : all) {
    const Translation *translated = findTranslation(Domain::Onnx, name);
    const Refusal *refused = findRefusal(name);
    EXPECT_NE(translated != nullptr, refused != nullptr) << name;
    if (translated)
      EXPECT_EQ(translated->since, since) << name;
    if (refused) {
      EXPECT_EQ(refused->since, since) << name;
      EXPECT_FALSE(refused->reason.empty()) << name;
    }
  }
  for (const Translation *t : allTranslations())
    EXPECT_TRUE(all.contains(std::string(t->name))) << t->name << " is none of ONNX's";
}

} // namespace
} // namespace graphc::test
