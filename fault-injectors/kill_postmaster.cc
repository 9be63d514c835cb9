#include "fault-injectors/kill_postmaster.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cluster/postgres_control.h"
#include "cluster/superuser_session.h"
#include "fault-injectors/host_scripts.h"
#include "fault-injectors/postmaster_scripts.h"
#include "fault-injectors/watching.h"

namespace pgfiredrill::fault {
namespace {

constexpr const char* kName = "kill-postmaster";
constexpr std::chrono::milliseconds kStatementTimeout{2'000};

/// The process that is aimed at; no other is ever killed.
struct Postmaster {
  std::string data_directory;
  std::string pid;
  std::string start;      ///< in clock ticks since the host's boot
  std::string sql_start;  ///< by PostgreSQL itself; empty where it did not say
};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

Failure missing(const std::string& where, const std::string& came_back, const std::string& hint) {
  return {.kind = FailureKind::missing,
          .what = "find the leader's postmaster",
          .where = where,
          .came_back = came_back,
          .hint = hint};
}

Failure explained(const std::string& what, const Host& host, const RemoteResult& result) {
  Failure failure{.kind = FailureKind::failed, .what = what, .where = host.name()};
  switch (result.exit_status) {
    case kStillThere:
      failure.kind = FailureKind::timed_out;
      failure.came_back = "the process was sent SIGKILL and is still there";
      failure.hint = "It may wait for a disk that does not answer.";
      failure.transaction_in_doubt = true;
      break;
    case kAlreadyGone:
      failure.kind = FailureKind::missing;
      failure.came_back = "the postmaster that was aimed at is gone already; nothing was killed";
      failure.hint = "PostgreSQL was restarted in between.";
      break;
    case kNotPostgres:
      failure.came_back = "another process: " + one_line(result.err) + "; nothing was killed";
      break;
    case kNotPermitted:
      failure.kind = FailureKind::denied;
      failure.came_back = one_line(result.err);
      failure.hint = "This needs root on the host.";
      break;
    case kNoPidFile:
      failure.kind = FailureKind::missing;
      failure.came_back = "no postmaster.pid names a process: " + one_line(result.err);
      failure.hint = "Is PostgreSQL running, and is this its data directory?";
      break;
    default:
      failure.came_back =
          "exit status " + std::to_string(result.exit_status) + " (" + one_line(result.err) + ")";
      failure.transaction_in_doubt = true;
  }
  return failure;
}

class KillPostmaster final : public Fault {
 public:
  KillPostmaster(const FaultSpec& spec, const Tools& tools) : tools_{tools} {
    if (spec.target != "leader") target_ = spec.target;
  }

  [[nodiscard]] Result<void> aim(const ClusterSnapshot& now) override {
    const auto leader = aim_at_leader(now, kName);
    if (!leader) return leader.error();
    const Member* member = find_member((*leader)->name);
    if (member == nullptr || member->host.empty()) {
      return missing((*leader)->name, "no host of the inventory is this member's",
                     "The inventory must name every member's host.");
    }
    Host& host = tools_.hosts(member->host);
    const auto directory = data_directory(*member, host);
    if (!directory) return directory.error();
    auto found = find_postmaster(host, *directory);
    if (!found) return found.error();
    const auto server = now.servers.find(member->name);
    if (server != now.servers.end() && server->second.answered)
      found->sql_start = server->second.postmaster_start;
    postmaster_ = std::move(*found);
    host_ = &host;
    target_ = member->name;
    return {};
  }

  [[nodiscard]] const std::string& target() const noexcept override { return target_; }

  [[nodiscard]] std::vector<std::string> describe() const override {
    return {"on " + (host_ == nullptr ? target_ : host_->name()) + ": " + typed(kill_command())};
  }

  [[nodiscard]] Result<void> inject() override {
    if (host_ == nullptr) return missing(target_, "it was not aimed at", "");
    const auto result = host_->run(kill_command());
    if (!result) {
      Failure failure = result.error();
      failure.transaction_in_doubt = true;
      return failure;
    }
    if (result->exit_status != 0) return explained("kill the postmaster", *host_, *result);
    return {};
  }

  [[nodiscard]] Evidence verify(nanoseconds deadline) override {
    return watch(tools_, deadline, [this](const ClusterSnapshot& now) { return judge(now); });
  }

  [[nodiscard]] Result<void> revert() override { return {}; }

  [[nodiscard]] Evidence verify_reverted() override {
    Evidence evidence =
        watch(tools_, kRejoinPatience, [this](const ClusterSnapshot& now) { return is_back(now, target_); });
    if (!evidence.took) {
      evidence.sentence +=
          "; Patroni has not brought PostgreSQL back: look at its log there, then "
          "`patronictl restart` or `patronictl reinit`";
    }
    return evidence;
  }

 private:
  [[nodiscard]] const Member* find_member(const std::string& name) const {
    const auto& members = tools_.cluster.members;
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const Member& member) { return member.name == name; });
    return found == members.end() ? nullptr : &*found;
  }

