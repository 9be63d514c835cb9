#pragma once

/// Keeps main alive while a run waits: the view is drawn, interrupts are seen, the cluster is watched and the
/// lock renewed, whatever is being waited for.

#include <functional>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "suites/background.h"

namespace pgfiredrill {

/// A person (or the guard) wants the run to stop: thrown by the pump on main, caught where the run unwinds.
struct Interrupted {
  int level = 1;  ///< 1: stop, revert, report; 2: revert only
};

class Pump {
 public:
  /// `interrupts` counts how often somebody asked to stop; `tick` is called about twenty times a second;
  /// `leave` does not return: it is called at the third interrupt. `tick` must not call back into this.
  Pump(Clock& clock, Background& background, std::function<int()> interrupts, std::function<void()> tick,
       std::function<void()> leave);

  /// From here on only more than `level` interrupts count: while undoing, the first one is no news.
  void tolerate(int level) noexcept { tolerated_ = level; }
  [[nodiscard]] int interrupts() const { return interrupts_(); }

  /// Throws `Interrupted` where one counts.
  void pause(nanoseconds duration);
  /// True as soon as `condition` holds, false where `limit` passes first. Throws `Interrupted`.
  [[nodiscard]] bool wait_until(const std::function<bool()>& condition, nanoseconds limit);

  /// Does `work` beside main and returns what it returned. Work that has begun is waited for; an interrupt is
  /// thrown after it, unless `finish` is asked for: then the result is returned and the next wait throws.
  template <typename Work>
  auto run(const Work& work, bool finish = false) {
    std::optional<decltype(work())> result;
    wait_for(*background_.start([&] { result.emplace(work()); }));
    if (!finish) check();
    return std::move(*result);
  }

  /// Throws `Interrupted` where one counts.
  void check() const;

 private:
  void wait_for(BackgroundTask& task);
  void beat();

  Clock& clock_;
  Background& background_;
  std::function<int()> interrupts_;
  std::function<void()> tick_;
  std::function<void()> leave_;
  int tolerated_ = 0;
};

}  // namespace pgfiredrill
