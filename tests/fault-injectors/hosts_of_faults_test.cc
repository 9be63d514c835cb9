// Whatever Patroni says of members that the inventory does not know, no fault goes to their hosts.

#include <set>

#include <gmock/gmock.h>

#include "tests/fault-injectors/fake_drill.h"

namespace pgfiredrill {
namespace {

using testing::FakeDrill;

FaultSpec spec_of(const fault::FaultKind& kind, const std::string& target) {
  FaultSpec spec{.kind = kind.name, .target = target};
  for (const fault::FaultOption& option : kind.options) spec.options[option.name] = option.values.front();
  if (kind.holds) spec.hold_s = 10;
  return spec;
}

/// A member that joined from elsewhere leads; the inventory's own two follow.
void let_a_stranger_lead(FakeDrill& drill) {
  drill.cluster.hosts = {{.name = "pg1", .address = "10.0.0.1", .roles = {HostRole::postgres}},
                         {.name = "pg2", .address = "10.0.0.2", .roles = {HostRole::postgres}}};
  testing::let_lead(drill.probe.now, "nobody", 4);
  drill.probe.now.members.push_back({.name = "stranger",
                                     .role = "leader",
                                     .state = "running",
                                     .api_url = "https://10.99.0.9:8008/patroni",
                                     .timeline = 4});
  drill.probe.now.servers["stranger"] = {.answered = true, .postmaster_start = "999"};
}

TEST(HostsOfFaults, AreAllInTheInventory) {
  for (const fault::FaultKind& kind : fault::fault_kinds()) {
    std::vector<std::string> targets = kind.targets;
    if (kind.names) targets.insert(targets.end(), {"stranger", "10.99.0.9", "pg9"});
    for (const std::string& target : targets) {
      FakeDrill drill;
      let_a_stranger_lead(drill);
      std::set<std::string> asked;
      fault::Tools tools = drill.tools();
      tools.hosts = [&, known = tools.hosts](const std::string& name) -> Host& {
        asked.insert(name);
        return known(name);
      };
      const auto fault = kind.make(spec_of(kind, target), tools);
      if (fault->aim(drill.probe.now)) (void)fault->arm();
      for (const std::string& host : asked) {
        EXPECT_TRUE(host == "pg1" || host == "pg2") << kind.name << " on " << target << " asked for " << host;
      }
    }
  }
}

}  // namespace
}  // namespace pgfiredrill
