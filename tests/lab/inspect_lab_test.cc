/// The program against the lab: what a user sees of a healthy cluster, and of one with a host down.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "tests/lab/lab_program.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::execute;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::lab;
using ::testing::Not;
using testing::TemporaryDirectory;

std::string read_text(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

class InspectLab : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* inventory = std::getenv("PGFIREDRILL_LAB_INVENTORY");
    if (inventory == nullptr)
      GTEST_SKIP() << "no lab: PGFIREDRILL_LAB_INVENTORY is not set (lab/lab up, as root)";
    inventory_ = inventory;
  }

  ProcessResult inspect(const std::string& inventory, const std::vector<std::string>& more = {}) {
    std::vector<std::string> argv{PGFIREDRILL_PROGRAM, "inspect", "-i", inventory};
    argv.insert(argv.end(), more.begin(), more.end());
    return execute(argv);
  }

  /// The lab's own inventory with one text in place of another.
  std::string changed_inventory(const TemporaryDirectory& directory, const std::string& from,
                                const std::string& to) {
    std::string text = read_text(inventory_);
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return directory.write("inventory.yml", text);
  }

  /// Where the lab keeps its passwords, by the path of its key in the inventory.
  std::string access_folder() const {
    const std::string text = read_text(inventory_);
    const std::string field = "ansible_ssh_private_key_file: ";
    const auto begin = text.find(field) + field.size();
    const std::string key = text.substr(begin, text.find('\n', begin) - begin);
    return key.substr(0, key.rfind('/'));
  }

  std::string inventory_;
};

TEST_F(InspectLab, SeesAHealthyClusterWhole) {
  const auto result = inspect(inventory_, {"--format", "json"});
  ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
  const json document = json::parse(result.out);
  const json& cluster = document["cluster"];
  EXPECT_EQ(cluster["name"], "postgres-cluster");
  ASSERT_EQ(cluster["members"].size(), 3u);
  int leaders = 0;
  for (const json& member : cluster["members"]) {
    leaders += member["role"] == "leader";
    EXPECT_EQ(member["in_recovery"].get<bool>(), member["role"] != "leader") << member;
    EXPECT_THAT(member["postgres_version"].get<std::string>(), ::testing::StartsWith("17."));
  }
  EXPECT_EQ(leaders, 1);

  int primaries = 0;
  for (const json& point : cluster["entry_points"]) {
    if (point["for"] == "primary") {
      ++primaries;
      EXPECT_EQ(point["answered_in_recovery"], false) << point;
    } else if (point["for"] == "replica") {
      EXPECT_EQ(point["answered_in_recovery"], true) << point;
    }
  }
  EXPECT_GE(primaries, 1);
  EXPECT_EQ(cluster["consensus"].size(), 3u);
  ASSERT_EQ(cluster["repositories"].size(), 2u);
  for (const json& repository : cluster["repositories"]) {
    EXPECT_EQ(repository["status"], "ok");
    EXPECT_FALSE(repository["last_full"].is_null());
  }
  EXPECT_FALSE(cluster["settings"]["ttl_s"]["value"].is_null());
  EXPECT_THAT(cluster["settings"]["disagreements"], IsEmpty());
  EXPECT_THAT(document["not_reached"], IsEmpty());
}

TEST_F(InspectLab, IsNotMisledByTheUsersLibpqEnvironment) {
  SystemProcessRunner runner;
  const auto result = runner.run({.argv = {PGFIREDRILL_PROGRAM, "inspect", "-i", inventory_},
                                  .environment = {{"PGSERVICE", "no-such-service"},
                                                  {"PGHOST", "192.0.2.1"},
                                                  {"PGOPTIONS", "-c no_such_setting=1"},
                                                  {"PGTARGETSESSIONATTRS", "standby"}},
                                  .deadline = 60s});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->exit_status, 0) << result->out;
}

