#include "fault-injectors/hold_receive.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cluster/postgres_control.h"
#include "cluster/superuser_session.h"
#include "fault-injectors/addresses.h"
#include "fault-injectors/data_directory.h"
#include "fault-injectors/host_fault.h"
#include "fault-injectors/services.h"

namespace pgfiredrill::fault {
namespace {

/// Where the live configuration does not say it: Patroni's own.
constexpr std::int64_t kUsualMaximumLag = 1 << 20;
constexpr std::chrono::milliseconds kStatementTimeout{2'000};
/// Patroni publishes positions once in a loop: what is written beyond the limit by then is enough.
constexpr std::int64_t kBeyond = 1 << 20;
/// However high the limit is: a fault must not fill the disk that it is to spare.
constexpr std::int64_t kMostWritten = 128 << 20;
/// One message; a server takes it in one record.
constexpr std::int64_t kMessageBytes = 256 * 1024;

class HoldReceive final : public HostFault {
 public:
  using HostFault::HostFault;

 private:
  /// On the replicas, so that whatever becomes of the leader's host, it can be undone.
  [[nodiscard]] Result<std::vector<Breakage>> plan(const std::vector<Victim>& victims,
                                                   const ClusterSnapshot& now) override {
    leader_ = victims.front();
    const Member* leader = tools().cluster.find_member(leader_.member);
    if (leader == nullptr) return nobody("no member of Patroni's runs on " + leader_.host);
    const auto addresses = addresses_of(tools().cluster, leader_.host);
    if (!addresses) return addresses.error();
    std::vector<std::string> words{"cut", "drop", "both"};
    for (const std::string& address : *addresses)
      words.push_back("remote/tcp/" + address + "/" + std::to_string(leader->postgres.port));
    std::vector<Breakage> breakages;
    for (const PatroniMember& member : now.members) {
      if (is_leader_role(member.role)) continue;
      const auto host = host_of(member.name);
      if (!host) return host.error();
      breakages.push_back({.host = *host, .words = words});
    }
    if (breakages.empty()) return nobody("the leader has no replica");
    return breakages;
  }

  /// By the lags that Patroni itself goes by when it chooses a new leader: they count what was received,
  /// replayed or not.
  [[nodiscard]] Evidence judge(const ClusterSnapshot& now) override {
    const std::int64_t limit =
        tools().cluster.settings.maximum_lag_on_failover_bytes.value.value_or(kUsualMaximumLag);
    std::vector<std::string> lags;
    Evidence all{.took = true, .sentence = {}};
    for (const PatroniMember& member : now.members) {
      if (is_leader_role(member.role)) continue;
      all.took = all.took && member.lag_bytes && *member.lag_bytes > limit;
      lags.push_back(member.name + " lags by " +
                     (member.lag_bytes ? std::to_string(*member.lag_bytes) + " B" : "an unknown amount"));
    }
    all.took = all.took && !lags.empty();
    all.sentence = join(lags, ", ") + ", the limit for a new leader is " + std::to_string(limit) + " B";
    if (all.took) return all;
    if (const auto written = write_towards(limit); !written) all.sentence += "; " + written.error().message();
    return all;
  }

  /// What the traffic writes may be too little to get beyond the limit in time. Bounded: once beyond the
  /// limit it is Patroni that takes its time.
  [[nodiscard]] Result<void> write_towards(std::int64_t limit) {
    const std::int64_t enough = std::min(limit + kBeyond, kMostWritten);
    if (written_ >= enough) return {};
    const Member* leader = tools().cluster.find_member(leader_.member);
    const auto route = open_superuser_route(tools().cluster, *leader, tools().hosts(leader_.host));
    if (!route) return route.error();
    auto session = PostgresControl::connect(route->parameters, leader->name, kStatementTimeout);
    if (!session) return session.error();
    while (written_ < enough) {
      const auto wrote =
          session->execute("write WAL", "SELECT pg_logical_emit_message(false, 'pgfiredrill', repeat('x', " +
                                            std::to_string(kMessageBytes) + "))");
      if (!wrote) return wrote.error();
      written_ += kMessageBytes;
    }
    return {};
  }

  [[nodiscard]] Result<std::string> host_of(const std::string& name) const {
    const Member* member = tools().cluster.find_member(name);
    if (member != nullptr && !member->host.empty()) return member->host;
    return nobody("no host of the inventory is " + name + "'s");
  }

  [[nodiscard]] static Failure nobody(const std::string& came_back) {
    return {.kind = FailureKind::missing,
            .what = "hold back what replicas receive",
            .came_back = came_back,
            .hint = "The inventory must name every member's host."};
  }

  Victim leader_;
  std::int64_t written_ = 0;
};

}  // namespace

FaultKind hold_receive() {
  return {
      .name = "hold-receive",
      .proves = "no replica that lags too far becomes the leader when the leader is lost",
      .undone_by = "the run removes the packet filters and the replicas catch up; so do timers on the hosts",
      .targets = {kLeader},
      .holds = true,
      // While it is held no replica could take over without a loss.
      .danger = [](const FaultSpec&) { return Danger::may_failover; },
      .make = [](const FaultSpec& spec,
                 Tools tools) { return std::make_unique<HoldReceive>(spec, std::move(tools)); }};
}

}  // namespace pgfiredrill::fault
