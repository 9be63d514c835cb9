#include "suites/pump.h"

#include <algorithm>
#include <chrono>

namespace pgfiredrill {
namespace {

constexpr nanoseconds kBeat = std::chrono::milliseconds{50};
constexpr int kLeaveAt = 3;

}  // namespace

Pump::Pump(Clock& clock, Background& background, std::function<int()> interrupts, std::function<void()> tick,
           std::function<void()> leave)
    : clock_{clock},
      background_{background},
      interrupts_{std::move(interrupts)},
      tick_{std::move(tick)},
      leave_{std::move(leave)} {}

void Pump::pause(nanoseconds duration) {
  (void)wait_until([] { return false; }, duration);
}

bool Pump::wait_until(const std::function<bool()>& condition, nanoseconds limit) {
  const nanoseconds end = clock_.monotonic() + limit;
  while (true) {
    beat();
    check();
    if (condition()) return true;
    const nanoseconds left = end - clock_.monotonic();
    if (left <= nanoseconds{0}) return false;
    clock_.sleep_for(std::min(left, kBeat));
  }
}

void Pump::wait_for(BackgroundTask& task) {
  while (!task.done()) {
    beat();
    task.wait_a_tick();
  }
}

void Pump::beat() {
  if (interrupts_() >= kLeaveAt) leave_();
  tick_();
}

void Pump::check() const {
  const int level = interrupts_();
  if (level > tolerated_) throw Interrupted{level};
}

}  // namespace pgfiredrill
