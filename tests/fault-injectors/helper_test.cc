/// The helper as the program calls it: how it is laid, and what its answers are taken for.

#include "fault-injectors/helper.h"

#include <gmock/gmock.h>

#include "fault-injectors/helper_text.h"
#include "tests/support/fake_host.h"

namespace pgfiredrill::fault {
namespace {

using ::testing::ElementsAre;
using testing::FakeHost;
using ::testing::HasSubstr;

FakeHost answering(RemoteResult result) {
  return FakeHost{"pg1", [result](const RemoteCommand&) { return result; }};
}

bool lays(const RemoteCommand& command) {
  return command.input == Helper::text();
}

TEST(Helper, CarriesTheProgramOfItsOwnVersion) {
  EXPECT_THAT(Helper::text(), HasSubstr(std::string{"\nVERSION="} + kHelperVersion + "\n"));
  EXPECT_EQ(std::string{Helper::text()}.rfind("#!/bin/sh\n", 0), 0u);
}

// A sudoers entry allows the installed one by its path, and nothing else.
TEST(Helper, IsCalledByItsPathAsRoot) {
  const RemoteCommand command = Helper{false}.command({"check", "r.1"});
  EXPECT_THAT(command.argv, ElementsAre("/usr/local/sbin/pgfiredrill-helper", "check", "r.1"));
  EXPECT_TRUE(command.as_root);
}

// Where /run is mounted noexec, a program there cannot be called by its path.
TEST(Helper, IsReadByAShellWhereItIsLaidUnderRun) {
  EXPECT_THAT(Helper{true}.command({"pending"}).argv,
              ElementsAre("sh", "/run/pgfiredrill/helper", "pending"));
}

TEST(Helper, IsLaidBeforeItIsAskedForItsVersion) {
  FakeHost host{"pg1", [](const RemoteCommand& command) {
                  return RemoteResult{.out = lays(command) ? "" : "pgfiredrill-helper 1\n"};
                }};
  EXPECT_TRUE(Helper{true}.prepare(host));
  ASSERT_EQ(host.commands().size(), 2u);
  EXPECT_TRUE(lays(host.commands().front()));
}

TEST(Helper, SaysHowToLayOneThatIsNotThere) {
  FakeHost host = answering({.exit_status = 127, .err = "sh: 1: not found"});
  const auto prepared = Helper{false}.prepare(host);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, FailureKind::missing);
  EXPECT_THAT(prepared.error().hint, HasSubstr("--with-sudo"));
  EXPECT_EQ(host.commands().size(), 1u) << "an installed helper is never laid by a run";
}

TEST(Helper, DoesNotTakeOneOfAnotherRelease) {
  FakeHost host = answering({.out = "pgfiredrill-helper 0\n"});
  const auto prepared = Helper{false}.prepare(host);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().kind, FailureKind::malformed);
  EXPECT_THAT(prepared.error().came_back, HasSubstr("pgfiredrill-helper 0"));
}

TEST(Helper, FailsToBeLaidWithWhatTheHostSaid) {
  FakeHost host = answering({.exit_status = 1, .err = "/run/pgfiredrill is not ours\n"});
  const auto prepared = Helper{true}.prepare(host);
  ASSERT_FALSE(prepared);
  EXPECT_THAT(prepared.error().came_back, HasSubstr("is not ours"));
}

// A reboot empties /run: whoever reverts afterwards must still be able to. Shells tell it by different words.
TEST(Helper, IsLaidAgainAfterAReboot) {
  for (const int gone : {2, 126, 127}) {
    bool laid = false;
    FakeHost host{"pg1", [&](const RemoteCommand& command) {
                    if (lays(command)) laid = true;
                    return RemoteResult{.exit_status = laid ? 0 : gone,
                                        .out = "state reverted force no\nfine\n"};
                  }};
    const auto state = Helper{true}.check(host, "r.1");
    ASSERT_TRUE(state) << gone;
    EXPECT_EQ(state->state, "reverted");
    EXPECT_EQ(host.commands().size(), 3u);
  }
}

TEST(Helper, ReadsWhatStandsOfOneId) {
  FakeHost host = answering({.out = "state injected force yes\nprocess 4711 of etcd is stopped, 1 in all\n"});
  const auto state = Helper{false}.check(host, "r.1");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->state, "injected");
  EXPECT_TRUE(state->in_force);
  EXPECT_EQ(state->sentence, "process 4711 of etcd is stopped, 1 in all");
}

TEST(Helper, TakesNoOtherAnswerForAState) {
  for (const char* const odd :
       {"", "state injected\n", "state broken force yes\n", "state injected force maybe\n",
        "state injected force yes please\n", "motd\nstate injected force yes\n"}) {
    FakeHost host = answering({.out = odd});
    const auto state = Helper{false}.check(host, "r.1");
    ASSERT_FALSE(state) << odd;
    EXPECT_EQ(state.error().kind, FailureKind::malformed);
  }
}

TEST(Helper, ReadsWhatIsPendingInItsOrder) {
  FakeHost host = answering({.out = "r.2 injected cut drop both vrrp/10.0.0.1\nr.1 armed reboot\n"});
  const auto pending = Helper{false}.pending(host);
  ASSERT_TRUE(pending);
  ASSERT_EQ(pending->size(), 2u);
  EXPECT_EQ(pending->front().id, "r.2");
  EXPECT_EQ(pending->front().words, "cut drop both vrrp/10.0.0.1");
  EXPECT_EQ(pending->back().state, "armed");
}

TEST(Helper, TakesNoOtherAnswerForWhatIsPending) {
  for (const char* const odd : {"Welcome\n", "r.1 armed\n", "r.1 ready reboot\n"}) {
    FakeHost host = answering({.out = odd});
    EXPECT_FALSE(Helper{false}.pending(host)) << odd;
  }
}

// Only what was tried and did not come into force may stand on the host all the same.
TEST(Helper, IsInDoubtWhereItTriedAndFailed) {
  FakeHost tried = answering({.exit_status = kNotTaken, .err = "process 7 does not stop\n"});
  const auto failed = Helper{false}.call(tried, "freeze", {"inject", "r.1", "5"});
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().transaction_in_doubt);
  EXPECT_THAT(failed.error().came_back, HasSubstr("does not stop"));

  FakeHost refused = answering({.exit_status = kNotArmed, .err = "the timer has 3 s left\n"});
  EXPECT_FALSE(Helper{false}.call(refused, "freeze", {"inject", "r.1", "5"}).error().transaction_in_doubt);
}

TEST(Helper, TellsNoRecordFromARefusal) {
  FakeHost none = answering({.exit_status = kNoRecord, .err = "nothing is recorded\n"});
  EXPECT_EQ(Helper{false}.call(none, "undo", {"revert", "r.1"}).error().kind, FailureKind::missing);
  FakeHost not_root = answering({.exit_status = kHelperNotRoot});
  EXPECT_EQ(Helper{false}.call(not_root, "undo", {"revert", "r.1"}).error().kind, FailureKind::denied);
  FakeHost refused = answering({.exit_status = kHelperRefused});
  EXPECT_EQ(Helper{false}.call(refused, "undo", {"revert", "r.1"}).error().kind, FailureKind::failed);
}

}  // namespace
}  // namespace pgfiredrill::fault
