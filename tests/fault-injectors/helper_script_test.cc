/// The helper's program itself, in a folder of the test's own: what it refuses, and that it touches nothing
/// but what was recorded. What it does to services, disks and networks is tested on the lab.

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "fault-injectors/helper.h"
#include "fault-injectors/helper_text.h"
#include "tests/support/environment_guard.h"
#include "tests/support/local_host.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::fault {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A process that ends with the test, however it was left.
class Sleeper {
 public:
  Sleeper() : pid_{::fork()} {
    if (pid_ == 0) {
      ::execl("/bin/sleep", "sleep", "100", nullptr);
      ::_exit(127);
    }
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  void stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] char letter() const { return field(0).front(); }
  [[nodiscard]] std::string start() const { return field(19); }

 private:
  /// Behind the name in brackets.
  [[nodiscard]] std::string field(std::size_t index) const {
    std::ifstream file{"/proc/" + std::to_string(pid_) + "/stat"};
    std::string line;
    std::getline(file, line);
    return words(line.substr(line.rfind(')') + 1)).at(index);
  }

  pid_t pid_;
};

std::string this_boot() {
  std::ifstream file{"/proc/sys/kernel/random/boot_id"};
  std::string id;
  std::getline(file, id);
  return id;
}

class HelperScript : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "the helper runs as root only";
    script_ = directory_ / "helper";
    std::ofstream{script_} << Helper::text();
    fs::permissions(directory_.path(), fs::perms{0755});
    folder_ = directory_ / "state";
    environment_.set("PGFIREDRILL_FOLDER", folder_);
  }

  RemoteResult run(std::vector<std::string> said) {
    said.insert(said.begin(), {"sh", script_});
    return host_.run({.argv = said}).value();
  }
  int exit_of(const std::vector<std::string>& said) { return run(said).exit_status; }
  int exit_of_arming(std::vector<std::string> what) {
    what.insert(what.begin(), {"arm", "r.1", "60"});
    return exit_of(what);
  }

  [[nodiscard]] std::string record(const std::string& id, const std::string& name) const {
    return folder_ + "/breakages/" + id + "/" + name;
  }
  void write(const std::string& id, const std::string& name, const std::string& text) const {
    std::ofstream{record(id, name)} << text << '\n';
  }
  void write_record(const std::string& id, const std::string& what, const std::string& state) const {
    fs::create_directories(folder_ + "/breakages/" + id);
    write(id, "what", what);
    write(id, "state", state);
    write(id, "boot", this_boot());
    write(id, "at", "17");
  }
  void write_process(const std::string& id, const Sleeper& process, const std::string& start) const {
    write(id, "pids", std::to_string(process.pid()) + " " + start);
  }

  testing::TemporaryDirectory directory_;
  testing::EnvironmentGuard environment_;
  testing::LocalHost host_{"here"};
  std::string script_;
  std::string folder_;
};

TEST_F(HelperScript, TellsItsVersion) {
  EXPECT_EQ(run({"version"}).out, std::string{"pgfiredrill-helper "} + kHelperVersion + "\n");
}

TEST_F(HelperScript, RefusesCommandsThatItDoesNotKnow) {
  EXPECT_EQ(exit_of({}), kHelperRefused);
  EXPECT_EQ(exit_of({"sh", "-c", "id"}), kHelperRefused);
  EXPECT_EQ(exit_of({"do_reboot"}), kHelperRefused);
  EXPECT_EQ(exit_of({"holds_address", "10.0.0.1"}), kHelperRefused);
}

// An ID becomes the name of a folder, of a unit and of a file.
TEST_F(HelperScript, RefusesIdsThatNameOtherPlaces) {
  for (const std::string& id :
       {std::string{}, std::string{"."}, std::string{".."}, std::string{"../r"}, std::string{"a/b"},
        std::string{"-r"}, std::string{".new"}, std::string{"a b"}, std::string{"a\nb"}, std::string{"a%b"},
        std::string{"a;b"}, std::string{"a$(id)"}, std::string(121, 'a')}) {
    for (const char* const command : {"check", "revert", "forget"}) {
      EXPECT_EQ(exit_of({command, id}), kHelperRefused) << command << " " << id;
    }
    EXPECT_EQ(exit_of({"inject", id, "5"}), kHelperRefused) << id;
    EXPECT_EQ(exit_of({"arm", id, "60", "reboot"}), kHelperRefused) << id;
  }
  EXPECT_EQ(exit_of({"check", std::string(120, 'a')}), 0);
}

