#pragma once

/// Blocking work on threads of its own, joined before anything goes on.

#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pgfiredrill {

class TaskGroup {
 public:
  TaskGroup() = default;
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  /// Joins; an exception that nobody waited for is dropped.
  ~TaskGroup() { join(); }

  /// Runs `task` on a new thread.
  void start(std::function<void()> task);
  /// Joins all; throws the first exception that a task ended with.
  void wait();

 private:
  void join();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::exception_ptr first_exception_;
};

/// Calls `task(i)` for each i below `count`, `workers` of them at a time; throws what the first failing one
/// threw.
void run_bounded(std::size_t count, std::size_t workers, const std::function<void(std::size_t)>& task);

}  // namespace pgfiredrill
