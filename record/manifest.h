#pragma once

/// `record/manifest.json`: what a run is, written before its first operation and never again.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/clock.h"
#include "base/expectation.h"
#include "base/failure.h"
#include "base/verdict.h"
#include "record/traffic_path.h"

namespace pgfiredrill {

inline constexpr int kRecordSchema = 1;

struct FaultSpec {
  std::string kind;    ///< `patroni-switchover`, `freeze-process`
  std::string target;  ///< `leader`, `replica`, `etcd_leader`, a member's or a host's name
  /// What the kind asks for beside a target, by its own names: `service` → `patroni`. None is left out.
  std::map<std::string, std::string> options;
  /// The option's value; empty where the kind has none of that name.
  [[nodiscard]] std::string option(const std::string& name) const;
  /// How long it stays in force, from its confirmation to its revert. Absent: a blow that nothing holds.
  std::optional<double> hold_s;
  /// Of a further fault of the same drill: how long after the confirmation of the one before.
  double after_s = 0;
};

/// A drill's end in an earlier run that this one goes on with.
struct MeasuredBefore {
  std::string run;                    ///< its id
  Verdict verdict = Verdict::passed;  ///< passed or failed: others are measured again
};

/// One drill as it was resolved: nothing in it is left to defaults.
struct DrillPlan {
  std::string name;
  std::string description;
  std::string why;  ///< a sentence: why it matters; may be empty
  FaultSpec fault;
  std::vector<FaultSpec> then;  ///< further faults, injected while the cluster copes with the first
  int repeats = 1;
  double baseline_s = 10;
  /// After the last change of roles (or the fault's confirmation, where there is none).
  double observe_s = 25;
  double health_deadline_s = 300;
  std::vector<Expectation> expectations;
  /// What the cluster's settings lead to expect; absent in records of releases that did not work it out.
  std::optional<Budget> budget;
  std::optional<MeasuredBefore> measured;  ///< then it is not run, and counts with that verdict
};

/// What a report says of the cluster; no secrets.
struct ClusterSummary {
  std::string name;
  std::string system_identifier;
  std::string deployment_type;  ///< "A" … "D"
  std::string postgres_version;
  std::string patroni_version;
  struct Member {
    std::string name;
    std::string host;
    std::string address;  ///< `10.77.0.11:5432`
    std::string role;     ///< when the run began
  };
  std::vector<Member> members;
  /// Name → value as text ("ttl": "30 s"): what decides a failover, as read live.
  std::map<std::string, std::string> settings;
  /// "off", "on", "quorum": what the cluster promises of acknowledged writes; empty: not learnt.
  std::string synchronous_mode;
  bool synchronous_mode_strict = false;
};

struct ClockOrigin {
  nanoseconds monotonic{0};
  nanoseconds boottime{0};
  nanoseconds wall{0};
};

struct RunManifest {
  int schema = kRecordSchema;
  std::string tool_version;
  std::string run_id;  ///< `20261130T184500Z-smoke`
  std::string suite;
  std::uint64_t seed = 0;
  std::vector<std::string> argv;
  std::string repro;  ///< a line that runs the same again
  ClockOrigin origin;
  ClusterSummary cluster;
  std::vector<DrillPlan> drills;
  std::vector<TrafficPath> paths;
  std::string continues;  ///< the id of the run that this one goes on with; empty: none
  /// A drill that was skipped or refused leaves the whole inconclusive: what it would prove is asked for.
  bool needs_every_drill = false;
};

[[nodiscard]] std::string to_json(const RunManifest& manifest);
/// Fails `malformed` with what is wrong and where; unknown fields are ignored, a newer schema refused.
[[nodiscard]] Result<RunManifest> parse_manifest(const std::string& json, const std::string& where);

}  // namespace pgfiredrill