TEST_F(HelperScript, RefusesSecondsThatAreNone) {
  for (const char* const seconds : {"", "0", "-1", "1.5", "07", "86401", "99999999999999999999", "1m", "x"}) {
    EXPECT_EQ(exit_of({"arm", "r.1", seconds, "reboot"}), kHelperRefused) << seconds;
  }
  write_record("r.1", "freeze\npgbouncer", "armed");
  EXPECT_EQ(exit_of({"inject", "r.1", "-5"}), kHelperRefused);
  EXPECT_EQ(exit_of({"inject", "r.1"}), kHelperRefused);
}

TEST_F(HelperScript, RefusesVerbsAndArgumentsOutsideItsLists) {
  const std::vector<std::vector<std::string>> refused{{"explode"},
                                                      {"reboot", "now"},
                                                      {"kill"},
                                                      {"kill", "sshd", "KILL"},
                                                      {"kill", "patroni.service", "KILL"},
                                                      {"kill", "patroni", "STOP"},
                                                      {"kill", "patroni", "9"},
                                                      {"kill", "patroni", "KILL", "/data"},
                                                      {"kill", "postgresql", "TERM", "/data"},
                                                      {"kill", "postmaster", "KILL"},
                                                      {"freeze", "systemd-journald"},
                                                      {"freeze", "pgbouncer-1"},
                                                      {"freeze", "pgbouncer-100"},
                                                      {"freeze", "pgbouncer-2x"},
                                                      {"freeze", "postmaster", "data"},
                                                      {"freeze", "postmaster", "/data/../etc"},
                                                      {"freeze", "postmaster", "/data/.."},
                                                      {"freeze", "postmaster", "/data/$(id)"},
                                                      {"freeze", "postmaster", "/data\n/etc"},
                                                      {"stop", "postmaster"},
                                                      {"stop", "-H"},
                                                      {"stop", "etcd", "haproxy"},
                                                      {"crash-loop", "dbus"},
                                                      {"reload", "patroni"},
                                                      {"prevent-start", ""},
                                                      {"fill", "/data"},
                                                      {"fill", "/data", "0"},
                                                      {"fill", "/data", "15"},
                                                      {"fill", "/data", "many"},
                                                      {"patroni-config", "postgresql", "null"},
                                                      {"patroni-config", "ttl", "{}"},
                                                      {"patroni-config", "ttl", "[1]"},
                                                      {"patroni-config", "ttl", "30 --force"},
                                                      {"patroni-config", "ttl", "\"a\"b\""},
                                                      {"patroni-config", "ttl", "\""},
                                                      {"patroni-config", "ttl", "30\nloop_wait: 1"},
                                                      {"patroni-pause", "now"}};
  for (const auto& what : refused) EXPECT_EQ(exit_of_arming(what), kHelperRefused) << join(what, " ");
  EXPECT_FALSE(fs::exists(folder_ + "/breakages/r.1"));
}

TEST_F(HelperScript, RefusesEntriesThatAreNoAddressesAndPorts) {
  for (const std::string& entry :
       {std::string{"everything"}, std::string{"remote/tcp/10.0.0.1"}, std::string{"remote/udp/10.0.0.1/53"},
        std::string{"remote/tcp/10.0.0.256/80"}, std::string{"remote/tcp/10.0.0/80"},
        std::string{"remote/tcp/10.0.0.1.2/80"}, std::string{"remote/tcp/10..0.1/80"},
        std::string{"remote/tcp/10.0.0.1/0"}, std::string{"remote/tcp/10.0.0.1/65536"},
        std::string{"remote/tcp/10.0.0.1/80/tcp"}, std::string{"remote/tcp/10.0.0.0/8/80"},
        std::string{"remote/tcp/pg1/80"}, std::string{"remote/tcp/::1; drop/80"},
        std::string{"local/tcp//80"}, std::string{"local/tcp/:/80"}, std::string{"vrrp/"},
        std::string{"vrrp/10.0.0.1/1"}}) {
    EXPECT_EQ(exit_of_arming({"cut", "drop", "both", entry}), kHelperRefused) << entry;
  }
  EXPECT_EQ(exit_of_arming({"cut", "drop", "both"}), kHelperRefused);
  EXPECT_EQ(exit_of_arming({"cut", "break", "both", "vrrp/10.0.0.1"}), kHelperRefused);
  EXPECT_EQ(exit_of_arming({"cut", "drop", "sideways", "vrrp/10.0.0.1"}), kHelperRefused);
  std::vector<std::string> many{"cut", "drop", "both"};
  many.resize(3 + 201, "vrrp/10.0.0.1");
  EXPECT_EQ(exit_of_arming(many), kHelperRefused);
}

