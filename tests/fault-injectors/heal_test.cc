#include "fault-injectors/heal.h"

#include <ctime>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/fault-injectors/fake_drill.h"
#include "tests/support/environment_guard.h"
#include "tests/support/local_host.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::fault {
namespace {

namespace fs = std::filesystem;

using namespace std::chrono_literals;
using ::testing::Contains;
using testing::EnvironmentGuard;
using testing::FakeDrill;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::let_lead;
using testing::LocalHost;
using ::testing::Not;
using testing::TemporaryDirectory;

const Debt kRole{.kind = "role", .name = "pgfiredrill"};
const Debt kDatabase{.kind = "database", .name = "pgfiredrill"};
const Debt kLeader{.kind = "leader", .name = "pgnode01"};
const Debt kFault{.kind = "fault", .name = "patroni-switchover", .detail = "pgnode01"};
constexpr const char* kDeadOwner = "me@here pid 1 boot dead";
constexpr const char* kLivingOwner = "you@there pid 2 boot alive";

/// One real folder that stands for the host pg1, and a second host whose answers a test chooses; a run that
/// was killed in the middle of a fault, after which pgnode02 leads.
class HealTest : public ::testing::Test {
 protected:
  HealTest() {
    environment_.set("XDG_STATE_HOME", directory_ / "state");
    journal_ = std::move(*Journal::open("postgres-cluster"));
    let_lead(drill_.probe.now, "pgnode02", 5);
    drill_.on_rest = [this](const HttpRequest&) -> Result<HttpResponse> {
      let_lead(drill_.probe.now, "pgnode01", 6);
      return HttpResponse{.status = 200, .body = "Successfully switched over"};
    };
  }

  void die_in_a_fault(const std::string& run = "run-1", const std::string& owner = kDeadOwner,
                      bool in_journal = true) {
    const std::vector<Debt> debts{kRole, kDatabase, kLeader, kFault};
    HostLocks locks{{&host_}, run, owner, folder_};
    ASSERT_TRUE(locks.take());
    ASSERT_TRUE(locks.write_armed(debts));
    if (!in_journal) return;
    ASSERT_TRUE(journal_->begin(run, owner));
    for (const Debt& debt : debts) ASSERT_TRUE(journal_->owe(run, debt));
  }

  Result<HealReport> heal() {
    const HealSeams seams{.tools = drill_.tools(),
                          .journal = with_journal_ ? journal_.get() : nullptr,
                          .hosts = hosts_,
                          .drop_traffic =
                              [this] {
                                ++dropped_;
                                return drop_;
                              },
                          .say = [this](const std::string& sentence) { said_ += sentence + "\n"; },
                          .owner_is_dead = [](const std::string& owner) { return owner == kDeadOwner; },
                          .host_folder = folder_};
    return fault::heal(seams, "heal-1");
  }

  HostState on_host() {
    std::vector<Failure> not_reached;
    auto states = HostLocks{{&host_}, "looker", "me", folder_}.look(not_reached);
    EXPECT_EQ(states.size(), 1u);
    return states.empty() ? HostState{} : states[0];
  }

  static std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& sentence : sentences) text += sentence + "\n";
    return text;
  }

  void expect_nothing_left_behind() {
    EXPECT_THAT(on_host().armed, IsEmpty());
    EXPECT_EQ(on_host().lock_run, "");
    EXPECT_THAT(journal_->open_runs().value(), IsEmpty());
  }

  std::size_t switchovers() const { return drill_.http.requests().size(); }

  TemporaryDirectory directory_;
  EnvironmentGuard environment_;
  std::string folder_ = directory_ / "pgfiredrill";
  LocalHost host_{"pg1"};
  std::vector<Host*> hosts_{&host_};
  FakeDrill drill_;
  std::unique_ptr<Journal> journal_;
  bool with_journal_ = true;
  Result<void> drop_{};
  int dropped_ = 0;
  std::string said_;
};

