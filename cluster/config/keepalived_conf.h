#pragma once

/// keepalived.conf and vip-manager.yml: who holds the virtual address.

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
  std::vector<std::string> addresses;  ///< without the prefix length
  std::vector<std::string> track_scripts;
};

struct KeepalivedConf {
  std::vector<VrrpInstance> instances;
};

/// Fails `malformed` (line number, never the line) on unbalanced braces. Passwords are not kept.
[[nodiscard]] Result<KeepalivedConf> parse_keepalived_conf(const std::string& text, const std::string& where);

struct VipManagerYml {
  std::string address;
  std::string interface;
  std::string trigger_key;
  std::string trigger_value;
  std::string dcs_type;
  std::optional<std::chrono::milliseconds> interval;
};

[[nodiscard]] Result<VipManagerYml> parse_vip_manager_yml(const std::string& text, const std::string& where);

}  // namespace pgfiredrill
