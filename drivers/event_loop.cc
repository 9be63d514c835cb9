#include "drivers/event_loop.h"

#include <ctime>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <pthread.h>

namespace pgfiredrill {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTick{1};
/// What a machine that is not idle does to a thread now and then is not worth an event.
constexpr milliseconds kStall{20};
constexpr nanoseconds kLoadInterval = std::chrono::seconds{1};

/// Of the calling thread.
nanoseconds thread_cpu() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds{used.tv_sec} + nanoseconds{used.tv_nsec};
}

}  // namespace

class EventLoop::Impl {
 public:
  using OnReadable = std::function<void(steady_clock::time_point)>;

  Impl(std::string name, Recorder& recorder, Clock& clock)
      : name_{std::move(name)}, recorder_{recorder}, clock_{clock}, thread_{[this] { context_.run(); }} {
    ::pthread_setname_np(thread_.native_handle(), name_.substr(0, 15).c_str());
  }

  void stop() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    if (watched_.is_open()) watched_.release();
  }

  void start_ticking(std::function<void(nanoseconds)> on_tick) {
    on_tick_ = std::move(on_tick);
    tick_.expires_after(kTick);
    wait_for_tick();
  }

  void watch(int descriptor, OnReadable on_readable) {
    on_readable_ = std::move(on_readable);
    watched_.assign(descriptor);
    wait_for_readable();
  }

  boost::asio::io_context context_{1};

 private:
  void wait_for_tick() {
    tick_.async_wait([this](error_code error) {
      if (error) return;
      const auto now = steady_clock::now();
      note_lateness(now - tick_.expiry());
      const nanoseconds tick_at = clock_.monotonic();
      note_load(tick_at);
      on_tick_(tick_at);
      // Not from now on: handling takes time too. Nor from long ago: ticks in a row help nobody.
      tick_.expires_at(std::max(tick_.expiry() + kTick, now));
      wait_for_tick();
    });
  }

  void note_lateness(nanoseconds lateness) {
    if (lateness < kStall) return;
    recorder_.add(
        {.kind = event::kLoopStall,
         .fields = {{"loop", name_}, {"stall_s", std::chrono::duration<double>{lateness}.count()}}});
  }

  void wait_for_readable() {
    watched_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](error_code error) {
      if (error) return;
      on_readable_(tick_.expiry());
      wait_for_readable();
    });
  }

  void note_load(nanoseconds now) {
    if (!load_since_) {
      load_since_ = now;
      cpu_then_ = thread_cpu();
      return;
    }
    if (now - *load_since_ < kLoadInterval) return;
    const nanoseconds cpu = thread_cpu();
    recorder_.add({.kind = event::kLoopCpu,
                   .fields = {{"loop", name_},
                              {"cpu_s", to_seconds(cpu - cpu_then_)},
                              {"over_s", to_seconds(now - *load_since_)}}});
    load_since_ = now;
    cpu_then_ = cpu;
  }

  std::string name_;
  Recorder& recorder_;
  Clock& clock_;
  std::optional<nanoseconds> load_since_;
  nanoseconds cpu_then_{0};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
  boost::asio::steady_timer tick_{context_};
  std::function<void(nanoseconds)> on_tick_;
  boost::asio::posix::stream_descriptor watched_{context_};
  OnReadable on_readable_;
  std::thread thread_;  // last: it uses the others
};

EventLoop::EventLoop(std::string name, Recorder& recorder, Clock& clock)
    : impl_{std::make_unique<Impl>(std::move(name), recorder, clock)} {}

EventLoop::~EventLoop() {
  stop();
}

void EventLoop::stop() {
  impl_->stop();
}

void EventLoop::post(std::function<void()> work) {
  boost::asio::post(impl_->context_, std::move(work));
}

void EventLoop::start_ticking(std::function<void(nanoseconds)> on_tick) {
  post([this, on_tick = std::move(on_tick)]() mutable { impl_->start_ticking(std::move(on_tick)); });
}

void EventLoop::watch(int descriptor, std::function<void(steady_clock::time_point)> on_readable) {
  post([this, descriptor, on_readable = std::move(on_readable)]() mutable {
    impl_->watch(descriptor, std::move(on_readable));
  });
}

boost::asio::io_context& EventLoop::context() noexcept {
  return impl_->context_;
}

}  // namespace pgfiredrill
