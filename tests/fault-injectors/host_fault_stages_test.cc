/// Wherever a drill is ended, what its fault left on the hosts can be told and undone from there alone.

#include <gmock/gmock.h>

#include "fault-injectors/host_healing.h"
#include "tests/fault-injectors/fake_helper.h"

namespace pgfiredrill::fault {
namespace {

using testing::FakeHelper;
using ::testing::HasSubstr;
using testing::HostDrill;
using ::testing::IsEmpty;

constexpr const char* kRun = "20261130T184500Z-test";

bool stands_anywhere(const HostDrill& drill) {
  return !drill.on_pg1.pending().empty() || !drill.on_pg2.pending().empty();
}

enum class Stage : unsigned char { armed, injected, held, reverted };

void go_to(Stage stage, Fault& fault, HostDrill& drill) {
  ASSERT_TRUE(fault.arm());
  if (stage == Stage::armed) return;
  ASSERT_TRUE(fault.inject());
  drill.drill.probe.now.paused = true;  // of what pauses Patroni; the others do not look at it
  if (stage == Stage::injected) return;
  const Evidence held = fault.verify_held();
  ASSERT_TRUE(held.took) << held.sentence;
  if (stage == Stage::held) return;
  ASSERT_TRUE(fault.revert());
  drill.drill.probe.now.paused = false;
}

/// What may befall a drill, beside which the program is always gone afterwards.
enum class Mishap : unsigned char { killed, network_lost, host_rebooted };

/// Of both hosts; healing comes when they answer again.
void befall(Mishap mishap, HostDrill& drill) {
  for (FakeHelper* host : {&drill.on_pg1, &drill.on_pg2}) {
    if (mishap == Mishap::host_rebooted) host->reboot();
    if (mishap != Mishap::network_lost) continue;
    host->reachable = false;
    EXPECT_FALSE(heal_hosts({&drill.pg1, &drill.pg2}, kRun).left.empty())
        << "it must say that it knows nothing";
    host->let_timers_fire();
    EXPECT_THAT(host->pending(), IsEmpty()) << "the host undoes it alone";
    host->reachable = true;
  }
}

TEST(HostFaults, LeaveNothingThatHealingDoesNotUndoFromAnyStageAfterAnyMishap) {
  int kinds = 0;
  for (const FaultKind& kind : fault_kinds()) {
    if (!kind.on_hosts) continue;
    ++kinds;
    for (const Stage stage : {Stage::armed, Stage::injected, Stage::held, Stage::reverted}) {
      for (const Mishap mishap : {Mishap::killed, Mishap::network_lost, Mishap::host_rebooted}) {
        SCOPED_TRACE(std::string{kind.name} + ", stage " + std::to_string(static_cast<int>(stage)) +
                     ", mishap " + std::to_string(static_cast<int>(mishap)));
        HostDrill drill;
        auto fault = drill.aimed({.kind = kind.name});
        ASSERT_NO_FATAL_FAILURE(go_to(stage, *fault, drill));
        EXPECT_EQ(stands_anywhere(drill), stage != Stage::reverted);
        fault.reset();  // the run is gone
        befall(mishap, drill);
        const HostHealing healing = heal_hosts({&drill.pg1, &drill.pg2}, kRun);
        EXPECT_THAT(healing.left, IsEmpty());
        EXPECT_THAT(drill.on_pg1.records, IsEmpty());
        EXPECT_THAT(drill.on_pg2.records, IsEmpty());
      }
    }
  }
  EXPECT_GE(kinds, 10);
}

// Of another run nothing is touched: that one may be alive.
TEST(HostFaults, HealingTouchesOnlyTheRunThatItWasAskedFor) {
  HostDrill drill;
  const auto fault = drill.aimed({.kind = "stop-service"});
  ASSERT_NO_FATAL_FAILURE(go_to(Stage::injected, *fault, drill));
  EXPECT_THAT(heal_hosts({&drill.pg1, &drill.pg2}, "20261130T184500Z").done, IsEmpty());
  EXPECT_TRUE(stands_anywhere(drill));
}

// A timer fires while nobody looks, and the run asks all the same; or the answer was lost and it asks again.
TEST(HostFaults, MayBeRevertedTwice) {
  for (const FaultKind& kind : fault_kinds()) {
    if (!kind.on_hosts) continue;
    SCOPED_TRACE(kind.name);
    HostDrill drill;
    const auto fault = drill.aimed({.kind = kind.name});
    ASSERT_NO_FATAL_FAILURE(go_to(Stage::reverted, *fault, drill));
    EXPECT_TRUE(fault->revert());
    const Evidence over = fault->verify_reverted();
    EXPECT_TRUE(over.took) << over.sentence;
    EXPECT_THAT(drill.on_pg1.records, IsEmpty());
    EXPECT_THAT(drill.on_pg2.records, IsEmpty());
    EXPECT_TRUE(fault->revert()) << "there is no record any more";
  }
}

TEST(HostFaults, AreNotInjectedWhereTheHelperRefusesToArm) {
  for (const FaultKind& kind : fault_kinds()) {
    if (!kind.on_hosts) continue;
    SCOPED_TRACE(kind.name);
    HostDrill drill;
    drill.on_pg1.refuses["arm"] = drill.on_pg2.refuses["arm"] = kUnsuitable;
    const auto fault = drill.aimed({.kind = kind.name});
    EXPECT_FALSE(fault->arm());
    EXPECT_FALSE(fault->inject()) << "nothing is armed";
    EXPECT_TRUE(fault->revert());
  }
}

// What is still in force after its revert must not be taken for over.
TEST(HostFaults, AreNotOverWhereTheHelperCannotUndoThem) {
  for (const FaultKind& kind : fault_kinds()) {
    if (!kind.on_hosts) continue;
    SCOPED_TRACE(kind.name);
    HostDrill drill;
    drill.on_pg1.refuses["revert"] = drill.on_pg2.refuses["revert"] = kStillInForce;
    const auto fault = drill.aimed({.kind = kind.name});
    ASSERT_NO_FATAL_FAILURE(go_to(Stage::injected, *fault, drill));
    EXPECT_FALSE(fault->revert());
    EXPECT_FALSE(fault->verify_reverted().took);
    EXPECT_FALSE(fault->by_hand().empty());
  }
}

// --dry-run shows what will be sent; what is not shown must not be sent.
TEST(HostFaults, TellBeforehandEveryCommandThatTheyWillSend) {
  for (const FaultKind& kind : fault_kinds()) {
    if (!kind.on_hosts) continue;
    SCOPED_TRACE(kind.name);
    HostDrill drill;
    const auto fault = drill.aimed({.kind = kind.name});
    const std::string told = join(fault->describe(), "\n");
    ASSERT_TRUE(fault->arm());
    for (const FakeHelper* helper : {&drill.on_pg1, &drill.on_pg2}) {
      for (const std::string& broken : helper->broken()) EXPECT_THAT(told, HasSubstr(broken));
    }
  }
}

}  // namespace
}  // namespace pgfiredrill::fault
