#include "fault-injectors/kill_postmaster.h"

#include <gmock/gmock.h>

#include "fault-injectors/postmaster_scripts.h"
#include "tests/fault-injectors/fake_drill.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FakeDrill;
using ::testing::HasSubstr;
using testing::let_lead;

constexpr const char* kKind = "kill-postmaster";

/// A host on which the postmaster is process 150, started at tick 9000.
class KillPostmasterTest : public ::testing::Test {
 protected:
  KillPostmasterTest() {
    drill_.on_host = [this](const RemoteCommand& command) -> Result<RemoteResult> {
      const std::string& script = command.argv.at(2);
      if (script == find_postmaster_script()) return found_;
      if (script == kill_postmaster_script()) return killed_;
      return gone_;
    };
  }

  std::unique_ptr<Fault> aimed() {
    auto fault = drill_.make(kKind);
    const auto aim = fault->aim(drill_.probe.now);
    EXPECT_TRUE(aim.has_value()) << aim.error().message();
    return fault;
  }

  FakeDrill drill_;
  Result<RemoteResult> found_ =
      RemoteResult{.out = "pid 150 start 9000 exe /usr/lib/postgresql/17/bin/postgres\n"};
  Result<RemoteResult> killed_ = RemoteResult{.out = "killed pid 150 start 9000 exe postgres\n"};
  Result<RemoteResult> gone_ = RemoteResult{};
};

TEST_F(KillPostmasterTest, AimsAtOneProcessOnTheLeadersHost) {
  const auto fault = aimed();
  EXPECT_EQ(fault->target(), "pgnode01");
  ASSERT_EQ(drill_.pg1.commands().size(), 1u);
  EXPECT_TRUE(drill_.pg2.commands().empty());
  EXPECT_EQ(drill_.pg1.commands()[0].argv.back(), "/data/17 main");
  EXPECT_TRUE(drill_.pg1.commands()[0].as_root);
  ASSERT_EQ(fault->describe().size(), 1u);
  EXPECT_THAT(fault->describe()[0], HasSubstr("on pg1: sudo sh -c '"));
  EXPECT_THAT(fault->describe()[0], HasSubstr("kill -9"));
  EXPECT_THAT(fault->describe()[0], ::testing::EndsWith("pgfiredrill '/data/17 main' 150 9000"));
}

TEST_F(KillPostmasterTest, KillsWhatItAimedAt) {
  ASSERT_TRUE(aimed()->inject());
  const auto argv = drill_.pg1.commands().at(1).argv;
  EXPECT_THAT(std::vector<std::string>(argv.begin() + 3, argv.end()),
              ElementsAre("pgfiredrill", "/data/17 main", "150", "9000"));
}

TEST_F(KillPostmasterTest, FindsNoTarget) {
  drill_.probe.now.members[0].role = "replica";
  EXPECT_EQ(drill_.make(kKind)->aim(drill_.probe.now).error().kind, FailureKind::missing);
  drill_.probe.now.members[0].role = "leader";
  drill_.cluster.members[0].host.clear();
  EXPECT_EQ(drill_.make(kKind)->aim(drill_.probe.now).error().kind, FailureKind::missing);
  drill_.cluster.members[0].host = "pg1";
  for (const int exit_status : {kAlreadyGone, kNotPostgres, kNotPermitted, kNoPidFile}) {
    found_ = RemoteResult{.exit_status = exit_status, .err = "why"};
    const auto aim = drill_.make(kKind)->aim(drill_.probe.now);
    ASSERT_FALSE(aim);
    EXPECT_FALSE(aim.error().transaction_in_doubt);
  }
  for (const char* odd : {"", "pid x start 9", "pid 1 start", "PID 1 start 2", "pid 1 start 2; rm"}) {
    found_ = RemoteResult{.out = odd};
    EXPECT_FALSE(drill_.make(kKind)->aim(drill_.probe.now)) << odd;
  }
  found_ = Failure{.kind = FailureKind::unreachable, .what = "log in"};
  EXPECT_EQ(drill_.make(kKind)->aim(drill_.probe.now).error().kind, FailureKind::unreachable);
}

