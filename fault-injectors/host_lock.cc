#include "fault-injectors/host_lock.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "cluster/discovery/task_group.h"
#include "fault-injectors/host_scripts.h"
#include "fault-injectors/host_state.h"
#include "fault-injectors/run_name.h"

namespace pgfiredrill::fault {

struct HostLocks::Reply {
  Host* host = nullptr;
  Result<RemoteResult> result = Failure{};

  [[nodiscard]] bool is(int exit_status) const { return result && result->exit_status == exit_status; }
  [[nodiscard]] bool answered() const { return result.has_value(); }
};

namespace {

constexpr const char* kTakeWhat = "take the cluster's lock";

/// `held RUN SECONDS OWNER` in the words of a message.
std::string told_holder(const std::string& out) {
  const auto said = words(std::string_view{out}.substr(0, out.find('\n')));
  if (said.size() < 4 || said[0] != "held") return "somebody else holds it";
  const auto owner = out.find(said[3]);
  return "run " + one_line(said[1], 130) + " of " + one_line(out.substr(owner), 200) +
         " holds it for another " + one_line(said[2], 12) + " s";
}

Failure explained(const std::string& what, const std::string& host, const RemoteResult& result) {
  Failure failure{.kind = FailureKind::failed, .what = what, .where = host};
  switch (result.exit_status) {
    case kHeld:
      failure.kind = FailureKind::denied;
      failure.came_back = told_holder(result.out);
      failure.hint = "Wait until that run has ended; a run that was killed loses its lock by itself.";
      break;
    case kArmed:
      failure.kind = FailureKind::denied;
      failure.came_back = "what the " + one_line(result.out, 160) + " has changed is not yet undone";
      failure.hint = "Run `pgfiredrill heal` first.";
      break;
    case kLost:
      failure.kind = FailureKind::denied;
      failure.came_back = "the lock is not ours any more";
      failure.hint = "It had expired, or somebody has healed this run.";
      break;
    case kUnsafe:
      failure.kind = FailureKind::denied;
      failure.came_back = one_line(result.err);
      failure.hint = std::string{kHostFolder} + " must be a folder that root owns and only root may write.";
      break;
    case kBusy:
      failure.kind = FailureKind::timed_out;
      failure.came_back = "another command of pgfiredrill's does not end there";
      break;
    case kUnreadable:
      failure.kind = FailureKind::malformed;
      failure.came_back = "the lock's file is none that pgfiredrill writes";
      failure.hint = "Look at " + std::string{kHostFolder} + "/lock there, and remove it if no run is alive.";
      break;
    default:
      failure.came_back = "exit status " + std::to_string(result.exit_status) +
                          (result.err.empty() ? "" : " (" + one_line(result.err) + ")");
      failure.hint = "The scripts need sh, flock, find, awk and sync, and a disk that is not full.";
  }
  return failure;
}

/// The gravest of several: that somebody says no counts more than that somebody is silent.
Failure gathered(const std::string& what, const std::vector<Failure>& failures) {
  const auto denied = std::find_if(failures.begin(), failures.end(),
                                   [](const Failure& one) { return one.kind == FailureKind::denied; });
  Failure gathered = denied == failures.end() ? failures.front() : *denied;
  if (failures.size() == 1) return gathered;
  gathered.what = what;
  gathered.where.clear();
  gathered.came_back.clear();
  for (const Failure& failure : failures) {
    gathered.came_back += (gathered.came_back.empty() ? "" : "; ") + failure.where + ": " + failure.came_back;
  }
  return gathered;
}

}  // namespace

/// What every host that did not do it said.
std::vector<Failure> HostLocks::failures_of(const Replies& replies, const std::string& what) {
  std::vector<Failure> failures;
  for (const Reply& reply : replies) {
    if (!reply.answered()) failures.push_back(reply.result.error());
    if (reply.answered() && !reply.is(0))
      failures.push_back(explained(what, reply.host->name(), *reply.result));
  }
  return failures;
}

Result<void> HostLocks::on_all(const RemoteCommand& command, const std::string& what) const {
  const auto failures = failures_of(on_every_host(command), what);
  if (failures.empty()) return {};
  return gathered(what, failures);
}

HostLocks::HostLocks(std::vector<Host*> hosts, std::string run_id, std::string owner, std::string folder)
    : hosts_{std::move(hosts)},
      run_id_{std::move(run_id)},
      owner_{one_line(owner, 300)},
      folder_{std::move(folder)} {}

RemoteCommand HostLocks::take_command(bool heal) const {
  return host_script(take_lock_script(),
                     {folder_, run_id_, owner_, std::to_string(kLockTime.count()), heal ? "yes" : "no"});
}

RemoteCommand HostLocks::renew_command() const {
  return host_script(renew_lock_script(), {folder_, run_id_, owner_, std::to_string(kLockTime.count())});
}

RemoteCommand HostLocks::release_command() const {
  return host_script(release_lock_script(), {folder_, run_id_, owner_});
}

RemoteCommand HostLocks::armed_command(const std::vector<Debt>& debts) const {
  const std::string text = armed_text({.run_id = run_id_, .owner = owner_, .debts = debts});
  return host_script(write_armed_script(), {folder_, run_id_, owner_, text});
}

RemoteCommand HostLocks::stamp_command() const {
  return host_script(stamp_script(), {folder_, run_id_, owner_});
}

std::vector<std::string> HostLocks::lock_commands() const {
  std::string names;
  for (const Host* host : hosts_) names += (names.empty() ? "" : ", ") + host->name();
  std::vector<std::string> commands;
  for (const RemoteCommand& command :
       {take_command(false), renew_command(), armed_command({}), stamp_command(),
        host_script(remove_armed_script(), {folder_, run_id_}), release_command()}) {
    commands.push_back("on " + names + ": " + typed(command));
  }
  return commands;
}

HostLocks::Replies HostLocks::on_every_host(const RemoteCommand& command) const {
  Replies replies(hosts_.size());
  TaskGroup tasks;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    replies[i].host = hosts_[i];
    tasks.start([&reply = replies[i], &command] { reply.result = reply.host->run(command); });
  }
  tasks.wait();
  return replies;
}

