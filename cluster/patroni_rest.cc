#include "cluster/patroni_rest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "cluster/http_answer.h"
#include "cluster/json_fields.h"
#include "cluster/json_value.h"

namespace pgfiredrill {
namespace {

/// Longer than any setting means something; keeps arithmetic in nanoseconds from overflowing.
constexpr std::int64_t kLongestSeconds = 10LL * 366 * 24 * 3600;
constexpr std::int64_t kLargestInt = std::numeric_limits<int>::max();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

HttpQuestion question(const std::string& path, const std::string& where) {
  return {.what = "ask Patroni for " + path,
          .where = where,
          .not_it = "Is this Patroni's REST port (restapi.connect_address in patroni.yml, usually 8008)?"};
}

std::optional<std::int64_t> lag_of(const JsonFields& member) {
  // Patroni's word for a member whose position it does not know.
  if (member.value().at("lag").text() == "unknown") return std::nullopt;
  return member.integer("lag", 0);
}

std::map<std::string, std::string> scalars_of(const JsonFields& object) {
  std::map<std::string, std::string> result;
  for (const auto& [key, value] : object.value().fields()) {
    if (value.is_null()) continue;
    const auto text = value.scalar();
    if (!text) object.complain(key, "no plain value");
    result[key] = text.value_or("");
  }
  return result;
}

PatroniMember read_member(const JsonFields& fields) {
  PatroniMember member;
  member.name = fields.required_text("name");
  member.role = fields.required_text("role");
  member.state = fields.text("state");
  member.api_url = fields.text("api_url");
  member.host = fields.text("host");
  member.port = static_cast<int>(fields.integer("port", 1, 65535).value_or(0));
  member.timeline = fields.integer("timeline", 0);
  member.lag_bytes = lag_of(fields);
  member.pending_restart = fields.boolean("pending_restart").value_or(false);
  member.tags = scalars_of(fields.object("tags"));
  return member;
}

std::optional<std::chrono::seconds> seconds_of(const JsonFields& fields, const std::string& key) {
  const auto value = fields.integer(key, 0, kLongestSeconds);
  if (!value) return std::nullopt;
  return std::chrono::seconds{*value};
}

/// One setting under its name of today or of before Patroni 3; today's wins, as in Patroni.
std::optional<std::chrono::seconds> primary_start_timeout_of(const JsonFields& fields) {
  const bool renamed = !fields.value().at("primary_start_timeout").is_null();
  return seconds_of(fields, renamed ? "primary_start_timeout" : "master_start_timeout");
}

std::optional<std::string> synchronous_mode_of(const JsonFields& fields) {
  const std::string word = lower(fields.text("synchronous_mode"));
  if (word.empty()) return std::nullopt;
  if (word == "quorum") return word;
  const auto on = parse_bool(word);
  if (!on) fields.complain("synchronous_mode", "neither on, off nor quorum");
  return on.value_or(false) ? "on" : "off";
}

std::optional<int> count_of(const JsonFields& fields, const std::string& key) {
  const auto value = fields.integer(key, 0, kLargestInt);
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

/// What Patroni itself takes for a standby cluster: an empty section is none.
bool is_standby_cluster(const JsonValue& section) {
  const auto says_where = [&](const char* key) { return !section.at(key).scalar().value_or("").empty(); };
  return says_where("host") || says_where("port") || says_where("restore_command");
}

std::optional<PatroniHistoryEntry> read_history_entry(const JsonValue& row) {
  const auto columns = row.elements();
  if (columns.size() < 3) return std::nullopt;
  const auto timeline = columns[0].integer();
  const auto lsn = columns[1].integer();
  const auto reason = columns[2].text();
  if (!timeline || *timeline < 1 || !lsn || *lsn < 0 || !reason) return std::nullopt;
  const auto optional_text = [&](std::size_t i) {
    return i < columns.size() ? columns[i].text().value_or("") : std::string{};
  };
  return PatroniHistoryEntry{.timeline = *timeline,
                             .switch_lsn = static_cast<std::uint64_t>(*lsn),
                             .reason = *reason,
                             .timestamp = optional_text(3),
                             .new_leader = optional_text(4)};
}

bool may_be_an_object(const std::string& body) {
  return trim(std::string_view{body}.substr(0, 64)).starts_with('{');
}

}  // namespace

Result<PatroniCluster> parse_patroni_cluster(const std::string& body, const std::string& where) {
  const HttpQuestion asked_for = question("/cluster", where);
  const auto document = JsonValue::parse(body);
  if (!document) return not_json(body, asked_for);

  std::string complaint;
  const JsonFields fields{*document, "", complaint};
  PatroniCluster cluster;
  cluster.scope = fields.text("scope");
  cluster.paused = fields.boolean("pause").value_or(false);
  const JsonValue scheduled = fields.value().at("scheduled_switchover");
  cluster.switchover_scheduled = !scheduled.is_null();
  cluster.switchover_at = scheduled.at("at").text().value_or("");
  for (const JsonValue& member : fields.required_array("members")) {
    const std::string name = "members[" + std::to_string(cluster.members.size()) + "]";
    cluster.members.push_back(read_member({member, name, complaint}));
  }
  if (!complaint.empty()) return wrong_shape(complaint, asked_for);
  return cluster;
}

Result<PatroniNode> parse_patroni_node(const std::string& body, const std::string& where) {
  const HttpQuestion asked_for = question("/patroni", where);
  const auto document = JsonValue::parse(body);
  if (!document) return not_json(body, asked_for);

  std::string complaint;
  const JsonFields fields{*document, "", complaint};
  const JsonFields patroni = fields.object("patroni");
  PatroniNode node;
  node.state = fields.required_text("state");
  node.patroni_version = patroni.required_text("version");
  node.name = patroni.text("name");
  node.scope = patroni.text("scope");
  node.role = fields.text("role");
  node.server_version = static_cast<int>(fields.integer("server_version", 0, kLargestInt).value_or(0));
  node.system_identifier = fields.text("database_system_identifier");
  node.timeline = fields.integer("timeline", 0);
  node.postmaster_start_time = fields.text("postmaster_start_time");
  node.pending_restart = fields.boolean("pending_restart").value_or(false);
  node.paused = fields.boolean("pause").value_or(false);
  node.dcs_last_seen = fields.integer("dcs_last_seen", 0);
  if (!complaint.empty()) return wrong_shape(complaint, asked_for);
  return node;
}

Result<PatroniConfig> parse_patroni_config(const std::string& body, const std::string& where) {
  const HttpQuestion asked_for = question("/config", where);
  const auto document = JsonValue::parse(body);
  if (!document) return not_json(body, asked_for);
  if (!document->is_object()) return wrong_shape("the document is no object", asked_for);

  std::string complaint;
  const JsonFields fields{*document, "", complaint};
  const JsonFields postgresql = fields.object("postgresql");
  PatroniConfig config;
  config.ttl = seconds_of(fields, "ttl");
  config.loop_wait = seconds_of(fields, "loop_wait");
  config.retry_timeout = seconds_of(fields, "retry_timeout");
  config.primary_start_timeout = primary_start_timeout_of(fields);
  config.maximum_lag_on_failover_bytes = fields.integer("maximum_lag_on_failover", 0, kLargest);
  config.synchronous_mode = synchronous_mode_of(fields);
  config.synchronous_mode_strict = fields.boolean("synchronous_mode_strict");
  config.synchronous_node_count = count_of(fields, "synchronous_node_count");
  config.failsafe_mode = fields.boolean("failsafe_mode");
  config.paused = fields.boolean("pause");
  config.use_pg_rewind = postgresql.boolean("use_pg_rewind");
  config.use_slots = postgresql.boolean("use_slots");
  config.standby_cluster = is_standby_cluster(document->at("standby_cluster"));
  config.parameters = scalars_of(postgresql.object("parameters"));
  config.raw = body;
  if (!complaint.empty()) return wrong_shape(complaint, asked_for);
  return config;
}

Result<std::vector<PatroniHistoryEntry>> parse_patroni_history(const std::string& body,
                                                               const std::string& where) {
  const HttpQuestion asked_for = question("/history", where);
  const auto document = JsonValue::parse(body);
  if (!document) return not_json(body, asked_for);
  if (!document->is_array()) return wrong_shape("the document is no list", asked_for);

  std::vector<PatroniHistoryEntry> history;
  for (const JsonValue& row : document->elements()) {
    auto entry = read_history_entry(row);
    if (!entry) {
      return wrong_shape("row " + std::to_string(history.size()) + " is not [timeline, position, reason, …]",
                         asked_for);
    }
    history.push_back(std::move(*entry));
  }
  return history;
}

std::string postgres_version_text(int server_version) {
  if (server_version <= 0) return {};
  const int major = server_version / 10'000;
  const std::string minor = std::to_string(server_version % 100);
  if (major >= 10) return std::to_string(major) + "." + std::to_string(server_version % 10'000);
  return std::to_string(major) + "." + std::to_string(server_version / 100 % 100) + "." + minor;
}

PatroniRest::PatroniRest(HttpClient& http, HttpAddress address, TlsIdentity identity, std::string where)
    : http_{http}, address_{std::move(address)}, identity_{std::move(identity)}, where_{std::move(where)} {}

Result<std::string> PatroniRest::get(const std::string& path, bool any_status) const {
  HttpRequest request;
  request.path = path;
  auto response = http_.send(address_, identity_, request);
  if (!response) return asked(response.error(), question(path, where_));
  // Where a status other than 200 comes with Patroni's document, the document says more than the status.
  if (response->status == 200 || (any_status && may_be_an_object(response->body))) {
    return std::move(response->body);
  }
  return wrong_status(*response, question(path, where_));
}

Result<PatroniCluster> PatroniRest::cluster() const {
  const auto body = get("/cluster", false);
  if (!body) return body.error();
  return parse_patroni_cluster(*body, where_);
}

Result<PatroniNode> PatroniRest::node() const {
  const auto body = get("/patroni", true);
  if (!body) return body.error();
  return parse_patroni_node(*body, where_);
}

Result<PatroniConfig> PatroniRest::config() const {
  const auto body = get("/config", false);
  if (!body) return body.error();
  return parse_patroni_config(*body, where_);
}

Result<std::vector<PatroniHistoryEntry>> PatroniRest::history() const {
  const auto body = get("/history", false);
  if (!body) return body.error();
  return parse_patroni_history(*body, where_);
}

}  // namespace pgfiredrill
