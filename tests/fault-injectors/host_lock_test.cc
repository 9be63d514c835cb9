/// The lock's scripts, run by a real shell in folders that stand for hosts.

#include "fault-injectors/host_lock.h"

#include <atomic>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault-injectors/host_scripts.h"
#include "tests/support/fixture.h"
#include "tests/support/local_host.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::fault {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LocalHost;
using ::testing::Not;
using testing::TemporaryDirectory;

const std::vector<Debt> kDebts{{.kind = "leader", .name = "pgnode 01"},
                               {.kind = "fault", .name = "power-off", .detail = "$(touch x) 'y'"}};

class HostLockTest : public ::testing::Test {
 protected:
  HostLocks locks(const std::string& run, const std::string& owner = "me@here pid 1 boot x") {
    return HostLocks{{&host_}, run, owner, folder_};
  }

  std::vector<HostState> look() {
    std::vector<Failure> not_reached;
    auto states = locks("looker").look(not_reached);
    for (const Failure& failure : not_reached) ADD_FAILURE() << failure.message();
    return states;
  }

  void write_lock(const std::string& run, std::int64_t until) {
    std::ofstream{folder_ + "/lock"} << "run " << run << "\nowner somebody\nuntil " << until << "\n";
  }

  static std::int64_t now() { return std::time(nullptr); }

  TemporaryDirectory directory_;
  std::string folder_ = directory_ / "pgfiredrill";
  LocalHost host_{"pg1"};
};

TEST_F(HostLockTest, AStampOutlivesTheRunAndIsOnlyLeftUnderItsLock) {
  HostLocks ours = locks("run-1");
  ASSERT_TRUE(ours.take());
  ASSERT_TRUE(ours.stamp());
  const auto stranger = locks("run-2", "another").stamp();
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().kind, FailureKind::denied);
  ASSERT_TRUE(ours.release());
  const HostState state = look().at(0);
  EXPECT_EQ(state.lock_run, "");
  EXPECT_EQ(state.broken_by, "run-1");
  EXPECT_LE(state.broken_ago, std::chrono::seconds{5});
}

TEST_F(HostLockTest, IsTakenSeenRenewedAndGivenBack) {
  EXPECT_EQ(look().at(0).lock_run, "") << "looking makes nothing";
  EXPECT_FALSE(fs::exists(folder_));

  HostLocks ours = locks("run-1");
  ASSERT_TRUE(ours.take());
  HostState state = look().at(0);
  EXPECT_EQ(state.lock_run, "run-1");
  EXPECT_EQ(state.lock_owner, "me@here pid 1 boot x");
  EXPECT_LE(state.lock_left, kLockTime);
  EXPECT_GE(state.lock_left, kLockTime - std::chrono::seconds{5});

  std::ofstream{folder_ + "/lock"} << "run run-1\nowner me@here pid 1 boot x\nuntil " << now() + 3 << "\n";
  ASSERT_TRUE(ours.renew());
  EXPECT_GE(look().at(0).lock_left, kLockTime - std::chrono::seconds{5});

  ASSERT_TRUE(ours.release());
  EXPECT_EQ(look().at(0).lock_run, "");
  EXPECT_TRUE(ours.release()) << "again";
}

