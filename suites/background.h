#pragma once

/// Blocking work beside main, as a seam: threads in the program, at once and in line in tests.

#include <atomic>
#include <functional>
#include <memory>

namespace pgfiredrill {

/// One piece of work that was started.
class BackgroundTask {
 public:
  virtual ~BackgroundTask() = default;
  [[nodiscard]] virtual bool done() const noexcept = 0;
  /// Blocks until it is done, at most a tick (50 ms of real time).
  virtual void wait_a_tick() = 0;
};

class Background {
 public:
  virtual ~Background() = default;
  /// `work` must not throw, and what it refers to must outlive it. The destructor of the task joins.
  [[nodiscard]] virtual std::unique_ptr<BackgroundTask> start(std::function<void()> work) = 0;
};

/// A thread for each piece of work.
class ThreadBackground final : public Background {
 public:
  [[nodiscard]] std::unique_ptr<BackgroundTask> start(std::function<void()> work) override;
};

}  // namespace pgfiredrill
