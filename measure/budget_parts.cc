#include "measure/budget_parts.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace pgfiredrill {

namespace {

constexpr const char* kSeen = "seen on clusters built by autobase";

double to_s(std::chrono::milliseconds value) {
  return static_cast<double>(value.count()) / 1e3;
}

std::string text_of(std::chrono::milliseconds value) {
  return fmt::format("{:g} s", to_s(value));
}

Stages one(BudgetPart part) {
  return {.parts = {std::move(part)}, .missing = {}};
}

std::string checks_text(const ListenerTimings& timings, const char* counted, int count) {
  std::string text = fmt::format("inter {}", text_of(*timings.inter));
  if (timings.fastinter) text += fmt::format(" fastinter {}", text_of(*timings.fastinter));
  return text + fmt::format(" {} {}", counted, count);
}

}  // namespace

double Stages::min_s() const {
  double sum = 0;
  for (const BudgetPart& part : parts) sum += part.min_s;
  return std::max(sum, 0.0);
}

double Stages::max_s() const {
  double sum = 0;
  for (const BudgetPart& part : parts) sum += part.max_s;
  return std::max(sum, 0.0);
}

Stages operator+(Stages first, const Stages& second) {
  first.parts.insert(first.parts.end(), second.parts.begin(), second.parts.end());
  first.missing.insert(first.missing.end(), second.missing.begin(), second.missing.end());
  return first;
}

Stages later_of(const Stages& a, const Stages& b) {
  if (!a.known() || !b.known()) return a + b;
  Stages later = a.max_s() >= b.max_s() ? a : b;
  const double least = std::max(a.min_s(), b.min_s());
  if (later.parts.empty()) return later;
  later.parts.back().min_s += least - later.min_s();
  return later;
}

Stages less(Stages course, const Stages& served) {
  for (BudgetPart part : served.parts) {
    part.name = "less: still served, " + part.name;
    std::swap(part.min_s, part.max_s);
    part.min_s = -part.min_s;
    part.max_s = -part.max_s;
    course.parts.push_back(std::move(part));
  }
  course.missing.insert(course.missing.end(), served.missing.begin(), served.missing.end());
  return course;
}

Stages fixed(const std::string& name, double min_s, double max_s, const std::string& source) {
  return one({.name = name, .min_s = min_s, .max_s = max_s, .setting = {}, .value = {}, .source = source});
}

Stages unknown(const std::string& setting) {
  return {.parts = {}, .missing = {setting}};
}

struct BudgetParts::Checks {
  double inter_s = 0;
  double fastinter_s = 0;
  double timeout_s = 0;
  int count = 0;
  std::string value;
  std::string source;
};

BudgetParts::BudgetParts(const FailoverSettings& settings, std::string primary_listener,
                         std::string replica_listener)
    : settings_{settings},
      primary_listener_{std::move(primary_listener)},
      replica_listener_{std::move(replica_listener)} {}

Stages BudgetParts::key_expires() const {
  const auto& ttl = settings_.ttl;
  const auto& loop = settings_.loop_wait;
  if (!ttl.value || !loop.value) {
    return (ttl.value ? Stages{} : unknown("ttl")) + (loop.value ? Stages{} : unknown("loop_wait"));
  }
  return one({.name = "the leader key lives on",
              .min_s = to_s(*ttl.value - *loop.value),
              .max_s = to_s(*ttl.value),
              .setting = "ttl, loop_wait",
              .value = fmt::format("{}, {}", text_of(*ttl.value), text_of(*loop.value)),
              .source = ttl.source});
}

Stages BudgetParts::key_lives_anew() const {
  const auto& election = settings_.etcd_election_timeout;
  if (!election.value) return unknown("etcd's election timeout");
  return one({.name = "if etcd's leader went with it: the new one gives the key its whole life again",
              .min_s = 0,
              .max_s = 2 * to_s(*election.value),
              .setting = "election-timeout",
              .value = text_of(*election.value),
              .source = election.source});
}

Stages BudgetParts::race_and_promotion() const {
  return fixed("race of the candidates and promotion", 1, 3, kSeen);
}

Stages BudgetParts::hand_over() const {
  return fixed("shutdown of the old leader and promotion of the new one", 2, 4, kSeen);
}

Stages BudgetParts::noticed() const {
  const auto& loop = settings_.loop_wait;
  if (!loop.value) return unknown("loop_wait");
  return one({.name = "Patroni notices at its next loop",
              .min_s = 0,
              .max_s = to_s(*loop.value),
              .setting = "loop_wait",
              .value = text_of(*loop.value),
              .source = loop.source});
}

Stages BudgetParts::crash_recovery() const {
  return fixed("start and crash recovery (longer with much WAL since the last checkpoint)", 1, 5, kSeen);
}

Stages BudgetParts::clean_restart() const {
  return fixed("shutdown and start", 1, 5, kSeen);
}

Stages BudgetParts::start_fails() const {
  Stages gives_back = noticed();
  for (BudgetPart& part : gives_back.parts) part.name = "Patroni gives the key back at its next loop";
  return noticed() + fixed("PostgreSQL cannot be started", 1, 5, kSeen) + gives_back;
}