TEST_F(HostLockTest, LetsOthersReadAndNobodyElseWrite) {
  ASSERT_TRUE(locks("run-1").take());
  struct stat status {};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0755u);
  ASSERT_EQ(::stat((folder_ + "/lock").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(HostLockTest, IsRefusedWhileSomebodyElseHoldsIt) {
  ASSERT_TRUE(locks("run-1", "them@there pid 9 boot y").take());
  const auto refused = locks("run-2").take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, FailureKind::denied);
  EXPECT_EQ(refused.error().where, "pg1");
  EXPECT_THAT(refused.error().message(),
              HasSubstr("run run-1 of them@there pid 9 boot y holds it for another "));
  EXPECT_EQ(look().at(0).lock_run, "run-1");
  EXPECT_FALSE(locks("run-1", "an impostor").take()) << "the same id is not the same run";
  EXPECT_FALSE(locks("run-1", "an impostor").renew());
  EXPECT_TRUE(locks("run-1", "an impostor").release());
  EXPECT_EQ(look().at(0).lock_run, "run-1") << "what is not ours stays";
  EXPECT_TRUE(locks("run-1", "them@there pid 9 boot y").take()) << "ours already";
}

TEST_F(HostLockTest, IsFreeOnceItHasExpired) {
  ASSERT_TRUE(locks("run-1").take());
  write_lock("run-1", now() - 1);
  ASSERT_TRUE(locks("run-2").take());
  EXPECT_EQ(look().at(0).lock_run, "run-2");
  EXPECT_EQ(locks("run-1").renew().error().kind, FailureKind::denied) << "the dead run wakes up and has lost";
  EXPECT_TRUE(locks("run-1").release());
  EXPECT_EQ(look().at(0).lock_run, "run-2") << "what is not ours stays";
}

TEST_F(HostLockTest, RecordsWhatIsOwed) {
  HostLocks ours = locks("run-1");
  ASSERT_TRUE(ours.take());
  ASSERT_TRUE(ours.write_armed({kDebts[0]}));
  ASSERT_TRUE(ours.write_armed(kDebts));
  ASSERT_EQ(look().at(0).armed.size(), 1u);
  EXPECT_EQ(look().at(0).armed[0].run_id, "run-1");
  EXPECT_EQ(look().at(0).armed[0].debts, kDebts);
  ASSERT_TRUE(ours.remove_armed("run-1"));
  EXPECT_THAT(look().at(0).armed, IsEmpty());
  EXPECT_TRUE(ours.remove_armed("run-1")) << "again";
}

TEST_F(HostLockTest, IsRefusedWhileARecordOfAnotherRunStands) {
  ASSERT_TRUE(locks("run-1").take());
  ASSERT_TRUE(locks("run-1").write_armed(kDebts));
  ASSERT_TRUE(locks("run-1").release());
  const auto refused = locks("run-2").take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, FailureKind::denied);
  EXPECT_THAT(refused.error().message(), HasSubstr("run-1"));
  EXPECT_THAT(refused.error().message(), HasSubstr("pgfiredrill heal"));
  EXPECT_TRUE(locks("run-1").take()) << "its own record is no obstacle";
  ASSERT_TRUE(locks("run-1").release());

  std::vector<Failure> passed_over;
  EXPECT_TRUE(locks("heal-1").take_to_heal(passed_over));
}

TEST_F(HostLockTest, WritesNoRecordWithoutTheLock) {
  EXPECT_EQ(locks("run-1").write_armed(kDebts).error().kind, FailureKind::denied);
  ASSERT_TRUE(locks("run-2").take());
  EXPECT_EQ(locks("run-1").write_armed(kDebts).error().kind, FailureKind::denied);
  EXPECT_THAT(look().at(0).armed, IsEmpty());
}

TEST_F(HostLockTest, IsBrokenOnlyForTheRunThatIsMeant) {
  ASSERT_TRUE(locks("run-1").take());
  ASSERT_TRUE(locks("heal-1").break_lock("run-2"));
  EXPECT_EQ(look().at(0).lock_run, "run-1");
  ASSERT_TRUE(locks("heal-1").break_lock("run-1"));
  EXPECT_EQ(look().at(0).lock_run, "");
}

TEST_F(HostLockTest, TakesNoIdThatIsNone) {
  EXPECT_EQ(locks("../x").take().error().kind, FailureKind::malformed);
  EXPECT_EQ(locks("run-1").remove_armed("../lock").error().kind, FailureKind::malformed);
  EXPECT_EQ(locks("run-1").break_lock("a b").error().kind, FailureKind::malformed);
  EXPECT_EQ(locks("x y").write_armed({}).error().kind, FailureKind::malformed);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(HostLockTest, IsNotTakenInAFolderThatOthersMayWrite) {
  fs::create_directory(folder_);
  fs::permissions(folder_, fs::perms::all);
  const auto refused = locks("run-1").take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, FailureKind::denied);
  EXPECT_THAT(refused.error().message(), HasSubstr("only root may write"));
}