  /// By the deployed patroni.yml, else by PostgreSQL itself.
  [[nodiscard]] Result<std::string> data_directory(const Member& member, Host& host) const {
    if (!member.data_directory.empty()) return member.data_directory;
    const auto route = open_superuser_route(tools_.cluster, member, host);
    if (!route) return route.error();
    auto session = PostgresControl::connect(route->parameters, member.name, kStatementTimeout);
    if (!session) return session.error();
    const auto rows = session->query("SHOW data_directory");
    if (!rows) return rows.error();
    if (rows->size() == 1 && rows->front().size() == 1 && rows->front()[0]) return *rows->front()[0];
    return missing(member.name, "PostgreSQL does not tell its data directory", "Log in as a superuser.");
  }

  [[nodiscard]] static Result<Postmaster> find_postmaster(Host& host, const std::string& directory) {
    const auto result = host.run(host_script(find_postmaster_script(), {directory}));
    if (!result) return result.error();
    if (result->exit_status != 0) {
      Failure failure = explained("find the leader's postmaster", host, *result);
      failure.transaction_in_doubt = false;
      return failure;
    }
    const auto said = words(result->out);
    if (said.size() < 4 || said[0] != "pid" || !is_number(said[1]) || said[2] != "start" ||
        !is_number(said[3])) {
      return missing(host.name(), "an answer of another shape: " + one_line(result->out, 80), "");
    }
    return Postmaster{.data_directory = directory, .pid = said[1], .start = said[3]};
  }

  [[nodiscard]] RemoteCommand kill_command() const {
    return host_script(kill_postmaster_script(),
                       {postmaster_.data_directory, postmaster_.pid, postmaster_.start});
  }

  /// Both must say so: the host, that the process is gone, and the cluster, that its server is another.
  Evidence judge(const ClusterSnapshot& now) const {
    if (host_ == nullptr) return {.sentence = "it was not aimed at"};
    const auto gone = host_->run(host_script(postmaster_gone_script(), {postmaster_.pid, postmaster_.start}));
    const std::string process = "process " + postmaster_.pid + " (started at tick " + postmaster_.start + ")";
    if (!gone) return {.sentence = "whether " + process + " is gone is not known: " + gone.error().message()};
    if (gone->exit_status != 0) return {.sentence = process + " is still there on " + host_->name()};
    const auto server = now.servers.find(target_);
    if (server == now.servers.end()) return {.sentence = process + " is gone, but no server was asked"};
    const std::string words = process + " is gone on " + host_->name();
    if (!server->second.answered)
      return {.took = true, .sentence = words + ", and no PostgreSQL answers there"};
    if (postmaster_.sql_start.empty() || server->second.postmaster_start == postmaster_.sql_start) {
      return {.sentence = words + ", but the same PostgreSQL answers"};
    }
    return {.took = true, .sentence = words + ", and a new postmaster answers there"};
  }

  Tools tools_;
  std::string target_;
  Host* host_ = nullptr;
  Postmaster postmaster_;
};

}  // namespace

FaultKind kill_postmaster() {
  return {.name = kName,
          .proves = "a crash of PostgreSQL on the leader: Patroni starts it again or fails over in time",
          .undone_by = "Patroni starts PostgreSQL again; the run switches back at its end",
          .targets = {"leader"},
          .on_hosts = false,
          .danger = [](const FaultSpec&) { return Danger::may_failover; },
          .make = [](const FaultSpec& spec,
                     Tools tools) { return std::make_unique<KillPostmaster>(spec, tools); }};
}

}  // namespace pgfiredrill::fault
