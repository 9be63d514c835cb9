#include "inventories/inventory_listing.h"

#include <string>

#include <gmock/gmock.h>

namespace pgfiredrill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

InventoryListing listing_of(const std::string& text, const VariableForms& used = {}) {
  auto listing = parse_listing(text, used);
  EXPECT_TRUE(listing.has_value()) << text;
  return listing ? std::move(*listing) : InventoryListing{};
}

TEST(InventoryListing, GoesThroughChildrenInOrderAndTakesEachHostOnce) {
  const auto listing = listing_of(R"({
    "top": {"hosts": ["h0"], "children": ["b", "a"]},
    "a": {"hosts": ["h1", "h2"]}, "b": {"hosts": ["h3", "h1"], "children": ["c"]}, "c": {"hosts": ["h4"]}})");
  EXPECT_THAT(listing.hosts_of("top"), ElementsAre("h0", "h3", "h1", "h4", "h2"));
  EXPECT_THAT(listing.hosts_of("none"), IsEmpty());
}

TEST(InventoryListing, EndsWhereGroupsContainEachOther) {
  const auto listing = listing_of(
      R"({"a": {"hosts": ["h1"], "children": ["b"]}, "b": {"hosts": ["h2"], "children": ["a", "b"]}})");
  EXPECT_THAT(listing.hosts_of("a"), ElementsAre("h1", "h2"));
}

TEST(InventoryListing, ReadsScalarsAsTextAndKeepsOnlyWhatIsUsed) {
  const VariableForms used{{"t", VariableForm::text},    {"i", VariableForm::text},
                           {"b", VariableForm::text},    {"n", VariableForm::text},
                           {"l", VariableForm::text},    {"d", VariableForm::dictionary},
                           {"p", VariableForm::presence}};
  const auto listing = listing_of(
      R"({"_meta": {"hostvars": {"h": {"t": "x", "i": 5432, "b": true, "n": null, "l": ["x"],
          "d": {"master": 5000, "deep": {"x": 1}}, "p": {"__ansible_vault": "x"}, "unused": "x"}}}})",
      used);
  const HostVariables& variables = listing.host_variables.at("h");
  EXPECT_THAT(variables, SizeIs(7));
  EXPECT_EQ(variables.at("t").text, "x");
  EXPECT_EQ(variables.at("i").text, "5432");
  EXPECT_EQ(variables.at("b").text, "true");
  EXPECT_EQ(variables.at("n").text, "");
  EXPECT_EQ(variables.at("l").text, "");
  EXPECT_EQ(variables.at("d").entries.at("master"), "5000");
  EXPECT_EQ(variables.at("d").entries.at("deep"), "");
  EXPECT_FALSE(variables.at("p").needs_rendering());
}

TEST(InventoryListing, KnowsWhatNeedsRendering) {
  EXPECT_FALSE((InventoryVariable{.text = "plain {x}", .entries = {}}).needs_rendering());
  EXPECT_TRUE((InventoryVariable{.text = "a {{ b }}", .entries = {}}).needs_rendering());
  EXPECT_TRUE((InventoryVariable{.text = "{% if x %}", .entries = {}}).needs_rendering());
  EXPECT_TRUE((InventoryVariable{.text = "", .entries = {{"k", "{{ b }}"}}}).needs_rendering());
  EXPECT_TRUE((InventoryVariable{.text = "", .entries = {}, .vault = true}).needs_rendering());
}

TEST(InventoryListing, CollectsSecretsOnceForScrubbing) {
  const auto listing = listing_of(
      R"({"_meta": {"hostvars": {"h1": {"patroni_superuser_password": "example-pw", "API_TOKEN": "example-token", "x": "y"},
                                 "h2": {"patroni_superuser_password": "example-pw", "short_pass": "ab"}}}})");
  EXPECT_THAT(listing.secrets, SizeIs(2));
}

TEST(InventoryListing, RefusesWhatIsNoJsonObject) {
  for (const char* text : {"", "not json", "[1]", "null", "{\"a\": ", "{} trailing", "\"\xff\xfe\""}) {
    const auto listing = parse_listing(text, {});
    ASSERT_FALSE(listing) << text;
    EXPECT_EQ(listing.error().kind, FailureKind::malformed);
  }
}

