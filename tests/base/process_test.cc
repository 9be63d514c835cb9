#include "base/process.h"

#include <chrono>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

ProcessResult run(ProcessRequest request) {
  SystemProcessRunner runner;
  auto result = runner.run(request);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message());
  return result ? *result : ProcessResult{};
}

TEST(SystemProcessRunner, KeepsTheStreamsApartAndTheExitStatus) {
  const auto result = run({.argv = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_status, 3);
}

TEST(SystemProcessRunner, SaysASignalAsShellsDo) {
  EXPECT_EQ(run({.argv = {"sh", "-c", "kill -TERM $$"}}).exit_status, 128 + 15);
}

TEST(SystemProcessRunner, HandsArgumentsOverUntouched) {
  EXPECT_EQ(run({.argv = {"printf", "%s|%s", "a b", "$(id) `id` ; \"'"}}).out, "a b|$(id) `id` ; \"'");
}

TEST(SystemProcessRunner, PassesMoreInputThanAPipeHoldsThrough) {
  const std::string input(1'000'000, 'x');
  EXPECT_EQ(run({.argv = {"cat"}, .input = input}).out, input);
}

TEST(SystemProcessRunner, SurvivesAProgramThatDoesNotReadItsInput) {
  EXPECT_EQ(run({.argv = {"true"}, .input = std::string(1'000'000, 'x')}).exit_status, 0);
}

TEST(SystemProcessRunner, AddsToTheEnvironment) {
  ::setenv("PGFIREDRILL_TEST_KEPT", "kept", 1);
  const auto result = run({.argv = {"sh", "-c", "echo $PGFIREDRILL_TEST_KEPT $ADDED"},
                           .input = {},
                           .environment = {{"ADDED", "added"}}});
  ::unsetenv("PGFIREDRILL_TEST_KEPT");
  EXPECT_EQ(result.out, "kept added\n");
}

TEST(SystemProcessRunner, FindsTheProgramInTheRequestsOwnPath) {
  SystemProcessRunner runner;
  const auto result = runner.run({.argv = {"sh"}, .input = {}, .environment = {{"PATH", "/nonexistent"}}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::missing);
  EXPECT_THAT(result.error().message(), HasSubstr("start the program sh"));
  EXPECT_THAT(result.error().message(), HasSubstr("Install it"));
}

TEST(SystemProcessRunner, FailsWhereTheProgramCannotBeExecuted) {
  SystemProcessRunner runner;
  const auto result = runner.run({.argv = {"/etc/passwd"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::denied);
}

TEST(SystemProcessRunner, EndsTheWholeProcessGroupAtTheDeadline) {
  const auto before = std::chrono::steady_clock::now();
  const auto result = run({.argv = {"sh", "-c", "echo started; sleep 60 & wait"},
                           .input = {},
                           .environment = {},
                           .deadline = 300ms});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.out, "started\n");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
}

TEST(SystemProcessRunner, DoesNotWaitForWhatAProgramLeavesBehindWithItsPipes) {
  const auto before = std::chrono::steady_clock::now();
  const auto result = run({.argv = {"sh", "-c", "sleep 5 & echo done"}});
  EXPECT_EQ(result.out, "done\n");
  EXPECT_FALSE(result.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 4s);
}

TEST(SystemProcessRunner, KillsAProgramThatPrintsTooMuch) {
  const auto result =
      run({.argv = {"yes"}, .input = {}, .environment = {}, .deadline = 10s, .output_limit = 100'000});
  EXPECT_TRUE(result.output_cut);
  EXPECT_EQ(result.out.size(), 100'000u);
}

TEST(SystemProcessRunner, LeaksNoDescriptorIntoTheProgram) {
  int sockets[2];  // without close-on-exec, as a careless library opens them
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const auto result = run({.argv = {"sh", "-c", "ls -l /proc/$$/fd"}});
  ::close(sockets[0]);
  ::close(sockets[1]);
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("socket:")));
}

TEST(SystemProcessRunner, RunsManyAtOnce) {
  SystemProcessRunner runner;
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(16);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto result = runner.run({.argv = {"sh", "-c", "sleep 0.05; echo " + std::to_string(i)}});
      if (result) outputs[i] = result->out;
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

}  // namespace
}  // namespace pgfiredrill
