#include "tests/lab/running_program.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pgfiredrill::testing {
namespace {

using namespace std::chrono_literals;

constexpr winsize kSize{.ws_row = 40, .ws_col = 110, .ws_xpixel = 0, .ws_ypixel = 0};

std::string read_text(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// In the child, between fork and exec.
[[noreturn]] void give_up() {
  ::_exit(127);
}

void become(int descriptor, const char* path, int flags) {
  const int opened = ::open(path, flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) give_up();
  if (opened > STDERR_FILENO) ::close(opened);
}

/// A session of its own: a Ctrl-C at the tests' terminal is not the program's.
void use_terminal(const std::string& device) {
  ::setsid();
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    become(descriptor, device.c_str(), O_RDWR);
  }
  if (::ioctl(STDIN_FILENO, TIOCSCTTY, 0) != 0) give_up();
}

void use_files(const std::string& out, const std::string& err) {
  ::setsid();
  become(STDIN_FILENO, "/dev/null", O_RDONLY);
  become(STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_APPEND);
  become(STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_APPEND);
}

int exit_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& argv, Output output) {
  if (output == Output::terminal) open_terminal();
  start(argv, terminal_);
}

RunningProgram::~RunningProgram() {
  if (running()) {
    signal(SIGKILL);
    (void)wait(10s);
  }
  close_terminal();
}

void RunningProgram::open_terminal() {
  master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) {
    throw std::runtime_error{"cannot make a terminal"};
  }
  (void)::ioctl(master_, TIOCSWINSZ, &kSize);
  terminal_ = ::ptsname(master_);
  reader_ = std::jthread{[master = master_](const std::stop_token& stop) {
    char buffer[4096];
    while (!stop.stop_requested()) {
      pollfd wanted{.fd = master, .events = POLLIN, .revents = 0};
      if (::poll(&wanted, 1, 50) > 0 && ::read(master, buffer, sizeof buffer) <= 0) {
        std::this_thread::sleep_for(50ms);  // nobody has it open
      }
    }
  }};
}

void RunningProgram::start(const std::vector<std::string>& argv, const std::string& terminal) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string out = directory_ / "out";
  const std::string err = directory_ / "err";
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error{"cannot fork"};
  if (pid_ > 0) return;
  // Tests that are killed do not leave a drill behind: it aborts and undoes.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (terminal.empty()) {
    use_files(out, err);
  } else {
    use_terminal(terminal);
  }
  std::signal(SIGPIPE, SIG_DFL);
  ::execv(words.front(), words.data());
  give_up();
}

void RunningProgram::signal(int number) const {
  if (status_ < 0) ::kill(pid_, number);
}

void RunningProgram::close_terminal() {
  if (master_ < 0) return;
  reader_.request_stop();
  reader_.join();
  ::close(master_);
  master_ = -1;
}

bool RunningProgram::running() {
  if (status_ >= 0) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  status_ = status;
  return false;
}

int RunningProgram::wait(std::chrono::seconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (running()) {
    if (std::chrono::steady_clock::now() >= end) signal(SIGKILL);
    std::this_thread::sleep_for(20ms);
  }
  return exit_status(status_);
}

std::string RunningProgram::out() const {
  return read_text(directory_ / "out");
}

std::string RunningProgram::err() const {
  return read_text(directory_ / "err");
}

}  // namespace pgfiredrill::testing