Stages BudgetParts::consensus_back() const {
  const auto& election = settings_.etcd_election_timeout;
  Stages back = election.value ? one({.name = "etcd elects a leader again",
                                      .min_s = 0,
                                      .max_s = 2 * to_s(*election.value),
                                      .setting = "election-timeout",
                                      .value = text_of(*election.value),
                                      .source = election.source})
                               : unknown("etcd's election timeout");
  return back + noticed() + race_and_promotion();
}

const std::string& BudgetParts::name_of(bool read_write) const {
  return read_write ? primary_listener_ : replica_listener_;
}

const ListenerTimings* BudgetParts::listener(bool read_write) const {
  const auto found =
      std::find_if(settings_.listeners.begin(), settings_.listeners.end(),
                   [&](const ListenerTimings& timings) { return timings.listener == name_of(read_write); });
  return found == settings_.listeners.end() ? nullptr : &*found;
}

std::string BudgetParts::setting(bool read_write, const char* names) const {
  return fmt::format("{} of HAProxy's listener {}", names, name_of(read_write));
}

std::optional<BudgetParts::Checks> BudgetParts::checks(bool read_write, const char* counted,
                                                       std::vector<std::string>& missing) const {
  const ListenerTimings* timings = listener(read_write);
  if (timings == nullptr) {
    missing.push_back("HAProxy's listener " + name_of(read_write));
    return std::nullopt;
  }
  const std::optional<int> count = std::string{"fall"} == counted ? timings->fall : timings->rise;
  if (!timings->inter) missing.push_back(setting(read_write, "inter"));
  if (!count) missing.push_back(setting(read_write, counted));
  if (!missing.empty()) return std::nullopt;
  return Checks{.inter_s = to_s(*timings->inter),
                .fastinter_s = to_s(timings->fastinter.value_or(*timings->inter)),
                .timeout_s = to_s(timings->check_timeout.value_or(*timings->inter)),
                .count = *count,
                .value = checks_text(*timings, counted, *count),
                .source = timings->source};
}

Stages BudgetParts::marked_up(bool read_write) const {
  Stages stages;
  const auto known = checks(read_write, "rise", stages.missing);
  if (!known) return stages;
  const double rest = (known->count - 1) * known->fastinter_s;
  return one({.name = "the balancer takes the server up",
              .min_s = rest,
              .max_s = known->inter_s + rest,
              .setting = setting(read_write, "inter, fastinter, rise"),
              .value = known->value,
              .source = known->source});
}

Stages BudgetParts::marked_down(bool read_write) const {
  Stages stages;
  const auto known = checks(read_write, "fall", stages.missing);
  if (!known) return stages;
  const double rest = (known->count - 1) * known->fastinter_s;
  return one({.name = "the balancer drops the server",
              .min_s = rest,
              .max_s = known->inter_s + rest,
              .setting = setting(read_write, "inter, fastinter, fall"),
              .value = known->value,
              .source = known->source});
}

Stages BudgetParts::marked_down_silent(bool read_write) const {
  Stages stages;
  const auto known = checks(read_write, "fall", stages.missing);
  if (!known) return stages;
  const double rest = known->count * known->inter_s + (known->count - 1) * known->fastinter_s;
  return one({.name = "the balancer drops the server that is silent",
              .min_s = rest,
              .max_s = known->inter_s + rest,
              .setting = setting(read_write, "inter, fastinter, fall"),
              .value = known->value,
              .source = known->source});
}

Stages BudgetParts::marked_down_hung(bool read_write) const {
  Stages stages;
  const auto known = checks(read_write, "fall", stages.missing);
  if (!known) return stages;
  const double rest = known->count * known->timeout_s + (known->count - 1) * known->fastinter_s;
  return one({.name = "the balancer drops the server whose checks hang",
              .min_s = rest,
              .max_s = known->inter_s + rest,
              .setting = setting(read_write, "timeout check, inter, fastinter, fall"),
              .value = fmt::format("timeout check {:g} s {}", known->timeout_s, known->value),
              .source = known->source});
}

Stages BudgetParts::reloaded() const {
  const ListenerTimings* timings = listener(true);
  if (timings == nullptr || !timings->inter) return unknown(setting(true, "inter"));
  return one({.name = "after the reload a wrong server stands UP until its first check",
              .min_s = 0,
              .max_s = to_s(*timings->inter),
              .setting = setting(true, "inter"),
              .value = text_of(*timings->inter),
              .source = timings->source});
}

Stages BudgetParts::pooler_retries() const {
  const auto& retry = settings_.server_login_retry;
  if (!retry.value) return unknown("server_login_retry");
  return one({.name = "the pooler answers logins with its last error",
              .min_s = 0,
              .max_s = to_s(*retry.value),
              .setting = "server_login_retry",
              .value = text_of(*retry.value),
              .source = retry.source});
}

Stages BudgetParts::address_moves() const {
  const auto& interval = settings_.vip_interval;
  if (!interval.value) return unknown("the virtual address's interval");
  return one({.name = "the virtual address moves",
              .min_s = 0,
              .max_s = 4 * to_s(*interval.value),
              .setting = "advert_int",
              .value = text_of(*interval.value),
              .source = interval.source});
}

Stages BudgetParts::restarted_by_systemd() const {
  return fixed("systemd starts it again after 0.1 s", 0, 2, kSeen);
}

}  // namespace pgfiredrill
