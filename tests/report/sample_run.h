#pragma once

/// A run with something in every part: a switchover that passed three times, a kill that failed, a drill that
/// was refused and one whose numbers cannot be trusted.

#include "measure/results.h"

namespace pgfiredrill::testing {

inline TrafficPath sample_path(const std::string& entrypoint, Depth depth, Access access,
                               SessionKind session) {
  return {.id = entrypoint + "/" + to_string(access) + "/" + to_string(session),
          .entrypoint = entrypoint,
          .addresses = {{"10.77.0.11", 5000}},
          .depth = depth,
          .access = access,
          .session = session,
          .rate_hz = 20,
          .write_rate_hz = 5,
          .servers_behind = 3};
}

inline LatencyResult sample_latency(double median_s) {
  return {.count = 600,
          .mean_s = median_s * 1.1,
          .p50_s = median_s,
          .p90_s = median_s * 2,
          .p95_s = median_s * 3,
          .p99_s = median_s * 4,
          .p999_s = median_s * 5,
          .max_s = median_s * 6};
}

/// Nothing succeeded after a fault that lasted.
inline PathLatency sample_path_latency(bool after) {
  PathLatency latency{.response_before = sample_latency(0.0125), .service_before = sample_latency(0.001)};
  if (after) {
    latency.response_after = sample_latency(0.15);
    latency.service_after = sample_latency(0.002);
  }
  return latency;
}

inline PathResult sample_path_result(TrafficPath path, double outage_s) {
  PathResult result{.path = std::move(path), .resolution_s = 0.05};
  if (outage_s > 0) result.windows = {{.start_s = 0.25, .end_s = 0.25 + outage_s}};
  result.outage_s = result.unavailable_s = result.span_s = outage_s;
  result.error_s = outage_s / 2;
  result.stall_s = 0.0;
  result.longest_gap_s = outage_s + 0.05;
  result.partial_s = 0.0;
  result.availability_pct = 75.5;
  if (outage_s > 0) {
    result.errors = {{ErrorClass::sqlstate("08P01"), Layer::pooler, 41, 0.25, 0.2 + outage_s},
                     {Trouble::refused, Layer::balancer, 3, 0.25, 0.4}};
  }
  result.latency = sample_path_latency(outage_s < 40);
  result.instrument = {.loop_stall_max_s = 0.004, .offered = 700, .achieved = 690, .dropped = 10};
  return result;
}

inline Durability sample_durability() {
  Durability durability{.attempted = 5000, .acknowledged = 4812, .in_doubt = 8, .failed = 180, .lost = 0};
  durability.weak_lost = durability.unexpected = durability.duplicated = 0;
  durability.in_doubt_present = 5;
  durability.nodes = {{.member = "pgnode02", .read = true, .timeline = 4, .rows = 4817},
                      {.member = "pgnode03", .why_not = "it did not reach the fence within 60 s"}};
  return durability;
}

inline Expectation sample_expectation(double limit) {
  return {.metric = "outage_s", .where = {.access = "read_write", .session = "fresh"}, .limit = limit};
}

/// One of each end.
inline std::vector<ClientResult> sample_clients() {
  ClientResult works{.client = 1, .kind = "idle", .entrypoint = "pg1:5000", .end = "works"};
  works.after_s = 9.5;
  works.stuck_s = 0.004;
  works.read_only_errors = 3;
  works.read_only_until_s = 8.5;
  ClientResult error{.client = 2, .kind = "in_transaction", .entrypoint = "pg1:5000", .end = "error"};
  error.after_s = 0.6;
  error.stuck_s = 0.3;
  error.error = ErrorClass::sqlstate("57P01");
  error.layer = Layer::postgres;
  error.text = "terminating connection due to administrator command";
  ClientResult stuck{.client = 3, .kind = "long_query", .entrypoint = "pg1:5000", .end = "stuck"};
  stuck.after_s = 0;
  stuck.stuck_s = 31.5;
  return {works, error, stuck};
}

inline RepeatResult sample_repeat(std::size_t number, double writes_down_s) {
  RepeatResult repeat{.repeat = number, .verdict = Verdict::passed};
  repeat.target = "pgnode01";
  repeat.evidence = "timeline 4, leader pgnode02";
  repeat.injected_at = "2026-11-30T18:46:12.250Z";
  repeat.confirmed_s = 1.5;
  repeat.random_delay_s = 3.25;
  repeat.old_leader = "pgnode01";
  repeat.new_leader = "pgnode02";
  repeat.paths = {
      sample_path_result(sample_path("pg1:5000", Depth::balancer, Access::read_write, SessionKind::fresh),
                         writes_down_s),
      sample_path_result(sample_path("pg1:5001", Depth::balancer, Access::read_only, SessionKind::pooled),
                         0)};
  repeat.ledger_latency = {{"ledger", sample_path_latency(true)}};
  repeat.return_to_normal = {.throughput_s = writes_down_s + 1,
                             .p95_s = writes_down_s + 3,
                             .baseline_per_s = 140,
                             .baseline_p95_s = 0.0125};
  repeat.applications = {{.path = "pg1:5000/read_write/fresh",
                          .policy = "no-retry",
                          .requests = 800,
                          .failed = 136,
                          .longest_hang_s = 1.0},
                         {.path = "pg1:5000/read_write/fresh",
                          .policy = "driver-default",
                          .requests = 800,
                          .failed = 100,
                          .unfinished = 36,
                          .longest_hang_s = 39.5,
                          .censored = true}};
  repeat.replica_lag =
      ReplicaLag{.max_s = 2.5,
                 .paths = {{.id = "pg1:5001/read_only/pooled", .reads = 2'000, .p95_s = 0.04, .max_s = 2.5}}};
  repeat.clients = sample_clients();
  repeat.durability = sample_durability();
  repeat.full_health_s = writes_down_s + 2;
  repeat.expectations = {{sample_expectation(30), writes_down_s, true, ""}};
  repeat.not_measured = {{"/durability/rpo_bytes", "nothing was lost"}};
  return repeat;
}

inline SummaryRow sample_summary(double min, double median, double max) {
  return {.metric = "outage_s",
          .path = "pg1:5000/read_write/fresh",
          .n = 3,
          .min = min,
          .median = median,
          .max = max};
}

inline DrillPlan sample_plan(const std::string& name, int repeats, double limit) {
  return {.name = name,
          .description = "The leader goes",
          .fault = {name, "leader"},
          .repeats = repeats,
          .expectations = {sample_expectation(limit)}};
}

/// One drill that passed, once.
inline RunResult passed_run() {
  RunResult run{.started_at = "2026-11-30T18:45:00.000Z", .verdict = Verdict::passed};
  run.manifest.tool_version = "0.1.0";
  run.manifest.run_id = "20261130T184500Z-smoke";
  run.manifest.suite = "smoke";
  run.manifest.seed = 42;
  run.manifest.argv = {"pgfiredrill", "run", "smoke"};
  run.manifest.repro = "pgfiredrill run smoke -i inventory --confirm postgres-cluster --seed 42";
  run.manifest.cluster = {.name = "postgres-cluster",
                          .system_identifier = "7412345678901234567",
                          .deployment_type = "A",
                          .postgres_version = "17.6",
                          .patroni_version = "4.0.7",
                          .members = {{"pgnode01", "pg1", "10.77.0.11:5432", "leader"}},
                          .settings = {{"ttl", "30 s"}},
                          .synchronous_mode = "off"};
  run.drills = {{.plan = sample_plan("switchover", 1, 30),
                 .verdict = Verdict::passed,
                 .repeats = {sample_repeat(0, 6.8)},
                 .summary = {sample_summary(6.8, 6.8, 6.8)}}};
  return run;
}

inline RepeatResult failed_repeat() {
  RepeatResult repeat = sample_repeat(0, 41.25);
  repeat.verdict = Verdict::failed;
  repeat.reasons = {"outage_s (read_write, fresh): 41.25 s, limit 30 s",
                    "3 of 4,812 acknowledged writes are not on the leader"};
  repeat.expectations[0].passed = false;
  repeat.durability->lost = 3;
  repeat.durability->rpo_bytes = 1536;
  repeat.durability->lost_ranges = {{.stream = 1,
                                     .first = 4810,
                                     .last = 4812,
                                     .writes = 3,
                                     .members = {"pgnode01"},
                                     .timelines = {1},
                                     .first_lsn = "0/3000028",
                                     .last_lsn = "0/3000428",
                                     .wal_bytes = 1024}};
  repeat.not_measured.clear();
  return repeat;
}

inline RepeatResult distrusted_repeat() {
  RepeatResult repeat = sample_repeat(0, 5);
  repeat.verdict = Verdict::inconclusive;
  repeat.reasons = {"outage_s (read_write, fresh): not measured, limit 30 s; the loop stalled"};
  PathResult& path = repeat.paths[0];
  path.instrument.valid = false;
  path.instrument.why = "this program's own loop stalled for 0.31 s while it was down";
  path.outage_s = path.unavailable_s = path.span_s = std::nullopt;
  repeat.expectations[0].passed = false;
  repeat.expectations[0].measured = std::nullopt;
  repeat.expectations[0].why = path.instrument.why;
  repeat.durability = std::nullopt;
  repeat.full_health_s = std::nullopt;
  repeat.not_measured = {
      {"/paths/0/outage_s", path.instrument.why},
      {"/paths/0/unavailable_s", path.instrument.why},
      {"/paths/0/span_s", path.instrument.why},
      {"/durability", "the ledger was not read back: the run was stopped"},
      {"/recovery/full_health_s", "not fully healthy within 300 s: pgnode01 does not stream"}};
  return repeat;
}

/// Four drills with every kind of end.
inline RunResult mixed_run() {
  RunResult run = passed_run();
  run.verdict = Verdict::failed;
  run.reasons = {"kill-postmaster: outage_s (read_write, fresh): 41.25 s, limit 30 s"};
  DrillResult& switchover = run.drills[0];
  switchover.plan.repeats = 3;
  switchover.repeats = {sample_repeat(0, 6.8), sample_repeat(1, 8.25), sample_repeat(2, 6.1)};
  switchover.summary = {sample_summary(6.1, 6.8, 8.25)};
  run.drills.push_back({.plan = sample_plan("kill-postmaster", 1, 30),
                        .verdict = Verdict::failed,
                        .reasons = failed_repeat().reasons,
                        .repeats = {failed_repeat()}});
  run.drills.push_back({.plan = sample_plan("stop-pooler", 1, 30),
                        .verdict = Verdict::inconclusive,
                        .reasons = distrusted_repeat().reasons,
                        .repeats = {distrusted_repeat()}});
  run.drills.push_back({.plan = sample_plan("power-off", 1, 30),
                        .verdict = Verdict::refused,
                        .reasons = {"pgnode03 lags by 1.2 GiB: wait until it has caught up"}});
  run.findings = {{.id = "pooler.stale-in-hot-standby",
                   .severity = Severity::warn,
                   .where = "list:6432+tsa",
                   .sentence = "PgBouncer still says that the new leader is a standby.",
                   .evidence = {"read_only_session until 64 s"},
                   .remedy = "Do without target_session_attrs behind PgBouncer."}};
  run.reconnect = {
      {.layer = Layer::balancer,
       .entrypoint = "pg1:5000",
       .logins_per_s = 125,
       .concurrency = 16,
       .failed = 2,
       .limited_by_driver = true,
       .sessions_back_s = 4,
       .sessions = 500},
      {.layer = Layer::postgres, .entrypoint = "pg1:5432", .logins_per_s = 90, .concurrency = 4}};
  run.clocks = {{.node = "pgnode01", .offset_s = 0.0004, .error_s = 0.0002}, {.node = "pgnode02"}};
  return run;
}

/// Texts that try to be more than texts, wherever a server or a file has its say.
inline RunResult hostile_run() {
  RunResult run = mixed_run();
  const std::string evil =
      "]]> <b a='\"'>&amp; \xff\xfe \x1b[2J\n# h\r|`x`|\x01 \xef\xbf\xbf \xed\xa0\x80 *y* end";
  run.manifest.suite = evil;
  run.manifest.cluster.name = evil;
  run.manifest.repro = evil;
  run.reasons = {evil};
  DrillResult& drill = run.drills[1];
  drill.plan.name = evil;
  drill.reasons = {evil};
  drill.repeats[0].reasons = {evil};
  drill.repeats[0].new_leader = evil;
  drill.repeats[0].paths[0].path.id = evil;
  drill.repeats[0].paths[0].path.entrypoint = evil;
  drill.repeats[0].paths[0].instrument = {.valid = false, .why = evil};
  drill.repeats[0].expectations[0].why = evil;
  drill.repeats[0].not_measured = {{"/paths/99999999999999999999/x", evil}, {evil, evil}, {"", evil}};
  drill.repeats[0].durability->nodes[1].why_not = evil;
  run.findings[0].sentence = run.findings[0].remedy = run.findings[0].where = evil;
  return run;
}

}  // namespace pgfiredrill::testing
