#pragma once

/// keepalived.conf: which virtual addresses a host may hold, and by what it gives them up.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace pgfiredrill {

struct VrrpInstance {
  std::string name;
  std::string interface;
  std::string state;
  std::optional<int> router_id;
  std::optional<int> priority;
  std::optional<std::chrono::milliseconds> advert_interval;
  std::vector<std::string>
      addresses;  ///< without the prefix length; the excluded ones, too, as they move along
  std::vector<std::string> track_scripts;
};

struct KeepalivedConf {
  std::vector<VrrpInstance> instances;
  /// What could not be followed (`include`, `$DEFINITION`, `@condition`), a sentence each.
  std::vector<std::string> remarks;
};

/// Fails `malformed` (line number, never the line) on unbalanced braces or quotes. Passwords are not kept. A
/// number that is none counts as absent.
[[nodiscard]] Result<KeepalivedConf> parse_keepalived_conf(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
