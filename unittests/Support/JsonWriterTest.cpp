#include "Support/JsonWriter.h"

#include <gtest/gtest.h>

namespace graphc {
namespace {

TEST(JsonWriter, SeparatesValues) {
  JsonWriter json;
  json.beginObject();
  json.field("a", int64_t(-1));
  json.key("b");
  json.beginArray();
  json.value(1.5);
  json.beginObject();
  json.endObject();
  json.beginArray();
  json.endArray();
  json.value("x");
  json.endArray();
  json.field("c", 1e300);
  json.endObject();
  EXPECT_EQ(json.text(), R"({"a":-1,"b":[1.5,{},[],"x"],"c":1e+300})");
}

// The cases of RFC 3629, sections 3 and 4: characters of each length, what is longer than it need
// be, surrogates, what is beyond U+10FFFF, and what breaks off.
TEST(JsonWriter, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(jsonString("a\"b\\\t"), R"("a\"b\\\u0009")");
  for (const char *whole :
       {"\x7f", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(jsonString(whole), "\"" + std::string(whole) + "\"");
  for (const char *wrong : {"\x80", "\xc1\xbf", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_EQ(jsonString(wrong).substr(0, 7), "\"\\ufffd");
  EXPECT_EQ(jsonString("\xe0\x9f\xbf"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(jsonString("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(jsonString("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(jsonString("\xe2\x82"), R"("\ufffd\ufffd")");
  EXPECT_EQ(jsonString("\xf0\x8f\xbf\xbf"), R"("\ufffd\ufffd\ufffd\ufffd")");
}

} // namespace
} // namespace graphc
