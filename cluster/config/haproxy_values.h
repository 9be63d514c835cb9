#pragma once

/// Times and addresses as haproxy.cfg writes them.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace pgfiredrill {

/// A number with one of us, ms, s, m, h, d; without one it is milliseconds. Microseconds are rounded up, as
/// HAProxy does it. Absent on anything else and above HAProxy's limit of 2^31-1 ms.
[[nodiscard]] std::optional<std::chrono::milliseconds> haproxy_time(std::string_view text);

struct HaproxyAddress {
  bool network = true;  ///< false: a Unix socket, a file descriptor and the like
  std::string host;     ///< "*" where none is given
  std::string port;     ///< as written: "5000", "5000-5003", "+1"; empty: none
};

/// `[family@]HOST[:PORT]`; IPv6 with or without brackets.
[[nodiscard]] HaproxyAddress haproxy_address(std::string_view text);

struct PortRange {
  int first = 0;
  int last = 0;
};

/// "5000" or "5000-5003".
[[nodiscard]] std::optional<PortRange> haproxy_port_range(std::string_view text);

}  // namespace pgfiredrill