TEST_F(HelperScript, NeverCutsTheWayIn) {
  for (const char* const entry :
       {"local/tcp/10.0.0.1/22", "remote/tcp/10.0.0.1/22", "local/tcp/fe80::1/22"}) {
    const RemoteResult result = run({"arm", "r.1", "60", "cut", "drop", "both", entry});
    EXPECT_EQ(result.exit_status, kHelperRefused);
    EXPECT_THAT(result.err, HasSubstr("port 22 is never cut"));
  }
}

// Whoever may write a data directory's files may not aim root at what is not PostgreSQL's.
TEST_F(HelperScript, TakesOnlyDataDirectoriesOfPostgres) {
  const std::string data = directory_ / "data";
  EXPECT_EQ(exit_of_arming({"kill", "postmaster", "KILL", data}), kUnsuitable);
  fs::create_directories(data);
  EXPECT_EQ(exit_of_arming({"freeze-disk", data}), kUnsuitable) << "no PG_VERSION";
  std::ofstream{data + "/PG_VERSION"} << "17\n";
  const RemoteResult owned = run({"arm", "r.1", "60", "fill", data, "100"});
  EXPECT_EQ(owned.exit_status, kUnsuitable);
  EXPECT_THAT(owned.err, HasSubstr("does not belong to postgres"));
  EXPECT_FALSE(fs::exists(folder_ + "/breakages/r.1"));
  EXPECT_FALSE(fs::exists(folder_ + "/breakages/.new")) << "what could not be armed leaves nothing";
}

