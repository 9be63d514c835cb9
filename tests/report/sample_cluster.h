#pragma once

/// A cluster description with something in every part, for the renderers.

#include "base/cluster_description.h"

namespace pgfiredrill::testing {

inline ClusterDescription sample_cluster() {
  using namespace std::chrono_literals;
  ClusterDescription cluster{.source = "inventory",
                             .name = "postgres-cluster",
                             .system_identifier = "7412345678901234567",
                             .type = DeploymentType::a,
                             .type_evidence = {"haproxy.cfg on 3 hosts"},
                             .dcs_type = "etcd",
                             .took = 1234ms};
  HostDescription host{.name = "pg1", .address = "10.77.0.11"};
  host.roles = {HostRole::postgres, HostRole::balancer};
  host.ssh.become_password = Secret{"hunter2"};
  cluster.hosts = {host};
  cluster.members = {{.name = "pgnode01",
                      .host = "pg1",
                      .postgres = {"10.77.0.11", 5432},
                      .role = "leader",
                      .state = "running",
                      .timeline = 3,
                      .postgres_version = "17.6",
                      .patroni_version = "4.0.7",
                      .in_recovery = false},
                     {.name = "pgnode02",
                      .host = "pg2",
                      .postgres = {"10.77.0.12", 5432},
                      .role = "replica",
                      .state = "streaming",
                      .timeline = 3,
                      .lag_bytes = 16384,
                      .postgres_version = "17.6",
                      .patroni_version = "4.0.7",
                      .pending_restart = true,
                      .tags = {{"nofailover", "true"}},
                      .in_recovery = true}};
  cluster.entry_points = {{.kind = EntryPointKind::balancer,
                           .role = EntryPointRole::primary,
                           .host = "pg1",
                           .listener = "master",
                           .address = {"10.77.0.11", 5000},
                           .servers = {{"pgnode01", {"10.77.0.11", 6432}, "UP", "L7OK/200"},
                                       {"pgnode02", {"10.77.0.12", 6432}, "DOWN", "L7STS/503"}},
                           .answered_by = "pgnode01",
                           .answered_in_recovery = false,
                           .login_time = 9400us},
                          {.kind = EntryPointKind::balancer,
                           .role = EntryPointRole::replica_sync,
                           .host = "pg1",
                           .listener = "replicas_sync",
                           .address = {"10.77.0.11", 5002},
                           .servers = {{"pgnode01", {"10.77.0.11", 6432}, "DOWN", "L7STS/503"}}}};
  cluster.virtual_addresses = {{"10.77.0.100", "keepalived", {"pg1"}}};
  cluster.repositories = {
      {.key = 1,
       .type = "s3",
       .location = "s3://backups/one at s3.example",
       .stanza = "postgres-cluster",
       .reachable = true,
       .status = "ok",
       .last_full = Backup{"20260301-030000F", "full", 1'772'334'060s, 100, 1000},
       .last_backup = Backup{"20260301-030000F_20260301-090000D", "diff", 1'772'355'600s, 10, 1000},
       .backups = 2,
       .archive_max = "000000030000000000000009"}};
  cluster.consensus = {{"pgnode01", "https://10.77.0.11:2379", true, true, "3.5.16", 20480}};
  cluster.versions = {
      {"pg1", "haproxy", "3.0.11"}, {"pg1", "patroni", "4.0.7"}, {"pg1", "postgresql", "17.6"}};
  cluster.history = {{1, "2026-02-01T10:00:00.123456+00:00", "pgnode02", "no recovery target specified"},
                     {2, "", "", "no recovery target specified"}};
  cluster.access.superuser_password = Secret{"hunter2"};
  cluster.settings.ttl = {30s, "GET /config of pg1"};
  cluster.settings.listeners = {{"master", "pg1:/etc/haproxy/haproxy.cfg", 3000ms, 1000ms, 3, 4, 15000ms}};
  cluster.settings.disagreements = {"server_login_retry: 15 s by pg1, but 1 s by pg2"};
  cluster.remarks = {"Patroni is paused: there will be no automatic failover."};
  cluster.not_reached = {{"pg3",
                          "ssh",
                          {.kind = FailureKind::unreachable,
                           .what = "log in by ssh",
                           .where = "pg3",
                           .came_back = "Connection refused",
                           .hint = "Is sshd running?"}}};
  return cluster;
}

}  // namespace pgfiredrill::testing
