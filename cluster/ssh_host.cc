#include "cluster/ssh_host.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace pgfiredrill {
namespace {

namespace fs = std::filesystem;

constexpr int kConnectTimeoutSeconds = 5;
constexpr std::chrono::milliseconds kNewLoginDeadline{8'000};

/// Becomes root where the login is not, so that neither the inventory's `become` nor the user name has to be
/// right. With a password for sudo it is the first line of stdin in both cases.
constexpr const char* kAsRoot = R"sh(if [ "$(id -u)" = 0 ]; then exec "$@"; fi; exec sudo -n -- "$@")sh";
constexpr const char* kAsRootWithPassword =
    R"sh(if [ "$(id -u)" = 0 ]; then read -r unused; exec "$@"; fi; exec sudo -S -p '' -- "$@")sh";

Failure control_directory_failure(const std::string& path, FailureKind kind, const std::string& came_back) {
  return {.kind = kind,
          .what = "make the folder " + path + " for ssh's control sockets",
          .where = {},
          .came_back = came_back,
          .hint = "Remove what stands there, or set XDG_RUNTIME_DIR to a folder of your own."};
}

bool says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

/// ssh's own last words are the ones that count: banners and warnings come before.
std::string last_line(const std::string& text) {
  std::string_view last;
  for (const auto line : lines(text)) {
    if (!trim(line).empty()) last = line;
  }
  return one_line(std::string{last});
}

}  // namespace

std::string shell_quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

Result<std::string> make_ssh_control_directory() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  // A control socket's name is 40 characters and ssh adds 17 while it binds: a long folder would not fit into
  // the 108 that a Unix socket's address holds.
  const bool usable = runtime != nullptr && *runtime == '/' && std::strlen(runtime) < 35;
  const std::string path =
      usable ? std::string{runtime} + "/pgfiredrill" : "/tmp/pgfiredrill-" + std::to_string(::geteuid());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return control_directory_failure(path, FailureKind::denied, std::strerror(errno));
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return control_directory_failure(path, FailureKind::denied, std::strerror(errno));
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 0077) != 0) {
    return control_directory_failure(path, FailureKind::denied, "it is not a folder that only we may use");
  }
  return path;
}

SshHost::SshHost(ProcessRunner& processes, HostDescription description, std::string control_directory)
    : processes_{processes},
      description_{std::move(description)},
      control_directory_{std::move(control_directory)} {}

std::vector<std::string> SshHost::ssh_arguments() const {
  const SshAccess& access = description_.ssh;
  std::vector<std::string> arguments{
      "ssh",
      "-o",
      "BatchMode=yes",
      "-o",
      "ConnectTimeout=" + std::to_string(kConnectTimeoutSeconds),
      "-o",
      "ServerAliveInterval=3",
      "-o",
      "ServerAliveCountMax=2",
      "-o",
      "ControlMaster=auto",
      "-o",
      "ControlPersist=60",
      "-o",
      "ControlPath=" + control_directory_ + "/%C",
      "-o",
      "LogLevel=ERROR",
  };
  if (!access.user.empty()) arguments.insert(arguments.end(), {"-o", "User=" + access.user});
  if (access.port) arguments.insert(arguments.end(), {"-o", "Port=" + std::to_string(*access.port)});
  if (!access.private_key_file.empty()) arguments.insert(arguments.end(), {"-i", access.private_key_file});
  arguments.insert(arguments.end(), access.arguments.begin(), access.arguments.end());
  return arguments;
}

Result<RemoteResult> SshHost::run(const RemoteCommand& command) {
  const bool with_password = command.as_root && !description_.ssh.become_password.empty();
  std::vector<std::string> remote;
  if (command.as_root) remote = {"sh", "-c", with_password ? kAsRootWithPassword : kAsRoot, "sh"};
  remote.insert(remote.end(), command.argv.begin(), command.argv.end());

  ProcessRequest request{
      .argv = ssh_arguments(), .environment = {{"LC_ALL", "C"}}, .deadline = command.deadline};
  request.argv.insert(request.argv.end(), {"--", description_.address});
  std::string line;
  for (const std::string& word : remote) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  request.argv.push_back(line);
  if (with_password) request.input = description_.ssh.become_password.reveal() + "\n";
  request.input += command.input;

  const auto result = processes_.run(request);
  if (!result) return result.error();
  const std::string what = command.argv.empty() ? "log in by ssh" : "run " + command.argv.front() + " by ssh";
  if (result->timed_out || result->output_cut || result->exit_status == 255) {
    return explain(*result, what, command.deadline);
  }
  if (result->exit_status != 0 && result->err.starts_with("sudo:")) {
    return Failure{.kind = FailureKind::denied,
                   .what = what + " as root",
                   .where = name(),
                   .came_back = last_line(result->err),
                   .hint = "Log in as root, or allow sudo (ansible_become_password, or NOPASSWD)."};
  }
  return RemoteResult{.exit_status = result->exit_status, .out = result->out, .err = result->err};
}

