#include "cluster/discovery/task_group.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

namespace pgfiredrill {
namespace {

TEST(TaskGroup, ThrowsWhatATaskThrewAfterAllHaveEnded) {
  std::atomic<int> ended{0};
  TaskGroup tasks;
  for (int i = 0; i < 8; ++i) {
    tasks.start([&, i] {
      ++ended;
      if (i == 3) throw std::runtime_error{"three"};
    });
  }
  EXPECT_THROW(tasks.wait(), std::runtime_error);
  EXPECT_EQ(ended, 8);
  EXPECT_NO_THROW(tasks.wait()) << "thrown once";
}

TEST(RunBounded, DoesEachOnceAndNeverMoreAtATime) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::vector<std::atomic<int>> done(50);
  run_bounded(done.size(), 4, [&](std::size_t i) {
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    ++done[i];
    --running;
  });
  for (const auto& count : done) EXPECT_EQ(count, 1);
  EXPECT_LE(most, 4);
  EXPECT_GE(most, 2) << "nothing ran at the same time";
}

TEST(RunBounded, IsContentWithNothingToDo) {
  run_bounded(0, 4, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace pgfiredrill
