#include "suites/reconnect_capacity.h"

#include <gtest/gtest.h>

#include "tests/suites/fake_run.h"

namespace pgfiredrill {
namespace {

using testing::FakeRun;

TrafficPath way_in(const std::string& entrypoint, Depth depth, const std::string& member = "") {
  TrafficPath path;
  path.entrypoint = entrypoint;
  path.addresses = {{"10.0.0.1", 5000}};
  path.depth = depth;
  path.access = member.empty() ? Access::read_write : Access::read_only;
  path.pinned_member = member;
  return path;
}

TEST(ReconnectCapacity, StormsOneEntryPointOfEachLayerAtGrowingConcurrency) {
  TrafficPath list = way_in("list:5000", Depth::balancer);
  list.addresses.push_back({"10.0.0.2", 5000});
  TrafficPath replicas = way_in("pg1:5001", Depth::balancer);
  replicas.access = Access::read_only;
  const auto storms = find_storms(
      {replicas, list, way_in("pg1:5000", Depth::balancer), way_in("pg2:5000", Depth::balancer),
       way_in("pg1:6432", Depth::pooler, "pgnode01"), way_in("pg2:6432", Depth::pooler, "pgnode02"),
       way_in("pg2:5432", Depth::server, "pgnode02")},
      "pgnode02", {});
  ASSERT_EQ(storms.size(), 6u);
  EXPECT_EQ(storms[0].path.entrypoint, "pg1:5000");
  EXPECT_EQ(storms[0].concurrency, 4);
  EXPECT_EQ(storms[1].path.entrypoint, "pg1:5000");
  EXPECT_EQ(storms[1].concurrency, 16);
  EXPECT_EQ(storms[2].path.entrypoint, "pg2:6432");
  EXPECT_EQ(storms[4].path.entrypoint, "pg2:5432");
}

TEST(ReconnectCapacity, LayersWithoutAWayInAreLeftOut) {
  EXPECT_EQ(find_storms({way_in("pg1:5000", Depth::balancer)}, "pgnode01", {}).size(), 2u);
  EXPECT_TRUE(find_storms({}, "pgnode01", {}).empty());
}

TEST(ReconnectCapacity, IsMeasuredAfterTheDrillsAndBeforeTheDatabaseIsDropped) {
  FakeRun run;
  run.suite.reconnect_capacity = true;
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  const auto step = [&](const std::string& what) {
    return std::find_if(run.steps.begin(), run.steps.end(),
                        [&](const std::string& one) { return one.starts_with(what); }) -
           run.steps.begin();
  };
  const auto last_inject =
      run.steps.rend() - std::find_if(run.steps.rbegin(), run.steps.rend(),
                                      [](const auto& one) { return one.starts_with("inject"); });
  EXPECT_GE(step("storm"), last_inject);
  EXPECT_LT(step("storm"), step("drop"));
  std::size_t rates = 0;
  for (const Event& event : run.events()) rates += event.kind == event::kReconnectRate ? 1 : 0;
  EXPECT_EQ(rates, 2u) << "the balancer's, at two concurrencies";
}

TEST(ReconnectCapacity, IsNotMeasuredUnlessAskedFor) {
  FakeRun run;
  EXPECT_EQ(run.run().exit, ExitClass::passed);
  for (const std::string& step : run.steps) EXPECT_FALSE(step.starts_with("storm"));
}

}  // namespace
}  // namespace pgfiredrill
