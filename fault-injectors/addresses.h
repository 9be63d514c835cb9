#pragma once

/// Addresses for packet filters: literals only, since a filter that waits for a name server filters nothing.

#include <string>
#include <vector>

#include "base/cluster_description.h"
#include "base/failure.h"
#include "base/host.h"

namespace pgfiredrill::fault {

/// An IPv4 or IPv6 address, no name.
[[nodiscard]] bool is_address(const std::string& text);

/// All by which others may reach that host, as inventory and discovery tell. Fails `missing` where they tell
/// names only.
[[nodiscard]] Result<std::vector<std::string>> addresses_of(const ClusterDescription& cluster,
                                                            const std::string& host);

/// What `name` leads to for that host, by its own resolver; an address leads to itself. Blocking.
[[nodiscard]] Result<std::vector<std::string>> resolve_on(Host& host, const std::string& name);

/// The address from which this machine sends to `address`; nothing is sent.
[[nodiscard]] Result<std::string> own_address_towards(const std::string& address);

}  // namespace pgfiredrill::fault
