#include "record/manifest.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/record/sample_record.h"

namespace pgfiredrill {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::sample_manifest;

Result<RunManifest> parse(const json& document) {
  return parse_manifest(document.dump(), "run/record/manifest.json");
}

json sample_document() {
  return json::parse(to_json(sample_manifest()));
}

std::string complaint(const json& document) {
  const auto manifest = parse(document);
  if (manifest) return "it was taken";
  EXPECT_EQ(manifest.error().kind, FailureKind::malformed);
  EXPECT_EQ(manifest.error().where, "run/record/manifest.json");
  return manifest.error().came_back;
}

/// Its JSON form holds every field, so comparing that compares them all; that none is forgotten there shows
/// in the fields that are looked at one by one.
TEST(Manifest, ComesBackAsItWas) {
  const auto manifest = parse_manifest(to_json(sample_manifest()), "here");
  ASSERT_TRUE(manifest) << manifest.error().message();
  EXPECT_EQ(to_json(*manifest), to_json(sample_manifest()));

  EXPECT_EQ(manifest->seed, 18'446'744'073'709'551'615u);
  EXPECT_EQ(manifest->argv.back(), "a \"quoted\" inventory");
  EXPECT_EQ(manifest->origin.wall.count(), 1'700'000'000'123'456'789);
  EXPECT_EQ(manifest->cluster.members[1].address, "10.77.0.12:5432");
  EXPECT_EQ(manifest->cluster.settings.at("ttl"), "30 s");
  EXPECT_EQ(manifest->drills[0].repeats, 2);
  EXPECT_EQ(manifest->drills[0].observe_s, 25.5);
  EXPECT_EQ(manifest->drills[0].expectations[0].where.session, "fresh");
  EXPECT_EQ(manifest->drills[0].expectations[0].over, Fold::sum);
  EXPECT_EQ(manifest->paths[0].addresses[1].host, "fe80::1");
  EXPECT_EQ(manifest->paths[0].deadline.count(), 750'000'000);
  EXPECT_FALSE(manifest->paths[0].needed_for_steady_state);
  EXPECT_EQ(manifest->paths[1].access, Access::read_only);
  EXPECT_EQ(manifest->paths[1].purpose, Purpose::ledger);
  EXPECT_EQ(manifest->paths[1].pinned_member, "pgnode01");
}

TEST(Manifest, RemembersWhatAnEarlierRunMeasured) {
  RunManifest manifest = sample_manifest();
  EXPECT_EQ(parse_manifest(to_json(manifest), "here").value().drills[0].measured.has_value(), false);
  manifest.continues = "run-1";
  manifest.needs_every_drill = true;
  manifest.drills[0].measured = {"run-0", Verdict::failed};
  const RunManifest read = parse_manifest(to_json(manifest), "here").value();
  EXPECT_EQ(read.continues, "run-1");
  EXPECT_TRUE(read.needs_every_drill);
  EXPECT_EQ(read.drills[0].measured.value().run, "run-0");
  EXPECT_EQ(read.drills[0].measured.value().verdict, Verdict::failed);
  // What has not come to an end there is no verdict to go on with.
  json document = json::parse(to_json(manifest));
  document["drills"][0]["measured"]["verdict"] = "aborted";
  EXPECT_FALSE(parse(document));
}

TEST(Manifest, IgnoresFieldsItDoesNotKnow) {
  json document = sample_document();
  document["moon"] = {{"phase", "full"}};
  document["paths"][0]["colour"] = 7;
  EXPECT_TRUE(parse(document));
}

TEST(Manifest, SaysWhatIsMissing) {
  json document = sample_document();
  document["drills"][0]["fault"].erase("target");
  EXPECT_EQ(complaint(document), "/drills/0/fault/target is missing");
}

TEST(Manifest, IsStrictAboutTypes) {
  const std::vector<std::pair<const char*, json>> defects{
      {"/seed", -1},
      {"/run_id", 5},
      {"/argv", "pgfiredrill run"},
      {"/argv/1", nullptr},
      {"/cluster/settings/ttl", 30},
      {"/cluster/synchronous_mode_strict", "no"},
      {"/drills/0/repeats", 0},
      {"/drills/0/repeats", 1.5},
      {"/drills/0/baseline_s", -0.5},
      {"/drills/0/observe_s", "25"},
      {"/drills/0/expectations/0/over", "median"},
      {"/paths/0/depth", "deep"},
      {"/paths/0/deadline_ns", 0},
      {"/paths/0/deadline_ns", 18'446'744'073'709'551'615u},
      {"/paths/0/addresses/0/port", 65'536},
      {"/paths/0/rate_hz", nullptr},
      {"/origin", json::array()},
  };
  for (const auto& [pointer, value] : defects) {
    json document = sample_document();
    document[json::json_pointer{pointer}] = value;
    EXPECT_THAT(complaint(document), HasSubstr(pointer)) << value;
  }
}

TEST(Manifest, RefusesTwoPathsOfOneName) {
  json document = sample_document();
  document["paths"][1]["id"] = document["paths"][0]["id"];
  EXPECT_THAT(complaint(document), HasSubstr("names a path twice"));
}

TEST(Manifest, RefusesANewerSchemaAndSaysSo) {
  json document = sample_document();
  document["schema"] = kRecordSchema + 1;
  document.erase("paths");
  EXPECT_EQ(complaint(document), "its schema is 2, this version reads 1");
}

TEST(Manifest, RefusesWhatIsNoDocument) {
  for (const std::string text : {"", "{", "[]", "null", "\xff"}) EXPECT_FALSE(parse_manifest(text, "here"));
  EXPECT_FALSE(parse_manifest(std::string(1'000'000, '['), "here"));
}

TEST(Manifest, IsJsonWhateverServersSaid) {
  RunManifest manifest = sample_manifest();
  manifest.cluster.name = "bad \xff\xfe\n\x1b";
  EXPECT_TRUE(parse_manifest(to_json(manifest), "here"));
}

}  // namespace
}  // namespace pgfiredrill
