#pragma once

/// A thread with an event loop of its own and a millisecond tick, which watches itself: a loop that comes
/// late, or that has no time left, makes operations late, and that must not be charged to the cluster: stalls
/// and, each second, the thread's CPU time are recorded.

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "base/clock.h"
#include "record/recorder.h"

namespace boost::asio {
class io_context;
}

namespace pgfiredrill {

class EventLoop {
 public:
  /// `name` is the loop's in `loop_stall` and `loop_cpu` events. The thread starts at once, the tick with
  /// `start_ticking`.
  EventLoop(std::string name, Recorder& recorder, Clock& clock);
  /// Ends the thread; what was posted and did not run is dropped.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Runs `work` on the loop's thread. From any thread.
  void post(std::function<void()> work);
  /// Ends the thread; nothing runs on it any more. From another thread, once or more.
  void stop();

  /// Runs `work` there and waits for its result. Never from the loop's own thread.
  template <typename Work>
  auto call(Work work) {
    auto task = std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
    auto result = task->get_future();
    post([task] { (*task)(); });
    return result.get();
  }

  /// Each millisecond with the time by `clock`; a late tick is not made up for. Once, before anything is due.
  void start_ticking(std::function<void(nanoseconds now)> on_tick);
  /// Whenever `descriptor` is readable, told when the next tick is due: until then it may go on. The
  /// descriptor stays the caller's, and open until `stop`. Once.
  void watch(int descriptor,
             std::function<void(std::chrono::steady_clock::time_point next_tick)> on_readable);

  /// For sessions on this loop.
  [[nodiscard]] boost::asio::io_context& context() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pgfiredrill
