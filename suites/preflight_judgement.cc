#include "suites/preflight_judgement.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "fault-injectors/fault.h"

namespace pgfiredrill {
namespace {

constexpr std::size_t kNamed = 3;
constexpr std::chrono::hours kRecent{24};
/// What a replica on a network of 1 Gbit/s gets at best. A max-rate below it holds instead.
constexpr std::int64_t kAssumedRate = std::int64_t{100} << 20;
constexpr std::chrono::minutes kSlowRebuild{30};

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& all) {
  const std::size_t shown = std::min(all.size(), kNamed);
  std::string text = join({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (all.size() > shown) text += " and " + std::to_string(all.size() - shown) + " more";
  return text;
}

void add_unlogged(const PreflightFacts& facts, std::vector<Obstacle>& obstacles) {
  for (const UnloggedTables& found : facts.unlogged) {
    obstacles.push_back({"unlogged-tables", "Database " + one_line(found.database, 63) + " has " +
                                                std::to_string(found.tables) +
                                                " unlogged tables with rows: a crash of the leader empties "
                                                "them."});
  }
}

void add_slots(const PreflightFacts& facts, std::vector<Obstacle>& obstacles) {
  std::vector<std::string> lost;
  for (const LogicalSlot& slot : facts.slots) {
    if (!slot.survives_failover) lost.push_back(one_line(slot.name, 63));
  }
  if (lost.empty()) return;
  obstacles.push_back({"logical-slots",
                       "Logical slots that a failover loses, and their consumers with "
                       "them: " +
                           some_of(lost) + "."});
}

void add_prepared(const PreflightFacts& facts, std::vector<Obstacle>& obstacles) {
  if (facts.prepared.empty()) return;
  std::vector<std::string> names;
  for (const std::string& each : facts.prepared) names.push_back(one_line(each, 120));
  obstacles.push_back(
      {"prepared-transactions", "Prepared transactions wait for their commit: " + some_of(names) + "."});
}

void add_running(const PreflightFacts& facts, std::vector<Obstacle>& obstacles) {
  static const std::map<std::string, std::string> what_runs{
      {"running-ddl", "DDL is running and would be rolled back"},
      {"running-dump", "A dump is running and would break off"},
      {"running-base-backup", "A base backup is running and would break off"},
      {"wraparound-vacuum", "A vacuum against wraparound is running and would begin again"}};
  for (const auto& [name, sentence] : what_runs) {
    std::vector<std::string> where;
    for (const RunningWork& work : facts.running) {
      if (work.obstacle == name) where.push_back(work.what + " on " + work.member);
    }
    if (!where.empty()) obstacles.push_back({name, sentence + ": " + some_of(where) + "."});
  }
}

void add_removers(const PreflightFacts& facts, std::vector<Obstacle>& obstacles) {
  if (facts.removes_data.empty()) return;
  obstacles.push_back({"remove-data-directory",
                       "Patroni may delete the data directory of a member that cannot follow any more: " +
                           some_of(facts.removes_data) + "."});
}

void add_rebuild(const PreflightFacts& facts, std::vector<Obstacle>& obstacles) {
  if (!facts.database_bytes) return;
  const std::int64_t configured = facts.basebackup_bytes_per_s.value_or(kAssumedRate);
  const std::int64_t rate = std::min(configured, kAssumedRate);
  const double seconds = static_cast<double>(*facts.database_bytes) / static_cast<double>(rate);
  if (seconds <= std::chrono::duration<double>(kSlowRebuild).count()) return;
  char text[240];
  std::snprintf(
      text, sizeof text,
      "A replica that has to be built again would take about %.0f min: %.0f GiB at %.0f MiB/s (%s).",
      seconds / 60, static_cast<double>(*facts.database_bytes) / (1 << 30),
      static_cast<double>(rate) / (1 << 20),
      configured < kAssumedRate ? "the max-rate of Patroni's base backups"
                                : "what a network of 1 Gbit/s carries, an assumption");
  obstacles.push_back({"slow-rebuild", text});
}

bool may_fail_over(const FaultSpec& spec) {
  const auto* kind = fault::find_fault_kind(spec.kind);
  return kind == nullptr || !kind->danger || kind->danger(spec) == fault::Danger::may_failover;
}

}  // namespace

std::vector<Obstacle> obstacles_by_facts(const PreflightFacts& facts) {
  std::vector<Obstacle> obstacles;
  add_unlogged(facts, obstacles);
  add_slots(facts, obstacles);
  add_prepared(facts, obstacles);
  add_running(facts, obstacles);
  add_removers(facts, obstacles);
  add_rebuild(facts, obstacles);
  for (const NotLookedAt& missed : facts.not_looked_at) {
    obstacles.push_back({missed.obstacle, missed.failure.message()});
  }
  return obstacles;
}

std::vector<Obstacle> obstacles_by_stamps(const std::vector<fault::HostState>& states,
                                          const std::string& continues) {
  std::map<std::string, std::chrono::seconds> youngest;
  for (const fault::HostState& state : states) {
    if (state.broken_by.empty() || state.broken_by == continues || state.broken_ago >= kRecent) continue;
    const auto [known, fresh] = youngest.emplace(state.broken_by, state.broken_ago);
    if (!fresh) known->second = std::min(known->second, state.broken_ago);
  }
  std::vector<Obstacle> obstacles;
  for (const auto& [run, ago] : youngest) {
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(ago).count();
    obstacles.push_back({"recent-run", "Run " + one_line(run, 130) + " broke something here " +
                                           std::to_string(std::max<long>(0, minutes)) +
                                           " minutes ago: users have had their outage of the day."});
  }
  return obstacles;
}

std::vector<std::string> dangerous_drills(const RunManifest& manifest) {
  std::vector<std::string> names;
  for (const DrillPlan& plan : manifest.drills) {
    const bool any =
        may_fail_over(plan.fault) || std::any_of(plan.then.begin(), plan.then.end(), may_fail_over);
    if (any && !plan.measured) names.push_back(plan.name);
  }
  return names;
}

bool promises_synchronous(const RunManifest& manifest) {
  return manifest.cluster.synchronous_mode == "on" || manifest.cluster.synchronous_mode == "quorum";
}

OthersWrite others_between(const WrittenRows& before, const WrittenRows& after, nanoseconds apart) {
  OthersWrite others{.databases_not_counted =
                         std::max(before.databases_not_counted, after.databases_not_counted)};
  std::int64_t rows = 0;
  for (const auto& [database, written] : after.by_database) {
    const auto known = before.by_database.find(database);
    // A database that is new was counted from nothing; one whose tables went shows fewer than before.
    const std::int64_t more = written - (known == before.by_database.end() ? 0 : known->second);
    if (more <= 0) continue;
    rows += more;
    others.databases.push_back(database);
  }
  if (apart > nanoseconds{0}) others.rows_per_s = static_cast<double>(rows) / to_seconds(apart);
  return others;
}

std::optional<std::string> danger_to_others(const std::vector<std::string>& drills,
                                            const OthersWrite& others) {
  if (drills.empty() || (others.databases.empty() && others.databases_not_counted == 0)) return std::nullopt;
  std::string who;
  if (!others.databases.empty()) {
    char rate[80];
    std::snprintf(rate, sizeof rate, "Others write %.1f rows a second to ", others.rows_per_s);
    std::vector<std::string> names;
    for (const std::string& database : others.databases) names.push_back(one_line(database, 63));
    who = rate + some_of(names);
  } else {
    who = "Others may write to " + std::to_string(others.databases_not_counted) +
          " databases that could not be counted";
  }
  return who + ", and replication is asynchronous: a failover by " + some_of(drills) +
         " may lose writes that were acknowledged to them.";
}

}  // namespace pgfiredrill
