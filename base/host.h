#pragma once

/// A machine of the cluster as a seam: run a command there, reach a socket there.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"

namespace pgfiredrill {

struct RemoteCommand {
  /// Program and arguments as they shall arrive: the implementation quotes each for the remote shell, so
  /// nothing in here is ever interpreted.
  std::vector<std::string> argv;
  std::string input;    ///< what the command reads on stdin
  bool as_root = true;  ///< by sudo where the login user is not root
  std::chrono::milliseconds deadline{10'000};
};

struct RemoteResult {
  int exit_status = 0;
  std::string out;
  std::string err;
};

/// A Unix socket on this machine that leads to one on a host; it is gone with the object.
class ForwardedSocket {
 public:
  virtual ~ForwardedSocket() = default;
  /// For libpq: the folder in which `.s.PGSQL.<port>` lies.
  [[nodiscard]] virtual const std::string& directory() const noexcept = 0;
};

/// Thread-safe.
class Host {
 public:
  virtual ~Host() = default;

  /// The host's name in the inventory, for messages.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;

  /// Runs to the end and blocks the calling thread (worker threads only). Fails where the host could not be
  /// reached or logged in to, or the deadline passed; a command that ran and failed is a result with its exit
  /// status.
  [[nodiscard]] virtual Result<RemoteResult> run(const RemoteCommand& command) = 0;

  /// Logs in over a connection of its own, where `run` may share one that stands already: whether the way in
  /// is open now.
  [[nodiscard]] virtual Result<void> log_in_anew() = 0;

  /// Leads `<some folder here>/.s.PGSQL.<port>` to `<remote_directory>/.s.PGSQL.<port>` on the host. That
  /// nobody listens there shows only when somebody connects. The host must outlive what it hands out.
  [[nodiscard]] virtual Result<std::unique_ptr<ForwardedSocket>> forward_postgres_socket(
      const std::string& remote_directory, int port) = 0;
};

}  // namespace pgfiredrill
