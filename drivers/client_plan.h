#pragma once

/// Which sessions are held across a fault as applications hold them. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

enum class ClientKind : std::uint8_t {
  idle,            ///< lies in an application's pool and is used again some time after the fault
  in_transaction,  ///< has a transaction open, with a write in it, when the fault comes
  long_query,      ///< waits for the answer of one long statement
};
[[nodiscard]] const char* to_string(ClientKind kind) noexcept;

struct ClientSpec {
  ClientKind kind = ClientKind::idle;
  TrafficPath path;  ///< a pooled read-write path: the entry point that it goes through
  /// Of the table of canaries, its own: an open transaction holds it locked.
  std::uint64_t row = 0;
  nanoseconds wakes_after{0};  ///< idle: the fault
};

/// For each read-write entry point that is no list: three idle ones that wake 1 s, 5 s and 15 s after the
/// fault, one in a transaction, one in a long query. Where poolers give each session a server for as long as
/// it stands (`pool_mode` session), all of ours that one pooler may get, traffic's too, stay within 60: then
/// fewer, one idle session each first.
[[nodiscard]] std::vector<ClientSpec> plan_clients(const std::vector<TrafficPath>& paths,
                                                   const std::string& pool_mode, int ledger_connections);

/// Rows of the table of canaries that they need beside traffic's, in lanes.
[[nodiscard]] std::size_t lanes_for(const std::vector<ClientSpec>& clients);

}  // namespace pgfiredrill
