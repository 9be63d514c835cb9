#include "base/process.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string_view>

// Process v2 of Boost 1.81 needs these and does not include them.
#include <boost/optional.hpp>
#include <boost/type_traits/is_constructible.hpp>
#include <boost/type_traits/remove_pointer.hpp>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BOOST_PROCESS_USE_STD_FS  // std::filesystem instead of a library to link
#include <boost/asio/io_context.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/writable_pipe.hpp>
#include <boost/asio/write.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/stdio.hpp>

namespace pgfiredrill {
namespace {

namespace asio = boost::asio;
namespace process_v2 = boost::process::v2;
using boost::system::error_code;

/// How long the pipes may stay open after the program itself has ended: something that it left behind in the
/// background may hold them.
constexpr std::chrono::milliseconds kPipeGrace{500};

/// In the child, between fork and exec: a process group of its own, so that the deadline ends its children
/// too; no descriptor of ours but the three pipes (Process v2's own closing does nothing in Boost 1.81);
/// signals as a program expects them. Only async-signal-safe calls.
struct CleanChild {
  template <typename Launcher>
  error_code on_exec_setup(Launcher&, const process_v2::filesystem::path&, const char* const*&) const {
    ::setpgid(0, 0);
    ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    std::signal(SIGPIPE, SIG_DFL);
    return {};
  }

  template <typename Launcher>
  void on_exec_error(Launcher&, const process_v2::filesystem::path&, const char* const*&,
                     const error_code&) const {
    ::_exit(127);  // not exit(): the parent's atexit handlers are not the child's to run
  }
};

/// fork() while another thread has created pipes but not yet marked them close-on-exec would leak them into
/// the child.
std::mutex& spawn_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& additions) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (!additions.contains(std::string{text.substr(0, text.find('='))})) result.emplace_back(text);
  }
  for (const auto& [name, value] : additions) {
    std::string entry = name;
    entry += '=';
    entry += value;
    result.push_back(std::move(entry));
  }
  return result;
}

int shell_exit_status(int native) {
  if (WIFSIGNALED(native)) return 128 + WTERMSIG(native);
  return WEXITSTATUS(native);
}

/// One program from start to end on an io_context of its own.
class Run {
 public:
  explicit Run(const ProcessRequest& request) : request_{request} {}

  Result<ProcessResult> to_end() {
    const auto executable = find_executable();
    if (executable.empty()) return not_started(FailureKind::missing, "there is no such program");
    if (const error_code error = start(executable)) {
      return not_started(
          error == boost::system::errc::permission_denied ? FailureKind::denied : FailureKind::failed,
          error.message());
    }
    read(out_, out_buffer_, result_.out);
    read(err_, err_buffer_, result_.err);
    write_input();
    arm_deadline();
    wait_for_exit();
    context_.run();
    return std::move(result_);
  }

 private:
  using Pipe = asio::readable_pipe;
  using Buffer = std::array<char, 16 * 1024>;

  std::string find_executable() const {
    if (request_.argv.empty()) return {};
    const std::string& program = request_.argv.front();
    if (program.find('/') != std::string::npos) return program;
    // The program's own PATH counts where the request sets one.
    const auto path = request_.environment.find("PATH");
    const char* inherited = std::getenv("PATH");
    std::string_view rest = path != request_.environment.end() ? std::string_view{path->second}
                            : inherited != nullptr             ? std::string_view{inherited}
                                                               : std::string_view{"/usr/bin:/bin"};
    while (!rest.empty()) {
      const auto colon = rest.find(':');
      const std::string candidate = std::string{rest.substr(0, colon)} + "/" + program;
      if (::access(candidate.c_str(), X_OK) == 0) return candidate;
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
    return {};
  }

  Failure not_started(FailureKind kind, const std::string& came_back) const {
    const std::string program = request_.argv.empty() ? std::string{"(nothing)"} : request_.argv.front();
    return {.kind = kind,
            .what = "start the program " + program,
            .where = {},
            .came_back = came_back,
            .hint = kind == FailureKind::missing ? "Install it, or put it into PATH." : ""};
  }

  error_code start(const std::string& executable) {
    const std::vector<std::string> arguments{request_.argv.begin() + 1, request_.argv.end()};
    const std::vector<std::string> environment = merged_environment(request_.environment);
    std::vector<const char*> pointers;
    for (const std::string& entry : environment) pointers.push_back(entry.c_str());
    pointers.push_back(nullptr);
    process_v2::default_process_launcher launcher;
    launcher.env =
        pointers.data();  // process_environment of Boost 1.81 declares a function that it never defines
    const std::lock_guard lock{spawn_mutex()};
    error_code error;
    try {
      process_.emplace(launcher(context_.get_executor(), error, executable, arguments,
                                process_v2::process_stdio{in_, out_, err_}, CleanChild{}));
    } catch (const boost::system::system_error& thrown) {
      return thrown.code();
    }
    return error;
  }

  void read(Pipe& pipe, Buffer& buffer, std::string& into) {
    pipe.async_read_some(asio::buffer(buffer),
                         [this, &pipe, &buffer, &into](error_code error, std::size_t size) {
                           into.append(buffer.data(), size);
                           if (into.size() > request_.output_limit) {
                             into.resize(request_.output_limit);
                             result_.output_cut = true;
                             kill_group();
                             return;
                           }
                           if (!error) return read(pipe, buffer, into);
                           error_code ignored;
                           pipe.close(ignored);
                           stop_waiting_when_done();
                         });
  }

  void write_input() {
    asio::async_write(in_, asio::buffer(request_.input), [this](error_code, std::size_t) {
      error_code ignored;
      in_.close(ignored);
    });
  }

  void arm_deadline() {
    timer_.expires_after(request_.deadline);
    timer_.async_wait([this](error_code error) {
      if (error) return;
      result_.timed_out = true;
      kill_group();
    });
  }

  void wait_for_exit() {
    process_->async_wait([this](error_code, int) {
      result_.exit_status = shell_exit_status(process_->native_exit_code());
      exited_ = true;
      timer_.expires_after(kPipeGrace);
      timer_.async_wait([this](error_code error) {
        if (!error) close_pipes();
      });
      stop_waiting_when_done();
    });
  }

  void stop_waiting_when_done() {
    if (exited_ && !out_.is_open() && !err_.is_open()) {
      timer_.cancel();
      close_pipes();
    }
  }

  void kill_group() {
    if (!exited_) ::kill(-process_->id(), SIGKILL);
    close_pipes();
  }

  void close_pipes() {
    error_code ignored;
    in_.close(ignored);
    out_.close(ignored);
    err_.close(ignored);
  }

  const ProcessRequest& request_;
  asio::io_context context_{1};
  asio::writable_pipe in_{context_};
  Pipe out_{context_};
  Pipe err_{context_};
  asio::steady_timer timer_{context_};
  std::optional<process_v2::process> process_;
  Buffer out_buffer_;
  Buffer err_buffer_;
  ProcessResult result_;
  bool exited_ = false;
};

}  // namespace

SystemProcessRunner::SystemProcessRunner() {
  // A program that closes its stdin while we write to it must not end ours.
  std::signal(SIGPIPE, SIG_IGN);
}

Result<ProcessResult> SystemProcessRunner::run(const ProcessRequest& request) {
  return Run{request}.to_end();
}

}  // namespace pgfiredrill
