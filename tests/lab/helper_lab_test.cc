/// The helper on real hosts: every verb is armed, takes, is seen, is undone and seen to be undone; its timers
/// undo by themselves, over a reboot too; and what is not ours stays as it was. On a replica's host, whose
/// cluster stays up.

#include <chrono>
#include <functional>
#include <iostream>

#include <gmock/gmock.h>

#include "base/text.h"
#include "cluster/cluster_probe.h"
#include "fault-injectors/aiming.h"
#include "fault-injectors/helper.h"
#include "fault-injectors/watching.h"
#include "tests/lab/healthy_lab.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kId = "20261201T000000Z-helper-lab.1.1";

/// What of the host is not ours: rules, unit files and their links, masks, mounts, owners that a verb
/// changes.
constexpr const char* kFingerprint = R"sh(
nft -s list ruleset
find /etc/systemd /run/systemd/system /run/systemd/system.control /run/systemd/transient \
  ! -name '*.scope' ! -name 'session*' ! -name 'user-*' ! -type d -printf '%p %l %U %m\n' 2>/dev/null | sort
findmnt -rn -t ext4,xfs -o TARGET,OPTIONS
find /var/lib/postgresql -maxdepth 2 -printf '%p %U %m\n' | sort
stat -c '%n %U:%G %a' "$1/global/pg_control"
find /var/lib/pgfiredrill ! -path /var/lib/pgfiredrill/breakages \( -path '*/breakages/*' -o -name 'helper-*' \) 2>/dev/null | sort
patronictl -c /etc/patroni/patroni.yml show-config
)sh";

class HelperLab : public testing::HealthyLab {
 protected:
  void SetUp() override {
    look_at_lab();
    if (IsSkipped() || HasFatalFailure()) return;
    for (const Member& member : cluster_.members) {
      if (member.name == baseline_.leader()->name) continue;
      host_ = hosts_.at(member.host).get();
      data_ = member.data_directory;
    }
    ASSERT_NE(host_, nullptr);
    const auto prepared = helper_.prepare(*host_);
    ASSERT_TRUE(prepared) << prepared.error().message();
    shell(
        "nft add table inet foreign && nft add chain inet foreign in && nft add rule inet foreign in "
        "tcp dport 1 drop; true");
    before_ = shell(kFingerprint);
  }

  void TearDown() override {
    if (host_ == nullptr) return;
    (void)helper_.run(*host_, {"revert", kId});
    (void)helper_.run(*host_, {"forget", kId});
    EXPECT_THAT(wait_for_health(), IsEmpty()) << "the lab must be healthy for the next test";
    shell("nft delete table inet foreign; true");
  }

