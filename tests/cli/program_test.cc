/// The program as a user starts it: exit codes, what goes to stdout and what to stderr.

#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/process.h"
#include "record/recorder.h"
#include "tests/support/loopback_server.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LoopbackServer;
using testing::TemporaryDirectory;

ProcessResult run(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) {
  arguments.insert(arguments.begin(), PGFIREDRILL_PROGRAM);
  SystemProcessRunner runner;
  const auto result = runner.run(
      {.argv = arguments, .environment = std::move(environment), .deadline = std::chrono::seconds{50}});
  EXPECT_TRUE(result.has_value());
  return result ? *result : ProcessResult{};
}

/// Bad input: exit code 2, one line on stderr that says what to do, nothing on stdout.
std::string bad_input(const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& environment = {}) {
  const auto result = run(arguments, environment);
  EXPECT_EQ(result.exit_status, 2) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  return result.err;
}

bool has_ansible() {
  return std::system("command -v ansible-inventory >/dev/null 2>&1") == 0;
}

TEST(Program, PrintsItsVersion) {
  const auto result = run({"--version"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, HasSubstr("pgfiredrill "));
}

TEST(Program, SaysThatAnInventoryIsMissing) {
  EXPECT_THAT(bad_input({"inspect", "-i", "/nonexistent/inventory"}), HasSubstr("/nonexistent/inventory"));
}

TEST(Program, SaysThatAnsibleIsMissing) {
  const TemporaryDirectory directory;
  const std::string inventory = directory.write("inventory", "[master]\n10.77.0.11\n");
  EXPECT_THAT(bad_input({"inspect", "-i", inventory}, {{"PATH", "/nonexistent"}}), HasSubstr("ansible"));
}

TEST(Program, SaysThatAnInventoryHasNoDatabases) {
  if (!has_ansible()) GTEST_SKIP() << "ansible-inventory is not installed";
  const TemporaryDirectory directory;
  const std::string inventory = directory.write("inventory", "[web]\n10.77.0.99\n");
  EXPECT_THAT(bad_input({"inspect", "-i", inventory}), HasSubstr("postgres_cluster"));
}

TEST(Program, SaysThatAnAddressIsNone) {
  EXPECT_THAT(bad_input({"inspect", "--patroni", "pg1:8008"}), HasSubstr("https://"));
}

TEST(Program, SaysThatAnAuthorityIsNoCertificate) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("ca.crt", "nothing");
  EXPECT_THAT(bad_input({"inspect", "--patroni", "https://127.0.0.1:1", "--cacert", file}),
              HasSubstr("no PEM certificate"));
  EXPECT_THAT(bad_input({"inspect", "--patroni", "https://127.0.0.1:1", "--cacert", "/nonexistent"}),
              HasSubstr("No such file"));
}

TEST(Program, KnowsItsSuitesDrillsAndFaults) {
  EXPECT_THAT(run({"list", "suites"}).out, HasSubstr("smoke"));
  EXPECT_THAT(run({"list", "drills"}).out, HasSubstr("smoke / switchover"));
  EXPECT_THAT(run({"list", "faults"}).out, HasSubstr("kill-process"));
}

/// A mistake in what to run shows before anything is asked of the cluster.
TEST(Program, SaysThatASuiteOrItsDrillIsUnknown) {
  EXPECT_THAT(bad_input({"run", "smok", "-i", "/nonexistent", "--confirm", "c"}), HasSubstr("smoke"));
  EXPECT_THAT(bad_input({"run", "smoke", "-i", "/nonexistent", "--confirm", "c", "--filter", "nothing"}),
              HasSubstr("postmaster-kill"));
  EXPECT_THAT(bad_input({"run", "/tmp", "-i", "/nonexistent", "--confirm", "c"}), HasSubstr("smoke"));
}

TEST(Program, SaysThatARunHasNoRecord) {
  const TemporaryDirectory folder;
  EXPECT_THAT(bad_input({"report", folder.path().string()}), HasSubstr("manifest"));
  EXPECT_THAT(bad_input({"report", "/nonexistent"}), HasSubstr("/nonexistent"));
}

/// A program that was killed leaves a record without an end: it is judged, and never passes.
TEST(Program, JudgesARunThatWasKilled) {
  const TemporaryDirectory folder;
  SystemClock clock;
  {
    const auto recorder = Recorder::create(folder / "run", clock);
    ASSERT_TRUE(recorder.has_value());
    RunManifest manifest;
    manifest.run_id = "20260301T120000Z-test";
    manifest.suite = "test";
    manifest.drills.emplace_back().name = "switchover";
    ASSERT_TRUE((*recorder)->write_manifest(manifest).has_value());
    (*recorder)->add({.kind = event::kRunStarted, .fields = {}});
    (*recorder)->sync();
  }
  const auto result = run({"report", folder / "run"});
  EXPECT_EQ(result.exit_status, 6) << result.err;
  EXPECT_THAT(result.out, HasSubstr("INCONCLUSIVE"));
  EXPECT_THAT(result.out, HasSubstr("killed"));
  EXPECT_THAT(run({"report", folder / "run", "--format", "json"}).out,
              HasSubstr("\"verdict\": \"inconclusive\""));
}

TEST(Program, EndsInconclusiveWhereNobodyAnswers) {
  const std::string url = "http://127.0.0.1:" + std::to_string(testing::closed_port());
  const auto result = run({"inspect", "--patroni", url});
  EXPECT_EQ(result.exit_status, 6);
  EXPECT_THAT(result.out, HasSubstr("Not reached (1)"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Program, ReadsAClusterByPatroniAlone) {
  LoopbackServer server{[](int socket) {
    const std::string head = testing::read_request_head(socket);
    testing::send_text(socket, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n");
    testing::send_text(socket, head.starts_with("GET /cluster ")   ? R"({"members": [], "scope": "small"})"
                               : head.starts_with("GET /history ") ? "[]"
                                                                   : R"({"ttl": 30, "loop_wait": 10})");
  }};
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port());
  const auto result = run({"inspect", "--patroni", url, "--format", "json"});
  EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["cluster"]["name"], "small");
  EXPECT_EQ(document["cluster"]["settings"]["ttl_s"]["value"], 30);
}

}  // namespace
}  // namespace pgfiredrill
