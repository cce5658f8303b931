//===- SignaturesTest.cpp - what operators take, against ONNX's schemas -----===//
#include "Import/Signatures.h"

#include <fstream>
#include <map>
#include <set>

#include "Import/Translations.h"
#include "absl/strings/str_join.h"
#include "onnx/defs/schema.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

const char *nameOf(Domain domain) {
  switch (domain) {
  case Domain::Onnx:
    return "";
  case Domain::MachineLearning:
    return "ai.onnx.ml";
  case Domain::Training:
    return "ai.onnx.preview.training";
  case Domain::Microsoft:
    break; // not in the library
  }
  return nullptr;
}

/// The library's registry knows fewer versions than graphc; those that both know agree.
TEST(Signatures, areThoseOfOnnxsSchemas) {
  int compared = 0;
  for (Domain domain : kDomains) {
    if (!nameOf(domain))
      continue;
    int newest =
        onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(nameOf(domain)).second;
    for (const Translation *t : allTranslations(domain))
      for (int version = t->since; version <= std::min(newest, lastVersion(domain, *t));
           ++version) {
        const onnx::OpSchema *schema =
            onnx::OpSchemaRegistry::Schema(std::string(t->name), version, nameOf(domain));
        const OperatorSignature *signature = findSignature(domain, t->name, version);
        ASSERT_NE(schema, nullptr) << t->name << " " << version;
        ASSERT_NE(signature, nullptr) << t->name << " " << version;
        EXPECT_EQ(signature->inputs, schema->max_input()) << t->name << " " << version;
        std::vector<std::string> names; // a map's: sorted
        for (const auto &[name, attribute] : schema->attributes())
          if (name != "consumed_inputs")
            names.push_back(name);
        EXPECT_EQ(signature->attributes, absl::StrJoin(names, " ")) << t->name << " " << version;
        ++compared;
      }
  }
  EXPECT_GT(compared, 1000);
}

/// What onnxruntime says of the versions after those (make-signatures.mjs). It does not check
/// the attributes of three, and does not have the two of set 26; Scatter and Upsample are no more.
TEST(Signatures, ofNewerVersionsAreOnnxruntimes) {
  std::ifstream in(GRAPHC_TEST_DATA "/signatures.txt");
  ASSERT_TRUE(in.good());
  std::map<std::pair<std::string, int>, std::string> signatures;
  for (std::string name, line; in >> name;) {
    int version;
    in >> version >> std::ws;
    std::getline(in, line);
    signatures[{name, version}] = line;
  }
  const std::set<std::string_view> kUnchecked = {"Constant", "Loop", "LayerNormalization",
                                                 "BitCast", "CumProd"};
  for (const Translation *t : allTranslations())
    for (int version = std::max(18, t->since); version <= t->until; ++version) {
      auto next = signatures.upper_bound({std::string(t->name), version});
      bool isKnown = next != signatures.begin() && std::prev(next)->first.first == t->name;
      EXPECT_NE(isKnown, bool(kUnchecked.count(t->name))) << t->name << " " << version;
      const OperatorSignature *own = findSignature(Domain::Onnx, t->name, version);
      ASSERT_NE(own, nullptr) << t->name << " " << version;
      std::string text = own->inputs == kAnyNumberOfInputs ? "any" : std::to_string(own->inputs);
      text += (own->attributes.empty() ? "" : " ") + std::string(own->attributes);
      if (isKnown)
        EXPECT_EQ(text, std::prev(next)->second) << t->name << " " << version;
    }
}

TEST(Signatures, everyOperatorHasOne) {
  for (Domain domain : kDomains)
    for (const Translation *t : allTranslations(domain))
      for (int version : {t->since, lastVersion(domain, *t)})
        EXPECT_NE(findSignature(domain, t->name, version), nullptr) << t->name << " " << version;
  EXPECT_EQ(findSignature(Domain::Onnx, "Gelu", 19), nullptr);
  EXPECT_EQ(findSignature(Domain::Onnx, "Fancy", 13), nullptr);
}

} // namespace
} // namespace graphc::test
