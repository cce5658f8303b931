//===- DocumentTest.cpp - docs/Onnx.md against the importer's table --------===//
//
// GRAPHC_WRITE_ONNX_TABLE=1 writes the table instead.
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

std::string table() {
  std::string text = "| operator | versions | limits |\n|---|---|---|\n";
  for (const Translation *t : allTranslations())
    text += "| " + std::string(t->name) + " | " + std::to_string(t->since) + " to " +
            std::to_string(t->until) + " | " + std::string(t->limits) + " |\n";
  return text;
}

TEST(Document, hasTheTableOfOperators) {
  std::string path = GRAPHC_TEST_DATA "/../../docs/Onnx.md";
  std::string text = readFile(path);
  size_t begin = text.find("| operator |"), end = text.find("\n\n", begin);
  ASSERT_NE(end, std::string::npos);
  if (std::getenv("GRAPHC_WRITE_ONNX_TABLE"))
    std::ofstream(path) << text.replace(begin, end + 1 - begin, table());
  else
    EXPECT_EQ(text.substr(begin, end + 1 - begin), table());
}

/// ONNX's own header says in which versions an operator changed; the least is its first.
TEST(Document, firstVersionsAreOnnxs) {
  const std::string header = readFile("/usr/include/onnx/defs/operator_sets.h");
  if (header.empty())
    GTEST_SKIP() << "libonnx-dev is not installed";
  std::map<std::string, int> first;
  int newest = 0;
  std::regex schema(R"(SCHEMA_CLASS_NAME\(\s*Onnx,\s*(\d+),\s*(\w+)\))");
  for (std::sregex_iterator it(header.begin(), header.end(), schema), none; it != none; ++it) {
    int version = std::stoi((*it)[1]);
    int &least = first.emplace((*it)[2], version).first->second;
    least = std::min(least, version);
    newest = std::max(newest, version);
  }
  ASSERT_GT(newest, 12);
  for (const Translation *t : allTranslations())
    if (t->since <= newest)
      EXPECT_EQ(t->since, first[std::string(t->name)]) << t->name;
    else
      EXPECT_FALSE(first.contains(std::string(t->name))) << t->name;
}

} // namespace
} // namespace graphc::test
