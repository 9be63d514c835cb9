#include "measure/budget.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "measure/budget_parts.h"

namespace pgfiredrill {

namespace {

constexpr const char* kDrill = "the drill";

/// Seconds from which on an administrator of autobase's default timings would raise an alarm: limits where a
/// setting is not known.
namespace alert {
constexpr double kNone = 5;
constexpr double kPlanned = 15;
constexpr double kVirtualAddress = 12;
constexpr double kSilentServer = 20;
constexpr double kRestart = 60;
constexpr double kPatroniGone = 45;
constexpr double kRestHangs = 60;
constexpr double kHostLost = 65;
constexpr double kColdStart = 600;
}  // namespace alert

/// What one fault does.
struct Course {
  Stages write;
  Stages read;
  FailoverForecast failover = FailoverForecast::never;
  bool unplanned = false;  ///< may end in a failover that nobody prepared: asynchronous writes may be lost
  bool hangs = false;      ///< a watchdog would reset the leader's host
  double alert_s = alert::kNone;
  std::string why;
};

enum class Role : unsigned char { leader, replica, either, all };

Role role_of(const std::string& target) {
  static const std::set<std::string> replicas{"replica", "sync_standby", "replicas"};
  if (target == "leader") return Role::leader;
  if (target == "all") return Role::all;
  return replicas.contains(target) ? Role::replica : Role::either;
}

bool is_quorum(const std::string& target) {
  return target == "etcd_quorum" || target == "etcd_all" || target == "all";
}

/// One or the other, nobody knows which.
Stages envelope(const Stages& a, const Stages& b) {
  if (!a.known() || !b.known()) return a + b;
  Stages longer = a.max_s() >= b.max_s() ? a : b;
  const double least = std::min(a.min_s(), b.min_s());
  if (least == longer.min_s()) return longer;
  BudgetPart shorter{.name = "less, where the milder course is taken"};
  shorter.min_s = least - longer.min_s();
  longer.parts.push_back(std::move(shorter));
  return longer;
}

FailoverForecast either_of(FailoverForecast a, FailoverForecast b) {
  return a == b ? a : FailoverForecast::either;
}

Course envelope(const Course& a, const Course& b) {
  return {.write = envelope(a.write, b.write),
          .read = envelope(a.read, b.read),
          .failover = either_of(a.failover, b.failover),
          .unplanned = a.unplanned || b.unplanned,
          .hangs = a.hangs || b.hangs,
          .alert_s = std::max(a.alert_s, b.alert_s),
          .why = a.why == b.why ? a.why : a.why + " Or: " + b.why};
}

class Model {
 public:
  explicit Model(const BudgetInput& input)
      : input_{input}, parts_{input.settings, input.primary_listener, input.replica_listener} {}

  [[nodiscard]] Budget budget() const {
    Course course = course_of(input_.fault);
    for (const FaultSpec& further : input_.then) course = followed_by(course, further);
    Budget budget{.read_write = outage(course.write, course.alert_s),
                  .read_only = outage(course.read, std::max(course.alert_s, alert::kSilentServer)),
                  .failover = course.failover,
                  .sentence = course.why};
    if (course.hangs && watchdog_possible()) add_watchdog(budget);
    if (course.unplanned) add_loss(budget);
    return budget;
  }

 private:
  static OutageBudget outage(const Stages& stages, double alert_s) {
    OutageBudget outage{.parts = stages.parts, .missing = stages.missing, .alert_s = alert_s};
    if (!stages.known()) return outage;
    outage.min_s = stages.min_s();
    outage.max_s = stages.max_s();
    return outage;
  }

  // ---- watchdog and loss

  [[nodiscard]] bool watchdog_possible() const {
    return input_.watchdog_device.value_or(true) && input_.settings.watchdog_mode.value != "off";
  }

  /// The reset takes what else runs on that host with it.
  void add_watchdog(Budget& budget) const {
    budget.with_watchdog = outage(less(host_lost(), parts_.marked_down_silent(true)), alert::kHostLost);
    budget.sentence +=
        " Where a watchdog resets the host that hangs (not known here whether one will), what else runs on "
        "it goes with it, and the old server takes no writes past the promotion.";
  }

