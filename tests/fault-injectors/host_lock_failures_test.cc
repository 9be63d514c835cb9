/// The lock over several hosts of which one does not do it.

#include <map>
#include <mutex>

#include <gmock/gmock.h>

#include "fault-injectors/host_lock.h"
#include "fault-injectors/host_scripts.h"
#include "tests/support/fake_host.h"

namespace pgfiredrill::fault {
namespace {

using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What the second of three hosts does with a command; the others do all.
class HostLockFailures : public ::testing::Test {
 protected:
  static Result<RemoteResult> silence(const std::string& host) {
    return Failure{
        .kind = FailureKind::unreachable, .what = "log in by ssh", .where = host, .came_back = "no route"};
  }

  FakeHost::Answer answer(const std::string& host) {
    return [this, host](const RemoteCommand& command) -> Result<RemoteResult> {
      const std::lock_guard lock{mutex_};
      const std::string& script = command.argv.at(2);
      ++calls_[host + " " + name_of(script)];
      if (host != "b") return RemoteResult{.out = "now 1000\nend\n"};
      if (unreachable_) return silence(host);
      return RemoteResult{.exit_status = exit_status_, .out = out_, .err = err_};
    };
  }

  static std::string name_of(const std::string& script) {
    if (script == take_lock_script()) return "take";
    if (script == renew_lock_script()) return "renew";
    if (script == release_lock_script()) return "release";
    if (script == write_armed_script()) return "write";
    if (script == remove_armed_script()) return "remove";
    return "look";
  }

  HostLocks locks() { return {{&a_, &b_, &c_}, "run-1", "me"}; }

  std::mutex mutex_;
  std::map<std::string, int> calls_;
  bool unreachable_ = false;
  int exit_status_ = 0;
  std::string out_ = "now 1000\nend\n";
  std::string err_;
  FakeHost a_{"a", answer("a")};
  FakeHost b_{"b", answer("b")};
  FakeHost c_{"c", answer("c")};
};

TEST_F(HostLockFailures, TakesOnAllOrGivesBackOnAll) {
  ASSERT_TRUE(locks().take());
  EXPECT_EQ(calls_["a release"], 0);
  unreachable_ = true;
  const auto failed = locks().take();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, FailureKind::unreachable);
  EXPECT_EQ(failed.error().where, "b");
  EXPECT_EQ(calls_["a release"], 1);
  EXPECT_EQ(calls_["b release"], 1) << "its answer may have been lost on the way";
  EXPECT_EQ(calls_["c release"], 1);
}

TEST_F(HostLockFailures, TellsWhoHoldsIt) {
  exit_status_ = kHeld;
  out_ = "held run-0 17 root@other pid 4 boot z\n";
  const auto failed = locks().take();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, FailureKind::denied);
  EXPECT_THAT(failed.error().message(),
              HasSubstr("on b: run run-0 of root@other pid 4 boot z holds it for another 17 s"));
  EXPECT_EQ(calls_["a release"], 1);
}

TEST_F(HostLockFailures, ExplainsEachExit) {
  const std::vector<std::pair<int, FailureKind>> kinds{
      {kHeld, FailureKind::denied},   {kArmed, FailureKind::denied},   {kLost, FailureKind::denied},
      {kUnsafe, FailureKind::denied}, {kBusy, FailureKind::timed_out}, {kUnreadable, FailureKind::malformed},
      {1, FailureKind::failed},       {127, FailureKind::failed}};
  out_ = "garbage";
  for (const auto& [exit_status, kind] : kinds) {
    exit_status_ = exit_status;
    const auto failed = locks().take();
    ASSERT_FALSE(failed) << exit_status;
    EXPECT_EQ(failed.error().kind, kind) << exit_status;
    EXPECT_FALSE(failed.error().came_back.empty() && kind != FailureKind::denied) << exit_status;
  }
}

TEST_F(HostLockFailures, RenewsTheOthersAndNamesTheSilent) {
  unreachable_ = true;
  const auto failed = locks().renew();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, FailureKind::unreachable);
  EXPECT_EQ(failed.error().where, "b");
  EXPECT_EQ(calls_["a renew"], 1);
  EXPECT_EQ(calls_["c renew"], 1);
}

TEST_F(HostLockFailures, SaysThatTheLockIsLost) {
  exit_status_ = kLost;
  EXPECT_EQ(locks().renew().error().kind, FailureKind::denied);
  EXPECT_EQ(locks().write_armed({}).error().kind, FailureKind::denied) << "though two hosts have written it";
}

TEST_F(HostLockFailures, WritesRecordsOnThoseThatAnswer) {
  unreachable_ = true;
  EXPECT_TRUE(locks().write_armed({}));
  HostLocks alone{{&b_}, "run-1", "me"};
  EXPECT_FALSE(alone.write_armed({}));
}

TEST_F(HostLockFailures, NamesWhereRecordsAndLocksRemain) {
  unreachable_ = true;
  EXPECT_EQ(locks().remove_armed("run-0").error().where, "b");
  EXPECT_EQ(locks().break_lock("run-0").error().where, "b");
  EXPECT_EQ(locks().release().error().where, "b");
  EXPECT_EQ(calls_["c remove"], 1);
}

TEST_F(HostLockFailures, LooksAtThoseThatAnswer) {
  unreachable_ = true;
  std::vector<Failure> not_reached;
  EXPECT_EQ(locks().look(not_reached).size(), 2u);
  ASSERT_EQ(not_reached.size(), 1u);
  EXPECT_EQ(not_reached[0].where, "b");

  unreachable_ = false;
  out_ = "half an ans";
  not_reached.clear();
  EXPECT_EQ(locks().look(not_reached).size(), 2u);
  ASSERT_EQ(not_reached.size(), 1u);
  EXPECT_EQ(not_reached[0].kind, FailureKind::malformed);
}

TEST_F(HostLockFailures, HealsWithoutTheSilentAndNotAgainstTheUnwilling) {
  unreachable_ = true;
  std::vector<Failure> passed_over;
  EXPECT_TRUE(locks().take_to_heal(passed_over));
  EXPECT_EQ(passed_over.size(), 1u);

  HostLocks alone{{&b_}, "run-1", "me"};
  EXPECT_FALSE(alone.take_to_heal(passed_over)) << "nobody answers";

  unreachable_ = false;
  exit_status_ = kHeld;
  passed_over.clear();
  EXPECT_EQ(locks().take_to_heal(passed_over).error().kind, FailureKind::denied);
  EXPECT_THAT(passed_over, IsEmpty());
}

TEST(HostsToLock, AreAllThatRunAPartOfTheCluster) {
  ClusterDescription cluster;
  cluster.hosts = {{.name = "pg1", .roles = {HostRole::postgres, HostRole::consensus}},
                   {.name = "lb", .roles = {HostRole::balancer}},
                   {.name = "dcs", .roles = {HostRole::consensus}},
                   {.name = "backup", .roles = {HostRole::repository}},
                   {.name = "nothing"}};
  EXPECT_THAT(hosts_to_lock(cluster), ::testing::ElementsAre("pg1", "lb", "dcs"));
}

}  // namespace
}  // namespace pgfiredrill::fault
