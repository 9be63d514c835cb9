#include "tests/lab/healthy_lab.h"

#include <gmock/gmock.h>

namespace pgfiredrill::testing {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

namespace {

constexpr std::int64_t kMaximumLag = 1 << 20;

}  // namespace

void HealthyLab::look_at_lab() {
  discover_lab();
  if (IsSkipped() || HasFatalFailure()) return;
  probe_ = make_cluster_probe(cluster_, http_, finder(), clock_);
  baseline_ = probe_->look();
  ASSERT_THAT(health_gaps(baseline_, baseline_, kMaximumLag), IsEmpty());
  ASSERT_NE(baseline_.leader(), nullptr);
  original_ = baseline_.leader()->name;
}

HostFinder HealthyLab::finder() {
  return [this](const std::string& name) -> Host& { return *hosts_.at(name); };
}

std::vector<std::string> HealthyLab::wait_for_health() {
  const auto deadline = clock_.monotonic() + 150s;
  while (true) {
    auto gaps = health_gaps(probe_->look(), baseline_, kMaximumLag);
    if (gaps.empty() || clock_.monotonic() > deadline) return gaps;
    clock_.sleep_for(1s);
  }
}

void HealthyLab::put_leader_back() {
  EXPECT_THAT(wait_for_health(), IsEmpty());
  const ClusterSnapshot now = probe_->look();
  ASSERT_NE(now.leader(), nullptr);
  if (now.leader()->name == original_) return;
  const auto answer = request_switchover(cluster_, http_, *now.leader(), original_, 60s);
  EXPECT_TRUE(answer) << answer.error().message();
}

}  // namespace pgfiredrill::testing
