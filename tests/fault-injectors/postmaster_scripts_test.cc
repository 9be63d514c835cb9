/// The scripts against real processes: a copy of `sleep` that is called postgres.

#include "fault-injectors/postmaster_scripts.h"

#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "fault-injectors/host_scripts.h"
#include "tests/support/local_host.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::fault {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using testing::LocalHost;
using testing::TemporaryDirectory;

/// A process that is killed and waited for at the end.
class Dummy {
 public:
  Dummy(const std::string& program, const std::string& folder) : pid_{::fork()} {
    if (pid_ == 0) {
      const bool there = ::chdir(folder.c_str()) == 0;
      if (there) ::execl(program.c_str(), "postgres", "60", nullptr);
      ::_exit(127);
    }
    // Until exec has closed this, the copy still looks like the test itself.
    for (int i = 0; i < 500 && exe() != program; ++i) ::usleep(10'000);
  }
  ~Dummy() {
    ::kill(pid_, SIGKILL);
    reap();
  }
  Dummy(const Dummy&) = delete;
  Dummy& operator=(const Dummy&) = delete;

  [[nodiscard]] std::string pid() const { return std::to_string(pid_); }
  [[nodiscard]] bool lives() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }
  void reap() const { ::waitpid(pid_, nullptr, 0); }

 private:
  [[nodiscard]] std::string exe() const {
    std::error_code ignored;
    return fs::read_symlink("/proc/" + pid() + "/exe", ignored);
  }

  pid_t pid_;
};

class PostmasterScripts : public ::testing::Test {
 protected:
  PostmasterScripts() {
    fs::create_directories(data_);
    fs::create_directories(directory_ / "bin (x) y");
    postgres_ = directory_ / "bin (x) y/postgres";
    fs::copy_file("/bin/sleep", postgres_);
  }

  void write_pid_file(const std::string& text) { std::ofstream{data_ + "/postmaster.pid"} << text; }

  RemoteResult run(const std::string& script, const std::vector<std::string>& arguments) {
    return host_.run(host_script(script, arguments)).value();
  }

  /// The start that the finding script tells.
  std::string start_of(const Dummy& process) {
    write_pid_file(process.pid() + "\n" + data_ + "\n");
    const RemoteResult found = run(find_postmaster_script(), {data_});
    EXPECT_EQ(found.exit_status, 0) << found.err;
    const auto said = words(found.out);
    EXPECT_GE(said.size(), 4u);
    EXPECT_EQ(said.at(1), process.pid());
    return said.size() < 4 ? "" : said[3];
  }

  TemporaryDirectory directory_;
  std::string data_ = directory_ / "data 17";
  std::string postgres_;
  LocalHost host_{"here"};
};

TEST_F(PostmasterScripts, FindKillAndMissAPostmaster) {
  const Dummy postmaster{postgres_, data_};
  const std::string start = start_of(postmaster);
  EXPECT_EQ(run(postmaster_gone_script(), {postmaster.pid(), start}).exit_status, kStillThere);
  EXPECT_EQ(run(postmaster_gone_script(), {postmaster.pid(), start + "1"}).exit_status, 0);

  // Nobody has waited for it yet: a zombie is gone.
  const RemoteResult killed = run(kill_postmaster_script(), {data_, postmaster.pid(), start});
  EXPECT_EQ(killed.exit_status, 0) << killed.err;
  EXPECT_THAT(killed.out, HasSubstr("killed pid " + postmaster.pid() + " start " + start + " exe "));
  EXPECT_EQ(run(postmaster_gone_script(), {postmaster.pid(), start}).exit_status, 0);
  EXPECT_FALSE(postmaster.lives());

  EXPECT_EQ(run(kill_postmaster_script(), {data_, postmaster.pid(), start}).exit_status, kAlreadyGone)
      << "again";
  EXPECT_EQ(run(find_postmaster_script(), {data_}).exit_status, kAlreadyGone);
}

TEST_F(PostmasterScripts, KillNoProcessThatStartedAtAnotherTime) {
  const Dummy postmaster{postgres_, data_};
  const std::string start = start_of(postmaster);
  EXPECT_EQ(run(kill_postmaster_script(), {data_, postmaster.pid(), start + "0"}).exit_status, kAlreadyGone);
  EXPECT_TRUE(postmaster.lives());
}

TEST_F(PostmasterScripts, KillNoOtherProgram) {
  const std::string other = directory_ / "postgrest";
  fs::copy_file("/bin/sleep", other);
  const Dummy process{other, data_};
  write_pid_file(process.pid() + "\n");
  const RemoteResult found = run(find_postmaster_script(), {data_});
  EXPECT_EQ(found.exit_status, kNotPostgres);
  EXPECT_THAT(found.err, HasSubstr("postgrest"));
  std::ifstream stat{"/proc/" + process.pid() + "/stat"};
  std::string line;
  std::getline(stat, line);
  const std::string start = words(line.substr(line.rfind(')') + 2)).at(19);
  EXPECT_EQ(run(kill_postmaster_script(), {data_, process.pid(), start}).exit_status, kNotPostgres);
  EXPECT_TRUE(process.lives());
}

TEST_F(PostmasterScripts, KillNoPostmasterOfAnotherDataDirectory) {
  const Dummy postmaster{postgres_, directory_.path().string()};
  write_pid_file(postmaster.pid() + "\n");
  EXPECT_EQ(run(find_postmaster_script(), {data_}).exit_status, kNotPostgres);
  EXPECT_TRUE(postmaster.lives());
}

TEST_F(PostmasterScripts, KillNothingWherePostmasterPidNamesAnother) {
  const Dummy postmaster{postgres_, data_};
  const std::string start = start_of(postmaster);
  write_pid_file("1\n");
  EXPECT_EQ(run(kill_postmaster_script(), {data_, postmaster.pid(), start}).exit_status, kNotPostgres);
  fs::remove(data_ + "/postmaster.pid");
  EXPECT_NE(run(kill_postmaster_script(), {data_, postmaster.pid(), start}).exit_status, 0);
  EXPECT_TRUE(postmaster.lives());
}

TEST_F(PostmasterScripts, KnowAProgramThatWasReplacedOnDisk) {
  const Dummy postmaster{postgres_, data_};
  fs::remove(postgres_);
  const std::string start = start_of(postmaster);
  EXPECT_EQ(run(kill_postmaster_script(), {data_, postmaster.pid(), start}).exit_status, 0);
  EXPECT_FALSE(postmaster.lives());
}

TEST_F(PostmasterScripts, BelieveNoOddPidFile) {
  for (const char* text : {"", "\n", "x\n", "-1\n", "0\n", "1 2\n", "$(kill -9 1)\n", "12345678901\n"}) {
    write_pid_file(text);
    EXPECT_EQ(run(find_postmaster_script(), {data_}).exit_status, kNoPidFile) << text;
  }
  EXPECT_EQ(run(find_postmaster_script(), {directory_ / "nowhere"}).exit_status, kNoPidFile);
}

}  // namespace
}  // namespace pgfiredrill::fault