TEST(InventoryListing, PassesOverPartsOfAnotherForm) {
  const auto listing = listing_of(
      R"({"a": 1, "b": {"hosts": "x", "children": [1, null]}, "_meta": {"hostvars": {"h": []}}, "c": {"hosts": [1, "h"]}})");
  EXPECT_THAT(listing.hosts_of("b"), IsEmpty());
  EXPECT_THAT(listing.hosts_of("c"), ElementsAre("h"));
  EXPECT_THAT(listing_of(R"({"_meta": 1})").host_variables, IsEmpty());
  EXPECT_THAT(listing_of(R"({"_meta": {"hostvars": 1}})").host_variables, IsEmpty());
}

TEST(InventoryListing, SurvivesDeepNesting) {
  const std::string deep(100'000, '[');
  EXPECT_FALSE(parse_listing("{\"a\": " + deep, {}));
  std::string closed = "{\"_meta\": {\"hostvars\": {\"h\": {\"x\": " + deep;
  closed += std::string(100'000, ']') + "}}}}";
  EXPECT_TRUE(parse_listing(closed, {{"x", VariableForm::text}}));
}

TEST(Rendering, ReadsTheAnswerOfEachHost) {
  const auto hosts = parse_rendering(
      "pg1 | SUCCESS => {\n    \"msg\": \"pgfiredrill {\\\"a\\\": [\\\"1\\\"], \\\"d\\\": [{\\\"k\\\": "
      "5}]}\"\n}\n"
      "pg2 | SUCCESS => {\"changed\": false, \"msg\": \"pgfiredrill {\\\"a\\\": [\\\"2\\\"]}\"}\n"
      "pg3 | FAILED! => {\n    \"msg\": \"it broke\"\n}\n");
  ASSERT_THAT(hosts, SizeIs(3));
  EXPECT_EQ(hosts.at("pg1").values.at("a").text, "1");
  EXPECT_EQ(hosts.at("pg1").values.at("d").entries.at("k"), "5");
  EXPECT_EQ(hosts.at("pg2").values.at("a").text, "2");
  EXPECT_EQ(hosts.at("pg3").failure, "it broke");
}

TEST(Rendering, LeavesOutWhatWasNotResolved) {
  const auto hosts = parse_rendering(
      R"(pg1 | SUCCESS => {"msg": "pgfiredrill {\"a\": [\"pgfiredrill:undefined\"], \"b\": [], \"c\": 1, \"n\": [\"None\"], \"v\": [{\"__ansible_vault\": \"x\"}]}"})");
  const HostVariables& values = hosts.at("pg1").values;
  EXPECT_THAT(values, SizeIs(1));
  EXPECT_EQ(values.at("n").text, "");
}

TEST(Rendering, PassesOverWhatIsNoAnswer) {
  EXPECT_THAT(parse_rendering(""), IsEmpty());
  EXPECT_THAT(parse_rendering("noise\nUsing /etc/ansible/ansible.cfg as config file\n | SUCCESS => {}\n"),
              IsEmpty());
  EXPECT_FALSE(parse_rendering("pg1 | SUCCESS => {\"msg\": \n").at("pg1").failure.empty());
  EXPECT_FALSE(parse_rendering("pg1 | SUCCESS => {\"msg\": \"pgfiredrill [1\"}\n").at("pg1").failure.empty());
  EXPECT_FALSE(parse_rendering("pg1 | SUCCESS => [1]\n").at("pg1").failure.empty());
}

TEST(Rendering, AsksForTextsAndDictionariesApart) {
  const std::string arguments =
      rendering_arguments({{"a", VariableForm::text}, {"d", VariableForm::dictionary}});
  EXPECT_EQ(arguments,
            R"({"msg":"pgfiredrill {{ {'a': query('vars', 'a', default='pgfiredrill:undefined') | )"
            R"(map('default', 'pgfiredrill:undefined') | map('string') | list, )"
            R"('d': query('vars', 'd', default='pgfiredrill:undefined') | )"
            R"(map('default', 'pgfiredrill:undefined') | list} | to_json }}"})");
}

}  // namespace
}  // namespace pgfiredrill
