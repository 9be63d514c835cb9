#include "suites/obstacle.h"

#include <algorithm>

#include "base/text.h"

namespace pgfiredrill {

const std::vector<OverrideName>& override_names() {
  static const std::vector<OverrideName> names{
      {"unlogged-tables", "unlogged tables with rows, which a crash of the leader empties"},
      {"logical-slots", "logical replication slots that a failover loses"},
      {"prepared-transactions", "prepared transactions, which wait for somebody's commit"},
      {"running-ddl", "DDL that runs now and would be rolled back"},
      {"running-dump", "a dump that runs now and would break off"},
      {"running-base-backup", "a base backup that runs now and would break off"},
      {"wraparound-vacuum", "a vacuum against wraparound that would begin again"},
      {"remove-data-directory", "Patroni's leave to delete the data directory of a member that diverged"},
      {"standby-cluster", "a standby cluster, which takes no writes"},
      {"pending-restart", "settings that wait for a restart and come into force by a drill"},
      {"recent-run", "another run that broke something here within a day"},
      {"slow-rebuild", "a replica that would take over half an hour to build again"},
  };
  return names;
}

std::string all_override_names() {
  std::vector<std::string> names;
  for (const OverrideName& known : override_names()) names.emplace_back(known.name);
  return join(names, ", ");
}

bool is_override_name(const std::string& name) {
  const auto& names = override_names();
  return std::any_of(names.begin(), names.end(),
                     [&](const OverrideName& known) { return name == known.name; });
}

Sifted sift(const std::vector<Obstacle>& obstacles, const std::set<std::string>& overrides) {
  Sifted sifted;
  std::set<std::string> told;
  for (const Obstacle& obstacle : obstacles) {
    if (!told.insert(obstacle.text).second) continue;
    if (!obstacle.name.empty() && overrides.contains(obstacle.name)) {
      sifted.overridden.push_back(obstacle);
    } else if (obstacle.name.empty()) {
      sifted.refusals.push_back(obstacle.text);
    } else {
      sifted.refusals.push_back(obstacle.text + " `--override " + obstacle.name + "` lets it pass.");
    }
  }
  return sifted;
}

std::vector<Obstacle> firm(const std::vector<std::string>& texts) {
  std::vector<Obstacle> obstacles;
  for (const std::string& text : texts) obstacles.push_back({.name = {}, .text = text});
  return obstacles;
}

}  // namespace pgfiredrill
