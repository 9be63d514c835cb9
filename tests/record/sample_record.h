#pragma once

/// Records with something in every field.

#include <vector>

#include "record/manifest.h"
#include "record/operation.h"

namespace pgfiredrill::testing {

inline Operation sample_operation(std::uint64_t number = 1) {
  using namespace std::chrono_literals;
  return {.kind = RecordKind::done,
          .outcome = Outcome::in_doubt,
          .layer = Layer::pooler,
          .write = true,
          .dropped = false,
          .late = true,
          .in_recovery = false,
          .at_login = true,
          .path = 513,
          .node = 3,
          .stream = 258,
          .number = number,
          .due = nanoseconds{static_cast<nanoseconds::rep>(1'000'000'000 + number * 20'000)},
          .sent_after = 70us,
          .done_after = 1002us,
          .lsn = 0x1'0000'0028,
          .timeline = 7,
          .backend_pid = 4711,
          .error = ErrorClass::sqlstate("08P01")};
}

inline RunManifest sample_manifest() {
  using namespace std::chrono_literals;
  RunManifest manifest{.tool_version = "0.1.0",
                       .run_id = "20261130T184500Z-smoke",
                       .suite = "smoke",
                       .seed = 18'446'744'073'709'551'615u,
                       .argv = {"pgfiredrill", "run", "smoke", "-i", "a \"quoted\" inventory"},
                       .repro = "pgfiredrill run smoke --seed 18446744073709551615",
                       .origin = {.monotonic = 1s, .boottime = 2s, .wall = 1'700'000'000'123'456'789ns}};
  manifest.cluster = {.name = "postgres-cluster",
                      .system_identifier = "7412345678901234567",
                      .deployment_type = "A",
                      .postgres_version = "17.6",
                      .patroni_version = "4.0.7",
                      .members = {{"pgnode01", "pg1", "10.77.0.11:5432", "leader"},
                                  {"pgnode02", "pg2", "10.77.0.12:5432", "replica"}},
                      .settings = {{"ttl", "30 s"}, {"loop_wait", "10 s"}},
                      .synchronous_mode = "off",
                      .synchronous_mode_strict = false};
  manifest.drills = {{.name = "switchover",
                      .description = "Planned change of the leader",
                      .fault = {"patroni-switchover", "leader"},
                      .repeats = 2,
                      .baseline_s = 10,
                      .observe_s = 25.5,
                      .health_deadline_s = 300,
                      .expectations = {{.metric = "outage_s",
                                        .where = {.entrypoint = "pg1:5000",
                                                  .depth = "balancer",
                                                  .access = "read_write",
                                                  .session = "fresh"},
                                        .over = Fold::sum,
                                        .limit = 30.5}}}};
  manifest.paths = {{.id = "pg1:5000/read_write/fresh",
                     .entrypoint = "pg1:5000",
                     .addresses = {{"10.77.0.11", 5000}, {"fe80::1", 5000}},
                     .target_session_attrs = "read-write",
                     .depth = Depth::balancer,
                     .access = Access::read_write,
                     .session = SessionKind::fresh,
                     .purpose = Purpose::canary,
                     .rate_hz = 20,
                     .write_rate_hz = 5,
                     .deadline = 750ms,
                     .servers_behind = 3,
                     .needed_for_steady_state = false},
                    {.id = "ledger",
                     .entrypoint = "pg1:6432",
                     .addresses = {{"10.77.0.11", 6432}},
                     .depth = Depth::pooler,
                     .access = Access::read_only,
                     .session = SessionKind::pooled,
                     .purpose = Purpose::ledger,
                     .pinned_member = "pgnode01",
                     .rate_hz = 100,
                     .write_rate_hz = 100}};
  return manifest;
}

}  // namespace pgfiredrill::testing
