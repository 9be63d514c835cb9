#include "cluster/discovery/failover_settings.h"

#include <algorithm>

#include "base/text.h"

namespace pgfiredrill {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Gathers one setting over hosts that should agree.
class Agreement {
 public:
  Agreement(std::string name, std::vector<std::string>& disagreements)
      : name_{std::move(name)}, disagreements_{disagreements} {}

  /// `shown` is the value as people read it.
  template <typename T>
  void add(Sourced<T>& target, const std::optional<T>& value, const std::string& shown,
           const std::string& source) {
    if (!value) return;
    if (!target.value) {
      target = {value, source};
      first_ = shown;
    } else if (*target.value != *value) {
      disagreements_.push_back(name_ + ": " + first_ + " by " + target.source + ", but " + shown + " by " +
                               source);
    }
  }

 private:
  std::string name_;
  std::vector<std::string>& disagreements_;
  std::string first_;
};

std::optional<seconds> whole_seconds(const std::string& text) {
  // PgBouncer shows whole numbers and, for some, fractions ("15.0"); fractions of a second are below what
  // matters here.
  const auto number = parse_integer(text.substr(0, text.find('.')));
  if (!number) return std::nullopt;
  return seconds{*number};
}

void take_patroni(const ServiceLook& services, FailoverSettings& settings) {
  if (!services.config) return;
  const PatroniConfig& config = *services.config;
  const std::string source = "GET /config of " + services.cluster_source;
  const auto set = [&source](auto& target, const auto& value) {
    if (value) target = {value, source};
  };
  set(settings.ttl, config.ttl);
  set(settings.loop_wait, config.loop_wait);
  set(settings.retry_timeout, config.retry_timeout);
  set(settings.primary_start_timeout, config.primary_start_timeout);
  set(settings.maximum_lag_on_failover_bytes, config.maximum_lag_on_failover_bytes);
  set(settings.synchronous_mode, config.synchronous_mode);
  set(settings.synchronous_mode_strict, config.synchronous_mode_strict);
  set(settings.synchronous_node_count, config.synchronous_node_count);
  set(settings.failsafe_mode, config.failsafe_mode);
  set(settings.paused, config.paused);
  set(settings.use_pg_rewind, config.use_pg_rewind);
}

void take_watchdog(const std::vector<HostLook>& looks, FailoverSettings& settings) {
  Agreement agreement{"watchdog mode", settings.disagreements};
  for (const HostLook& look : looks) {
    if (!look.patroni || look.patroni->watchdog_mode.empty()) continue;
    agreement.add(settings.watchdog_mode, std::optional{look.patroni->watchdog_mode},
                  look.patroni->watchdog_mode, look.name() + ":/etc/patroni/patroni.yml");
  }
}

/// With the file's name where it is not the only process's usual one.
std::string console_source(const PoolerLook& pooler) {
  const std::string file = pooler.path.substr(pooler.path.rfind('/') + 1);
  return "SHOW CONFIG of " + pooler.host + (file == "pgbouncer.ini" ? "" : " (" + file + ")");
}

void take_pooler_seconds(const ServiceLook& services, const std::string& name, Sourced<seconds>& target,
                         std::vector<std::string>& disagreements) {
  Agreement agreement{name, disagreements};
  for (const PoolerLook& pooler : services.poolers) {
    const auto found = pooler.answer.config.find(name);
    if (found == pooler.answer.config.end()) continue;
    agreement.add(target, whole_seconds(found->second), found->second + " s", console_source(pooler));
  }
}

void take_pool_size(const ServiceLook& services, FailoverSettings& settings) {
  Agreement agreement{"default_pool_size", settings.disagreements};
  for (const PoolerLook& pooler : services.poolers) {
    const auto found = pooler.answer.config.find("default_pool_size");
    if (found == pooler.answer.config.end()) continue;
    agreement.add(settings.default_pool_size, parse_integer(found->second), found->second,
                  console_source(pooler));
  }
}

void take_poolers(const ServiceLook& services, FailoverSettings& settings) {
  auto& disagreements = settings.disagreements;
  take_pooler_seconds(services, "server_login_retry", settings.server_login_retry, disagreements);
  take_pooler_seconds(services, "server_connect_timeout", settings.server_connect_timeout, disagreements);
  take_pooler_seconds(services, "query_wait_timeout", settings.query_wait_timeout, disagreements);
  Agreement agreement{"pool_mode", disagreements};
  for (const PoolerLook& pooler : services.poolers) {
    const auto found = pooler.answer.config.find("pool_mode");
    if (found == pooler.answer.config.end()) continue;
    agreement.add(settings.pool_mode, std::optional{found->second}, found->second, console_source(pooler));
  }
  take_pool_size(services, settings);
}

void take_etcd(const std::vector<HostLook>& looks, FailoverSettings& settings) {
  Agreement heartbeat{"etcd heartbeat interval", settings.disagreements};
  Agreement election{"etcd election timeout", settings.disagreements};
  const auto shown = [](const std::optional<milliseconds>& value) {
    return value ? std::to_string(value->count()) + " ms" : std::string{};
  };
  for (const HostLook& look : looks) {
    if (!look.etcd) continue;
    const std::string source = look.name() + ":/etc/etcd/etcd.conf";
    heartbeat.add(settings.etcd_heartbeat_interval, look.etcd->heartbeat_interval,
                  shown(look.etcd->heartbeat_interval), source);
    election.add(settings.etcd_election_timeout, look.etcd->election_timeout,
                 shown(look.etcd->election_timeout), source);
  }
}

void take_virtual_address(const std::vector<HostLook>& looks, FailoverSettings& settings) {
  Agreement agreement{"virtual address interval", settings.disagreements};
  const auto add = [&](const std::optional<milliseconds>& value, const std::string& source) {
    if (value) agreement.add(settings.vip_interval, value, std::to_string(value->count()) + " ms", source);
  };
  for (const HostLook& look : looks) {
    if (look.keepalived) {
      for (const VrrpInstance& instance : look.keepalived->instances) {
        add(instance.advert_interval, look.name() + ":/etc/keepalived/keepalived.conf");
      }
    }
    if (look.vip_manager) add(look.vip_manager->interval, look.name() + ":/etc/patroni/vip-manager.yml");
  }
}

void take_postgres(const ServiceLook& services, FailoverSettings& settings) {
  Agreement commit{"synchronous_commit", settings.disagreements};
  Agreement timeout{"archive_timeout", settings.disagreements};
  for (const auto& [host, values] : services.server_settings) {
    const std::string source = "pg_settings of " + host;
    if (const auto found = values.find("synchronous_commit"); found != values.end()) {
      commit.add(settings.synchronous_commit, std::optional{found->second}, found->second, source);
    }
    if (const auto found = values.find("archive_timeout"); found != values.end()) {
      timeout.add(settings.archive_timeout, whole_seconds(found->second), found->second + " s", source);
    }
  }
}

ListenerTimings timings_of(const HaproxyListener& listener, const std::string& source) {
  ListenerTimings timings{
      .listener = listener.name, .source = source, .check_timeout = listener.timeout_check};
  if (listener.servers.empty()) return timings;
  const HaproxyServer& server = listener.servers.front();
  timings.inter = server.inter;
  timings.fastinter = server.fastinter;
  timings.fall = server.fall;
  timings.rise = server.rise;
  return timings;
}

bool same_timings(const ListenerTimings& a, const ListenerTimings& b) {
  return a.inter == b.inter && a.fastinter == b.fastinter && a.fall == b.fall && a.rise == b.rise &&
         a.check_timeout == b.check_timeout;
}

void take_listeners(const std::vector<HostLook>& looks, FailoverSettings& settings) {
  for (const HostLook& look : looks) {
    if (!look.haproxy) continue;
    for (const HaproxyListener& listener : look.haproxy->listeners) {
      if (listener.check_method.empty()) continue;
      const auto timings = timings_of(listener, look.name() + ":/etc/haproxy/haproxy.cfg");
      const auto known = std::find_if(settings.listeners.begin(), settings.listeners.end(),
                                      [&](const auto& other) { return other.listener == timings.listener; });
      if (known == settings.listeners.end()) {
        settings.listeners.push_back(timings);
      } else if (!same_timings(*known, timings)) {
        settings.disagreements.push_back("check timings of listener " + timings.listener +
                                         " differ between " + known->source + " and " + timings.source);
      }
    }
  }
}

}  // namespace

FailoverSettings gather_settings(const std::vector<HostLook>& looks, const ServiceLook& services) {
  FailoverSettings settings;
  take_patroni(services, settings);
  take_watchdog(looks, settings);
  take_poolers(services, settings);
  take_etcd(looks, settings);
  take_virtual_address(looks, settings);
  take_postgres(services, settings);
  take_listeners(looks, settings);
  return settings;
}

}  // namespace pgfiredrill