TEST_F(HealTest, HasNothingToDoOnAQuietCluster) {
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->done, IsEmpty());
  EXPECT_THAT(report->left, IsEmpty());
  EXPECT_EQ(drill_.probe.looks, 0);
  EXPECT_FALSE(fs::exists(folder_)) << "nothing was changed on the host";
}

TEST_F(HealTest, UndoesEverythingFromTheLastToTheFirst) {
  die_in_a_fault();
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->left, IsEmpty()) << joined(report->left);
  const std::string done = joined(report->done);
  EXPECT_THAT(done, ::testing::ContainsRegex("the fault patroni-switchover on pgnode01(.|\n)*"
                                             "pgnode01 leads again(.|\n)*"
                                             "the database pgfiredrill(.|\n)*"
                                             "the role pgfiredrill(.|\n)*"
                                             "Run run-1 is healed"));
  EXPECT_EQ(switchovers(), 1u);
  EXPECT_THAT(drill_.http.requests()[0].body, HasSubstr(R"("candidate":"pgnode01")"));
  EXPECT_EQ(dropped_, 1);
  expect_nothing_left_behind();

  const auto again = heal();
  ASSERT_TRUE(again);
  EXPECT_THAT(again->done, IsEmpty());
}

TEST_F(HealTest, WorksFromAMachineWithoutTheJournal) {
  die_in_a_fault("run-1", kDeadOwner, false);
  with_journal_ = false;
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->left, IsEmpty()) << joined(report->left);
  EXPECT_EQ(switchovers(), 1u);
  expect_nothing_left_behind();
}

TEST_F(HealTest, LeavesALeaderThatLeads) {
  die_in_a_fault();
  let_lead(drill_.probe.now, "pgnode01", 6);
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->left, IsEmpty());
  EXPECT_EQ(switchovers(), 0u);
}

// A run that only the journal here still has open knows nothing of who led before the one on the hosts.
TEST_F(HealTest, PutsTheLeaderBackAlthoughAnEarlierRunWasHealedFromElsewhere) {
  ASSERT_TRUE(journal_->begin("run-0", kDeadOwner));
  ASSERT_TRUE(journal_->owe("run-0", {.kind = "leader", .name = "pgnode02"}));
  die_in_a_fault();
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->left, IsEmpty()) << joined(report->left);
  EXPECT_THAT(joined(report->done), HasSubstr("pgnode01 leads again"));
  EXPECT_EQ(switchovers(), 1u);
  expect_nothing_left_behind();
}

TEST_F(HealTest, RefusesWhileTheRunIsAlive) {
  die_in_a_fault("run-1", kLivingOwner);
  // The host's clock stands still while ours is simulated: a lock that is renewed is one that does not run
  // out.
  const auto report = heal();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FailureKind::denied);
  EXPECT_THAT(report.error().message(), HasSubstr("run run-1 of you@there"));
  EXPECT_THAT(said_, HasSubstr("waiting up to 60 s"));
  EXPECT_EQ(dropped_, 0);
  EXPECT_EQ(switchovers(), 0u);
  EXPECT_EQ(on_host().lock_run, "run-1");
  EXPECT_EQ(journal_->open_runs().value().size(), 1u);
}

/// A host whose lock runs out by the simulated clock, unless it is renewed.
class LockedHost {
 public:
  LockedHost(testing::SimulatedClock& clock, bool renewed) : clock_{clock}, renewed_{renewed} {}

  Result<RemoteResult> operator()(const RemoteCommand& command) {
    if (command.argv.size() > 5) {
      ++changes;
      return RemoteResult{};
    }
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(clock_.monotonic() - begun_).count();
    const auto left = renewed_ ? 50 - age % 10 : 50 - age;
    return RemoteResult{.out = "now 1000\nlock\n|run run-7\n|owner you@there pid 2 boot alive\n|until " +
                               std::to_string(1000 + left) + "\nend\n"};
  }

  int changes = 0;

 private:
  testing::SimulatedClock& clock_;
  bool renewed_;
  nanoseconds begun_ = clock_.monotonic();
};