  std::string shell(const std::string& script) {
    const auto result = host_->run(
        {.argv = {"sh", "-c", script, "test", data_}, .deadline = std::chrono::milliseconds{30'000}});
    return result ? result->out : result.error().message();
  }

  RemoteResult run(std::vector<std::string> said) {
    const auto result = helper_.run(*host_, std::move(said));
    return result ? *result : RemoteResult{.exit_status = -1, .err = result.error().message()};
  }

  void must(const std::vector<std::string>& said) {
    const RemoteResult result = run(said);
    ASSERT_EQ(result.exit_status, 0) << join(said, " ") << ": " << result.err;
  }

  HelperState state() {
    const auto state = helper_.check(*host_, kId);
    return state ? *state : HelperState{.state = "unknown", .sentence = state.error().message()};
  }

  void arm(int seconds, std::vector<std::string> what) {
    what.insert(what.begin(), {"arm", kId, std::to_string(seconds)});
    ASSERT_NO_FATAL_FAILURE(must(what));
    EXPECT_EQ(state().state, "armed");
    EXPECT_FALSE(state().in_force);
  }

  void expect(const std::string& expected, bool in_force) {
    const HelperState now = state();
    std::cout << "  " << now.state << ": " << now.sentence << '\n';
    EXPECT_EQ(now.state, expected) << now.sentence;
    EXPECT_EQ(now.in_force, in_force) << now.sentence;
  }

  /// A breakage's whole life; `held` runs while it is in force.
  void live(
      const std::vector<std::string>& what, const std::function<void()>& held = [] {}) {
    std::cout << join(what, " ") << '\n';
    ASSERT_NO_FATAL_FAILURE(arm(120, what));
    ASSERT_NO_FATAL_FAILURE(must({"inject", kId, "10"}));
    expect("injected", true);
    held();
    ASSERT_NO_FATAL_FAILURE(must({"revert", kId}));
    expect("reverted", false);
    ASSERT_NO_FATAL_FAILURE(must({"revert", kId}));
    ASSERT_NO_FATAL_FAILURE(must({"forget", kId}));
    EXPECT_EQ(state().state, "absent");
  }

  void expect_nothing_else_changed() {
    EXPECT_EQ(shell(kFingerprint), before_);
    EXPECT_EQ(pgfiredrill_units(), "");
  }

  std::string pgfiredrill_units() { return shell("systemctl list-units --all --no-legend 'pgfiredrill*'"); }

  bool wait(std::chrono::seconds patience, const std::function<bool()>& come) {
    const auto deadline = clock_.monotonic() + patience;
    while (!come()) {
      if (clock_.monotonic() > deadline) return false;
      clock_.sleep_for(500ms);
    }
    return true;
  }

  void reboot() {
    const std::string boot = shell("cat /proc/sys/kernel/random/boot_id");
    shell("systemd-run --quiet --on-active=1 --timer-property=AccuracySec=100ms systemctl reboot");
    ASSERT_TRUE(wait(60s, [&] {
      const auto now = host_->run({.argv = {"cat", "/proc/sys/kernel/random/boot_id"}});
      return now && now->exit_status == 0 && now->out != boot;
    }));
  }

  Host* host_ = nullptr;
  std::string data_;
  std::string before_;
};

TEST_F(HelperLab, CutsWhatIsNamedAndNothingElse) {
  const auto connects = [this](const std::string& port) {
    const std::string out =
        shell("timeout 2 bash -c '</dev/tcp/127.0.0.1/" + port + "' 2>/dev/null; echo $?");
    return std::string{trim(out)};
  };
  ASSERT_EQ(connects("22"), "0");
  live(
      {"cut", "drop", "both", "remote/tcp/127.0.0.1/22222", "vrrp/203.0.113.9", "local/tcp/2001:db8::1/5432"},
      [&] { EXPECT_THAT(shell("nft list ruleset"), HasSubstr("table inet foreign")); });
  live({"cut", "refuse", "in", "local/tcp/127.0.0.1/2379"}, [&] {
    EXPECT_EQ(connects("2379"), "1") << "refused at once";
    EXPECT_EQ(connects("22"), "0");
    EXPECT_TRUE(host_->log_in_anew());
  });
  live({"cut", "drop", "out", "remote/tcp/127.0.0.1/2379"},
       [&] { EXPECT_EQ(connects("2379"), "124") << "no answer"; });
  EXPECT_NE(connects("2379"), "124");
  expect_nothing_else_changed();
}

TEST_F(HelperLab, SeesThatSomebodyFlushedItsRules) {
  ASSERT_NO_FATAL_FAILURE(arm(60, {"cut", "drop", "both", "vrrp/203.0.113.9"}));
  ASSERT_NO_FATAL_FAILURE(must({"inject", kId, "10"}));
  shell("nft flush table inet $(nft list tables inet | awk '/pgfiredrill/ { print $3 }')");
  expect("injected", false);
  ASSERT_NO_FATAL_FAILURE(must({"revert", kId}));
  expect("reverted", false);
  ASSERT_NO_FATAL_FAILURE(must({"forget", kId}));
  expect_nothing_else_changed();
}

TEST_F(HelperLab, FreezesServicesAndLetsThemGoOn) {
  live({"freeze", "pgbouncer"});
  live({"freeze", "haproxy"});
  live({"freeze", "patroni"});
  live({"freeze", "etcd"});
  live({"freeze", "postmaster", data_});
  live({"freeze", "postgresql", data_});
  expect_nothing_else_changed();
}

TEST_F(HelperLab, KillsStopsAndCrashesServices) {
  live({"kill", "pgbouncer", "KILL"});
  live({"kill", "haproxy", "KILL"});
  live({"kill", "etcd", "KILL"});
  live({"stop", "haproxy"},
       [this] { EXPECT_THAT(shell("systemctl start haproxy 2>&1"), HasSubstr("masked")); });
  live({"crash-loop", "pgbouncer"});
  live({"reload", "haproxy"});
  const RemoteResult endless = run({"arm", kId, "60", "crash-loop", "etcd"});
  EXPECT_EQ(endless.exit_status, kUnsuitable) << "systemd restarts it for ever";
  expect_nothing_else_changed();
}

// Patroni's control group holds PostgreSQL, which must live on.
TEST_F(HelperLab, KillsPatroniAndNotPostgres) {
  const std::string pid = shell("head -n 1 \"$1/postmaster.pid\"");
  live({"kill", "patroni", "KILL"});
  EXPECT_EQ(shell("head -n 1 \"$1/postmaster.pid\""), pid);
  live({"stop", "patroni"});
  expect_nothing_else_changed();
}

TEST_F(HelperLab, KillsPostgresAndKeepsItDown) {
  live({"kill", "postmaster", "KILL", data_});
  ASSERT_THAT(wait_for_health(), IsEmpty());
  live({"kill", "postgresql", "KILL", data_});
  ASSERT_THAT(wait_for_health(), IsEmpty());
  live({"prevent-start", data_}, [this] {
    clock_.sleep_for(1s);
    EXPECT_NE(run({"arm", "other.1", "60", "kill", "postmaster", "KILL", data_}).exit_status, 0);
  });
  expect_nothing_else_changed();
}

TEST_F(HelperLab, FillsAndFreezesTheDataDisk) {
  live({"fill", data_, "600"}, [this] {
    const std::string filled = "/var/lib/postgresql/.pgfiredrill-fill-" + std::string{kId};
    EXPECT_EQ(trim(shell("stat -c %U " + filled)), "postgres");
  });
  live({"freeze-disk", data_});
  expect_nothing_else_changed();
}

TEST_F(HelperLab, PausesPatroniAndLetsItGoOn) {
  live({"patroni-pause"},
       [this] { EXPECT_THAT(shell("patronictl list"), HasSubstr("Maintenance mode: on")); });
  expect_nothing_else_changed();
}

TEST_F(HelperLab, LeavesASettingThatSomebodyElseHasMadeMeanwhile) {
  ASSERT_NO_FATAL_FAILURE(arm(60, {"patroni-config", "maximum_lag_on_syncnode", "12345"}));
  ASSERT_NO_FATAL_FAILURE(must({"inject", kId, "10"}));
  const std::string set = "patronictl -c /etc/patroni/patroni.yml edit-config --force --quiet --set ";
  shell(set + "maximum_lag_on_syncnode=777");
  ASSERT_NO_FATAL_FAILURE(must({"revert", kId}));
  EXPECT_THAT(state().sentence, HasSubstr("somebody else"));
  EXPECT_THAT(shell("patronictl show-config"), HasSubstr("maximum_lag_on_syncnode: 777"));
  shell(set + "maximum_lag_on_syncnode=null");
  ASSERT_NO_FATAL_FAILURE(must({"forget", kId}));
  expect_nothing_else_changed();
}

TEST_F(HelperLab, UndoesItByTheTimerWhereNobodyAsks) {
  ASSERT_NO_FATAL_FAILURE(arm(13, {"freeze", "pgbouncer"}));
  EXPECT_EQ(run({"inject", kId, "20"}).exit_status, kNotArmed) << "too little time is left";
  EXPECT_EQ(state().state, "armed");
  ASSERT_NO_FATAL_FAILURE(must({"inject", kId, "1"}));
  expect("injected", true);
  EXPECT_TRUE(wait(16s, [this] { return state().state == "expired"; }));
  expect("expired", false);
  ASSERT_NO_FATAL_FAILURE(must({"forget", kId}));
  EXPECT_TRUE(trim(run({"pending"}).out).empty());
  expect_nothing_else_changed();
}

TEST_F(HelperLab, DoesNothingWhereItsTimerWasStopped) {
  ASSERT_NO_FATAL_FAILURE(arm(60, {"freeze", "pgbouncer"}));
  shell("systemctl stop 'pgfiredrill-revert-*.timer'");
  EXPECT_EQ(run({"inject", kId, "1"}).exit_status, kNotArmed);
  EXPECT_EQ(state().state, "armed");
  EXPECT_EQ(trim(shell("ps -o stat= -C pgbouncer")).front(), 'S');
}

// A stop ends with the reboot, a filled disk does not: the one is seen, the other undone by itself.
TEST_F(HelperLab, StandsAReboot) {
  const std::string volatile_id = std::string{kId} + "v";
  ASSERT_NO_FATAL_FAILURE(must({"arm", volatile_id, "300", "stop", "haproxy"}));
  ASSERT_NO_FATAL_FAILURE(must({"inject", volatile_id, "10"}));
  ASSERT_NO_FATAL_FAILURE(arm(300, {"fill", data_, "700"}));
  ASSERT_NO_FATAL_FAILURE(must({"inject", kId, "10"}));
  EXPECT_EQ(lines(trim(run({"pending"}).out)).size(), 2u);
  ASSERT_NO_FATAL_FAILURE(reboot());
  EXPECT_EQ(run({"inject", volatile_id, "1"}).exit_status, kNotArmed);
  EXPECT_TRUE(wait(45s, [this] { return state().state == "expired"; })) << state().sentence;
  expect("expired", false);
  const auto gone = helper_.check(*host_, volatile_id);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->state, "injected");
  EXPECT_FALSE(gone->in_force);
  ASSERT_NO_FATAL_FAILURE(must({"revert", volatile_id}));
  ASSERT_NO_FATAL_FAILURE(must({"forget", volatile_id}));
  ASSERT_NO_FATAL_FAILURE(must({"forget", kId}));
  EXPECT_THAT(wait_for_health(), IsEmpty());
  EXPECT_TRUE(wait(5s, [this] { return pgfiredrill_units().empty(); })) << pgfiredrill_units();
}

TEST_F(HelperLab, RebootsTheHost) {
  ASSERT_NO_FATAL_FAILURE(arm(120, {"reboot"}));
  ASSERT_NO_FATAL_FAILURE(must({"inject", kId, "0"}));
  ASSERT_TRUE(wait(60s, [this] { return state().in_force; }));
  expect("injected", true);
  ASSERT_NO_FATAL_FAILURE(must({"revert", kId}));
  expect("reverted", false);
}

}  // namespace
}  // namespace pgfiredrill::fault
