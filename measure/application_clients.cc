#include "measure/application_clients.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "measure/plausible_instant.h"

namespace pgfiredrill {

namespace {

/// Shorter waits are nobody's trouble.
constexpr nanoseconds kStuck = std::chrono::seconds{1};
constexpr double kLongestWait_s = 24 * 3600.0;

nanoseconds duration(const Event& event, const char* field) {
  const double seconds = std::clamp(event.number(field).value_or(0), 0.0, kLongestWait_s);
  return nanoseconds{static_cast<nanoseconds::rep>(seconds * 1e9)};
}

Layer layer_named(const std::string& name) {
  for (auto number = std::uint8_t{0}; number <= static_cast<std::uint8_t>(Layer::unknown); ++number) {
    const auto layer = static_cast<Layer>(number);
    if (name == to_string(layer)) return layer;
  }
  return Layer::unknown;
}

ErrorClass error_named(const std::string& name) {
  for (auto number = std::uint8_t{1}; number <= static_cast<std::uint8_t>(Trouble::other); ++number) {
    const auto trouble = static_cast<Trouble>(number);
    if (name == to_string(trouble)) return trouble;
  }
  return ErrorClass::sqlstate(name);
}

/// One session, told by its events in their order.
class ClientStory {
 public:
  ClientStory(const ClientsInput& input, const Event& opened)
      : input_{input}, postmaster_{opened.text("postmaster_start").value_or("")} {
    result_.client =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, opened.integer("client").value_or(0)));
    result_.kind = opened.text("kind").value_or("");
    result_.entrypoint = opened.text("entrypoint").value_or("");
  }

  void on_answer(const Event& event) {
    if (event.at < input_.injected) return;
    const nanoseconds asked = event.at - duration(event, "took_s");
    note_wait(asked, event.at);
    const bool ok = event.flag("ok").value_or(false);
    const bool in_recovery = event.flag("in_recovery").value_or(false);
    if (ok && !in_recovery) {
      go_on_well(event.at);
    } else {
      go_on_badly(event, ok ? ErrorClass{Trouble::misrouted} : error_in(event));
    }
    const bool read_only = ok ? in_recovery : error_in(event).is_sqlstate("25006");
    if (read_only && input_.new_leader_at && asked >= *input_.new_leader_at) note_read_only(event.at);
  }

  void on_closed(const Event& event) {
    if (!event.number("waiting_s")) return;
    const nanoseconds asked = event.at - duration(event, "waiting_s");
    const nanoseconds since = note_wait(asked, event.at);
    if (event.at - since >= kStuck) waits_since_ = since;
  }

  ClientResult finish() && {
    if (waits_since_ && !waits_for_good_reason()) {
      end("stuck", *waits_since_);
    } else if (bad_since_) {
      end("error", *bad_since_);
      result_.error = error_;
      result_.layer = layer_;
      result_.text = text_;
    } else if (good_since_) {
      end("works", *good_since_);
    } else {
      result_.end = waits_since_ ? "works" : "not asked";
    }
    return std::move(result_);
  }

 private:
  double seconds(nanoseconds at) const { return to_seconds(at - input_.injected); }

  void end(const char* how, nanoseconds at) {
    result_.end = how;
    result_.after_s = seconds(at);
  }

  static ErrorClass error_in(const Event& event) { return error_named(event.text("class").value_or("")); }

  /// Waiting before the fault is an application's own business. Since when it counts.
  nanoseconds note_wait(nanoseconds asked, nanoseconds until) {
    const nanoseconds since = std::max(asked, input_.injected);
    if (!waits_for_good_reason()) {
      result_.stuck_s = std::max(result_.stuck_s.value_or(0), to_seconds(until - since));
    }
    return since;
  }

  /// A long query goes on where the server that runs it still leads.
  bool waits_for_good_reason() const {
    if (result_.kind != "long_query") return false;
    return postmaster_.empty() || input_.last_writer.empty() || postmaster_ == input_.last_writer;
  }

  void go_on_well(nanoseconds at) {
    if (!good_since_) good_since_ = at;
    bad_since_.reset();
  }

  /// What broke it first is the cause; what follows (25P02 …) is its consequence.
  void go_on_badly(const Event& event, const ErrorClass& error) {
    good_since_.reset();
    if (bad_since_) return;
    bad_since_ = event.at;
    error_ = error;
    const bool misrouted = error.is(Trouble::misrouted);
    layer_ = misrouted ? Layer::routing : layer_named(event.text("layer").value_or(""));
    text_ = misrouted ? "a server in recovery answered" : event.text("text").value_or("");
  }

  void note_read_only(nanoseconds at) {
    ++result_.read_only_errors;
    result_.read_only_until_s = std::max(result_.read_only_until_s.value_or(0), seconds(at));
  }