TEST_F(KillPostmasterTest, AsksPostgresqlForItsDataDirectoryWherePatroniYmlIsSilent) {
  drill_.cluster.members[0].data_directory.clear();
  const auto aim = drill_.make(kKind)->aim(drill_.probe.now);
  ASSERT_FALSE(aim) << "no superuser is known here";
  EXPECT_THAT(aim.error().message(), HasSubstr("superuser"));
}

TEST_F(KillPostmasterTest, InjectsNothingUnaimed) {
  EXPECT_FALSE(drill_.make(kKind, "pgnode01")->inject());
  EXPECT_TRUE(drill_.pg1.commands().empty());
}

TEST_F(KillPostmasterTest, TellsRefusalsApart) {
  const auto fault = aimed();
  const std::vector<std::tuple<int, FailureKind, bool>> cases{
      {kAlreadyGone, FailureKind::missing, false}, {kNotPostgres, FailureKind::failed, false},
      {kNotPermitted, FailureKind::denied, false}, {kNoPidFile, FailureKind::missing, false},
      {kStillThere, FailureKind::timed_out, true}, {2, FailureKind::failed, true}};
  for (const auto& [exit_status, kind, in_doubt] : cases) {
    killed_ = RemoteResult{.exit_status = exit_status, .err = "why"};
    const auto injected = fault->inject();
    ASSERT_FALSE(injected) << exit_status;
    EXPECT_EQ(injected.error().kind, kind) << exit_status;
    EXPECT_EQ(injected.error().transaction_in_doubt, in_doubt) << exit_status;
  }
  killed_ = Failure{.kind = FailureKind::timed_out, .what = "run sh by ssh"};
  EXPECT_TRUE(fault->inject().error().transaction_in_doubt);
}

TEST_F(KillPostmasterTest, IsProvenByANewPostmaster) {
  const auto fault = aimed();
  gone_ = RemoteResult{.exit_status = kStillThere};
  drill_.probe.before_look = [&](int look) {
    if (look == 2) gone_ = Failure{.kind = FailureKind::timed_out, .what = "run"};
    if (look == 3) gone_ = RemoteResult{};  // but the same PostgreSQL answers
    if (look == 4) drill_.probe.now.servers["pgnode01"].postmaster_start = "333";
  };
  const Evidence evidence = fault->verify(30s);
  EXPECT_TRUE(evidence.took);
  EXPECT_EQ(drill_.probe.looks, 4);
  EXPECT_THAT(evidence.sentence, HasSubstr("process 150 (started at tick 9000) is gone on pg1"));
  EXPECT_THAT(evidence.sentence, HasSubstr("new postmaster"));
}

TEST_F(KillPostmasterTest, IsProvenByNoServerAtAll) {
  const auto fault = aimed();
  drill_.probe.now.servers["pgnode01"] = {.why_not = "refused"};
  EXPECT_TRUE(fault->verify(5s).took);
}

TEST_F(KillPostmasterTest, IsNotProvenWhileTheProcessIsThere) {
  const auto fault = aimed();
  gone_ = RemoteResult{.exit_status = kStillThere};
  drill_.probe.now.servers["pgnode01"] = {.why_not = "frozen"};
  const Evidence evidence = fault->verify(5s);
  EXPECT_FALSE(evidence.took) << "a server that does not answer may only be slow";
  EXPECT_THAT(evidence.sentence, HasSubstr("still there"));
}

TEST_F(KillPostmasterTest, IsOverWhenPatroniHasItRunning) {
  const auto fault = drill_.make(kKind, "pgnode01");
  EXPECT_TRUE(fault->revert());
  let_lead(drill_.probe.now, "pgnode02", 5);
  drill_.probe.now.members[0].state = "crashed";
  drill_.probe.now.servers["pgnode01"] = {.why_not = "refused"};
  const Evidence down = fault->verify_reverted();
  EXPECT_FALSE(down.took);
  EXPECT_THAT(down.sentence, HasSubstr("Patroni has not brought PostgreSQL back"));
  drill_.probe.now.members[0].state = "streaming";
  EXPECT_FALSE(fault->verify_reverted().took) << "its PostgreSQL does not answer";
  drill_.probe.now.servers["pgnode01"] = {.answered = true, .in_recovery = true};
  EXPECT_TRUE(fault->verify_reverted().took);
}

}  // namespace
}  // namespace pgfiredrill::fault
