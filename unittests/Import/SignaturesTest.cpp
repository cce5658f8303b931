//===- SignaturesTest.cpp - what operators take, against ONNX's schemas -----===//
#include "Import/Signatures.h"

#include "Import/Translations.h"
#include "absl/strings/str_join.h"
#include "onnx/defs/schema.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

/// The library's registry knows fewer versions than graphc; those that both know agree.
TEST(Signatures, areThoseOfOnnxsSchemas) {
  int newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  ASSERT_GT(newest, 12);
  int compared = 0;
  for (const Translation *t : allTranslations())
    for (int version = t->since; version <= std::min(newest, t->until); ++version) {
      const onnx::OpSchema *schema =
          onnx::OpSchemaRegistry::Schema(std::string(t->name), version, "");
      const Signature *signature = findSignature(t->name, version);
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
  EXPECT_GT(compared, 1000);
}

TEST(Signatures, everyOperatorHasOne) {
  for (const Translation *t : allTranslations())
    for (int version : {t->since, t->until})
      EXPECT_NE(findSignature(t->name, version), nullptr) << t->name << " " << version;
  EXPECT_EQ(findSignature("Gelu", 19), nullptr);
  EXPECT_EQ(findSignature("Fancy", 13), nullptr);
}

} // namespace
} // namespace graphc::test