Result<void> SshHost::log_in_anew() {
  // The first value that ssh gets for an option is the one that counts.
  std::vector<std::string> arguments = ssh_arguments();
  arguments.insert(arguments.begin() + 1, {"-o", "ControlPath=none"});
  ProcessRequest request{
      .argv = std::move(arguments), .environment = {{"LC_ALL", "C"}}, .deadline = kNewLoginDeadline};
  request.argv.insert(request.argv.end(), {"--", description_.address, "true"});
  const auto result = processes_.run(request);
  if (!result) return result.error();
  if (result->timed_out || result->output_cut || result->exit_status != 0) {
    return explain(*result, "log in anew by ssh", kNewLoginDeadline);
  }
  return {};
}

Failure SshHost::explain(const ProcessResult& result, const std::string& what,
                         std::chrono::milliseconds deadline) const {
  const std::string target = description_.ssh.user.empty()
                                 ? description_.address
                                 : description_.ssh.user + "@" + description_.address;
  Failure failure{.kind = FailureKind::failed,
                  .what = result.timed_out || result.output_cut ? what : "log in by ssh",
                  .where = name() + " (" + target + ")",
                  .came_back = last_line(result.err),
                  .hint = "Try `ssh " + target + "` by hand."};
  const std::string& text = result.err;
  if (result.timed_out) {
    failure.kind = FailureKind::timed_out;
    failure.came_back = "no end within " + std::to_string(deadline.count()) + " ms";
    failure.hint = "The host may hang; try `ssh " + target + "` by hand.";
  } else if (result.output_cut) {
    failure.kind = FailureKind::malformed;
    failure.came_back = "more output than is believable";
  } else if (says(text, "Permission denied") || says(text, "Too many authentication failures")) {
    failure.kind = FailureKind::denied;
    failure.hint =
        "Does the inventory name the right user and key (ansible_user, ansible_ssh_private_key_file)?";
  } else if (says(text, "Host key verification failed") ||
             says(text, "REMOTE HOST IDENTIFICATION HAS CHANGED")) {
    failure.kind = FailureKind::untrusted;
    failure.hint = "Check the host's key and put it into known_hosts: log in once by hand.";
  } else if (says(text, "Could not resolve hostname")) {
    failure.kind = FailureKind::unreachable;
    failure.hint = "Is the name right, or is ansible_host missing?";
  } else if (says(text, "timed out")) {
    failure.kind = FailureKind::timed_out;
    failure.hint = "Is the host up, and is its ssh port reachable from here?";
  } else if (says(text, "Connection refused") || says(text, "No route to host") ||
             says(text, "unreachable")) {
    failure.kind = FailureKind::unreachable;
    failure.hint = "Is the host up, and is sshd running?";
  }
  return failure;
}

/// A forwarded socket in a folder of its own; ends the forwarding and removes both.
class SshForward final : public ForwardedSocket {
 public:
  SshForward(SshHost& host, std::string directory, std::string specification)
      : processes_{host.processes_},
        arguments_{host.ssh_arguments()},
        address_{host.description_.address},
        directory_{std::move(directory)},
        specification_{std::move(specification)} {}

  ~SshForward() override {
    (void)tell_master("cancel");
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }

  [[nodiscard]] const std::string& directory() const noexcept override { return directory_; }

  [[nodiscard]] Result<ProcessResult> tell_master(const std::string& verb) const {
    ProcessRequest request{.argv = arguments_, .environment = {{"LC_ALL", "C"}}, .deadline = kDeadline};
    request.argv.insert(request.argv.end(), {"-O", verb, "-L", specification_, "--", address_});
    return processes_.run(request);
  }

  static constexpr std::chrono::milliseconds kDeadline{5'000};

 private:
  ProcessRunner& processes_;
  std::vector<std::string> arguments_;
  std::string address_;
  std::string directory_;
  std::string specification_;
};

Result<std::unique_ptr<ForwardedSocket>> SshHost::forward_postgres_socket(const std::string& remote_directory,
                                                                          int port) {
  const Failure failure{
      .kind = FailureKind::failed,
      .what = "forward the socket in " + one_line(remote_directory, 100) + " by ssh",
      .where = name(),
      .came_back = {},
      .hint = "Does sshd there allow forwarding of Unix sockets (AllowStreamLocalForwarding)?"};
  // A colon would end the remote path in ssh's own syntax.
  if (!remote_directory.starts_with('/') || remote_directory.find_first_of(":\n") != std::string::npos) {
    Failure refused = failure;
    refused.kind = FailureKind::malformed;
    refused.came_back = "it is no absolute path without a colon";
    return refused;
  }
  // The master must stand before it can be told anything.
  if (const auto master = run({.argv = {"true"}, .as_root = false}); !master) return master.error();

  static std::atomic<unsigned> counter{0};
  const std::string directory =
      control_directory_ + "/f" + std::to_string(::getpid()) + "-" + std::to_string(++counter);
  std::error_code error;
  fs::remove_all(directory, error);  // left by a killed run whose process id came round again
  if (::mkdir(directory.c_str(), 0700) != 0) {
    return control_directory_failure(directory, FailureKind::denied, std::strerror(errno));
  }
  const std::string socket = "/.s.PGSQL." + std::to_string(port);
  auto forward =
      std::make_unique<SshForward>(*this, directory, directory + socket + ":" + remote_directory + socket);
  const auto told = forward->tell_master("forward");
  if (!told) return told.error();
  if (told->exit_status != 0) {
    Failure refused = failure;
    refused.came_back = last_line(told->err);
    return refused;
  }
  return std::unique_ptr<ForwardedSocket>{std::move(forward)};
}

}  // namespace pgfiredrill
