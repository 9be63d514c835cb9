#pragma once

/// The database and role that traffic uses: made before a run, removed after it. By the superuser, over the
/// leader's own Unix socket. Blocking; worker threads only.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/secret.h"
#include "cluster/connect_parameters.h"
#include "drivers/traffic.h"
#include "record/readback.h"

namespace pgfiredrill {

inline constexpr const char* kTrafficDatabase = "pgfiredrill";
inline constexpr const char* kTrafficRole = "pgfiredrill_traffic";

/// A random password for the traffic role, from the system's generator.
[[nodiscard]] TrafficAccess make_traffic_access();

/// What makes them, a statement a line, for --dry-run; the password is not in it.
[[nodiscard]] std::vector<std::string> traffic_schema_statements();

/// Whether a database or role of that name is there already (the name that is, else absent).
[[nodiscard]] Result<std::optional<std::string>> find_foreign_schema(const ConnectParameters& superuser);
/// `lanes` rows for canaries are laid. Fails without leaving half of it behind, or says what is left.
[[nodiscard]] Result<void> create_traffic_schema(const ConnectParameters& superuser,
                                                 const TrafficAccess& access, int lanes);
/// Idempotent; idle sessions of poolers do not hold it back.
[[nodiscard]] Result<void> drop_traffic_schema(const ConnectParameters& superuser);

/// What the fence needs and finds.
struct Fence {
  std::string lsn;  ///< on the leader, after the last of our sessions had ended
  std::uint32_t timeline = 0;
};
/// Ends every session of the traffic role on this server that could write and waits until none is left: not
/// those that only ask how the server is (`kObserverApplication`).
[[nodiscard]] Result<void> end_traffic_sessions(const ConnectParameters& superuser, nanoseconds deadline);
/// The barrier, on the leader.
[[nodiscard]] Result<Fence> take_fence(const ConnectParameters& superuser);

struct LedgerReadback {
  std::vector<NumberRun> runs;
  std::size_t rows = 0;
  std::uint32_t timeline = 0;
  std::string replay_lsn;  ///< or the leader's insert position
};
/// Waits until the server has replayed past the fence on its timeline, then reads streams `first_stream` to
/// `last_stream`. Fails `timed_out` where it does not get there.
[[nodiscard]] Result<LedgerReadback> read_ledger(const ConnectParameters& superuser, const Fence& fence,
                                                 std::uint16_t first_stream, std::uint16_t last_stream,
                                                 nanoseconds deadline);

}  // namespace pgfiredrill