Result<void> HostLocks::take() {
  if (auto checked = check_run_id(run_id_); !checked) return checked.error();
  return take_each(take_command(false), nullptr);
}

Result<void> HostLocks::take_to_heal(std::vector<Failure>& passed_over) {
  if (auto checked = check_run_id(run_id_); !checked) return checked.error();
  return take_each(take_command(true), &passed_over);
}

Result<void> HostLocks::take_each(const RemoteCommand& command, std::vector<Failure>* passed_over) {
  std::vector<Failure> failures;
  bool taken = false;
  for (const Reply& reply : on_every_host(command)) {
    taken = taken || reply.is(0);
    if (reply.is(0)) continue;
    if (reply.answered()) {
      failures.push_back(explained(kTakeWhat, reply.host->name(), *reply.result));
    } else if (passed_over != nullptr) {
      passed_over->push_back(reply.result.error());
    } else {
      failures.push_back(reply.result.error());
    }
  }
  if (failures.empty() && (taken || hosts_.empty())) return {};
  if (failures.empty()) return gathered(kTakeWhat, *passed_over);
  // Also where nobody answered: it may have been taken there all the same. What cannot be given back
  // expires.
  (void)on_every_host(release_command());
  return gathered(kTakeWhat, failures);
}

Result<void> HostLocks::renew() {
  return on_all(renew_command(), "renew the cluster's lock");
}

Result<void> HostLocks::release() {
  return on_all(release_command(), "give back the cluster's lock");
}

Result<void> HostLocks::write_armed(const std::vector<Debt>& debts) {
  const std::string what = "write the run's record";
  if (auto checked = check_run_id(run_id_); !checked) return checked.error();
  const Replies replies = on_every_host(armed_command(debts));
  const auto any = [&](int exit_status) {
    return std::any_of(replies.begin(), replies.end(),
                       [&](const Reply& reply) { return reply.is(exit_status); });
  };
  const auto failures = failures_of(replies, what);
  if (failures.empty() || (any(0) && !any(kLost))) return {};
  return gathered(what, failures);
}

Result<void> HostLocks::stamp() {
  return on_all(stamp_command(), "leave on the hosts that a fault is injected");
}

Result<void> HostLocks::remove_armed(const std::string& run_id) {
  if (auto checked = check_run_id(run_id); !checked) return checked.error();
  return on_all(host_script(remove_armed_script(), {folder_, run_id}), "remove the record of run " + run_id);
}

Result<void> HostLocks::break_lock(const std::string& run_id) {
  if (auto checked = check_run_id(run_id); !checked) return checked.error();
  return on_all(host_script(release_lock_script(), {folder_, run_id, ""}),
                "remove the lock of run " + run_id);
}

std::vector<HostState> HostLocks::look(std::vector<Failure>& not_reached) {
  std::vector<HostState> states;
  for (const Reply& reply : on_every_host(host_script(look_script(), {folder_}))) {
    if (!reply.answered()) {
      not_reached.push_back(reply.result.error());
      continue;
    }
    if (!reply.is(0)) {
      not_reached.push_back(explained("look for runs", reply.host->name(), *reply.result));
      continue;
    }
    auto state = parse_host_state(reply.result->out, reply.host->name());
    if (state) {
      states.push_back(std::move(*state));
    } else {
      not_reached.push_back(state.error());
    }
  }
  return states;
}

std::vector<std::string> hosts_to_lock(const ClusterDescription& cluster) {
  std::vector<std::string> names;
  for (const HostDescription& host : cluster.hosts) {
    if (host.roles.contains(HostRole::postgres) || host.roles.contains(HostRole::balancer) ||
        host.roles.contains(HostRole::consensus)) {
      names.push_back(host.name);
    }
  }
  return names;
}

}  // namespace pgfiredrill::fault
