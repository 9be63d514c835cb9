#pragma once

/// What lies and runs on one host, read in one go: the deployed files, addresses, units and versions.
///
/// One remote command reads everything, because each costs a round trip and `inspect` has three seconds for a
/// whole cluster. It changes nothing. Blocking; worker threads only.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/host.h"

namespace pgfiredrill {

struct HostFacts {
  std::map<std::string, std::string> files;  ///< path → text, of those that are there
  std::map<std::string, std::string>
      unreadable;                            ///< path → why, of those that are there and could not be read
  std::vector<std::string> addresses;        ///< IPv4 and IPv6 of every interface, without prefix length
  std::map<std::string, std::string> units;  ///< unit without ".service" → active state, of those that exist
  std::map<std::string, std::string> versions;  ///< component → what its program says of its version

  [[nodiscard]] std::string file(const std::string& path) const;  ///< empty where it is not there
  /// Paths of `files` that begin with `prefix` and end with `suffix`, in name order.
  [[nodiscard]] std::vector<std::string> paths(const std::string& prefix, const std::string& suffix) const;
};

/// The files that autobase lays, as patterns of the remote shell; more of them, named exactly, may be asked
/// for.
[[nodiscard]] Result<HostFacts> read_host_facts(Host& host, std::chrono::milliseconds deadline);

/// Exact paths only; for what a file already read points to (certificates, keys). What is not there is left
/// out.
[[nodiscard]] Result<HostFacts> read_host_files(Host& host, const std::vector<std::string>& paths,
                                                std::chrono::milliseconds deadline);

/// The remote script's output. Fails `malformed` where the frames do not add up.
[[nodiscard]] Result<HostFacts> parse_host_facts(const std::string& output, const std::string& where);

}  // namespace pgfiredrill
