#include "cluster/config/haproxy_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts(std::string_view line) {
  const auto words = haproxy_words(line);
  std::vector<std::string> result;
  for (const HaproxyWord& word : words.value()) result.push_back(word.text);
  return result;
}

TEST(HaproxyWords, SplitsAtSpacesAndTabs) {
  EXPECT_THAT(texts("\t option   httpchk\tOPTIONS /primary "),
              ElementsAre("option", "httpchk", "OPTIONS", "/primary"));
  EXPECT_TRUE(texts("").empty());
  EXPECT_TRUE(texts(" \t ").empty());
}

TEST(HaproxyWords, EndsAtACommentAnywhereOutsideQuotes) {
  EXPECT_THAT(texts("bind :5000 # comment"), ElementsAre("bind", ":5000"));
  EXPECT_THAT(texts("bind :5000#comment"), ElementsAre("bind", ":5000"));
  EXPECT_THAT(texts("log-format '#1' \"#2\" \\#3"), ElementsAre("log-format", "#1", "#2", "#3"));
}

TEST(HaproxyWords, KeepsQuotedPartsInOneWord) {
  EXPECT_THAT(texts(R"("a b"'c d'\ e)"), ElementsAre("a bc d e"));
  EXPECT_THAT(texts(R"(x "" '')"), ElementsAre("x", "", ""));
}

TEST(HaproxyWords, KnowsTheEscapes) {
  EXPECT_THAT(texts(R"(\\ \" \' a\tb \x41 "\"" '\"')"),
              ElementsAre("\\", "\"", "'", "a\tb", "A", "\"", "\\\""));
  EXPECT_THAT(texts(R"(\q)"), ElementsAre("\\q"));    // no escape: stays
  EXPECT_THAT(texts("end\\"), ElementsAre("end\\"));  // no line continuation
  EXPECT_THAT(texts(R"(\x4)"), ElementsAre("\\x4"));  // cut short
}

TEST(HaproxyWords, SeesVariablesInDoubleQuotesOnly) {
  EXPECT_TRUE(haproxy_words(R"("${ADDRESS}:5000")").value().front().variable);
  EXPECT_TRUE(haproxy_words(R"("$ADDRESS")").value().front().variable);
  EXPECT_FALSE(haproxy_words(R"(${ADDRESS})").value().front().variable);
  EXPECT_FALSE(haproxy_words(R"('${ADDRESS}')").value().front().variable);
  EXPECT_FALSE(haproxy_words(R"("\${ADDRESS}")").value().front().variable);
  EXPECT_FALSE(haproxy_words(R"("5$")").value().front().variable);
}

TEST(HaproxyWords, RefusesAnOpenQuote) {
  EXPECT_FALSE(haproxy_words("bind \"a"));
  EXPECT_FALSE(haproxy_words("bind 'a"));
  EXPECT_FALSE(haproxy_words("bind \"a\\\""));
}

}  // namespace
}  // namespace pgfiredrill