  [[nodiscard]] bool asynchronous() const {
    return input_.settings.synchronous_mode.value.value_or("off") == "off";
  }

  void add_loss(Budget& budget) const {
    if (!asynchronous()) return;
    const auto& most = input_.settings.maximum_lag_on_failover_bytes.value;
    if (most) budget.loss_limit_bytes = static_cast<double>(*most);
    budget.loss_limit_unknown = !most;
  }

  // ---- stages that several faults share

  [[nodiscard]] static double hold_of(const FaultSpec& fault) { return fault.hold_s.value_or(0); }

  [[nodiscard]] static Stages held(const FaultSpec& fault, const std::string& name) {
    return fixed(name, hold_of(fault), hold_of(fault), kDrill);
  }
  [[nodiscard]] static Stages up_to_held(const FaultSpec& fault, const std::string& name) {
    return fixed(name, 0, hold_of(fault), kDrill);
  }

  [[nodiscard]] Stages back_in_place(bool read_write) const {
    return later_of(parts_.marked_up(read_write), parts_.pooler_retries());
  }

  [[nodiscard]] Stages failover_after_expiry() const {
    return parts_.key_expires() + parts_.race_and_promotion() + parts_.marked_up(true);
  }

  [[nodiscard]] Stages host_lost() const {
    Stages stages = parts_.key_expires();
    if (input_.consensus_on_members) stages = stages + parts_.key_lives_anew();
    return stages + parts_.race_and_promotion() + parts_.marked_up(true);
  }

  [[nodiscard]] Stages planned() const { return parts_.hand_over() + parts_.marked_up(true); }

  /// The promoted member leaves the replicas' port; the old leader comes to it while its pooler still
  /// refuses. A lone replica leaves nobody to read from until then.
  [[nodiscard]] Stages reads_after_failover(const Stages& write) const {
    if (input_.replicas > 1) return parts_.pooler_retries();
    return write + parts_.marked_up(false) + parts_.pooler_retries();
  }

  [[nodiscard]] Stages replica_lost(bool silent) const {
    return (silent ? parts_.marked_down_silent(false) : parts_.marked_down(false)) + parts_.pooler_retries();
  }

  /// Under synchronous replication writes wait until Patroni has taken another standby.
  [[nodiscard]] Stages synchronous_wait(bool silent) const {
    if (asynchronous()) return {};
    return silent ? parts_.noticed() + parts_.key_expires() : parts_.noticed();
  }

  [[nodiscard]] Course nothing(const std::string& why) const { return {.why = why}; }

  /// An unplanned failover after `write`; a fault that ends before Patroni's key may end without one.
  [[nodiscard]] Course unplanned(const FaultSpec& fault, const Stages& write, const std::string& why) const {
    Course course{.write = write,
                  .read = reads_after_failover(write),
                  .failover = FailoverForecast::always,
                  .unplanned = true,
                  .alert_s = alert::kHostLost,
                  .why = why};
    const Stages key = parts_.key_expires();
    const bool ends_early = fault.hold_s && (!key.known() || *fault.hold_s <= key.max_s());
    if (!ends_early) return course;
    course.failover = FailoverForecast::either;
    course.write = envelope(course.write, held(fault, "as long as it is held") + back_in_place(true));
    return course;
  }

  // ---- by kind