TEST_F(InspectLab, ShowsNoSecret) {
  const json secrets = json::parse(read_text(access_folder() + "/secrets.json"));
  ASSERT_GE(secrets.size(), 3u);
  for (const char* format : {"text", "json"}) {
    const auto result = inspect(inventory_, {"--format", format, "--verbose"});
    for (const auto& [name, secret] : secrets.items()) {
      ASSERT_GE(secret.get<std::string>().size(), 8u) << name;
      EXPECT_THAT(result.out + result.err, Not(HasSubstr(secret.get<std::string>()))) << name;
    }
  }
}

TEST_F(InspectLab, ReadsPatroniAloneWithItsAuthority) {
  const json seen = json::parse(inspect(inventory_, {"--format", "json"}).out);
  const std::string url = seen["cluster"]["members"][0]["api_url"];
  const std::string ca_file = access_folder() + "/tls/ca.crt";
  const auto result = execute({PGFIREDRILL_PROGRAM, "inspect", "--patroni", url, "--cacert", ca_file});
  EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("pgnode03"));

  const auto distrusted = execute({PGFIREDRILL_PROGRAM, "inspect", "--patroni", url});
  EXPECT_EQ(distrusted.exit_status, 6);
  EXPECT_THAT(distrusted.out, HasSubstr("certificate was not accepted"));
  EXPECT_THAT(distrusted.out, HasSubstr("--cacert"));
}

TEST_F(InspectLab, SaysThatTheKeyIsWrongAndStillShowsPatroni) {
  const TemporaryDirectory directory;
  ASSERT_EQ(execute({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / "key"}).exit_status, 0);
  const std::string inventory =
      changed_inventory(directory, access_folder() + "/id_ed25519", directory / "key");
  // A control socket of an earlier run would let us in without any key.
  ::setenv("XDG_RUNTIME_DIR", directory.path().c_str(), 1);
  const auto result = inspect(inventory, {"--cacert", access_folder() + "/tls/ca.crt"});
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(result.exit_status, 6);
  EXPECT_THAT(result.out, HasSubstr("Permission denied"));
  EXPECT_THAT(result.out, HasSubstr("ansible_ssh_private_key_file"));
  EXPECT_THAT(result.out, HasSubstr("pgnode02")) << "the REST interface needs no key";
}

TEST_F(InspectLab, ShowsTheRestWhereAHostIsDown) {
  // A replica: while the leader's host is down there may be no writable entry point to show.
  const json before = json::parse(inspect(inventory_, {"--format", "json"}).out);
  const json& members = before["cluster"]["members"];
  const auto replica =
      std::find_if(members.begin(), members.end(), [](const json& each) { return each["role"] != "leader"; });
  ASSERT_NE(replica, members.end()) << before;
  const std::string member = (*replica)["name"];
  const std::string host = std::string{"pg"} + member.back();  // pgnode02 runs on pg2
  ASSERT_EQ(lab({"power-off", host}).exit_status, 0);
  const auto begun = std::chrono::steady_clock::now();
  const auto result = inspect(inventory_, {"--format", "json"});
  const auto took = std::chrono::steady_clock::now() - begun;
  ASSERT_EQ(lab({"power-on", host}).exit_status, 0);
  EXPECT_EQ(lab({"status", "--wait"}).exit_status, 0) << "the lab must be healthy again for the next test";

  EXPECT_EQ(result.exit_status, 6) << result.out << result.err;
  const json document = json::parse(result.out);
  bool ssh_said = false;
  for (const json& missing : document["not_reached"]) {
    ssh_said = ssh_said || missing["topic"] == "ssh";
    EXPECT_FALSE(missing["hint"].is_null()) << missing;
  }
  EXPECT_TRUE(ssh_said);
  int writable = 0;
  for (const json& point : document["cluster"]["entry_points"])
    writable += point["answered_in_recovery"] == false;
  EXPECT_GE(writable, 1) << "what is up is still shown";
  EXPECT_LT(took, 30s);
}

}  // namespace
}  // namespace pgfiredrill