TEST_F(HostLockTest, FollowsNoLink) {
  fs::create_directory(directory_ / "elsewhere");
  fs::create_symlink(directory_ / "elsewhere", folder_);
  EXPECT_EQ(locks("run-1").take().error().kind, FailureKind::denied);
  EXPECT_TRUE(fs::is_empty(directory_ / "elsewhere"));
}

TEST_F(HostLockTest, TakesADamagedLockForOneThatIsHeld) {
  ASSERT_TRUE(locks("run-1").take());
  for (const char* text :
       {"", "run run-1\n", "run run-1\nowner me\nuntil soon\n", "run run-1\nowner me\nuntil 5x\n",
        "run run-1\nowner me\nuntil 99999999999999999999\n", "a b\nc d\ne 5\n",
        "run run-1\nowner me\nuntil 1+1\n"}) {
    std::ofstream{folder_ + "/lock"} << text;
    for (const auto& refused : {locks("run-2").take(), locks("run-1").renew(), locks("run-1").release()}) {
      ASSERT_FALSE(refused) << text;
      EXPECT_EQ(refused.error().kind, FailureKind::malformed) << text;
    }
    std::vector<Failure> not_reached;
    EXPECT_THAT(locks("run-2").look(not_reached), IsEmpty()) << text;
    EXPECT_EQ(not_reached.size(), 1u);
  }
}

TEST_F(HostLockTest, ReportsARecordWithAnOddName) {
  ASSERT_TRUE(locks("run-1").take());
  std::ofstream{folder_ + "/armed/odd name"} << "x";
  std::vector<Failure> not_reached;
  EXPECT_THAT(locks("run-1").look(not_reached), IsEmpty());
  ASSERT_EQ(not_reached.size(), 1u);
  EXPECT_EQ(not_reached[0].kind, FailureKind::malformed);
}

// A script that is killed between its two steps leaves a file of no meaning behind.
TEST_F(HostLockTest, IsNotHinderedByAnUnfinishedFile) {
  ASSERT_TRUE(locks("run-1").take());
  ASSERT_TRUE(locks("run-1").release());
  std::ofstream{folder_ + "/lock.new"} << "run ha";
  std::ofstream{folder_ + "/armed/.new"} << "pgfiredrill-arm";
  EXPECT_TRUE(locks("run-2").take());
  EXPECT_TRUE(locks("run-2").write_armed(kDebts));
  EXPECT_EQ(look().at(0).armed.at(0).debts, kDebts);
}

TEST_F(HostLockTest, GivesItToOneOfManyThatTakeItAtOnce) {
  for (int round = 0; round < 5; ++round) {
    fs::remove_all(folder_);
    if (round % 2 == 1) {  // also where an expired one must be replaced
      ASSERT_TRUE(locks("old").take());
      write_lock("old", now() - 10);
    }
    std::atomic<int> taken{0};
    std::vector<std::thread> takers;
    for (int i = 0; i < 6; ++i) {
      takers.emplace_back([&, i] {
        if (locks("run-" + std::to_string(i)).take()) ++taken;
      });
    }
    for (std::thread& taker : takers) taker.join();
    EXPECT_EQ(taken, 1);
  }
}

TEST_F(HostLockTest, TellsWhatItWillRun) {
  const auto commands = locks("run-1").lock_commands();
  ASSERT_EQ(commands.size(), 6u);
  for (const std::string& command : commands) {
    EXPECT_THAT(command, ::testing::StartsWith("on pg1: sudo sh -c '"));
    EXPECT_THAT(command, HasSubstr(folder_ + " run-1"));
  }
}

// What is printed can be pasted into a shell.
TEST_F(HostLockTest, PrintsCommandsThatWork) {
  const std::string typed_line =
      locks("run-1").lock_commands().at(0).substr(std::string{"on pg1: sudo "}.size());
  EXPECT_EQ(host_.run({.argv = {"sh", "-c", typed_line}}).value().exit_status, 0);
  EXPECT_EQ(look().at(0).lock_run, "run-1");
}

}  // namespace
}  // namespace pgfiredrill::fault
