#include "fault-injectors/journal.h"

#include <csignal>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/environment_guard.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::fault {
namespace {

using ::testing::ElementsAre;
using testing::EnvironmentGuard;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

const Debt kDatabase{.kind = "database", .name = "pgfiredrill"};
const Debt kLeader{.kind = "leader", .name = "pgnode01"};
const Debt kFault{.kind = "fault", .name = "power-off", .detail = "pgnode01"};

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() { environment_.set("XDG_STATE_HOME", state_.path().string()); }

  static std::unique_ptr<Journal> open(const std::string& cluster = "postgres-cluster") {
    auto journal = Journal::open(cluster);
    EXPECT_TRUE(journal.has_value()) << journal.error().message();
    return std::move(*journal);
  }

  static std::vector<OpenRun> open_runs() { return open()->open_runs().value(); }

  static void append_raw(const std::string& text) {
    std::ofstream{open()->path(), std::ios::app | std::ios::binary} << text;
  }

  TemporaryDirectory state_;
  EnvironmentGuard environment_;
};

TEST_F(JournalTest, TellsWhatIsOwedUntilItIsSettled) {
  const auto journal = open();
  EXPECT_THAT(open_runs(), IsEmpty());
  ASSERT_TRUE(journal->begin("run-1", "root@tester pid 1 boot x"));
  ASSERT_TRUE(journal->owe("run-1", kDatabase));
  ASSERT_TRUE(journal->owe("run-1", kLeader));
  ASSERT_TRUE(journal->owe("run-1", kFault));
  ASSERT_TRUE(journal->begin("run-2", "me"));
  ASSERT_EQ(open_runs().size(), 2u);
  EXPECT_EQ(open_runs()[0].owner, "root@tester pid 1 boot x");
  EXPECT_THAT(open_runs()[0].debts, ElementsAre(kDatabase, kLeader, kFault));
  ASSERT_TRUE(journal->settle("run-1", kLeader));
  EXPECT_THAT(open_runs()[0].debts, ElementsAre(kDatabase, kFault));
  ASSERT_TRUE(journal->end("run-1"));
  ASSERT_EQ(open_runs().size(), 1u);
  EXPECT_EQ(open_runs()[0].run_id, "run-2");
}

