#include "report/inspect_text.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/text.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kChangesShown = 3;

/// Text from servers and files, safe to print: no control characters, not endless.
std::string shown(const std::string& text) {
  return one_line(text, 120);
}

std::string age_text(seconds age) {
  const auto count = std::max<long long>(age.count(), 0);
  if (count < 120) return fmt::format("{} s ago", count);
  if (count < 2 * 3600) return fmt::format("{} min ago", count / 60);
  if (count < 48 * 3600) return fmt::format("{} h ago", count / 3600);
  return fmt::format("{} days ago", count / 86400);
}

std::string milliseconds_text(milliseconds value) {
  if (value.count() % 1000 == 0) return fmt::format("{} s", value.count() / 1000);
  return fmt::format("{} ms", value.count());
}

class InspectText {
 public:
  InspectText(const ClusterDescription& cluster, nanoseconds now, const TerminalStyle& style,
              std::size_t width)
      : cluster_{cluster}, now_{now}, style_{style}, width_{std::clamp<std::size_t>(width, 60, 120)} {}

  std::string render() {
    title();
    members();
    history();
    entry_points();
    virtual_addresses();
    consensus();
    repositories();
    settings();
    component_versions();
    sentences("Remarks", cluster_.remarks);
    not_reached();
    return text_;
  }

 private:
  void heading(const std::string& text) { text_ += "\n" + style_.heading(text) + "\n"; }

  /// Distinct values of a component's version over the hosts: one where all agree.
  std::string versions_of(const std::string& component) const {
    std::set<std::string> distinct;
    for (const ComponentVersion& version : cluster_.versions) {
      if (version.component == component) distinct.insert(shown(version.version));
    }
    return join({distinct.begin(), distinct.end()}, ", ");
  }

  void title() {
    const std::string name = cluster_.name.empty() ? "(a cluster without a name)" : shown(cluster_.name);
    std::vector<std::string> facts;
    const std::string postgres = versions_of("postgresql");
    const std::string patroni = versions_of("patroni");
    if (!postgres.empty()) facts.push_back("PostgreSQL " + postgres);
    if (!patroni.empty()) facts.push_back("Patroni " + patroni);
    facts.push_back(fmt::format("looked at in {:.1f} s", static_cast<double>(cluster_.took.count()) / 1000));
    text_ += style_.heading(name) + "  " + join(facts, ", ") + "\n";
    if (cluster_.type != DeploymentType::unknown || !cluster_.type_evidence.empty()) {
      text_ += fmt::format("  deployment type {}: {}\n", to_string(cluster_.type), explain(cluster_.type));
      text_ += style_.faint(wrap_text(shown(join(cluster_.type_evidence, "; ")), width_, 2));
    }
  }

  /// The host where its name says more than the address beside it does.
  static std::string host_text(const std::string& host, const Endpoint& address) {
    return host == address.host ? std::string{} : shown(host);
  }

  std::string role_text(const Member& member) const {
    const bool leads = member.leads();
    std::string role = leads ? style_.heading(shown(member.role)) : shown(member.role);
    // Patroni's word against the server's own: they may differ for seconds, and that is worth seeing.
    if (member.in_recovery && *member.in_recovery == leads && member.role != "standby_leader") {
      role += style_.bad(*member.in_recovery ? " (but in recovery)" : " (but writable)");
    }
    return role;
  }

  std::string state_text(const Member& member) const {
    const bool well = member.state == "running" || member.state == "streaming";
    std::string state = well ? shown(member.state) : style_.bad(shown(member.state));
    if (member.pending_restart) state += style_.warning(", restart pending");
    return state;
  }

  void members() {
    heading("Members");
    if (cluster_.members.empty()) {
      text_ += "  none: no Patroni answered\n";
      return;
    }
    TextTable table{{"member", "host", "role", "state", "timeline", "lag", "address", "postgres", "tags"}};
    for (const Member& member : cluster_.members) {
      std::vector<std::string> tags;
      for (const auto& [name, value] : member.tags) tags.push_back(shown(name) + "=" + shown(value));
      table.add({shown(member.name), host_text(member.host, member.postgres), role_text(member),
                 state_text(member), member.timeline ? std::to_string(*member.timeline) : "?",
                 member.lag_bytes ? bytes_text(*member.lag_bytes) : "-", shown(member.postgres.to_string()),
                 shown(member.postgres_version), join(tags, " ")});
    }
    text_ += table.render(style_);
  }

  void history() {
    if (cluster_.history.empty()) return;
    heading("Last changes of the leader");
    TextTable table{{"when", "timeline that ended", "new leader", "reason"}};
    const std::size_t first = cluster_.history.size() - std::min(cluster_.history.size(), kChangesShown);
    for (std::size_t i = first; i < cluster_.history.size(); ++i) {
      const LeaderChange& change = cluster_.history[i];
      table.add({shown(change.at), std::to_string(change.timeline), shown(change.new_leader),
                 shown(change.reason)});
    }
    text_ += table.render(style_);
  }

