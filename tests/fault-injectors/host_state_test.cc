#include "fault-injectors/host_state.h"

#include <gmock/gmock.h>

namespace pgfiredrill::fault {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const OpenRun kRun{.run_id = "run-1",
                   .owner = "root@tester pid 7 boot x",
                   .debts = {{.kind = "database", .name = "a b%\n"},
                             {.kind = "fault", .name = "power-off", .detail = "pgnode01"}}};

std::string framed(const std::string& head, const std::string& text) {
  std::string output = head + "\n|";
  for (const char c : text.substr(0, text.size() - 1))
    output += c == '\n' ? std::string{"\n|"} : std::string(1, c);
  return output + "\n";
}

TEST(ArmedRecord, GivesBackWhatWasWritten) {
  const OpenRun read = parse_armed(armed_text(kRun), "run-1", "pg1").value();
  EXPECT_EQ(read.run_id, kRun.run_id);
  EXPECT_EQ(read.owner, kRun.owner);
  EXPECT_EQ(read.debts, kRun.debts);
  EXPECT_THAT(parse_armed(armed_text({.run_id = "r", .owner = "me"}), "r", "pg1").value().debts, IsEmpty());
}

TEST(ArmedRecord, IsNotBelievedWhereItIsCutOrChanged) {
  const std::string whole = armed_text(kRun);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_FALSE(parse_armed(whole.substr(0, size), "run-1", "pg1")) << size;
  }
  for (const char* bad :
       {"", "nonsense\n", "pgfiredrill-armed 2\nrun run-1\nowner me\nend\n",
        "pgfiredrill-armed 1\nrun run-2\nowner me\nend\n", "pgfiredrill-armed 1\nrun run-1\nowner \nend\n",
        "pgfiredrill-armed 1\nrun run-1\nowner a\x1b[2J\nend\n",
        "pgfiredrill-armed 1\nrun run-1\nowner me\ndebt a b\nend\n",
        "pgfiredrill-armed 1\nrun run-1\nowner me\ndebt a b c d\nend\n",
        "pgfiredrill-armed 1\nrun run-1\nowner me\ndebt a %zz c\nend\n",
        "pgfiredrill-armed 1\nrun run-1\nowner me\nfault a b c\nend\n"}) {
    const auto read = parse_armed(bad, "run-1", "pg1");
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().kind, FailureKind::malformed);
    EXPECT_EQ(read.error().where, "pg1");
  }
}

TEST(HostState, ReadsLockAndRecords) {
  const HostState state =
      parse_host_state("now 1000\n" + framed("lock", "run run-1\nowner me and you\nuntil 1042\n") +
                           framed("armed run-1", armed_text(kRun)) +
                           framed("armed run-2", armed_text({.run_id = "run-2", .owner = "me"})) + "end\n",
                       "pg1")
          .value();
  EXPECT_EQ(state.host, "pg1");
  EXPECT_EQ(state.lock_run, "run-1");
  EXPECT_EQ(state.lock_owner, "me and you");
  EXPECT_EQ(state.lock_left, std::chrono::seconds{42});
  ASSERT_EQ(state.armed.size(), 2u);
  EXPECT_EQ(state.armed[0].debts, kRun.debts);
}

TEST(HostState, ReadsAnEmptyHostAndAnExpiredLock) {
  EXPECT_EQ(parse_host_state("now 1000\nend\n", "pg1").value().lock_run, "");
  EXPECT_EQ(parse_host_state("now 1000\n" + framed("lock", "run r\nowner me\nuntil 990\n") + "end\n", "pg1")
                .value()
                .lock_left,
            std::chrono::seconds{-10});
}

TEST(HostState, ReadsWhichRunLastBrokeSomething) {
  const auto state = [](const std::string& stamp) {
    return parse_host_state("now 1000\n" + framed("last-disruptive", stamp) + "end\n", "pg1");
  };
  EXPECT_EQ(state("run run-1\nat 940\n").value().broken_by, "run-1");
  EXPECT_EQ(state("run run-1\nat 940\n").value().broken_ago, std::chrono::seconds{60});
  // It outlives every run: one that is damaged must not keep the host from being drilled or healed for good.
  for (const char* bad : {"x\n", "run ../x\nat 5\n", "run r\nat never\n", "run r\nat -5\n"}) {
    ASSERT_TRUE(state(bad)) << bad;
    EXPECT_EQ(state(bad)->broken_by, "") << bad;
  }
}

TEST(HostState, BelievesNothingElse) {
  const std::string lock = framed("lock", "run r\nowner me\nuntil 990\n");
  for (const std::string& bad :
       {std::string{}, std::string{"now 1000\n"}, "end\n" + std::string{}, std::string{"now x\nend\n"},
        std::string{"now -5\nend\n"}, "now 1000\n" + lock, std::string{"now 1000\nodd\nend\n"},
        std::string{"now 1000\nsurprise\nend\n"}, std::string{"now 1000\nlock\nend\n"},
        std::string{"now 1000\nlock\n|run ../x\n|owner me\n|until 5\nend\n"},
        std::string{"now 1000\nlock\n|run r\n|owner me\n|until 99999999999999999999\nend\n"},
        std::string{"now 1000\nlock\n|run r\n|owner a\x07z\n|until 5\nend\n"},
        std::string{"now 1000\narmed ../x\n|pgfiredrill-armed 1\nend\n"},
        "now 1000\n" + framed("armed run-9", armed_text(kRun)) + "end\n"}) {
    const auto state = parse_host_state(bad, "pg1");
    ASSERT_FALSE(state) << bad;
    EXPECT_EQ(state.error().kind, FailureKind::malformed);
    EXPECT_THAT(state.error().message(), HasSubstr("/var/lib/pgfiredrill"));
  }
}

}  // namespace
}  // namespace pgfiredrill::fault