TEST_F(HealTest, WaitsForALockToExpire) {
  LockedHost locked{drill_.clock, false};
  FakeHost host{"pg2", [&](const RemoteCommand& command) { return locked(command); }};
  hosts_ = {&host};
  const auto begun = drill_.clock.monotonic();
  const auto report = heal();
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_GE(drill_.clock.monotonic() - begun, 50s);
  EXPECT_THAT(report->done, Contains(HasSubstr("The lock of run run-7 is removed")));
  EXPECT_GT(locked.changes, 0);
}

TEST_F(HealTest, SeesThatALockIsRenewed) {
  LockedHost locked{drill_.clock, true};
  FakeHost host{"pg2", [&](const RemoteCommand& command) { return locked(command); }};
  hosts_ = {&host};
  const auto begun = drill_.clock.monotonic();
  const auto report = heal();
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr("renewed just now"));
  EXPECT_LT(drill_.clock.monotonic() - begun, 30s) << "as soon as it shows";
  EXPECT_EQ(locked.changes, 0);
}

TEST_F(HealTest, LeavesTheLeaderWhileTheClusterIsNotHealthy) {
  die_in_a_fault();
  drill_.probe.before_look = [&](int look) {
    if (look > 1) drill_.probe.now.members[0].lag_bytes = 1 << 30;
  };
  const auto report = heal();
  ASSERT_TRUE(report);
  const std::string left = joined(report->left);
  EXPECT_THAT(left, HasSubstr("pgnode01 lags by"));
  EXPECT_THAT(left, HasSubstr("patronictl switchover --leader pgnode02 --candidate pgnode01"));
  EXPECT_EQ(switchovers(), 0u);
  EXPECT_EQ(dropped_, 1) << "the rest is done";
  EXPECT_EQ(on_host().armed.size(), 1u);
  EXPECT_EQ(on_host().lock_run, "") << "our own lock is given back";
  ASSERT_EQ(journal_->open_runs().value().size(), 1u);
  EXPECT_THAT(journal_->open_runs().value()[0].debts, ::testing::ElementsAre(kLeader));

  drill_.probe.before_look = [](int) {};
  drill_.probe.now.members[0].lag_bytes = 0;
  const auto again = heal();
  ASSERT_TRUE(again);
  EXPECT_THAT(again->left, IsEmpty()) << joined(again->left);
  EXPECT_EQ(switchovers(), 1u);
  EXPECT_EQ(dropped_, 1) << "what is settled is not done again";
  expect_nothing_left_behind();
}

TEST_F(HealTest, TriesASwitchoverOnce) {
  die_in_a_fault();
  drill_.on_rest = [](const HttpRequest&) {
    return HttpResponse{.status = 412, .body = "no good candidates"};
  };
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_EQ(switchovers(), 1u);
  EXPECT_THAT(joined(report->left), HasSubstr("no good candidates"));
  EXPECT_THAT(joined(report->left), HasSubstr("patronictl switchover"));
}

TEST_F(HealTest, BelievesTheClusterWhereTheAnswerOfASwitchoverIsLost) {
  die_in_a_fault();
  drill_.on_rest = [this](const HttpRequest&) -> Result<HttpResponse> {
    let_lead(drill_.probe.now, "pgnode01", 6);
    return Failure{.kind = FailureKind::timed_out, .what = "send"};
  };
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->left, IsEmpty()) << joined(report->left);
}

TEST_F(HealTest, KeepsTheRecordOfAFaultThatIsStillInForce) {
  die_in_a_fault();
  drill_.probe.now.members[0].state = "crashed";
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(joined(report->left), HasSubstr("Undo the fault patroni-switchover on pgnode01"));
  EXPECT_THAT(joined(report->left), HasSubstr("crashed"));
  EXPECT_EQ(on_host().armed.size(), 1u);
  EXPECT_EQ(switchovers(), 0u);
}