  static std::string behind_text(const EntryPoint& point) {
    std::vector<std::string> up;
    std::size_t down = 0;
    bool known = false;
    for (const BackendServer& server : point.servers) {
      known = known || !server.status.empty();
      if (server.is_up()) {
        up.push_back(shown(server.name));
      } else {
        ++down;
      }
    }
    if (point.servers.empty()) return {};
    if (!known) return fmt::format("{} servers, state unknown", point.servers.size());
    const std::string list = up.empty() ? "none up" : join(up, " ");
    return down == 0 ? list : fmt::format("{} ({} down)", list, down);
  }

  bool answers_against_its_role(const EntryPoint& point) const {
    if (!point.answered_in_recovery) return false;
    if (point.role == EntryPointRole::primary) return *point.answered_in_recovery;
    return point.role != EntryPointRole::node && !*point.answered_in_recovery;
  }

  std::string answer_text(const EntryPoint& point) const {
    if (point.answered_by.empty()) {
      const bool empty_by_design =
          (point.role == EntryPointRole::replica_sync || point.role == EntryPointRole::replica_async) &&
          behind_text(point).starts_with("none up");
      if (empty_by_design) return "nobody: no such replica";
      return tried(point) ? style_.bad("no login") : style_.warning("not tried");
    }
    const std::string text = shown(point.answered_by) +
                             (point.answered_in_recovery.value_or(false) ? ", in recovery" : ", writable");
    return answers_against_its_role(point) ? style_.bad(text + ": not its role") : text;
  }

  /// A login that failed stands among what was not reached.
  bool tried(const EntryPoint& point) const {
    const std::string topic = "entry point " + point.address.to_string();
    return std::any_of(cluster_.not_reached.begin(), cluster_.not_reached.end(),
                       [&](const NotReached& missing) { return missing.topic == topic; });
  }

  void entry_points() {
    if (cluster_.entry_points.empty()) return;
    heading("Entry points");
    TextTable table{{"address", "kind", "host", "for", "behind it", "answered by", "login"}};
    for (const EntryPoint& point : cluster_.entry_points) {
      table.add(
          {shown(point.address.to_string()), to_string(point.kind), host_text(point.host, point.address),
           point.role == EntryPointRole::node ? "" : to_string(point.role), behind_text(point),
           answer_text(point),
           point.login_time ? fmt::format("{:.0f} ms", static_cast<double>(point.login_time->count()) / 1000)
                            : ""});
    }
    text_ += table.render(style_);
  }

  void virtual_addresses() {
    if (cluster_.virtual_addresses.empty()) return;
    heading("Virtual addresses");
    TextTable table{{"address", "by", "held by"}};
    for (const VirtualAddress& address : cluster_.virtual_addresses) {
      const std::string holders = shown(join(address.holders, " "));
      table.add({shown(address.address), address.manager,
                 address.holders.size() == 1
                     ? holders
                     : style_.bad(holders.empty() ? "nobody" : holders + ": more than one")});
    }
    text_ += table.render(style_);
  }

  void consensus() {
    if (cluster_.consensus.empty()) return;
    heading("Consensus store (" + shown(cluster_.dcs_type) + ")");
    TextTable table{{"member", "address", "state", "version", "size"}};
    for (const ConsensusMember& member : cluster_.consensus) {
      table.add({shown(member.name), shown(member.endpoint),
                 member.healthy ? (member.leader ? "healthy, leader" : "healthy") : style_.bad("not healthy"),
                 shown(member.version), member.database_bytes ? bytes_text(*member.database_bytes) : ""});
    }
    text_ += table.render(style_);
  }

  std::string backup_text(const std::optional<Backup>& backup, bool with_type) const {
    if (!backup) return style_.warning("none");
    const auto age = std::chrono::duration_cast<seconds>(now_) - backup->stopped_at;
    return (with_type ? shown(backup->type) + ", " : std::string{}) + age_text(age);
  }

  void repositories() {
    if (cluster_.repositories.empty()) return;
    heading("Backup repositories");
    TextTable table{{"stanza", "repo", "where", "status", "last full", "last backup", "newest WAL"}};
    for (const Repository& repository : cluster_.repositories) {
      table.add({shown(repository.stanza), std::to_string(repository.key), shown(repository.location),
                 repository.status == "ok" ? "ok" : style_.bad(shown(repository.status)),
                 backup_text(repository.last_full, false), backup_text(repository.last_backup, true),
                 shown(repository.archive_max)});
    }
    text_ += table.render(style_);
  }

