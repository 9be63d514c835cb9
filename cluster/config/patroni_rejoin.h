#pragma once

/// How Patroni brings a member back that cannot follow any more, as its configuration says it: the same keys
/// in patroni.yml and in the dynamic configuration (`GET /config`, whose JSON is YAML too).

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/failure.h"

namespace pgfiredrill {

struct PatroniRejoin {
  /// Keys that are true of those by which Patroni deletes a data directory by itself.
  std::vector<std::string> removes_data;
  /// pg_basebackup's max-rate, bytes a second.
  std::optional<std::int64_t> basebackup_bytes_per_s;
  /// Names of `slots`: Patroni keeps them over a failover. Only the dynamic configuration has them.
  std::set<std::string> permanent_slots;
};

/// Never throws. Fails `malformed` on what is not YAML; keys of unexpected kind count as absent.
[[nodiscard]] Result<PatroniRejoin> parse_patroni_rejoin(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