TEST_F(HealTest, KeepsWhatItDoesNotKnow) {
  const Debt meteor{.kind = "fault", .name = "meteor", .detail = "pgnode01"};
  const Debt moon{.kind = "moon", .name = "luna"};
  HostLocks locks{{&host_}, "run-1", kDeadOwner, folder_};
  ASSERT_TRUE(locks.take());
  ASSERT_TRUE(locks.write_armed({moon, meteor}));
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(joined(report->left), HasSubstr("does not know the fault meteor on pgnode01"));
  EXPECT_THAT(joined(report->left), HasSubstr("does not know the moon luna"));
  EXPECT_EQ(on_host().armed.size(), 1u);
}

TEST_F(HealTest, SaysWhatCouldNotBeDropped) {
  die_in_a_fault();
  drop_ = Failure{.kind = FailureKind::unreachable, .what = "log in", .where = "pgnode02"};
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_EQ(dropped_, 1);
  EXPECT_THAT(joined(report->left), HasSubstr("Remove the database pgfiredrill: cannot log in on pgnode02"));
  EXPECT_EQ(on_host().armed.size(), 1u);
}

TEST_F(HealTest, SaysWhichHostsDidNotAnswerAndGoesOn) {
  die_in_a_fault();
  FakeHost silent{"pg2", [](const RemoteCommand&) -> Result<RemoteResult> {
                    return Failure{.kind = FailureKind::unreachable, .what = "log in by ssh", .where = "pg2"};
                  }};
  hosts_ = {&host_, &silent};
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(joined(report->left),
              HasSubstr("What runs have left on a host is not known: cannot log in by ssh on pg2"));
  EXPECT_THAT(joined(report->left), HasSubstr("its record " + folder_ + "/armed/run-1 is still on a host"));
  EXPECT_EQ(switchovers(), 1u);
  ASSERT_EQ(journal_->open_runs().value().size(), 1u) << "until the last record is gone";
  EXPECT_THAT(journal_->open_runs().value()[0].debts, IsEmpty());

  hosts_ = {&host_};
  const auto again = heal();
  ASSERT_TRUE(again);
  EXPECT_THAT(again->left, IsEmpty());
  EXPECT_EQ(switchovers(), 1u);
  EXPECT_EQ(dropped_, 1);
  expect_nothing_left_behind();
}

TEST_F(HealTest, ReportsADamagedJournalAndHealsByTheHosts) {
  die_in_a_fault();
  std::ofstream{journal_->path(), std::ios::app} << "nonsense\n";
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(joined(report->left), HasSubstr("is none that pgfiredrill writes"));
  EXPECT_EQ(switchovers(), 1u);
  EXPECT_THAT(on_host().armed, IsEmpty());
}

// Healed from another machine since: whoever leads now was put there by people.
TEST_F(HealTest, MovesNoLeaderForARunThatNoHostKnowsAnyMore) {
  die_in_a_fault();
  fs::remove_all(folder_);
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->left, IsEmpty()) << joined(report->left);
  EXPECT_EQ(switchovers(), 0u);
  EXPECT_THAT(joined(report->done), HasSubstr("healed from elsewhere"));
  expect_nothing_left_behind();
}

// Another machine's run whose record stays on a host that was down: by the time that host is back, people may
// have moved the leader.
TEST_F(HealTest, RemembersWhatItHasUndoneForOthers) {
  die_in_a_fault("run-1", kDeadOwner, false);
  const std::string record = folder_ + "/armed/run-1";
  fs::copy_file(record, directory_ / "record");
  FakeHost silent{"pg2", [](const RemoteCommand&) -> Result<RemoteResult> {
                    return Failure{.kind = FailureKind::unreachable, .what = "log in by ssh", .where = "pg2"};
                  }};
  hosts_ = {&host_, &silent};
  ASSERT_TRUE(heal());
  EXPECT_EQ(switchovers(), 1u);

  fs::copy_file(directory_ / "record", record);
  let_lead(drill_.probe.now, "pgnode02", 7);
  hosts_ = {&host_};
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->left, IsEmpty()) << joined(report->left);
  EXPECT_EQ(switchovers(), 1u);
  EXPECT_EQ(dropped_, 1);
  expect_nothing_left_behind();
}