  [[nodiscard]] Course course_of(const FaultSpec& fault) const {
    const std::string& kind = fault.kind;
    if (kind == "kill-process" || kind == "kill-postmaster") return killed(fault);
    if (kind == "stop-service") return stopped(fault);
    if (kind == "freeze-process") return frozen(fault);
    if (kind == "crash-loop") return crash_loop(fault);
    if (kind == "prevent-start") return by_role(fault, &Model::no_start_leader, &Model::no_start_replica);
    if (kind == "reboot-host") return rebooted(fault);
    if (kind == "power-off") return powered_off(fault);
    if (kind == "cut-network") return cut(fault);
    if (kind == "fill-disk") return by_role(fault, &Model::disk_full_leader, &Model::disk_full_replica);
    if (kind == "freeze-disk") return by_role(fault, &Model::disk_frozen_leader, &Model::disk_frozen_replica);
    if (kind == "reload-service") return reloaded();
    if (kind == "patroni-switchover" || kind == "patroni-failover") return switched_over();
    if (kind == "patroni-restart") return by_role(fault, &Model::restarted_leader, &Model::restarted_replica);
    if (kind == "patroni-reinitialize") {
      return {.read = replica_lost(false),
              .alert_s = alert::kNone,
              .why = "The replica leaves the replicas' port while it is built anew; nothing else changes."};
    }
    if (kind == "connection-storm") {
      return {.write = up_to_held(fault, "new sessions queue while the pool is full"),
              .read = up_to_held(fault, "new sessions queue while the pool is full"),
              .alert_s = alert::kNone + hold_of(fault),
              .why = "Sessions that are there go on; new ones may wait as long as the storm is held."};
    }
    if (kind == "hold-receive") return receive_held(fault);
    return nothing("Nobody's session should notice.");
  }

  using RoleCourse = Course (Model::*)(const FaultSpec&) const;

  [[nodiscard]] Course by_role(const FaultSpec& fault, RoleCourse leader, RoleCourse replica) const {
    switch (role_of(fault.target)) {
      case Role::leader:
        return (this->*leader)(fault);
      case Role::replica:
        return (this->*replica)(fault);
      case Role::either:
      case Role::all:
        break;
    }
    return envelope((this->*leader)(fault), (this->*replica)(fault));
  }

  // ---- processes

  [[nodiscard]] static bool is_postgres(const std::string& service) {
    return service.empty() || service == "postmaster" || service == "postgresql";
  }

  [[nodiscard]] Course killed(const FaultSpec& fault) const {
    const std::string service = fault.option("service");
    if (is_postgres(service)) return by_role(fault, &Model::killed_leader, &Model::killed_replica);
    if (service == "etcd") return is_quorum(fault.target) ? quorum_killed() : one_of_etcd();
    if (service == "keepalived") return address_moved(fault);
    Course course{.write = parts_.restarted_by_systemd(),
                  .read = parts_.restarted_by_systemd(),
                  .alert_s = service == "patroni" ? alert::kPatroniGone : alert::kNone,
                  .why = "systemd starts it again at once; PostgreSQL goes on."};
    if (service == "pgbouncer" && role_of(fault.target) == Role::replica) course.write = {};
    return course;
  }

  [[nodiscard]] Course killed_leader(const FaultSpec& fault) const {
    const auto& patience = input_.settings.primary_start_timeout;
    if (patience.value == std::chrono::seconds{0}) {
      const Stages write = parts_.noticed() + parts_.race_and_promotion() + parts_.marked_up(true);
      return {.write = write,
              .read = reads_after_failover(write),
              .failover = FailoverForecast::always,
              .unplanned = true,
              .alert_s = alert::kPatroniGone,
              .why =
                  "primary_start_timeout is 0: Patroni gives the role away instead of starting "
                  "PostgreSQL again."};
    }
    const Stages started = fault.option("signal") == "INT" ? parts_.clean_restart() : parts_.crash_recovery();
    Stages write = parts_.noticed() + started + back_in_place(true);
    if (!patience.value) write = write + unknown("primary_start_timeout");
    return {.write = write,
            .alert_s = alert::kRestart,
            .why =
                "Patroni starts PostgreSQL again in place, without a failover; then the pooler must log in "
                "again."};
  }

  [[nodiscard]] Course killed_replica(const FaultSpec&) const {
    return {.write = synchronous_wait(false),
            .read = replica_lost(false),
            .why = "Patroni starts the replica's PostgreSQL again; the balancer may drop it meanwhile."};
  }

  [[nodiscard]] Course stopped(const FaultSpec& fault) const {
    const std::string service = fault.option("service");
    if (service == "etcd") return is_quorum(fault.target) ? quorum_lost(fault) : one_of_etcd();
    if (service == "haproxy") return balancer_gone(fault, true);
    if (service == "keepalived") return address_moved(fault);
    if (service == "pgbouncer") return pooler_gone(fault);
    if (role_of(fault.target) == Role::all) return all_stopped(fault);
    return by_role(fault, &Model::patroni_stopped_leader, &Model::patroni_stopped_replica);
  }

