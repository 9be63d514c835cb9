#include "cluster/discovery/task_group.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace pgfiredrill {

void TaskGroup::start(std::function<void()> task) {
  threads_.emplace_back([this, task = std::move(task)] {
    try {
      task();
    } catch (...) {
      const std::lock_guard lock{mutex_};
      if (!first_exception_) first_exception_ = std::current_exception();
    }
  });
}

void TaskGroup::wait() {
  join();
  if (first_exception_) std::rethrow_exception(std::exchange(first_exception_, nullptr));
}

void TaskGroup::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void run_bounded(std::size_t count, std::size_t workers, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next{0};
  TaskGroup tasks;
  for (std::size_t worker = 0; worker < std::min(workers, count); ++worker) {
    tasks.start([&] {
      for (std::size_t i = next++; i < count; i = next++) task(i);
    });
  }
  tasks.wait();
}

}  // namespace pgfiredrill
