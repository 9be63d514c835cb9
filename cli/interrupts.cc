#include "cli/interrupts.h"

#include <atomic>
#include <csignal>

namespace pgfiredrill {
namespace {

// A signal handler can reach nothing but a static; lock-free, so that it may.
std::atomic<int> count{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int /*number*/) {
  count.fetch_add(1);
}

}  // namespace

void count_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
}

int interrupts() noexcept {
  return count.load();
}

}  // namespace pgfiredrill
