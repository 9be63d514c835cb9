#include "measure/stale_routing.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/clock.h"

namespace pgfiredrill {

namespace {

/// A router that learns of new roles by checks each second or so is not stale before this has passed.
constexpr double kLongAfter_s = 5;

bool client_chooses(const TrafficPath& path) {
  return path.addresses.size() > 1 || path.target_session_attrs == "read-write";
}

bool balancer_chooses(const TrafficPath& path) {
  return path.depth == Depth::balancer && path.access == Access::read_write && !client_chooses(path);
}

/// Since when the balancer led writes to the leader for good.
struct PlainPath {
  std::string id;
  double up_from_s = 0;
};

std::optional<double> up_from(const MeasuredPath& path) {
  if (!path.unmeasured.empty() || !path.unsteady.empty()) return std::nullopt;
  if (path.result.windows.empty()) return 0;
  if (path.result.windows.back().censored) return std::nullopt;
  return path.result.windows.back().end_s;
}

std::optional<PlainPath> find_plain_path(const std::vector<MeasuredPath>& paths) {
  std::optional<PlainPath> plain;
  for (const MeasuredPath& path : paths) {
    const auto up_from_s = up_from(path);
    if (!balancer_chooses(path.result.path) || !up_from_s) continue;
    if (!plain || *up_from_s < plain->up_from_s) plain = PlainPath{path.result.path.id, *up_from_s};
  }
  return plain;
}

std::optional<Finding> find_stale_pooler(const std::string& label, const RepeatTimes& times,
                                         const MeasuredPath& path, const PlainPath& plain) {
  if (!client_chooses(path.result.path) || path.standby_errors.count == 0) return std::nullopt;
  const double last_s = to_seconds(path.standby_errors.last - times.origin());
  if (last_s >= 0 && last_s < plain.up_from_s + kLongAfter_s) return std::nullopt;
  const std::string when =
      last_s < 0 ? fmt::format("the last {:.1f} s before the fault", -last_s)
                 : fmt::format("the last {:.1f} s after the injection, while {} was up from {:.1f} s on",
                               last_s, plain.id, plain.up_from_s);
  return Finding{
      .id = "pooler.stale-in-hot-standby",
      .severity = Severity::warn,
      .where = path.result.path.entrypoint,
      .sentence =
          "sessions that choose the server by its role were kept from the leader, or led to a "
          "standby, long after writes worked through the balancer: PgBouncer answers a login with the "
          "in_hot_standby that it remembers of an earlier server connection",
      .evidence = {fmt::format("{}: {} errors on {}, {}", label, path.standby_errors.count,
                               path.result.path.id, when)},
      .remedy =
          "let clients connect to the balancer's read-write port without target_session_attrs (it "
          "checks roles itself), or restart PgBouncer on each role change (Patroni's callbacks: "
          "on_role_change), or give lists the PostgreSQL ports instead of PgBouncer's"};
}

std::optional<Finding> find_stale_route(const std::string& label, const RepeatTimes& times,
                                        const MeasuredPath& path) {
  if (path.windows.empty()) return std::nullopt;
  const auto first_success = path.windows.front().first_success;
  const TrafficPath& about = path.result.path;
  if (about.access != Access::read_write || client_chooses(about) || !first_success) return std::nullopt;
  if (path.standby_errors.last <= *first_success) return std::nullopt;
  return Finding{
      .id = "routing.stale",
      .severity = Severity::note,
      .where = about.entrypoint,
      .sentence = "after the first write had succeeded, some sessions were still led to a server in recovery",
      .evidence = {fmt::format("{}: {}: first success {:.1f} s after the injection, last session led to a "
                               "standby at {:.1f} s",
                               label, about.id, to_seconds(*first_success - times.origin()),
                               to_seconds(path.standby_errors.last - times.origin()))},
      .remedy =
          "let the balancer drop the old leader no later than it takes up the new one: HAProxy's fall "
          "not above rise, and fastinter on the checks"};
}

}  // namespace

std::vector<Finding> find_stale_routing(const std::string& label, const RepeatTimes& times,
                                        const std::vector<MeasuredPath>& paths) {
  std::vector<Finding> findings;
  const auto plain = find_plain_path(paths);
  for (const MeasuredPath& path : paths) {
    if (plain) {
      if (auto finding = find_stale_pooler(label, times, path, *plain)) findings.push_back(*finding);
    }
    if (auto finding = find_stale_route(label, times, path)) findings.push_back(*finding);
  }
  return findings;
}

std::vector<Finding> merge_findings(const std::vector<Finding>& findings) {
  std::vector<Finding> merged;
  for (const Finding& finding : findings) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const Finding& other) {
      return other.id == finding.id && other.where == finding.where;
    });
    if (same == merged.end()) {
      merged.push_back(finding);
    } else {
      same->evidence.insert(same->evidence.end(), finding.evidence.begin(), finding.evidence.end());
    }
  }
  return merged;
}

}  // namespace pgfiredrill