  [[nodiscard]] Course patroni_stopped_leader(const FaultSpec&) const {
    Course course = switched_over();
    course.why =
        "Patroni stops PostgreSQL in order, which hands its last WAL to the replicas, and gives the "
        "key back.";
    return course;
  }

  [[nodiscard]] Course patroni_stopped_replica(const FaultSpec&) const {
    return {.write = synchronous_wait(false),
            .read = replica_lost(false),
            .why = "The replica's PostgreSQL stops with its Patroni."};
  }

  [[nodiscard]] Course all_stopped(const FaultSpec& fault) const {
    const Stages stages =
        held(fault, "as long as it is held") + parts_.consensus_back() + back_in_place(true);
    return {.write = stages,
            .read = stages + parts_.marked_up(false),
            .failover = FailoverForecast::either,
            .unplanned = true,
            .alert_s = alert::kHostLost + hold_of(fault),
            .why = "Nothing serves until it is undone."};
  }

  [[nodiscard]] Course frozen(const FaultSpec& fault) const {
    const std::string service = fault.option("service");
    if (service == "etcd") return is_quorum(fault.target) ? quorum_lost(fault) : one_of_etcd();
    if (service == "haproxy") return balancer_gone(fault, false);
    if (service == "keepalived") return address_moved(fault);
    if (service == "pgbouncer") return pooler_gone(fault);
    if (service == "patroni")
      return by_role(fault, &Model::patroni_frozen_leader, &Model::patroni_frozen_replica);
    if (service == "postgresql")
      return by_role(fault, &Model::postgres_frozen_leader, &Model::postgres_frozen_replica);
    return by_role(fault, &Model::postmaster_frozen_leader, &Model::postmaster_frozen_replica);
  }

  [[nodiscard]] Course patroni_frozen_leader(const FaultSpec& fault) const {
    Course course =
        unplanned(fault, less(failover_after_expiry(), parts_.marked_down_silent(true)),
                  "The leader is served until its silent REST interface makes the balancer drop it; its key "
                  "expires, and another is promoted while the old server still takes writes directly.");
    course.alert_s = alert::kRestHangs;
    course.hangs = true;
    return course;
  }

  [[nodiscard]] Course patroni_frozen_replica(const FaultSpec&) const {
    return {.read = parts_.pooler_retries(),
            .why = "The balancer drops the replica, whose PostgreSQL serves until then."};
  }

  [[nodiscard]] Course postgres_frozen_leader(const FaultSpec& fault) const {
    const Stages lost = failover_after_expiry();
    Course course =
        unplanned(fault, envelope(lost, later_of(lost, parts_.marked_down_hung(true))),
                  "Patroni hangs with its PostgreSQL, and its key expires; if its REST interface hangs too, "
                  "the balancer sends clients to the frozen server until its checks time out.");
    course.alert_s = alert::kRestHangs;
    course.hangs = true;
    return course;
  }

  [[nodiscard]] Course postgres_frozen_replica(const FaultSpec& fault) const {
    return {.write = asynchronous() ? Stages{} : up_to_held(fault, "writes wait for the frozen standby"),
            .read = parts_.marked_down_hung(false) + parts_.pooler_retries(),
            .alert_s = alert::kRestHangs,
            .why = "Reads hang on the frozen replica until the balancer's checks time out."};
  }

  [[nodiscard]] Course postmaster_frozen_leader(const FaultSpec& fault) const {
    return {.write = up_to_held(fault, "new logins hang as long as it is held") + parts_.pooler_retries(),
            .alert_s = alert::kSilentServer + hold_of(fault),
            .why =
                "Sessions go on, new logins to the server hang as long as it is held, and Patroni sees "
                "nothing wrong: no failover."};
  }

