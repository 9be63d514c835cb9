/// Hosts that go away: reboots and power.

#include <gmock/gmock.h>

#include "tests/fault-injectors/fake_helper.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HostDrill;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const Failure kNoAnswer{.kind = FailureKind::unreachable, .what = "log in", .came_back = "no route"};

// ---- reboot-host

class RebootHost : public ::testing::Test {
 protected:
  void SetUp() override {
    fault_ = drill_.aimed({.kind = "reboot-host", .target = "all"});
    ASSERT_TRUE(fault_->arm());
    ASSERT_TRUE(fault_->inject());
    ASSERT_THAT(drill_.on_pg1.broken(), ElementsAre("reboot"));
    ASSERT_THAT(drill_.on_pg2.broken(), ElementsAre("reboot"));
    drill_.on_pg1.in_force = drill_.on_pg2.in_force = false;  // it goes down a second later
  }

  void go_dark() {
    drill_.on_pg1.reachable = drill_.on_pg2.reachable = false;
    drill_.pg1.new_login = drill_.pg2.new_login = kNoAnswer;
  }

  HostDrill drill_;
  std::unique_ptr<Fault> fault_;
};

TEST_F(RebootHost, IsProvenByHostsThatLetNobodyIn) {
  EXPECT_FALSE(fault_->verify(3s).took);
  go_dark();
  const Evidence dark = fault_->verify(3s);
  EXPECT_TRUE(dark.took);
  EXPECT_THAT(dark.sentence, HasSubstr("pg2: it does not answer any more"));
}

// A connection that was shared may break although the host is there.
TEST_F(RebootHost, IsNotProvenWhileANewLoginWorks) {
  go_dark();
  drill_.pg2.new_login = {};
  EXPECT_FALSE(fault_->verify(3s).took);
}

TEST_F(RebootHost, IsProvenByHostsThatHaveBootedAnew) {
  drill_.on_pg1.in_force = drill_.on_pg2.in_force = true;
  EXPECT_TRUE(fault_->verify(3s).took);
}

TEST_F(RebootHost, IsOverWhenTheHostsAreBack) {
  go_dark();
  const auto never = fault_->revert();
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().kind, FailureKind::timed_out);
  EXPECT_GE(drill_.drill.clock.monotonic(), 5min);
  drill_.on_pg1.reachable = drill_.on_pg2.reachable = true;
  drill_.pg1.new_login = drill_.pg2.new_login = {};
  EXPECT_TRUE(fault_->revert());
  EXPECT_TRUE(fault_->verify_reverted().took);
  EXPECT_THAT(drill_.on_pg1.records, IsEmpty());
}

// The one who asked first would have to come back before the last has gone.
TEST(HostFault, TellsThatOneOfSeveralWasHit) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "reboot-host", .target = "all"});
  ASSERT_TRUE(fault->arm());
  drill.on_pg1.refuses["inject"] = kNotArmed;
  const auto injected = fault->inject();
  ASSERT_FALSE(injected);
  EXPECT_TRUE(injected.error().transaction_in_doubt) << "pg2 reboots all the same";
  EXPECT_EQ(drill.on_pg2.records.begin()->second.state, "injected");
}

// ---- power-off

class PowerOff : public ::testing::Test {
 protected:
  PowerOff() {
    drill_.power = [this](const std::string& host, bool on) -> Result<void> {
      const std::lock_guard lock{mutex_};
      asked_.push_back(host + (on ? " on" : " off"));
      if (!works_) return Failure{.what = "run the power command", .came_back = "exit status 1"};
      (host == "pg1" ? drill_.pg1 : drill_.pg2).new_login = on ? Result<void>{} : kNoAnswer;
      return {};
    };
  }

  HostDrill drill_;
  std::mutex mutex_;
  std::vector<std::string> asked_;
  bool works_ = true;
};

TEST_F(PowerOff, NeedsACommandOfTheUsers) {
  drill_.power = nullptr;
  EXPECT_THAT(drill_.refusal({.kind = "power-off"}), HasSubstr("--power"));
}

TEST_F(PowerOff, SwitchesOffAndOnAgain) {
  const auto fault = drill_.aimed({.kind = "power-off", .target = "all"});
  EXPECT_EQ(fault->target(), "pg1, pg2");
  EXPECT_FALSE(fault->verify(3s).took) << "both still answer";
  ASSERT_TRUE(fault->inject());
  EXPECT_THAT(asked_, UnorderedElementsAre("pg1 off", "pg2 off"));
  EXPECT_TRUE(fault->verify(3s).took);
  EXPECT_TRUE(fault->verify_held().took);
  EXPECT_THAT(fault->by_hand(), ElementsAre("switch pg1 on", "switch pg2 on"));
  asked_.clear();
  ASSERT_TRUE(fault->revert());
  EXPECT_THAT(asked_, ElementsAre("pg1 on", "pg2 on"));
  EXPECT_TRUE(fault->verify_reverted().took);
}

// Somebody has switched it on, or it never went off: many commands fail for what is on.
TEST_F(PowerOff, LeavesHostsAloneThatAreOn) {
  const auto fault = drill_.aimed({.kind = "power-off"});
  EXPECT_TRUE(fault->revert());
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(PowerOff, IsInDoubtWhenTheCommandFails) {
  works_ = false;
  const auto fault = drill_.aimed({.kind = "power-off"});
  const auto injected = fault->inject();
  ASSERT_FALSE(injected);
  EXPECT_TRUE(injected.error().transaction_in_doubt);
}

TEST_F(PowerOff, SaysWhereAHostDoesNotComeBack) {
  const auto fault = drill_.aimed({.kind = "power-off"});
  ASSERT_TRUE(fault->inject());
  drill_.power = nullptr;
  works_ = false;
  EXPECT_FALSE(fault->revert());
  EXPECT_FALSE(fault->verify_reverted().took);
}

// What another process did is told by a file: only hosts of the inventory are switched on.
TEST_F(PowerOff, IsHealedByTheNamesOfItsHosts) {
  drill_.pg2.new_login = kNoAnswer;
  EXPECT_TRUE(drill_.make({.kind = "power-off", .target = "pg1, pg2"})->revert());
  EXPECT_THAT(asked_, ElementsAre("pg2 on"));
  const auto stranger = drill_.make({.kind = "power-off", .target = "elsewhere"});
  EXPECT_FALSE(stranger->revert());
  EXPECT_THAT(asked_, ElementsAre("pg2 on"));
}

}  // namespace
}  // namespace pgfiredrill::fault