TEST_F(HealTest, PutsBackWhoLedBeforeTheOldestRun) {
  die_in_a_fault("run-1");
  {
    HostLocks locks{{&host_}, "run-1", kDeadOwner, folder_};
    ASSERT_TRUE(locks.release());
    // A second run can only have begun where the first one's record was taken away by hand.
    ASSERT_TRUE(locks.remove_armed("run-1"));
  }
  HostLocks second{{&host_}, "run-2", kDeadOwner, folder_};
  ASSERT_TRUE(second.take());
  ASSERT_TRUE(second.write_armed({{.kind = "leader", .name = "pgnode03"}}));
  std::ofstream{folder_ + "/armed/run-1"}
      << "pgfiredrill-armed 1\nrun run-1\nowner me\ndebt leader pgnode01 %\nend\n";
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->left, IsEmpty()) << joined(report->left);
  EXPECT_EQ(switchovers(), 1u);
  EXPECT_THAT(drill_.http.requests()[0].body, HasSubstr(R"("candidate":"pgnode01")"));
  expect_nothing_left_behind();
}

TEST_F(HealTest, RenewsItsLockAndStopsWhereItIsLost) {
  die_in_a_fault();
  drill_.probe.now.members[0].state = "starting";
  drill_.probe.before_look = [&](int look) {
    if (look == 5) {  // somebody has taken the lock, by hand
      std::ofstream{folder_ + "/lock"} << "run run-9\nowner other\nuntil " << std::time(nullptr) + 60 << "\n";
    }
  };
  const auto report = heal();
  ASSERT_TRUE(report);
  EXPECT_THAT(joined(report->left), HasSubstr("Somebody else works on this cluster now"));
  EXPECT_EQ(switchovers(), 0u);
  EXPECT_EQ(dropped_, 0);
  EXPECT_EQ(on_host().lock_run, "run-9");
  EXPECT_EQ(on_host().armed.size(), 1u);
}

// Whatever a killed heal has done, the next one finishes: each command's death is tried.
TEST_F(HealTest, CanBeKilledAtAnyCommandAndRunAgain) {
  for (int deadly = 1;; ++deadly) {
    ASSERT_LT(deadly, 40) << "it never came through";
    fs::remove_all(folder_);
    let_lead(drill_.probe.now, "pgnode02", 5);
    die_in_a_fault();
    struct Killed {};
    int commands = 0;
    const auto die = [&] {
      if (++commands == deadly) throw Killed{};
    };
    FakeHost mortal{"pg1", [&](const RemoteCommand& command) {
                      die();
                      return host_.run(command);
                    }};
    const auto switch_over = drill_.on_rest;
    drill_.on_rest = [&](const HttpRequest& request) {
      auto answer = switch_over(request);
      die();  // it took, and nobody noted it
      return answer;
    };
    hosts_ = {&mortal};
    bool killed = false;
    try {
      ASSERT_TRUE(heal());
    } catch (const Killed&) {
      killed = true;
    }
    drill_.on_rest = switch_over;
    hosts_ = {&host_};
    // The killed one's own lock is another run's by then: it must have expired.
    if (on_host().lock_run == "heal-1") {
      ASSERT_TRUE((HostLocks{{&host_}, "x", "y", folder_}.break_lock("heal-1")));
    }
    const auto report = heal();
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_THAT(report->left, IsEmpty()) << deadly << ": " << joined(report->left);
    EXPECT_EQ(drill_.probe.now.leader()->name, "pgnode01") << deadly;
    expect_nothing_left_behind();
    if (!killed) break;
  }
}

TEST_F(HealTest, WantsAnIdOfItsOwn) {
  const HealSeams seams{.tools = drill_.tools(), .hosts = hosts_};
  EXPECT_EQ(fault::heal(seams, "../x").error().kind, FailureKind::malformed);
}

}  // namespace
}  // namespace pgfiredrill::fault
