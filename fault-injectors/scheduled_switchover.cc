#include "fault-injectors/scheduled_switchover.h"

#include <array>
#include <ctime>

#include "base/text.h"
#include "cluster/patroni_action.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kOurFraction = ".041937+00:00";
constexpr std::chrono::milliseconds kCancelDeadline{5'000};

bool is_ours(const std::string& at) {
  return at.ends_with(kOurFraction);
}

/// By the first member that answers: the schedule stands in the consensus store.
Result<std::string> scheduled_at(const Tools& tools, const ClusterSnapshot& now) {
  Failure last{.kind = FailureKind::missing,
               .what = "ask when a switchover is scheduled",
               .where = {},
               .came_back = "Patroni answers nowhere",
               .hint = "Look at `patronictl list`."};
  for (const PatroniMember& member : now.members) {
    const auto address = parse_http_address(member.api_url, kPatroniPort);
    if (!address) continue;
    const PatroniRest rest{tools.http, *address, {.ca_pem = tools.cluster.access.rest_ca_pem}, member.name};
    const auto cluster = rest.cluster();
    if (cluster) return cluster->switchover_at;
    last = cluster.error();
  }
  return last;
}

}  // namespace

Result<std::string> due_in(std::chrono::seconds ahead, Host& leader_host) {
  const auto said = leader_host.run({.argv = {"date", "-u", "+%s"}, .input = {}, .as_root = false});
  if (!said) return said.error();
  const auto seconds = parse_integer(trim(said->out));
  if (said->exit_status != 0 || !seconds) {
    return Failure{.what = "read the clock",
                   .where = leader_host.name(),
                   .came_back = one_line(said->err.empty() ? said->out : said->err)};
  }
  const std::time_t due = static_cast<std::time_t>(*seconds + ahead.count());
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&due, &parts) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts) == 0) {
    return Failure{.what = "read the clock", .where = leader_host.name(), .came_back = one_line(said->out)};
  }
  return text.data() + std::string{kOurFraction};
}

Result<void> cancel_ours(const Tools& tools) {
  const ClusterSnapshot now = tools.probe.look();
  if (!now.members.empty() && !now.switchover_scheduled) return {};
  const auto at = scheduled_at(tools, now);
  if (!at) return at.error();
  if (!is_ours(*at)) return {};
  Result<void> last;
  for (const PatroniMember& member : now.members) {
    const auto cancelled =
        ask_patroni(tools.cluster, tools.http, member, cancel_switchover(), kCancelDeadline);
    if (cancelled) return {};
    last = cancelled.error();
  }
  return last;
}

}  // namespace pgfiredrill::fault