TEST_F(HelperScript, WritesNothingIntoAFolderThatOthersMayWrite) {
  fs::create_directories(folder_);
  fs::permissions(folder_, fs::perms{0777});
  EXPECT_EQ(exit_of({"arm", "r.1", "60", "reboot"}), kHelperRefused);
  EXPECT_TRUE(fs::is_empty(folder_));

  fs::remove(folder_);
  const std::string elsewhere = directory_ / "elsewhere";
  fs::create_directories(elsewhere);
  fs::create_directory_symlink(elsewhere, folder_);
  EXPECT_EQ(exit_of({"arm", "r.1", "60", "reboot"}), kHelperRefused);
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

// The timer runs it as root later: it must not be a program that others may change by then.
TEST_F(HelperScript, ArmsNothingWhereOthersMayWriteTheProgram) {
  fs::permissions(script_, fs::perms{0666});
  const RemoteResult result = run({"arm", "r.1", "60", "reboot"});
  EXPECT_EQ(result.exit_status, kHelperRefused);
  EXPECT_THAT(result.err, HasSubstr("only root may write"));
}

TEST_F(HelperScript, KnowsNothingOfWhatIsNotRecorded) {
  EXPECT_EQ(run({"check", "r.1"}).out, "state absent force no\nnothing is recorded as r.1\n");
  EXPECT_EQ(run({"pending"}).out, "");
  EXPECT_EQ(exit_of({"revert", "r.1"}), kNoRecord);
  EXPECT_EQ(exit_of({"forget", "r.1"}), kNoRecord);
  EXPECT_EQ(exit_of({"inject", "r.1", "5"}), kNoRecord);
}

// The safety of everything: without a timer that will undo it, nothing is done.
TEST_F(HelperScript, DoesNothingWithoutATimer) {
  const Sleeper sleeper;
  write_record("r.1", "freeze\npgbouncer", "armed");
  write_process("r.1", sleeper, sleeper.start());
  const RemoteResult result = run({"inject", "r.1", "5"});
  EXPECT_EQ(result.exit_status, kNotArmed);
  EXPECT_THAT(result.err, HasSubstr("has 0 s left"));
  EXPECT_NE(sleeper.letter(), 'T');
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state armed force no\n"));
}

TEST_F(HelperScript, DoesNothingOnAnotherBootThanItWasArmedOn) {
  write_record("r.1", "freeze\npgbouncer", "armed");
  write("r.1", "boot", "another");
  const RemoteResult result = run({"inject", "r.1", "5"});
  EXPECT_EQ(result.exit_status, kNotArmed);
  EXPECT_THAT(result.err, HasSubstr("rebooted"));
}

TEST_F(HelperScript, InjectsOnlyOnce) {
  for (const char* const state : {"injected", "reverted", "expired"}) {
    write_record("r.1", "freeze\npgbouncer", state);
    EXPECT_EQ(exit_of({"inject", "r.1", "5"}), kNotArmed) << state;
  }
}

TEST_F(HelperScript, LetsAStoppedProcessRunAgainAndSaysSo) {
  const Sleeper sleeper;
  sleeper.stop();
  write_record("r.1", "freeze\npgbouncer", "injected");
  write_process("r.1", sleeper, sleeper.start());
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state injected force yes\n"));
  EXPECT_EQ(exit_of({"forget", "r.1"}), kStillInForce);

  EXPECT_EQ(exit_of({"revert", "r.1"}), 0);
  EXPECT_NE(sleeper.letter(), 'T');
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state reverted force no\n"));
  EXPECT_EQ(exit_of({"revert", "r.1"}), 0) << "again does no harm";
  EXPECT_EQ(exit_of({"forget", "r.1"}), 0);
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state absent"));
}

TEST_F(HelperScript, SeesThatSomebodyElseHasUndoneIt) {
  const Sleeper sleeper;
  write_record("r.1", "freeze\npgbouncer", "injected");
  write_process("r.1", sleeper, sleeper.start());
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state injected force no\n"));
}

// Numbers of processes come round again.
TEST_F(HelperScript, LeavesAProcessAloneThatHasTheNumberButNotTheStart) {
  const Sleeper sleeper;
  sleeper.stop();
  write_record("r.1", "freeze\npgbouncer", "injected");
  write_process("r.1", sleeper, sleeper.start() + "0");
  EXPECT_EQ(exit_of({"revert", "r.1"}), 0);
  EXPECT_EQ(sleeper.letter(), 'T');
}

TEST_F(HelperScript, LeavesProcessesAloneAfterAReboot) {
  const Sleeper sleeper;
  sleeper.stop();
  write_record("r.1", "freeze\npgbouncer", "injected");
  write_process("r.1", sleeper, sleeper.start());
  write("r.1", "boot", "another");
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state injected force no\n"));
  EXPECT_EQ(exit_of({"revert", "r.1"}), 0);
  EXPECT_EQ(sleeper.letter(), 'T');
}

TEST_F(HelperScript, TellsWhatTheTimerUndidFromWhatWasAskedFor) {
  const Sleeper sleeper;
  write_record("r.1", "freeze\npgbouncer", "injected");
  write_process("r.1", sleeper, sleeper.start());
  EXPECT_EQ(exit_of({"revert", "r.1", "timer"}), 0);
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state expired force no\n"));

  write_record("r.2", "freeze\npgbouncer", "armed");
  EXPECT_EQ(exit_of({"revert", "r.2", "timer"}), 0);
  EXPECT_THAT(run({"check", "r.2"}).out, StartsWith("state reverted force no\n")) << "nothing was done";
  EXPECT_EQ(exit_of({"revert", "r.2", "somebody"}), kHelperRefused);
}

// The unit that waits for a reboot may be started by hand before there is one.
TEST_F(HelperScript, LeavesItInForceWhereTheBootsUnitRunsWithoutAReboot) {
  const Sleeper sleeper;
  sleeper.stop();
  write_record("r.1", "freeze\npgbouncer", "injected");
  write_process("r.1", sleeper, sleeper.start());
  EXPECT_EQ(exit_of({"revert", "r.1", "boot"}), 0);
  EXPECT_EQ(sleeper.letter(), 'T');
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state injected force yes\n"));
}

TEST_F(HelperScript, TellsAReboot) {
  write_record("r.1", "reboot", "injected");
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state injected force no\n"));
  write("r.1", "boot", "another");
  EXPECT_THAT(run({"check", "r.1"}).out, StartsWith("state injected force yes\n"));
}

TEST_F(HelperScript, ListsEveryRecordInTheOrderOfArming) {
  write_record("r.1", "cut\ndrop\nboth\nvrrp/10.0.0.1", "injected");
  write("r.1", "at", "200");
  write_record("r.2", "reboot", "armed");
  write("r.2", "at", "100");
  write_record("r.3", "reboot", "expired");
  write("r.3", "at", "300");
  fs::create_directories(folder_ + "/breakages/.new");
  EXPECT_EQ(run({"pending"}).out,
            "r.2 armed reboot\nr.1 injected cut drop both vrrp/10.0.0.1\nr.3 expired reboot\n");
}

TEST_F(HelperScript, RunsNoRecordThatIsNoneOfItsOwn) {
  write_record("r.1", "holds_address\n127.0.0.1", "injected");
  EXPECT_EQ(exit_of({"revert", "r.1"}), kHelperRefused);
}

TEST_F(HelperScript, TellsItsOwnAddresses) {
  EXPECT_EQ(exit_of({"holds-address", "127.0.0.1"}), 0);
  EXPECT_EQ(exit_of({"holds-address", "203.0.113.77"}), 1);
  EXPECT_EQ(exit_of({"holds-address", "lo"}), kHelperRefused);
}

}  // namespace
}  // namespace pgfiredrill::fault