  [[nodiscard]] Course postmaster_frozen_replica(const FaultSpec& fault) const {
    return {.read = up_to_held(fault, "new logins hang as long as it is held") + parts_.pooler_retries(),
            .alert_s = alert::kSilentServer + hold_of(fault),
            .why = "New logins to the replica hang as long as it is held."};
  }

  [[nodiscard]] Course crash_loop(const FaultSpec& fault) const {
    const std::string service = fault.option("service");
    if (service == "etcd") return is_quorum(fault.target) ? quorum_lost(fault) : one_of_etcd();
    if (service == "haproxy") return balancer_gone(fault, true);
    if (service == "pgbouncer") return pooler_gone(fault);
    return by_role(fault, &Model::patroni_dead_leader, &Model::patroni_frozen_replica);
  }

  [[nodiscard]] Course patroni_dead_leader(const FaultSpec& fault) const {
    Course course = unplanned(fault, less(failover_after_expiry(), parts_.marked_down(true)),
                              "Patroni stays dead, and its PostgreSQL lives: the balancer drops it, its key "
                              "expires, and another is promoted.");
    course.hangs = true;
    return course;
  }

  [[nodiscard]] Course pooler_gone(const FaultSpec& fault) const {
    const Stages gone = held(fault, "as long as it is held") + parts_.restarted_by_systemd();
    const Role role = role_of(fault.target);
    Course course{.alert_s = alert::kNone + hold_of(fault),
                  .why =
                      "The balancer's check asks Patroni and never the pooler: clients are led to it as "
                      "long as it is held."};
    if (role != Role::replica) course.write = role == Role::leader ? gone : envelope(gone, Stages{});
    if (role != Role::leader) course.read = role == Role::replica ? gone : envelope(gone, Stages{});
    return course;
  }

  [[nodiscard]] Course balancer_gone(const FaultSpec& fault, bool noticed_by_address) const {
    if (input_.virtual_address && noticed_by_address) return address_moved(fault);
    const Stages gone = up_to_held(fault, "the way through it is shut as long as it is held");
    return {.write = gone,
            .read = gone,
            .alert_s = alert::kNone + hold_of(fault),
            .why = "The ways through other balancers are not touched."};
  }

  [[nodiscard]] Course address_moved(const FaultSpec&) const {
    if (!input_.virtual_address) return nothing("No virtual address leads clients here.");
    return {.write = parts_.address_moves(),
            .read = parts_.address_moves(),
            .alert_s = alert::kVirtualAddress,
            .why = "The virtual address moves to another balancer."};
  }

  // ---- the consensus store

  [[nodiscard]] Course one_of_etcd() const {
    return nothing("The consensus store keeps its majority: an election is shorter than Patroni's patience.");
  }

  [[nodiscard]] Course quorum_killed() const {
    Course course = without_quorum(fixed("systemd starts etcd again after 10 s", 0, 10, "autobase's unit"));
    return course;
  }

  [[nodiscard]] Course quorum_lost(const FaultSpec& fault) const {
    return without_quorum(
        fixed("no leader while the majority is gone", least_without_leader(fault), hold_of(fault), kDrill));
  }

  /// A leader without consensus store may go on for up to ttl.
  [[nodiscard]] double least_without_leader(const FaultSpec& fault) const {
    const double ttl =
        static_cast<double>(input_.settings.ttl.value.value_or(std::chrono::seconds{0}).count());
    return std::max(0.0, hold_of(fault) - ttl);
  }

  [[nodiscard]] Course without_quorum(const Stages& gone) const {
    const auto& failsafe = input_.settings.failsafe_mode.value;
    if (failsafe == true) {
      return nothing("Failsafe mode: the leader goes on for as long as every member answers it.");
    }
    Course course{.write = gone + parts_.consensus_back() + back_in_place(true),
                  .failover = FailoverForecast::either,
                  .unplanned = true,
                  .alert_s = alert::kHostLost + gone.max_s(),
                  .why =
                      "Without failsafe mode the leader steps down within ttl, and nobody leads until "
                      "the majority is back."};
    course.read = reads_after_failover(course.write);
    if (!failsafe) course.write = course.write + unknown("failsafe_mode");
    return course;
  }

  // ---- PostgreSQL that cannot start

