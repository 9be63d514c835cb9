/// Faults on the lab's hosts: each takes, is seen by who has to see it, is undone, and leaves a healthy
/// cluster with nothing on the hosts. Together they take long: a run does a slice, by a seed that it prints
/// (PGFIREDRILL_TEST_SEED); PGFIREDRILL_LAB_ALL=1 does all, PGFIREDRILL_LAB_ONLY=WORDS those of that name.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>

#include <gmock/gmock.h>

#include "cluster/cluster_probe.h"
#include "fault-injectors/fault.h"
#include "tests/lab/healthy_lab.h"

namespace pgfiredrill::fault {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

/// No further fault is begun after it; one takes up to a minute.
constexpr auto kSlice = 100s;

struct Case {
  const char* kind;
  const char* target;
  std::map<std::string, std::string> options;
};

/// Where the choice of the victim does not matter to the fault, not the leader: a failover takes its time.
std::vector<Case> all_cases() {
  return {
      {"kill-process", "leader", {{"service", "postmaster"}}},
      {"kill-process", "replica", {{"service", "postmaster"}, {"signal", "INT"}}},
      {"kill-process", "replica", {{"service", "postgresql"}}},
      {"kill-process", "replica", {{"service", "patroni"}}},
      {"kill-process", "leader", {{"service", "pgbouncer"}}},
      {"kill-process", "balancer", {{"service", "haproxy"}}},
      {"kill-process", "etcd_leader", {{"service", "etcd"}}},
      {"stop-service", "replica", {{"service", "patroni"}}},
      {"stop-service", "replica", {{"service", "pgbouncer"}}},
      {"stop-service", "balancers_but_one", {{"service", "haproxy"}}},
      {"stop-service", "etcd_follower", {{"service", "etcd"}}},
      {"freeze-process", "replica", {{"service", "postmaster"}}},
      {"freeze-process", "replica", {{"service", "postgresql"}}},
      {"freeze-process", "replica", {{"service", "patroni"}}},
      {"freeze-process", "balancer", {{"service", "haproxy"}}},
      {"freeze-process", "replica", {{"service", "pgbouncer"}}},
      {"freeze-process", "etcd_follower", {{"service", "etcd"}}},
      {"crash-loop", "replica", {{"service", "pgbouncer"}}},
      {"crash-loop", "balancer", {{"service", "haproxy"}}},
      {"crash-loop", "replica", {{"service", "patroni"}}},
      {"prevent-start", "replica", {}},
      {"reload-service", "balancer", {}},
      {"reboot-host", "replica", {}},
      {"power-off", "replica", {}},
      {"cut-network", "replica", {{"from", "peers"}}},
      {"cut-network", "replica", {{"from", "consensus"}}},
      {"cut-network", "replica", {{"from", "balancers"}, {"direction", "in"}}},
      {"cut-network", "replica", {{"from", "tester"}}},
      {"cut-network", "replica", {{"from", "patroni"}, {"direction", "out"}}},
      {"cut-network", "replica", {{"from", "repository1"}, {"action", "refuse"}}},
      {"cut-network", "replica", {{"from", "repository2"}}},
      {"hold-receive", "leader", {}},
      {"fill-disk", "replica", {{"reserve_mb", "256"}}},
      {"freeze-disk", "replica", {}},
  };
}

std::string words_of(const Case& each) {
  std::string words = std::string{each.kind} + " on " + each.target;
  for (const auto& [name, value] : each.options) words += ", " + name + " " + value;
  return words;
}

class HostFaultsLab : public testing::HealthyLab {
 protected:
  void SetUp() override {
    look_at_lab();
    if (IsSkipped() || HasFatalFailure()) return;
    for (const Member& member : cluster_.members) {
      const auto prepared = helper_.prepare(*hosts_.at(member.host));
      ASSERT_TRUE(prepared) << prepared.error().message();
    }
  }

  void TearDown() override {
    if (original_.empty()) return;
    put_leader_back();
    EXPECT_THAT(wait_for_health(), IsEmpty()) << "the lab must be healthy for the next test";
  }

  /// The lab calls pg2 what the inventory may call by its address and Patroni pgnode02.
  std::string lab_name_of(const std::string& host) const {
    for (const Member& member : cluster_.members) {
      if (member.host == host) return "pg" + member.name.substr(member.name.size() - 1);
    }
    return host;
  }