TEST_F(JournalTest, IsOursAlone) {
  struct stat status {};
  ASSERT_EQ(::stat(open()->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(JournalTest, StandsInAFolderOfTheClusters) {
  EXPECT_EQ(open()->path(), state_ / "pgfiredrill/postgres-cluster/journal.jsonl");
  EXPECT_EQ(open("../x/y")->path(), state_ / "pgfiredrill/%2E.%2Fx%2Fy/journal.jsonl");
  EXPECT_NE(open("a/b")->path(), open("a_b")->path());
  EXPECT_NE(open(std::string(300, 'a') + "1")->path(), open(std::string(300, 'a') + "2")->path());
  EXPECT_NE(open("")->path(), state_ / "pgfiredrill/journal.jsonl");
}

TEST_F(JournalTest, FallsBackToTheHomeFolder) {
  environment_.set("XDG_STATE_HOME", "relative/is/ignored");
  environment_.set("HOME", state_ / "home");
  EXPECT_EQ(open()->path(), state_ / "home/.local/state/pgfiredrill/postgres-cluster/journal.jsonl");
}

TEST_F(JournalTest, SaysWhereItCannotBeKept) {
  state_.write("pgfiredrill", "a file, no folder");
  const auto journal = Journal::open("postgres-cluster");
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message(), HasSubstr("pgfiredrill/postgres-cluster"));
  EXPECT_THAT(journal.error().message(), HasSubstr("XDG_STATE_HOME"));
}

TEST_F(JournalTest, FollowsNoLink) {
  const std::string path = open()->path();
  std::filesystem::remove(path);
  std::filesystem::create_symlink(state_ / "elsewhere", path);
  EXPECT_FALSE(Journal::open("postgres-cluster"));
}

TEST_F(JournalTest, IgnoresALastLineCutShort) {
  ASSERT_TRUE(open()->begin("run-1", "me"));
  ASSERT_TRUE(open()->owe("run-1", kLeader));
  append_raw(R"({"event":"settle","run":"run-1","kind":"lea)");
  EXPECT_THAT(open_runs().at(0).debts, ElementsAre(kLeader));
}

// The next line must not be glued to the rest of one whose writer was killed.
TEST_F(JournalTest, WritesOnBehindALineCutShort) {
  ASSERT_TRUE(open()->begin("run-1", "me"));
  append_raw(R"({"event":"owe","run":"run-1","ki)");
  ASSERT_TRUE(open()->owe("run-1", kLeader));
  ASSERT_EQ(open_runs().size(), 1u);
  EXPECT_THAT(open_runs()[0].debts, ElementsAre(kLeader));
}

TEST_F(JournalTest, RefusesAWholeLineThatIsNoneOfOurs) {
  for (const char* line : {"nonsense", "{}", "[]", R"({"event":"dance","run":"run-1","kind":"x"})",
                           R"({"event":"begin","run":"../x"})", R"({"event":"owe","run":"run-1"})", "\xff"}) {
    std::filesystem::remove(open()->path());
    ASSERT_TRUE(open()->begin("run-1", "me"));
    append_raw(std::string{line} + "\n");
    const auto runs = open()->open_runs();
    ASSERT_FALSE(runs) << line;
    EXPECT_EQ(runs.error().kind, FailureKind::malformed);
    EXPECT_THAT(runs.error().message(), HasSubstr("line 2"));
  }
}

TEST_F(JournalTest, TakesNoRunIdThatIsNone) {
  EXPECT_EQ(open()->begin("../x", "me").error().kind, FailureKind::malformed);
  EXPECT_THAT(open_runs(), IsEmpty());
}

TEST_F(JournalTest, KeepsAnyText) {
  const Debt odd{.kind = "leader", .name = "a \"quoted\"\nname", .detail = "\\ä"};
  ASSERT_TRUE(open()->owe("run-1", odd));
  EXPECT_THAT(open_runs().at(0).debts, ElementsAre(odd));
}

/// Runs `work` in a process of its own.
pid_t fork_off(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  return child;
}

void write_debts(const std::string& run, int count) {
  const auto journal = Journal::open("postgres-cluster");
  if (!journal || !(*journal)->begin(run, "me")) ::_exit(1);
  for (int i = 0; i < count; ++i) {
    const auto owed = (*journal)->owe(run, {.kind = "fault", .name = "n", .detail = std::to_string(i)});
    if (!owed) ::_exit(1);
  }
}

TEST_F(JournalTest, TakesTwoProcessesAtOnce) {
  const pid_t first = fork_off([] { write_debts("run-1", 50); });
  const pid_t second = fork_off([] { write_debts("run-2", 50); });
  int status = 1;
  ASSERT_EQ(::waitpid(first, &status, 0), first);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(::waitpid(second, &status, 0), second);
  EXPECT_EQ(status, 0);
  const auto runs = open_runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].debts.size(), 50u);
  EXPECT_EQ(runs[1].debts.size(), 50u);
}

TEST_F(JournalTest, StaysReadableWhenItsWriterIsKilled) {
  for (int round = 0; round < 5; ++round) {
    const std::string run = "run-" + std::to_string(round);
    const pid_t child = fork_off([&] { write_debts(run, 1'000'000); });
    const auto begun = std::chrono::steady_clock::now();
    const auto has_written = [&] {
      const auto runs = open()->open_runs();
      return runs && !runs->empty() && runs->back().run_id == run && runs->back().debts.size() > 3;
    };
    while (!has_written() && std::chrono::steady_clock::now() - begun < std::chrono::seconds{10}) {
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ASSERT_TRUE(open()->open_runs().has_value());
    EXPECT_EQ(open_runs().back().run_id, run);
    ASSERT_TRUE(open()->end(run));
  }
  EXPECT_THAT(open_runs(), IsEmpty());
}

}  // namespace
}  // namespace pgfiredrill::fault
