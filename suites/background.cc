#include "suites/background.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace pgfiredrill {
namespace {

constexpr std::chrono::milliseconds kTick{50};

class ThreadTask final : public BackgroundTask {
 public:
  explicit ThreadTask(std::function<void()> work) : thread_{[this, work = std::move(work)] { run(work); }} {}
  ~ThreadTask() override { thread_.join(); }

  [[nodiscard]] bool done() const noexcept override { return done_; }

  void wait_a_tick() override {
    std::unique_lock lock{mutex_};
    finished_.wait_for(lock, kTick, [this] { return done_.load(); });
  }

 private:
  void run(const std::function<void()>& work) {
    work();
    const std::lock_guard lock{mutex_};
    done_ = true;
    finished_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable finished_;
  std::atomic<bool> done_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace

std::unique_ptr<BackgroundTask> ThreadBackground::start(std::function<void()> work) {
  return std::make_unique<ThreadTask>(std::move(work));
}

}  // namespace pgfiredrill
