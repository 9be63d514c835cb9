#include "cluster/ssh_host.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/fake_process_runner.h"
#include "tests/support/loopback_server.h"
#include "tests/support/scratch_sshd.h"

namespace pgfiredrill {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using testing::FakeProcessRunner;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScratchSshd;
using testing::TemporaryDirectory;

TEST(ShellQuote, MakesOneWordOfAnything) {
  SystemProcessRunner runner;
  for (const std::string text :
       {"", "a b", "it's", "$(id)`id`", "a\nb", "'; rm -rf /; '", "\\", "\"", "-n", "é"}) {
    const auto result = runner.run({.argv = {"sh", "-c", "printf %s " + shell_quote(text)}});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->out, text);
  }
}

// ---- against a real sshd
// ------------------------------------------------------------------------------------------

class SshHostOnLoopback : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (ScratchSshd::unavailable().empty()) sshd_ = std::make_unique<ScratchSshd>();
  }
  static void TearDownTestSuite() { sshd_.reset(); }

  void SetUp() override {
    if (!sshd_) GTEST_SKIP() << ScratchSshd::unavailable();
  }

  void TearDown() override {
    if (sshd_) end_master();
  }

  SshHost host() { return host(sshd_->description()); }
  SshHost host(const HostDescription& description) {
    return SshHost{runner_, description, control_.path().string()};
  }

  Failure failure_of(const HostDescription& description) {
    auto broken = host(description);
    const auto result = broken.run({.argv = {"true"}, .as_root = false});
    EXPECT_FALSE(result.has_value());
    return result ? Failure{} : result.error();
  }

  void end_master() {
    auto description = sshd_->description();
    std::vector<std::string> argv{"ssh", "-o", "ControlPath=" + control_.path().string() + "/%C", "-o",
                                  "Port=" + std::to_string(*description.ssh.port)};
    argv.insert(argv.end(), description.ssh.arguments.begin(), description.ssh.arguments.end());
    argv.insert(argv.end(), {"-O", "exit", "127.0.0.1"});
    (void)runner_.run({.argv = argv});
  }

  static std::unique_ptr<ScratchSshd> sshd_;
  TemporaryDirectory control_;
  SystemProcessRunner runner_;
};

std::unique_ptr<ScratchSshd> SshHostOnLoopback::sshd_;

TEST_F(SshHostOnLoopback, RunsACommandWithItsStreamsAndStatus) {
  auto remote = host();
  const auto result =
      remote.run({.argv = {"sh", "-c", "cat; echo err >&2; exit 4"}, .input = "in", .as_root = false});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->out, "in");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_status, 4);
}

TEST_F(SshHostOnLoopback, LetsNoArgumentBeInterpretedOnTheOtherSide) {
  auto remote = host();
  const auto result =
      remote.run({.argv = {"printf", "%s|%s", "$(id); `id`", "a'b \"c\" \n*"}, .as_root = false});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->out, "$(id); `id`|a'b \"c\" \n*");
}

TEST_F(SshHostOnLoopback, RunsAsRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "the scratch sshd lets root in only where root runs the test";
  auto remote = host();
  const auto result = remote.run({.argv = {"id", "-u"}});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->out, "0\n");
}

TEST_F(SshHostOnLoopback, KeepsASudoPasswordOutOfTheCommandsInput) {
  if (::geteuid() != 0) GTEST_SKIP() << "the scratch sshd lets root in only where root runs the test";
  auto description = sshd_->description();
  description.ssh.become_password = Secret{"hunter2"};
  auto remote = host(description);
  const auto result = remote.run({.argv = {"cat"}, .input = "in"});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->out, "in");
}

TEST_F(SshHostOnLoopback, SharesOneConnection) {
  auto remote = host();
  ASSERT_TRUE(remote.run({.argv = {"true"}, .as_root = false}));
  const auto first = remote.run({.argv = {"sh", "-c", "echo $SSH_CONNECTION"}, .as_root = false});
  const auto second = host().run({.argv = {"sh", "-c", "echo $SSH_CONNECTION"}, .as_root = false});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->out, second->out) << "the client's port differs: two connections";
}

TEST_F(SshHostOnLoopback, HonoursTheUsersConfigurationAndJumpHosts) {
  const std::string config = sshd_->directory().write(
      "ssh_config", "Host *\n  IdentityFile " + sshd_->key_file() + "\n  UserKnownHostsFile " +
                        sshd_->known_hosts_file() + "\n  Port " + std::to_string(sshd_->port()) +
                        "\nHost database\n  HostName 127.0.0.1\n  ProxyJump 127.0.0.1\n");
  HostDescription description{.name = "pg1", .address = "database"};
  description.ssh.arguments = {"-F", config};
  auto remote = host(description);
  const auto result = remote.run({.argv = {"echo", "through"}, .as_root = false});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->out, "through\n");
}

TEST_F(SshHostOnLoopback, SaysThatTheKeyIsWrong) {
  const TemporaryDirectory other;
  ASSERT_EQ(std::system(("ssh-keygen -q -t ed25519 -N '' -f " + (other / "key") + " > /dev/null").c_str()),
            0);
  auto description = sshd_->description();
  description.ssh.private_key_file = other / "key";
  const Failure failure = failure_of(description);
  EXPECT_EQ(failure.kind, FailureKind::denied);
  EXPECT_THAT(failure.message(), HasSubstr("ansible_ssh_private_key_file"));
}

