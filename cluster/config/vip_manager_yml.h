#pragma once

/// vip-manager.yml: the virtual address that follows the leader key, and whose name makes this host hold it.

#include <chrono>
#include <optional>
#include <string>

#include "base/failure.h"

namespace pgfiredrill {

struct VipManagerYml {
  std::string address;
  std::string interface;
  std::string trigger_key;
  std::string trigger_value;
  std::string dcs_type;
  std::optional<std::chrono::milliseconds> interval;
};

/// Takes the names of older releases (iface, key, nodename, endpoint_type), too. Fails `malformed` on what is
/// no mapping; values of unexpected kind count as absent. Passwords are not kept.
[[nodiscard]] Result<VipManagerYml> parse_vip_manager_yml(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
