#pragma once

/// The parameters of `server` and `default-server` lines.

#include <optional>
#include <string>
#include <vector>

#include "cluster/config/haproxy_cfg.h"
#include "cluster/config/haproxy_words.h"

namespace pgfiredrill {

/// A server while its lines are read: what HAProxy derives only once all parameters are known is not in
/// `HaproxyServer` yet.
struct HaproxyServerDraft {
  HaproxyServer server;
  bool tls = false;                ///< `ssl`: the traffic itself
  bool check_tls_forced = false;   ///< `check-ssl`
  bool check_address_own = false;  ///< `addr`: checks go elsewhere than the traffic
  std::optional<bool> verifies;    ///< `verify`; absent: the global default
};

/// Applies `parameters` (what stands behind the name and address) to `draft`. Says what is wrong, without
/// showing it, where a number or time is none; those with an environment variable are left unset.
[[nodiscard]] std::optional<std::string> apply_server_parameters(HaproxyServerDraft& draft,
                                                                 const std::vector<HaproxyWord>& words,
                                                                 std::size_t first_parameter);

[[nodiscard]] HaproxyServer finish_server(const HaproxyServerDraft& draft, bool verify_by_default);

}  // namespace pgfiredrill
