#pragma once

/// What a drill is expected to cost on a cluster with such settings: worked out before the run, kept in its
/// manifest, held against what was measured. Plain data; durations in seconds.

#include <optional>
#include <string>
#include <vector>

namespace pgfiredrill {

/// Whether the leader's role moves to another member.
enum class FailoverForecast : unsigned char { never, always, either };

[[nodiscard]] constexpr const char* to_string(FailoverForecast forecast) noexcept {
  switch (forecast) {
    case FailoverForecast::never:
      return "never";
    case FailoverForecast::always:
      return "always";
    case FailoverForecast::either:
      return "either";
  }
  return "either";
}

/// One stage of an outage; the parts of an outage add up to it. Negative where it shortens the outage: the
/// time for which clients are still served although the failover has begun.
struct BudgetPart {
  std::string name;
  double min_s = 0;
  double max_s = 0;
  std::string setting;  ///< the settings that it comes from; empty: from none
  std::string value;    ///< theirs, as text
  std::string source;   ///< where they were read, or where a number without a setting comes from
};

/// Of one kind of access. Without minimum and maximum where a setting that they need is not known.
struct OutageBudget {
  std::optional<double> min_s;
  std::optional<double> max_s;
  std::vector<BudgetPart> parts;
  std::vector<std::string> missing;  ///< settings that are not known
  double alert_s = 0;  ///< the limit where there is no maximum: known well enough to raise alarm
};

struct Budget {
  OutageBudget read_write;  ///< the worst path through a balancer to the leader
  OutageBudget read_only;   ///< the worst path through a balancer to replicas
  /// Where a watchdog may reset the host of a leader that hangs, and nobody knows whether it will.
  std::optional<OutageBudget> with_watchdog;
  FailoverForecast failover = FailoverForecast::either;
  /// An unplanned failover under asynchronous replication loses what was not replicated, up to this much and
  /// what was written since the last published position. Absent: no acknowledged write may be lost.
  std::optional<double> loss_limit_bytes;
  /// A loss is to be expected, but the setting that limits it is not known.
  bool loss_limit_unknown = false;
  std::string sentence;  ///< the reasoning, for people
};

}  // namespace pgfiredrill
