#include "tests/support/scratch_sshd.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/loopback_server.h"

namespace pgfiredrill::testing {
namespace {

constexpr const char* kSshd = "/usr/sbin/sshd";

void make_key(const std::string& file) {
  if (std::system(("ssh-keygen -q -t ed25519 -N '' -f " + file + " >/dev/null").c_str()) != 0) {
    throw std::runtime_error{"ssh-keygen failed"};
  }
}

bool answers(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected = ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return connected;
}

}  // namespace

std::string ScratchSshd::unavailable() {
  if (::access(kSshd, X_OK) != 0) return "there is no /usr/sbin/sshd (package openssh-server)";
  return {};
}

ScratchSshd::ScratchSshd() : port_{closed_port()} {
  if (::geteuid() == 0)
    ::mkdir("/run/sshd", 0755);  // sshd started by root wants it, and only its unit makes it
  make_key(directory_ / "host_key");
  make_key(key_file());
  std::filesystem::copy(key_file() + ".pub", directory_ / "authorized_keys");
  const std::string host_key = directory_ / "host_key";
  const std::string config = directory_.write(
      "sshd_config",
      "ListenAddress 127.0.0.1\nPort " + std::to_string(port_) + "\nHostKey " + host_key +
          "\nAuthorizedKeysFile " + (directory_ / "authorized_keys") +
          "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\n");
  const std::string script = "printf '[127.0.0.1]:%s ' " + std::to_string(port_) + " > " +
                             known_hosts_file() + " && cut -d' ' -f1,2 " + host_key + ".pub >> " +
                             known_hosts_file();
  if (std::system(script.c_str()) != 0) throw std::runtime_error{"cannot write known_hosts"};

  pid_ = ::fork();
  if (pid_ == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::execl(kSshd, kSshd, "-D", "-f", config.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 500 && !answers(port_); ++i) std::this_thread::sleep_for(std::chrono::milliseconds{10});
}

ScratchSshd::~ScratchSshd() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

HostDescription ScratchSshd::description() const {
  HostDescription host{.name = "scratch", .address = "127.0.0.1"};
  host.ssh.port = port_;
  host.ssh.private_key_file = key_file();
  host.ssh.arguments = {"-F", "none",
                        "-o", "UserKnownHostsFile=" + known_hosts_file(),
                        "-o", "GlobalKnownHostsFile=none",
                        "-o", "IdentitiesOnly=yes"};
  return host;
}

}  // namespace pgfiredrill::testing
