#include "measure/live.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "history.h"
#include "measure/due_order.h"

namespace pgfiredrill {
namespace {

using testing::at_s;
using testing::canary;
using testing::history;
using testing::times;

RunManifest manifest() {
  RunManifest manifest;
  manifest.paths = {canary(10), canary(10), canary(10)};
  manifest.paths[1].purpose = Purpose::ledger;
  manifest.paths[2].id = "second";
  return manifest;
}

void feed(LiveView& view, const std::vector<Operation>& operations) {
  for (const Operation& op : operations) view.on(op);
}

TEST(LiveView, StartsWithCanaryPathsOnly) {
  LiveView view{manifest()};
  const auto paths = view.look(at_s(1));
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0].id, canary().id);
  EXPECT_EQ(paths[1].id, "second");
  EXPECT_EQ(paths[0].health, PathHealth::starting);
  EXPECT_EQ(paths[0].last_error, "");
}

TEST(LiveView, ShowsAnOutageWhileItLasts) {
  LiveView view{manifest()};
  feed(view, history(times(10) + times(20, 'x'), 0.1));
  const LivePath down = view.look(at_s(3))[0];
  EXPECT_EQ(down.health, PathHealth::down);
  EXPECT_DOUBLE_EQ(down.down_s, 2);
  EXPECT_DOUBLE_EQ(down.longest_s, 2);
  EXPECT_EQ(down.successes, 10u);
  EXPECT_EQ(down.failures, 20u);
  EXPECT_EQ(down.last_error, "08P01 x20");
}

TEST(LiveView, GoesThroughPartialToUp) {
  LiveView view{manifest()};
  const auto all = history(times(10) + "xxxx" + times(14), 0.1);
  feed(view, {all.begin(), all.begin() + 16});
  EXPECT_EQ(view.look(at_s(1.6))[0].health, PathHealth::partial);
  feed(view, {all.begin() + 16, all.end()});
  const LivePath up = view.look(at_s(2.8))[0];
  EXPECT_EQ(up.health, PathHealth::up);
  EXPECT_DOUBLE_EQ(up.down_s, 0);
  EXPECT_DOUBLE_EQ(up.longest_s, 0.4);
}

TEST(LiveView, OrderOfArrivalDoesNotMatter) {
  auto all = history(times(10) + "xxxx" + times(30), 0.1);
  std::mt19937_64 random{1};
  std::shuffle(all.begin(), all.end(), random);
  LiveView view{manifest()};
  feed(view, all);
  const LivePath path = view.look(at_s(10))[0];
  EXPECT_EQ(path.health, PathHealth::up);
  EXPECT_DOUBLE_EQ(path.longest_s, 0.4);
}

TEST(LiveView, WaitsForAnOperationThatMayStillCome) {
  LiveView view{manifest()};
  auto all = history(times(30), 0.1);
  const Operation missing = testing::operation('t', all[10].due, 11);
  all.erase(all.begin() + 10);
  feed(view, all);
  EXPECT_EQ(view.look(at_s(2))[0].successes, 10u);
  view.on(missing);
  const LivePath path = view.look(at_s(2.1))[0];
  EXPECT_EQ(path.successes, 29u);
  EXPECT_EQ(path.failures, 1u);
  EXPECT_DOUBLE_EQ(path.longest_s, 0.1);
}

TEST(LiveView, DoesNotWaitLongerThanADeadline) {
  LiveView view{manifest()};
  auto all = history(times(30), 0.1);
  all.erase(all.begin() + 10);
  feed(view, all);
  EXPECT_EQ(view.look(at_s(2.5))[0].successes, 29u);
}

TEST(LiveView, MarkStartsCountsAndWindowsAgain) {
  LiveView view{manifest()};
  const auto all = history("xxxxx" + times(5) + times(20), 0.1);
  feed(view, {all.begin(), all.begin() + 10});
  EXPECT_EQ(view.look(at_s(1))[0].failures, 0u) << "the first is held back";
  EXPECT_EQ(view.look(at_s(2))[0].failures, 5u);
  view.mark();
  const LivePath fresh = view.look(at_s(2))[0];
  EXPECT_EQ(fresh.failures, 0u);
  EXPECT_EQ(fresh.last_error, "");
  EXPECT_EQ(fresh.health, PathHealth::up) << "a mark does not make a path start again";
  view.on(all[4]);
  feed(view, {all.begin() + 10, all.end()});
  const LivePath after = view.look(at_s(5))[0];
  EXPECT_EQ(after.successes, 20u);
  EXPECT_EQ(after.failures, 0u) << "what was due before the mark does not count";
}

TEST(LiveView, WhatWasInFlightAtTheMarkDoesNotCount) {
  LiveView view{manifest()};
  feed(view, history(times(5), 0.1));
  feed(view, history(times(10), 0.1, 0, 2));
  (void)view.look(at_s(2));
  view.mark();
  view.on(testing::operation('x', at_s(0.6), 7));
  EXPECT_EQ(view.look(at_s(9))[0].failures, 0u);
}

TEST(LiveView, HostileOperationsAreIgnored) {
  LiveView view{manifest()};
  Operation op = testing::operation('+', nanoseconds::min(), 1);
  view.on(op);
  op.due = nanoseconds::max();
  view.on(op);
  view.on(testing::operation('+', at_s(1), 1, 1));
  view.on(testing::operation('+', at_s(1), 1, 999));
  for (const LivePath& path : view.look(at_s(9))) EXPECT_EQ(path.successes, 0u);
}

TEST(DueOrder, TakesTheNextNumberAtOnce) {
  DueOrder order{at_s(1)};
  const auto all = history("++++", 0.1, 10);
  for (const std::size_t i : {1u, 0u, 3u}) order.add(all[i]);
  EXPECT_TRUE(order.take(at_s(10.5)).empty());
  EXPECT_EQ(order.take(at_s(11.05)).size(), 2u);
  order.add(all[2]);
  EXPECT_EQ(order.take(at_s(11.05)).size(), 2u);
}

}  // namespace
}  // namespace pgfiredrill