  /// The lab's own command, as an operator's would be called.
  Result<void> power(const std::string& host, bool on) {
    const std::filesystem::path inventory{std::getenv("PGFIREDRILL_LAB_INVENTORY")};
    const std::string lab = inventory.parent_path().filename();
    const auto result =
        processes_.run({.argv = {PGFIREDRILL_SOURCE_DIR "/lab/lab", on ? "power-on" : "power-off", "--name",
                                 lab, lab_name_of(host)},
                        .deadline = std::chrono::milliseconds{60'000}});
    if (!result) return result.error();
    if (result->exit_status == 0) return {};
    return Failure{.what = "switch " + host + (on ? " on" : " off"), .came_back = one_line(result->err)};
  }

  std::unique_ptr<Fault> make(const Case& each, int number) {
    const FaultKind* kind = find_fault_kind(each.kind);
    FaultSpec spec{.kind = each.kind, .target = each.target, .options = each.options};
    for (const FaultOption& option : kind->options)
      spec.options.try_emplace(option.name, option.values.front());
    if (kind->holds) spec.hold_s = 20;
    return kind->make(spec, {.cluster = cluster_,
                             .http = http_,
                             .hosts = finder(),
                             .probe = *probe_,
                             .clock = clock_,
                             .helper = helper_,
                             .id = "20261201T000000Z-lab." + std::to_string(number) + ".1",
                             .power = [this](const std::string& host, bool on) { return power(host, on); }});
  }

  double seconds_since(nanoseconds begun) const {
    return std::chrono::duration<double>(clock_.monotonic() - begun).count();
  }

  void expect_nothing_on_hosts() {
    for (const Member& member : cluster_.members) {
      const auto pending = helper_.pending(*hosts_.at(member.host));
      ASSERT_TRUE(pending) << pending.error().message();
      EXPECT_TRUE(pending->empty()) << member.host << ": " << pending->front().words;
    }
  }

  /// Whatever happens, it is undone.
  void drill(const Case& each, int number) {
    std::cout << words_of(each) << '\n';
    const auto fault = make(each, number);
    const auto aim = fault->aim(probe_->look());
    ASSERT_TRUE(aim) << aim.error().message();
    nanoseconds begun = clock_.monotonic();
    if (const auto armed = fault->arm(); armed) {
      const auto injected = fault->inject();
      EXPECT_TRUE(injected) << injected.error().message();
      const Evidence taken = fault->verify(30s);
      EXPECT_TRUE(taken.took) << taken.sentence;
      std::cout << "  took after " << seconds_since(begun) << " s: " << taken.sentence << '\n';
      if (find_fault_kind(each.kind)->holds) {
        const Evidence held = fault->verify_held();
        EXPECT_TRUE(held.took) << held.sentence;
      }
      const auto again = fault->inject();
      EXPECT_TRUE(std::string{each.kind} == "power-off" || !again) << "once is enough";
    } else {
      ADD_FAILURE() << armed.error().message();
    }
    begun = clock_.monotonic();
    const auto reverted = fault->revert();
    EXPECT_TRUE(reverted) << reverted.error().message();
    const Evidence over = fault->verify_reverted();
    EXPECT_TRUE(over.took) << over.sentence;
    std::cout << "  undone after " << seconds_since(begun) << " s: " << over.sentence << '\n';
    EXPECT_THAT(wait_for_health(), IsEmpty());
    std::cout << "  healthy after " << seconds_since(begun) << " s\n";
    expect_nothing_on_hosts();
  }
};

TEST_F(HostFaultsLab, TakeAndAreUndone) {
  std::vector<Case> cases = all_cases();
  const char* said = std::getenv("PGFIREDRILL_TEST_SEED");
  const auto seed = said != nullptr ? std::strtoull(said, nullptr, 10) : std::random_device{}();
  std::cout << "PGFIREDRILL_TEST_SEED=" << seed << '\n';
  std::shuffle(cases.begin(), cases.end(), std::mt19937_64{seed});
  const char* only = std::getenv("PGFIREDRILL_LAB_ONLY");
  const bool all = std::getenv("PGFIREDRILL_LAB_ALL") != nullptr || only != nullptr;
  const nanoseconds begun = clock_.monotonic();
  int number = 0;
  for (const Case& each : cases) {
    if (only != nullptr && words_of(each).find(only) == std::string::npos) continue;
    if (!all && clock_.monotonic() - begun > kSlice) break;
    SCOPED_TRACE(words_of(each));
    ASSERT_NO_FATAL_FAILURE(drill(each, ++number));
  }
  EXPECT_GT(number, 0);
}

}  // namespace
}  // namespace pgfiredrill::fault