TEST_F(SshHostOnLoopback, SaysThatTheHostKeyIsUnknown) {
  auto description = sshd_->description();
  description.ssh.arguments = {
      "-F", "none", "-o", "UserKnownHostsFile=none", "-o", "GlobalKnownHostsFile=none"};
  EXPECT_EQ(failure_of(description).kind, FailureKind::untrusted);
}

TEST_F(SshHostOnLoopback, SaysThatNobodyListens) {
  auto description = sshd_->description();
  description.ssh.port = testing::closed_port();
  EXPECT_EQ(failure_of(description).kind, FailureKind::unreachable);
}

TEST_F(SshHostOnLoopback, SaysThatTheNameIsUnknown) {
  auto description = sshd_->description();
  description.address = "no-such-host.invalid";
  EXPECT_EQ(failure_of(description).kind, FailureKind::unreachable);
}

TEST_F(SshHostOnLoopback, GivesUpOnACommandThatHangs) {
  auto remote = host();
  const auto before = std::chrono::steady_clock::now();
  const auto result = remote.run({.argv = {"sleep", "30"}, .as_root = false, .deadline = 1500ms});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
}

TEST_F(SshHostOnLoopback, ForwardsAUnixSocketAndTakesItAway) {
  const TemporaryDirectory remote_side;
  // A server behind the socket that says one word.
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (remote_side / ".s.PGSQL.6432").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  std::thread server{[listener] {
    const int client = ::accept(listener, nullptr, nullptr);
    testing::send_text(client, "hello");
    ::close(client);
  }};

  auto remote = host();
  std::string directory;
  {
    const auto forward = remote.forward_postgres_socket(remote_side.path().string(), 6432);
    ASSERT_TRUE(forward) << forward.error().message();
    directory = (*forward)->directory();
    const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    (directory + "/.s.PGSQL.6432").copy(local.sun_path, sizeof local.sun_path - 1);
    ASSERT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&local), sizeof local), 0);
    char word[6] = {};
    EXPECT_EQ(::recv(client, word, 5, MSG_WAITALL), 5);
    EXPECT_STREQ(word, "hello");
    ::close(client);
  }
  EXPECT_FALSE(std::filesystem::exists(directory));
  server.join();
  ::close(listener);
}

TEST_F(SshHostOnLoopback, ForwardsOnlyPathsThatSshCannotMisread) {
  auto remote = host();
  for (const char* path : {"relative", "/a:b", "/a\nb"}) {
    const auto forward = remote.forward_postgres_socket(path, 5432);
    EXPECT_FALSE(forward.has_value()) << path;
  }
}

// ---- without one
// --------------------------------------------------------------------------------------------------

TEST(SshHost, NeverPutsASudoPasswordOnACommandLine) {
  FakeProcessRunner runner{[](const ProcessRequest&) { return ProcessResult{}; }};
  HostDescription description{.name = "pg1", .address = "10.77.0.11"};
  description.ssh.become_password = Secret{"hunter2"};
  SshHost host{runner, description, "/tmp"};
  ASSERT_TRUE(host.run({.argv = {"true"}}));
  const auto request = runner.requests().at(0);
  EXPECT_THAT(request.argv, Not(Contains(HasSubstr("hunter2"))));
  EXPECT_EQ(request.input, "hunter2\n");
}

TEST(SshHost, EndsItsOptionsBeforeTheAddress) {
  FakeProcessRunner runner{[](const ProcessRequest&) { return ProcessResult{}; }};
  SshHost host{runner, {.name = "x", .address = "-oProxyCommand=evil"}, "/tmp"};
  ASSERT_TRUE(host.run({.argv = {"true"}, .as_root = false}));
  const auto argv = runner.requests().at(0).argv;
  const auto address = std::find(argv.begin(), argv.end(), "-oProxyCommand=evil");
  ASSERT_NE(address, argv.end());
  EXPECT_EQ(*(address - 1), "--");
}

TEST(SshHost, SaysThatSudoWantsAPassword) {
  FakeProcessRunner runner{[](const ProcessRequest&) {
    return ProcessResult{.exit_status = 1, .err = "sudo: a password is required\n"};
  }};
  SshHost host{runner, {.name = "pg1", .address = "10.77.0.11"}, "/tmp"};
  const auto result = host.run({.argv = {"cat", "/etc/patroni/patroni.yml"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FailureKind::denied);
  EXPECT_THAT(result.error().message(), HasSubstr("a password is required"));
}

TEST(SshControlDirectory, IsOursAlone) {
  const TemporaryDirectory runtime;
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("XDG_RUNTIME_DIR", "/tmp/pgfiredrill-t", 1);
  std::filesystem::create_directories("/tmp/pgfiredrill-t");
  const auto directory = make_ssh_control_directory();
  ASSERT_TRUE(directory) << directory.error().message();
  EXPECT_EQ(*directory, "/tmp/pgfiredrill-t/pgfiredrill");
  EXPECT_EQ(std::filesystem::status(*directory).permissions(), std::filesystem::perms::owner_all);

  std::filesystem::permissions(*directory, std::filesystem::perms::all);
  EXPECT_FALSE(make_ssh_control_directory().has_value()) << "anybody could put a socket there";
  std::filesystem::remove_all("/tmp/pgfiredrill-t");
  if (before != nullptr)
    ::setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
  else
    ::unsetenv("XDG_RUNTIME_DIR");
}

}  // namespace
}  // namespace pgfiredrill