  const ClientsInput& input_;
  std::string postmaster_;
  ClientResult result_;
  std::optional<nanoseconds> good_since_, bad_since_, waits_since_;
  ErrorClass error_;
  Layer layer_ = Layer::none;
  std::string text_;
};

/// Sessions of one kind on one entry point, as evidence of one finding.
struct Group {
  std::size_t sessions = 0;
  std::size_t errors = 0;
  double longest_s = 0;
};
using Groups = std::map<std::pair<std::string, std::string>, Group>;

std::vector<std::string> evidence_of(const Groups& groups,
                                     const std::function<std::string(const Group&)>& what) {
  std::vector<std::string> lines;
  for (const auto& [key, group] : groups) {
    lines.push_back(fmt::format("{} session{} of kind {} on {}: {}", group.sessions,
                                group.sessions == 1 ? "" : "s", key.second, key.first, what(group)));
  }
  return lines;
}

std::vector<std::string> labelled(const std::string& label, std::vector<std::string> lines) {
  for (std::string& line : lines) line.insert(0, label + ": ");
  return lines;
}

constexpr const char* kStuckRemedy =
    "let something end such a wait: in PgBouncer tcp_keepidle, tcp_keepintvl, tcp_keepcnt and "
    "tcp_user_timeout for its server connections, and query_timeout where queries have a longest time; in "
    "HAProxy on-marked-down shutdown-sessions, timeout client and timeout server; in clients "
    "keepalives_idle, "
    "tcp_user_timeout and a statement timeout of the driver's own";

constexpr const char* kReadOnlyRemedy =
    "end sessions with a server that lost the leader's role: in HAProxy on-marked-down shutdown-sessions for "
    "the read-write listener's servers; in PgBouncer RECONNECT of the database by Patroni's on_role_change "
    "callback; in applications' pools discard a session that answers SQLSTATE 25006";

void add_stuck(std::vector<Finding>& findings, const std::string& label, const Groups& stuck) {
  if (stuck.empty()) return;
  findings.push_back(
      {.id = "client.stuck",
       .severity = Severity::warn,
       .where = "",
       .sentence = "sessions that applications would have held waited for an answer that nobody gave, and "
                   "would have gone on waiting",
       .evidence = labelled(label, evidence_of(stuck,
                                               [](const Group& group) {
                                                 return fmt::format(
                                                     "no answer for up to {:.1f} s when "
                                                     "observation ended",
                                                     group.longest_s);
                                               })),
       .remedy = kStuckRemedy});
}

void add_read_only(std::vector<Finding>& findings, const std::string& label, const Groups& read_only) {
  if (read_only.empty()) return;
  findings.push_back(
      {.id = "client.read-only-after-failover",
       .severity = Severity::warn,
       .where = "",
       .sentence = "sessions that applications would have held were still led to a server that takes no "
                   "writes after another one took them",
       .evidence = labelled(label, evidence_of(read_only,
                                               [](const Group& group) {
                                                 return fmt::format(
                                                     "{} such answers, the last {:.1f} s after the injection",
                                                     group.errors, group.longest_s);
                                               })),
       .remedy = kReadOnlyRemedy});
}

}  // namespace

std::vector<ClientResult> judge_clients(const ClientsInput& input) {
  std::map<std::int64_t, ClientStory> stories;
  for (const Event& event : input.events) {
    const auto client = event.integer("client");
    if (!client || !plausible_instant(event.at)) continue;
    if (event.kind == event::kClientOpened) {
      stories.emplace(*client, ClientStory{input, event});
      continue;
    }
    const auto story = stories.find(*client);
    if (story == stories.end()) continue;
    if (event.kind == event::kClientAnswer) story->second.on_answer(event);
    if (event.kind == event::kClientClosed) story->second.on_closed(event);
  }
  std::vector<ClientResult> results;
  for (auto& [client, story] : stories) results.push_back(std::move(story).finish());
  std::stable_sort(results.begin(), results.end(),
                   [](const ClientResult& a, const ClientResult& b) { return a.entrypoint < b.entrypoint; });
  return results;
}

std::vector<Finding> find_client_trouble(const std::string& label, const std::vector<ClientResult>& clients) {
  Groups stuck, read_only;
  for (const ClientResult& client : clients) {
    const std::pair key{client.entrypoint, client.kind};
    if (client.end == "stuck") {
      Group& group = stuck[key];
      ++group.sessions;
      group.longest_s = std::max(group.longest_s, client.stuck_s.value_or(0));
    }
    if (client.read_only_errors > 0) {
      Group& group = read_only[key];
      ++group.sessions;
      group.errors += client.read_only_errors;
      group.longest_s = std::max(group.longest_s, client.read_only_until_s.value_or(0));
    }
  }
  std::vector<Finding> findings;
  add_stuck(findings, label, stuck);
  add_read_only(findings, label, read_only);
  return findings;
}

}  // namespace pgfiredrill
