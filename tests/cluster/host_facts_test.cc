#include "cluster/host_facts.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/process.h"
#include "tests/support/fake_host.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

/// This machine as a host: the script really runs, under sh.
FakeHost this_machine() {
  return FakeHost{"here", [](const RemoteCommand& command) -> Result<RemoteResult> {
                    SystemProcessRunner runner;
                    const auto result = runner.run({.argv = command.argv, .input = command.input});
                    if (!result) return result.error();
                    return RemoteResult{
                        .exit_status = result->exit_status, .out = result->out, .err = result->err};
                  }};
}

TEST(HostFacts, ReadsFilesByteForByte) {
  const TemporaryDirectory directory;
  const std::string binary{"a\0b\n\n@ end 0 -\n\xff", 17};
  const std::string first = directory.write("with space.yml", binary);
  const std::string second = directory.write("$(id)", "");
  auto host = this_machine();
  const auto facts = read_host_files(host, {first, directory / "missing", second}, 10s);
  ASSERT_TRUE(facts) << facts.error().message();
  EXPECT_EQ(facts->files.size(), 2u);
  EXPECT_EQ(facts->file(first), binary);
  EXPECT_EQ(facts->file(second), "");
  EXPECT_THAT(facts->unreadable, IsEmpty());
}

TEST(HostFacts, LeavesOutWhatIsTooLargeAndSaysSo) {
  const TemporaryDirectory directory;
  const std::string large = directory.write("large", std::string(2 << 20, 'x'));
  auto host = this_machine();
  const auto facts = read_host_files(host, {large}, 10s);
  ASSERT_TRUE(facts) << facts.error().message();
  EXPECT_THAT(facts->files, IsEmpty());
  EXPECT_EQ(facts->unreadable.at(large), "larger than 1 MiB");
}

TEST(HostFacts, LooksAtAMachineWithoutACluster) {
  auto host = this_machine();
  const auto facts = read_host_facts(host, 10s);
  ASSERT_TRUE(facts) << facts.error().message();
}

std::string frame(const std::string& kind, const std::string& name, const std::string& content) {
  return "@ " + kind + " " + std::to_string(content.size()) + " " + name + "\n" + content + "\n";
}

TEST(HostFacts, UnderstandsWhatProgramsSayOfTheirVersions) {
  const auto facts = parse_host_facts(
      frame("version", "haproxy", "HAProxy version 3.0.11-1+deb13u1 2025/05/20 - https://haproxy.org/") +
          frame("version", "keepalived", "Keepalived v2.3.3 (03/30,2025), git commit v2.3.3+") +
          frame("version", "pgbackrest", "pgBackRest 2.55.1") + frame("end", "-", ""),
      "pg1");
  ASSERT_TRUE(facts) << facts.error().message();
  EXPECT_EQ(facts->versions.at("haproxy"), "3.0.11");
  EXPECT_EQ(facts->versions.at("keepalived"), "2.3.3");
  EXPECT_EQ(facts->versions.at("pgbackrest"), "2.55.1");
}

TEST(HostFacts, ReadsAddressesAndUnits) {
  const auto facts = parse_host_facts(
      frame("addresses", "-", "127.0.0.1\n10.77.0.1\n") +
          frame("units", "-", "patroni.service active\nhaproxy.service failed\n") + frame("end", "-", ""),
      "pg1");
  ASSERT_TRUE(facts) << facts.error().message();
  EXPECT_THAT(facts->addresses, ElementsAre("127.0.0.1", "10.77.0.1"));
  EXPECT_EQ(facts->units.at("patroni"), "active");
  EXPECT_EQ(facts->units.at("haproxy"), "failed");
}

TEST(HostFacts, TakesNoHalfAnswer) {
  const std::string whole = "@ file 5 /etc/x\nhello\n@ end 0 -\n\n";
  ASSERT_TRUE(parse_host_facts(whole, "pg1"));
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    EXPECT_FALSE(parse_host_facts(whole.substr(0, length), "pg1").has_value()) << length;
  }
}

TEST(HostFacts, TakesNoFramesThatDoNotAddUp) {
  for (const char* output :
       {"Welcome!\n@ end 0 -\n\n", "@ file -1 x\n\n@ end 0 -\n\n", "@ file 99999999999999999999 x\n\n",
        "@ file 3 x\nhello\n@ end 0 -\n\n", "@ file x y\n\n@ end 0 -\n\n"}) {
    const auto facts = parse_host_facts(output, "pg1");
    ASSERT_FALSE(facts) << output;
    EXPECT_EQ(facts.error().kind, FailureKind::malformed);
  }
}

}  // namespace
}  // namespace pgfiredrill
