#include "fault-injectors/patroni_config.h"

#include <array>
#include <optional>

#include "cluster/json_value.h"
#include "fault-injectors/host_fault.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kName = "patroni-config";
constexpr const char* kChange = "change";

/// Changes after which Patroni still accepts its configuration (loop_wait + 2 × retry_timeout ≤ ttl) and no
/// server needs a restart.
struct Change {
  const char* name;
  const char* key;
  const char* value;  ///< JSON
};
constexpr std::array kChanges{Change{"loop_wait-5", "loop_wait", "5"},
                              Change{"failsafe_mode-on", "failsafe_mode", "true"},
                              Change{"failsafe_mode-off", "failsafe_mode", "false"},
                              Change{"maximum_lag_on_failover-0", "maximum_lag_on_failover", "0"}};

std::vector<std::string> names_of_changes() {
  std::vector<std::string> names;
  for (const Change& change : kChanges) names.emplace_back(change.name);
  return names;
}

class Config final : public HostFault {
 public:
  using HostFault::HostFault;

 protected:
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot& now) override {
    const auto value = live_value(now);
    if (!value) return value.error();
    if (*value == change().value) {
      return Failure{.kind = FailureKind::missing,
                     .what = std::string{"change Patroni's "} + change().key,
                     .where = tools().cluster.name,
                     .came_back = std::string{"it is "} + change().value + " already",
                     .hint = "Choose another change."};
    }
    std::vector<Breakage> breakages;
    for (const Victim& victim : victims)
      breakages.push_back({victim.host, {kName, change().key, change().value}});
    return breakages;
  }

  [[nodiscard]] Evidence judge(const ClusterSnapshot& now) override {
    const auto value = live_value(now);
    if (!value) return {.sentence = value.error().message()};
    return {.took = *value == change().value,
            .sentence =
                std::string{"Patroni's "} + change().key + " is " + (value->empty() ? "not set" : *value)};
  }

 private:
  [[nodiscard]] const Change& change() const {
    for (const Change& known : kChanges) {
      if (option(kChange) == known.name) return known;
    }
    return kChanges.front();
  }

  /// By the first member that answers: all read the consensus store. Empty where it is not set.
  [[nodiscard]] Result<std::string> live_value(const ClusterSnapshot& now) const {
    Failure last{.kind = FailureKind::missing,
                 .what = "read Patroni's configuration",
                 .where = tools().cluster.name,
                 .came_back = "Patroni answers nowhere",
                 .hint = {}};
    for (const PatroniMember& member : now.members) {
      const auto address = parse_http_address(member.api_url, kPatroniPort);
      if (!address) continue;
      const TlsIdentity identity{.ca_pem = tools().cluster.access.rest_ca_pem};
      const auto config = PatroniRest{tools().http, *address, identity, member.name}.config();
      if (!config) {
        last = config.error();
        continue;
      }
      const auto document = JsonValue::parse(config->raw);
      return document ? document->at(change().key).scalar().value_or("") : std::string{};
    }
    return last;
  }
};

}  // namespace

FaultKind patroni_config() {
  return {
      .name = kName,
      .proves = "a change of Patroni's configuration reaches the cluster without a failover, and goes back",
      .undone_by = "a timer on two hosts sets the old value, each only if the value is still ours",
      .targets = {kTwoMembers},
      .options = {{kChange, names_of_changes()}},
      .holds = true,
      .danger = [](const FaultSpec&) { return Danger::none; },
      .make = [](const FaultSpec& spec, Tools tools) { return std::make_unique<Config>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
