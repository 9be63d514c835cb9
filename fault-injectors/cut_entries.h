#pragma once

/// What of a host's traffic a cut takes away, as entries for the helper: named services of named addresses,
/// never everything, so that the way in for whoever has to undo it stays open.

#include <string>
#include <vector>

#include "fault-injectors/aiming.h"
#include "fault-injectors/fault.h"

namespace pgfiredrill::fault {

// From whom the victim is cut off.
inline constexpr const char* kFromPeers = "peers";              ///< all that runs beside the other members
inline constexpr const char* kFromConsensus = "consensus";      ///< the store's clients' side
inline constexpr const char* kFromBalancers = "balancers";      ///< they cannot reach the victim's services
inline constexpr const char* kFromTester = "tester";            ///< this program's clients
inline constexpr const char* kFromRepository1 = "repository1";  ///< pgBackRest's repo1
inline constexpr const char* kFromRepository2 = "repository2";
inline constexpr const char* kFromPatroni = "patroni";  ///< everybody, from its REST

/// `remote/tcp/ADDRESS/PORT` (theirs), `local/tcp/ADDRESS/PORT` (ours, asked by them), `vrrp/ADDRESS`;
/// sorted, not empty. Blocking: a repository's name is resolved on the victim.
[[nodiscard]] Result<std::vector<std::string>> cut_entries(const std::string& from, const Victim& victim,
                                                           const Tools& tools);

}  // namespace pgfiredrill::fault
