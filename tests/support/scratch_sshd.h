#pragma once

/// A real sshd of the test's own on a port of loopback, which lets the user who runs the test in with a key
/// of its own.

#include <string>

#include <sys/types.h>

#include "base/cluster_description.h"
#include "tests/support/temporary_directory.h"

namespace pgfiredrill::testing {

class ScratchSshd {
 public:
  /// Empty where one can be started; else the reason why not, for GTEST_SKIP.
  [[nodiscard]] static std::string unavailable();

  ScratchSshd();
  ~ScratchSshd();
  ScratchSshd(const ScratchSshd&) = delete;
  ScratchSshd& operator=(const ScratchSshd&) = delete;

  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] std::string key_file() const { return directory_ / "client_key"; }
  [[nodiscard]] std::string known_hosts_file() const { return directory_ / "known_hosts"; }
  [[nodiscard]] const TemporaryDirectory& directory() const noexcept { return directory_; }

  /// How to reach it as an inventory would say it; the ssh configuration of whoever runs the test stays out
  /// of it.
  [[nodiscard]] HostDescription description() const;

 private:
  TemporaryDirectory directory_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace pgfiredrill::testing
