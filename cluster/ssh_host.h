#pragma once

/// A host reached through the OpenSSH client.
///
/// The user's own ssh configuration counts (keys, jump hosts, host keys, aliases); what the inventory says is
/// added on top. Connections are shared: the first command opens a master that the next ones, of this run or
/// of another within a minute, go through. Blocking; worker threads only. Thread-safe.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/host.h"
#include "base/process.h"

namespace pgfiredrill {

/// The folder that holds the control sockets of shared connections: ours alone, mode 0700, under
/// $XDG_RUNTIME_DIR, else under /tmp. Fails `denied` where somebody else owns what stands there.
[[nodiscard]] Result<std::string> make_ssh_control_directory();

class SshHost final : public Host {
 public:
  /// `processes` must outlive this and everything it hands out. `control_directory` is one from
  /// `make_ssh_control_directory`.
  SshHost(ProcessRunner& processes, HostDescription description, std::string control_directory);

  [[nodiscard]] const std::string& name() const noexcept override { return description_.name; }

  /// Failures: `unreachable`, `timed_out`, `denied` (login or sudo), `untrusted` (host key), `failed` (ssh
  /// ended by itself). A remote command that exits with 255 cannot be told from an ssh that failed, and is
  /// taken for one.
  [[nodiscard]] Result<RemoteResult> run(const RemoteCommand& command) override;

  [[nodiscard]] Result<void> log_in_anew() override;

  [[nodiscard]] Result<std::unique_ptr<ForwardedSocket>> forward_postgres_socket(
      const std::string& remote_directory, int port) override;

 private:
  friend class SshForward;

  [[nodiscard]] std::vector<std::string> ssh_arguments() const;
  [[nodiscard]] Failure explain(const ProcessResult& result, const std::string& what,
                                std::chrono::milliseconds deadline) const;

  ProcessRunner& processes_;
  HostDescription description_;
  std::string control_directory_;
};

/// `text` as one word of a POSIX shell, whatever is in it.
[[nodiscard]] std::string shell_quote(const std::string& text);

}  // namespace pgfiredrill
