#include "bench/support/child.h"

#include <array>
#include <chrono>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pgfiredrill::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; (got = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

[[noreturn]] void become(const std::vector<std::string>& command, int out) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::dup2(out, STDOUT_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& command) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) become(command, ends[1]);
  ::close(ends[1]);
  ChildEnd end;
  if (child > 0) {
    end.out = read_all(ends[0]);
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    end.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    end.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    end.memory_mib = static_cast<double>(usage.ru_maxrss) / 1024;
    end.wall_s = std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count();
  }
  ::close(ends[0]);
  return end;
}

}  // namespace pgfiredrill::bench