  void settings() {
    TextTable table{{"setting", "value", "read from"}};
    const FailoverSettings& all = cluster_.settings;
    const auto add = [&](const char* name, const auto& sourced, const auto& format) {
      if (sourced.value) table.add({name, format(*sourced.value), style_.faint(shown(sourced.source))});
    };
    const auto in_seconds = [](seconds value) { return fmt::format("{} s", value.count()); };
    const auto in_bytes = [](std::int64_t value) { return bytes_text(value); };
    const auto as_text = [](const std::string& value) { return shown(value); };
    const auto as_switch = [](bool value) { return std::string{value ? "on" : "off"}; };
    const auto as_number = [](int value) { return std::to_string(value); };
    add("ttl", all.ttl, in_seconds);
    add("loop_wait", all.loop_wait, in_seconds);
    add("retry_timeout", all.retry_timeout, in_seconds);
    add("primary_start_timeout", all.primary_start_timeout, in_seconds);
    add("maximum_lag_on_failover", all.maximum_lag_on_failover_bytes, in_bytes);
    add("synchronous_mode", all.synchronous_mode, as_text);
    add("synchronous_mode_strict", all.synchronous_mode_strict, as_switch);
    add("synchronous_node_count", all.synchronous_node_count, as_number);
    add("failsafe_mode", all.failsafe_mode, as_switch);
    add("paused", all.paused, as_switch);
    add("use_pg_rewind", all.use_pg_rewind, as_switch);
    add("watchdog", all.watchdog_mode, as_text);
    add("synchronous_commit", all.synchronous_commit, as_text);
    add("archive_timeout", all.archive_timeout, in_seconds);
    add("server_login_retry", all.server_login_retry, in_seconds);
    add("server_connect_timeout", all.server_connect_timeout, in_seconds);
    add("query_wait_timeout", all.query_wait_timeout, in_seconds);
    add("pool_mode", all.pool_mode, as_text);
    add("etcd heartbeat", all.etcd_heartbeat_interval, milliseconds_text);
    add("etcd election", all.etcd_election_timeout, milliseconds_text);
    add("virtual address", all.vip_interval, milliseconds_text);
    for (const ListenerTimings& listener : all.listeners) {
      table.add({"check of " + shown(listener.listener), listener_text(listener),
                 style_.faint(shown(listener.source))});
    }
    if (table.empty()) return;
    heading("Settings that decide failover");
    text_ += table.render(style_);
    for (const std::string& disagreement : all.disagreements) {
      text_ += style_.warning(wrap_text("not the same everywhere: " + shown(disagreement), width_, 2));
    }
  }

  static std::string listener_text(const ListenerTimings& listener) {
    std::vector<std::string> parts;
    if (listener.inter) parts.push_back("inter " + milliseconds_text(*listener.inter));
    if (listener.fastinter) parts.push_back("fastinter " + milliseconds_text(*listener.fastinter));
    if (listener.fall) parts.push_back(fmt::format("fall {}", *listener.fall));
    if (listener.rise) parts.push_back(fmt::format("rise {}", *listener.rise));
    if (listener.check_timeout) parts.push_back("timeout " + milliseconds_text(*listener.check_timeout));
    return join(parts, ", ");
  }

  void component_versions() {
    std::vector<std::string> parts;
    for (const char* component : {"pgbouncer", "haproxy", "etcd", "keepalived", "pgbackrest"}) {
      const std::string versions = versions_of(component);
      if (!versions.empty()) parts.push_back(std::string{component} + " " + versions);
    }
    if (parts.empty()) return;
    heading("Other versions");
    text_ += wrap_text(join(parts, ", "), width_, 2);
  }

  void sentences(const char* title, const std::vector<std::string>& all) {
    if (all.empty()) return;
    heading(title);
    for (const std::string& sentence : all) text_ += wrap_text(one_line(sentence, 400), width_, 2);
  }

  void not_reached() {
    if (cluster_.not_reached.empty()) return;
    text_ += "\n" + style_.bad(fmt::format("Not reached ({})", cluster_.not_reached.size())) + "\n";
    for (const NotReached& missing : cluster_.not_reached) {
      const std::string where = missing.host.empty() ? "cluster" : shown(missing.host);
      text_ += "  " + style_.heading(where + ", " + shown(missing.topic)) + "\n";
      text_ += wrap_text(one_line(missing.failure.message(), 600), width_, 4);
    }
  }

  const ClusterDescription& cluster_;
  nanoseconds now_;
  const TerminalStyle& style_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

std::string render_inspect_text(const ClusterDescription& cluster, nanoseconds now,
                                const TerminalStyle& style, std::size_t width) {
  return InspectText{cluster, now, style, width}.render();
}

}  // namespace pgfiredrill
