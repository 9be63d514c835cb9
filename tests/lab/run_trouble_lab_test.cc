/// Runs on bad days: wrong passwords, no room, no connections, a node or a terminal that goes away. One code,
/// one message, and the cluster as it was.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/lab/run_lab.h"

namespace pgfiredrill::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class RunTroubleLab : public RunLab {
 protected:
  /// A file system of its own for the run's record.
  OnExit mounted(const std::string& options) {
    const std::string folder = directory_ / "small";
    std::filesystem::create_directory(folder);
    shell("mount -t tmpfs -o " + options + " tmpfs " + folder);
    return OnExit{[folder] { shell("umount " + folder); }};
  }

  static void shell(const std::string& line) {
    SystemProcessRunner runner;
    const auto result = runner.run({.argv = {"/bin/sh", "-c", line}});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->exit_status, 0) << line << '\n' << result->err;
  }

  void expect_aborted(RunningProgram& child) {
    EXPECT_EQ(child.wait(240s), 4) << child.out() << child.err();
    EXPECT_EQ(reported("verdict"), "aborted");
    EXPECT_THAT(file_of_run("report.md"), HasSubstr("Stopped on request"));
  }
};

TEST_F(RunTroubleLab, RefusesAWrongRestPassword) {
  const OnExit back =
      edited("/etc/patroni/patroni.yml", "/^restapi:/,/^etcd3:/s/password: .*/password: wrong-on-purpose/");
  const auto result = run(quick_suite());
  expect_refusal(result, 3, "restapi.authentication");
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("wrong-on-purpose")));
}

TEST_F(RunTroubleLab, RefusesAWrongSuperuserPassword) {
  const OnExit back = edited("/etc/patroni/patroni.yml",
                             "/^    superuser:/,/^  parameters:/s/password: .*/password: wrong-on-purpose/");
  const auto result = run(quick_suite());
  expect_refusal(result, 3, "SASL authentication failed");
  EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 2) << "one cause, told once\n"
                                                                       << result.err;
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("wrong-on-purpose")));
}

TEST_F(RunTroubleLab, RefusesAFolderWithoutRoom) {
  const OnExit unmount = mounted("size=1m");
  expect_refusal(run(quick_suite(), {"--output", directory_ / "small"}), 3, "The run record needs");
}

TEST_F(RunTroubleLab, RefusesAFolderThatCannotBeWritten) {
  const OnExit unmount = mounted("ro");
  expect_refusal(run(quick_suite(), {"--output", directory_ / "small"}), 2,
                 "Choose a folder with --output that you may write to.");
}

TEST_F(RunTroubleLab, SaysThatThePoolersTakeNoMoreClients) {
  const std::string console =
      "runuser -u postgres -- psql -Xq -h /var/run/pgbouncer -p 6432 -U pgbouncer pgbouncer";
  for (const char* host : kHosts) on_host(host, console + " -c 'SET max_client_conn=8'");
  const OnExit back{[this] {
    for (const char* host : kHosts) on_host(host, "systemctl reload pgbouncer");
  }};
  expect_refusal(run(quick_suite()), 3, "no more connections allowed");
}

TEST_F(RunTroubleLab, RefusesWhereANodeGoesBeforeTheFault) {
  const auto child = start(quick_suite(20));
  wait_for_stage(*child, "baseline");
  on_host(a_replica(), "systemctl stop patroni");
  const OnExit back{[this] { on_host(a_replica(), "systemctl start patroni"); }};
  EXPECT_EQ(child->wait(120s), 3) << child->out() << child->err();
  EXPECT_THAT(child->err(), HasSubstr("before any fault"));
  EXPECT_EQ(reported("verdict"), "refused");
  EXPECT_EQ(reported("drills.0.repeats.0.injected_at"), "null");
}

TEST_F(RunTroubleLab, UndoesTheFaultWhenTerminated) {
  const auto child = start(quick_suite());
  wait_for_stage(*child, "observe");
  child->signal(SIGTERM);
  expect_aborted(*child);
  EXPECT_THAT(child->out(), HasSubstr("giving the leader's role back"));
}

TEST_F(RunTroubleLab, UndoesTheFaultWhenTheTerminalCloses) {
  const auto child = start(quick_suite(), RunningProgram::Output::terminal);
  wait_for_stage(*child, "observe");
  child->close_terminal();
  expect_aborted(*child);
}

TEST_F(RunTroubleLab, UndoesTheFaultWhenNobodyReadsItsOutput) {
  auto command = run_command(quick_suite());
  std::string line;
  for (const std::string& word : command) line += "'" + word + "' ";
  // `head` leaves with the first line, and then its pipe is broken.
  RunningProgram child{{"/bin/sh", "-c", "{ " + line + "; echo $? >" + directory_ / "status; } | head -n 1"}};
  child.wait(240s);
  EXPECT_EQ(reported("verdict"), "passed") << child.err();
  int status = -1;
  std::ifstream{directory_ / "status"} >> status;
  EXPECT_EQ(status, 0);
}

TEST_F(RunTroubleLab, RunsOneAtATime) {
  const auto first = start(quick_suite(60));
  wait_for_stage(*first, "baseline");
  const std::string name = std::filesystem::path{run_folder()}.filename();
  const auto second = run(quick_suite(), {"--output", directory_ / "second"});
  expect_refusal(second, 3, name);
  expect_refusal(heal(), 3, name);
  EXPECT_TRUE(first->running()) << "it is not disturbed";
  first->signal(SIGINT);
  EXPECT_EQ(first->wait(120s), 4) << first->out() << first->err();
}

}  // namespace
}  // namespace pgfiredrill::testing
