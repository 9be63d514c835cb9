#pragma once

/// Things that happened during a run, at a low rate: `record/events.jsonl`, one object a line, synced.
///
/// Kinds and fields only grow. A reader keeps what it does not know.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "base/clock.h"

namespace pgfiredrill {

using EventValue = std::variant<bool, std::int64_t, double, std::string>;

struct Event {
  std::string kind;
  nanoseconds at{0};    ///< monotonic clock
  nanoseconds wall{0};  ///< label
  std::map<std::string, EventValue> fields;

  [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(const std::string& name) const;
  /// A double, or an integer as one.
  [[nodiscard]] std::optional<double> number(const std::string& name) const;
  [[nodiscard]] std::optional<bool> flag(const std::string& name) const;
};

/// The kinds, with their fields. `drill` and `repeat` (0, 1, …) are indexes into the manifest's drills.
namespace event {
inline constexpr const char* kRunStarted = "run_started";
/// outcome (a verdict's name, what the acting side knows: "passed" = ran to its end), reason
inline constexpr const char* kRunEnded = "run_ended";
/// name (as `--override` takes it, or "accept-data-loss"), text: what preflight found and a person let pass
inline constexpr const char* kOverridden = "overridden";
/// drill, repeat
inline constexpr const char* kRepeatStarted = "repeat_started";
/// drill, repeat, outcome ("done", "refused", "skipped", "aborted", "not_taken", "revert_incomplete"), reason
inline constexpr const char* kRepeatEnded = "repeat_ended";
/// drill, repeat, stage: preflight, traffic, baseline, arm, inject, verify, observe, revert, health, fence,
/// readback. A stage ends where the next one begins.
inline constexpr const char* kStage = "stage";
/// thread. Traffic of this repeat is due from here on / not due any more.
inline constexpr const char* kTrafficStarted = "traffic_started";
inline constexpr const char* kTrafficStopped = "traffic_stopped";
/// fault, target (host or member), delay_s (the random one that was waited). Injection is the interval
/// between these two.
inline constexpr const char* kFaultSent = "fault_sent";
/// evidence: what proves that it took
inline constexpr const char* kFaultConfirmed = "fault_confirmed";
/// reason
inline constexpr const char* kFaultNotTaken = "fault_not_taken";
inline constexpr const char* kFurtherFaultSent = "further_fault_sent";
inline constexpr const char* kFurtherFaultConfirmed = "further_fault_confirmed";
inline constexpr const char* kFaultReverted = "fault_reverted";
/// verified (bool), evidence
inline constexpr const char* kRevertVerified = "revert_verified";
/// node (number used in operations), postmaster_start (microseconds since 1970, as text)
inline constexpr const char* kServerSeen = "server_seen";
/// member, host, postmaster_start: by a direct session
inline constexpr const char* kServerIdentity = "server_identity";
/// leader (member or ""), timeline, members (text "pgnode01=leader/running,…"): whenever it changes
inline constexpr const char* kTopology = "topology";
/// healthy (bool), gaps (text, "; " between): one a second while watched, by the rules of full health
inline constexpr const char* kHealth = "health";
/// loop ("traffic", "connector-0"), stall_s: each stall longer than 20 ms
inline constexpr const char* kLoopStall = "loop_stall";
/// path, class, layer, text: the first error of each class and layer on a path, its text on one line
inline constexpr const char* kErrorSample = "error_sample";
/// drill, repeat, lsn (text, "0/3000000"), timeline: barrier on the leader after our sessions have ended
inline constexpr const char* kFence = "fence";
/// drill, repeat, member, host, timeline, replay_lsn (text), file, rows, ok (bool), reason
inline constexpr const char* kReadback = "readback";
/// timeline (that ended), lsn (where it forked off, as text): from Patroni's /history after the fault
inline constexpr const char* kTimelineHistory = "timeline_history";
/// One member's own PostgreSQL asked directly, ten times a second, whether it answers or not; `at` is when
/// the answer came. member, host, via ("direct", "ssh"), reachable (bool), reason; where it is reachable:
/// in_recovery (bool), timeline, lsn (text: the insert position, in recovery the replayed one), receive_lsn
/// (text, in recovery), postmaster_start (microseconds since 1970, as text), asked_at (monotonic
/// nanoseconds), server_clock (microseconds since 1970 by the server's clock, as text)
inline constexpr const char* kServerState = "server_state";
/// loop ("traffic", "connector-0", …), cpu_s (CPU time of its thread), over_s: about once a second
inline constexpr const char* kLoopCpu = "loop_cpu";
/// drill, repeat, client (a number in the run, from 1), kind ("idle", "in_transaction", "long_query"),
/// entrypoint, postmaster_start (microseconds since 1970, as text): a session as applications keep them,
/// opened before the fault
inline constexpr const char* kClientOpened = "client_opened";
/// client, statement ("wake", "next", "query", "commit"), ok (bool), took_s; of an error: class, layer, text;
/// broken (bool): the session is of no use any more; of an answer: in_recovery (bool), postmaster_start
inline constexpr const char* kClientAnswer = "client_answer";
/// client, waiting_s (how long its last statement had not been answered; absent: none was under way)
inline constexpr const char* kClientClosed = "client_closed";
/// layer ("balancer", "pooler", "server"), entrypoint, concurrency, over_s, logins, failed, driver_cpu_s (CPU
/// time of our login threads), threads, max_connections (the server's): logins as fast as they go
inline constexpr const char* kReconnectRate = "reconnect_rate";
/// suspended_s
inline constexpr const char* kSuspended = "suspended";
/// text: anything a reader of the record should know
inline constexpr const char* kRemark = "remark";
}  // namespace event

/// One line without its newline. Numbers keep their type; texts are made valid UTF-8.
[[nodiscard]] std::string to_json_line(const Event& event);
/// Absent where the line is no event. Nested values are kept as their JSON text.
[[nodiscard]] std::optional<Event> parse_event(const std::string& line);

}  // namespace pgfiredrill
