#include "cluster/config/yaml_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const ConfigFile kFile{.name = "a file", .where = "pg1:file.yml", .hint = "Look at it."};

Result<YamlDocument> parse(const std::string& text) {
  return YamlDocument::parse(text, kFile);
}

std::string text_at(const std::string& text, const std::vector<std::string>& keys) {
  const auto yaml = parse(text);
  if (!yaml) {
    ADD_FAILURE() << yaml.error().message();
    return {};
  }
  return yaml->text_at(yaml->root(), keys);
}

std::string repeated(const std::string& part, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += part;
  return result;
}

TEST(YamlDocument, FindsScalarsByPath) {
  EXPECT_EQ(text_at("a:\n  b: {c: d}\n", {"a", "b", "c"}), "d");
  EXPECT_EQ(text_at("a: [b]\n", {"a", "b"}), "");
  EXPECT_EQ(text_at("a: b\n", {"a", "b"}), "");
  EXPECT_EQ(text_at("a: [b]\n", {"a"}), "");
}

TEST(YamlDocument, TellsNullFromText) {
  EXPECT_EQ(text_at("a: ~\n", {"a"}), "");
  EXPECT_EQ(text_at("a: null\n", {"a"}), "");
  EXPECT_EQ(text_at("a:\n", {"a"}), "");
  EXPECT_EQ(text_at("a: 'null'\n", {"a"}), "null");
}

TEST(YamlDocument, TheLastOfSameKeysCounts) {
  EXPECT_EQ(text_at("a: 1\nb: x\na: 2\n", {"a"}), "2");
}

TEST(YamlDocument, FollowsAliasesAndMerges) {
  EXPECT_EQ(text_at("a: &x {b: 1}\nc: *x\n", {"c", "b"}), "1");
  EXPECT_EQ(text_at("a: &x {b: 1, d: 2}\nc:\n  <<: *x\n  d: 3\n", {"c", "b"}), "1");
  EXPECT_EQ(text_at("a: &x {b: 1, d: 2}\nc:\n  <<: *x\n  d: 3\n", {"c", "d"}), "3");
  EXPECT_EQ(text_at("a: &x {b: 1}\ne: &y {b: 2, f: 3}\nc:\n  <<: [*x, *y]\n", {"c", "b"}), "1");
  EXPECT_EQ(text_at("a: &x {b: 1}\ne: &y {b: 2, f: 3}\nc:\n  <<: [*x, *y]\n", {"c", "f"}), "3");
}

TEST(YamlDocument, EndsWhereAMergeMergesItself) {
  EXPECT_EQ(text_at("a: &x\n  <<: *x\n  b: 1\n", {"a", "c"}), "");
  EXPECT_EQ(text_at("a: &x\n  <<: [*x, *x, *x]\n", {"a", "c"}), "");
}

TEST(YamlDocument, DoesNotFollowTags) {
  EXPECT_EQ(text_at("a: !!python/object/apply:os.system ['rm']\nb: !unknown x\n", {"b"}), "x");
  EXPECT_EQ(text_at("a: !!binary aGVsbG8=\n", {"a"}), "aGVsbG8=");
}

TEST(YamlDocument, ReadsTheFirstDocumentOnly) {
  EXPECT_EQ(text_at("---\na: 1\n---\na: 2\n", {"a"}), "1");
}

TEST(YamlDocument, NestedAliasesCostNothing) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb +=
        "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + repeated(", " + last, 8) + "]\n";
  }
  EXPECT_EQ(text_at(bomb + "end: 1\n", {"end"}), "1");
}

TEST(YamlDocument, BoundsTheNesting) {
  EXPECT_TRUE(parse(repeated("[", 60) + repeated("]", 60)));
  // By our bound, before yaml-cpp's own, which is a matter of its release.
  EXPECT_THAT(parse(repeated("[", 100) + repeated("]", 100)).error().came_back,
              HasSubstr("nested too deeply"));
  for (const std::string& deep :
       {repeated("[", 100'000), repeated("{a: ", 100'000), repeated("- ", 100'000)}) {
    const auto yaml = parse(deep);
    ASSERT_FALSE(yaml);
    EXPECT_THAT(yaml.error().came_back, HasSubstr("line 1"));
  }
}

TEST(YamlDocument, BoundsTheNumberOfValues) {
  EXPECT_THAT(parse(repeated("- 1\n", 250'000)).error().came_back, HasSubstr("one value too many"));
  EXPECT_THAT(parse("a: &x 1\nb:\n" + repeated("- *x\n", 250'000)).error().came_back,
              HasSubstr("one value too many"));
}

TEST(YamlDocument, AQuoteThatTheEndCutsIsAnError) {
  for (const char* text : {"a: 1\nb: 'cut", "a: 1\nb: 'cut\n", "a: 1\nb: \"cut\n"}) {
    const auto yaml = parse(text);
    ASSERT_FALSE(yaml) << text;
    EXPECT_THAT(yaml.error().came_back, HasSubstr("line 2 is not valid YAML"));
  }
  EXPECT_EQ(text_at("a: |\n  block\n", {"a"}), "block\n");
  EXPECT_EQ(text_at("a: 'b'", {"a"}), "b");
  EXPECT_EQ(text_at("a: b\n...\n", {"a"}), "b");
}

TEST(YamlDocument, NamesTheLineOfAnErrorAndNoContent) {
  const auto yaml = parse("a: 1\nb: *sesame\n");
  ASSERT_FALSE(yaml);
  EXPECT_EQ(yaml.error().kind, FailureKind::malformed);
  EXPECT_THAT(yaml.error().message(), HasSubstr("pg1:file.yml: line 2 is not valid YAML. Look at it."));
  EXPECT_THAT(yaml.error().message(), Not(HasSubstr("sesame")));
}

}  // namespace
}  // namespace pgfiredrill