  [[nodiscard]] Course no_start_leader(const FaultSpec& fault) const {
    Course course{.write = parts_.start_fails() + parts_.race_and_promotion() + parts_.marked_up(true),
                  .failover = FailoverForecast::always,
                  .unplanned = true,
                  .alert_s = alert::kRestart,
                  .why = "Patroni tries to start PostgreSQL, fails, and gives the role away."};
    course.read = reads_after_failover(course.write);
    if (hold_of(fault) < parts_.start_fails().max_s()) course.failover = FailoverForecast::either;
    return course;
  }

  [[nodiscard]] Course no_start_replica(const FaultSpec& fault) const { return killed_replica(fault); }

  // ---- hosts

  [[nodiscard]] Course rebooted(const FaultSpec& fault) const {
    if (role_of(fault.target) == Role::all) return cold_start(fault);
    Course course = by_role(fault, &Model::rebooted_leader, &Model::lost_replica);
    return with_address(fault, std::move(course));
  }

  [[nodiscard]] Course rebooted_leader(const FaultSpec&) const {
    Course course{.write = envelope(planned(), host_lost()),
                  .failover = FailoverForecast::either,
                  .unplanned = true,
                  .alert_s = alert::kHostLost,
                  .why =
                      "Either the role is handed over while services stop, or the key expires, or the "
                      "host is back before that. Ways through its own balancer are shut meanwhile."};
    course.read = reads_after_failover(course.write);
    return course;
  }

  [[nodiscard]] Course powered_off(const FaultSpec& fault) const {
    if (role_of(fault.target) == Role::all) return cold_start(fault);
    return with_address(fault, by_role(fault, &Model::lost_leader, &Model::lost_replica));
  }

  [[nodiscard]] Course lost_leader(const FaultSpec& fault) const {
    return unplanned(fault, host_lost(),
                     "Nobody is left to renew the leader key; ways through the lost host's own balancer are "
                     "shut as long as it is gone.");
  }

  [[nodiscard]] Course lost_replica(const FaultSpec&) const {
    return {.write = synchronous_wait(true),
            .read = replica_lost(true),
            .alert_s = alert::kSilentServer,
            .why =
                "The balancers drop the replica once their checks find it silent; ways through the lost "
                "host's own balancer are shut as long as it is gone."};
  }

  /// The host that holds the address may be hit.
  [[nodiscard]] Course with_address(const FaultSpec& fault, Course course) const {
    if (!input_.virtual_address) return course;
    Course moved = address_moved(fault);
    course.write = envelope(course.write, later_of(course.write, moved.write));
    course.read = envelope(course.read, later_of(course.read, moved.read));
    return course;
  }

  [[nodiscard]] Course cold_start(const FaultSpec& fault) const {
    const Stages stages = held(fault, "the hosts are off") +
                          fixed("the hosts boot", 5, 180, "no setting tells; what servers usually take") +
                          parts_.consensus_back() + parts_.key_expires() + parts_.crash_recovery() +
                          back_in_place(true);
    const Stages least = held(fault, "the hosts are off");
    return {.write = envelope(stages, least),
            .read = envelope(stages + parts_.marked_up(false), least),
            .failover = FailoverForecast::either,
            .unplanned = true,
            .alert_s = alert::kColdStart + hold_of(fault),
            .why = "Everything starts from nothing: hosts, consensus store, leader, balancers."};
  }

  // ---- network

  [[nodiscard]] Course cut(const FaultSpec& fault) const {
    const std::string from = fault.option("from");
    if (from.starts_with("repository")) {
      return nothing("WAL waits on the leader until the repository is back; no session notices.");
    }
    if (from == "consensus") return cut_from_consensus(fault);
    if (from == "balancers") return by_role(fault, &Model::unbalanced_leader, &Model::lost_replica);
    if (from == "tester" || from == "patroni") return cut_from_some(fault);
    if (role_of(fault.target) == Role::all) return all_stopped(fault);
    return with_address(fault, by_role(fault, &Model::lost_leader, &Model::lost_replica));
  }

