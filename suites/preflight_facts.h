#pragma once

/// What preflight learns of the cluster's own work, beside its health: what a drill would break or lose.
/// Plain data.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"

namespace pgfiredrill {

struct UnloggedTables {
  std::string database;
  std::int64_t tables = 0;  ///< that are not empty
};

struct LogicalSlot {
  std::string name;
  std::string database;
  bool survives_failover = false;
};

/// Work that a drill would break off. `obstacle` is the name that lets it pass.
struct RunningWork {
  std::string obstacle;
  std::string member;
  std::string what;  ///< "pid 4711, application psql"
};

/// Something that could not be looked at counts as in the way, under the name of what was looked for.
struct NotLookedAt {
  std::string obstacle;
  Failure failure;
};

struct PreflightFacts {
  std::vector<UnloggedTables> unlogged;
  std::vector<LogicalSlot> slots;
  std::vector<std::string> prepared;  ///< "GID in DATABASE"
  std::vector<RunningWork> running;
  std::vector<std::string> removes_data;  ///< "pg1: remove_data_directory_on_rewind_failure"
  std::optional<std::int64_t> database_bytes;
  std::optional<std::int64_t> basebackup_bytes_per_s;  ///< the lowest max-rate that is configured
  std::vector<NotLookedAt> not_looked_at;
};

/// Rows that were ever inserted, updated or deleted in tables of users, by database.
struct WrittenRows {
  std::map<std::string, std::int64_t> by_database;
  std::size_t databases_not_counted = 0;
};

}  // namespace pgfiredrill
