#pragma once

/// HAProxy's statistics page as CSV: what a balancer believes of the servers behind it. Blocking; worker
/// threads only.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/http.h"

namespace pgfiredrill {

struct HaproxyStatsRow {
  std::string proxy;         ///< pxname
  std::string server;        ///< svname: a server's, or FRONTEND, BACKEND
  std::string status;        ///< UP, DOWN, "UP 1/3", OPEN, MAINT, "no check"
  std::string check_status;  ///< L7OK, L4TOUT, …; may begin with "* " while a check runs: taken off
  std::string check_code;    ///< "200"
  std::string last_check;    ///< last_chk: text of the last check
  std::string address;       ///< "10.0.0.1:6432"; empty where HAProxy hides it from this user
  std::optional<std::int64_t> seconds_since_change;  ///< lastchg
  std::optional<std::int64_t> current_sessions;
  std::optional<std::int64_t> queued;
  std::optional<std::int64_t> failed_checks;
  std::optional<std::int64_t> times_down;

  [[nodiscard]] bool is_server() const { return server != "FRONTEND" && server != "BACKEND"; }
  [[nodiscard]] bool is_up() const { return status.rfind("UP", 0) == 0; }
};

/// `address` and `uri` of the statistics listener ("/" → GET "/;csv").
[[nodiscard]] Result<std::vector<HaproxyStatsRow>> read_haproxy_stats(HttpClient& http,
                                                                      const HttpAddress& address,
                                                                      const std::string& uri,
                                                                      const std::string& where);

/// Columns are found by the header's names, so any release's order will do; quoted fields and doubled quotes
/// are understood. Fails `malformed` on HTML, a missing column among pxname, svname, status, and a last line
/// cut short.
[[nodiscard]] Result<std::vector<HaproxyStatsRow>> parse_haproxy_stats(const std::string& csv,
                                                                       const std::string& where);

}  // namespace pgfiredrill