  [[nodiscard]] Course cut_from_consensus(const FaultSpec& fault) const {
    const Role role = role_of(fault.target);
    if (role == Role::all) return quorum_lost(fault);
    if (role == Role::replica) return nothing("A replica without consensus store goes on replicating.");
    const auto& failsafe = input_.settings.failsafe_mode.value;
    if (failsafe == true) {
      return nothing("Failsafe mode: every member answers the leader, which goes on without failover.");
    }
    const Stages promotion = parts_.race_and_promotion() + parts_.marked_up(true);
    Course course = unplanned(fault, envelope(parts_.key_expires() + promotion, promotion),
                              "Without failsafe mode the leader steps down, and another takes its key.");
    if (!failsafe) course.write = course.write + unknown("failsafe_mode");
    return course;
  }

  [[nodiscard]] Course unbalanced_leader(const FaultSpec& fault) const {
    return {
        .write = held(fault, "no balancer reaches the leader as long as it is held") + parts_.marked_up(true),
        .alert_s = alert::kNone + hold_of(fault),
        .why = "Patroni's members see one another: the leader stays, and no client reaches it."};
  }

  [[nodiscard]] Course cut_from_some(const FaultSpec& fault) const {
    const Stages some =
        up_to_held(fault, "some ways are shut as long as it is held") + parts_.marked_up(true);
    return {.write = envelope(some, Stages{}),
            .read = envelope(some, Stages{}),
            .alert_s = alert::kNone + hold_of(fault),
            .why = "The leader keeps its key; ways that are cut are shut as long as it is held."};
  }

  // ---- disks

  [[nodiscard]] Course disk_full_leader(const FaultSpec& fault) const {
    const Stages stages = up_to_held(fault, "nothing can be written while the disk is full") +
                          parts_.noticed() + parts_.crash_recovery() + back_in_place(true);
    return {.write = envelope(stages, Stages{}),
            .read = reads_after_failover(stages),
            .failover = FailoverForecast::either,
            .unplanned = true,
            .alert_s = alert::kRestart + hold_of(fault),
            .why =
                "PostgreSQL goes on until the reserve is used up; then it stops, and Patroni starts it "
                "again or gives the role away."};
  }

  [[nodiscard]] Course disk_full_replica(const FaultSpec&) const {
    return {.write = synchronous_wait(true),
            .read = replica_lost(false),
            .why = "The replica stops once the reserve is used up."};
  }

  [[nodiscard]] Course disk_frozen_leader(const FaultSpec& fault) const {
    return {
        .write = held(fault, "writes wait as long as the file system is frozen") + parts_.pooler_retries(),
        .alert_s = alert::kSilentServer + hold_of(fault),
        .why =
            "Patroni still renews its key and PostgreSQL still answers it: no failover, and writes "
            "wait as long as it is held."};
  }

  [[nodiscard]] Course disk_frozen_replica(const FaultSpec& fault) const {
    return {.write = asynchronous() ? Stages{} : up_to_held(fault, "writes wait for the frozen standby"),
            .read = up_to_held(fault, "logins may hang as long as it is frozen") + parts_.pooler_retries(),
            .alert_s = alert::kSilentServer + hold_of(fault),
            .why = "The replica falls behind as long as it is held."};
  }

  // ---- Patroni and balancers by request

  [[nodiscard]] Course switched_over() const {
    const Stages write = planned();
    return {.write = write,
            .read = reads_after_failover(write),
            .failover = FailoverForecast::always,
            .alert_s = alert::kPlanned,
            .why = "The old leader stops in order before the new one is promoted: nothing may be lost."};
  }

  [[nodiscard]] Course restarted_leader(const FaultSpec&) const {
    return {.write = parts_.clean_restart() + back_in_place(true),
            .alert_s = alert::kRestart,
            .why = "PostgreSQL restarts in place; then the pooler must log in again."};
  }

  [[nodiscard]] Course restarted_replica(const FaultSpec& fault) const { return killed_replica(fault); }

  [[nodiscard]] Course reloaded() const {
    return {.write = parts_.reloaded(),
            .read = parts_.reloaded(),
            .alert_s = alert::kNone,
            .why = "New processes take over the sockets; every server begins UP until its first check."};
  }

