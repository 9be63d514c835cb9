#pragma once

/// A suite: a list of drills as a YAML file says it. The loader refuses what it does not know, with file,
/// line and what was expected: a drill with a mistyped limit must never pass for one without.
///
///     suite: smoke
///     description: One planned and one unplanned loss of the leader.
///     traffic: {pooled_hz: 50, ledger_hz: 80}
///     needs_every_drill: true     # default false: a skip passes
///     reconnect_capacity: true    # default false: it is a storm of logins
///     drills:
///       - name: switchover
///         description: …
///         why: …                   # one sentence: why it matters
///         fault: {kind: patroni-switchover, target: leader}
///         repeats: 1
///         baseline_s: 10
///         observe_s: 25            # default: server_login_retry of the live poolers + 10 s
///         health_deadline_s: 300
///         expectations:
///           - {metric: outage_s, where: {access: read_write, session: fresh}, over: max, limit: 30}
///           - {metric: outage_s, where: {access: read_only}, limit: budget}   # or `hold`
///           - {metric: lost, limit: promise}

#include <optional>
#include <string>
#include <vector>

#include "base/expectation.h"
#include "base/failure.h"
#include "record/manifest.h"

namespace pgfiredrill {

/// A drill as the file says it: what only the live cluster can settle is still open.
struct DrillSpec {
  DrillPlan plan;
  bool observe_given = false;  ///< else `plan.observe_s` comes from the cluster's settings
};

struct Suite {
  std::string name;
  std::string description;
  std::string source;  ///< the file, or "built in"
  double pooled_hz = 50;
  double ledger_hz = 80;
  bool needs_every_drill = false;   ///< one that was skipped or refused leaves the run inconclusive
  bool reconnect_capacity = false;  ///< after the last drill, a storm of logins
  std::vector<DrillSpec> drills;
};

/// Fails `malformed` with the line and what was expected. `where` names the file.
[[nodiscard]] Result<Suite> parse_suite(const std::string& yaml, const std::string& where);

/// A built-in suite's name, or else a file. Fails `missing` with the names that there are.
[[nodiscard]] Result<Suite> load_suite(const std::string& name_or_path);

/// The suites that the program carries, in the order of their names.
[[nodiscard]] std::vector<Suite> built_in_suites();

/// Keeps the drills whose name matches the shell pattern. Fails `missing` where none does.
[[nodiscard]] Result<Suite> filter_drills(Suite suite, const std::string& glob);

}  // namespace pgfiredrill
