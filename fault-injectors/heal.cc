#include "fault-injectors/heal.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fault-injectors/host_healing.h"
#include "fault-injectors/run_name.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

using std::chrono::seconds;

constexpr seconds kBetweenLockLooks{5};
constexpr seconds kHealthPatience{300};
constexpr seconds kHealthHeld{2};
constexpr std::chrono::milliseconds kSwitchoverDeadline{40'000};
/// Only where the live configuration does not say it.
constexpr std::int64_t kMaximumLagBytes = 1 << 20;

struct KnownRun {
  OpenRun run;
  bool on_hosts = false;    ///< a host has its record
  bool in_journal = false;  ///< ours has it open
};

std::string words_of(const Debt& debt) {
  if (debt.kind == "fault") return "the fault " + debt.name + " on " + debt.detail;
  if (debt.kind == "leader") return "the change of leader (it was " + debt.name + ")";
  return "the " + debt.kind + " " + debt.name;
}

/// Keeps our lock alive while somebody looks at the cluster for a long time.
class RenewingProbe final : public ClusterProbe {
 public:
  RenewingProbe(ClusterProbe& probe, HostLocks& locks, Clock& clock)
      : probe_{probe}, locks_{locks}, clock_{clock}, renewed_{clock.monotonic()} {}

  [[nodiscard]] ClusterSnapshot look() override {
    keep();
    return probe_.look();
  }

  void keep() {
    if (clock_.monotonic() - renewed_ < kLockRenewal) return;
    renewed_ = clock_.monotonic();
    const auto renewed = locks_.renew();
    if (!renewed && renewed.error().kind == FailureKind::denied) lost_ = renewed.error();
  }

  /// Somebody else has taken the lock: then nothing is ours to change any more.
  [[nodiscard]] const std::optional<Failure>& lost() const noexcept { return lost_; }

 private:
  ClusterProbe& probe_;
  HostLocks& locks_;
  Clock& clock_;
  nanoseconds renewed_;
  std::optional<Failure> lost_;
};

/// Watches the locks of others until they have expired, and tells one that is renewed.
class OwnerWatch {
 public:
  OwnerWatch(const HealSeams& seams, HostLocks& locks) : seams_{seams}, locks_{locks} {}

  /// What stands on the hosts once no living run holds a lock there.
  Result<std::vector<HostState>> wait(std::vector<Failure>& not_reached) {
    Clock& clock = seams_.tools.clock;
    const nanoseconds deadline = clock.monotonic() + kLockTime + kBetweenLockLooks;
    while (true) {
      const nanoseconds before = clock.monotonic();
      not_reached.clear();
      auto states = locks_.look(not_reached);
      const nanoseconds after = clock.monotonic();
      const HostState* holder = nullptr;
      for (const HostState& state : states) {
        if (!is_held(state)) continue;
        if (was_renewed(state, before, after)) return alive(state, "it was renewed just now");
        holder = &state;
      }
      if (holder == nullptr) return states;
      if (after >= deadline) return alive(*holder, "it does not expire");
      if (std::exchange(said_, true) == false) {
        seams_.say("Run " + holder->lock_run + " of " + holder->lock_owner + " holds the lock on " +
                   holder->host + ": waiting up to " + std::to_string(kLockTime.count()) +
                   " s to see whether it is alive.");
      }
      clock.sleep_for(kBetweenLockLooks);
    }
  }

 private:
  [[nodiscard]] bool is_held(const HostState& state) const {
    return !state.lock_run.empty() && state.lock_left.count() > 0 && !seams_.owner_is_dead(state.lock_owner);
  }

  /// The host read its clock at some time between `before` and `after`, in whole seconds.
  bool was_renewed(const HostState& state, nanoseconds before, nanoseconds after) {
    const nanoseconds latest = after + state.lock_left + seconds{1};
    const auto [known, first] = expires_.try_emplace(state.host + " " + state.lock_run, latest);
    if (first) return false;
    const bool renewed = before + state.lock_left > known->second;
    known->second = std::min(known->second, latest);
    return renewed;
  }

  static Failure alive(const HostState& state, const std::string& why) {
    return {.kind = FailureKind::denied,
            .what = "heal",
            .where = state.host,
            .came_back = "run " + state.lock_run + " of " + state.lock_owner + " holds the lock, and " + why,
            .hint = "That run undoes its own changes when it ends; stop it with Ctrl-C where it runs."};
  }

  const HealSeams& seams_;
  HostLocks& locks_;
  std::map<std::string, nanoseconds> expires_;  ///< at the latest, by host and run
  bool said_ = false;
};

/// What the journal and the hosts tell, oldest run first. Where the journal has a run it knows best: debts
/// are written and settled there first.
std::vector<KnownRun> known_runs(const std::vector<OpenRun>& journal, const std::vector<HostState>& hosts) {
  std::map<std::string, KnownRun> known;
  for (const OpenRun& run : journal) known[run.run_id] = {.run = run, .in_journal = true};
  for (const HostState& host : hosts) {
    for (const OpenRun& armed : host.armed) {
      KnownRun& run = known[armed.run_id];
      run.on_hosts = true;
      if (run.in_journal) continue;
      run.run.run_id = armed.run_id;
      run.run.owner = armed.owner;
      for (const Debt& debt : armed.debts) {
        auto& debts = run.run.debts;
        if (std::find(debts.begin(), debts.end(), debt) == debts.end()) debts.push_back(debt);
      }
    }
  }
  std::vector<KnownRun> runs;
  for (auto& [id, run] : known) runs.push_back(std::move(run));  // ids begin with their time
  return runs;
}

/// What a healthy cluster is where nobody has seen this one before: all that its description names.
ClusterSnapshot whole_cluster(const ClusterDescription& cluster) {
  ClusterSnapshot whole;
  for (const Member& member : cluster.members) {
    whole.members.push_back({.name = member.name, .role = member.role, .state = member.state});
  }
  for (const ConsensusMember& member : cluster.consensus) whole.consensus_healthy.insert(member.name);
  for (const StatisticsPage& page : cluster.statistics) {
    for (const EntryPoint& point : cluster.entry_points) {
      const bool here = !point.listener.empty() && (point.host == page.host || point.host.empty());
      if (here) whole.balancers[page.host][point.role];
    }
  }
  return whole;
}

class Healer {
 public:
  Healer(const HealSeams& seams, const std::string& run_id)
      : seams_{seams},
        locks_{seams.hosts, run_id, this_owner(), seams.host_folder},
        probe_{seams.tools.probe, locks_, seams.tools.clock},
        tools_{.cluster = seams.tools.cluster,
               .http = seams.tools.http,
               .hosts = seams.tools.hosts,
               .probe = probe_,
               .clock = seams.tools.clock,
               .helper = seams.tools.helper,
               .id = run_id,
               .power = seams.tools.power} {}

  Result<HealReport> run() {
    auto states = OwnerWatch{seams_, locks_}.wait(not_reached_);
    if (!states) return states.error();
    runs_ = known_runs(read_journal(), *states);
    say_not_reached();
    const std::set<std::string> dead_locks = locks_of(*states);
    if (runs_.empty() && dead_locks.empty()) return std::move(report_);
    for (const std::string& dead : dead_locks) (void)locks_.break_lock(dead);
    std::vector<Failure> passed_over;  // told already
    if (auto taken = locks_.take_to_heal(passed_over); !taken) return taken.error();
    write_journal();
    undo();
    tidy();
    for (const std::string& dead : dead_locks)
      report_.done.push_back("The lock of run " + dead + " is removed.");
    (void)locks_.release();  // it expires by itself
    return std::move(report_);
  }

 private:
  void left(const std::string& sentence) { report_.left.push_back(sentence); }

  std::vector<OpenRun> read_journal() {
    if (seams_.journal == nullptr) return {};
    auto runs = seams_.journal->open_runs();
    if (runs) return std::move(*runs);
    left(runs.error().message());
    return {};
  }

  void say_not_reached() {
    for (const Failure& failure : not_reached_) {
      left("What runs have left on a host is not known: " + failure.message() +
           " Run `pgfiredrill heal` again when it answers.");
    }
  }

  static std::set<std::string> locks_of(const std::vector<HostState>& states) {
    std::set<std::string> runs;
    for (const HostState& state : states) {
      if (!state.lock_run.empty()) runs.insert(state.lock_run);
    }
    return runs;
  }

  /// Another machine's runs too: what is settled from here on must not be done again if we are killed.
  void write_journal() {
    if (seams_.journal == nullptr) return;
    for (KnownRun& known : runs_) {
      if (known.in_journal) continue;
      known.in_journal = seams_.journal->begin(known.run.run_id, known.run.owner).has_value();
      for (const Debt& debt : known.run.debts) {
        known.in_journal = known.in_journal && seams_.journal->owe(known.run.run_id, debt).has_value();
      }
    }
  }

  /// From the last debt of the newest run to the first of the oldest. Faults first: while one of them is in
  /// force there is no health to wait for.
  void undo() {
    for_each_debt([](const Debt& debt) { return debt.kind == "fault"; },
                  [this](const KnownRun& known, const Debt& debt) { return undo_fault(known, debt); });
    if (!anything_owed()) return;
    const bool healthy = wait_for_health();
    for_each_debt([](const Debt& debt) { return debt.kind != "fault"; },
                  [&](const KnownRun& run, const Debt& debt) { return undo_other(run, debt, healthy); });
  }

  void for_each_debt(const std::function<bool(const Debt&)>& wanted,
                     const std::function<bool(const KnownRun&, const Debt&)>& undo) {
    for (auto known = runs_.rbegin(); known != runs_.rend(); ++known) {
      auto& debts = known->run.debts;
      for (auto i = debts.size(); i-- > 0;) {
        if (!wanted(debts[i])) continue;
        probe_.keep();
        if (probe_.lost()) return;
        if (!undo(*known, debts[i])) continue;
        if (known->in_journal) settle(known->run.run_id, debts[i]);
        debts.erase(debts.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  [[nodiscard]] bool anything_owed() const {
    return std::any_of(runs_.begin(), runs_.end(),
                       [](const KnownRun& known) { return !known.run.debts.empty(); });
  }

  void settle(const std::string& run_id, const Debt& debt) {
    const auto settled = seams_.journal->settle(run_id, debt);
    if (!settled) left(settled.error().message());
  }

  bool undo_fault(const KnownRun& known, const Debt& debt) {
    const FaultKind* kind = find_fault_kind(debt.name);
    if (kind == nullptr) {
      left("This release does not know " + words_of(debt) + ": heal with the one that injected it.");
      return false;
    }
    seams_.say("Undoing " + words_of(debt) + ".");
    if (kind->on_hosts) return undo_on_hosts(known.run.run_id, debt);
    const auto fault = kind->make({.kind = debt.name, .target = debt.detail}, tools_);
    if (const auto reverted = fault->revert(); !reverted) {
      left("Undo " + words_of(debt) + ": " + reverted.error().message());
      return false;
    }
    const Evidence evidence = fault->verify_reverted();
    if (!evidence.took) {
      left("Undo " + words_of(debt) + ": " + evidence.sentence + ".");
      return false;
    }
    report_.done.push_back("Undone: " + words_of(debt) + " (" + evidence.sentence + ").");
    return true;
  }

  /// All that the run has broken on any host: which of its faults it was does not matter to what undoes it.
  bool undo_on_hosts(const std::string& run_id, const Debt& debt) {
    const HostHealing healing = heal_hosts(seams_.hosts, run_id);
    report_.done.insert(report_.done.end(), healing.done.begin(), healing.done.end());
    for (const std::string& sentence : healing.left) left(sentence);
    if (healing.done.empty() && healing.left.empty())
      report_.done.push_back("Nothing stands on the hosts any more of " + words_of(debt) + ".");
    return healing.left.empty();
  }

  bool wait_for_health() {
    seams_.say("Waiting until the cluster is fully healthy.");
    Clock& clock = tools_.clock;
    ClusterSnapshot whole = whole_cluster(tools_.cluster);
    const std::int64_t maximum_lag =
        tools_.cluster.settings.maximum_lag_on_failover_bytes.value.value_or(kMaximumLagBytes);
    std::optional<nanoseconds> since;
    std::vector<std::string> gaps;
    const Evidence healthy = watch(tools_, kHealthPatience, [&](const ClusterSnapshot& now) {
      whole.archiver = now.archiver;
      gaps = health_gaps(now, whole, maximum_lag);
      if (probe_.lost()) return Evidence{.took = true};
      if (!gaps.empty()) since.reset();
      if (gaps.empty() && !since) since = clock.monotonic();
      latest_ = now;
      return Evidence{.took = since && clock.monotonic() - *since >= kHealthHeld};
    });
    for (const std::string& gap : gaps) left("The cluster is not fully healthy: " + gap);
    return healthy.took && gaps.empty() && !probe_.lost();
  }

  bool undo_other(const KnownRun& known, const Debt& debt, bool healthy) {
    if (debt.kind == "leader") return put_leader_back(known, debt, healthy);
    if (debt.kind == "database" || debt.kind == "role") return drop_traffic(debt);
    left("This release does not know " + words_of(debt) + ": heal with the one that made it.");
    return false;
  }

  bool put_leader_back(const KnownRun& known, const Debt& debt, bool healthy) {
    if (is_superseded(known)) return true;
    if (was_healed_elsewhere(known)) {
      report_.done.push_back("No host has a record of run " + known.run.run_id +
                             " any more: it was healed from elsewhere, and the leader stays where it is.");
      return true;
    }
    const PatroniMember* leader = latest_.leader();
    if (leader != nullptr && leader->name == debt.name) {
      report_.done.push_back(debt.name + " leads, as before run " + known.run.run_id + ".");
      return true;
    }
    const std::string by_hand = "Put the leader back to " + debt.name + ": patronictl switchover --leader " +
                                (leader == nullptr ? "LEADER" : leader->name) + " --candidate " + debt.name;
    if (!healthy || leader == nullptr) {
      left(by_hand + " (not while the cluster is not healthy).");
      return false;
    }
    return switch_back(*leader, debt.name, by_hand);
  }

  /// Every host was asked, and none has its record any more; only the journal here was not told.
  [[nodiscard]] bool was_healed_elsewhere(const KnownRun& known) const {
    return !known.on_hosts && not_reached_.empty();
  }

  /// Only the oldest run knows who led before all of them.
  [[nodiscard]] bool is_superseded(const KnownRun& known) const {
    for (const KnownRun& other : runs_) {
      if (&other == &known) return false;
      if (was_healed_elsewhere(other)) continue;
      const auto& debts = other.run.debts;
      if (std::any_of(debts.begin(), debts.end(), [](const Debt& debt) { return debt.kind == "leader"; }))
        return true;
    }
    return false;
  }

  /// Once: a switchover that fails is a person's business.
  bool switch_back(const PatroniMember& leader, const std::string& original, const std::string& by_hand) {
    seams_.say("Giving the leader's role back to " + original + ".");
    const auto answer =
        request_switchover(tools_.cluster, tools_.http, leader, original, kSwitchoverDeadline);
    if (!answer && !answer.error().transaction_in_doubt) {
      left(by_hand + " (" + answer.error().message() + ").");
      return false;
    }
    const Evidence back = watch(tools_, kRejoinPatience, [&](const ClusterSnapshot& now) {
      const PatroniMember* leads = now.leader();
      return Evidence{.took = leads != nullptr && leads->name == original};
    });
    if (!back.took) {
      left(by_hand + (answer ? "." : " (" + answer.error().message() + ")."));
      return false;
    }
    report_.done.push_back(original + " leads again.");
    return true;
  }

  bool drop_traffic(const Debt& debt) {
    if (!dropped_) {
      seams_.say("Removing the database and role of the drills.");
      dropped_ = seams_.drop_traffic();
    }
    if (!*dropped_) {
      left("Remove " + words_of(debt) + ": " + dropped_->error().message());
      return false;
    }
    report_.done.push_back("Removed: " + words_of(debt) + ".");
    return true;
  }

  void tidy() {
    if (probe_.lost()) {
      left("Somebody else works on this cluster now: " + probe_.lost()->message());
      return;
    }
    for (const KnownRun& known : runs_) {
      if (known.run.debts.empty()) close(known);
    }
  }

  /// The journal last: as long as it has the run open, its settled debts are not done again.
  void close(const KnownRun& known) {
    const std::string& run_id = known.run.run_id;
    const auto removed = locks_.remove_armed(run_id);
    if (!removed) {
      left("Everything of run " + run_id + " is undone, but its record " + seams_.host_folder + "/armed/" +
           run_id + " is still on a host: " + removed.error().message() +
           " Run `pgfiredrill heal` again when it answers.");
      return;
    }
    if (known.in_journal) {
      if (const auto ended = seams_.journal->end(run_id); !ended) return left(ended.error().message());
    }
    report_.done.push_back("Run " + run_id + " is healed; its records are removed.");
  }

  const HealSeams& seams_;
  HostLocks locks_;
  RenewingProbe probe_;
  Tools tools_;
  HealReport report_;
  std::vector<Failure> not_reached_;
  std::vector<KnownRun> runs_;
  ClusterSnapshot latest_;
  std::optional<Result<void>> dropped_;
};

}  // namespace

Result<HealReport> heal(const HealSeams& seams, const std::string& run_id) {
  if (auto checked = check_run_id(run_id); !checked) return checked.error();
  return Healer{seams, run_id}.run();
}

}  // namespace pgfiredrill::fault