  [[nodiscard]] Course receive_held(const FaultSpec& fault) const {
    return {.write = asynchronous() ? Stages{} : up_to_held(fault, "writes wait for a standby"),
            .why =
                "Replicas fall behind; no candidate is left once all lag more than "
                "maximum_lag_on_failover."};
  }

  // ---- further faults

  /// Both in one outage, or apart as two.
  [[nodiscard]] Course followed_by(const Course& first, const FaultSpec& further) const {
    if (input_.fault.kind == "hold-receive") return no_candidate(further);
    const Course second = course_of(further);
    Course both = envelope(first, second);
    both.write = one_after_the_other(first.write, second.write, further.after_s);
    both.read = one_after_the_other(first.read, second.read, further.after_s);
    both.alert_s = first.alert_s + second.alert_s + further.after_s;
    both.why = first.why + " Then: " + second.why;
    if (first.failover == FailoverForecast::always || second.failover == FailoverForecast::always)
      both.failover = FailoverForecast::always;
    return both;
  }

  static Stages one_after_the_other(const Stages& first, const Stages& second, double after_s) {
    if (!first.known() || !second.known()) return first + second;
    if (first.max_s() == 0 || second.max_s() == 0) return first.max_s() == 0 ? second : first;
    Stages both = first + fixed("until the further fault", 0, after_s, kDrill) + second;
    const double least = std::max(first.min_s(), second.min_s());
    BudgetPart apart{.name = "less, where they are outages of their own"};
    apart.min_s = least - both.min_s();
    both.parts.push_back(std::move(apart));
    return both;
  }

  /// Every candidate lags too much: the leader's loss lasts until receiving is let go, or the leader is back.
  [[nodiscard]] Course no_candidate(const FaultSpec& further) const {
    const double longest = std::max(hold_of(input_.fault), hold_of(further));
    Course lost = course_of(further);
    if (lost.failover == FailoverForecast::never) return lost;
    lost.write = fixed("no member may be promoted as long as it is held", 0, longest, kDrill) +
                 parts_.noticed() + parts_.crash_recovery() + back_in_place(true);
    lost.failover = FailoverForecast::either;
    lost.alert_s += longest;
    lost.why =
        "No candidate is eligible: nobody is promoted until replicas may receive again or the leader "
        "is back.";
    return lost;
  }

  const BudgetInput& input_;
  BudgetParts parts_;
};

/// A measured outage is longer than the cluster's by what our measure adds (an operation's deadline of 1 s
/// and the successes that must follow), and services start more slowly on a machine that is busy.
constexpr double kMarginFactor = 1.25;
constexpr double kMarginS = 3;

OutageLimit with_margin(double most_s, const std::string& of) {
  return {.limit_s = most_s * kMarginFactor + kMarginS,
          .reason = fmt::format("{} of {:g} s × {:g} + {:g} s", of, most_s, kMarginFactor, kMarginS)};
}

OutageLimit alarm_limit(const OutageBudget& outage) {
  std::string missing;
  for (const std::string& setting : outage.missing) missing += (missing.empty() ? "" : ", ") + setting;
  return {.limit_s = outage.alert_s,
          .reason = fmt::format("the usual limit of alarm, since it is not known: {}", missing)};
}

}  // namespace

Budget expect_budget(const BudgetInput& input) {
  return Model{input}.budget();
}

OutageLimit outage_limit(const Budget& budget, bool read_write) {
  const OutageBudget& outage = read_write ? budget.read_write : budget.read_only;
  if (!outage.max_s) return alarm_limit(outage);
  double most = *outage.max_s;
  if (read_write && budget.with_watchdog) most = std::max(most, budget.with_watchdog->max_s.value_or(0));
  return with_margin(most, "the budget's maximum");
}

OutageLimit hold_limit(const FaultSpec& fault, const std::vector<FaultSpec>& then) {
  double longest = fault.hold_s.value_or(0);
  for (const FaultSpec& further : then) longest = std::max(longest, further.hold_s.value_or(0));
  return with_margin(longest, "the time for which it is held");
}

}  // namespace pgfiredrill
