#include "cluster/json_value.h"

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

JsonValue read(const std::string& text) {
  const auto value = JsonValue::parse(text);
  EXPECT_TRUE(value) << text;
  return value.value();
}

TEST(JsonValue, OutlivesTheDocumentItIsPartOf) {
  const JsonValue inner = read(R"({"a": {"b": [1, "two"]}})").at("a").at("b");
  ASSERT_EQ(inner.elements().size(), 2U);
  EXPECT_EQ(inner.elements()[1].text(), "two");
}

TEST(JsonValue, GivesNothingWhereTheKindIsAnother) {
  const JsonValue value = read(R"({"list": [], "text": "x"})");
  EXPECT_TRUE(value.at("absent").is_null());
  EXPECT_TRUE(value.at("list").at("key of a list").is_null());
  EXPECT_TRUE(value.at("text").elements().empty());
  EXPECT_TRUE(value.at("text").fields().empty());
  EXPECT_FALSE(value.at("list").text());
  EXPECT_FALSE(value.at("list").scalar());
  EXPECT_FALSE(value.at("text").integer());
  EXPECT_FALSE(value.at("text").boolean());
}

// A number that does not fit must not come out as another number.
TEST(JsonValue, ReadsWholeNumbersThatFit) {
  EXPECT_EQ(read("9223372036854775807").integer(), INT64_MAX);
  EXPECT_EQ(read("-5").integer(), -5);
  EXPECT_EQ(read("30.0").integer(), 30);
  EXPECT_EQ(read(R"(" 30 ")").integer(), 30);
  for (const char* text : {"9223372036854775808", "18446744073709551616", "1e300", "30.5", "true", R"("30s")",
                           R"("9223372036854775808")"}) {
    EXPECT_FALSE(read(text).integer()) << text;
  }
}

TEST(JsonValue, ReadsBooleansInPostgresqlsWords) {
  for (const char* text : {"true", "1", R"("on")", R"("Yes")"}) EXPECT_EQ(read(text).boolean(), true) << text;
  for (const char* text : {"false", "0", R"("off")"}) EXPECT_EQ(read(text).boolean(), false) << text;
  for (const char* text : {"null", "2", R"("quorum")", "[]"}) EXPECT_FALSE(read(text).boolean()) << text;
}

TEST(JsonValue, RefusesWhatIsNoWholeJson) {
  for (const std::string text :
       {"", "{", R"({"a": 1} x)", R"({"a": )", "<html></html>", "\"\xff\"", "1e999999"}) {
    EXPECT_FALSE(JsonValue::parse(text)) << text;
  }
}

TEST(JsonValue, RefusesNestingThatWouldCostANodeEach) {
  EXPECT_FALSE(JsonValue::parse(std::string(10'000'000, '[')));
  EXPECT_FALSE(JsonValue::parse(std::string(1'000, '[') + std::string(1'000, ']')));
  EXPECT_TRUE(JsonValue::parse(std::string(60, '[') + std::string(60, ']')));
  // Brackets in a text are no nesting, whatever is escaped in it.
  EXPECT_TRUE(JsonValue::parse(R"({"a": "\"\\\")" + std::string(1'000, '[') + R"("})"));
}

}  // namespace
}  // namespace pgfiredrill
